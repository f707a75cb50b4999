// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/selection.hpp"

namespace iwarp::gui {
namespace {

std::optional<FrameNumber> known(FrameNumber frame) {
  return frame == 0 ? std::nullopt : std::optional(frame);
}

}  // namespace

Selection select_stream(const Metrics& metrics, std::size_t row) {
  Selection selection;
  selection.stream = metrics.streams().connection(row);
  return selection;
}

Selection select_operation(const Metrics& metrics, std::size_t row) {
  const OperationTable& table = metrics.operations();
  const OperationConclusion operation = table.event(row).operation;
  Selection selection;
  selection.stream = table.connection(row);
  selection.operation = static_cast<std::uint32_t>(row);
  selection.frame = known(operation.request.frame != 0 ? operation.request.frame : operation.response.frame);
  selection.time = table.time_ns(row);
  return selection;
}

Selection select_message(const Metrics& metrics, std::size_t row) {
  const MessageTable& table = metrics.messages();
  Selection selection;
  selection.stream = table.connection(row);
  selection.message = static_cast<std::uint32_t>(row);
  selection.frame = known(table.event(row).message.placed.frame);
  selection.time = table.time_ns(row);
  return selection;
}

Selection select_finding(const Metrics& metrics, std::size_t row) {
  const FindingTable& table = metrics.findings();
  const Finding& finding = table.finding(row);
  Selection selection;
  selection.stream = table.connection(row);
  selection.finding = static_cast<std::uint32_t>(row);
  if (finding.evidence_count > 0) selection.frame = known(finding.evidence[0]);
  selection.time = finding.time_ns;
  return selection;
}

}  // namespace iwarp::gui
