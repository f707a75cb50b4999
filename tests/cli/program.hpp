// Runs iwarp-analyze as a user does.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace iwarp::test {

struct Outcome {
  int status = -1;  // exit status, -1 when the program ended otherwise
  std::string out;
  std::string err;
};

// Runs it with these arguments. `input` is its standard input.
[[nodiscard]] Outcome analyze(const std::vector<std::string>& arguments, std::string_view input = {});
// Runs a shell command in which "$ANALYZE" is the program.
[[nodiscard]] Outcome shell(const std::string& command, std::string_view input = {});

// A capture of captures/real, by the start of its name.
[[nodiscard]] std::string real_capture(std::string_view name);
[[nodiscard]] std::vector<std::string> all_real_captures();

[[nodiscard]] std::string read_file(const std::string& path);
// A file that lives as long as this object.
class TemporaryFile {
 public:
  TemporaryFile(std::string_view name, std::string_view content);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string directory_;
  std::string path_;
};

// The records of JSON Lines; fails the test where a line is not JSON.
[[nodiscard]] std::vector<nlohmann::json> records(std::string_view lines);

}  // namespace iwarp::test
