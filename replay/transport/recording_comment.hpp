// What a recording of `run` says of itself, beside its packets: who wrote it, and which of its connections
// replays which stream.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iwarp::replay {

// What a pcapng file says of who wrote it (shb_userappl).
inline constexpr std::string_view recording_application = "iwarp-replay";
// The file at `path` begins as CaptureWriter begins a pcapng file.
[[nodiscard]] bool is_recording(const std::string& path);

// Connections are named as stream logs are: "10.1.1.2:55625 to 10.1.1.1:7174", the initiator first.
struct ReplayedStream {
  std::uint32_t number = 0;  // of the recorded stream
  std::string recorded;
  std::string live;
};
// The comment that a packet of the live connection bears.
[[nodiscard]] std::string comment_of(const ReplayedStream& stream);
// Those of a recording, in order. What is damaged, or somebody else's, is passed over.
[[nodiscard]] std::vector<ReplayedStream> replayed_streams(const std::string& path);

}  // namespace iwarp::replay
