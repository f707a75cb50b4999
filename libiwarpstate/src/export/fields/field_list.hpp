// The names of all fields of a record kind, read from the descriptions of records themselves.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <iwarp/export/record.hpp>

namespace iwarp::fields {

struct FieldInfo {
  std::string path;    // "mpa.ird.initiator.offered"
  std::uint32_t hash;  // hash_path() of it
  bool scalar;         // no list, no counts by free keys
};

// In the order of the record. `capture` is among them.
[[nodiscard]] const std::vector<FieldInfo>& field_list(RecordKind kind);

}  // namespace iwarp::fields
