// A capture point that keeps what it sees, as packets and as a file, and what the readers make of the file.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <iwarp/segment.hpp>

#include "support/capture_read.hpp"
#include "transport/pcap_sink.hpp"

namespace iwarp::test {

class WireCapture final : public replay::CapturePoint {
 public:
  explicit WireCapture(replay::CaptureFormat format = replay::CaptureFormat::pcapng, TimeNs epoch = 0)
      : writer_(file_, format), sink_(writer_, epoch) {}

  void captured(const replay::Packet& packet, TimeNs now) override {
    packets.push_back(packet);
    times.push_back(now);
    sink_.captured(packet, now);
  }
  [[nodiscard]] Bytes octets() const {
    const std::string file = file_.str();
    return {file.begin(), file.end()};
  }
  [[nodiscard]] CaptureRead read() const { return read_capture(octets()); }

  std::vector<replay::Packet> packets = {};
  std::vector<TimeNs> times = {};

 private:
  std::ostringstream file_;
  replay::CaptureWriter writer_;
  replay::PcapSink sink_;
};

}  // namespace iwarp::test
