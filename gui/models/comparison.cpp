// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/comparison.hpp"

#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <limits>

#include <iwarp/export/names.hpp>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

constexpr double second_ns = 1e9;

TimeNs duration_of(TimeSpan span) {
  return static_cast<TimeNs>(
      std::min<std::uint64_t>(span.length(), static_cast<std::uint64_t>(std::numeric_limits<TimeNs>::max())));
}

std::optional<std::uint64_t> per_second(std::uint64_t count, TimeSpan span) {
  if (span.length() == 0) return std::nullopt;
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(count) * second_ns / static_cast<double>(span.length())));
}

// In hundredths.
std::optional<std::uint64_t> mean_of(const Extent& extent) {
  if (extent.count == 0) return std::nullopt;
  return (extent.sum * 100 + extent.count / 2) / extent.count;
}

QString class_name(const MeasuredClass& one) {
  return QStringLiteral("%1 %2").arg(QString::fromLatin1(operation_kind_name(one.kind)),
                                     QString::fromUtf8(size_class_name(one.size_class)));
}

const MeasuredClass* find_class(const Measured& side, std::pair<OperationKind, std::size_t> key) {
  const auto found = std::find_if(side.classes.begin(), side.classes.end(), [key](const MeasuredClass& one) {
    return std::pair(one.kind, one.size_class) == key;
  });
  return found == side.classes.end() ? nullptr : &*found;
}

class Rows {
 public:
  void add(const QString& subject, const QString& measure, CompareUnit unit, std::optional<std::uint64_t> a,
           std::optional<std::uint64_t> b) {
    rows_.push_back({class_, subject, measure, unit, {a, b}});
  }
  // Those of which a latency is known; `key`: of one class.
  void add_latencies(const QString& subject, const LatencySummary* a, const LatencySummary* b,
                     std::optional<std::pair<OperationKind, std::size_t>> key) {
    using Value = std::uint64_t LatencySummary::*;
    const auto value = [](const LatencySummary* side, Value which) {
      return side == nullptr || side->count == 0 ? std::nullopt : std::optional(side->*which);
    };
    class_ = key;
    add(subject, QStringLiteral("count"), CompareUnit::count, a == nullptr ? 0 : a->count,
        b == nullptr ? 0 : b->count);
    for (const auto& [name, which] :
         {std::pair("p50", &LatencySummary::p50), std::pair("p90", &LatencySummary::p90),
          std::pair("p99", &LatencySummary::p99), std::pair("max", &LatencySummary::max)}) {
      add(subject, QLatin1String(name), CompareUnit::nanoseconds, value(a, which), value(b, which));
    }
    class_.reset();
  }
  [[nodiscard]] std::vector<CompareRow> take() { return std::move(rows_); }

 private:
  std::optional<std::pair<OperationKind, std::size_t>> class_;
  std::vector<CompareRow> rows_;
};

}  // namespace

Measured measure(const Metrics& metrics, const PlotData& data, TimeSpan span) {
  Measured side;
  side.span = span;
  LatencySample all;
  for (const LatencyClass& one : data.latencies) {
    const PlaceRange places = one.between(span);
    if (places.size() == 0) continue;
    MeasuredClass& measured = side.classes.emplace_back();
    measured.kind = one.kind;
    measured.size_class = one.size_class;
    LatencySample sample;
    sample.add(one, places);
    all.add(one, places);
    measured.counts = sample.counts();
    measured.latency = sample.summary();
  }
  side.counts = all.counts();
  side.latency = all.summary();
  const OperationLevels& levels = data.levels->operations;
  const PlaceRange places = levels.order().between(span.from, span.upto);
  side.operations = places.size();
  side.octets = levels.length().over(places.begin, places.end).sum;
  side.outstanding = levels.outstanding().over(places.begin, places.end);
  const RowList& rows = data.levels->finding_rows;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const Finding& finding = metrics.findings().finding(rows[at]);
    if (span.contains(finding.time_ns)) ++side.findings[finding.check];
  }
  return side;
}

std::vector<CompareRow> compare(const Measured& a, const Measured& b) {
  Rows rows;
  const QString all = QObject::tr("all operations");
  rows.add(all, QObject::tr("time"), CompareUnit::nanoseconds,
           static_cast<std::uint64_t>(duration_of(a.span)), static_cast<std::uint64_t>(duration_of(b.span)));
  rows.add(all, QObject::tr("operations"), CompareUnit::count, a.operations, b.operations);
  rows.add(all, QObject::tr("operations a second"), CompareUnit::per_second, per_second(a.operations, a.span),
           per_second(b.operations, b.span));
  rows.add(all, QObject::tr("payload, or asked for"), CompareUnit::octets, a.octets, b.octets);
  if (a.latency.count + b.latency.count > 0) {
    rows.add_latencies(QObject::tr("latency of all"), &a.latency, &b.latency, {});
  }
  std::map<std::pair<OperationKind, std::size_t>, QString> classes;
  for (const Measured* const side : {&a, &b}) {
    for (const MeasuredClass& one : side->classes) classes[{one.kind, one.size_class}] = class_name(one);
  }
  for (const auto& [key, name] : classes) {
    const MeasuredClass* const of_a = find_class(a, key);
    const MeasuredClass* const of_b = find_class(b, key);
    rows.add_latencies(name, of_a == nullptr ? nullptr : &of_a->latency,
                       of_b == nullptr ? nullptr : &of_b->latency, key);
  }
  if (a.outstanding.count + b.outstanding.count > 0) {
    const QString depth = QObject::tr("outstanding Reads and atomics");
    const auto most = [](const Extent& side) {
      return side.count == 0 ? std::nullopt : std::optional(side.greatest);
    };
    rows.add(depth, QObject::tr("most"), CompareUnit::count, most(a.outstanding), most(b.outstanding));
    rows.add(depth, QObject::tr("mean when issued"), CompareUnit::hundredths, mean_of(a.outstanding),
             mean_of(b.outstanding));
  }
  std::map<CheckId, std::array<std::uint64_t, 2>> findings;
  for (const auto& [check, count] : a.findings) findings[check][0] = count;
  for (const auto& [check, count] : b.findings) findings[check][1] = count;
  for (const auto& [check, counts] : findings) {
    rows.add(QObject::tr("findings"), QString::fromUtf8(check_info(check).id), CompareUnit::count, counts[0],
             counts[1]);
  }
  return rows.take();
}

QString value_text(CompareUnit unit, std::optional<std::uint64_t> value) {
  if (!value) return QStringLiteral("–");
  switch (unit) {
    case CompareUnit::nanoseconds: return QString::fromStdString(duration_text(static_cast<TimeNs>(*value)));
    case CompareUnit::octets: return QString::fromStdString(octets_text(*value));
    case CompareUnit::hundredths: return QString::number(static_cast<double>(*value) / 100, 'f', 2);
    case CompareUnit::count:
    case CompareUnit::per_second: return QString::fromStdString(count_text(*value));
  }
  return {};
}

QString change_text(const CompareRow& row) {
  const auto& [a, b] = row.values;
  if (!a && !b) return {};
  if (!a) return QObject::tr("only in B");
  if (!b) return QObject::tr("only in A");
  if (*a == *b) return QObject::tr("same");
  if (*a == 0) return QObject::tr("+%1").arg(value_text(row.unit, *b));
  const double ratio = static_cast<double>(*b) / static_cast<double>(*a);
  if (row.unit == CompareUnit::count && *a < 100 && *b < 100) {
    return *b > *a ? QStringLiteral("+%1").arg(*b - *a) : QStringLiteral("−%1").arg(*a - *b);
  }
  return QStringLiteral("×%1").arg(ratio, 0, 'f', ratio < 0.095 ? 3 : ratio < 10 ? 2 : 0);
}

Comparison::Comparison(const Side& a, const Side& b, QObject* parent) : QObject(parent) {
  sides_[0].of = a;
  sides_[1].of = b;
  for (std::size_t which = 0; which < 2; ++which) {
    Measuring& side = sides_[which];
    side.builder = &PlotBuilder::of(*side.of.workspace);
    side.measured = std::make_shared<const Measured>();
    connect(side.builder, &PlotBuilder::changed, this, [this, which] { refresh(which); });
    connect(&side.of.workspace->document(), &CaptureDocument::ended, this, [this, which] {
      if (sides_[which].of.workspace->document().result().end == LoadEnd::unreadable) emit changed();
    });
    refresh(which);
  }
}

QString Comparison::name(std::size_t which) const {
  const Side& of = sides_[which].of;
  const QString file = QFileInfo(of.workspace->document().name()).fileName();
  if (!of.span) return file;
  const TimeSpan all = of.workspace->document().span();
  const auto words = [](TimeNs ns) { return QString::fromStdString(duration_text(ns)); };
  return tr("%1, %2 from %3 on")
      .arg(file, words(duration_of(*of.span)),
           words(of.span->from > all.from ? of.span->from - all.from : 0));
}

bool Comparison::settled() const {
  return std::all_of(sides_.begin(), sides_.end(), [](const Measuring& side) {
    const CaptureDocument& document = side.of.workspace->document();
    if (document.opened() && document.result().end == LoadEnd::unreadable) return true;
    return !side.asked && side.builder->settled() && side.from == side.builder->data();
  });
}

void Comparison::refresh(std::size_t which) {
  Measuring& side = sides_[which];
  const auto& data = side.builder->data();
  if (side.asked || side.from == data || !side.of.workspace->document().opened()) return;
  side.asked = true;
  CaptureDocument& document = side.of.workspace->document();
  document.ask<std::shared_ptr<const Measured>>(
      this, which == 0 ? "compare a" : "compare b",
      [data, span = side.of.span.value_or(document.span())](const Log& log) {
        return std::make_shared<const Measured>(measure(log.metrics, *data, span));
      },
      [this, which, data](std::shared_ptr<const Measured> measured) {
        sides_[which].asked = false;
        sides_[which].measured = std::move(measured);
        sides_[which].from = data;
        emit changed();
        refresh(which);
      });
}

}  // namespace iwarp::gui
