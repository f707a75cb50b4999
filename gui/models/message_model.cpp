// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/message_model.hpp"

#include <iwarp/export/names.hpp>
#include <iwarp/export/rows.hpp>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

Record message_record(const Log& log, std::uint32_t row, Event& event) {
  return iwarp::record_of(log.metrics.messages(), row, event);
}

// Where it went: STag and TO, or queue and MSN.
QString place_text(const MessageConclusion& message) {
  if (message.tagged) {
    return QString::fromStdString("STag " + hex_text(message.stag, 8) + "  TO " + hex_text(message.to, 16));
  }
  return QStringLiteral("QN %1  MSN %2").arg(message.queue).arg(message.msn);
}

std::uint64_t message_key_of(const Metrics& metrics, const Levels&, std::uint32_t row, int column) {
  const MessageTable& table = metrics.messages();
  const auto message = [&] { return table.event(row).message; };
  switch (column) {
    case MessageModel::stream: return table.connection(row);
    case MessageModel::opcode: return static_cast<std::uint64_t>(table.opcode(row));
    case MessageModel::from: return static_cast<std::uint64_t>(table.from(row));
    case MessageModel::time: return static_cast<std::uint64_t>(table.time_ns(row)) ^ std::uint64_t{1} << 63U;
    case MessageModel::length: return table.length(row);
    case MessageModel::segments: return message().segments;
    case MessageModel::where: {
      const MessageConclusion of = message();
      return std::uint64_t{of.tagged} << 62U | std::uint64_t{of.tagged ? of.stag : of.queue} << 30U |
             (of.tagged ? of.to >> 34U : of.msn >> 2U);
    }
    case MessageModel::status: return static_cast<std::uint64_t>(message().end);
    case MessageModel::frame: return message().placed.frame;
    default: return row;
  }
}

}  // namespace

MessageModel::MessageModel(Workspace& workspace, QObject* parent)
    : TableModel(
          workspace,
          {{"stream", "Stream", "Number of the TCP connection, as Wireshark's tcp.stream counts", 7, true},
           {"opcode", "Message", "Its RDMAP opcode", 20, false},
           {"from", "From", "Who sent it", 10, false},
           {"time_ns", "Time", "Seconds from the first frame of the capture to its last octet", 12, true},
           {"length", "Length", "Octets behind its DDP headers that were seen", 9, true},
           {"segments", "Segments", "DDP segments that were seen", 9, true},
           {"", "Where", "Tagged: STag and TO of its first segment; untagged: queue number and MSN", 42,
            false},
           {"frame", "Frame", "Frame of its last octet", 9, true},
           {"complete", "Status", "Whether all of it was seen", 11, false}},
          parent) {
  begin();
}

TableModel::RecordOf MessageModel::record_of() const noexcept {
  return message_record;
}

SortKey MessageModel::sort_key() const noexcept {
  return message_key_of;
}

Selection MessageModel::selection_of(std::uint32_t row) const {
  return select_message(workspace().document().metrics(), row);
}

QString MessageModel::text(std::uint32_t row, int column) const {
  const MessageConclusion message = table().event(row).message;
  switch (column) {
    case stream: return QString::number(table().connection(row));
    case opcode: return QString::fromLatin1(wire::opcode_title(message.opcode));
    case from: return QString::fromLatin1(role_name(table().from(row)));
    case time: return time_text(table().time_ns(row));
    case length: return QString::fromStdString(octets_text(message.length));
    case segments: return QString::fromStdString(count_text(message.segments));
    case where: return place_text(message);
    case status:
      switch (message.end) {
        case MessageEnd::complete: return QStringLiteral("complete");
        case MessageEnd::incomplete: return QStringLiteral("incomplete");
        case MessageEnd::unknown: return QStringLiteral("unknown");
      }
      return {};
    case frame: return QString::number(message.placed.frame);
    default: return {};
  }
}

}  // namespace iwarp::gui
