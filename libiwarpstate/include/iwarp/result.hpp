// A value, or why octets could not be parsed and where. No exceptions (docs/architecture.md, "Errors").
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <utility>
#include <variant>

#pragma GCC visibility push(default)
namespace iwarp {

// `reason` is a string literal; `offset` counts octets from the start of what was to be parsed.
struct ParseError {
  const char* reason = "";
  std::size_t offset = 0;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}
  Result(ParseError error) : content_(error) {}

  [[nodiscard]] explicit operator bool() const noexcept { return content_.index() == 0; }

  // REQUIRES: *this holds a value.
  [[nodiscard]] const T& operator*() const noexcept { return *std::get_if<0>(&content_); }
  [[nodiscard]] const T* operator->() const noexcept { return std::get_if<0>(&content_); }

  // REQUIRES: *this holds an error.
  [[nodiscard]] const ParseError& error() const noexcept { return *std::get_if<1>(&content_); }

 private:
  std::variant<T, ParseError> content_;
};

}  // namespace iwarp
#pragma GCC visibility pop
