// What a comparison is to leave out: "field:to", "field:payload@responder", "kind:fin", "class:extra",
// "role:responder", "close".
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <bitset>
#include <string>
#include <string_view>

#include "compare/stream_log.hpp"

namespace iwarp::replay {

enum class LogField : std::uint8_t {
  kind,
  size,
  msn,
  stag,
  to,
  source_stag,
  source_to,
  outcome,
  code,
  immediate,
  atomic,
  payload,
  startup,       // of the stream: how it ended, by the responder
  private_data,  // of a role's start-up frame
  count
};
[[nodiscard]] const char* log_field_name(LogField field) noexcept;  // "size" …

enum class DifferenceClass : std::uint8_t {
  missing,    // recorded, not live
  extra,      // live, not recorded
  different,  // in some fields
  reordered,  // in both, at other places
  terminate,  // a Terminate that only one has, or another one
  rst,
  timeout,      // missing because the run was given up
  undecidable,  // one of the captures may just lack it
  count
};
[[nodiscard]] const char* difference_class_name(DifferenceClass what) noexcept;  // "missing" …

class IgnoreRules {
 public:
  // Adds a rule. False: `error` names the rule and what there is.
  [[nodiscard]] bool add(std::string_view rule, std::string& error);

  // `of`: who made the request; of payload, whose octets it is (a Read's are its peer's).
  [[nodiscard]] bool ignores(LogField field, Role of) const noexcept {
    return fields_[static_cast<std::size_t>(of)].test(static_cast<std::size_t>(field));
  }
  [[nodiscard]] bool ignores(WorkKind kind) const noexcept {
    return kinds_.test(static_cast<std::size_t>(kind));
  }
  [[nodiscard]] bool ignores(DifferenceClass what) const noexcept {
    return classes_.test(static_cast<std::size_t>(what));
  }
  [[nodiscard]] bool ignores(Role role) const noexcept { return roles_.test(static_cast<std::size_t>(role)); }

 private:
  [[nodiscard]] bool add_field(std::string_view name, std::string_view& what, std::string& names);

  std::array<std::bitset<static_cast<std::size_t>(LogField::count)>, 2> fields_;  // by Role
  std::bitset<static_cast<std::size_t>(WorkKind::rst) + 1> kinds_;
  std::bitset<static_cast<std::size_t>(DifferenceClass::count)> classes_;
  std::bitset<2> roles_;
};

}  // namespace iwarp::replay
