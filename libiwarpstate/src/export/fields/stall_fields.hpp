// The fields of `stall` records.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/diagnosis.hpp>

#include "export/fields/common_fields.hpp"

namespace iwarp::fields {

template <typename V>
void describe_stall(V& visitor, const Stall& stall) {
  visitor.field("from", Word{role_name(stall.from)});
  visitor.field("cause", Word{stall_cause_name(stall.cause)});
  visitor.field("basis", Word{basis_name(stall.basis)});
  visitor.field("frame", stall.begin.frame);
  visitor.field("begin_ns", stall.begin.time_ns);
  visitor.field("end_frame", stall.end.frame);
  visitor.field("end_ns", stall.end.time_ns);
  visitor.field("stalled_ns", stall.ns);
  visitor.field("operations", stall.operations);
}

}  // namespace iwarp::fields
