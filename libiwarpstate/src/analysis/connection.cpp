// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/connection.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace iwarp {
namespace {

constexpr Side sides[] = {Side::a, Side::b};

// Octets of one direction looked through for framing when nothing shows that it is iWARP at all.
constexpr std::uint64_t max_sought = 4U << 20U;
// A hole whose octets nobody can acknowledge, the other direction not being captured.
constexpr std::size_t one_sided_waiting = 64U << 10U;
constexpr TimeNs one_sided_hole_ns = 1'000'000'000;
constexpr TimeNs any_hole_ns = 10'000'000'000;

stream::CausalOrderOptions order_options(const AnalyzerOptions& options) {
  stream::CausalOrderOptions order;
  order.reorder_frames = options.reorder_frames;
  order.reorder_time_ns = options.reorder_time_ns;
  return order;
}

// The SYN's sender is side a; a SYN+ACK names it as its destination.
bool first_is_side_b(const TcpSegment& first) noexcept {
  return (first.flags & tcp::syn) != 0 && (first.flags & tcp::ack) != 0;
}

}  // namespace

Connection::Connection(ConnectionId id, const TcpSegment& first, const AnalyzerOptions& options, Recorder& recorder)
    : options_(options),
      recorder_(recorder),
      streams_{stream::Reassembler({options.max_buffered_octets}), stream::Reassembler({options.max_buffered_octets})},
      order_(order_options(options)) {
  state_.id = id;
  state_.endpoints = first_is_side_b(first) ? std::array{first.destination, first.source}
                                            : std::array{first.source, first.destination};
  last_time_ns_ = first.time_ns;
}

void Connection::record_opened(Side side, const TcpSegment& segment) {
  seen_[index(side)] = true;
  negotiation_.captured(side);
  Event opened = recorder_.make(EventKind::opened, state_, side, 0);
  std::construct_at(&opened.opened,
                    OpenedFact{(segment.flags & tcp::syn) != 0 ? OpenedBy::handshake : OpenedBy::midstream});
  recorder_.fact(state_, opened);
}

void Connection::add(const TcpSegment& segment) {
  const Side side = side_of(segment.source);
  if (!seen_[index(side)]) record_opened(side, segment);
  if (segment.time_ns < last_time_ns_) {
    note_once(side, CheckId::cap_tsrev, static_cast<std::uint64_t>(last_time_ns_ - segment.time_ns));
  }
  last_frame_ = segment.frame;
  last_time_ns_ = segment.time_ns;
  order_.add(side, segment, streams_);
  run_steps();
  for (const Side each : sides) give_up_old_holes(each);
  if (state_.iwarp && !notes_.empty()) flush_notes();
}

void Connection::run_steps() {
  for (stream::CausalOrder::Step step; order_.next(step, streams_);) {
    if (step.kind == stream::CausalOrder::Kind::missing) {
      while (streams_[index(step.side)].declare_gap(step.upto)) drain(step.side);
    } else {
      streams_[index(other(step.side))].acknowledged(step.ack);
      drain(other(step.side));
      deliver(step.side, *step.segment, step.ack);
    }
  }
}

void Connection::deliver(Side side, const TcpSegment& segment, StreamOffset ack) {
  stream::Reassembler& stream = streams_[index(side)];
  if ((segment.flags & tcp::syn) != 0) record_syn(side, segment);
  if ((segment.flags & tcp::ack) != 0) record_acknowledgement(side, segment);
  const stream::PushResult result = stream.push(segment, ack);
  record_push(side, segment, result);
  if ((segment.flags & tcp::fin) != 0) directions_[index(side)].fin_ack = ack;
  constexpr std::size_t max_conflicts = 8;
  if (result.conflict) {
    std::vector<OpenConflict>& open = directions_[index(side)].conflicts;
    if (open.size() == max_conflicts) settle_conflicts(side, 0, ~StreamOffset{0}, false);
    open.push_back({*result.conflict, segment.frame});
  }
  drain(side);
  if (result.limit || result.refused > 0) {
    note_once(side, CheckId::cap_limit, static_cast<std::uint64_t>(Phrase::buffered_octets), stream.waiting_octets());
    if (const auto hole = stream.hole(); hole && stream.declare_gap(hole->end)) drain(side);
  }
  if (result.conflict) {
    const Direction& direction = directions_[index(side)];
    const bool framed = direction.reception == Reception::framing || direction.seeking;
    const bool decided = recover(side);
    settle_conflicts(side, 0, framed ? direction.framer.position() : stream.next_offset(), decided);
  }
  if ((segment.flags & tcp::rst) != 0 && !state_.side(side).rst_frame) {
    Direction& direction = directions_[index(side)];
    Event rst = recorder_.make(EventKind::rst, state_, side, stream.next_offset(), ack);
    const bool inside = direction.reception == Reception::framing && direction.framer.inside_fpdu();
    std::construct_at(&rst.end, EndFact{inside, direction.gapped});
    recorder_.fact(state_, rst);
  }
}

void Connection::record_syn(Side side, const TcpSegment& segment) {
  Direction& direction = directions_[index(side)];
  if (streams_[index(side)].syn_seen()) return;
  direction.syn_sequence = segment.sequence;
  Event syn = recorder_.make(EventKind::syn, state_, side, 0);
  std::construct_at(&syn.syn, SynFact{segment.mss});
  recorder_.fact(state_, syn);
}

void Connection::record_acknowledgement(Side side, const TcpSegment& segment) {
  const Fifo<StreamOffset>& watched = state_.side(other(side)).watched;
  if (!watched.empty()) {
    const auto offset = streams_[index(other(side))].offset_of(segment.acknowledgement);
    if (offset && *offset >= watched.front()) {
      recorder_.fact(state_, recorder_.make(EventKind::acknowledged, state_, side,
                                            streams_[index(side)].next_offset(), *offset));
    }
  }
  Direction& direction = directions_[index(side)];
  const bool closed = segment.window == 0 && (segment.flags & (tcp::rst | tcp::syn)) == 0;
  if (closed != direction.window_closed) {
    direction.window_closed = closed;
    Event window = recorder_.make(EventKind::window, state_, side, streams_[index(side)].next_offset());
    std::construct_at(&window.window, WindowFact{closed});
    recorder_.fact(state_, window);
  }
}

void Connection::record_push(Side side, const TcpSegment& segment, const stream::PushResult& result) {
  if (segment.checksum == ChecksumStatus::bad) note_once(side, CheckId::cap_cksum);
  if (segment.payload.size() < segment.wire_length) {
    note_once(side, CheckId::cap_snap, segment.payload.size(), segment.wire_length);
  }
  if (result.duplicate) note_once(side, CheckId::cap_dupframe);
  if (result.retransmitted > 0 || result.duplicate) {
    const stream::Reassembler& stream = streams_[index(side)];
    Event again = recorder_.make(EventKind::retransmitted, state_, side,
                                 stream.offset_of(segment.sequence).value_or(stream.next_offset()));
    std::construct_at(&again.retransmitted, RetransmittedFact{result.retransmitted, result.duplicate});
    recorder_.fact(state_, again);
  }
}

void Connection::drain(Side side) {
  stream::Reassembler& stream = streams_[index(side)];
  for (stream::Chunk chunk; stream.poll(chunk);) take_chunk(side, chunk);
  if (stream.fin_reached()) record_fin(side);
}

void Connection::record_fin(Side side) {
  Direction& direction = directions_[index(side)];
  if (direction.fin_recorded) return;
  direction.fin_recorded = true;
  Event fin = recorder_.make(EventKind::fin, state_, side, *streams_[index(side)].fin_offset(),
                             direction.fin_ack);
  const bool inside = direction.reception == Reception::framing && direction.framer.inside_fpdu();
  std::construct_at(&fin.end, EndFact{inside, direction.gapped});
  recorder_.fact(state_, fin);
  const mpa::StartupScanner& scanner = negotiation_.scanner(side);
  if (direction.reception == Reception::streaming && scanner.header_complete() && !scanner.complete()) {
    negotiation_.finish();  // the rest of the start-up frame will not come
    negotiation_due_ = true;
    settle();
  }
}

void Connection::take_chunk(Side side, const stream::Chunk& chunk) {
  Direction& direction = directions_[index(side)];
  if (!direction.opened) {
    direction.opened = true;
    direction.origin = chunk.offset;
    const bool from_start = streams_[index(side)].syn_seen() && chunk.offset == 0 && !chunk.octets.empty();
    negotiation_.open(side, chunk.offset, from_start);
    if (!streams_[index(side)].syn_seen()) seek(side, chunk.offset);
  }
  if (!chunk.octets.empty()) {
    direction.spans.add(chunk);
    take_octets(side, chunk.octets, chunk.segment_start);
  }
  if (chunk.absent > 0) take_absent(side, chunk);
}

void Connection::take_octets(Side side, ByteView octets, bool segment_start) {
  Direction& direction = directions_[index(side)];
  if (direction.reception == Reception::abandoned) return direction.spans.forget_before(~StreamOffset{0});
  if (direction.reception == Reception::framing) {
    direction.framer.push(octets, segment_start);
    if (!run_framer(side)) settle();
    return;
  }
  if (direction.refused && segment_start) judge_refused(side, octets);
  if (direction.seeking) {
    direction.sought += octets.size();
    direction.framer.push(octets, segment_start);
    if (!run_framer(side)) return settle();
    if (direction.reception == Reception::framing) return;
    if (direction.sought > max_sought && !state_.iwarp) {
      direction.seeking = false;
      direction.framer = mpa::Framer();
    }
  }
  mpa::StartupScanner& scanner = negotiation_.scanner(side);
  scanner.push(octets, segment_start);
  negotiation_due_ = true;
  settle();
  if (direction.reception == Reception::streaming) {
    const StreamOffset needed = direction.seeking ? std::min(scanner.held_from(), direction.framer.position())
                                                  : scanner.held_from();
    direction.spans.forget_before(needed);
  }
}

void Connection::take_absent(Side side, const stream::Chunk& chunk) {
  Direction& direction = directions_[index(side)];
  const bool uncaptured = chunk.cause == stream::Absence::uncaptured;
  const StreamOffset at = chunk.offset + chunk.octets.size();
  bool kept = false;
  if (direction.reception == Reception::framing || direction.seeking) kept = direction.framer.push_absent(chunk.absent);
  if (direction.reception == Reception::streaming) {
    negotiation_.scanner(side).push_absent(chunk.absent);
    if (uncaptured) {
      negotiation_.missing(side);
      if (!direction.seeking) seek(side, at + chunk.absent);
    }
  }
  direction.gapped = direction.gapped || uncaptured;
  Event gap = recorder_.make(EventKind::gap, state_, side, at, chunk.ack);
  std::construct_at(&gap.gap, GapFact{chunk.absent, uncaptured ? GapCause::uncaptured : GapCause::snaplen, kept});
  recorder_.fact(state_, gap);
  if (uncaptured && state_.iwarp) {
    recorder_.finding(state_, side, at, CheckId::cap_gap, {chunk.absent, at - std::min(at, direction.origin)});
  }
  direction.unpolled = direction.reception == Reception::framing || direction.seeking;
  negotiation_due_ = true;
  settle();
}

// Full Operation may be under way: its start was not captured.
void Connection::seek(Side side, StreamOffset at) {
  Direction& direction = directions_[index(side)];
  mpa::FramerParameters parameters;
  parameters.markers = Mode::unknown;
  parameters.crc = Mode::unknown;
  direction.framer.seek(parameters, at, false);
  direction.seeking = true;
  direction.sought = 0;
}

// Asks framers and negotiation in turn until none of them has anything to say: one may hand octets to the other,
// as often as a hostile stream has start-up frames in it.
void Connection::settle() {
  for (;;) {
    for (const Side side : sides) {
      if (std::exchange(directions_[index(side)].unpolled, false)) (void)run_framer(side);
    }
    if (std::exchange(negotiation_due_, false)) {
      run_negotiation();
    } else if (!directions_[0].unpolled && !directions_[1].unpolled) {
      return;
    }
  }
}

// False when Full Operation was left: a start-up key stands where an FPDU should begin.
bool Connection::run_framer(Side side) {
  Direction& direction = directions_[index(side)];
  for (;;) {
    switch (direction.framer.poll()) {
      case mpa::Framer::Output::none: return true;
      case mpa::Framer::Output::fpdu: {
        const mpa::FramedFpdu& fpdu = direction.framer.fpdu();
        Bytes patched;
        const StreamOffset begin = fpdu.begin;
        const bool better_copy = fpdu.crc == CrcStatus::bad && try_alternates(side, fpdu, patched);
        if (better_copy) {
          mpa::FramedFpdu better;
          mpa::examine(direction.framer.parameters(), fpdu.begin, patched, fpdu.ulpdu_length, better);
          record_fpdu(side, better, false);
        } else {
          record_fpdu(side, fpdu, false);
          if (fpdu.crc == CrcStatus::bad) keep_bad(side, fpdu);
        }
        if (fpdu.crc == CrcStatus::good && direction.framer.parameters().crc == Mode::unknown) {
          direction.framer.set_crc(Mode::on);
          record_mode(side);
        }
        if (!direction.conflicts.empty()) settle_conflicts(side, begin, direction.framer.position(), better_copy);
        direction.spans.forget_before(direction.framer.position());
        break;
      }
      case mpa::Framer::Output::locked: record_lock(side); break;
      case mpa::Framer::Output::marker_use: {
        const bool present = direction.framer.parameters().markers == Mode::on;
        const auto phrase = [](bool used) { return static_cast<std::uint64_t>(used ? Phrase::present : Phrase::absent); };
        if (direction.modes_told) {
          recorder_.finding(state_, side, direction.framer.position(), CheckId::mpa_mkuse, {phrase(present), phrase(!present)});
        }
        record_mode(side);
        break;
      }
      case mpa::Framer::Output::startup: leave_operation(side); return false;
    }
  }
}

void Connection::run_negotiation() {
  for (;;) {
    const mpa::Decision decision = negotiation_.poll();
    switch (decision.kind) {
      case mpa::Decision::Kind::none: return;
      case mpa::Decision::Kind::startup:
        record_startup(decision);
        if (negotiation_.crossed()) {
          for (const Side side : sides) expect_terminate(side);
        }
        break;
      case mpa::Decision::Kind::operate: operate(decision); break;
      case mpa::Decision::Kind::seek:
        if (Direction& direction = directions_[index(decision.side)]; direction.reception == Reception::streaming) {
          if (!direction.seeking) seek(decision.side, decision.at);
        }
        break;
      case mpa::Decision::Kind::rejected:
        for (const Side side : sides) {
          const mpa::StartupScanner& scanner = negotiation_.scanner(side);
          if (!scanner.complete()) continue;
          directions_[index(side)].refused = true;
          const Bytes behind(scanner.behind().begin(), scanner.behind().end());
          back_to_streaming(side, scanner.end(), behind);
        }
        break;
      case mpa::Decision::Kind::nonsense_answer: answer_nonsense(decision); break;
    }
  }
}

void Connection::record_startup(const mpa::Decision& decision) {
  const mpa::StartupScanner& scanner = negotiation_.scanner(decision.side);
  const wire::StartupFrame frame = scanner.frame();
  const SpanMap& spans = directions_[index(decision.side)].spans;
  const StreamSpan* first = spans.find(scanner.begin());
  Event event = recorder_.make(EventKind::startup, state_, decision.side, scanner.begin(), first ? first->ack : 0);
  StartupFact fact;
  fact.kind = frame.kind;
  fact.revision = frame.revision;
  fact.markers = frame.markers;
  fact.crc = frame.crc;
  fact.rejected = frame.rejected;
  fact.enhanced = frame.enhanced;
  fact.reserved_flags = frame.reserved_flags;
  fact.delayed = !scanner.expected();
  fact.private_data_length = frame.private_data_length;
  fact.private_data_received = static_cast<std::uint16_t>(scanner.private_data_received());
  fact.early_octets = decision.early_octets;
  fact.first_frame = first ? first->frame : recorder_.frame();
  if (const auto word = frame.enhanced_word()) {
    fact.has_word = true;
    fact.word = *word;
  }
  constexpr std::uint16_t smbd_port = 5445;
  const bool smbd = state_.endpoints[0].port == smbd_port || state_.endpoints[1].port == smbd_port;
  if (smbd && frame.revision == 1 && !frame.enhanced && frame.private_data.size() >= 8) {
    fact.has_smbd = true;
    fact.smbd_ird = load_be32(frame.private_data.data());
    fact.smbd_ord = load_be32(frame.private_data.data() + 4);
  }
  fact.private_data_id = private_data_.add(frame.private_data);
  std::construct_at(&event.startup, fact);
  recorder_.fact(state_, event);
  if (decision.early_octets > 0) {
    recorder_.finding(state_, other(decision.side), negotiation_.scanner(other(decision.side)).end(), CheckId::mpa_early,
                      {decision.early_octets});
  }
}

void Connection::operate(const mpa::Decision& decision) {
  Direction& direction = directions_[index(decision.side)];
  direction.reception = Reception::framing;
  direction.seeking = false;
  direction.refused = false;
  direction.modes_told = decision.parameters.markers != Mode::unknown && decision.parameters.crc != Mode::unknown;
  direction.origin = decision.at;
  mpa::FramerParameters parameters = decision.parameters;
  if (parameters.markers == Mode::unknown) parameters.markers = Mode::off;  // the first FPDU tells
  direction.framer.begin(parameters, decision.at);
  direction.spans.forget_before(decision.at);
  hand_over(decision.side, decision.behind);
}

// A start-up key stands where an FPDU should begin: another start-up on this connection.
void Connection::leave_operation(Side side) {
  Direction& direction = directions_[index(side)];
  const ByteView rest = direction.framer.rest();
  const Bytes octets(rest.begin(), rest.end());
  back_to_streaming(side, direction.framer.position(), octets);
  constexpr std::uint32_t max_startups = 1024;
  if (state_.mpa.startups < max_startups) return;
  direction.reception = Reception::abandoned;
  note_once(side, CheckId::cap_limit, static_cast<std::uint64_t>(Phrase::startups), max_startups);
}

// Octets that a scanner had held back are the framer's.
void Connection::hand_over(Side side, ByteView octets) {
  Direction& direction = directions_[index(side)];
  direction.handed_over.assign(octets.begin(), octets.end());
  direction.framer.push(direction.handed_over, false);
  direction.unpolled = true;
}

void Connection::back_to_streaming(Side side, StreamOffset at, ByteView octets) {
  Direction& direction = directions_[index(side)];
  direction.reception = Reception::streaming;
  direction.seeking = false;
  negotiation_.reopen(side, at);
  if (octets.empty()) return;
  if (direction.refused) judge_refused(side, octets);
  negotiation_.scanner(side).push(octets, true);
  negotiation_due_ = true;
}

void Connection::answer_nonsense(const mpa::Decision& decision) {
  const mpa::StartupScanner& answer = negotiation_.scanner(decision.side);
  recorder_.finding(state_, decision.side, answer.position() - answer.seen(), CheckId::mpa_key, {answer.first_word()},
                    {state_.mpa.frame_numbers[0]});
  expect_terminate(other(decision.side));
}

// The start-up failed: all that `side` may still send in Full Operation's form is a Terminate.
void Connection::expect_terminate(Side side) {
  const mpa::StartupScanner& request = negotiation_.scanner(side);
  if (!request.complete()) return;
  Direction& direction = directions_[index(side)];
  mpa::FramerParameters parameters;
  parameters.crc = Mode::unknown;
  direction.framer.seek(parameters, request.end(), true);
  direction.seeking = true;
  direction.sought = 0;
  direction.origin = request.end();
  if (!request.behind().empty()) hand_over(side, request.behind());
}

// Behind a rejected start-up another protocol goes on; an FPDU there breaks the rule.
void Connection::judge_refused(Side side, ByteView octets) {
  Direction& direction = directions_[index(side)];
  mpa::FramerParameters parameters;
  parameters.crc = Mode::unknown;
  const StreamOffset at = negotiation_.scanner(side).position();
  std::uint16_t length = 0;
  if (!mpa::read_ulpdu_length(parameters, at, octets, length)) return;
  const std::uint32_t size = wire::unmarked_fpdu_size(length);
  if (octets.size() < size) return;
  mpa::FramedFpdu fpdu;
  mpa::examine(parameters, at, octets.first(size), length, fpdu);
  if (!mpa::plausible(parameters, length, fpdu.header.data(), fpdu.header_octets)) return;
  direction.refused = false;  // said once
  record_fpdu(side, fpdu, false);
}

void Connection::record_mode(Side side) {
  const mpa::FramerParameters& parameters = directions_[index(side)].framer.parameters();
  Event event = recorder_.make(EventKind::locked, state_, side, directions_[index(side)].framer.position());
  LockedFact fact;
  fact.markers = parameters.markers;
  fact.crc = parameters.crc;
  fact.inferred = !directions_[index(side)].modes_told;
  std::construct_at(&event.locked, fact);
  recorder_.fact(state_, event);
}

void Connection::record_lock(Side side) {
  Direction& direction = directions_[index(side)];
  const mpa::Synchronizer::Lock& lock = direction.framer.lock();
  const bool first = direction.reception == Reception::streaming;
  if (first) {
    direction.reception = Reception::framing;
    direction.seeking = false;
  }
  if (direction.framer.why() == mpa::Framer::Loss::nonsense) {
    if (lock.skipped == 0) return;  // an FPDU with a strange header, but one
    record_lost(side, direction.framer.lost_at(), lock.skipped);
  }
  Event event = recorder_.make(EventKind::locked, state_, side, lock.begin);
  LockedFact fact;
  fact.markers = lock.parameters.markers;
  fact.crc = lock.parameters.crc;
  fact.inferred = lock.inferred;
  fact.first = first;
  fact.chained = lock.chained;
  fact.after_gap = direction.framer.why() == mpa::Framer::Loss::gap;
  fact.skipped = lock.skipped;
  std::construct_at(&event.locked, fact);
  recorder_.fact(state_, event);
  direction.spans.forget_before(lock.begin);
}

void Connection::record_lost(Side side, StreamOffset at, std::uint64_t length) {
  Event event = recorder_.make(EventKind::sync_lost, state_, side, at);
  std::construct_at(&event.sync_lost, SyncLostFact{length});
  recorder_.fact(state_, event);
  const StreamSpan* first = directions_[index(side)].spans.find(at);
  if (directions_[index(side)].modes_told) {
    recorder_.finding(state_, side, at, CheckId::mpa_sync, {at - directions_[index(side)].origin, length},
                      {first ? first->frame : 0});
  } else {
    recorder_.count_undecidable(state_, side, at, CheckId::mpa_sync, Reason::midstream);
  }
}

void Connection::record_fpdu(Side side, const mpa::FramedFpdu& framed, bool recovered) {
  Direction& direction = directions_[index(side)];
  const StreamSpan* first = direction.spans.find(framed.begin);
  Event event = recorder_.make(EventKind::fpdu, state_, side, framed.begin, first ? first->ack : 0);
  FpduFact& fact = *std::construct_at(&event.fpdu);
  fact.first_frame = first ? first->frame : recorder_.frame();
  fact.aligned = first != nullptr && first->segment_start && first->begin == framed.begin;
  fact.stream_offset = framed.begin - std::min(direction.origin, framed.begin);
  fact.wire_size = static_cast<std::uint32_t>(framed.end - framed.begin);
  fact.ulpdu_length = framed.ulpdu_length;
  fact.markers = framed.markers;
  fact.crc = framed.crc;
  fact.cut = framed.cut;
  fact.recovered = recovered;
  fact.marker_faults = framed.marker_faults;
  if (framed.marker_faults != 0) {
    fact.marker_seen = framed.marker_seen;
    fact.marker_expected = framed.marker_expected;
    fact.marker_offset = framed.marker_offset - std::min(direction.origin, framed.marker_offset);
  }
  fact.pad = framed.pad;
  fact.crc_field = framed.crc_field;
  fact.crc_computed = framed.crc_computed;

  const ByteView header(framed.header.data(), framed.header_octets);
  const std::uint32_t ddp_size = framed.header_octets == 0           ? wire::untagged_header_size
                                 : (framed.header[0] & 0x80U) != 0 ? wire::tagged_header_size
                                                                     : wire::untagged_header_size;
  fact.malformed = framed.ulpdu_length < ddp_size;
  if (header.size() >= ddp_size) {
    fact.ddp = *wire::parse_ddp(header);
    fact.payload_length = framed.ulpdu_length - ddp_size;
    const std::size_t behind = std::min<std::size_t>(header.size() - ddp_size, max_rdmap_header);
    // Only untagged messages have RDMAP headers; behind a tagged one comes payload.
    fact.rdmap_octets = static_cast<std::uint8_t>(fact.ddp.tagged() ? 0 : behind);
    std::copy_n(framed.header.data() + ddp_size, fact.rdmap_octets, fact.rdmap.begin());
  } else if (header.size() >= 2) {
    fact.ddp.ddp_control = header[0];
    fact.ddp.rdmap_control = header[1];
  }
  fact.header_octets = static_cast<std::uint8_t>(std::min<std::size_t>(header.size(), ddp_size + fact.rdmap_octets));
  fact.slice_begin = recorder_.next_slice();
  direction.spans.for_each_slice(framed.begin, framed.end, [&](const Slice& slice) {
    recorder_.add_slice(slice);
    ++fact.slice_count;
  });
  recorder_.fact(state_, event);
}

// Whether one of the copies not used makes the CRC of `fpdu` right; if so, `patched` holds the better octets.
bool Connection::try_alternates(Side side, const mpa::FramedFpdu& fpdu, Bytes& patched) {
  for (const stream::Alternate& alternate : streams_[index(side)].alternates()) {
    const StreamOffset from = std::max(alternate.offset, fpdu.begin);
    const StreamOffset to = std::min<StreamOffset>(alternate.offset + alternate.octets.size(), fpdu.end);
    if (from >= to || fpdu.wire.empty()) continue;
    Bytes candidate = patched.empty() ? Bytes(fpdu.wire.begin(), fpdu.wire.end()) : patched;
    std::copy_n(alternate.octets.begin() + static_cast<std::ptrdiff_t>(from - alternate.offset), to - from,
                candidate.begin() + static_cast<std::ptrdiff_t>(from - fpdu.begin));
    mpa::FramedFpdu better;
    mpa::examine(directions_[index(side)].framer.parameters(), fpdu.begin, candidate, fpdu.ulpdu_length, better);
    if (better.crc == CrcStatus::good) {
      patched = std::move(candidate);
      return true;
    }
    patched = std::move(candidate);
  }
  return false;
}

void Connection::keep_bad(Side side, const mpa::FramedFpdu& fpdu) {
  constexpr std::size_t max_bad = 4;
  std::vector<BadFpdu>& bad = directions_[index(side)].bad;
  if (bad.size() == max_bad) bad.erase(bad.begin());
  bad.push_back({fpdu.begin, directions_[index(side)].framer.parameters(), fpdu.ulpdu_length, recorder_.frame(),
                 Bytes(fpdu.wire.begin(), fpdu.wire.end())});
}

// Octets came again with other content: an FPDU whose CRC was bad may be right with them.
bool Connection::recover(Side side) {
  Direction& direction = directions_[index(side)];
  bool used = false;
  for (std::size_t i = 0; i < direction.bad.size();) {
    const BadFpdu& bad = direction.bad[i];
    mpa::FramedFpdu fpdu;
    fpdu.begin = bad.begin;
    fpdu.end = bad.begin + bad.octets.size();
    fpdu.ulpdu_length = bad.ulpdu_length;
    fpdu.wire = bad.octets;
    Bytes patched;
    if (!try_alternates(side, fpdu, patched)) {
      ++i;
      continue;
    }
    mpa::FramedFpdu better;
    mpa::examine(bad.parameters, bad.begin, patched, bad.ulpdu_length, better);
    record_fpdu(side, better, true);
    direction.bad.erase(direction.bad.begin() + static_cast<std::ptrdiff_t>(i));
    used = true;
  }
  return used;
}

// Tells of the copies that differ in [from, upto).
void Connection::settle_conflicts(Side side, StreamOffset from, StreamOffset upto, bool crc_decided) {
  Direction& direction = directions_[index(side)];
  std::erase_if(direction.conflicts, [&](const OpenConflict& conflict) {
    const stream::Conflict& octets = conflict.octets;
    if (octets.offset >= upto || octets.offset + octets.length <= from) return false;
    if (!state_.iwarp) return true;
    const Phrase used = crc_decided          ? Phrase::good_copy_used
                        : octets.second_used ? Phrase::later_copy_used
                                             : Phrase::first_copy_used;
    recorder_.finding(state_, side, octets.offset, CheckId::cap_conflict,
                      {octets.length, octets.offset - std::min(octets.offset, direction.origin),
                       static_cast<std::uint64_t>(used)},
                      {conflict.frame});
    return true;
  });
}

void Connection::give_up_old_holes(Side side) {
  Direction& direction = directions_[index(side)];
  stream::Reassembler& stream = streams_[index(side)];
  if (stream.waiting_octets() == 0 && !stream.fin_offset()) {
    direction.hole_since = 0;
    return;
  }
  const auto hole = stream.hole();
  if (!hole) {
    direction.hole_since = 0;
    return;
  }
  if (direction.hole_since == 0) {
    direction.hole_since = recorder_.frame();
    direction.hole_since_ns = recorder_.time_ns();
  }
  const bool one_sided = !streams_[index(other(side))].started();
  const TimeNs patience = one_sided ? one_sided_hole_ns : any_hole_ns;
  const bool too_long = recorder_.time_ns() - direction.hole_since_ns > patience;
  const bool too_much = one_sided && stream.waiting_octets() > one_sided_waiting;
  if (!too_long && !too_much) return;
  if (stream.declare_gap(hole->end)) drain(side);
  direction.hole_since = 0;
}

void Connection::release_buffers() {
  order_.flush();
  run_steps();
  for (const Side side : sides) {
    stream::Reassembler& stream = streams_[index(side)];
    while (const auto hole = stream.hole()) {
      if (!stream.declare_gap(hole->end)) break;
      drain(side);
    }
    note_once(side, CheckId::cap_limit, static_cast<std::uint64_t>(Phrase::buffered_octets), options_.max_total_buffered);
  }
}

void Connection::close(CloseCause cause) {
  if (cause == CloseCause::evicted) {
    note_once(Side::a, CheckId::cap_limit, static_cast<std::uint64_t>(Phrase::connections), options_.max_connections);
  }
  order_.flush();
  run_steps();
  for (const Side side : sides) {
    stream::Reassembler& stream = streams_[index(side)];
    stream.flush();
    drain(side);
    while (const auto hole = stream.hole()) {
      if (!stream.declare_gap(hole->end)) break;
      drain(side);
    }
  }
  negotiation_.finish();
  negotiation_due_ = true;
  settle();
  for (const Side side : sides) {
    Direction& direction = directions_[index(side)];
    if (direction.reception != Reception::framing && !direction.seeking) continue;
    direction.framer.finish();
    direction.unpolled = true;
    settle();
    const bool nonsense = !direction.framer.synchronized() && direction.framer.why() == mpa::Framer::Loss::nonsense;
    if (nonsense && direction.framer.unframed() > 0) {
      record_lost(side, direction.framer.lost_at(), direction.framer.unframed());
    }
  }
  for (const Side side : sides) settle_conflicts(side, 0, ~StreamOffset{0}, false);
  if (state_.iwarp) flush_notes();
  Event closed = recorder_.make(EventKind::closed, state_, Side::a, 0);
  std::construct_at(&closed.closed, ClosedFact{cause, last_frame_, last_time_ns_});
  recorder_.fact(state_, closed);
}

bool Connection::ended() const noexcept {
  if (state_.side(Side::a).rst_frame || state_.side(Side::b).rst_frame) return true;
  return directions_[0].fin_recorded && directions_[1].fin_recorded;
}

CloseCause Connection::end_cause() const noexcept {
  const bool reset = state_.side(Side::a).rst_frame || state_.side(Side::b).rst_frame;
  return reset ? CloseCause::rst : CloseCause::fin;
}

std::size_t Connection::buffered() const noexcept {
  return streams_[0].waiting_octets() + streams_[1].waiting_octets() + order_.waiting_octets();
}

void Connection::note_once(Side side, CheckId check, std::uint64_t first, std::uint64_t second) {
  std::vector<CheckId>& noted = noted_[index(side)];
  if (std::find(noted.begin(), noted.end(), check) != noted.end()) return;
  noted.push_back(check);
  if (state_.iwarp) {
    recorder_.finding(state_, side, streams_[index(side)].next_offset(), check, {first, second});
  } else {
    notes_.push_back({side, check, {first, second}});
  }
}

void Connection::flush_notes() {
  for (const Note& note : notes_) {
    recorder_.finding(state_, note.side, 0, note.check, {note.arguments[0], note.arguments[1]});
  }
  notes_.clear();
}

}  // namespace iwarp
