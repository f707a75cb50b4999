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

}  // namespace fields

void write_json(TextBuffer& out, const Record& record) {
  fields::JsonVisitor<TextBuffer> visitor(out);
  out.append('{');
  fields::describe_record(visitor, record);
  out.append("}\n");
}

}  // namespace iwarp
