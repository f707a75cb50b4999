// ConnectionLog: the Recorder as one connection uses it: every fact and finding is about the connection's own
// state.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include <iwarp/state.hpp>

#include "analysis/recorder.hpp"
#include "analysis/span_map.hpp"
#include "stream/reassembler.hpp"

namespace iwarp {

class ConnectionLog {
 public:
  ConnectionLog(Recorder& recorder, ConnectionState& state, const stream::StreamPair& streams) noexcept
      : recorder_(recorder), state_(state), streams_(streams) {}

  // As of the last fact recorded.
  [[nodiscard]] const ConnectionState& state() const noexcept { return state_; }
  [[nodiscard]] FrameNumber frame() const noexcept { return recorder_.frame(); }
  [[nodiscard]] TimeNs time_ns() const noexcept { return recorder_.time_ns(); }

  // See Recorder.
  [[nodiscard]] Event make(EventKind kind, Side side, StreamOffset offset,
                           StreamOffset ack = 0) const noexcept {
    return recorder_.make(kind, state_, side, offset, ack);
  }
  void fact(const Event& fact) {
    note_doubt(fact, recorder_.doubt());
    recorder_.fact(state_, fact);
  }
  [[nodiscard]] Event& draft(EventKind kind, Side side, StreamOffset offset, StreamOffset ack) {
    return recorder_.draft(kind, state_, side, offset, ack);
  }
  // `doubt`: whether the FPDU was sent like that, if nobody can be sure.
  void record_draft(const Event& fpdu, const std::optional<Reason>& doubt = std::nullopt) {
    note_doubt(fpdu, recorder_.doubt());
    recorder_.doubt().note(Premise::fpdu, doubt);
    recorder_.record(state_, fpdu);
  }
  // Octets came whose TCP checksum cannot be told, in a direction where some are wrong: what they say may
  // have been damaged on the way, and dropped by the receiver. What they do to the state stays.
  void note_unverified() noexcept { unverified_ = true; }
  // Segments are not in the order in which they were captured.
  void note_shuffled() noexcept { shuffled_ = true; }
  // The directions were not captured in step, or octets were not captured that somebody received.
  void note_out_of_step() noexcept { out_of_step_ = true; }
  void note_gap() noexcept { gapped_ = true; }
  // Octets before the end were not captured, as the sequence number of a RST tells, or of a segment without
  // octets; or not read.
  void note_lacking_before_end() noexcept { lacking_before_end_ = true; }
  // The connection ended with a RST that acknowledges nothing.
  void note_bare_rst() noexcept { bare_rst_ = true; }
  // A segment of `side` was captured, and may wait for others.
  void note_seen(Side side) noexcept { seen_[index(side)] = true; }
  // FPDUs of `side` were told of as far as they end before `upto`.
  void note_read(Side side, StreamOffset upto) noexcept { read_[index(side)] = upto; }
  [[nodiscard]] bool unverified() const noexcept { return unverified_; }
  void finding(Side side, StreamOffset offset, CheckId check,
               std::initializer_list<std::uint64_t> arguments = {},
               std::initializer_list<FrameNumber> evidence = {}, const Culprit& culprit = {}) {
    recorder_.finding(state_, side, offset, check, arguments, evidence, culprit);
  }
  // … or, where `doubt` tells why it may be none, one that is counted as undecidable.
  void verdict(Side side, StreamOffset offset, CheckId check, std::optional<Reason> doubt,
               std::initializer_list<std::uint64_t> arguments = {},
               std::initializer_list<FrameNumber> evidence = {}, const Culprit& culprit = {}) {
    doubt ? count_undecidable(side, offset, check, *doubt)
          : finding(side, offset, check, arguments, evidence, culprit);
  }
  // A finding of what lies elsewhere, and needs no proof.
  void finding_at(const Placement& placed, Side side, StreamOffset offset, CheckId check,
                  std::initializer_list<std::uint64_t> arguments) {
    const Placement before = recorder_.own_placement();
    recorder_.set_own_placement(placed);
    recorder_.finding(state_, side, offset, check, arguments);
    recorder_.set_own_placement(before);
  }
  // See Recorder.
  [[nodiscard]] const Placement& own_placement() const noexcept { return recorder_.own_placement(); }
  void set_own_placement(const Placement& own) noexcept { recorder_.set_own_placement(own); }
  void count_undecidable(Side side, StreamOffset offset, CheckId check, Reason reason) {
    recorder_.count_undecidable(state_, side, offset, check, reason);
  }
  [[nodiscard]] std::uint32_t count_fpdu() noexcept { return ++fpdus_; }
  // Where [begin, end) lies, as far as `spans` tells: of what is recorded next.
  [[nodiscard]] Pieces pieces(const SpanMap& spans, StreamOffset begin, StreamOffset end) {
    Pieces pieces;
    spans.for_each_slice(begin, end, [&](const Slice& slice) { recorder_.add_slice(pieces, slice); });
    return pieces;
  }
  [[nodiscard]] std::uint32_t add_payload(const mpa::FramedFpdu& fpdu, std::uint32_t header_size) {
    return recorder_.add_payload(fpdu, header_size);
  }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [recorder, state, streams, read, seen, unverified, shuffled, out_of_step, gapped,
           lacking_before_end, bare_rst, fpdus] = *this;
    codec(read, seen, unverified, shuffled, out_of_step, gapped, lacking_before_end, bare_rst);
    codec.absent(fpdus);
  }

 private:
  void note_doubt(const Event& fact, Doubt& doubt) const noexcept {
    if (unverified_) doubt.note(Premise::direction, Reason::snaplen);
    if (shuffled_) doubt.note(Premise::order, Reason::skew);
    // Nothing of the other side had been captured when it came: what it acknowledged is not known.
    const bool blind =
        fact.kind == EventKind::fpdu && fact.ack == 0 && streams_[index(other(fact.side))].started();
    doubt.note(Premise::both, blind ? Reason::skew : unread(other(fact.side), fact.ack));
    const bool ends =
        fact.kind == EventKind::fin || fact.kind == EventKind::rst || fact.kind == EventKind::closed;
    if (ends) note_doubt_of_end(fact, doubt);
  }

  // What is in doubt beyond that about the end of a direction, or of the connection.
  [[gnu::noinline]] void note_doubt_of_end(const Event& fact, Doubt& doubt) const noexcept {
    const auto note_gap = [&doubt](bool lacking) {
      if (lacking) doubt.note(Premise::both, Reason::gap);
    };
    const bool closed = fact.kind == EventKind::closed;
    if (!closed) {
      doubt.note(Premise::both, unread(fact.side, fact.offset));
      note_gap(streams_[index(fact.side)].hole().has_value());
    }
    if (fact.kind == EventKind::fin) return;
    // What a RST leaves in doubt stays so when the connection is closed.
    note_gap(lacking_before_end_);
    if (closed ? bare_rst_ : fact.ack == 0) doubt.note(Premise::both, before_bare_rst());
    note_gap(closed && (lacks_received(Side::a) || lacks_received(Side::b)));
  }

  // Its peer acknowledged octets of `side` that were never captured, not even behind a hole.
  [[nodiscard]] bool lacks_received(Side side) const noexcept {
    const stream::Reassembler& stream = streams_[index(side)];
    return stream.started() && stream.acknowledged_offset() > stream.captured_upto();
  }

  // A RST without an acknowledgement does not say what its sender had received: a Terminate may be among what
  // the capture lacks, or shows later. Most often it is TCP's answer to octets for which there is no
  // connection any more (RFC 9293 §3.10.7.1): how that had ended may be there, too.
  [[nodiscard]] std::optional<Reason> before_bare_rst() const noexcept {
    if (gapped_ || streams_[0].hole() || streams_[1].hole()) return Reason::gap;
    return out_of_step_ ? std::optional(Reason::skew) : std::nullopt;
  }

  // Why octets of `side` before `upto`, which were received, may not have been told of.
  [[nodiscard]] std::optional<Reason> unread(Side side, StreamOffset upto) const noexcept {
    const SideState& sender = state_.side(side);
    const stream::Reassembler& stream = streams_[index(side)];
    const StreamOffset end = std::min(upto, stream.fin_offset().value_or(upto));
    if (!stream.started()) {  // the rules ask whether the side was captured
      return seen_[index(side)] ? std::optional(Reason::skew) : std::nullopt;
    }
    if (end > stream.next_offset()) return Reason::skew;
    if (sender.phase == Phase::lost) return sender.missing_reason;
    if (end <= std::max(read_[index(side)], sender.consumed_to)) return std::nullopt;
    // They are here, and nobody knows yet what they are.
    return state_.opened_by == OpenedBy::midstream ? Reason::midstream : Reason::skew;
  }

  Recorder& recorder_;
  ConnectionState& state_;
  const stream::StreamPair& streams_;
  std::array<StreamOffset, 2> read_{};
  std::array<bool, 2> seen_{};
  bool unverified_ = false;
  bool shuffled_ = false;
  bool out_of_step_ = false;
  bool gapped_ = false;
  bool lacking_before_end_ = false;
  bool bare_rst_ = false;
  std::uint32_t fpdus_ = 0;  // that have a number
};

}  // namespace iwarp
