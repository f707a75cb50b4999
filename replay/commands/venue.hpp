// Venue: where a run takes place: this machine's sockets, or memory.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <memory>
#include <string>

#include "commands/options.hpp"
#include "engine/replay.hpp"
#include "transport/pcap_sink.hpp"

namespace iwarp::replay {

class Venue {
 public:
  Venue() = default;
  Venue(const Venue&) = delete;
  Venue& operator=(const Venue&) = delete;
  virtual ~Venue() = default;

  [[nodiscard]] virtual Network& clock() = 0;
  [[nodiscard]] virtual Placement placement() = 0;
  // What the clock of captures shows at time 0 of clock().
  [[nodiscard]] virtual TimeNs epoch() const = 0;
  // Until the replay has something to do, `deadline` at the latest.
  virtual void pass_time(Replay& replay, TimeNs deadline) = 0;
  // Behind the replay's end.
  virtual void pass_the_rest(Replay& replay) = 0;
};

struct VenueNeeds {
  std::size_t connections = 1;                   // at once
  bool short_segments = false;                   // unless the user wants others
  std::map<std::uint32_t, Endpoint> peers = {};  // by stream of the plan, of --as initiator
};
// Nothing: `error` says why. REQUIRES: all outlive the result.
[[nodiscard]] std::unique_ptr<Venue> open_venue(const Options& options, const Plan& plan,
                                                const VenueNeeds& needs, CapturePoint& point,
                                                std::string& error);

}  // namespace iwarp::replay
