// CaptureCoverage: what the capture has brought so far of the octets of both sides, and how much of that was
// read. What is in doubt when a fact is recorded follows from it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include <iwarp/state.hpp>

#include "analysis/doubt.hpp"
#include "stream/reassembler.hpp"

namespace iwarp {

class CaptureCoverage {
 public:
  CaptureCoverage(const ConnectionState& state, const stream::StreamPair& streams) noexcept
      : state_(state), streams_(streams) {}

  // A segment of `side` was captured, and may wait for others.
  void note_seen(Side side) noexcept { seen_[index(side)] = true; }
  // FPDUs of `side` were recorded as far as they end before `upto`.
  void note_read(Side side, StreamOffset upto) noexcept { read_[index(side)] = upto; }
  // Octets of `side` were never captured.
  void note_absent(Side side) noexcept { absent_[index(side)] = true; }
  // Octets came whose TCP checksum cannot be told, in a direction where some are wrong: what they say may
  // have been damaged on the way, and dropped by the receiver. What they do to the state stays.
  void note_unverified() noexcept { unverified_ = true; }
  // Segments are not in the order in which they were captured.
  void note_shuffled() noexcept { shuffled_ = true; }
  // The directions were not captured in step, or octets were not captured that somebody received.
  void note_out_of_step() noexcept { out_of_step_ = true; }
  // Octets before the end were not captured, as the sequence number of a RST tells, or of a segment without
  // octets; or not read.
  void note_lacking_before_end() noexcept { lacking_before_end_ = true; }
  // The connection ended with a RST that acknowledges nothing.
  void note_bare_rst() noexcept { bare_rst_ = true; }

  [[nodiscard]] bool absent(Side side) const noexcept { return absent_[index(side)]; }
  [[nodiscard]] bool unverified() const noexcept { return unverified_; }

  // Why octets of `side` before `upto`, which were received, may not have been read.
  [[nodiscard]] std::optional<Reason> lacks(Side side, StreamOffset upto) const noexcept {
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

  // What is in doubt of `fact`, which is recorded next.
  void note_doubt(const Event& fact, Doubt& doubt) const noexcept {
    if (unverified_) doubt.note(Premise::direction, Reason::snaplen);
    if (shuffled_) doubt.note(Premise::order, Reason::skew);
    // Nothing of the other side had been captured when it came: what it acknowledged is not known.
    const bool blind =
        fact.kind == EventKind::fpdu && fact.ack == 0 && streams_[index(other(fact.side))].started();
    doubt.note(Premise::both, blind ? Reason::skew : lacks(other(fact.side), fact.ack));
    const bool ends =
        fact.kind == EventKind::fin || fact.kind == EventKind::rst || fact.kind == EventKind::closed;
    if (ends) note_doubt_of_end(fact, doubt);
  }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    codec(read_, seen_, absent_, unverified_, shuffled_, out_of_step_, lacking_before_end_, bare_rst_);
  }

 private:
  // What is in doubt beyond that about the end of a direction, or of the connection.
  [[gnu::noinline]] void note_doubt_of_end(const Event& fact, Doubt& doubt) const noexcept {
    const auto note_gap = [&doubt](bool lacking) {
      if (lacking) doubt.note(Premise::both, Reason::gap);
    };
    const bool closed = fact.kind == EventKind::closed;
    if (!closed) {
      doubt.note(Premise::both, lacks(fact.side, fact.offset));
      note_gap(streams_[index(fact.side)].hole().has_value());
    }
    if (fact.kind == EventKind::fin) return;
    // What a RST leaves in doubt stays so when the connection is closed.
    note_gap(lacking_before_end_);
    if (closed ? bare_rst_ : fact.ack == 0) {
      // It does not say what its sender had received: a Terminate may be among what the capture lacks, or
      // shows later. Most often it is TCP's answer to octets for which there is no connection any more (RFC
      // 9293 §3.10.7.1): how that had ended may be there, too.
      note_gap(absent_[0] || absent_[1] || streams_[0].hole() || streams_[1].hole());
      if (out_of_step_) doubt.note(Premise::both, Reason::skew);
    }
    note_gap(closed && (lacks_received(Side::a) || lacks_received(Side::b)));
  }

  // Its peer acknowledged octets of `side` that were never captured, not even behind a hole.
  [[nodiscard]] bool lacks_received(Side side) const noexcept {
    const stream::Reassembler& stream = streams_[index(side)];
    return stream.started() && stream.acknowledged_offset() > stream.captured_upto();
  }

  const ConnectionState& state_;
  const stream::StreamPair& streams_;
  std::array<StreamOffset, 2> read_{};  // by Side
  std::array<bool, 2> seen_{};
  std::array<bool, 2> absent_{};
  bool unverified_ = false;
  bool shuffled_ = false;
  bool out_of_step_ = false;
  bool lacking_before_end_ = false;
  bool bare_rst_ = false;
};

}  // namespace iwarp
