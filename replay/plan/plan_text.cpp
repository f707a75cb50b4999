// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/plan_text.hpp"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <vector>

#include "plan/plan_proto.hpp"

namespace iwarp::replay {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::TextFormat;

constexpr const char* title =
    "# A replay plan: the work requests behind a capture. docs/replay-plan.md explains it.\n"
    "# proto-file: plan.proto\n# proto-message: iwarp.replay.proto.Plan\n";

std::string hexadecimal(std::uint64_t value, int digits) {
  std::string text = "0x";
  for (int i = digits - 1; i >= 0; --i) text += "0123456789abcdef"[value >> (4 * i) & 0xfU];
  return text;
}

// Numbers of fixed size are those that people read in hexadecimal.
bool print_number(const Message& message, const FieldDescriptor& field, std::string& out) {
  const Reflection& reflection = *message.GetReflection();
  if (field.is_repeated()) return false;
  if (field.type() == FieldDescriptor::TYPE_FIXED32) {
    out += hexadecimal(reflection.GetUInt32(message, &field), 8);
  } else if (field.type() == FieldDescriptor::TYPE_FIXED64) {
    out += hexadecimal(reflection.GetUInt64(message, &field), 16);
  } else {
    return false;
  }
  return true;
}

class Printer {
 public:
  std::string out = title;

  // Fields of `message`, each on lines of its own.
  void print_block(const Message& message, const std::string& indent) {
    for (const FieldDescriptor* field : fields_of(message)) {
      const int count = field->is_repeated() ? message.GetReflection()->FieldSize(message, field) : 1;
      for (int i = 0; i < count; ++i) {
        const int at = field->is_repeated() ? i : -1;
        out += indent;
        const Message* inner = inner_message(message, *field, at);
        if (inner != nullptr && is_block(*inner->GetDescriptor())) {
          out += field->name() + " {\n";
          print_block(*inner, indent + "  ");
          out += indent + "}";
        } else {
          print_field(message, *field, at);
        }
        out += '\n';
      }
    }
  }

 private:
  // What is too long for a line.
  static bool is_block(const Descriptor& descriptor) {
    static const std::string names[] = {"Host", "Stream", "End", "Payloads"};
    for (const std::string& name : names) {
      if (descriptor.name() == name) return true;
    }
    return false;
  }

  static std::vector<const FieldDescriptor*> fields_of(const Message& message) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    return fields;
  }

  static const Message* inner_message(const Message& message, const FieldDescriptor& field, int at) {
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return nullptr;
    const Reflection& reflection = *message.GetReflection();
    return at < 0 ? &reflection.GetMessage(message, &field)
                  : &reflection.GetRepeatedMessage(message, &field, at);
  }

  // "name: value" or "name { … }".
  void print_field(const Message& message, const FieldDescriptor& field, int at) {
    out += field.name();
    if (const Message* inner = inner_message(message, field, at)) {
      out += " {";
      if (const auto* octets = dynamic_cast<const proto::Octets*>(inner)) {
        const std::string& raw = octets->raw();
        out += " hex: \"" + hex_of({reinterpret_cast<const Byte*>(raw.data()), raw.size()}) + '"';
      } else {
        for (const FieldDescriptor* each : fields_of(*inner)) {
          const int count = each->is_repeated() ? inner->GetReflection()->FieldSize(*inner, each) : 1;
          for (int i = 0; i < count; ++i) {
            out += ' ';
            print_field(*inner, *each, each->is_repeated() ? i : -1);
          }
        }
      }
      out += " }";
      return;
    }
    out += ": ";
    if (print_number(message, field, out)) return;
    std::string value;
    TextFormat::PrintFieldValueToString(message, &field, at, &value);
    out += value;
  }
};

// Keeps the first error with its place.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  std::string text;
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (!text.empty()) return;
    text = "line " + std::to_string(line + 1) + ", column " + std::to_string(column + 1) + ": " + message;
  }
  void AddWarning(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

}  // namespace

std::string print_text(const proto::Plan& plan) {
  Printer printer;
  printer.print_block(plan, "");
  return std::move(printer.out);
}

bool parse_text(std::string_view text, proto::Plan& plan, std::string& error) {
  FirstError first;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&first);
  parser.SetRecursionLimit(16);
  if (parser.ParseFromString(std::string(text), &plan)) return true;
  error = first.text.empty() ? "this is no text of a plan" : first.text;
  return false;
}

}  // namespace iwarp::replay
