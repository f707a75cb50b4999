// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/child.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>
#include <utility>

namespace iwarp::test {
namespace {

// Looks until something holds, as long as a test may take on a busy machine.
template <typename Holds>
bool comes_true(const Holds& holds) {
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > late) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace

Child::Child(const std::vector<std::string>& words, Streams streams) {
  std::vector<std::string> kept = words;
  std::vector<char*> arguments;
  for (std::string& word : kept) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  const std::optional<int> given[] = {streams.in, streams.out, streams.err};
  for (int stream = 0; stream < 3; ++stream) {
    if (given[stream]) {
      ::posix_spawn_file_actions_adddup2(&actions, *given[stream], stream);
    } else {
      ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
    }
  }
  EXPECT_EQ(::posix_spawnp(&process_, arguments[0], &actions, nullptr, arguments.data(), environ), 0)
      << words[0];
  ::posix_spawn_file_actions_destroy(&actions);
}

Child::~Child() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

// proc(5): masks in hexadecimal, signal 1 the lowest bit.
bool Child::has(const char* signals, int signal) const {
  std::ifstream status("/proc/" + std::to_string(process_) + "/status");
  std::string word;
  while (status >> word && word != signals) {
  }
  status >> word;
  return status && (std::stoull(word, nullptr, 16) >> static_cast<unsigned>(signal - 1) & 1U) != 0;
}

bool Child::waits_for(int signal) const {
  return comes_true([&] { return has("SigCgt:", signal); });
}

bool Child::ignores(int signal) const {
  return has("SigIgn:", signal);
}

void Child::send(int signal) const {
  EXPECT_EQ(::kill(process_, signal), 0);
}

std::optional<int> Child::end() {
  int status = 0;
  if (!comes_true([&] { return ::waitpid(process_, &status, WNOHANG) == process_; })) return std::nullopt;
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Pipe::Pipe() {
  EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0);
}

Pipe::~Pipe() {
  close_writer();
  ::close(ends_[0]);
}

void Pipe::shrink() const {
  EXPECT_GT(::fcntl(ends_[1], F_SETPIPE_SZ, 1), 0);
}

bool Pipe::fills() const {
  const int room = ::fcntl(ends_[1], F_GETPIPE_SZ);
  return comes_true([&] {
    int held = 0;
    return ::ioctl(ends_[0], FIONREAD, &held) == 0 && held == room;
  });
}

void Pipe::close_writer() {
  if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
}

std::string Pipe::read_all() {
  close_writer();
  std::string all;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(ends_[0], buffer, sizeof buffer)) > 0;)
    all.append(buffer, static_cast<std::size_t>(got));
  return all;
}

}  // namespace iwarp::test
