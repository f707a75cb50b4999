// SPDX-License-Identifier: GPL-2.0-or-later
#include "sctp/twin.hpp"

#include <algorithm>
#include <utility>

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;

// Chunks of one side, one message after the other, into packets.
class Burst {
 public:
  Burst(SctpConversation& c, Side side, Numbers& chance, bool plain)
      : c_(c), side_(side), chance_(chance), plain_(plain) {}

  void add(unsigned stream, const Bytes& ulpdu) {
    if (!plain_ && ulpdu.size() > 100 && chance_.one_in(4)) {
      for (Bytes& piece : c_.fragments(side_, stream, ulpdu, 40 + chance_.below(400)))
        chunks_.push_back(std::move(piece));
    } else {
      chunks_.push_back(c_.segment(side_, stream, ulpdu));
    }
  }

  void put() {
    if (!plain_) {
      for (std::size_t i = 0; i + 1 < chunks_.size(); ++i) {
        if (chance_.one_in(3))
          std::swap(chunks_[i], chunks_[i + 1 +
                                        chance_.below(static_cast<std::uint32_t>(
                                            std::min<std::size_t>(4, chunks_.size() - i - 1)))]);
      }
    }
    std::vector<Bytes> bundle{c_.sack(side_)};
    std::size_t octets = 0;
    for (const Bytes& chunk : chunks_) {
      const bool fits = octets + chunk.size() < 1400;
      if (octets > 0 && (plain_ || !fits || chance_.one_in(2))) flush(bundle, octets);
      bundle.push_back(chunk);
      octets += chunk.size();
    }
    flush(bundle, octets);
    chunks_.clear();
  }

 private:
  void flush(std::vector<Bytes>& bundle, std::size_t& octets) {
    const std::size_t place = c_.packet(side_, bundle);
    if (!plain_ && chance_.one_in(6)) c_.repeat(place);
    bundle.clear();
    octets = 0;
  }

  SctpConversation& c_;
  Side side_;
  Numbers& chance_;
  bool plain_;
  std::vector<Bytes> chunks_;
};

}  // namespace

std::vector<Submitted> submitted(const Conversation& conversation) {
  constexpr std::size_t startup_key = 16;
  std::vector<Submitted> all;
  const Endpoint initiator = conversation.segments().front().meta.source;
  for (const OwnedSegment& each : conversation.segments()) {
    const Side side = each.meta.source == initiator ? a : b;
    const Bytes& octets = each.octets;
    if (octets.empty()) continue;
    if (octets.size() > startup_key && part(octets, 0, 6) == text("MPA ID")) continue;
    all.push_back({side, part(octets, 2, load_be16(octets.data()))});
  }
  return all;
}

SctpConversation carried(const std::vector<std::vector<Submitted>>& scripts, const SctpCarriage& carriage) {
  const bool plain = carriage.seed == 0;
  Numbers chance(carriage.seed);
  SctpConversation c;
  c.associate();
  for (unsigned stream = 0; stream < scripts.size(); ++stream) c.open(stream);
  std::vector<std::size_t> at(scripts.size(), 0);
  // A run of one side at a time, of every stream that has one next.
  for (Side side = a;; side = other(side)) {
    Burst burst(c, side, chance, plain);
    bool any = false;
    for (unsigned stream = 0; stream < scripts.size(); ++stream) {
      const auto& script = scripts[stream];
      for (; at[stream] < script.size() && script[at[stream]].side == side; ++at[stream]) {
        burst.add(stream, script[at[stream]].ulpdu);
        any = true;
      }
    }
    if (any) burst.put();
    bool over = true;
    for (unsigned stream = 0; stream < scripts.size(); ++stream)
      over = over && at[stream] == scripts[stream].size();
    if (over) break;
  }
  c.packet(a, {c.sack(a)});
  c.packet(b, {c.sack(b)});
  for (unsigned stream = 0; stream < scripts.size(); ++stream) c.close(stream);
  if (carriage.shut_down) c.shut_down();
  return c;
}

}  // namespace iwarp::test
