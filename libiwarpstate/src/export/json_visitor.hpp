// JsonVisitor: writes the fields of a record as JSON. `Out` is a TextBuffer or something that looks like one.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <concepts>

#include <iwarp/export/text_buffer.hpp>

#include "export/fields/field.hpp"

namespace iwarp::fields {

// Length of the UTF-8 character at the start of `text` (RFC 3629), 0 when there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

template <typename Out>
void append_json_string(Out& out, std::string_view text) {
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

template <typename Out>
class JsonVisitor {
 public:
  explicit JsonVisitor(Out& out) : out_(out) {}

  [[gnu::always_inline]] void field(Key key, bool value) {
    name(key.name), out_.append(value ? std::string_view("true") : "false");
  }
  [[gnu::always_inline]] void field(Key key, std::integral auto value) {
    name(key.name), out_.append_decimal(value);
  }
  [[gnu::always_inline]] void field(Key key, Hex value) { name(key.name), hex(value); }
  [[gnu::always_inline]] void field(Key key, Word value) { name(key.name), word(value.text); }
  [[gnu::always_inline]] void field(Key key, Null) { name(key.name), out_.append("null"); }

  template <typename Make>
  void text(Key key, Make make) {
    name(key.name);
    append_json_string(out_, make());
  }

  template <typename Fill>
  void object(Key key, Fill fill) {
    name(key.name);
    object(fill);
  }
  template <typename Fill>
  void list(Key key, Fill fill) {
    name(key.name);
    list(fill);
  }
  template <typename Fill>
  void map(Key key, Fill fill) {
    name(key.name);
    object(fill);
  }

  // Of the items of a list.
  void item(std::integral auto value) { comma(), out_.append_decimal(value); }
  template <typename Fill>
  void object(Fill fill) {
    open('{');
    fill(*this);
    out_.append('}');
  }
  template <typename Fill>
  void list(Fill fill) {
    open('[');
    fill(*this);
    out_.append(']');
  }

  // Of the entries of a map.
  void entry(std::string_view key, std::uint64_t value) { free_name(key), out_.append_decimal(value); }
  template <typename Fill>
  void entry_map(std::string_view key, Fill fill) {
    free_name(key);
    object(fill);
  }

 private:
  void comma() {
    const char last = out_.back();
    if (last != '{' && last != '[' && last != ':') out_.append(',');
  }

  void open(char bracket) {
    comma();
    out_.append(bracket);
  }

  // Inlined, so that the length of every literal name is a constant of the copy.
  [[gnu::always_inline]] void name(std::string_view key) {
    const char last = out_.back();
    if (last != '{' && last != '[') {
      out_.append(",\"");
    } else {
      out_.append('"');
    }
    out_.append(key);
    out_.append("\":");
  }

  void free_name(std::string_view key) {
    comma();
    append_json_string(out_, key);
    out_.append(':');
  }

  void word(std::string_view text) {
    out_.append('"');
    out_.append(text);
    out_.append('"');
  }

  void hex(Hex value) {
    out_.append('"');
    out_.append_hex(value.value, value.digits);
    out_.append('"');
  }

  Out& out_;
};

}  // namespace iwarp::fields
