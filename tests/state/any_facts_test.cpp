// The fold is total: whatever facts come, in whatever order, nothing breaks, memory stays bounded, and
// apply() gives the state that the analysis had.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <memory>

#include <gtest/gtest.h>

#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

// xorshift64*
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 2654435761U + 88172645463325252U) {}
  std::uint64_t roll() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dU;
  }
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(roll() >> 33) % limit; }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

// Small numbers mostly, so that messages and requests meet; sometimes extremes.
std::uint32_t number(Dice& dice) {
  if (dice.chance(3)) return static_cast<std::uint32_t>(dice.roll());
  return dice.below(6);
}

FpduFact any_fpdu(Dice& dice) {
  FpduFact fact;
  fact.ddp.ddp_control =
      static_cast<std::uint8_t>((dice.chance(50) ? 0x80 : 0) | (dice.chance(60) ? 0x40 : 0) | 1);
  fact.ddp.rdmap_control = static_cast<std::uint8_t>(0x40 | dice.below(16));
  if (dice.chance(2)) fact.ddp.ddp_control = static_cast<std::uint8_t>(dice.roll());
  fact.ddp.stag = number(dice);
  fact.ddp.queue = fact.ddp.tagged()                                      ? 0
                   : dice.chance(90) && wire::is_known(fact.ddp.opcode()) ? wire::queue_of(fact.ddp.opcode())
                                                                          : number(dice);
  if (!fact.ddp.tagged()) {
    fact.ddp.msn = number(dice);
    fact.ddp.mo = dice.chance(70) ? 0 : number(dice) * 10;
  }
  fact.ddp.to = std::uint64_t{number(dice)} * 10;
  const std::uint32_t payload = fact.ddp.tagged() ? dice.below(5) * 10
                                : dice.chance(90) ? wire::rdmap_header_size(fact.ddp.opcode())
                                                  : dice.below(80);
  fact.ulpdu_length = static_cast<std::uint16_t>(fact.ddp.size() + payload);
  fact.payload_length = payload;
  fact.wire_size = payload + 40;
  fact.rdmap_octets =
      static_cast<std::uint8_t>(fact.ddp.tagged() ? 0 : std::min<std::uint32_t>(payload, max_rdmap_header));
  if (dice.chance(5)) fact.rdmap_octets = static_cast<std::uint8_t>(dice.below(fact.rdmap_octets + 1U));
  for (Byte& octet : fact.rdmap) octet = dice.chance(80) ? 0 : static_cast<Byte>(dice.below(8));
  fact.header_octets =
      static_cast<std::uint8_t>(dice.chance(98) ? fact.ddp.size() + fact.rdmap_octets : dice.below(18));
  fact.crc = static_cast<CrcStatus>(dice.chance(90) ? 0 : dice.below(4));
  fact.crc_field = dice.below(2);
  fact.malformed = dice.chance(1);
  fact.cut = dice.chance(3);
  fact.recovered = dice.chance(3);
  fact.marker_faults = static_cast<std::uint8_t>(dice.chance(2) ? dice.below(8) : 0);
  return fact;
}

StartupFact any_startup(Dice& dice) {
  StartupFact fact;
  fact.kind = static_cast<wire::StartupKind>(dice.below(2));
  fact.revision = static_cast<std::uint8_t>(dice.below(3));
  fact.crc = dice.chance(50);
  fact.markers = dice.chance(50);
  fact.rejected = dice.chance(10);
  fact.enhanced = fact.has_word = dice.chance(50);
  fact.word = {dice.chance(50),
               dice.chance(50),
               dice.chance(50),
               dice.chance(50),
               static_cast<std::uint16_t>(dice.chance(10) ? 0x3fff : dice.below(4)),
               static_cast<std::uint16_t>(dice.chance(10) ? 0x3fff : dice.below(4))};
  fact.private_data_length = static_cast<std::uint16_t>(dice.below(600));
  fact.private_data_received = static_cast<std::uint16_t>(dice.below(600));
  return fact;
}

Event any_event(Dice& dice, std::array<StreamOffset, 2>& ends) {
  Event event;
  event.side = dice.chance(50) ? a : b;
  event.offset = ends[index(event.side)];
  event.ack = dice.chance(80) ? ends[index(other(event.side))] : dice.below(1000);
  const std::uint32_t kind = dice.below(1000);
  if (kind < 930) {
    event.kind = EventKind::fpdu;
    std::construct_at(&event.fpdu, any_fpdu(dice));
    ends[index(event.side)] += event.fpdu.wire_size;
  } else if (kind < 945) {
    event.kind = EventKind::gap;
    std::construct_at(&event.gap,
                      GapFact{dice.below(100), static_cast<GapCause>(dice.below(2)), dice.chance(30)});
  } else if (kind < 955) {
    event.kind = EventKind::startup;
    std::construct_at(&event.startup, any_startup(dice));
  } else if (kind < 960) {
    event.kind = EventKind::sync_lost;
    std::construct_at(&event.sync_lost, SyncLostFact{7, false, {}});
  } else if (kind < 970) {
    event.kind = EventKind::locked;
    std::construct_at(&event.locked,
                      LockedFact{static_cast<Mode>(dice.below(3)), static_cast<Mode>(dice.below(3)),
                                 dice.chance(50), dice.chance(50), 3, dice.chance(50), dice.below(9)});
  } else if (kind < 985) {
    event.kind = EventKind::acknowledged;
    event.ack = ends[index(other(event.side))] + dice.below(2);
  } else if (kind < 990) {
    event.kind = EventKind::retransmitted;
    std::construct_at(&event.retransmitted, RetransmittedFact{dice.below(300), dice.chance(20)});
    event.offset -= std::min<StreamOffset>(event.offset, dice.below(300));
  } else if (kind < 994) {
    event.kind = EventKind::window;
    std::construct_at(&event.window, WindowFact{dice.chance(50)});
  } else if (kind < 996) {
    event.kind = EventKind::fin;
    std::construct_at(&event.end, EndFact{dice.chance(50), dice.chance(50)});
  } else if (kind < 997) {
    event.kind = EventKind::rst;
    std::construct_at(&event.end, EndFact{dice.chance(50), dice.chance(50)});
  } else if (kind < 998) {
    event.kind = EventKind::closed;
    std::construct_at(&event.closed, ClosedFact{static_cast<CloseCause>(dice.below(5))});
  } else {
    event.kind = EventKind::syn;
    std::construct_at(&event.syn, SynFact{static_cast<std::uint16_t>(dice.below(2000))});
  }
  return event;
}

TEST(AnyFacts, InAnyOrder) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    Scene scene;
    std::array<StreamOffset, 2> ends{};
    if (dice.chance(80)) scene.open(dice.chance(70) ? OpenedBy::handshake : OpenedBy::midstream);
    if (dice.chance(60)) {
      scene.request();
      scene.reply();
    }
    for (int i = 0; i < 2000; ++i) {
      scene.raw(any_event(dice, ends));
      for (const SideState& side : scene.state.sides) {
        ASSERT_LE(side.watched.size(), 1024U);
        ASSERT_LE(side.recent.size(), max_recent_segments);
        ASSERT_LE(side.terminates.size(), 16U);
      }
    }
  }
}

TEST(AnyFacts, EveryMessageAndOperationEndsOnce) {
  Dice dice(7);
  Scene scene;
  scene.start();
  std::array<StreamOffset, 2> ends{};
  std::size_t requests = 0;
  for (int i = 0; i < 20000; ++i) {
    const Event event = any_event(dice, ends);
    if (event.kind != EventKind::fpdu) continue;
    const std::size_t before = scene.side(event.side).requests.size();
    scene.raw(event);
    RequestList& queue = scene.state.side(event.side).requests;
    if (queue.size() > before && !queue.back().unseen) ++requests;
  }
  scene.close(CloseCause::rst);
  EXPECT_EQ(scene.side(a).outstanding() + scene.side(b).outstanding(), 0U);
  std::size_t answered = 0;
  for (const OperationConclusion& operation : scene.operations) {
    if (operation.kind == OperationKind::read || operation.kind == OperationKind::atomic) ++answered;
  }
  EXPECT_GT(requests, 100U);
  EXPECT_GE(answered, requests);
}

TEST(AnyFacts, ACopyGoesOnAsTheOriginal) {
  Dice dice(3);
  Scene scene;
  scene.start();
  std::array<StreamOffset, 2> ends{};
  for (int i = 0; i < 500; ++i) scene.raw(any_event(dice, ends));
  const ConnectionState snapshot = scene.state;
  const std::size_t from = scene.log.size();
  for (int i = 0; i < 500; ++i) scene.raw(any_event(dice, ends));
  ConnectionState again = snapshot;
  for (std::size_t i = from; i < scene.log.size(); ++i) apply(again, scene.log[i]);
  EXPECT_TRUE(scene.equals(again));
}

}  // namespace
}  // namespace iwarp::testing
