// ConnectionLog: the Recorder as one connection uses it: every fact and finding is about the connection's own
// state.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <initializer_list>
#include <optional>

#include <iwarp/state.hpp>

#include "analysis/capture_coverage.hpp"
#include "analysis/recorder.hpp"
#include "analysis/span_map.hpp"

namespace iwarp {

class ConnectionLog {
 public:
  ConnectionLog(Recorder& recorder, ConnectionState& state, const stream::StreamPair& streams) noexcept
      : recorder_(recorder), state_(state), coverage_(state, streams) {}

  // As of the last fact recorded.
  [[nodiscard]] const ConnectionState& state() const noexcept { return state_; }
  [[nodiscard]] FrameNumber frame() const noexcept { return recorder_.frame(); }
  [[nodiscard]] TimeNs time_ns() const noexcept { return recorder_.time_ns(); }

  [[nodiscard]] bool acknowledgements() const noexcept { return recorder_.acknowledgements(); }
  // See Recorder.
  [[nodiscard]] Event make(EventKind kind, Side side, StreamOffset offset,
                           StreamOffset ack = 0) const noexcept {
    return recorder_.make(kind, state_, side, offset, ack);
  }
  void fact(const Event& fact) {
    coverage_.note_doubt(fact, recorder_.doubt());
    recorder_.fact(state_, fact);
  }
  [[nodiscard]] Event& draft(EventKind kind, Side side, StreamOffset offset, StreamOffset ack) {
    return recorder_.draft(kind, state_, side, offset, ack);
  }
  // `doubt`: whether the FPDU was sent like that, if nobody can be sure.
  void record_draft(const Event& fpdu, const std::optional<Reason>& doubt = std::nullopt) {
    coverage_.note_doubt(fpdu, recorder_.doubt());
    recorder_.doubt().note(Premise::fpdu, doubt);
    recorder_.record(state_, fpdu);
  }
  [[nodiscard]] CaptureCoverage& coverage() noexcept { return coverage_; }
  [[nodiscard]] const CaptureCoverage& coverage() const noexcept { return coverage_; }
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
  void count_early_segment() noexcept { recorder_.count_early_segment(); }
  void count_segment_behind_fin() noexcept { recorder_.count_segment_behind_fin(); }
  [[nodiscard]] std::uint32_t count_fpdu() noexcept { return ++fpdus_; }
  // Where [begin, end) lies, as far as `spans` tells: of what is recorded next.
  [[nodiscard]] Pieces pieces(const SpanMap& spans, StreamOffset begin, StreamOffset end) {
    Pieces pieces;
    spans.for_each_slice(begin, end, [&](const Slice& slice) { recorder_.add_slice(pieces, slice); });
    return pieces;
  }
  [[nodiscard]] std::uint32_t add_payload(const mpa::FramedFpdu& fpdu, const wire::DdpHeader& ddp) {
    return recorder_.add_payload(fpdu, ddp);
  }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [recorder, state, coverage, fpdus] = *this;
    codec(coverage);
    codec.absent(fpdus);
  }

 private:
  Recorder& recorder_;
  ConnectionState& state_;
  CaptureCoverage coverage_;
  std::uint32_t fpdus_ = 0;  // that have a number
};

}  // namespace iwarp
