// describe(): the fields of any record, the one description that all writers and filters read.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/export/record.hpp>

#include "export/fields/delivery_fields.hpp"
#include "export/fields/fpdu_fields.hpp"
#include "export/fields/message_fields.hpp"
#include "export/fields/operation_fields.hpp"
#include "export/fields/stag_fields.hpp"
#include "export/fields/stall_fields.hpp"
#include "export/fields/state_fields.hpp"
#include "export/fields/stream_fields.hpp"
#include "export/fields/summary_fields.hpp"

namespace iwarp::fields {

// REQUIRES: what the record's kind needs is set.
template <typename V>
void describe_record(V& visitor, const Record& record) {
  visitor.field("type", Word{record_type_name(record.kind)});
  if (!record.capture.empty()) visitor.text("capture", [&] { return record.capture; });
  if (record.kind != RecordKind::stag && record.kind != RecordKind::summary)
    visitor.field("stream", record.stream);
  switch (record.kind) {
    case RecordKind::stream: describe_stream(visitor, *record.connection, record.private_data); break;
    case RecordKind::fpdu: describe_fpdu(visitor, *record.event, *record.connection, record.slices); break;
    case RecordKind::message:
      describe_message(visitor, *record.event, record.from, record.refers_to);
      if (record.with_payload_hash) describe_payload_hash(visitor, record.payload_sha256);
      break;
    case RecordKind::operation:
      describe_operation(visitor, *record.event, record.from);
      if (record.with_parts) describe_parts(visitor, record.parts);
      break;
    case RecordKind::delivery: describe_delivery(visitor, *record.delivery); break;
    case RecordKind::stag: describe_stag(visitor, *record.stag); break;
    case RecordKind::stall: describe_stall(visitor, *record.stall); break;
    case RecordKind::finding: describe_finding(visitor, *record.event, record.from); break;
    case RecordKind::state: describe_state(visitor, *record.connection, record.frame); break;
    case RecordKind::summary: describe_summary(visitor, *record.summary); break;
  }
}

// Records without content: every field is there. For column names and field lists. Lives for ever.
[[nodiscard]] const Record& sample_record(RecordKind kind);

}  // namespace iwarp::fields
