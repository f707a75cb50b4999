// The records that events bring.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/export/record.hpp>

namespace iwarp {

namespace {

std::optional<RecordKind> kind_of(EventKind event) noexcept {
  switch (event) {
    case EventKind::fpdu: return RecordKind::fpdu;
    case EventKind::message: return RecordKind::message;
    case EventKind::operation: return RecordKind::operation;
    case EventKind::finding: return RecordKind::finding;
    case EventKind::closed: return RecordKind::stream;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Record> record_of(const Analysis& analysis, const Event& event) noexcept {
  const auto kind = kind_of(event.kind);
  if (!kind) return std::nullopt;
  const ConnectionState* const connection = analysis.connection(event.connection);
  if (connection == nullptr || (*kind == RecordKind::stream && !connection->iwarp)) return std::nullopt;
  if (*kind == RecordKind::stream) return stream_record(analysis, *connection);
  Record record;
  record.kind = *kind;
  record.stream = event.connection;
  record.connection = connection;
  record.event = &event;
  record.from = connection->role_of(event.side);
  if (*kind == RecordKind::message) record.refers_to = connection->referred_frame(event);
  if (*kind == RecordKind::fpdu) record.slices = analysis.slices(event);
  return record;
}

Record stream_record(const Analysis& analysis, const ConnectionState& connection) noexcept {
  Record record;
  record.kind = RecordKind::stream;
  record.stream = connection.id;
  record.connection = &connection;
  for (unsigned frame = 0; frame < 2; ++frame) {
    const auto& startup = connection.mpa.frames[frame];
    if (startup) record.private_data[frame] = analysis.private_data(connection.id, *startup);
  }
  return record;
}

}  // namespace iwarp
