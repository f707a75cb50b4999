// iwarp-replay as a user calls it, in this process: exit status, what it says, and a folder for its results.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/commands.hpp"

namespace iwarp::replay {

struct Ended {
  int status = -1;
  std::string out;
  std::string err;
};

// `words`: those behind the name of the program.
[[nodiscard]] Ended call(std::vector<std::string> words);

// Path of a capture of the repository, from its name below captures/.
[[nodiscard]] std::string capture(const std::string& name);
inline const std::string rping_capture = "real/01a-rping-v4-mtu1500-tso.pcap";

// A schema of docs/schema, by default that of reports, in which keys that it does not tell of fail, too.
[[nodiscard]] nlohmann::json strict_schema(const std::string& name = "replay-report-1.json");

// Each test has a folder of its own, which goes with it.
class CommandTest : public testing::Test {
 protected:
  CommandTest();
  ~CommandTest() override;
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/" + name; }
  // The JSON of one of its files.
  [[nodiscard]] nlohmann::json json_of(const std::string& name) const;

 private:
  std::string folder_;
};

// The same in a process of its own, whose standard output is `out`: its exit status, or -1 where it came to
// no end of its own. `before` is called in it, first; what it says to people goes to the file `err`.
[[nodiscard]] int call_apart(
    const std::vector<std::string>& words, const std::string& out, const std::string& err,
    const std::function<void()>& before = [] {});
// … not waited for: its process.
[[nodiscard]] pid_t begin_apart(
    const std::vector<std::string>& words, const std::string& out, const std::string& err,
    const std::function<void()>& before = [] {});
[[nodiscard]] int end_of(pid_t process);
// The port of 127.0.0.1 at which such a process says in the file `err` that it listens; 0: it does not say so
// within ten seconds.
[[nodiscard]] int listening_port(const std::string& err);

[[nodiscard]] std::string octets_of(const std::string& path);

// Standard input is what somebody typed, or a pipe has, while this object lives.
class TypedInput {
 public:
  explicit TypedInput(const std::string& text);
  ~TypedInput();
  TypedInput(const TypedInput&) = delete;
  TypedInput& operator=(const TypedInput&) = delete;

 private:
  int kept_;
};

}  // namespace iwarp::replay
