// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/waits.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/latency_classes.hpp"

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

// Requests of one end. Both in order of time, but where frames overtook each other.
struct Requests {
  struct Issued {
    TimeNs time;
    std::uint32_t outstanding;  // itself included; 0: not known
  };
  std::vector<Issued> issued;
  std::vector<TimeNs> over;  // when each was answered, or that was given up

  void sort() {
    const auto earlier = [](const Issued& one, const Issued& another) { return one.time < another.time; };
    if (!std::ranges::is_sorted(issued, earlier)) std::ranges::stable_sort(issued, earlier);
    if (!std::ranges::is_sorted(over)) std::ranges::sort(over);
  }
};

// What is known of one stream.
struct Known {
  Side initiator = Side::a;
  std::vector<Edge> edges;           // of all but requests
  std::array<Requests, 2> requests;  // by Role of the requester
};

// When an operation with a request was over; one without a response is outstanding until that is decided.
TimeNs end_of(const OperationTable& operations, std::size_t row) {
  const TimeNs begin = operations.time_ns(row);
  if (operations.latency_ns(row) != OperationTable::unknown) return begin + operations.latency_ns(row);
  const Event event = operations.event(row);
  const Placement& response = event.operation.response;
  return std::max(begin, response.frame != 0 ? response.time_ns : event.time_ns);
}

void add_wait_spans(Known& known, const WaitSpans::Stream& spans, TimeNs last) {
  for (const TimeSpan& hole : spans.holes) add_span(known.edges, WaitKind::hole, hole.from, hole.upto);
  for (const TimeSpan& window : spans.windows)
    add_span(known.edges, WaitKind::window, window.from, window.upto);
  for (const TimeSpan& ord : spans.at_ord) add_span(known.edges, WaitKind::at_limit, ord.from, ord.upto);
  for (const TimeSpan& credit : spans.no_credit)
    add_span(known.edges, WaitKind::no_credit, credit.from, credit.upto);
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
    Known* const of = known(operations.connection(row));
    if (of == nullptr) continue;
    const Role from = operations.side(row) == of->initiator ? Role::initiator : Role::responder;
    Requests& requests = of->requests[static_cast<std::size_t>(from)];
    requests.issued.push_back({operations.time_ns(row), operations.outstanding(row)});
    requests.over.push_back(end_of(operations, row));
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
  for (Known& each : all) {
    for (Requests& requests : each.requests) requests.sort();
  }
  return all;
}

DepthCurve curve_of(const Requests& requests) {
  DepthCurve curve;
  // Where a response was captured behind a request whose sender had received it, the log counts it as
  // answered, and its own end, which is still to come, counts no more.
  int now = 0;
  int ahead = 0;
  auto over = requests.over.begin();
  const auto take_answers = [&](TimeNs upto) {
    for (; over != requests.over.end() && *over <= upto; ++over) {
      if (ahead > 0) {
        --ahead;
      } else {
        curve.add(*over, static_cast<std::uint64_t>(std::max(0, --now)));
      }
    }
  };
  for (const Requests::Issued& request : requests.issued) {
    // At one moment responses come before requests: nobody has more outstanding for no time.
    take_answers(request.time);
    ++now;
    if (const auto most = static_cast<int>(request.outstanding); most > 0 && now > most) {
      ahead += now - most;
      now = most;
    }
    curve.add(request.time, static_cast<std::uint64_t>(std::max(0, now)));
  }
  take_answers(std::numeric_limits<TimeNs>::max());
  return curve;
}

// What is under way of each kind, as time goes on.
class UnderWay {
 public:
  // REQUIRES: both are sorted by time.
  UnderWay(const std::vector<Edge>& edges, const std::array<Requests, 2>& requests)
      : edges_(edges), requests_(requests) {}

  // Of the changes still to come; nothing: there are none.
  [[nodiscard]] std::optional<TimeNs> next() const noexcept {
    std::optional<TimeNs> next;
    const auto consider = [&](TimeNs time) { next = next ? std::min(*next, time) : time; };
    if (edge_ < edges_.size()) consider(edges_[edge_].time);
    for (std::size_t role = 0; role < requests_.size(); ++role) {
      if (issued_[role] < requests_[role].issued.size()) consider(requests_[role].issued[issued_[role]].time);
      if (over_[role] < requests_[role].over.size()) consider(requests_[role].over[over_[role]]);
    }
    return next;
  }
  // Takes the changes of that moment, the next one.
  void take(TimeNs time) noexcept {
    for (; edge_ < edges_.size() && edges_[edge_].time == time; ++edge_)
      count_[edges_[edge_].kind] += edges_[edge_].by;
    auto& responses = count_[static_cast<std::size_t>(WaitKind::response)];
    for (std::size_t role = 0; role < requests_.size(); ++role) {
      const Requests& requests = requests_[role];
      for (std::size_t& at = issued_[role]; at < requests.issued.size() && requests.issued[at].time == time;
           ++at)
        ++responses;
      for (std::size_t& at = over_[role]; at < requests.over.size() && requests.over[at] == time; ++at)
        --responses;
    }
  }
  [[nodiscard]] std::uint8_t first_kind() const noexcept {
    std::uint8_t kind = 0;
    while (kind < static_cast<std::uint8_t>(WaitKind::idle) && count_[kind] <= 0) ++kind;
    return kind;
  }

 private:
  const std::vector<Edge>& edges_;
  const std::array<Requests, 2>& requests_;
  std::size_t edge_ = 0;
  std::array<std::size_t, 2> issued_{}, over_{};  // by Role
  std::array<std::int64_t, wait_kinds> count_{};
};

WaitTrack track_of(Known& known, TimeSpan life) {
  std::ranges::sort(known.edges,
                    [](const Edge& one, const Edge& another) { return one.time < another.time; });
  WaitTrack track;
  std::uint8_t before = WaitTrack::nothing;
  const auto change = [&](TimeNs time, std::uint8_t after) {
    if (after != before) track.add({time, before, after});
    before = after;
  };
  UnderWay under_way(known.edges, known.requests);
  std::optional<TimeNs> next = under_way.next();
  for (; next && *next <= life.from; next = under_way.next()) under_way.take(*next);
  change(life.from, under_way.first_kind());
  for (; next && *next < life.upto; next = under_way.next()) {
    under_way.take(*next);
    change(*next, under_way.first_kind());
  }
  change(life.upto, WaitTrack::nothing);
  return track;
}

// Puts runs, each of which is in order, into one order, equal ones in that of their runs. Run n ends where
// `ends` says; all of them in log2(runs) passes.
template <typename Thing, typename Earlier>
void merge_runs(std::vector<Thing>& things, std::vector<std::size_t> ends, Earlier earlier) {
  std::vector<Thing> merged(ends.size() > 1 ? things.size() : 0);
  while (ends.size() > 1) {
    std::vector<std::size_t> longer;
    std::size_t begin = 0;
    for (std::size_t run = 0; run < ends.size(); run += 2) {
      const std::size_t middle = ends[run];
      const std::size_t end = run + 1 < ends.size() ? ends[run + 1] : middle;
      const auto at = [&](std::size_t place) { return things.begin() + static_cast<std::ptrdiff_t>(place); };
      std::merge(at(begin), at(middle), at(middle), at(end),
                 merged.begin() + static_cast<std::ptrdiff_t>(begin), earlier);
      longer.push_back(end);
      begin = end;
    }
    things.swap(merged);
    ends = std::move(longer);
  }
}

}  // namespace

const char* wait_name(WaitKind kind) noexcept {
  switch (kind) {
    case WaitKind::hole: return "behind a hole";
    case WaitKind::window: return "window closed or full";
    case WaitKind::at_limit: return "at ORD";
    case WaitKind::no_credit: return "without credits";
    case WaitKind::response: return "for responses";
    case WaitKind::transfer: return "transferring";
    case WaitKind::idle: return "nothing on the wire";
  }
  return "";
}

const char* wait_words(WaitKind kind) noexcept {
  switch (kind) {
    case WaitKind::hole: return "FPDUs are there and an earlier octet is not: they cannot be delivered";
    case WaitKind::window:
      return "No further segment fits into the TCP receive window of an end, or it has closed that: nothing "
             "may be sent to it";
    case WaitKind::at_limit:
      return "As many Reads and atomics are outstanding as the requester's ORD allows, and the next one is "
             "sent "
             "as soon as it may";
    case WaitKind::no_credit:
      return "The ULP's peer had granted no more messages, and the next one is sent as soon as it may";
    case WaitKind::response: return "Requests are outstanding, and no other one waits for its turn";
    case WaitKind::transfer: return "Segments of a message follow each other; no request is outstanding";
    case WaitKind::idle:
      return "Nothing is on the wire: the programs ask for nothing, or TCP holds back what they sent (a "
             "finding "
             "PERF-DELACK tells of that)";
  }
  return "";
}

void DepthCurve::add(TimeNs time, std::uint64_t outstanding) {
  times_.push_back(time);
  values_.push_back(outstanding);
  most_ = std::max(most_, outstanding);
}

TimeNs DepthCurve::most_at(TimeSpan span) const {
  const std::size_t begin = times_.first_behind(span.from);
  const std::size_t end = std::max(begin, times_.first_at(span.upto, begin));
  const auto place = place_of_greatest(values_, {begin, end});
  const bool rises = place && (begin == 0 || values_[*place] > values_[begin - 1]);
  return rises ? times_[*place] : span.from;
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
  std::vector<std::size_t> ends;  // of each stream's
  for (const std::uint32_t row : rows) {
    if (row >= streams.size()) continue;
    const auto& more = streams[row].track->changes();
    changes.insert(changes.end(), more.begin(), more.end());
    ends.push_back(changes.size());
  }
  merge_runs(changes, std::move(ends),
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
      const auto mine = static_cast<std::size_t>(role);
      if (known.requests[mine].issued.empty()) continue;
      DepthCurve curve = curve_of(known.requests[mine]);
      curve.stream = stream.stream;
      curve.requester = role;
      curve.ord = ord[mine].effective;
      curve.peer_ird = ird[1 - mine].effective;
      waits.depths.push_back(std::move(curve));
    }
    if (!life.empty()) stream.track = std::make_shared<const WaitTrack>(track_of(known, life));
  }
  return waits;
}

}  // namespace iwarp::gui
