// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/operation_parts.hpp"

#include <algorithm>

#include <iwarp/connection_events.hpp>
#include <iwarp/export/names.hpp>

#include "models/operation_stags.hpp"
#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

QString duration(TimeNs ns) {
  return QString::fromStdString(duration_text(ns));
}

// Why it is not known, where it is not.
QString since_request(std::optional<TimeNs> ns, const OperationConclusion& operation) {
  if (ns) return duration(*ns);
  return operation.request.frame == 0 ? QStringLiteral("not known: its request was not captured")
         : operation.status == OperationStatus::terminated ? QStringLiteral("none: a Terminate ended it")
         : !operation.answered() ? QStringLiteral("not known: no answer was captured")
                                 : QStringLiteral("not known");
}

QString seconds(TimeNs time, TimeNs origin) {
  return QStringLiteral("%1 s").arg(static_cast<double>(time - origin) / 1e9, 0, 'f', 9);
}

void find_neighbours(const OperationTable& table, const Levels& levels, OperationParts& parts) {
  const TimeNs mine = table.latency_ns(parts.row);
  // Faster; of equal ones the later: the first one is the slowest, as it is where the slowest is sought.
  const auto before = [&](std::uint32_t one, std::uint32_t other) {
    return std::pair(table.latency_ns(one), other) < std::pair(table.latency_ns(other), one);
  };
  for (std::size_t at = 0; at < levels.operation_rows.size(); ++at) {
    const std::uint32_t row = levels.operation_rows[at];
    if (table.kind(row) != table.kind(parts.row) || table.latency_ns(row) == OperationTable::unknown)
      continue;
    ++parts.among;
    if (row == parts.row) continue;
    if (mine == OperationTable::unknown || before(parts.row, row)) {
      if (mine != OperationTable::unknown) ++parts.rank;
      if (!parts.slower || before(row, *parts.slower)) parts.slower = row;
    } else if (!parts.faster || before(*parts.faster, row)) {
      parts.faster = row;
    }
  }
}

void take(const Event& event, const OperationConclusion& operation, OperationParts& parts) {
  OperationPart part;
  part.frame = event.frame;
  part.time_ns = part.delivered_ns = event.time_ns;
  part.delivered = event.frame;
  switch (event.kind) {
    case EventKind::fpdu: {
      const std::uint32_t message = event.fpdu.message;
      if (message == 0 || (message != operation.message && message != operation.response_message)) return;
      part.kind = message == operation.message ? OperationPart::request : OperationPart::response;
      part.frame = event.fpdu.placed.frame;
      part.time_ns = event.fpdu.placed.time_ns;
      part.octets = event.fpdu.payload_length;
      break;
    }
    case EventKind::gap:
      if (event.gap.restated) return;
      part.kind = OperationPart::hole;
      part.octets = event.gap.length;
      break;
    case EventKind::retransmitted:
      if (event.retransmitted.duplicate_frame) return;
      part.kind = OperationPart::again;
      part.octets = event.retransmitted.length;
      break;
    default: return;
  }
  parts.parts.push_back(part);
}

// As iwarp-analyze has it: what a latency is made of depends on all that came before on its connection.
std::optional<LatencyParts> find_time(const Log& log, const OperationParts& parts) {
  const OperationConclusion& wanted = parts.event.operation;
  if (!parts.has_answer() || !wanted.latency()) return std::nullopt;
  ConnectionEvents events(log.analysis, parts.stream);
  LatencyTracker tracker;
  while (const Event* const event = events.next()) {
    if (event->frame > parts.event.frame) break;
    tracker.add(*event);
    if (tracker.parts() == nullptr || event->side != parts.event.side) continue;
    const OperationConclusion& operation = event->operation;
    if (operation.message == wanted.message && operation.request.frame == wanted.request.frame)
      return *tracker.parts();
  }
  return std::nullopt;
}

// What TCP and later responses tell of a message that nobody answers: they come behind it.
std::optional<Delivery> find_delivery(const Log& log, const OperationParts& parts, FrameNumber first) {
  constexpr std::ptrdiff_t most_frames = 1 << 16;
  if (parts.has_answer()) return std::nullopt;
  const ConnectionState* const connection = log.analysis.connection(parts.stream);
  const auto frames = log.analysis.frames_of(parts.stream);
  EventBuffer buffer;
  DeliveryTracker tracker;
  const auto begin = std::lower_bound(frames.begin(), frames.end(), first);
  for (auto frame = begin; frame != frames.end() && frame - begin < most_frames; ++frame) {
    for (const Event& event : log.analysis.events_of(*frame, buffer)) {
      if (event.connection != parts.stream) continue;
      tracker.add(event, connection);
      for (const Delivery& delivery : tracker.deliveries()) {
        if (delivery.side == parts.event.side && delivery.message == parts.event.operation.message)
          return delivery;
      }
    }
  }
  return std::nullopt;
}

struct NamedPart {
  LatencyPart which;
  LatencyParts::Part part;
};

// Those that took any time, the longest first.
std::vector<NamedPart> longest_first(const LatencyParts& time) {
  std::vector<NamedPart> parts;
  for (std::size_t at = 0; at < latency_part_count; ++at) {
    const auto which = static_cast<LatencyPart>(at);
    if (time[which].ns > 0) parts.push_back({which, time[which]});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const NamedPart& one, const NamedPart& other) { return one.part.ns > other.part.ns; });
  return parts;
}

QString words_of(LatencyPart which) {
  return QString::fromUtf8(latency_part_words(which));
}

QString frames_of(const LatencyParts::Part& part) {
  if (part.frames[0] == 0 || part.frames[1] == 0) return {};
  return part.frames[0] == part.frames[1]
             ? QObject::tr("frame %1").arg(part.frames[0])
             : QObject::tr("frames %1 to %2").arg(part.frames[0]).arg(part.frames[1]);
}

// "Where the time went", each part leading to its first frame.
Fact time_fact(const LatencyParts& time) {
  Fact fact{QStringLiteral("Where the time went"), {duration(time.total())}};
  for (const auto& [which, part] : longest_first(time)) {
    const QString frames = frames_of(part);
    fact.children.push_back({duration(part.ns),
                             {words_of(which)},
                             QString::fromUtf8(basis_name(basis_of(which))) +
                                 (frames.isEmpty() ? QString() : QStringLiteral(", ") + frames),
                             part.frames[0]});
  }
  return fact;
}

}  // namespace

TimeSpan OperationParts::span() const {
  if (parts.empty()) return {event.time_ns, event.time_ns + 1};
  TimeSpan span{parts.front().time_ns, parts.front().time_ns};
  for (const OperationPart& part : parts) {
    span.from = std::min(span.from, part.time_ns);
    span.upto = std::max({span.upto, part.time_ns, part.delivered_ns});
  }
  constexpr TimeNs least = 1000;
  span.upto = std::max(span.upto + 1, span.from + least);
  return span;
}

bool OperationParts::has_answer() const noexcept {
  const OperationKind kind = event.operation.kind;
  return kind == OperationKind::read || kind == OperationKind::atomic;
}

std::optional<TimeNs> OperationParts::arrival() const noexcept {
  std::optional<TimeNs> first;
  std::optional<TimeNs> delivered;
  for (const OperationPart& part : parts) {
    if (part.kind == OperationPart::request && !first) first = part.time_ns;
    if (part.kind == OperationPart::delivery) delivered = part.time_ns;
  }
  return first && delivered ? std::optional(std::max<TimeNs>(0, *delivered - *first)) : std::nullopt;
}

OperationParts operation_parts(const Log& log, std::uint32_t row, const Levels& levels) {
  const OperationTable& table = log.metrics.operations();
  OperationParts parts;
  parts.row = row;
  parts.event = table.event(row);
  parts.stream = table.connection(row);
  parts.from = table.from(row);
  const OperationConclusion& operation = parts.event.operation;
  const FrameNumber first = operation.request.frame != 0          ? operation.request.frame
                            : operation.first_response.frame != 0 ? operation.first_response.frame
                                                                  : operation.response.frame;
  const auto frames = log.analysis.frames_of(parts.stream);
  EventBuffer buffer;
  const Event* delivery = nullptr;
  Event last;
  for (auto frame = std::lower_bound(frames.begin(), frames.end(), first);
       frame != frames.end() && *frame <= parts.event.frame; ++frame) {
    if (parts.parts.size() >= OperationParts::most_parts) {
      parts.cut = true;
      break;
    }
    for (const Event& event : log.analysis.events_of(*frame, buffer)) {
      if (event.connection != parts.stream) continue;
      take(event, operation, parts);
      const bool mine =
          event.kind == EventKind::message &&
          (event.message.number == operation.message || event.message.number == operation.response_message);
      if (mine && event.message.number == operation.message) {
        parts.stags = stag_facts(log, parts.stream, event);
      }
      if (mine && event.message.end == MessageEnd::complete) {
        last = event;
        delivery = &last;
      }
    }
  }
  const std::uint32_t final = parts.has_answer() ? operation.response_message : operation.message;
  if (delivery != nullptr && delivery->message.number == final) {
    parts.parts.push_back({OperationPart::delivery, delivery->frame, delivery->time_ns, delivery->time_ns,
                           delivery->frame, delivery->message.length});
  }
  std::stable_sort(
      parts.parts.begin(), parts.parts.end(),
      [](const OperationPart& one, const OperationPart& other) { return one.time_ns < other.time_ns; });
  find_neighbours(table, levels, parts);
  parts.time = find_time(log, parts);
  parts.delivery = find_delivery(log, parts, first);
  return parts;
}

QString part_name(OperationPart::Kind part, OperationKind operation) {
  switch (part) {
    case OperationPart::request:
      if (operation == OperationKind::send) return QStringLiteral("Send");
      if (operation == OperationKind::write) return QStringLiteral("Write");
      if (operation == OperationKind::immediate) return QStringLiteral("Immediate");
      return QStringLiteral("Request");
    case OperationPart::response: return QStringLiteral("Response");
    case OperationPart::hole: return QStringLiteral("Hole");
    case OperationPart::again: return QStringLiteral("Sent again");
    case OperationPart::delivery: return QStringLiteral("Delivery");
  }
  return {};
}

namespace {

// The longest time between two pieces of the response, where it is a good part of the latency: empty else.
QString longest_pause(const OperationParts& parts) {
  const auto latency = parts.event.operation.latency();
  if (!latency) return {};
  const OperationPart* before = nullptr;
  const OperationPart* behind = nullptr;
  TimeNs longest = 0;
  for (const OperationPart& part : parts.parts) {
    if (part.kind != OperationPart::response) continue;
    if (before != nullptr && part.time_ns - before->time_ns > longest) {
      longest = part.time_ns - before->time_ns;
      behind = &part;
    }
    before = &part;
  }
  constexpr TimeNs share = 4;
  if (behind == nullptr || longest < *latency / share) return {};
  return QObject::tr("%1 without a segment before frame %2").arg(duration(longest)).arg(behind->frame);
}

}  // namespace

QString time_spent(const OperationParts& parts) {
  const OperationConclusion& operation = parts.event.operation;
  QStringList words;
  if (parts.time) {
    for (const auto& [which, part] : longest_first(*parts.time)) {
      const QString frames = frames_of(part);
      words << QStringLiteral("%1 %2").arg(duration(part.ns), words_of(which)) +
                   (frames.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(frames));
    }
  }
  if (const QString pause = longest_pause(parts); !pause.isEmpty()) words << pause;
  const auto arrival = parts.has_answer() ? std::nullopt : parts.arrival();
  if (arrival) {
    words << (*arrival == 0
                  ? QObject::tr("delivered at once")
                  : QObject::tr("%1 from its first octet until it was delivered").arg(duration(*arrival)));
  }
  if (parts.delivery && parts.delivery->acknowledged_ns()) {
    words << QObject::tr("acknowledged after %1 (frame %2)")
                 .arg(duration(*parts.delivery->acknowledged_ns()))
                 .arg(parts.delivery->acknowledged.frame);
  }
  const bool holes = std::any_of(parts.parts.begin(), parts.parts.end(),
                                 [](const OperationPart& part) { return part.kind == OperationPart::hole; });
  if (operation.outstanding > 1) words << QObject::tr("%1 others under way").arg(operation.outstanding - 1);
  if (holes) words << QObject::tr("octets about then were not captured");
  return words.join(QStringLiteral("; "));
}

std::vector<Fact> operation_facts(const OperationParts& parts, TimeNs origin) {
  const OperationConclusion& operation = parts.event.operation;
  const auto known = [&](std::uint64_t octets) { return QString::fromStdString(octets_text(octets)); };
  std::vector<Fact> facts{
      {QStringLiteral("Operation"), {QString::fromLatin1(operation_kind_name(operation.kind))}},
      {QStringLiteral("Stream"), {QString::number(parts.stream)}},
      {QStringLiteral("From"), {QString::fromLatin1(role_name(parts.from))}},
      {QStringLiteral("Status"), {QString::fromLatin1(operation_status_name(operation.status))}},
  };
  if (operation.status == OperationStatus::terminated) {
    facts.push_back({QStringLiteral("Ended by"),
                     {QStringLiteral("a Terminate, frame %1").arg(parts.event.frame)},
                     QStringLiteral("Enter selects that frame"),
                     parts.event.frame});
  }
  if (parts.has_answer()) {
    facts.push_back({QStringLiteral("Latency"),
                     {since_request(operation.latency(), operation)},
                     QStringLiteral("From the request to the last octet of the response")});
    facts.push_back({QStringLiteral("First octet"),
                     {since_request(operation.first_byte_latency(), operation)},
                     QStringLiteral("From the request to the first segment of the response")});
    facts.push_back({QStringLiteral("Delivered"),
                     {since_request(operation.delivery(parts.event.time_ns), operation)},
                     QStringLiteral("From the request until the response stood in stream order")});
  } else {
    facts.push_back({QStringLiteral("Latency"),
                     {QStringLiteral("none: nothing answers it")},
                     QStringLiteral("Of Reads and atomic operations alone an answer is on the wire")});
    const auto arrival = parts.arrival();
    facts.push_back({QStringLiteral("Delivered"),
                     {!arrival       ? QStringLiteral("not seen")
                      : *arrival > 0 ? duration(*arrival)
                                     : QStringLiteral("at once")},
                     QStringLiteral("From its first segment until all of it stood in stream order")});
    if (parts.delivery) {
      const Delivery& told = *parts.delivery;
      const auto since = [&](std::optional<TimeNs> ns, const Placement& moment, const QString& none) {
        return ns ? QStringLiteral("%1, frame %2").arg(duration(*ns), QString::number(moment.frame)) : none;
      };
      facts.push_back({QStringLiteral("Acknowledged"),
                       {since(told.acknowledged_ns(), told.acknowledged, QStringLiteral("not seen"))},
                       QStringLiteral("By TCP, all of it, from its first segment on"),
                       told.acknowledged.frame});
      facts.push_back({QStringLiteral("Proven delivered"),
                       {since(told.proven_ns(), told.proven, QStringLiteral("by nothing on the wire"))},
                       QStringLiteral("By the response to a Read or atomic requested behind it"),
                       told.proven.frame});
    }
  }
  const std::initializer_list<Fact> others{
      {QStringLiteral("Length"),
       {operation.known_length() ? known(*operation.known_length()) : QStringLiteral("not known")},
       QStringLiteral("Octets transferred, or asked for")},
  };
  facts.insert(facts.end(), others);
  if (parts.has_answer()) {
    facts.push_back(
        {QStringLiteral("Outstanding"),
         {operation.outstanding == 0 ? QStringLiteral("not known") : QString::number(operation.outstanding)},
         QStringLiteral("Requests under way when it was issued, itself included")});
  }
  if (operation.latency()) {
    facts.push_back({QStringLiteral("Rank"),
                     {QStringLiteral("%1 of %2").arg(parts.rank + 1).arg(parts.among)},
                     QStringLiteral("Among operations of its kind that count, the slowest first")});
  }
  if (operation.request_retransmitted) {
    facts.push_back({QStringLiteral("Request"), {QStringLiteral("was sent again")}});
  }
  if (parts.time) facts.push_back(time_fact(*parts.time));
  facts.insert(facts.end(), parts.stags.begin(), parts.stags.end());
  Fact pieces{QStringLiteral("Pieces"), {QString::number(parts.parts.size())}};
  constexpr std::size_t most_listed = 2000;
  for (std::size_t at = 0; at < std::min(parts.parts.size(), most_listed); ++at) {
    const OperationPart& part = parts.parts[at];
    QString words =
        QStringLiteral("frame %1, +%2, %3")
            .arg(QString::number(part.frame), duration(part.time_ns - parts.span().from), known(part.octets));
    if (part.delivered_ns > part.time_ns) {
      words += QStringLiteral(", delivered %1 later by frame %2")
                   .arg(duration(part.delivered_ns - part.time_ns), QString::number(part.delivered));
    }
    pieces.children.push_back({part_name(part.kind, operation.kind),
                               {words},
                               seconds(part.time_ns, origin) + QStringLiteral(" from the first frame"),
                               part.frame});
  }
  if (parts.parts.size() > most_listed || parts.cut) {
    pieces.children.push_back(
        {QStringLiteral("More"), {QStringLiteral("only the first %1 are listed").arg(most_listed)}});
  }
  facts.push_back(std::move(pieces));
  return facts;
}

}  // namespace iwarp::gui
