// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/wireshark.hpp"

#include <QFileInfo>
#include <QObject>

namespace iwarp::gui {

WiresharkCall wireshark_call(const QString& capture, const Selection& selection, const QString& program) {
  WiresharkCall call{program, {}, {}};
  if (program.isEmpty()) {
    call.why_not = QObject::tr("Wireshark is not installed, or not in PATH");
  } else if (capture.isEmpty()) {
    call.why_not = QObject::tr("No capture is open");
  } else if (capture == QLatin1String("-")) {
    call.why_not = QObject::tr("The capture is in no file that Wireshark could open");
  } else if (!QFileInfo::exists(capture)) {
    call.why_not = QObject::tr("The file is not there any more");
  } else {
    // An absolute path: a name that begins with a dash is no option.
    call.arguments << QStringLiteral("-r") << QFileInfo(capture).absoluteFilePath();
    if (selection.frame) call.arguments << QStringLiteral("-g") << QString::number(*selection.frame);
  }
  return call;
}

QString display_filter(const Metrics& metrics, const Selection& selection) {
  if (selection.operation && *selection.operation < metrics.operations().size()) {
    const OperationConclusion operation = metrics.operations().event(*selection.operation).operation;
    const FrameNumber first = operation.request.frame;
    const FrameNumber last = operation.response.frame;
    // Of one of its frames that was selected that alone.
    if (first != 0 && first < last && selection.frame == first) {
      return QStringLiteral("frame.number in {%1 .. %2} and tcp.stream == %3")
          .arg(first)
          .arg(last)
          .arg(metrics.operations().connection(*selection.operation));
    }
  }
  if (selection.frame) return QStringLiteral("frame.number == %1").arg(*selection.frame);
  if (selection.stream) return QStringLiteral("tcp.stream == %1").arg(*selection.stream);
  return {};
}

}  // namespace iwarp::gui
