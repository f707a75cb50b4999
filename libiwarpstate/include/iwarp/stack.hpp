// Which implementation of iWARP an end is, by what only that one does on the wire. Nothing is concluded from
// what several do, so of most ends nothing is known.
//
// Threads: none of its own. Throws nothing.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>

#include <iwarp/state.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

enum class Stack : std::uint8_t {
  siw,    // Linux's software iWARP
  cxgb4,  // Chelsio T4 to T6
  irdma,  // Intel X722, E810
  erdma,  // Alibaba Cloud
};
// "siw", "cxgb4" …
[[nodiscard]] const char* stack_name(Stack stack) noexcept;

struct StackGuess {
  Stack stack = Stack::siw;
  // high: a private bit or number of that stack; medium, low: a habit of its.
  Confidence confidence = Confidence::low;
  const char* sign = "";  // what shows it, in words
};
// Of the end with that role; nothing: it did nothing that only one stack does, as far as the capture shows.
[[nodiscard]] std::optional<StackGuess> stack_of(const ConnectionState& connection, Role role) noexcept;

}  // namespace iwarp
#pragma GCC visibility pop
