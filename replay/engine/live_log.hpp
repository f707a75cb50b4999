// LiveLog: a capture point whose packets go to the analyzer at once: the stream logs of a run, and what the
// analyzer finds wrong with it. Another capture point, such as a file, may see the packets, too.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "compare/stream_log.hpp"
#include "engine/observed_actions.hpp"
#include "transport/pcap_sink.hpp"

namespace iwarp::replay {

// A packet as the analyzer takes it. Lives as long as `packet`.
[[nodiscard]] TcpSegment segment_of(const Packet& packet, FrameNumber frame, TimeNs now);

class LiveLog final : public CapturePoint {
 public:
  // `next`, if any, outlives this object. At most so many octets of payload are kept, to be compared. The
  // logs' times are those of PcapSink with the same `epoch`, their frames those of its file, in which
  // `frames_before` were written before.
  explicit LiveLog(CapturePoint* next = nullptr, std::uint64_t kept_payload = 0, TimeNs epoch = 0,
                   FrameNumber frames_before = 0);

  void captured(const Packet& packet, TimeNs now) override;
  // Ends the capture: what passes later is not seen. REQUIRES: is called once.
  [[nodiscard]] std::vector<StreamLog> finish();

  struct Found {
    std::string check;
    Severity severity = Severity::note;
    std::string text;
    FrameNumber frame = 0;
  };
  // Findings above note.
  [[nodiscard]] const std::vector<Found>& found() const noexcept { return found_; }
  [[nodiscard]] ObservedActions actions_of(const std::array<Endpoint, 2>& ends, Role role) const {
    return actions_.of(ends, role);
  }
  // To be called before the first packet by whoever will ask for actions_of().
  void watch_actions() noexcept { watches_actions_ = true; }
  // With those before.
  [[nodiscard]] std::uint64_t frames() const noexcept { return frame_; }
  // What it has by now: a live peer may send any number. Each takes some 256 octets.
  [[nodiscard]] std::uint64_t requests() const noexcept { return builder_.entries(); }
  [[nodiscard]] std::uint64_t entries() const noexcept { return builder_.entries() + found_.size(); }

 private:
  void take(Events events);

  CapturePoint* next_;
  TimeNs epoch_;
  Analyzer analyzer_;
  LogBuilder builder_;
  FrameNumber frame_;
  bool sealed_ = false;
  std::vector<Found> found_;
  bool watches_actions_ = false;
  ActionsOfEnds actions_;
};

}  // namespace iwarp::replay
