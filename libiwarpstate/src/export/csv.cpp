// Records as CSV (RFC 4180).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <concepts>
#include <string>

#include <iwarp/export/writers.hpp>

#include "export/fields/record_fields.hpp"
#include "export/json_visitor.hpp"

namespace iwarp {

namespace {

using fields::Hex;
using fields::Key;
using fields::Null;
using fields::Word;

// The names of the columns.
class HeaderVisitor {
 public:
  explicit HeaderVisitor(TextBuffer& out) : out_(out) {}

  void field(Key key, const auto&) { column(key.name); }
  void text(Key key, const auto&) { column(key.name); }
  void list(Key key, const auto&) { column(key.name); }
  void map(Key key, const auto&) { column(key.name); }
  template <typename Fill>
  void object(Key key, Fill fill) {
    const std::size_t outer = path_.size();
    path_.append(key.name).append(".");
    fill(*this);
    path_.resize(outer);
  }

 private:
  void column(std::string_view name) {
    if (!first_) out_.append(',');
    first_ = false;
    out_.append(path_);
    out_.append(name);
  }

  TextBuffer& out_;
  std::string path_;
  bool first_ = true;
};

class ValueVisitor {
 public:
  static constexpr bool is_table = true;

  explicit ValueVisitor(TextBuffer& out) : out_(out) {}

  void field(Key, bool value) { comma(), out_.append(value ? std::string_view("true") : "false"); }
  void field(Key, std::integral auto value) { comma(), out_.append_decimal(value); }
  void field(Key, Hex value) { comma(), out_.append_hex(value.value, value.digits); }
  void field(Key, Word value) { comma(), plain_or_quoted(value.text); }
  void field(Key, Null) { comma(); }
  template <typename Make>
  void text(Key, Make make) {
    comma();
    plain_or_quoted(make());
  }
  template <typename Fill>
  void object(Key, Fill fill) {
    fill(*this);
  }
  template <typename Fill>
  void list(Key, Fill fill) {
    json('[', fill, ']');
  }
  template <typename Fill>
  void map(Key, Fill fill) {
    json('{', fill, '}');
  }

 private:
  void comma() {
    if (!first_) out_.append(',');
    first_ = false;
  }

  void plain_or_quoted(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
      out_.append(text);
    } else {
      quoted(text);
    }
  }

  void quoted(std::string_view text) {
    out_.append('"');
    for (const char octet : text) {
      if (octet == '"') out_.append('"');
      out_.append(octet);
    }
    out_.append('"');
  }

  template <typename Fill>
  void json(char opening, Fill fill, char closing) {
    comma();
    TextBuffer text;
    fields::JsonVisitor visitor(text);
    text.append(opening);
    fill(visitor);
    text.append(closing);
    quoted(text.view());
  }

  TextBuffer& out_;
  bool first_ = true;
};

}  // namespace

void write_csv_header(TextBuffer& out, RecordKind kind, bool with_capture, bool with_payload_hash,
                      bool with_parts) {
  Record record = fields::sample_record(kind);
  record.with_payload_hash = with_payload_hash;
  record.with_parts = with_parts;
  if (with_capture) record.capture = "capture";
  HeaderVisitor visitor(out);
  fields::describe_record(visitor, record);
  out.append("\r\n");
}

void write_csv(TextBuffer& out, const Record& record) {
  ValueVisitor visitor(out);
  fields::describe_record(visitor, record);
  out.append("\r\n");
}

}  // namespace iwarp
