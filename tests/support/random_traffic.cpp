// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/random_traffic.hpp"

#include <algorithm>
#include <deque>

namespace iwarp::test {
namespace {

// What one side has begun and not finished.
struct Requester {
  std::uint32_t send_msn = 1;
  std::uint32_t request_msn = 1;
  std::uint32_t atomic_response_msn = 1;  // of the responses it sends
  std::deque<Read> reads = {};            // in order with atomics: size 0xffffffff marks one
  std::deque<std::uint32_t> atomics = {};
};

constexpr std::uint32_t atomic_mark = 0xffffffffU;
constexpr std::size_t max_outstanding = 6;

class Generator {
 public:
  Generator(std::uint64_t seed, const Traffic& traffic, const Carriage& carriage)
      : numbers_(seed * 2 + 1), alike_(traffic.alike), carriage_(carriage), chance_(carriage.seed) {
    c_.handshake();
    const unsigned depth = 8;
    std::optional<Depths> word;
    if (numbers_.one_in(2)) word = Depths{.ird = depth, .ord = depth};
    c_.startup({.markers = traffic.markers_b, .crc = traffic.crc, .word = word},
               {.markers = traffic.markers_a, .crc = traffic.crc, .word = word});
  }

  Conversation play() {
    burst(Side::a, {send(sides_[0].send_msn++, payload(100))});
    const std::uint32_t bursts = 6 + numbers_.below(12);
    for (std::uint32_t i = 0; i < bursts; ++i) {
      const Side side = numbers_.one_in(2) ? Side::a : Side::b;
      std::vector<Bytes> ulpdus;
      const std::uint32_t messages = 1 + numbers_.below(4);
      for (std::uint32_t m = 0; m < messages; ++m) message(side, ulpdus);
      burst(side, ulpdus);
    }
    for (const Side side : {Side::a, Side::b}) {
      std::vector<Bytes> ulpdus;
      while (!sides_[index(other(side))].reads.empty()) answer(side, ulpdus);
      if (!ulpdus.empty()) burst(side, ulpdus);
    }
    c_.ack(Side::a);
    c_.ack(Side::b);
    c_.close();
    return std::move(c_);
  }

 private:
  std::uint32_t length(std::uint32_t most) {
    const std::uint32_t drawn = numbers_.below(most);
    return alike_ ? drawn / (most / 4) * (most / 4) : drawn;
  }
  std::uint32_t place() {
    const std::uint32_t drawn = numbers_.below(1U << 30U);
    return alike_ ? 0 : drawn;
  }
  Bytes payload(std::uint32_t most) {
    const std::uint32_t octets = length(most);
    return pattern(octets, numbers_.below(1U << 30U));
  }
  void append(std::vector<Bytes>& to, const std::vector<Bytes>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  void message(Side side, std::vector<Bytes>& out) {
    Requester& own = sides_[index(side)];
    const std::uint32_t stag = 0x100 + numbers_.below(alike_ ? 2 : 0x10000);
    const std::size_t size = 200 + numbers_.below(1200);
    switch (numbers_.below(11)) {
      case 0: append(out, send_segments(own.send_msn++, payload(4000), size)); break;
      case 1: out.push_back(send_se(own.send_msn++, payload(900))); break;
      case 2: out.push_back(send_inv(own.send_msn++, stag, payload(900))); break;
      case 3: out.push_back(send_se_inv(own.send_msn++, stag, payload(900))); break;
      case 4: append(out, write_segments(stag, place(), payload(5000), size)); break;
      case 5: out.push_back(immediate(own.send_msn++, numbers_.next())); break;
      case 6: out.push_back(immediate_se(own.send_msn++, numbers_.next())); break;
      case 7:
        if (own.reads.size() == max_outstanding) break;
        // What is read is neither written nor invalidated meanwhile.
        own.reads.push_back({stag, place(), length(3000), 0x1000000 + stag, 0});
        out.push_back(read_request(own.request_msn++, own.reads.back()));
        break;
      case 8: {
        if (own.reads.size() == max_outstanding) break;
        own.reads.push_back({.size = atomic_mark});
        own.atomics.push_back(numbers_.below(1U << 30U));
        const Atomic atomic{
            .id = own.atomics.back(), .stag = 0x2000000 + stag, .to = 8ULL * numbers_.below(1000), .data = 1};
        out.push_back(numbers_.one_in(2) ? fetch_add(own.request_msn++, atomic)
                                         : cmp_swap(own.request_msn++, atomic));
        break;
      }
      default: answer(side, out);
    }
    if (out.empty()) out.push_back(send(own.send_msn++, payload(50)));
  }

  // The oldest request of the peer.
  void answer(Side side, std::vector<Bytes>& out) {
    Requester& peer = sides_[index(other(side))];
    if (peer.reads.empty()) return;
    const Read read = peer.reads.front();
    peer.reads.pop_front();
    if (read.size == atomic_mark) {
      out.push_back(
          atomic_response(sides_[index(side)].atomic_response_msn++, peer.atomics.front(), numbers_.next()));
      peer.atomics.pop_front();
      return;
    }
    append(out, read_response_segments(read.sink_stag, read.sink_to, pattern(read.size, read.sink_stag),
                                       200 + numbers_.below(1200)));
  }

  void burst(Side side, const std::vector<Bytes>& ulpdus) {
    std::vector<Bytes> fpdus;
    for (const Bytes& ulpdu : ulpdus) fpdus.push_back(c_.frame(side, ulpdu));
    if (carriage_.seed == 0) {
      for (const Bytes& fpdu : fpdus) c_.send(side, fpdu);
      return;
    }
    const StreamOffset begin = c_.sent(side);
    const Bytes octets = cat(fpdus);
    std::vector<Packets> sent;
    for (std::size_t at = 0; at < octets.size();) {
      const std::size_t size = chance_.one_in(8) ? 2 + chance_.below(6) : 50 + chance_.below(1400);
      const Bytes piece = part(octets, at, size);
      at += piece.size();
      if (carriage_.retransmit && chance_.one_in(6)) {
        lost_.push_back(c_.lose(side, piece));
      } else {
        sent.push_back(c_.send(side, piece));
      }
      if (carriage_.retransmit && at > 1 && chance_.one_in(6)) {
        const std::size_t from = chance_.below(static_cast<std::uint32_t>(at - 1));
        if (lost_.empty() && at - from > 1) c_.resend(side, begin + from, at - from);
      }
    }
    for (const Packets& each : lost_) c_.resend(each);
    lost_.clear();
    if (!carriage_.reorder) return;
    for (std::size_t i = 0; i + 1 < sent.size(); ++i) {
      if (!chance_.one_in(3)) continue;
      const std::size_t later = std::min(sent.size() - 1, i + 1 + chance_.below(4));
      c_.move_behind(sent[i], sent[later]);
    }
    // The other direction's link is a little ahead in the mirror.
    if (before_.count > 0 && !sent.empty() && before_side_ != side && chance_.one_in(3))
      c_.move_behind(before_, sent[0]);
    before_ = sent.empty() ? Packets{} : sent.back();
    before_side_ = side;
  }

  Numbers numbers_;  // what is sent
  bool alike_;
  Carriage carriage_;
  Numbers chance_;  // how it is carried
  Conversation c_;
  std::array<Requester, 2> sides_;
  std::vector<Packets> lost_ = {};
  Packets before_ = {};
  Side before_side_ = Side::a;
};

}  // namespace

Traffic traffic_of(std::uint64_t seed) {
  return {.markers_a = seed % 2 == 1, .markers_b = seed / 2 % 2 == 1, .crc = seed / 4 % 3 != 0};
}

Conversation random_traffic(std::uint64_t seed, const Traffic& traffic, const Carriage& carriage) {
  return Generator(seed, traffic, carriage).play();
}

}  // namespace iwarp::test
