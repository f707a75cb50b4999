// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/standard_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace iwarp::program {

int write_whole(int descriptor, std::string_view octets) noexcept {
  while (!octets.empty()) {
    const ssize_t written = ::write(descriptor, octets.data(), octets.size());
    if (written >= 0) {
      octets.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

std::string standard_output_failure(int error) {
  if (error == 0 || error == EPIPE) return {};
  return "standard output cannot be written: " + std::generic_category().message(error);
}

std::string print(std::string_view octets) {
  if (std::fflush(stdout) != 0) return standard_output_failure(errno);
  return standard_output_failure(write_whole(STDOUT_FILENO, octets));
}

}  // namespace iwarp::program
