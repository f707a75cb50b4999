// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/standard_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <system_error>

#include "program/interrupt.hpp"

namespace iwarp::program {

namespace {

constexpr int look_ms = 100;  // how often a wait looks whether an interrupt came: it need not end poll(2)
constexpr int patience = 10;  // looks without room behind an interrupt after which a pipe has no reader

bool is_kind(const struct stat& status, mode_t kind) noexcept {
  return (status.st_mode & S_IFMT) == kind;
}

// Files take everything at once, and so do devices that are no terminals, as /dev/null.
bool may_wait(int descriptor) noexcept {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return true;
  return !is_kind(status, S_IFREG) && (!is_kind(status, S_IFCHR) || ::isatty(descriptor) != 0);
}

// What can be written to a pipe that has room, as poll(2) says, without being kept waiting: PIPE_BUF octets
// (pipe(7)); more where it is nearly empty, but the octets in it may begin and end inside a page.
std::size_t room_of(int descriptor) noexcept {
  int held = 0;
  const int size = ::fcntl(descriptor, F_GETPIPE_SZ);
  if (size < 0 || ::ioctl(descriptor, FIONREAD, &held) != 0) return PIPE_BUF;
  return static_cast<std::size_t>(std::max(size - held - 2 * PIPE_BUF, PIPE_BUF));
}

// Until a pipe has room, or an error. False: interrupted, and nobody reads it.
bool wait_for_room(int descriptor) noexcept {
  pollfd waited{.fd = descriptor, .events = POLLOUT, .revents = 0};
  for (int looks = 0; looks < patience;) {
    const int ready = ::poll(&waited, 1, look_ms);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
    if (ready == 0 && interrupted()) ++looks;
  }
  return false;
}

}  // namespace

int write_whole(int descriptor, std::string_view octets) noexcept {
  const bool waits = may_wait(descriptor);
  while (!octets.empty()) {
    if (waits && !wait_for_room(descriptor)) return EINTR;
    const std::size_t piece = waits ? std::min(octets.size(), room_of(descriptor)) : octets.size();
    const ssize_t written = ::write(descriptor, octets.data(), piece);
    if (written >= 0) {
      octets.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      return errno;
    }
  }
  return 0;
}

int open_to_write(const char* path, int flags, mode_t mode) noexcept {
  struct stat status {};
  if (::stat(path, &status) != 0 || !is_kind(status, S_IFIFO)) return ::open(path, flags, mode);
  for (;;) {
    const int descriptor = ::open(path, flags | O_NONBLOCK, mode);
    if (descriptor >= 0) {
      static_cast<void>(::fcntl(descriptor, F_SETFL, flags));
      return descriptor;
    }
    if (errno != ENXIO && errno != EINTR) return -1;
    if (interrupted()) {
      errno = EINTR;
      return -1;
    }
    static_cast<void>(::poll(nullptr, 0, look_ms));
  }
}

void complain(std::string_view text) noexcept {
  static_cast<void>(write_whole(STDERR_FILENO, text));
}

std::string standard_output_failure(int error) {
  if (error == 0 || error == EPIPE) return {};
  if (error == EINTR) return "interrupted, and nobody reads standard output";
  return "standard output cannot be written: " + std::generic_category().message(error);
}

std::string print(std::string_view octets) {
  if (std::fflush(stdout) != 0) return standard_output_failure(errno);
  return standard_output_failure(write_whole(STDOUT_FILENO, octets));
}

}  // namespace iwarp::program
