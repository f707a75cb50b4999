// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/leave_out.hpp"

#include <QObject>
#include <QStringList>

#include <algorithm>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

constexpr std::size_t most_named = 3;
constexpr double least_share = 0.01;

// As tcpdump's filters have one connection.
QString connection_filter(const std::array<Endpoint, 2>& ends) {
  const auto end = [](const Endpoint& of) {
    return QStringLiteral("host %1 and port %2")
        .arg(QString::fromStdString(to_string(of.address)))
        .arg(of.port);
  };
  return QStringLiteral("(%1 and %2)").arg(end(ends[0]), end(ends[1]));
}

// For a shell.
QString quoted(QString text) {
  return QLatin1Char('\'') + text.replace(QLatin1Char('\''), QStringLiteral("'\\''")) + QLatin1Char('\'');
}

// What gives the capture to tcpdump, which reads nothing that is compressed.
QString tcpdump_reading(const QString& file, const QString& capture) {
  if (file.endsWith(QLatin1String(".gz"))) return QStringLiteral("zcat %1 | tcpdump -r -").arg(capture);
  if (file.endsWith(QLatin1String(".zst"))) return QStringLiteral("zstdcat %1 | tcpdump -r -").arg(capture);
  return QStringLiteral("tcpdump -r %1").arg(capture);
}

}  // namespace

std::vector<BusyStream> busiest_streams(const Metrics& metrics, std::size_t most) {
  const StreamTable& table = metrics.streams();
  std::vector<BusyStream> all;
  double sum = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const StreamTotals& totals = table.totals(row);
    double weight = static_cast<double>(totals.operations.load(std::memory_order_relaxed));
    for (std::size_t role = 0; role < 2; ++role) {
      weight += static_cast<double>(totals.fpdus[role].load(std::memory_order_relaxed) +
                                    totals.messages[role].load(std::memory_order_relaxed));
    }
    sum += weight;
    all.push_back({static_cast<std::uint32_t>(row), table.connection(row), weight});
  }
  const auto busier = [](const BusyStream& one, const BusyStream& other) {
    return one.share != other.share ? one.share > other.share : one.row < other.row;
  };
  const std::size_t kept = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(), busier);
  all.resize(kept);
  for (BusyStream& one : all) one.share = sum > 0 ? one.share / sum : 0;
  std::erase_if(all, [](const BusyStream& one) { return one.share < least_share; });
  return all;
}

QString leave_out_words(const Metrics& metrics, TimeSpan span, const QString& file) {
  const std::vector<BusyStream> busiest = busiest_streams(metrics, most_named);
  QStringList shares;
  QStringList filters;
  for (const BusyStream& one : busiest) {
    shares << QObject::tr("stream %1 took %2 %").arg(one.connection).arg(qRound(one.share * 100));
    filters << connection_filter(metrics.streams().endpoints(one.row));
  }
  const QString capture = file.isEmpty() ? QStringLiteral("CAPTURE") : quoted(file);
  QStringList words;
  if (!busiest.empty()) {
    words << QObject::tr("Of what was read, %1. Without the first of these:\n%2 -w smaller.pcap %3")
                 .arg(shares.join(QStringLiteral(", ")), tcpdump_reading(file, capture),
                      quoted(QStringLiteral("not ") + filters.front()));
  }
  if (!span.empty()) {
    const auto length = static_cast<TimeNs>(std::min<std::uint64_t>(span.length(), INT64_MAX));
    words << QObject::tr("The first %1 were read. What comes behind them:\neditcap -A %2 %3 later.pcapng")
                 .arg(QString::fromStdString(duration_text(length)))
                 .arg(span.upto / 1'000'000'000)
                 .arg(capture);
  }
  return words.join(QLatin1Char('\n'));
}

}  // namespace iwarp::gui
