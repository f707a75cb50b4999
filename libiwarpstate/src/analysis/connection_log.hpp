// ConnectionLog: the Recorder as one connection uses it: every fact and finding is about the connection's own
// state. SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <initializer_list>

#include <iwarp/state.hpp>

#include "analysis/recorder.hpp"

namespace iwarp {

class ConnectionLog {
 public:
  ConnectionLog(Recorder& recorder, ConnectionState& state) noexcept : recorder_(recorder), state_(state) {}

  // As of the last fact recorded.
  [[nodiscard]] const ConnectionState& state() const noexcept { return state_; }
  [[nodiscard]] FrameNumber frame() const noexcept { return recorder_.frame(); }
  [[nodiscard]] TimeNs time_ns() const noexcept { return recorder_.time_ns(); }

  // See Recorder.
  [[nodiscard]] Event make(EventKind kind, Side side, StreamOffset offset,
                           StreamOffset ack = 0) const noexcept {
    return recorder_.make(kind, state_, side, offset, ack);
  }
  void fact(const Event& fact) { recorder_.fact(state_, fact); }
  [[nodiscard]] Event& draft(EventKind kind, Side side, StreamOffset offset, StreamOffset ack) noexcept {
    return recorder_.draft(kind, state_, side, offset, ack);
  }
  void record_draft() { recorder_.record(state_); }
  void finding(Side side, StreamOffset offset, CheckId check,
               std::initializer_list<std::uint64_t> arguments = {},
               std::initializer_list<FrameNumber> evidence = {}, FrameNumber shown_by = 0) {
    recorder_.finding(state_, side, offset, check, arguments, evidence, shown_by);
  }
  // The same, shown by `frame` alone: an earlier one than that being added.
  void finding_of(FrameNumber frame, Side side, StreamOffset offset, CheckId check,
                  std::initializer_list<std::uint64_t> arguments) {
    const FrameNumber before = recorder_.own_frame();
    recorder_.set_own_frame(frame);
    recorder_.finding(state_, side, offset, check, arguments);
    recorder_.set_own_frame(before);
  }
  // See Recorder.
  [[nodiscard]] FrameNumber own_frame() const noexcept { return recorder_.own_frame(); }
  void set_own_frame(FrameNumber frame) noexcept { recorder_.set_own_frame(frame); }
  void count_undecidable(Side side, StreamOffset offset, CheckId check, Reason reason) {
    recorder_.count_undecidable(state_, side, offset, check, reason);
  }
  [[nodiscard]] std::uint32_t count_fpdu() noexcept { return recorder_.count_fpdu(); }
  [[nodiscard]] std::uint32_t next_slice() const noexcept { return recorder_.next_slice(); }
  void add_slice(const Slice& slice) { recorder_.add_slice(slice); }
  [[nodiscard]] std::uint32_t add_payload(const mpa::FramedFpdu& fpdu, std::uint32_t header_size) {
    return recorder_.add_payload(fpdu, header_size);
  }

 private:
  Recorder& recorder_;
  ConnectionState& state_;
};

}  // namespace iwarp
