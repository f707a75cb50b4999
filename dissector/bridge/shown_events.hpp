// ShownEvents: which events of the log stand in which frame.
//
// The log has them in the frames that delivered or decided them (RFC 5041 §5.3); people look for them where
// their octets lie. So an FPDU, or a start-up frame, is shown in the frame of its last octet, a message in
// that of its FPDUs, a finding where the offending octets are; the frame that delivered an FPDU from
// elsewhere says so. The frame being added shows what is known by then: FPDUs as soon as they are placed.
// Knows nothing of epan.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "bridge/sctp_streams.hpp"

namespace iwarp::dissector {

class ShownEvents {
 public:
  // REQUIRES: `sctp_streams` know the connections of all events that come.
  ShownEvents(const Analysis& analysis, const SctpStreams& sctp_streams) noexcept
      : analysis_(analysis), sctp_streams_(sctp_streams) {}

  // The events of the frame just added, or of the capture's end.
  void note(Events events);
  void note_end(Events events);

  // What that frame shows now, and is to show no longer when others follow. In what these return an `fpdu`
  // stands here; a `placed` is one that stands in another frame and was delivered here.
  void as_added(Events events, EventBuffer& to) const;
  // What any frame before shows, or any at all when all were added.
  void of(FrameNumber frame, EventBuffer& to);
  // What the end of the capture brought that lies in no frame.
  void at_end(EventBuffer& to);

 private:
  void note_places(Events events, FrameNumber source);
  void collect(Events events, FrameNumber source, FrameNumber frame, EventBuffer& to) const;
  [[nodiscard]] Events events_from(FrameNumber source);

  // Calls visit(event, the frame in which it stands) for each event from `source`.
  template <typename Visit>
  void for_each_place(Events events, FrameNumber source, Visit visit) const;
  [[nodiscard]] FrameNumber frame_of(const Event& event, FrameNumber group) const noexcept;

  const Analysis& analysis_;
  const SctpStreams& sctp_streams_;
  // Frames that delivered or decided what stands in this one.
  std::unordered_map<FrameNumber, std::vector<FrameNumber>> sources_;
  std::unordered_set<std::uint64_t> waiting_;  // fpdu_key() of what is placed and not delivered
  EventBuffer unpacked_;
};

}  // namespace iwarp::dissector
