// Splits a filter expression into words, quoted text and symbols.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/filter/lexer.hpp"

namespace iwarp::filter {

namespace {

bool is_space(char letter) noexcept {
  return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

// Words are names of fields, numbers and values such as DDP-MSNGAP, 192.0.2.1:4420 or ^send$.
bool is_word(char letter) noexcept {
  return !is_space(letter) && std::string_view("\"()=<>!~&|").find(letter) == std::string_view::npos;
}

}  // namespace

void Lexer::advance() {
  while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  token_ = Token{};
  token_.column = whole_.size() - rest_.size() + 1;
  if (rest_.empty()) return;
  if (rest_.front() == '"') return take_quoted();
  std::size_t length = 0;
  while (length < rest_.size() && is_word(rest_[length])) ++length;
  if (length == 0) return take_symbol();
  token_.kind = TokenKind::word;
  token_.text = rest_.substr(0, length);
  rest_.remove_prefix(length);
}

// \" and \\ stand for the second character; any other backslash stays, for regular expressions.
void Lexer::take_quoted() {
  token_.kind = TokenKind::quoted;
  rest_.remove_prefix(1);
  while (!rest_.empty() && rest_.front() != '"') {
    if (rest_.front() == '\\' && rest_.size() > 1 && (rest_[1] == '"' || rest_[1] == '\\'))
      rest_.remove_prefix(1);
    token_.text += rest_.front();
    rest_.remove_prefix(1);
  }
  if (rest_.empty()) {
    token_.kind = TokenKind::bad;
    token_.text = "the quoted text has no end";
    return;
  }
  rest_.remove_prefix(1);
}

void Lexer::take_symbol() {
  static constexpr std::string_view symbols[] = {"==", "!=", "<=", ">=", "=~", "!~", "&&",
                                                 "||", "<",  ">",  "!",  "(",  ")"};
  for (const std::string_view symbol : symbols) {
    if (!rest_.starts_with(symbol)) continue;
    token_.kind = TokenKind::symbol;
    token_.text = symbol;
    rest_.remove_prefix(symbol.size());
    return;
  }
  token_.kind = TokenKind::bad;
  token_.text = std::string("\"") + rest_.front() + "\" has no meaning here" +
                (rest_.front() == '=' ? " (equality is ==)" : "");
  rest_.remove_prefix(1);
}

}  // namespace iwarp::filter
