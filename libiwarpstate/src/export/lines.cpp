// Records as lines of key=value, for a terminal and for grep.
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

// The first field, the record's type, stands alone; objects become paths; lists JSON text.
class LineVisitor {
 public:
  explicit LineVisitor(TextBuffer& out) : out_(out) {}

  void field(Key key, bool value) { name(key), out_.append(value ? std::string_view("yes") : "no"); }
  void field(Key key, std::integral auto value) { name(key), out_.append_decimal(value); }
  void field(Key key, Hex value) { name(key), out_.append_hex(value.value, value.digits); }
  void field(Key key, Word value) {
    if (first_) {
      first_ = false;
      out_.append(value.text);
    } else {
      name(key), words(value.text);
    }
  }
  void field(Key, Null) {}
  template <typename Make>
  void text(Key key, Make make) {
    name(key);
    words(make());
  }
  template <typename Fill>
  void object(Key key, Fill fill) {
    const std::size_t outer = path_.size();
    path_.append(key.name).append(".");
    fill(*this);
    path_.resize(outer);
  }
  template <typename Fill>
  void list(Key key, Fill fill) {
    name(key);
    fields::JsonVisitor visitor(out_);
    out_.append('[');
    fill(visitor);
    out_.append(']');
  }
  template <typename Fill>
  void map(Key key, Fill fill) {
    name(key);
    fields::JsonVisitor visitor(out_);
    out_.append('{');
    fill(visitor);
    out_.append('}');
  }

 private:
  void name(Key key) {
    out_.append(' ');
    out_.append(path_);
    out_.append(key.name);
    out_.append('=');
  }

  void words(std::string_view text) {
    const bool plain = !text.empty() && text.find_first_of(" \"\\") == std::string_view::npos;
    if (plain) {
      out_.append(text);
    } else {
      fields::append_json_string(out_, text);
    }
  }

  TextBuffer& out_;
  std::string path_;
  bool first_ = true;
};

}  // namespace

void write_line(TextBuffer& out, const Record& record) {
  LineVisitor visitor(out);
  fields::describe_record(visitor, record);
  out.append('\n');
}

}  // namespace iwarp
