// Recorder: the event log in the making. Stamps facts, has them judged and folded, and writes down what is
// concluded, each finding folded in its turn. So the log's order is the order of the fold.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "analysis/doubt.hpp"
#include "analysis/event_log.hpp"
#include "analysis/frame_events.hpp"
#include "analysis/payload_store.hpp"
#include "check/rules.hpp"
#include "state/conclusions.hpp"

namespace iwarp {

class Recorder final : private Conclusions {
 public:
  explicit Recorder(const AnalyzerOptions& options);

  // Everything recorded from here on belongs to this frame.
  void begin_frame(FrameNumber frame, TimeNs time_ns);
  [[nodiscard]] bool acknowledgements() const noexcept { return acknowledgements_; }  // AnalyzerOptions
  [[nodiscard]] FrameNumber frame() const noexcept { return frame_; }
  [[nodiscard]] TimeNs time_ns() const noexcept { return time_ns_; }
  // Where lies what has no octets of its own: in the frame being added, unless the connection is closed while
  // another's frame is.
  [[nodiscard]] const Placement& own_placement() const noexcept { return own_; }
  void set_own_placement(const Placement& own) noexcept { own_ = own; }

  // An event of the present frame, to be filled in and recorded.
  [[nodiscard]] Event make(EventKind kind, const ConnectionState& state, Side side, StreamOffset offset,
                           StreamOffset ack = 0) const noexcept;
  void fact(ConnectionState& state, const Event& fact);
  // The same in place, for what comes often: the fact of draft() is made and filled in, then record() is
  // called, nothing in between.
  [[nodiscard]] Event& draft(EventKind kind, const ConnectionState& state, Side side, StreamOffset offset,
                             StreamOffset ack);
  void record(ConnectionState& state, const Event& draft);
  // Of the fact that is recorded next: none yet.
  [[nodiscard]] Doubt& doubt() noexcept { return doubt_; }

  // What the pipeline itself finds.
  void finding(ConnectionState& state, Side side, StreamOffset offset, CheckId check,
               std::initializer_list<std::uint64_t> arguments = {},
               std::initializer_list<FrameNumber> evidence = {}, const Culprit& culprit = {});
  void count_undecidable(ConnectionState& state, Side side, StreamOffset offset, CheckId check,
                         Reason reason);

  // Another piece of what is recorded next, of which `pieces` has those so far.
  void add_slice(Pieces& pieces, const Slice& slice);
  // Payload of the FPDU recorded next, where payload is kept. Returns the id for FpduFact::payload_id.
  [[nodiscard]] std::uint32_t add_payload(const mpa::FramedFpdu& fpdu, const wire::DdpHeader& ddp) {
    if (keep_payload_ == KeepPayload::none) return 0;
    const bool begins = ddp.tagged()
                            ? ddp.opcode() == wire::Opcode::rdma_write && fpdu.ulpdu_length <= short_write
                            : ddp.mo == 0 && wire::is_send(ddp.opcode());
    return keep_payload_ == KeepPayload::all || begins ? payload_.add(fpdu, ddp.size()) : 0;
  }

  // What follows is another connection's end: a portion of its own, where they are taken in portions. So
  // they are the same however many ends one call brings.
  void begin_portion() {
    if (take_portion_ && events_.size() > 0) hand_over_portion();
  }
  // Drops events and, in streaming mode, what belongs to them.
  void forget();
  // Where a log is kept: events() go into it, as those of the present frame or of the capture's end.
  void keep();
  void keep_end();

  // Since forget().
  [[nodiscard]] Events events() const noexcept { return events_.view(); }
  [[nodiscard]] const EventLog& log() const noexcept { return log_; }
  [[nodiscard]] std::span<const Slice> slices(const Pieces& pieces) const noexcept;
  [[nodiscard]] ByteView payload(const FpduFact& fpdu) const noexcept {
    return payload_.find(fpdu.payload_id);
  }
  [[nodiscard]] std::uint64_t undecidable_count(CheckId check, Reason reason) const noexcept;
  // See Analysis::early_segments.
  void count_early_segment() noexcept { ++early_segments_; }
  [[nodiscard]] std::uint64_t early_segments() const noexcept { return early_segments_; }
  // See Analysis::segments_behind_fin.
  void count_segment_behind_fin() noexcept { ++segments_behind_fin_; }
  [[nodiscard]] std::uint64_t segments_behind_fin() const noexcept { return segments_behind_fin_; }

 private:
  MessageConclusion& message(Side side) override;
  OperationConclusion& operation(Side side) override;
  [[gnu::cold]] void violated(Side side, CheckId check, std::initializer_list<std::uint64_t> arguments,
                              std::initializer_list<FrameNumber> evidence, const Culprit& culprit) override;
  void undecidable(Side side, CheckId check, Reason reason) override;

  void stamp(Event& event, EventKind kind, const ConnectionState& state, Side side, StreamOffset offset,
             StreamOffset ack) const noexcept;
  [[nodiscard]] Event& conclude(EventKind kind, Side side);
  [[nodiscard]] Placement current_placement() const noexcept;
  void fold_findings(ConnectionState& state, std::size_t from);

  // Hands over what is recorded so far, where that is much.
  void hand_over() {
    if (take_portion_ && events_.size() >= portion_) hand_over_portion();
  }
  [[gnu::cold]] void hand_over_portion();

  static constexpr std::uint16_t short_write = wire::tagged_header_size + 32;  // octets of its ULPDU

  bool keep_log_;
  KeepPayload keep_payload_;
  bool strict_;
  bool acknowledgements_;
  std::function<void(Events)> take_portion_;  // see AnalyzerOptions
  std::size_t portion_;
  check::Limits limits_;
  FrameNumber frame_ = 0;
  Placement own_;
  TimeNs time_ns_ = 0;
  bool found_ = false;  // findings that are not folded yet
  Doubt doubt_;
  const Event* current_ = nullptr;  // what conclusions are drawn from: they carry its position
  FrameEvents events_;
  std::vector<Slice> slices_;
  PayloadStore payload_;
  EventLog log_;
  std::array<std::array<std::uint64_t, static_cast<std::size_t>(Reason::count)>, check_count> undecidable_{};
  std::uint64_t early_segments_ = 0;
  std::uint64_t segments_behind_fin_ = 0;
};

}  // namespace iwarp
