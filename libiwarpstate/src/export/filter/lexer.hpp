// The words of a filter expression.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace iwarp::filter {

enum class TokenKind : unsigned char {
  end,
  word,
  quoted,
  symbol,
  bad
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;        // quotes and escapes taken off; of a bad one, what is wrong with it
  std::size_t column = 1;  // where it begins, from 1
};

class Lexer {
 public:
  explicit Lexer(std::string_view expression) : rest_(expression), whole_(expression) { advance(); }

  [[nodiscard]] const Token& token() const noexcept { return token_; }
  void advance();

 private:
  void take_quoted();
  void take_symbol();

  std::string_view rest_;
  std::string_view whole_;
  Token token_;
};

}  // namespace iwarp::filter
