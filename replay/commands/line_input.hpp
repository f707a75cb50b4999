// Lines that somebody types, or a pipe has, without waiting for them longer than one likes.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>

namespace iwarp::replay {

class LineInput {
 public:
  explicit LineInput(int descriptor) : descriptor_(descriptor) {}

  // The next line, without its end; nothing where none came in time. 0: does not wait.
  [[nodiscard]] std::optional<std::string> next(int milliseconds);
  // There will be no more. What stood behind the last end of line was one, too.
  [[nodiscard]] bool ended() const noexcept { return ended_ && octets_.empty(); }

 private:
  int descriptor_;
  std::string octets_ = {};
  bool ended_ = false;
};

}  // namespace iwarp::replay
