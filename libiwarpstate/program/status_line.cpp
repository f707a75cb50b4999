// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/status_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace iwarp::program {

bool on_terminal() noexcept {
  return ::isatty(STDERR_FILENO) == 1;
}

std::size_t terminal_columns() noexcept {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

void StatusLine::show(const std::string& text) {
  if (!shown_) return;
  std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
  std::fflush(stderr);
  visible_ = true;
}

void StatusLine::hide() {
  if (!visible_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace iwarp::program
