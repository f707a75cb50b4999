// PcapSink: a capture point. What passes it becomes frames of a capture file.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "transport/capture_writer.hpp"
#include "transport/frame.hpp"
#include "transport/packet.hpp"

namespace iwarp::replay {

// Sees packets pass.
class CapturePoint {
 public:
  CapturePoint() = default;
  CapturePoint(const CapturePoint&) = delete;
  CapturePoint& operator=(const CapturePoint&) = delete;
  virtual ~CapturePoint() = default;
  virtual void captured(const Packet& packet, TimeNs now) = 0;
};

class PcapSink final : public CapturePoint {
 public:
  // `epoch`: what the capture's clock shows at time 0 of the network. REQUIRES: `writer` outlives this
  // object.
  explicit PcapSink(CaptureWriter& writer, TimeNs epoch = 0) : writer_(writer), epoch_(epoch) {}

  void captured(const Packet& packet, TimeNs now) override {
    frame_.clear();
    append_frame(frame_, packet);
    if (!writer_.write(epoch_ + now, frame_)) failed_ = true;
  }
  // The file could not be written.
  [[nodiscard]] bool failed() const noexcept { return failed_; }

 private:
  CaptureWriter& writer_;
  TimeNs epoch_;
  Bytes frame_ = {};
  bool failed_ = false;
};

}  // namespace iwarp::replay
