// Filter::matches: takes the named fields of a record, then decides.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <charconv>
#include <concepts>
#include <cstring>
#include <optional>

#include <iwarp/export/text_buffer.hpp>

#include "export/fields/record_fields.hpp"
#include "export/filter/program.hpp"

namespace iwarp {

namespace filter {

namespace {

enum class ValueKind : std::uint8_t {
  absent,
  null,
  number,
  hex,
  boolean,
  text,
  list
};

struct Value {
  ValueKind kind = ValueKind::absent;
  Number number;          // of number, hex and boolean
  unsigned digits = 0;    // of hex
  std::string_view text;  // of text, valid while the record and `storage` are
  std::string storage;
};

using Values = std::array<Value, max_slots>;

class Collector {
 public:
  Collector(const std::vector<std::uint32_t>& slots, Values& values) : slots_(slots), values_(values) {}

  void field(fields::Key key, bool value) {
    set(key, [&](Value& slot) { slot.kind = ValueKind::boolean, slot.number.magnitude = value ? 1 : 0; });
  }
  void field(fields::Key key, std::unsigned_integral auto value) {
    set(key, [&](Value& slot) { slot.kind = ValueKind::number, slot.number = {false, value}; });
  }
  void field(fields::Key key, std::signed_integral auto value) {
    set(key, [&](Value& slot) {
      const auto octets = static_cast<std::uint64_t>(value);
      slot.kind = ValueKind::number;
      slot.number = {value < 0, value < 0 ? 0 - octets : octets};
    });
  }
  void field(fields::Key key, fields::Hex value) {
    set(key, [&](Value& slot) {
      slot.kind = ValueKind::hex;
      slot.number = {false, value.value};
      slot.digits = value.digits;
    });
  }
  void field(fields::Key key, fields::Word value) {
    set(key, [&](Value& slot) { slot.kind = ValueKind::text, slot.text = value.text; });
  }
  void field(fields::Key key, fields::Null) {
    set(key, [](Value& slot) { slot.kind = ValueKind::null; });
  }
  template <typename Make>
  void text(fields::Key key, Make make) {
    set(key, [&](Value& slot) {
      slot.kind = ValueKind::text;
      slot.storage = make();
      slot.text = slot.storage;
    });
  }
  template <typename Fill>
  void object(fields::Key key, Fill fill) {
    const std::uint32_t outer = object_;
    object_ = fields::hash_path(object_, key.hash);
    fill(*this);
    object_ = outer;
  }
  void list(fields::Key key, const auto&) { map(key, 0); }
  void map(fields::Key key, const auto&) {
    set(key, [](Value& slot) { slot.kind = ValueKind::list; });
  }

 private:
  template <typename Fill>
  void set(fields::Key key, Fill fill) {
    const std::uint32_t hash = fields::hash_path(object_, key.hash);
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot] == hash) fill(values_[slot]);
    }
  }

  const std::vector<std::uint32_t>& slots_;
  Values& values_;
  std::uint32_t object_ = 0;
};

// Severities compare by rank, other words by letters.
int compare_words(std::string_view a, std::string_view b) noexcept {
  const auto rank = [](std::string_view word) -> std::optional<int> {
    for (int level = 0; level < 4; ++level) {
      if (word == severity_name(static_cast<Severity>(level))) return level;
    }
    return std::nullopt;
  };
  const auto rank_a = rank(a);
  const auto rank_b = rank(b);
  return rank_a && rank_b ? *rank_a - *rank_b : a.compare(b);
}

bool holds(Comparison comparison, int order) noexcept {
  switch (comparison) {
    case Comparison::equal: return order == 0;
    case Comparison::unequal: return order != 0;
    case Comparison::less: return order < 0;
    case Comparison::less_equal: return order <= 0;
    case Comparison::greater: return order > 0;
    case Comparison::greater_equal: return order >= 0;
    case Comparison::match:
    case Comparison::no_match: break;
  }
  return false;
}

// What a regular expression is matched against: the value as it is written in records.
std::string written(const Value& value) {
  switch (value.kind) {
    case ValueKind::boolean: return value.number.magnitude != 0 ? "true" : "false";
    case ValueKind::hex: {
      TextBuffer text;
      text.append_hex(value.number.magnitude, value.digits);
      return std::string(text.view());
    }
    case ValueKind::number:
      return (value.number.negative ? "-" : "") + std::to_string(value.number.magnitude);
    default: return std::string(value.text);
  }
}

bool compare_value(const Value& value, Comparison comparison, const Literal& literal) {
  if (value.kind == ValueKind::absent) return false;
  if (literal.null && !literal.regex) {
    const bool null = value.kind == ValueKind::null;
    return comparison == Comparison::equal ? null : comparison == Comparison::unequal && !null;
  }
  if (value.kind == ValueKind::null || value.kind == ValueKind::list) return false;
  if (literal.regex) {
    const bool found = ::regexec(literal.regex.get(), written(value).c_str(), 0, nullptr, 0) == 0;
    return found == (comparison == Comparison::match);
  }
  switch (value.kind) {
    case ValueKind::text: return holds(comparison, compare_words(value.text, literal.text));
    case ValueKind::boolean: {
      const bool same = literal.text == (value.number.magnitude != 0 ? "true" : "false");
      return comparison == Comparison::equal ? same : comparison == Comparison::unequal && !same;
    }
    default:
      if (!literal.number) return comparison == Comparison::unequal;
      return holds(comparison, compare(value.number, *literal.number));
  }
}

bool present(const Value& value) noexcept {
  if (value.kind == ValueKind::absent || value.kind == ValueKind::null) return false;
  return value.kind != ValueKind::boolean || value.number.magnitude != 0;
}

}  // namespace

}  // namespace filter

namespace {

template <typename Program>
bool decide(const Program& program, std::size_t place, const filter::Values& values) {
  using filter::NodeKind;
  const filter::Node& node = program.nodes[place];
  switch (node.kind) {
    case NodeKind::both: return decide(program, node.left, values) && decide(program, node.right, values);
    case NodeKind::either: return decide(program, node.left, values) || decide(program, node.right, values);
    case NodeKind::negation: return !decide(program, node.left, values);
    case NodeKind::presence: return filter::present(values[node.slot]);
    case NodeKind::comparison:
      return filter::compare_value(values[node.slot], node.comparison, program.literals[node.right]);
  }
  return false;
}

}  // namespace

bool Filter::touches(RecordKind kind) const noexcept {
  return program_->touched[static_cast<unsigned>(kind)];
}

bool Filter::matches(const Record& record) const {
  if (!touches(record.kind)) return true;
  filter::Values values;
  filter::Collector collector(program_->slots, values);
  fields::describe_record(collector, record);
  return decide(*program_, program_->root, values);
}

}  // namespace iwarp
