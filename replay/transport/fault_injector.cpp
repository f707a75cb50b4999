// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/fault_injector.hpp"

#include <algorithm>
#include <utility>

#include "transport/network.hpp"

namespace iwarp::replay {
namespace {

bool same_direction(const Packet& one, const Packet& other) noexcept {
  return one.source == other.source && one.destination == other.destination;
}

}  // namespace

FaultInjector::FaultInjector(const FaultOptions& options, std::uint64_t seed, PacketPool& pool)
    : options_(options), random_(seed), pool_(pool) {
  for (FaultRule& rule : options_.rules) rules_.push_back({std::move(rule)});
  options_.rules.clear();
}

bool FaultInjector::applies(const FaultRule& rule, const Packet& packet) noexcept {
  if (rule.from && packet.source.address != *rule.from) return false;
  if (rule.fault == Fault::hidden_corruption && packet.payload.empty()) return false;
  if (rule.fault == Fault::splitting && packet.payload.size() < 2) return false;
  if (rule.fault == Fault::coalescing && (packet.payload.empty() || packet.has(tcp::fin))) return false;
  constexpr std::uint8_t special = tcp::syn | tcp::fin | tcp::rst;
  switch (rule.which) {
    case Which::any: return true;
    case Which::payload: return !packet.payload.empty();
    case Which::syn: return packet.has(tcp::syn);
    case Which::fin: return packet.has(tcp::fin);
    case Which::rst: return packet.has(tcp::rst);
    case Which::bare_ack: return packet.payload.empty() && !packet.has(special);
  }
  return false;
}

bool FaultInjector::strikes(Rule& each, const Packet& packet) {
  if (!applies(each.rule, packet)) return false;
  ++each.seen;
  const bool named = std::find(each.rule.nth.begin(), each.rule.nth.end(), each.seen) != each.rule.nth.end();
  return (each.rule.probability > 0 && random_.chance(each.rule.probability)) || named;
}

void FaultInjector::pass(PacketPool::Handle packet, TimeNs now, std::vector<Passed>& out) {
  ++passed_;
  std::array<bool, fault_count> struck{};
  for (Rule& rule : rules_) {
    if (!strikes(rule, *packet)) continue;
    struck[static_cast<std::size_t>(rule.rule.fault)] = true;
    if (rule.rule.fault == Fault::loss) break;
  }
  const auto has = [&](Fault fault) { return struck[static_cast<std::size_t>(fault)]; };
  if (has(Fault::loss)) return counted(Fault::loss);
  if (has(Fault::corruption)) {
    counted(Fault::corruption);
    packet->checksum_wrong = true;
    if (!packet->payload.empty()) packet->payload[random_.below(packet->payload.size())] ^= 0x10;
  } else if (has(Fault::hidden_corruption)) {
    counted(Fault::hidden_corruption);
    packet->payload[random_.below(packet->payload.size())] ^= static_cast<Byte>(1 + random_.below(255));
  }
  const bool reordered = has(Fault::reordering);
  if (reordered) counted(Fault::reordering);

  if (!reordered) join_waiting(packet, out);
  const bool can_wait = packet->payload.size() < options_.max_coalesced && !packet->checksum_wrong &&
                        !packet->has(tcp::fin) && waiting_.size() < max_waiting;
  if (has(Fault::coalescing) && can_wait && !reordered) {
    waiting_.push_back({std::move(packet), now + options_.coalescing_wait});
    return;
  }
  PacketPool::Handle second;
  if (has(Fault::duplication)) {
    counted(Fault::duplication);
    second = copy(*packet);
  }
  if (has(Fault::splitting) && packet->payload.size() >= 2) {
    split(packet, reordered, out);
  } else {
    emit(std::move(packet), reordered, out);
  }
  if (second) emit(std::move(second), reordered, out);
}

void FaultInjector::join_waiting(PacketPool::Handle& packet, std::vector<Passed>& out) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Waiting& each) { return same_direction(*each.packet, *packet); });
  if (found == waiting_.end()) return;
  PacketPool::Handle first = std::move(found->packet);
  waiting_.erase(found);
  constexpr std::uint8_t never_joined = tcp::syn | tcp::rst;
  const bool fits = !packet->payload.empty() && !packet->has(never_joined) && !packet->checksum_wrong &&
                    first->sequence + first->sequence_length() == packet->sequence &&
                    first->payload.size() + packet->payload.size() <= options_.max_coalesced;
  if (!fits) return emit(std::move(first), false, out);
  counted(Fault::coalescing);
  first->payload.insert(first->payload.end(), packet->payload.begin(), packet->payload.end());
  first->flags |= packet->flags;
  first->acknowledgement = packet->acknowledgement;
  first->window = packet->window;
  packet = std::move(first);
}

void FaultInjector::split(PacketPool::Handle& packet, bool reordered, std::vector<Passed>& out) {
  counted(Fault::splitting);
  const std::size_t size = 1 + random_.below(packet->payload.size() - 1);
  PacketPool::Handle rest = copy(*packet);
  rest->payload.erase(rest->payload.begin(), rest->payload.begin() + static_cast<std::ptrdiff_t>(size));
  rest->sequence += static_cast<std::uint32_t>(size);
  ++rest->identification;  // as segmentation offload counts
  packet->payload.resize(size);
  constexpr std::uint8_t of_the_end = tcp::fin | tcp::psh;
  packet->flags &= static_cast<std::uint8_t>(~of_the_end);
  emit(std::move(packet), false, out);
  emit(std::move(rest), reordered, out);
}

void FaultInjector::emit(PacketPool::Handle packet, bool reordered, std::vector<Passed>& out) {
  TimeNs delay = options_.delay;
  if (options_.jitter > 0) {
    delay += static_cast<TimeNs>(random_.below(static_cast<std::uint64_t>(options_.jitter) + 1));
  }
  if (reordered) delay += options_.reordered_by;
  out.push_back({std::move(packet), delay, !reordered});
}

TimeNs FaultInjector::deadline() const noexcept {
  TimeNs earliest = never;
  for (const Waiting& each : waiting_) earliest = std::min(earliest, each.until);
  return earliest;
}

void FaultInjector::release(TimeNs now, std::vector<Passed>& out) {
  for (std::size_t i = 0; i < waiting_.size();) {
    if (waiting_[i].until > now) {
      ++i;
      continue;
    }
    emit(std::move(waiting_[i].packet), false, out);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

PacketPool::Handle FaultInjector::copy(const Packet& packet) {
  PacketPool::Handle result = pool_.take();
  *result = packet;  // vectors keep their memory when they are assigned to
  return result;
}

}  // namespace iwarp::replay
