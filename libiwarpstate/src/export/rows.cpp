// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/export/rows.hpp>

namespace iwarp {
namespace {

template <typename Table>
Record record_of_row(RecordKind kind, const Table& table, std::size_t row, Event& event) noexcept {
  event = table.event(row);
  Record record;
  record.kind = kind;
  record.stream = event.connection;
  record.event = &event;
  record.from = table.from(row);
  return record;
}

}  // namespace

Record record_of(const MessageTable& table, std::size_t row, Event& event) noexcept {
  Record record = record_of_row(RecordKind::message, table, row, event);
  record.refers_to = table.refers_to(row);
  return record;
}

Record record_of(const OperationTable& table, std::size_t row, Event& event) noexcept {
  return record_of_row(RecordKind::operation, table, row, event);
}

Record record_of(const FindingTable& table, std::size_t row, Event& event) noexcept {
  return record_of_row(RecordKind::finding, table, row, event);
}

}  // namespace iwarp
