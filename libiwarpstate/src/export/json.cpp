// Records as JSON Lines.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/fields/record_fields.hpp"
#include "export/json_visitor.hpp"

#include <iwarp/export/writers.hpp>

namespace iwarp {

namespace fields {

std::size_t utf8_length(std::string_view text) noexcept {
  const auto at = [&](std::size_t place) { return static_cast<unsigned char>(text[place]); };
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t place = 1; place < length; ++place) {
    if ((at(place) & 0xC0U) != 0x80) return 0;
  }
  const unsigned second = at(1);
  if (first == 0xE0 && second < 0xA0) return 0;  // overlong
  if (first == 0xED && second > 0x9F) return 0;  // surrogates
  if (first == 0xF0 && second < 0x90) return 0;  // overlong
  if (first == 0xF4 && second > 0x8F) return 0;  // beyond U+10FFFF
  return length;
}

void append_json_string(TextBuffer& out, std::string_view text) {
  out.append('"');
  while (!text.empty()) {
    const auto octet = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out.append("\xEF\xBF\xBD");  // U+FFFD
    } else if (octet == '"' || octet == '\\') {
      out.append('\\');
      out.append(text.front());
    } else if (octet < 0x20) {
      constexpr std::string_view digits = "0123456789abcdef";
      out.append("\\u00");
      out.append(digits[octet >> 4U]);
      out.append(digits[octet & 0xfU]);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out.append('"');
}

}  // namespace fields

void write_json(TextBuffer& out, const Record& record) {
  fields::JsonVisitor visitor(out);
  out.append('{');
  fields::describe_record(visitor, record);
  out.append("}\n");
}

}  // namespace iwarp
