// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/growing_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

namespace iwarp::gui {
namespace {

constexpr std::chrono::milliseconds between_looks{50};
constexpr int asked_every_ms = 50;  // whether to go on
constexpr std::size_t piece = 64U << 10U;

}  // namespace

std::unique_ptr<GrowingFile> GrowingFile::open(const std::string& path, std::string& error) {
  const auto fail = [&](int number) {
    error = path + ": " + std::generic_category().message(number);
    return nullptr;
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return fail(errno);
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(file);
    error = path + ": is no regular file, and only these can be followed";
    return nullptr;
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    const int number = errno;
    ::close(file);
    return fail(number);
  }
  // Only the end that is written never waits: it has to see when it is to stop.
  static_cast<void>(::fcntl(ends[1], F_SETFL, O_NONBLOCK));
  return std::unique_ptr<GrowingFile>(new GrowingFile(path, file, ends[0], ends[1]));
}

GrowingFile::GrowingFile(std::string path, int file, int reader, int writer)
    : path_(std::move(path)), file_(file), reader_(reader), writer_(writer), thread_([this] { pump(); }) {}

GrowingFile::~GrowingFile() {
  closing_.store(true, std::memory_order_relaxed);
  thread_.join();
  ::close(reader_);
  ::close(file_);
}

std::string GrowingFile::pipe_path() const {
  return "/dev/fd/" + std::to_string(reader_);
}

void GrowingFile::pump() {
  // The reader is gone: that is an error of write(2), not the program's end.
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
  std::array<char, piece> octets;
  std::uint64_t so_far = 0;
  while (!closing_.load(std::memory_order_relaxed)) {
    const ssize_t got = ::read(file_, octets.data(), octets.size());
    if (got > 0) {
      if (!pass_on(octets.data(), static_cast<std::size_t>(got))) break;
      so_far += static_cast<std::uint64_t>(got);
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    const char* const why = got < 0 ? "can no longer be read" : why_it_cannot_grow(so_far);
    why_ended_.store(why, std::memory_order_release);
    if (*why != '\0') break;
    std::this_thread::sleep_for(between_looks);
  }
  ::close(writer_);
}

bool GrowingFile::pass_on(const char* octets, std::size_t count) const {
  while (count > 0) {
    if (closing_.load(std::memory_order_relaxed)) return false;
    const ssize_t put = ::write(writer_, octets, count);
    if (put > 0) {
      octets += put;
      count -= static_cast<std::size_t>(put);
    } else if (errno == EAGAIN) {
      pollfd waited{.fd = writer_, .events = POLLOUT, .revents = 0};
      static_cast<void>(::poll(&waited, 1, asked_every_ms));
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

// At its end. Empty: it is still the file of that name, and not shorter than what was read.
const char* GrowingFile::why_it_cannot_grow(std::uint64_t read_so_far) const {
  struct stat opened {};
  struct stat named {};
  if (::fstat(file_, &opened) != 0) return "can no longer be read";
  if (static_cast<std::uint64_t>(opened.st_size) < read_so_far) return "was cut while it was followed";
  if (::stat(path_.c_str(), &named) != 0) return "was removed or renamed while it was followed";
  const bool same = opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
  return same ? "" : "was replaced by another file while it was followed";
}

}  // namespace iwarp::gui
