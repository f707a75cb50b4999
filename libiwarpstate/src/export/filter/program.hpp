// A compiled filter: a tree of comparisons over slots, one slot for each field that the expression names.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <regex.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <iwarp/export/filter.hpp>

namespace iwarp::filter {

inline constexpr std::size_t max_slots = 16;  // different fields in one expression
inline constexpr unsigned max_depth = 100;    // of parentheses and `not`

// An integer between -(2^64-1) and 2^64-1.
struct Number {
  bool negative = false;
  std::uint64_t magnitude = 0;
};
// Negative, zero or positive as `a` is less than, equal to or greater than `b`.
[[nodiscard]] int compare(Number a, Number b) noexcept;
// "12", "-3", "0x1f", "5ms": durations count in nanoseconds. Nothing for other text and for numbers too
// large.
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) noexcept;

struct RegexDeleter {
  void operator()(regex_t* regex) const noexcept {
    ::regfree(regex);
    delete regex;
  }
};
using Regex = std::unique_ptr<regex_t, RegexDeleter>;

enum class Comparison : std::uint8_t {
  equal,
  unequal,
  less,
  less_equal,
  greater,
  greater_equal,
  match,
  no_match
};

struct Literal {
  std::string text;              // as written, quotes taken off
  std::optional<Number> number;  // when the text is one
  bool null = false;             // the bare word null
  Regex regex;                   // of match and no_match
};

enum class NodeKind : std::uint8_t {
  both,
  either,
  negation,
  comparison,
  presence
};

struct Node {
  NodeKind kind = NodeKind::presence;
  Comparison comparison = Comparison::equal;
  std::size_t left = 0;   // of both, either, negation: a node
  std::size_t right = 0;  // of both, either: a node; of a comparison: a literal
  std::size_t slot = 0;   // of a comparison or presence
};

}  // namespace iwarp::filter

struct iwarp::Filter::Program {
  std::vector<filter::Node> nodes;
  std::vector<filter::Literal> literals;
  std::vector<std::uint32_t> slots;               // hash_path() of the field of each slot
  std::array<bool, record_kind_count> touched{};  // kinds that have one of the fields
  std::size_t root = 0;
};
