// JsonVisitor: writes the fields of a record as JSON.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <utility>

#include <iwarp/export/text_buffer.hpp>

#include "export/fields/field.hpp"

namespace iwarp::fields {

// Length of the UTF-8 character at the start of `text` (RFC 3629), 0 when there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

void append_json_string(TextBuffer& out, std::string_view text);

// Records have dozens of fields, most of them null: so a field is written in one go, and inlined, so that the
// length of its literal name is a constant of the copy.
class JsonVisitor {
 public:
  explicit JsonVisitor(TextBuffer& out) : out_(out) {}

  [[gnu::always_inline]] void field(Key key, bool value) { value ? put(key, "true") : put(key, "false"); }
  [[gnu::always_inline]] void field(Key key, std::integral auto value) {
    char* const at = begin(key, max_digits);
    out_.end_at(std::to_chars(at, at + max_digits, value).ptr);
  }
  [[gnu::always_inline]] void field(Key key, Hex value) {
    char* at = begin(key, max_digits);
    *at++ = '"';
    at = write_hex(at, value.value, value.digits);
    *at++ = '"';
    out_.end_at(at);
  }
  [[gnu::always_inline]] void field(Key key, Word value) {
    char* at = begin(key, value.text.size() + 2);
    *at++ = '"';
    at = std::copy(value.text.begin(), value.text.end(), at);
    *at++ = '"';
    out_.end_at(at);
  }
  [[gnu::always_inline]] void field(Key key, Null) { put(key, "null"); }

  void null_object(Key key) { field(key, Null{}); }
  template <typename Make>
  void text(Key key, Make make) {
    name(key);
    append_json_string(out_, make());
  }

  template <typename Fill>
  void object(Key key, Fill fill) {
    name(key);
    within('{', fill, '}');
  }
  template <typename Fill>
  void list(Key key, Fill fill) {
    name(key);
    within('[', fill, ']');
  }
  template <typename Fill>
  void map(Key key, Fill fill) {
    object(key, fill);
  }

  // Of the items of a list.
  void item(std::integral auto value) { comma(), out_.append_decimal(value); }
  template <typename Fill>
  void object(Fill fill) {
    comma();
    within('{', fill, '}');
  }
  template <typename Fill>
  void list(Fill fill) {
    comma();
    within('[', fill, ']');
  }

  // Of the entries of a map.
  void entry(std::string_view key, std::uint64_t value) { free_name(key), out_.append_decimal(value); }
  template <typename Fill>
  void entry_map(std::string_view key, Fill fill) {
    free_name(key);
    within('{', fill, '}');
  }

 private:
  static constexpr std::size_t max_digits = 24;  // of any number, with a sign, or "0x" and quotes

  void comma() {
    if (!std::exchange(first_, false)) out_.append(',');
  }

  template <typename Fill>
  void within(char opening, Fill& fill, char closing) {
    out_.append(opening);
    first_ = true;
    fill(*this);
    out_.append(closing);
    first_ = false;
  }

  // Writes the field's name; returns where `size` octets of its value can be written.
  [[nodiscard, gnu::always_inline]] char* begin(Key key, std::size_t size) {
    char* at = out_.room(key.name.size() + 4 + size);
    *at = ',';
    at += std::exchange(first_, false) ? 0 : 1;
    *at++ = '"';
    std::memcpy(at, key.name.data(), key.name.size());
    at += key.name.size();
    *at++ = '"';
    *at++ = ':';
    return at;
  }
  template <std::size_t N>
  [[gnu::always_inline]] void put(Key key, const char (&literal)[N]) {
    char* const at = begin(key, N - 1);
    std::memcpy(at, literal, N - 1);
    out_.end_at(at + N - 1);
  }
  void name(Key key) { out_.end_at(begin(key, 0)); }

  void free_name(std::string_view key) {
    comma();
    append_json_string(out_, key);
    out_.append(':');
  }

  TextBuffer& out_;
  bool first_ = true;  // nothing stands before what comes next, in its object or list
};

}  // namespace iwarp::fields
