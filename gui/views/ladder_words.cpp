// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/ladder_words.hpp"

#include <algorithm>
#include <optional>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

// "67.7 ms", or "67.7 ms to 122 ms" of several; empty where none is known.
QString latency_words(const Flow& flow, const OperationTable& operations, PlaceRange run) {
  constexpr std::size_t most_asked = 128;  // a label each: what a picture costs stays that of its rows
  if (run.size() > most_asked) return {};
  std::optional<TimeNs> least, most;
  for (std::size_t place = run.begin; place < run.end; ++place) {
    const std::uint32_t operation = flow.messages[place].operation;
    if (operation == FlowMessage::none) continue;
    const TimeNs latency = operations.latency_ns(operation);
    if (latency == OperationTable::unknown) continue;
    least = std::min(least.value_or(latency), latency);
    most = std::max(most.value_or(latency), latency);
  }
  if (!least) return {};
  const QString from = QString::fromStdString(duration_text(*least));
  const QString upto = QString::fromStdString(duration_text(*most));
  return from == upto ? from : QStringLiteral("%1 to %2").arg(from, upto);
}

}  // namespace

QString message_words(const Flow& flow, const Metrics& metrics, PlaceRange run) {
  const FlowMessage& message = flow.messages[run.begin];
  QString words = QString::fromLatin1(wire::opcode_title(message.opcode));
  const OperationTable& operations = metrics.operations();
  const bool asks = message.opcode == wire::Opcode::read_request;
  const std::uint64_t length =
      asks && message.operation != FlowMessage::none ? operations.length(message.operation) : message.length;
  if (message.opcode == wire::Opcode::terminate) {
    const std::string name = terminate_words(metrics, message.row);
    if (!name.empty()) words += QStringLiteral(": ") + QString::fromStdString(name);
  }
  if (message.opcode != wire::Opcode::terminate)
    words += QLatin1Char(' ') + QString::fromStdString(octets_text(length));
  if (message.segments > 1) words += QStringLiteral(" · %1 segments").arg(message.segments);
  const bool answers =
      message.opcode == wire::Opcode::read_response || message.opcode == wire::Opcode::atomic_response;
  if (answers) {
    const QString latency = latency_words(flow, operations, run);
    if (!latency.isEmpty()) words += QStringLiteral(" · ") + latency;
  }
  return words;
}

QString tap_words(const Tap& tap) {
  const auto turn = [&](Role role) {
    return QString::fromStdString(duration_text(tap.turns[static_cast<unsigned>(role)].least_ns));
  };
  if (!tap.at) {
    return QStringLiteral(
        "Where it was captured is unknown: both ends answer equally soon, or too seldom. Times are the "
        "capture's.");
  }
  const bool initiator = *tap.at == Role::initiator;
  return QStringLiteral(
             "Captured beside the %1: it answers within %2, the other end after %3. The dashed side is "
             "inferred, %4 away.")
      .arg(initiator ? QStringLiteral("initiator") : QStringLiteral("responder"), turn(*tap.at),
           turn(other(*tap.at)), QString::fromStdString(duration_text(tap.one_way_ns)));
}

}  // namespace iwarp::gui
