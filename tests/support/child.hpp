// Child: a program run as a user runs it, in a process of its own that can be sent signals.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace iwarp::test {

class Child {
 public:
  // Descriptors that become its standard streams; where there is none, /dev/null.
  struct Streams {
    std::optional<int> in = {};
    std::optional<int> out = {};
    std::optional<int> err = {};
  };

  explicit Child(const std::vector<std::string>& words) : Child(words, Streams()) {}
  Child(const std::vector<std::string>& words, Streams streams);
  // Ends it, if it still runs.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Waits until it has a handler for the signal. False: it ended before, or took too long.
  [[nodiscard]] bool waits_for(int signal) const;
  // Whether it leaves the signal alone.
  [[nodiscard]] bool ignores(int signal) const;
  void send(int signal) const;
  // Its exit status; minus the signal that ended it; nothing where it took too long.
  [[nodiscard]] std::optional<int> end();

 private:
  [[nodiscard]] bool has(const char* signals, int signal) const;

  pid_t process_ = -1;
};

// A pipe whose ends close with it.
class Pipe {
 public:
  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  [[nodiscard]] int reader() const noexcept { return ends_[0]; }
  [[nodiscard]] int writer() const noexcept { return ends_[1]; }
  // Makes it as small as it can be.
  void shrink() const;
  // Waits until it is full. False: that took too long.
  [[nodiscard]] bool fills() const;
  void close_writer();
  // All that is left to come. REQUIRES: its writers end.
  [[nodiscard]] std::string read_all();

 private:
  int ends_[2] = {-1, -1};
};

}  // namespace iwarp::test
