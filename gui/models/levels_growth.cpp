// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/levels_growth.hpp"

#include <algorithm>
#include <future>
#include <span>
#include <thread>

#include <iwarp/export/rows.hpp>

namespace iwarp::gui {
namespace {

constexpr std::size_t rows_at_once = 1U << 16U;   // some milliseconds
constexpr std::size_t rows_a_thread = 1U << 13U;  // worth starting one

void take_streams(Levels& levels, const StreamTable& table) {
  for (std::size_t row = levels.streams.size(); row < table.size(); ++row) {
    levels.streams.emplace_back();
    const ConnectionId connection = table.connection(row);
    if (connection >= levels.rows_of_streams.size()) levels.rows_of_streams.resize(connection + 1);
    levels.rows_of_streams[connection] = static_cast<std::uint32_t>(row) + 1;
  }
}

using Rows = std::vector<std::uint32_t>;

// The rows of [begin, end) for which `counts` holds; all processors look for them. REQUIRES: it may be asked
// by several threads at once.
template <typename Counts>
Rows rows_that_count(std::size_t begin, std::size_t end, const Counts& counts) {
  const auto look = [&counts](std::size_t from, std::size_t upto) {
    Rows found;
    Event event;
    for (std::size_t row = from; row < upto; ++row) {
      if (counts(row, event)) found.push_back(static_cast<std::uint32_t>(row));
    }
    return found;
  };
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t part = std::max((end - begin + processors - 1) / processors, rows_a_thread);
  std::vector<std::future<Rows>> others;
  for (std::size_t from = begin + part; from < end; from += part) {
    others.push_back(std::async(std::launch::async, look, from, std::min(from + part, end)));
  }
  Rows all = look(begin, std::min(begin + part, end));
  for (std::future<Rows>& other : others) {
    const Rows found = other.get();
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

// A stream counts where something of it does that the filter speaks of.
bool counts(const StreamCounts& stream, const Filter& filter) {
  bool spoken_of = false;
  const auto some = [&](RecordKind kind, std::uint64_t rows) {
    if (!filter.touches(kind)) return false;
    spoken_of = true;
    return rows > 0;
  };
  std::uint64_t findings = 0;
  for (const std::uint64_t count : stream.findings) findings += count;
  const bool found = some(RecordKind::operation, stream.operations) ||
                     some(RecordKind::message, stream.messages) || some(RecordKind::finding, findings);
  return found || !spoken_of;
}

}  // namespace

std::unique_ptr<Levels> LevelsGrowth::begin(Scope scope, const Filter* filter, const Levels* like) {
  auto levels = std::make_unique<Levels>();
  const auto whole = [&](RecordKind kind) {
    return !scope.stream && (filter == nullptr || !filter->touches(kind));
  };
  levels->operation_rows.all_ = whole(RecordKind::operation);
  levels->message_rows.all_ = whole(RecordKind::message);
  levels->finding_rows.all_ = whole(RecordKind::finding);
  levels->stream_rows.all_ = scope.all();
  levels->scope = std::move(scope);
  if (like == nullptr) return levels;
  levels->streams.resize(like->streams.size());
  levels->rows_of_streams = like->rows_of_streams;
  const auto take_over = [&](RowList Levels::*rows, auto&& copy) {
    if (!(*levels.*rows).all_ || !(like->*rows).all_) return;
    *levels.*rows = like->*rows;
    for (std::size_t row = 0; row < like->streams.size(); ++row)
      copy(levels->streams[row], like->streams[row]);
  };
  take_over(&Levels::operation_rows, [](StreamCounts& to, const StreamCounts& from) {
    to.operations = from.operations;
    to.longest_ns = from.longest_ns;
    to.slowest = from.slowest;
    to.first_operation = from.first_operation;
    to.latency_over_time = from.latency_over_time;
  });
  if (levels->operation_rows.taken_ > 0) {
    levels->operations = like->operations;
    levels->slowest = like->slowest;
  }
  take_over(&Levels::message_rows, [](StreamCounts& to, const StreamCounts& from) {
    to.messages = from.messages;
    to.octets = from.octets;
    to.first_message = from.first_message;
    to.octets_over_time = from.octets_over_time;
  });
  take_over(&Levels::finding_rows,
            [](StreamCounts& to, const StreamCounts& from) { to.findings = from.findings; });
  return levels;
}

bool LevelsGrowth::grow(Levels& levels, const Metrics& metrics, const Filter* filter) {
  const Scope& scope = levels.scope;
  bool grown = false;
  // Calls `count` with each further row of the table that counts, and with what counts of its stream.
  const auto take = [&](RecordKind kind, const auto& table, RowList& rows, auto&& count) {
    const bool asks = filter != nullptr && filter->touches(kind);  // else all match
    const std::size_t end = std::min(table.size(), rows.taken_ + rows_at_once);
    take_streams(levels, metrics.streams());  // those of these rows are there by now
    const std::size_t first = rows.size();
    if (!rows.all_) {
      const Rows found = rows_that_count(rows.taken_, end, [&](std::size_t row, Event& event) {
        if (scope.stream && table.connection(row) != *scope.stream) return false;
        return !asks || filter->matches(record_of(table, row, event));
      });
      rows.rows_.insert(rows.rows_.end(), found.begin(), found.end());
    }
    grown = grown || end > rows.taken_;
    rows.taken_ = end;
    for (std::size_t at = first; at < rows.size(); ++at) {
      const ConnectionId connection = table.connection(rows[at]);
      if (connection >= levels.rows_of_streams.size()) continue;
      const std::uint32_t stream = levels.rows_of_streams[connection];
      if (stream > 0) count(levels.streams[stream - 1], rows[at]);
    }
    return first;
  };

  const OperationTable& operations = metrics.operations();
  const std::size_t first = take(
      RecordKind::operation, operations, levels.operation_rows, [&](StreamCounts& stream, std::uint32_t row) {
        ++stream.operations;
        if (!stream.first_operation) stream.first_operation = row;
        const TimeNs latency = operations.latency_ns(row);
        if (latency == OperationTable::unknown) return;
        auto& slowest = levels.slowest[static_cast<std::size_t>(operations.kind(row))];
        if (!slowest || latency > operations.latency_ns(*slowest)) slowest = row;
        if (latency > stream.longest_ns) {
          stream.longest_ns = latency;
          stream.slowest = row;
        }
        stream.latency_over_time.add(operations.time_ns(row), {latency});
      });
  if (levels.operation_rows.all_) {
    levels.operations.extend(operations, levels.operation_rows.taken_);
  } else {
    levels.operations.extend(operations, std::span(levels.operation_rows.rows_).subspan(first));
  }
  const MessageTable& messages = metrics.messages();
  take(RecordKind::message, messages, levels.message_rows, [&](StreamCounts& stream, std::uint32_t row) {
    ++stream.messages;
    if (!stream.first_message) stream.first_message = row;
    if (!wire::carries_payload(messages.opcode(row))) return;
    stream.octets += messages.length(row);
    stream.octets_over_time.add(messages.time_ns(row), messages.length(row));
  });
  const FindingTable& findings = metrics.findings();
  take(RecordKind::finding, findings, levels.finding_rows, [&](StreamCounts& stream, std::uint32_t row) {
    ++stream.findings[static_cast<unsigned>(findings.finding(row).severity)];
  });

  levels.stream_rows.taken_ = levels.streams.size();
  levels.stream_rows.rows_.clear();
  for (std::uint32_t row = 0; !levels.stream_rows.all_ && row < levels.streams.size(); ++row) {
    if (scope.stream && metrics.streams().connection(row) != *scope.stream) continue;
    if (filter == nullptr || counts(levels.streams[row], *filter)) levels.stream_rows.rows_.push_back(row);
  }
  return grown;
}

}  // namespace iwarp::gui
