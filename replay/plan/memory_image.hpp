// MemoryImage: what is known of the octets of one region at some point of the capture.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "plan/content.hpp"

namespace iwarp::replay {

class MemoryImage {
 public:
  // Octets [to, to + length_of(content)) are these from now on.
  void write(std::uint64_t to, const Content& content);

  // Calls `visit(to, length, known)` for the parts of [to, to + length) in order; `known` is nullptr where
  // nothing is known, else what is there.
  using Visit = std::function<void(std::uint64_t to, std::uint64_t length, const Content* known)>;
  void visit(std::uint64_t to, std::uint64_t length, const Visit& visit) const;

 private:
  std::map<std::uint64_t, Content> runs_;  // by TO; apart from each other
};

}  // namespace iwarp::replay
