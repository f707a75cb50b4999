// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/ladder_words.hpp"

#include "scale/text.hpp"

namespace iwarp::gui {
QString message_words(const Flow& flow, const Metrics& metrics, std::size_t place) {
  const FlowMessage& message = flow.messages[place];
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
  if (answers && message.operation != FlowMessage::none &&
      operations.latency_ns(message.operation) != OperationTable::unknown) {
    words += QStringLiteral(" · ") +
             QString::fromStdString(duration_text(operations.latency_ns(message.operation)));
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
