// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/ignore.hpp"

#include <iwarp/export/names.hpp>

namespace iwarp::replay {
namespace {

// Sets the bit of `name` among `names`; false and a list of them where it is not among them.
template <typename Bits, typename Name>
bool set_by_name(Bits& bits, std::string_view name, Name name_of, std::string& names) {
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const std::string_view each = name_of(i);
    if (each == name) {
      bits.set(i);
      return true;
    }
    names += (i == 0 ? "" : ", ") + std::string(each);
  }
  return false;
}

}  // namespace

const char* log_field_name(LogField field) noexcept {
  switch (field) {
    case LogField::kind: return "kind";
    case LogField::size: return "size";
    case LogField::msn: return "msn";
    case LogField::stag: return "stag";
    case LogField::to: return "to";
    case LogField::source_stag: return "source_stag";
    case LogField::source_to: return "source_to";
    case LogField::outcome: return "outcome";
    case LogField::code: return "code";
    case LogField::immediate: return "immediate";
    case LogField::atomic: return "atomic";
    case LogField::payload: return "payload";
    case LogField::startup: return "startup";
    case LogField::private_data: return "private_data";
    case LogField::count: break;
  }
  return "unknown";
}

const char* difference_class_name(DifferenceClass what) noexcept {
  switch (what) {
    case DifferenceClass::missing: return "missing";
    case DifferenceClass::extra: return "extra";
    case DifferenceClass::different: return "different";
    case DifferenceClass::reordered: return "reordered";
    case DifferenceClass::terminate: return "terminate";
    case DifferenceClass::rst: return "rst";
    case DifferenceClass::timeout: return "timeout";
    case DifferenceClass::undecidable: return "undecidable";
    case DifferenceClass::count: break;
  }
  return "unknown";
}

// A field of both roles' requests, or behind an @ of one role's alone.
bool IgnoreRules::add_field(std::string_view name, std::string_view& what, std::string& names) {
  const std::size_t at = name.find('@');
  std::bitset<static_cast<std::size_t>(LogField::count)> fields;
  if (!set_by_name(
          fields, name.substr(0, at), [](std::size_t i) { return log_field_name(static_cast<LogField>(i)); },
          names))
    return false;
  std::bitset<2> roles(3);
  names.clear();
  if (at != std::string_view::npos) {
    roles.reset();
    what = "role";
    const bool known = set_by_name(
        roles, name.substr(at + 1), [](std::size_t i) { return role_name(static_cast<Role>(i)); }, names);
    if (!known) return false;
  }
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles.test(i)) fields_[i] |= fields;
  }
  return true;
}

bool IgnoreRules::add(std::string_view rule, std::string& error) {
  if (rule == "close") {
    kinds_.set(static_cast<std::size_t>(WorkKind::fin));
    kinds_.set(static_cast<std::size_t>(WorkKind::rst));
    return true;
  }
  const std::size_t colon = rule.find(':');
  std::string_view what = rule.substr(0, colon);  // in the end: what the name is one of
  const std::string_view name = colon == std::string_view::npos ? std::string_view() : rule.substr(colon + 1);
  std::string names;
  bool known = false;
  if (what == "field") {
    known = add_field(name, what, names);
  } else if (what == "kind") {
    known = set_by_name(
        kinds_, name, [](std::size_t i) { return work_kind_name(static_cast<WorkKind>(i)); }, names);
  } else if (what == "class") {
    known = set_by_name(
        classes_, name, [](std::size_t i) { return difference_class_name(static_cast<DifferenceClass>(i)); },
        names);
  } else if (what == "role") {
    known = set_by_name(
        roles_, name, [](std::size_t i) { return role_name(static_cast<Role>(i)); }, names);
  } else {
    error = "'" + std::string(rule) + "' is no rule: field:…[@ROLE], kind:…, class:…, role:… or close";
    return false;
  }
  if (!known) error = "'" + std::string(rule) + "' is no rule: " + std::string(what) + " is one of " + names;
  return known;
}

}  // namespace iwarp::replay
