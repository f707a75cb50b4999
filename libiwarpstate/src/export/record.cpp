// Records of events, and their names.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/export/record.hpp>

#include <iterator>

namespace iwarp {

namespace {

constexpr const char* type_names[] = {"stream",  "fpdu",  "message", "operation",
                                      "finding", "state", "summary"};
constexpr const char* kind_names[] = {"streams",  "fpdus",  "messages", "operations",
                                      "findings", "states", "summary"};
static_assert(std::size(type_names) == record_kind_count && std::size(kind_names) == record_kind_count);

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

const char* record_type_name(RecordKind kind) noexcept {
  return type_names[static_cast<unsigned>(kind)];
}

const char* record_kind_name(RecordKind kind) noexcept {
  return kind_names[static_cast<unsigned>(kind)];
}

std::optional<RecordKind> find_record_kind(std::string_view name) noexcept {
  for (unsigned kind = 0; kind < record_kind_count; ++kind) {
    if (name == kind_names[kind]) return static_cast<RecordKind>(kind);
  }
  return std::nullopt;
}

std::optional<Record> record_of(const Analysis& analysis, const Event& event) noexcept {
  const auto kind = kind_of(event.kind);
  if (!kind) return std::nullopt;
  const ConnectionState* const connection = analysis.connection(event.connection);
  if (connection == nullptr || (*kind == RecordKind::stream && !connection->iwarp)) return std::nullopt;
  Record record;
  record.kind = *kind;
  record.connection = connection;
  record.event = &event;
  if (*kind == RecordKind::fpdu) record.slices = analysis.slices(event);
  if (*kind == RecordKind::stream) {
    for (unsigned frame = 0; frame < 2; ++frame) {
      const auto& startup = connection->mpa.frames[frame];
      if (startup) record.private_data[frame] = analysis.private_data(*startup);
    }
  }
  return record;
}

Record state_record(const ConnectionState& connection, FrameNumber frame) noexcept {
  Record record;
  record.kind = RecordKind::state;
  record.connection = &connection;
  record.frame = frame;
  return record;
}

Record summary_record(const Summary& summary) noexcept {
  Record record;
  record.kind = RecordKind::summary;
  record.summary = &summary;
  return record;
}

}  // namespace iwarp
