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
  void finding(Side side, StreamOffset offset, CheckId check,
               std::initializer_list<std::uint64_t> arguments = {},
               std::initializer_list<FrameNumber> evidence = {}) {
    recorder_.finding(state_, side, offset, check, arguments, evidence);
  }
  void count_undecidable(Side side, StreamOffset offset, CheckId check, Reason reason) {
    recorder_.count_undecidable(state_, side, offset, check, reason);
  }
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
