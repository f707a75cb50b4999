// Where a window goes by a key: the slowest operation, the next finding; and out of it, to Wireshark.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/main_window.hpp"

#include <QApplication>
#include <QClipboard>
#include <QProcess>
#include <QStandardPaths>

#include <algorithm>

#include <iwarp/export/names.hpp>

#include "models/operation_parts.hpp"
#include "models/slowest.hpp"
#include "scale/text.hpp"

namespace iwarp::gui {

void MainWindow::go_to_slowest(OperationKind kind) {
  if (!workspace_.document().opened()) return;
  const Metrics& metrics = workspace_.document().metrics();
  const auto row = workspace_.levels().levels()->slowest[static_cast<std::size_t>(kind)];
  if (!row) return go_to_first(kind);
  Place place = workspace_.session().place();
  place.selection = select_operation(metrics, *row);
  place.range = fitted(span_of_operation(metrics, *row), workspace_.document().span());
  workspace_.session().go(place);
  show_view("operation");
  workspace_.document().ask<OperationParts>(
      this, "slowest",
      [row = *row, levels = workspace_.levels().levels()](const Log& log) {
        return operation_parts(log, row, *levels);
      },
      [this](const OperationParts& parts) {
        const OperationConclusion& operation = parts.event.operation;
        say(tr("%1 of stream %2, frames %3 to %4: %5, of these %6")
                .arg(QString::fromLatin1(operation_kind_name(operation.kind)))
                .arg(parts.stream)
                .arg(operation.request.frame)
                .arg(operation.response.frame)
                .arg(QString::fromStdString(duration_text(operation.latency().value_or(0))),
                     time_spent(parts)));
      });
}

// None of them has a latency: one of them tells why.
void MainWindow::go_to_first(OperationKind kind) {
  constexpr std::size_t looked_at = 1U << 20U;
  const QString name = QString::fromLatin1(operation_kind_name(kind));
  const Metrics& metrics = workspace_.document().metrics();
  const RowList& rows = workspace_.levels().levels()->operation_rows;
  for (std::size_t at = 0; at < std::min(rows.size(), looked_at); ++at) {
    if (metrics.operations().kind(rows[at]) != kind) continue;
    Place place = workspace_.session().place();
    place.selection = select_operation(metrics, rows[at]);
    workspace_.session().go(place);
    show_view("operation");
    const OperationStatus status = metrics.operations().event(rows[at]).operation.status;
    return say(tr("No latency of a %1 is known; the first of them: %2")
                   .arg(name, QString::fromLatin1(operation_status_name(status))));
  }
  say(workspace_.session().filter().empty() ? tr("There is no %1 in this capture").arg(name)
                                            : tr("No %1 counts with this filter").arg(name));
}

void MainWindow::go_to_finding(int by) {
  const TableModel& table = *view("findings")->table();
  const int count = table.rowCount();
  if (count == 0) {
    say(workspace_.session().filter().empty() ? tr("There is no finding in this capture")
                                              : tr("No finding counts with this filter"));
    return;
  }
  const auto row = table.selected(workspace_.session().selection());
  const auto at = row ? table.place_of(*row) : std::nullopt;
  const int next = at ? (*at + by + count) % count : first_finding(table, by);
  Place place = workspace_.session().place();
  place.selection = table.selection_of(table.row_at(next));
  const TimeSpan seen = workspace_.visible();
  const TimeNs time = place.selection.time.value_or(seen.from);
  if (!seen.contains(time)) {
    const TimeNs middle = seen.from + static_cast<TimeNs>(seen.length() / 2);
    place.range = panned(seen, time - middle, workspace_.document().span());
  }
  workspace_.session().go(place);
  show_view("findings");
  const FindingTable& findings = workspace_.document().metrics().findings();
  const auto shown = place.selection.finding;
  const QString what = shown && *shown < findings.size()
                           ? QString::fromStdString(describe(findings.finding(*shown)))
                           : QString();
  say(tr("Finding %1 of %2: %3").arg(QString::number(next + 1), QString::number(count), what));
}

// Where none is selected.
int MainWindow::first_finding(const TableModel& table, int by) const {
  constexpr int looked_at = 1 << 16;
  const TimeSpan seen = workspace_.visible();
  const int count = table.rowCount();
  for (int step = 0; step < std::min(count, looked_at); ++step) {
    const int at = by > 0 ? step : count - 1 - step;
    const auto time = table.selection_of(table.row_at(at)).time;
    if (time && seen.contains(*time)) return at;
  }
  return by > 0 ? 0 : count - 1;
}

WiresharkCall MainWindow::call_of_wireshark() const {
  const CaptureDocument& document = workspace_.document();
  const QString file = document.file().isEmpty() ? QStringLiteral("-") : document.file();
  return wireshark_call(document.opened() ? file : QString(), workspace_.session().selection(),
                        QStandardPaths::findExecutable(QStringLiteral("wireshark")));
}

void MainWindow::open_in_wireshark() {
  const WiresharkCall call = call_of_wireshark();
  if (!call.why_not.isEmpty()) {
    say(call.why_not);
  } else if (!QProcess::startDetached(call.program, call.arguments)) {
    say(tr("%1 could not be started").arg(call.program));
  }
}

QString MainWindow::filter_of_selection() const {
  if (!workspace_.document().opened()) return {};
  return display_filter(workspace_.document().metrics(), workspace_.session().selection());
}

void MainWindow::copy_display_filter() {
  const QString filter = filter_of_selection();
  if (!filter.isEmpty()) QApplication::clipboard()->setText(filter);
  say(filter.isEmpty() ? tr("No frame and no stream is selected") : tr("Copied: %1").arg(filter));
}

}  // namespace iwarp::gui
