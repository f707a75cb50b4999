// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/waits.hpp"

#include <algorithm>
#include <utility>

namespace iwarp::gui {
namespace {

struct Edge {
  TimeNs time;
  std::uint8_t kind;
  std::int8_t by;  // one more of it is under way, or one less
};

void add_span(std::vector<Edge>& edges, WaitKind kind, TimeNs from, TimeNs upto) {
  if (upto <= from) return;
  edges.push_back({from, static_cast<std::uint8_t>(kind), 1});
  edges.push_back({upto, static_cast<std::uint8_t>(kind), -1});
}

struct DepthEdge {
  TimeNs time;
  int by;
  std::uint32_t outstanding;  // when the request was issued, itself included; 0: not known
};

// What is known of one stream.
struct Known {
  Side initiator = Side::a;
  std::vector<Edge> edges;
  std::array<std::vector<DepthEdge>, 2> depths;  // by Role of the requester
};

void add_operation(Known& known, const Event& event) {
  const OperationConclusion& operation = event.operation;
  const TimeNs begin = operation.request.time_ns;
  // One without a response is outstanding until that is decided.
  const TimeNs end =
      std::max(begin, operation.response.frame != 0 ? operation.response.time_ns : event.time_ns);
  const Role from = event.side == known.initiator ? Role::initiator : Role::responder;
  auto& edges_of = known.depths[static_cast<std::size_t>(from)];
  edges_of.push_back({begin, 1, operation.outstanding});
  edges_of.push_back({end, -1, 0});
  add_span(known.edges, WaitKind::response, begin, end);
}

void add_wait_spans(Known& known, const WaitSpans::Stream& spans, TimeNs last) {
  for (const TimeSpan& hole : spans.holes) add_span(known.edges, WaitKind::hole, hole.from, hole.upto);
  for (const TimeSpan& window : spans.windows)
    add_span(known.edges, WaitKind::window, window.from, window.upto);
  for (const auto& since : spans.closed_since) {
    if (since) add_span(known.edges, WaitKind::window, *since, last);
  }
}

// By row of StreamTable.
std::vector<Known> gather(const Log& log) {
  const StreamTable& table = log.metrics.streams();
  std::vector<Known> all(table.size());
  std::vector<std::uint32_t> rows;  // of each connection, and one more; 0: it is no stream
  for (std::size_t row = 0; row < all.size(); ++row) {
    const ConnectionId id = table.connection(row);
    if (id >= rows.size()) rows.resize(id + 1);
    rows[id] = static_cast<std::uint32_t>(row) + 1;
    const ConnectionState* const found = log.analysis.connection(id);
    if (found == nullptr) continue;
    all[row].initiator = found->initiator;
    if (const WaitSpans::Stream* const spans = log.wait_spans.of(id))
      add_wait_spans(all[row], *spans, found->last_time_ns);
  }
  const auto known = [&](ConnectionId id) {
    return id < rows.size() && rows[id] > 0 ? &all[rows[id] - 1] : nullptr;
  };
  const OperationTable& operations = log.metrics.operations();
  const std::size_t operation_count = operations.size();
  for (std::size_t row = 0; row < operation_count; ++row) {
    const OperationKind kind = operations.kind(row);
    if ((kind != OperationKind::read && kind != OperationKind::atomic) || !operations.requested(row))
      continue;
    if (Known* const of = known(operations.connection(row))) add_operation(*of, operations.event(row));
  }
  const MessageTable& messages = log.metrics.messages();
  const std::size_t message_count = messages.size();
  for (std::size_t row = 0; row < message_count; ++row) {
    const TimeNs begin = messages.begun_ns(row);
    const TimeNs end = messages.time_ns(row);
    if (begin >= end) continue;
    if (Known* const of = known(messages.connection(row)))
      add_span(of->edges, WaitKind::transfer, begin, end);
  }
  return all;
}

DepthCurve curve_of(std::vector<DepthEdge>& edges) {
  // At one moment responses come before requests: nobody has more outstanding for no time.
  std::sort(edges.begin(), edges.end(), [](const DepthEdge& one, const DepthEdge& another) {
    return one.time != another.time ? one.time < another.time : one.by < another.by;
  });
  DepthCurve curve;
  // Where a response was captured behind a request whose sender had received it, the log counts it as
  // answered, and its own edge, which is still to come, counts no more.
  int now = 0;
  int ahead = 0;
  for (const DepthEdge& edge : edges) {
    if (edge.by < 0 && ahead > 0) {
      --ahead;
      continue;
    }
    now += edge.by;
    if (const auto most = static_cast<int>(edge.outstanding); most > 0 && now > most) {
      ahead += now - most;
      now = most;
    }
    curve.add(edge.time, static_cast<std::uint64_t>(std::max(0, now)));
  }
  return curve;
}

void add_time_at_limit(std::vector<Edge>& edges, const DepthCurve& curve) {
  if (!curve.ord || *curve.ord == 0) return;
  for (std::size_t at = 0; at + 1 < curve.size(); ++at) {
    if (curve.value(at) >= *curve.ord) {
      add_span(edges, WaitKind::at_limit, curve.time(at), curve.time(at + 1));
    }
  }
}

WaitTrack track_of(std::vector<Edge>& edges, TimeSpan life) {
  std::sort(edges.begin(), edges.end(),
            [](const Edge& one, const Edge& another) { return one.time < another.time; });
  WaitTrack track;
  std::array<std::int64_t, wait_kinds> under_way{};
  std::uint8_t before = WaitTrack::nothing;
  const auto now = [&] {
    std::uint8_t kind = 0;
    while (kind < static_cast<std::uint8_t>(WaitKind::idle) && under_way[kind] <= 0) ++kind;
    return kind;
  };
  const auto change = [&](TimeNs time, std::uint8_t after) {
    if (after != before) track.add({time, before, after});
    before = after;
  };
  std::size_t at = 0;
  for (; at < edges.size() && edges[at].time <= life.from; ++at) under_way[edges[at].kind] += edges[at].by;
  change(life.from, now());
  while (at < edges.size() && edges[at].time < life.upto) {
    const TimeNs time = edges[at].time;
    for (; at < edges.size() && edges[at].time == time; ++at) under_way[edges[at].kind] += edges[at].by;
    change(time, now());
  }
  change(life.upto, WaitTrack::nothing);
  return track;
}

}  // namespace

const char* wait_name(WaitKind kind) noexcept {
  switch (kind) {
    case WaitKind::hole: return "behind a hole";
    case WaitKind::window: return "window closed";
    case WaitKind::at_limit: return "at ORD";
    case WaitKind::response: return "for responses";
    case WaitKind::transfer: return "transferring";
    case WaitKind::idle: return "idle";
  }
  return "";
}

const char* wait_words(WaitKind kind) noexcept {
  switch (kind) {
    case WaitKind::hole: return "FPDUs are there and an earlier octet is not: they cannot be delivered";
    case WaitKind::window: return "An end has closed its TCP receive window: nothing may be sent to it";
    case WaitKind::at_limit:
      return "As many Reads and atomics are outstanding as the requester's ORD allows: none may be issued";
    case WaitKind::response: return "Requests are outstanding, fewer than ORD";
    case WaitKind::transfer: return "Segments of a message follow each other; no request is outstanding";
    case WaitKind::idle: return "Nothing is under way: the programs at both ends ask for nothing";
  }
  return "";
}

void DepthCurve::add(TimeNs time, std::uint64_t outstanding) {
  times_.push_back(time);
  values_.push_back(outstanding);
  most_ = std::max(most_, outstanding);
}

DepthCurve::Range DepthCurve::over(TimeSpan span, Work& work) const {
  const std::size_t begin = times_.first_behind(span.from);
  const std::size_t end = std::max(begin, times_.first_at(span.upto, begin));
  const std::uint64_t first = begin > 0 ? values_[begin - 1] : 0;
  const Extent extent = values_.over(begin, end);
  work.visited += values_.visited(begin, end) + 1;
  return {extent.count > 0 ? std::min(first, extent.least) : first, std::max(first, extent.greatest)};
}

std::shared_ptr<const WaitTrack> Waits::together(const std::vector<std::uint32_t>& rows) const {
  if (rows.size() == 1 && rows.front() < streams.size()) return streams[rows.front()].track;
  std::vector<WaitTrack::Change> changes;
  for (const std::uint32_t row : rows) {
    if (row >= streams.size()) continue;
    const auto& more = streams[row].track->changes();
    changes.insert(changes.end(), more.begin(), more.end());
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& one, const auto& another) { return one.time < another.time; });
  auto track = std::make_shared<WaitTrack>();
  for (const auto& change : changes) track->add(change);
  return track;
}

Waits find_waits(const Log& log) {
  Waits waits;
  const StreamTable& table = log.metrics.streams();
  std::vector<Known> all = gather(log);
  for (std::size_t row = 0; row < all.size(); ++row) {
    StreamWaits& stream = waits.streams.emplace_back();
    stream.stream = table.connection(row);
    const ConnectionState* const found = log.analysis.connection(stream.stream);
    if (found == nullptr) continue;
    const TimeSpan life{found->first_time_ns, found->last_time_ns};
    const std::array<Depth, 2> ord = found->mpa.ord;
    const std::array<Depth, 2> ird = found->mpa.ird;
    Known known = std::exchange(all[row], {});
    for (const Role role : {Role::initiator, Role::responder}) {
      auto& edges = known.depths[static_cast<std::size_t>(role)];
      if (edges.empty()) continue;
      const auto mine = static_cast<std::size_t>(role);
      DepthCurve curve = curve_of(edges);
      curve.stream = stream.stream;
      curve.requester = role;
      curve.ord = ord[mine].effective;
      curve.peer_ird = ird[1 - mine].effective;
      add_time_at_limit(known.edges, curve);
      waits.depths.push_back(std::move(curve));
    }
    if (!life.empty()) stream.track = std::make_shared<const WaitTrack>(track_of(known.edges, life));
  }
  return waits;
}

}  // namespace iwarp::gui
