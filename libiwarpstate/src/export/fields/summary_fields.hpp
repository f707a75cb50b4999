// The fields of a `summary` record.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/export/summary.hpp>

#include "export/fields/common_fields.hpp"

namespace iwarp::fields {

template <typename V>
void describe_summary(V& visitor, const Summary& summary) {
  visitor.field("frames", summary.frames);
  visitor.field("octets", summary.octets);
  visitor.field("streams", summary.streams);
  describe_counts(visitor, "messages", summary.messages);
  visitor.object("findings", [&](V& object) {
    static constexpr Key names[] = {"info", "note", "warning", "error"};
    for (std::size_t level = std::size(names); level-- > 0;)
      object.field(names[level], summary.findings[level]);
  });
  visitor.map("undecidable", [&](auto& entries) {
    for (const auto& check : summary.undecidable) {
      entries.entry_map(check_info(check.first).id, [&reasons = check.second](auto& counts) {
        for (std::size_t reason = 0; reason < reasons.size(); ++reason) {
          if (reasons[reason] != 0) counts.entry(reason_name(static_cast<Reason>(reason)), reasons[reason]);
        }
      });
    }
  });
  visitor.map("skipped", [&](auto& entries) {
    for (const auto& [reason, count] : summary.skipped) entries.entry(reason, count);
    if (summary.other_streams != 0) entries.entry("TCP streams without iWARP", summary.other_streams);
    if (summary.let_go_streams != 0) {
      entries.entry("TCP streams without iWARP, let go before they ended", summary.let_go_streams);
    }
  });
  put_if(visitor, "first_time_ns", summary.timed, summary.first_time_ns);
  put_if(visitor, "elapsed_ns", summary.timed, summary.last_time_ns - summary.first_time_ns);
}

}  // namespace iwarp::fields
