// How a Flow is made: messages and operations are taken from the tables, what TCP did from the log.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <map>

#include <iwarp/connection_events.hpp>

#include "models/flow.hpp"
#include "models/late_fpdus.hpp"
#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

constexpr std::uint32_t none = FlowMessage::none;

// Which rows of a table count.
std::vector<bool> marks_of(const RowList& rows) {
  std::vector<bool> marks(rows.taken());
  for (std::size_t at = 0; at < rows.size(); ++at) marks[rows[at]] = true;
  return marks;
}

std::string words_of(const StartupFact& startup) {
  std::string words = startup.kind == wire::StartupKind::request ? "MPA Request rev " : "MPA Reply rev ";
  words += std::to_string(startup.revision);
  if (startup.rejected) words += " · rejected";
  if (startup.crc) words += " · CRC";
  if (startup.markers) words += " · markers";
  if (startup.has_word)
    words += " · IRD " + std::to_string(startup.word.ird) + ", ORD " + std::to_string(startup.word.ord);
  const std::size_t own = startup.private_data_length;
  if (own > 0) words += " · " + octets_text(own) + " of Private Data";
  return words;
}

class FlowBuilder {
 public:
  FlowBuilder(const Log& log, ConnectionId stream, const Levels& levels)
      : log_(log), levels_(levels), flow_(std::make_shared<Flow>()) {
    flow_->stream = stream;
  }

  std::shared_ptr<const Flow> build() {
    const StreamTable& streams = log_.metrics.streams();
    const std::size_t end = streams.size();
    std::size_t row = 0;
    while (row < end && streams.connection(row) != flow_->stream) ++row;
    if (row < end) {
      initiator_ = streams.totals(row).initiator_is_b.load(std::memory_order_relaxed) ? Side::b : Side::a;
      flow_->endpoints = {streams.endpoints(row)[index(initiator_)],
                          streams.endpoints(row)[index(other(initiator_))]};
      take_messages();
      take_operations();
      take_findings();
      take_log();
      find_causes();
      flow_->arrange();
    }
    return flow_;
  }

 private:
  [[nodiscard]] Role role(Side side) const noexcept {
    return side == initiator_ ? Role::initiator : Role::responder;
  }
  [[nodiscard]] FlowTrack& track(Side sender) { return flow_->tracks[static_cast<unsigned>(role(sender))]; }

  void take_messages() {
    const MessageTable& table = log_.metrics.messages();
    const std::size_t end = table.size();
    for (std::size_t row = 0; row < end; ++row) {
      if (table.connection(row) != flow_->stream) continue;
      const MessageConclusion message = table.event(row).message;
      FlowMessage taken;
      taken.placed_ns = table.time_ns(row);
      taken.begun_ns =
          message.begun.frame != 0 ? std::min(message.begun.time_ns, taken.placed_ns) : taken.placed_ns;
      taken.length = message.length;
      taken.row = static_cast<std::uint32_t>(row);
      taken.segments = message.segments;
      taken.opcode = message.opcode;
      taken.from = table.from(row);
      const auto number = static_cast<std::size_t>(message.number);
      if (number >= by_number_.size())
        by_number_.resize(std::max<std::size_t>(number + 1, by_number_.size() * 2), none);
      by_number_[number] = static_cast<std::uint32_t>(flow_->messages.size());
      flow_->messages.push_back(taken);
    }
    latency_.assign(flow_->messages.size(), no_value);
  }

  [[nodiscard]] std::uint32_t numbered(std::uint32_t number) const {
    return number != 0 && number < by_number_.size() ? by_number_[number] : none;
  }

  void take_operations() {
    const OperationTable& table = log_.metrics.operations();
    const std::size_t end = table.size();
    for (std::size_t row = 0; row < end; ++row) {
      if (table.connection(row) != flow_->stream) continue;
      const OperationConclusion operation = table.event(row).operation;
      const std::uint32_t request = numbered(operation.message);
      const std::uint32_t response = numbered(operation.response_message);
      for (const std::uint32_t message : {request, response}) {
        if (message != none) flow_->messages[message].operation = static_cast<std::uint32_t>(row);
      }
      if (response != none && request != none) flow_->messages[response].cause = request;
      const std::uint32_t asks = request != none ? request : response;
      if (asks != none && table.latency_ns(row) != OperationTable::unknown) {
        latency_[asks] = static_cast<std::uint64_t>(table.latency_ns(row));
      }
    }
  }

  void take_findings() {
    const FindingTable& table = log_.metrics.findings();
    const std::size_t end = table.size();
    for (std::size_t row = 0; row < end; ++row) {
      if (table.connection(row) != flow_->stream) continue;
      flow_->findings.push_back({table.finding(row).time_ns, static_cast<std::uint32_t>(row),
                                 table.finding(row).severity, table.from(row)});
    }
    sort(flow_->findings);
  }

  template <typename Thing>
  static void sort(std::vector<Thing>& things) {
    std::stable_sort(things.begin(), things.end(),
                     [](const Thing& one, const Thing& another) { return one.time_ns < another.time_ns; });
  }

  void take_log() {
    ConnectionEvents events(log_.analysis, flow_->stream);
    while (const Event* const event = events.next()) take(*event);
    for (FlowTrack& track : flow_->tracks) {
      sort(track.fpdus);
      sort(track.again);
      sort(track.late);
      sort(track.holes);
      sort(track.acks);
      sort(track.windows);
      for (const FlowPiece& piece : track.fpdus) {
        track.begins.push_back(piece.offset);
        track.ends.push_back(piece.offset + piece.length);
      }
    }
    sort(flow_->steps);
    flow_->tap = tap_of(turns_);
  }

  void take(const Event& event) {
    FlowTrack& sent = track(event.side);
    TimeNs time = event.time_ns;
    const bool late = late_.add(event);
    switch (event.kind) {
      case EventKind::syn:
        if (syn_[index(other(event.side))] && !syn_[index(event.side)])
          turn(event.side, time - *syn_[index(other(event.side))]);
        syn_[index(event.side)] = time;
        step(event, FlowStep::Kind::syn, {time, event.frame},
             syn_[index(other(event.side))] ? "SYN, ACK" : "SYN");
        return;
      case EventKind::startup: {
        const bool asks = event.startup.kind == wire::StartupKind::request;
        step(event, asks ? FlowStep::Kind::request : FlowStep::Kind::reply,
             {event.startup.placed.time_ns, event.startup.placed.frame}, words_of(event.startup));
        // It comes no sooner than the acknowledgement of the peer's SYN, which the log does not have.
        const auto& before = syn_[index(other(event.side))];
        if (before && asks) turn(event.side, event.startup.placed.time_ns - *before);
        return;
      }
      case EventKind::fpdu: {
        time = event.fpdu.placed.frame != 0 ? event.fpdu.placed.time_ns : time;
        const std::uint32_t place = numbered(event.fpdu.message);
        sent.fpdus.push_back({time, event.offset, event.fpdu.wire_size,
                              static_cast<std::uint32_t>(event.fpdu.placed.frame),
                              place != none ? flow_->messages[place].row : none, event.fpdu.ddp.opcode()});
        if (late) sent.late.push_back(sent.fpdus.back());
        turn_at(event.side, event.ack, time);
        auto& waits = waiting_[index(event.side)];
        if (!waits && event.fpdu.placed.frame == event.frame)
          waits = FlowAck{time, event.offset + event.fpdu.wire_size};
        return;
      }
      case EventKind::received: {
        std::vector<FlowAck>& acks = track(other(event.side)).acks;
        const StreamOffset upto = event.received.upto;
        if (acks.empty() || acks.back().offset < upto) acks.push_back({event.received.segment.time_ns, upto});
        return;
      }
      case EventKind::retransmitted:
        if (!event.retransmitted.duplicate_frame) {
          sent.again.push_back({time, event.offset, event.retransmitted.length,
                                static_cast<std::uint32_t>(event.frame), none, wire::Opcode::send});
        }
        return;
      case EventKind::gap:
        if (!event.gap.restated) {
          sent.holes.push_back({time, event.offset, event.gap.length, static_cast<std::uint32_t>(event.frame),
                                none, wire::Opcode::send});
        }
        return;
      case EventKind::fin: return step(event, FlowStep::Kind::fin, end_of(event), "FIN");
      case EventKind::rst: return step(event, FlowStep::Kind::rst, end_of(event), "RST");
      case EventKind::window: {
        FlowTrack& of = track(other(event.side));
        of.windows.push_back({time, event.window.closed});
        of.window_closed = of.window_closed || event.window.closed;
        return;
      }
      case EventKind::window_full: {
        FlowTrack& of = track(other(event.side));
        of.windows.push_back({event.window_full.since.time_ns, true});
        of.windows.push_back({time, false});
        of.window_closed = true;
        return;
      }
      default: return;
    }
  }

  struct Moment {
    TimeNs time;
    FrameNumber frame;
  };
  // A segment that ends a direction may have waited for others.
  static Moment end_of(const Event& event) {
    const Placement& segment = event.end.segment;
    if (segment.frame != 0) return {segment.time_ns, segment.frame};
    return {event.time_ns, event.frame};
  }
  void step(const Event& event, FlowStep::Kind kind, Moment moment, std::string words) {
    if (flow_->steps.size() >= Flow::most_steps) return;
    flow_->steps.push_back({moment.time, moment.frame, kind, role(event.side), std::move(words)});
  }

  void turn(Side side, TimeNs delay) { turns_[static_cast<unsigned>(role(side))].add(delay); }

  // An acknowledgement that comes with an FPDU: others may be delayed, each end's as its TCP likes.
  void turn_at(Side by, StreamOffset ack, TimeNs time) {
    auto& waits = waiting_[index(other(by))];
    if (ack == 0 || !waits || ack < waits->offset) return;
    turn(by, time - waits->time_ns);
    waits.reset();
  }

  void find_causes() {
    std::vector<FlowMessage>& messages = flow_->messages;
    // STags by the role of the host that they belong to.
    std::map<std::pair<Role, std::uint32_t>, std::uint32_t> used;
    std::map<std::uint32_t, std::uint32_t> in_frame;  // only needed where something was terminated
    const MessageTable& table = log_.metrics.messages();
    bool terminated = false;
    for (const FlowMessage& message : messages)
      terminated = terminated || message.opcode == wire::Opcode::terminate;
    for (std::uint32_t at = 0; at < messages.size(); ++at) {
      FlowMessage& message = messages[at];
      const bool tagged = wire::is_tagged(message.opcode);
      const bool invalidates = wire::invalidates(message.opcode);
      if (!tagged && !invalidates && !terminated) continue;
      const MessageConclusion whole = table.event(message.row).message;
      if (terminated) {
        if (message.opcode == wire::Opcode::terminate) {
          const auto about = in_frame.find(static_cast<std::uint32_t>(table.refers_to(message.row)));
          if (about != in_frame.end()) message.cause = about->second;
        }
        in_frame[static_cast<std::uint32_t>(whole.placed.frame)] = at;
      }
      const std::pair name{other(message.from), whole.stag};
      if (tagged) used[name] = at;
      if (!invalidates) continue;
      if (const auto last = used.find(name); last != used.end()) message.cause = last->second;
    }
    if (terminated) find_broken_messages();
    // What does not count is left out, and so are causes that do not.
    std::vector<std::uint32_t> places(messages.size(), none);
    const bool all = levels_.scope.filter.empty();
    const std::vector<bool> counted = all ? std::vector<bool>() : marks_of(levels_.message_rows);
    const std::vector<bool> operations = all ? std::vector<bool>() : marks_of(levels_.operation_rows);
    const auto is_marked = [](const std::vector<bool>& marks, std::uint32_t row) {
      return row < marks.size() && marks[row];
    };
    std::uint32_t kept = 0;
    for (std::uint32_t at = 0; at < messages.size(); ++at) {
      if (!all && !is_marked(counted, messages[at].row) && !is_marked(operations, messages[at].operation))
        continue;
      places[at] = kept;
      messages[kept] = messages[at];
      flow_->latency.push_back(latency_[at]);
      ++kept;
    }
    messages.resize(kept);
    for (FlowMessage& message : messages) {
      if (message.cause != none) message.cause = places[message.cause];
    }
  }

  // Of Terminates about a frame within a message, which may end behind them.
  void find_broken_messages() {
    std::vector<FlowMessage>& messages = flow_->messages;
    const MessageTable& table = log_.metrics.messages();
    for (FlowMessage& terminate : messages) {
      const auto about = static_cast<FrameNumber>(table.refers_to(terminate.row));
      if (terminate.opcode != wire::Opcode::terminate || terminate.cause != none || about == 0) continue;
      for (std::uint32_t at = 0; at < messages.size(); ++at) {
        if (messages[at].from == terminate.from) continue;
        const MessageConclusion whole = table.event(messages[at].row).message;
        if (whole.first_frame <= about && about <= whole.placed.frame) terminate.cause = at;
      }
    }
  }

  const Log& log_;
  const Levels& levels_;
  std::shared_ptr<Flow> flow_;
  Side initiator_ = Side::a;
  std::vector<std::uint32_t> by_number_;           // place of a message in flow_->messages
  std::vector<std::uint64_t> latency_;             // by that place
  std::array<std::optional<TimeNs>, 2> syn_;       // by Side
  std::array<std::optional<FlowAck>, 2> waiting_;  // by Side of the sender: the first octets not acknowledged
  LateFpdus late_;
  std::array<TurnAround, 2> turns_;  // by Role
};

}  // namespace

std::shared_ptr<const Flow> make_flow(const Log& log, ConnectionId stream, const Levels& levels) {
  return FlowBuilder(log, stream, levels).build();
}

}  // namespace iwarp::gui
