// What a replay may be told to do otherwise than recorded.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <iwarp/state.hpp>

#include "rnic/mutator.hpp"
#include "transport/network.hpp"

namespace iwarp::replay {

enum class Timing : std::uint8_t {
  topspeed,  // each request as soon as what it waits for has happened
  causal,    // the same, after the time that the recorded application took
  original,  // not before its recorded time behind the start of the replay, and what it waits for
  step       // each when somebody says so, in the recorded order of those that may go
};

// What the start-up frames say instead of what was recorded.
struct StartupOverrides {
  std::optional<bool> crc = std::nullopt;
  std::array<std::optional<bool>, 2> markers = {};  // by Role: in what it sends
  std::optional<std::uint8_t> revision = std::nullopt;
  std::optional<RtrKind> rtr =
      std::nullopt;  // ready-to-receive message (RFC 6581 §9.2); none: no peer-to-peer mode
  std::optional<std::uint16_t> ird = std::nullopt;  // of both sides
  std::optional<std::uint16_t> ord = std::nullopt;
};

struct ReplayOptions {
  Timing timing = Timing::causal;
  double speed = 1;                // recorded times are divided by it
  TimeNs max_gap = never;          // longest time an application takes, before that
  double requests_per_second = 0;  // at most; 0: no limit
  double bits_per_second = 0;      // of messages' payload; 0: no limit
  // From an accepting Reply to the initiator's first FPDU. siw (Linux 6.1 at least) answers before it reads
  // FPDUs: one that comes at once stays in its socket until further octets come, which never happens.
  TimeNs start_delay = 0;
  StartupOverrides startup = {};
  bool recorded_segments = true;  // cut messages as the recorded senders did, where TCP's segments allow it
  std::uint64_t limit = UINT64_MAX;                    // requests posted in all
  TimeNs duration = never;                             // then it ends
  TimeNs patience = 10'000'000'000;                    // without any progress, before it is given up
  std::uint64_t max_memory = std::uint64_t{1} << 30U;  // octets of registered memory and buffers
  std::uint64_t seed = 1;                              // of the soft-RNICs
  std::vector<IpAddress> accept_only = {};             // peers that may connect; empty: any
  // Own memory is registered with other STags and at other TOs than recorded: what a live peer does.
  bool rename_own = false;
  // Who makes wrong what this role of this stream (place in the plan) sends, where somebody does.
  std::function<rnic::Mutator*(std::uint32_t stream, Role role)> mutator = nullptr;
  // Is told once of each connection that is established. `ends` by Role.
  std::function<void(std::uint32_t stream, const std::array<Endpoint, 2>& ends)> established = nullptr;
};

}  // namespace iwarp::replay
