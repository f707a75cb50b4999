// Levels: what counts of a capture, and what pictures of any range of it need.
//
// A LevelsBuilder keeps them up to date in a thread of its own, while the capture is read, for one filter
// and, if asked for, one stream. Who paints takes a snapshot, which never changes.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QObject>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <iwarp/export/filter.hpp>
#include <iwarp/metrics.hpp>
#include <iwarp/metrics/operation_levels.hpp>

#include "models/main_queue.hpp"
#include "models/time_bins.hpp"

namespace iwarp::gui {

class CaptureDocument;

struct Scope {
  std::string filter;                  // an expression that is right; empty: all
  std::optional<ConnectionId> stream;  // nothing: all

  [[nodiscard]] bool all() const noexcept { return filter.empty() && !stream; }
  bool operator==(const Scope&) const = default;
};

// Rows of a table, ascending: all up to a number, or those listed.
class RowList {
 public:
  // So many rows, all of which count.
  [[nodiscard]] static RowList all_of(std::size_t rows) noexcept {
    RowList list;
    list.taken_ = rows;
    return list;
  }
  [[nodiscard]] std::size_t size() const noexcept { return all_ ? taken_ : rows_.size(); }
  [[nodiscard]] std::uint32_t operator[](std::size_t at) const noexcept {
    return all_ ? static_cast<std::uint32_t>(at) : rows_[at];
  }
  // The first place whose row is that one or a later one; size() where all are before. O(log rows).
  [[nodiscard]] std::size_t place_of(std::uint32_t row) const noexcept {
    if (all_) return std::min<std::size_t>(row, taken_);
    return static_cast<std::size_t>(std::lower_bound(rows_.begin(), rows_.end(), row) - rows_.begin());
  }
  // Of the table, whether they count or not.
  [[nodiscard]] std::size_t taken() const noexcept { return taken_; }
  // Whatever the rows are, they count.
  [[nodiscard]] bool all() const noexcept { return all_; }

 private:
  friend struct LevelsGrowth;
  bool all_ = true;
  std::size_t taken_ = 0;
  std::vector<std::uint32_t> rows_;
};

struct LongestLatency {
  std::int64_t ns = -1;  // -1: none is known

  LongestLatency& operator+=(LongestLatency more) noexcept {
    ns = std::max(ns, more.ns);
    return *this;
  }
};

// What counts of one stream.
struct StreamCounts {
  std::uint64_t operations = 0;
  std::uint64_t messages = 0;
  std::uint64_t octets = 0;                                     // of these messages
  std::array<std::uint64_t, 4> findings{};                      // by Severity
  std::int64_t longest_ns = -1;                                 // of latencies; -1: none is known
  std::optional<std::uint32_t> slowest;                         // row of that operation
  std::optional<std::uint32_t> first_operation, first_message;  // rows of the first ones
  TimeBins<std::uint64_t> octets_over_time{64};                 // of these messages
  TimeBins<LongestLatency> latency_over_time{64};
};

struct Levels {
  Scope scope;
  OperationLevels operations;
  // Rows of the slowest ones, of those as slow the first, by OperationKind.
  std::array<std::optional<std::uint32_t>, 5> slowest;
  RowList operation_rows;
  RowList message_rows;
  RowList finding_rows;
  std::vector<StreamCounts> streams;  // by row of StreamTable
  RowList stream_rows;                // those of which something counts
  // Row of StreamTable by ConnectionId, one more; 0: none.
  std::vector<std::uint32_t> rows_of_streams;
  bool complete = false;  // the capture has ended, and all of it is in here
};

class LevelsBuilder : public QObject {
  Q_OBJECT
 public:
  // REQUIRES: the document outlives this object. Before it is opened there is nothing to build.
  explicit LevelsBuilder(CaptureDocument& document, QObject* parent = nullptr);
  ~LevelsBuilder() override;

  // What shall count from now on; `changed` follows.
  void set_scope(Scope scope);
  [[nodiscard]] const Scope& scope() const noexcept { return scope_; }
  // The newest one; of another scope where that one is still being built. Never nothing. Let it go
  // when `changed` tells of another one: as long as it is held it cannot be brought up to date, but has to be
  // copied.
  [[nodiscard]] const std::shared_ptr<const Levels>& levels() const noexcept { return levels_; }
  // All that was read, of the scope that was set last, is in levels().
  [[nodiscard]] bool settled() const noexcept;

 signals:
  void changed();

 private:
  struct Returned;
  void poke();
  void run(const Metrics& metrics);
  [[nodiscard]] std::unique_ptr<Levels> to_grow(const Scope& scope, const Filter* filter);
  void publish(std::unique_ptr<Levels> levels);

  CaptureDocument& document_;
  Scope scope_;
  std::shared_ptr<const Levels> levels_;
  MainQueue queue_;

  std::mutex mutex_;
  std::condition_variable wake_;
  Scope wanted_;                    // under the mutex
  bool poked_ = false;              // under the mutex
  bool ended_ = false;              // under the mutex: the tables grow no more
  std::atomic<bool> stale_{false};  // what is being built is not wanted any more
  std::shared_ptr<Returned> returned_;
  std::shared_ptr<const Levels> shown_;  // the thread's: published last
  std::thread thread_;
};

}  // namespace iwarp::gui
