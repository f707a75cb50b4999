// Two soft-RNICs do random work of every kind for each other over TCP through a network that loses, repeats,
// reorders, damages, cuts and joins packets (scenario H17): memory is what a sequential model says, each Work
// Request completes once, in order and as it should, nothing hangs, and the QPs can be used again.
//
// IWARP_SEEDS: how many seeds (300). IWARP_FIRST_SEED: where to begin (1).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "replay/properties/laboratory.hpp"
#include "replay/properties/seeds.hpp"

namespace iwarp::rnic::test {
namespace {

// What all seeds together have been through: a test that never loses a packet proves nothing.
struct Seen {
  std::array<std::uint64_t, static_cast<std::size_t>(Operation::receive)> operations{};
  std::array<std::uint64_t, replay::fault_count> faults{};
  std::uint64_t octets = 0;
};

// Both directions of all pairs, as often as the dice say.
void play_rounds(Laboratory& laboratory, Seen& seen) {
  for (std::uint32_t rounds = laboratory.dice.between(1, 3); rounds != 0; --rounds) {
    for (const auto& pair : laboratory.pairs) laboratory.make_work(*pair);
    ASSERT_TRUE(laboratory.run_to_the_end()) << laboratory.state_of_things();
    for (const auto& pair : laboratory.pairs) {
      for (const auto& side : pair->sides) {
        for (const WorkRequest& request : side->work)
          ++seen.operations[static_cast<std::size_t>(request.operation)];
      }
      check_round(*pair);
      if (testing::Test::HasFatalFailure()) return;
    }
    laboratory.new_round();
  }
}

// By one end or by both at the same time; what is left in the RQ is flushed.
void close(Laboratory& laboratory) {
  Dice& dice = laboratory.dice;
  std::vector<std::pair<Side*, std::uint32_t>> left;
  for (const auto& pair : laboratory.pairs) {
    for (const auto& side : pair->sides) {
      const std::uint32_t spare = side->srq == SrqId::none ? dice.below(4) : 0;
      for (std::uint32_t count = 0; count < spare; ++count) {
        ASSERT_EQ(side->rnic.post_receive(side->qp, side->pool.make(dice, 10)).status, Status::ok);
      }
      left.emplace_back(side.get(), spare);
    }
    const unsigned first = dice.below(2);
    Side& closing = *pair->sides[first];
    ASSERT_EQ(laboratory.modify(closing, {.next = QpState::closing}), Status::ok);
    if (!dice.one_in(3)) continue;
    Side& other = *pair->sides[1 - first];
    ASSERT_EQ(laboratory.modify(other, {.next = QpState::closing}), Status::ok);
  }
  ASSERT_TRUE(laboratory.run([&] {
    return std::all_of(left.begin(), left.end(), [](const auto& item) {
      return item.first->state() == QpState::idle && item.first->receive_log.size() == item.second &&
             !item.first->events.empty();
    });
  })) << laboratory.state_of_things();
  for (auto& [side, spare] : left) {
    ASSERT_EQ(side->events, std::vector{AsyncEventKind::llp_close_complete});
    side->events.clear();
    for (const WorkCompletion& completion : side->receive_log)
      ASSERT_EQ(completion.status, CompletionStatus::flushed);
    ASSERT_TRUE(side->send_log.empty());
    ASSERT_EQ(side->rnic.destroy_stream(side->stream), Status::ok);
    side->stream = StreamId::none;
  }
  laboratory.new_round();
}

void run_seed(std::uint64_t seed, Seen& seen) {
  Dice dice(seed ^ 0x5eed);
  Laboratory laboratory(seed, {.pairs = dice.between(1, 3)});
  for (std::uint32_t connections = dice.one_in(3) ? 2 : 1; connections != 0; --connections) {
    laboratory.new_round();
    for (const auto& pair : laboratory.pairs) {
      laboratory.connect(*pair);
      if (testing::Test::HasFatalFailure()) return;
    }
    play_rounds(laboratory, seen);
    if (testing::Test::HasFatalFailure()) return;
    close(laboratory);
    if (testing::Test::HasFatalFailure()) return;
  }
  for (std::size_t fault = 0; fault < replay::fault_count; ++fault) {
    seen.faults[fault] += laboratory.network.faults().count(static_cast<replay::Fault>(fault));
  }
  seen.octets += laboratory.octets;
}

TEST(H17_RandomWork, MemoryAndCompletionsAreWhatTheModelSays) {
  Seen seen;
  const std::uint64_t seeds = iwarp::test::fewer_if_sanitized(300);
  for_each_seed(seeds, [&seen](std::uint64_t seed) { run_seed(seed, seen); });
  if (HasFailure() || seeds_of(seeds) < 100) return;
  for (std::size_t operation = 0; operation < seen.operations.size(); ++operation) {
    EXPECT_GT(seen.operations[operation], 100U) << name_of(static_cast<Operation>(operation));
  }
  for (const replay::Fault fault :
       {replay::Fault::loss, replay::Fault::duplication, replay::Fault::reordering, replay::Fault::corruption,
        replay::Fault::splitting, replay::Fault::coalescing}) {
    EXPECT_GT(seen.faults[static_cast<std::size_t>(fault)], 100U) << static_cast<unsigned>(fault);
  }
  EXPECT_GT(seen.octets, std::uint64_t{10'000'000});
}

}  // namespace
}  // namespace iwarp::rnic::test
