// PcapSink: a capture point. What passes it becomes frames of a capture file.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>

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
    if (!writer_.write(epoch_ + now, frame_, comment_on(packet))) failed_ = true;
  }
  // The next packet between these two bears the comment.
  void annotate(const std::array<Endpoint, 2>& ends, std::string comment) {
    comments_.insert_or_assign(ordered(ends), std::move(comment));
  }
  // The file could not be written.
  [[nodiscard]] bool failed() const noexcept { return failed_; }

 private:
  using Ends = std::array<Endpoint, 2>;
  static Ends ordered(Ends ends) {
    if (ends[1] < ends[0]) std::swap(ends[0], ends[1]);
    return ends;
  }
  [[nodiscard]] std::string comment_on(const Packet& packet) {
    if (comments_.empty()) return {};
    const auto taken = comments_.extract(ordered({packet.source, packet.destination}));
    return taken.empty() ? std::string() : taken.mapped();
  }

  CaptureWriter& writer_;
  TimeNs epoch_;
  Bytes frame_ = {};
  bool failed_ = false;
  std::map<Ends, std::string> comments_ = {};
};

}  // namespace iwarp::replay
