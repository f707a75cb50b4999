// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/filter_parts.hpp"

namespace iwarp::gui {
namespace {

bool is_word(char octet) {
  return (octet >= 'a' && octet <= 'z') || (octet >= 'A' && octet <= 'Z') || (octet >= '0' && octet <= '9') ||
         octet == '_' || octet == '.';
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

struct Split {
  std::vector<std::string> parts;  // between the `and` outside of parentheses
  bool alternatives = false;       // an `or` is outside of parentheses
};

Split split(std::string_view text) {
  Split result;
  int depth = 0;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end, std::size_t next) {
    if (const auto part = trimmed(text.substr(begin, end - begin)); !part.empty())
      result.parts.emplace_back(part);
    begin = next;
  };
  for (std::size_t at = 0; at < text.size();) {
    const char octet = text[at];
    std::size_t length = 1;
    if (octet == '"') {
      while (at + length < text.size() && text[at + length] != '"')
        length += text[at + length] == '\\' ? 2U : 1U;
      ++length;
    } else if (is_word(octet)) {
      while (at + length < text.size() && is_word(text[at + length])) ++length;
    } else if (text.substr(at, 2) == "&&" || text.substr(at, 2) == "||") {
      length = 2;
    }
    const std::string_view word = text.substr(at, length);
    if (word == "(") ++depth;
    if (word == ")") --depth;
    if (depth == 0 && (word == "or" || word == "||")) result.alternatives = true;
    if (depth == 0 && (word == "and" || word == "&&")) cut(at, at + length);
    at += length;
  }
  cut(text.size(), text.size());
  return result;
}

}  // namespace

std::vector<std::string> filter_parts(std::string_view expression) {
  Split result = split(expression);
  if (!result.alternatives) return result.parts;
  return {std::string(trimmed(expression))};
}

std::string joined(const std::vector<std::string>& parts) {
  if (parts.size() == 1) return parts[0];
  std::string expression;
  for (const std::string& part : parts) {
    if (!expression.empty()) expression += " and ";
    expression += split(part).alternatives ? "(" + part + ")" : part;
  }
  return expression;
}

}  // namespace iwarp::gui
