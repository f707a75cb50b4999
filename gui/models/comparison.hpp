// Comparison: two captures, or two ranges of time of one: latencies by kind and size of operations, depth,
// findings; what counts of each by its workspace's filter.
//
// Measuring is done in the threads of the logs, O(log n) of operations and O(n) of findings.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "models/plot_data.hpp"

namespace iwarp::gui {

// Latencies of operations of one kind and size.
struct MeasuredClass {
  OperationKind kind = OperationKind::read;
  std::size_t size_class = 0;
  DurationCounts counts;
  LatencySummary latency;
};

// One side of a comparison.
struct Measured {
  TimeSpan span;
  std::vector<MeasuredClass> classes;  // that have an operation whose latency is known; by kind, then size
  DurationCounts counts;               // of all of these
  LatencySummary latency;
  std::uint64_t operations = 0;  // their latency known or not
  std::uint64_t octets = 0;      // of these
  Extent outstanding;            // Reads and atomics, when each was issued
  std::map<CheckId, std::uint64_t> findings;
};

[[nodiscard]] Measured measure(const Metrics& metrics, const PlotData& data, TimeSpan span);

enum class CompareUnit {
  nanoseconds,
  octets,
  count,
  hundredths,  // of a count
  per_second
};

struct CompareRow {
  // What its latencies are of; nothing: all, or it is no latency.
  std::optional<std::pair<OperationKind, std::size_t>> of_class;
  QString subject;  // "read ≤ 4 KiB"
  QString measure;  // "p99"
  CompareUnit unit = CompareUnit::count;
  std::array<std::optional<std::uint64_t>, 2> values;  // nothing: that side has none
};

// All there is to say, in the order of the table.
[[nodiscard]] std::vector<CompareRow> compare(const Measured& a, const Measured& b);
// "1.25 ms"
[[nodiscard]] QString value_text(CompareUnit unit, std::optional<std::uint64_t> value);
// B against A: "×1.25", "same", "+3", "only in B".
[[nodiscard]] QString change_text(const CompareRow& row);

class Comparison : public QObject {
  Q_OBJECT
 public:
  struct Side {
    Workspace* workspace = nullptr;
    std::optional<TimeSpan> span;  // nothing: the whole capture, while it grows, too
  };
  // REQUIRES: the workspaces outlive this; they may be the same one.
  Comparison(const Side& a, const Side& b, QObject* parent = nullptr);

  // 0 is A. Never nothing; never changed.
  [[nodiscard]] const std::shared_ptr<const Measured>& side(std::size_t which) const noexcept {
    return sides_[which].measured;
  }
  // What that side is of; lives as its workspace does.
  [[nodiscard]] const CaptureDocument& document(std::size_t which) const noexcept {
    return sides_[which].of.workspace->document();
  }
  // "a.pcap, 20.0 ms from 1.204 s on"
  [[nodiscard]] QString name(std::size_t which) const;
  // It has all there is of both.
  [[nodiscard]] bool settled() const;

 signals:
  void changed();

 private:
  struct Measuring {
    Side of;
    PlotBuilder* builder = nullptr;
    std::shared_ptr<const Measured> measured;
    std::shared_ptr<const PlotData> from;  // what it was measured from
    bool asked = false;
  };
  void refresh(std::size_t which);

  std::array<Measuring, 2> sides_;
};

}  // namespace iwarp::gui
