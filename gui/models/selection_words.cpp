// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/selection_words.hpp"

#include <QObject>

#include <iwarp/export/names.hpp>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

QString frames_text(FrameNumber first, FrameNumber last) {
  if (first == 0) first = last;
  if (last == 0) last = first;
  return first == last ? QObject::tr("frame %1").arg(first)
                       : QObject::tr("frames %1 to %2").arg(first).arg(last);
}

QString operation_words(const OperationTable& table, std::uint32_t row) {
  const OperationConclusion operation = table.event(row).operation;
  QString words = QObject::tr("%1 of stream %2, %3")
                      .arg(QString::fromLatin1(operation_kind_name(operation.kind)))
                      .arg(table.connection(row))
                      .arg(frames_text(operation.request.frame, operation.response.frame));
  if (const auto latency = operation.latency())
    words += QStringLiteral(": ") + QString::fromStdString(duration_text(*latency));
  return words;
}

QString message_words(const MessageTable& table, std::uint32_t row) {
  const MessageConclusion message = table.event(row).message;
  return QObject::tr("%1 of stream %2, %3")
      .arg(QString::fromLatin1(wire::opcode_title(message.opcode)))
      .arg(table.connection(row))
      .arg(frames_text(message.first_frame, message.placed.frame));
}

}  // namespace

QString selection_words(const Metrics& metrics, const Selection& selection) {
  if (selection.operation && *selection.operation < metrics.operations().size())
    return operation_words(metrics.operations(), *selection.operation);
  if (selection.message && *selection.message < metrics.messages().size())
    return message_words(metrics.messages(), *selection.message);
  if (selection.finding && *selection.finding < metrics.findings().size())
    return QString::fromStdString(describe(metrics.findings().finding(*selection.finding)));
  if (selection.stag) {
    return QObject::tr("STag %1 of %2")
        .arg(QString::fromStdString(hex_text(selection.stag->stag, 8)),
             QString::fromStdString(to_string(selection.stag->host)));
  }
  if (selection.frame) return QObject::tr("Frame %1").arg(*selection.frame);
  if (selection.stream) return QObject::tr("Stream %1").arg(*selection.stream);
  return {};
}

}  // namespace iwarp::gui
