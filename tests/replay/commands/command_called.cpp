// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/commands/command_called.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support/places.hpp"

namespace iwarp::replay {

Ended call(std::vector<std::string> words) {
  words.insert(words.begin(), "iwarp-replay");
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ended ended;
  const auto options = parse_options(static_cast<int>(arguments.size()), arguments.data(), ended.status);
  if (options) ended.status = run_any(*options);
  ended.out = testing::internal::GetCapturedStdout();
  ended.err = testing::internal::GetCapturedStderr();
  return ended;
}

std::string capture(const std::string& name) {
  return test::places::captures() + "/" + name;
}

nlohmann::json strict_schema(const std::string& name) {
  std::ifstream file(test::places::source() + "/docs/schema/" + name);
  nlohmann::json schema = nlohmann::json::parse(file);
  for (auto& definition : schema["definitions"]) {
    if (definition.contains("properties")) definition["additionalProperties"] = false;
  }
  return schema;
}

pid_t begin_apart(const std::vector<std::string>& words, const std::string& out, const std::string& err,
                  const std::function<void()>& before) {
  const pid_t process = ::fork();
  EXPECT_GE(process, 0);
  if (process != 0) return process;
  if (std::freopen(out.c_str(), "w", stdout) == nullptr || std::freopen(err.c_str(), "w", stderr) == nullptr)
    ::_exit(99);
  std::setvbuf(stderr, nullptr, _IONBF, 0);  // who reads the file reads what was said so far
  before();
  std::vector<const char*> arguments = {"iwarp-replay"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  int status = 0;
  const auto options = parse_options(static_cast<int>(arguments.size()), arguments.data(), status);
  if (options) status = run_any(*options);
  std::fflush(stderr);
  ::_exit(status);
}

int end_of(pid_t process) {
  int status = -1;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int listening_port(const std::string& err) {
  const std::string words = "listening at 127.0.0.1:";
  for (int tries = 0; tries < 1000; ++tries) {
    const std::string said = octets_of(err);
    const std::size_t at = said.find(words);
    if (at != std::string::npos && said.find('\n', at) != std::string::npos)
      return std::stoi(said.substr(at + words.size()));
    ::usleep(10'000);
  }
  return 0;
}

int call_apart(const std::vector<std::string>& words, const std::string& out, const std::string& err,
               const std::function<void()>& before) {
  return end_of(begin_apart(words, out, err, before));
}

std::string octets_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

CommandTest::CommandTest() {
  std::string pattern = testing::TempDir() + "iwarp-replay-XXXXXX";
  folder_ = ::mkdtemp(pattern.data());
}

CommandTest::~CommandTest() {
  std::filesystem::remove_all(folder_);
}

nlohmann::json CommandTest::json_of(const std::string& name) const {
  std::ifstream content(file(name));
  return nlohmann::json::parse(content);
}

TypedInput::TypedInput(const std::string& text) : kept_(::dup(STDIN_FILENO)) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  ::dup2(ends[0], STDIN_FILENO);
  ::close(ends[0]);
}

TypedInput::~TypedInput() {
  ::dup2(kept_, STDIN_FILENO);
  ::close(kept_);
}

}  // namespace iwarp::replay
