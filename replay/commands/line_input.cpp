// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/line_input.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace iwarp::replay {

std::optional<std::string> LineInput::next(int milliseconds) {
  for (;;) {
    const std::size_t end = octets_.find('\n');
    if (end != std::string::npos) {
      std::string line = octets_.substr(0, end);
      octets_.erase(0, end + 1);
      return line;
    }
    if (ended_) {
      if (octets_.empty()) return std::nullopt;
      return std::exchange(octets_, {});
    }
    pollfd waited{.fd = descriptor_, .events = POLLIN, .revents = 0};
    if (::poll(&waited, 1, milliseconds) <= 0) return std::nullopt;
    char buffer[4096];
    const ssize_t count = ::read(descriptor_, buffer, sizeof buffer);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return std::nullopt;
    if (count <= 0) {
      ended_ = true;
    } else {
      octets_.append(buffer, static_cast<std::size_t>(count));
    }
  }
}

}  // namespace iwarp::replay
