// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/slowest.hpp"

#include <QObject>
#include <QStringList>

#include <iwarp/export/names.hpp>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

QString count(std::uint64_t number) {
  return QString::fromStdString(count_text(number));
}

QString duration(TimeNs ns) {
  return QString::fromStdString(duration_text(ns));
}

}  // namespace

TimeSpan span_of_operation(const Metrics& metrics, std::uint32_t row) {
  const OperationTable& table = metrics.operations();
  const TimeSpan span{table.time_ns(row), table.time_ns(row) + table.latency_ns(row) + 1};
  const TimeNs around = static_cast<TimeNs>(span.length() / 10 + 1);
  return {span.from - around, span.upto + around};
}

QString why_slow(const Metrics& metrics, const Overview& overview, std::uint32_t row) {
  const OperationTable& table = metrics.operations();
  const OperationConclusion operation = table.event(row).operation;
  QStringList words;
  words << QObject::tr("%1 of stream %2, frames %3 to %4: %5")
               .arg(QString::fromLatin1(operation_kind_name(table.kind(row))))
               .arg(table.connection(row))
               .arg(operation.request.frame)
               .arg(operation.response.frame)
               .arg(duration(table.latency_ns(row)));
  if (const auto first = operation.first_byte_latency()) {
    words << QObject::tr("%1 of these until its first octet").arg(duration(*first));
  }
  if (const std::uint32_t outstanding = table.outstanding(row); outstanding > 1) {
    words << QObject::tr("%1 others were under way").arg(count(outstanding - 1));
  }
  if (operation.request_retransmitted) words << QObject::tr("its request was sent again");
  OverviewCell meanwhile;
  const TimeSpan span{table.time_ns(row), table.time_ns(row) + table.latency_ns(row) + 1};
  const auto [begin, end] = overview.bins.bins_of(span);
  for (std::size_t bin = begin; bin < end; ++bin) meanwhile += overview.bins[bin];
  if (meanwhile.retransmitted > 0) {
    words << QObject::tr("%1 octets on all streams were sent again about then")
                 .arg(count(meanwhile.retransmitted));
  }
  if (meanwhile.gap_octets > 0) {
    words << QObject::tr("%1 octets about then are not in the capture").arg(count(meanwhile.gap_octets));
  }
  return words.join(QStringLiteral("; "));
}

}  // namespace iwarp::gui
