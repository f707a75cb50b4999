// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/operation_model.hpp"

#include <iwarp/export/names.hpp>
#include <iwarp/export/rows.hpp>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

Record operation_record(const Log& log, std::uint32_t row, Event& event) {
  return iwarp::record_of(log.metrics.operations(), row, event);
}

std::uint64_t operation_key_of(const Metrics& metrics, const Levels&, std::uint32_t row, int column) {
  const OperationTable& table = metrics.operations();
  switch (column) {
    case OperationModel::stream: return table.connection(row);
    case OperationModel::kind: return static_cast<std::uint64_t>(table.kind(row));
    case OperationModel::requester: return static_cast<std::uint64_t>(table.from(row));
    case OperationModel::time:
      return static_cast<std::uint64_t>(table.time_ns(row)) ^ std::uint64_t{1} << 63U;
    case OperationModel::latency: {
      const TimeNs ns = table.latency_ns(row);
      return ns == OperationTable::unknown ? unknown_key : static_cast<std::uint64_t>(ns);
    }
    case OperationModel::length: return table.length(row);
    case OperationModel::outstanding:
      return table.outstanding(row) == 0 ? unknown_key : table.outstanding(row);
    case OperationModel::status: return static_cast<std::uint64_t>(table.status(row));
    case OperationModel::request_frame: {
      const FrameNumber number = table.event(row).operation.request.frame;
      return number == 0 ? unknown_key : number;
    }
    case OperationModel::response_frame: {
      const FrameNumber number = table.event(row).operation.response.frame;
      return number == 0 ? unknown_key : number;
    }
    default: return row;
  }
}

}  // namespace

OperationModel::OperationModel(Workspace& workspace, QObject* parent)
    : TableModel(
          workspace,
          {{"stream", "Stream", "Number of the TCP connection, as Wireshark's tcp.stream counts", 7, true},
           {"op", "Operation", "What was asked for", 10, false},
           {"requester", "From", "Who asked for it", 10, false},
           {"time_ns", "Time", "Seconds from the first frame of the capture to the request", 12, true},
           {"latency_ns", "Latency", "From the request to its response's last octet", 9, true},
           {"length", "Length", "Octets transferred, or asked for", 9, true},
           {"outstanding", "Outstanding", "Requests under way when this one was issued, itself included", 11,
            true},
           {"request_frame", "Request", "Frame of the request's last octet", 9, true},
           {"response_frame", "Response", "Frame of the response's last octet", 9, true},
           {"status", "Status", "How it ended", 12, false}},
          parent) {
  begin();
}

TableModel::RecordOf OperationModel::record_of() const noexcept {
  return operation_record;
}

SortKey OperationModel::sort_key() const noexcept {
  return operation_key_of;
}

Selection OperationModel::selection_of(std::uint32_t row) const {
  return select_operation(workspace().document().metrics(), row);
}

QString OperationModel::text(std::uint32_t row, int column) const {
  const auto frame = [](FrameNumber number) {
    return number == 0 ? QStringLiteral("–") : QString::number(number);
  };
  switch (column) {
    case stream: return QString::number(table().connection(row));
    case kind: return QString::fromLatin1(operation_kind_name(table().kind(row)));
    case requester: return QString::fromLatin1(role_name(table().from(row)));
    case time: return time_text(table().time_ns(row));
    case latency: {
      const TimeNs ns = table().latency_ns(row);
      return ns == OperationTable::unknown ? QStringLiteral("–") : QString::fromStdString(duration_text(ns));
    }
    case length: {
      const auto octets = table().event(row).operation.known_length();
      return octets ? QString::fromStdString(octets_text(*octets)) : QStringLiteral("–");
    }
    case outstanding: {
      const std::uint32_t count = table().outstanding(row);
      return count == 0 ? QStringLiteral("–") : QString::number(count);
    }
    case status: return QString::fromLatin1(operation_status_name(table().status(row)));
    case request_frame: return frame(table().event(row).operation.request.frame);
    case response_frame: return frame(table().event(row).operation.response.frame);
    default: return {};
  }
}

}  // namespace iwarp::gui
