// Records without content, to learn the fields of a kind from.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/fields/record_fields.hpp"

namespace iwarp::fields {

namespace {

struct Samples {
  ConnectionState connection;
  Summary summary;
  Delivery delivery;
  StagRecord stag;
  Stall stall;
  std::array<Event, record_kind_count> events;
  std::array<Record, record_kind_count> records;

  Samples() {
    for (unsigned kind = 0; kind < record_kind_count; ++kind) {
      Record& record = records[kind];
      record.kind = static_cast<RecordKind>(kind);
      record.connection = &connection;
      record.summary = &summary;
      record.delivery = &delivery;
      record.stag = &stag;
      record.stall = &stall;
      record.event = &events[kind];
    }
    set(RecordKind::fpdu, EventKind::fpdu).fpdu = FpduFact{};
    set(RecordKind::message, EventKind::message).message = MessageConclusion{};
    set(RecordKind::operation, EventKind::operation).operation = OperationConclusion{};
    set(RecordKind::finding, EventKind::finding).finding = Finding{};
  }

  Event& set(RecordKind record, EventKind kind) {
    Event& event = events[static_cast<unsigned>(record)];
    event.kind = kind;
    return event;
  }
};

}  // namespace

const Record& sample_record(RecordKind kind) {
  static const Samples samples;
  return samples.records[static_cast<unsigned>(kind)];
}

}  // namespace iwarp::fields
