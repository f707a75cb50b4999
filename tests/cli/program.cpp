// Runs iwarp-analyze through the shell, with files for its output.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/program.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/places.hpp"

namespace iwarp::test {

namespace {

namespace fs = std::filesystem;

std::string temporary_directory() {
  std::string name = (fs::temp_directory_path() / "iwarp-cli-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

std::string shell_quoted(std::string_view argument) {
  std::string text = "'";
  for (const char letter : argument) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

TemporaryFile::TemporaryFile(std::string_view name, std::string_view content)
    : directory_(temporary_directory()), path_(directory_ + "/" + std::string(name)) {
  std::ofstream(path_, std::ios::binary) << content;
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

Outcome shell(const std::string& command, std::string_view input) {
  const TemporaryFile in("in", input);
  const std::string out = in.path() + ".out";
  const std::string err = in.path() + ".err";
  const std::string whole = "ANALYZE=" + shell_quoted(places::analyze()) + "; { " + command + "\n} <" +
                            shell_quoted(in.path()) + " >" + shell_quoted(out) + " 2>" + shell_quoted(err);
  const int ended = std::system(whole.c_str());
  Outcome outcome;
  if (WIFEXITED(ended)) outcome.status = WEXITSTATUS(ended);
  outcome.out = read_file(out);
  outcome.err = read_file(err);
  return outcome;
}

Outcome analyze(const std::vector<std::string>& arguments, std::string_view input) {
  std::string command = "\"$ANALYZE\"";
  for (const std::string& argument : arguments) command += " " + shell_quoted(argument);
  return shell(command, input);
}

std::vector<std::string> all_real_captures() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(places::captures() + "/real")) {
    if (entry.path().filename().string().find(".pcap") != std::string::npos)
      paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string real_capture(std::string_view name) {
  for (const std::string& path : all_real_captures()) {
    if (fs::path(path).filename().string().starts_with(name)) return path;
  }
  ADD_FAILURE() << "no capture " << name;
  return {};
}

std::vector<nlohmann::json> records(std::string_view lines) {
  std::vector<nlohmann::json> all;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    EXPECT_NE(end, std::string_view::npos) << "the last line has no end";
    if (end == std::string_view::npos) break;
    all.push_back(nlohmann::json::parse(lines.substr(0, end), nullptr, false));
    EXPECT_TRUE(all.back().is_object()) << lines.substr(0, end);
    lines.remove_prefix(end + 1);
  }
  return all;
}

}  // namespace iwarp::test
