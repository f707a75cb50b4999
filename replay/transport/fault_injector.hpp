// FaultInjector: what a bad network does to packets, by chance from a seed or to chosen ones.
//
//   FaultInjector injector({.rules = {{.fault = Fault::loss, .probability = 0.1},
//                                     {.fault = Fault::loss, .nth = {3}, .from = client}},
//                           .delay = 20'000, .jitter = 5'000}, seed);
//
// A rule counts the packets that it applies to, from 1, and strikes the ones named in `nth` as well as others
// by chance. Rules are asked in their order; behind a loss no more are.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/ids.hpp>
#include <iwarp/segment.hpp>

#include "transport/packet.hpp"
#include "transport/random.hpp"

namespace iwarp::replay {

enum class Fault : std::uint8_t {
  loss,
  duplication,        // a second copy right behind the first
  reordering,         // comes `reordered_by` later, past packets behind it
  corruption,         // a bit is wrong, and so the TCP checksum: the receiver drops the packet
  hidden_corruption,  // an octet of the payload is wrong, and the checksum fits: MPA's CRC has to see it
  splitting,          // the payload comes in two packets
  coalescing          // waits for the packet that continues it, and both come as one
};
inline constexpr std::size_t fault_count = 7;

enum class Which : std::uint8_t {
  any,
  payload,  // packets with octets
  syn,
  fin,
  rst,
  bare_ack  // none of the above
};

struct FaultRule {
  Fault fault = Fault::loss;
  double probability = 0;
  std::vector<std::uint64_t> nth = {};  // of the packets that it applies to
  Which which = Which::any;
  std::optional<IpAddress> from = std::nullopt;
};

struct FaultOptions {
  std::vector<FaultRule> rules = {};
  TimeNs delay = 50'000;
  TimeNs jitter = 0;  // up to so much more; does not change the order of packets
  TimeNs reordered_by = 200'000;
  TimeNs coalescing_wait = 20'000;
  std::size_t max_coalesced = 60'000;  // octets of payload
};

class FaultInjector {
 public:
  FaultInjector(const FaultOptions& options, std::uint64_t seed, PacketPool& pool);

  struct Passed {
    PacketPool::Handle packet;
    TimeNs delay = 0;
    bool keeps_order = true;  // not before packets that passed earlier
  };
  // Takes a packet in; `out` gets what comes out now, behind what is in it.
  void pass(PacketPool::Handle packet, TimeNs now, std::vector<Passed>& out);

  // Packets that wait for others to be coalesced with: when release() is due, and release of those due.
  [[nodiscard]] TimeNs deadline() const noexcept;
  void release(TimeNs now, std::vector<Passed>& out);

  // What was done; for coalescing: packets that became part of the one before.
  [[nodiscard]] std::uint64_t count(Fault fault) const noexcept {
    return counts_[static_cast<std::size_t>(fault)];
  }
  [[nodiscard]] std::uint64_t passed() const noexcept { return passed_; }

 private:
  struct Waiting {
    PacketPool::Handle packet;
    TimeNs until = 0;
  };
  struct Rule {
    FaultRule rule;
    std::uint64_t seen = 0;
  };
  static constexpr std::size_t max_waiting = 64;

  [[nodiscard]] static bool applies(const FaultRule& rule, const Packet& packet) noexcept;
  [[nodiscard]] bool strikes(Rule& rule, const Packet& packet);
  // What waits for this packet, coalesced with it where they fit together; else it goes first.
  void join_waiting(PacketPool::Handle& packet, std::vector<Passed>& out);
  void emit(PacketPool::Handle packet, bool reordered, std::vector<Passed>& out);
  void split(PacketPool::Handle& packet, bool reordered, std::vector<Passed>& out);
  [[nodiscard]] PacketPool::Handle copy(const Packet& packet);
  void counted(Fault fault) noexcept { ++counts_[static_cast<std::size_t>(fault)]; }

  FaultOptions options_;
  std::vector<Rule> rules_ = {};
  Random random_;
  PacketPool& pool_;
  std::vector<Waiting> waiting_ = {};
  std::array<std::uint64_t, fault_count> counts_{};
  std::uint64_t passed_ = 0;
};

}  // namespace iwarp::replay
