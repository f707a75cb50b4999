// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/properties/fault_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace iwarp::rnic::test {

FaultScene::FaultScene(std::uint64_t seed, const LaboratoryOptions& options)
    : laboratory(seed,
                 [&] {
                   LaboratoryOptions two = options;
                   two.pairs = 2;
                   two.own_queues = true;
                   return two;
                 }()),
      which(laboratory.dice.below(2)),
      own(*laboratory.pairs[0]->sides[which]),
      peer(*laboratory.pairs[0]->sides[1 - which]) {
  laboratory.new_round();
  for (const auto& each : laboratory.pairs) laboratory.connect(*each);
  // A healthy round, if only a Send each way: a responder that has heard nothing says nothing.
  for (const auto& each : laboratory.pairs) laboratory.make_work(*each);
  EXPECT_TRUE(laboratory.run_to_the_end()) << laboratory.state_of_things();
  for (const auto& each : laboratory.pairs) check_round(*each);
  laboratory.new_round();
  laboratory.make_work(*laboratory.pairs[1]);
}

std::uint32_t FaultScene::region(Side& side, AccessRights rights, PdId pd, std::uint64_t base,
                                 std::size_t length) {
  Mapping mapping;
  mapping.buffers = contiguous(side.memory.data(), side.memory.size());
  mapping.length = length;
  mapping.virtual_address = base;
  mapping.rights = rights;
  const auto made = side.rnic.register_region(pd, 0x77, true, mapping);
  EXPECT_EQ(made.status, Status::ok) << name_of(made.status);
  return made.value;
}

std::uint32_t FaultScene::window_of_other_qp(Side& side, Side& other) {
  const std::uint32_t window = make_stag(side.rnic.allocate_window(side.pd).value, 0x31);
  WorkRequest bind{.id = other.next_id++, .operation = Operation::bind_window};
  bind.binding = {.window = window,
                  .region = side.all_own.stag,
                  .virtual_address = side.all_target.base,
                  .length = target_size,
                  .rights = access::remote};
  bind.signaled = true;
  other.expected.insert(other.expected.begin(), {bind.id, bind.operation, true, 0});
  other.work.insert(other.work.begin(), bind);
  return window;
}

void FaultScene::work_before(bool reads) {
  Program healthy(dice(), peer, own, pair().reads[1 - which]);
  for (std::uint32_t count = dice().below(15); count != 0; --count) healthy.add();
  healthy.add_last();
  healthy.make_buffers(dice().below(4));
  program = std::make_unique<Program>(dice(), own, peer, reads && pair().reads[which]);
  for (std::uint32_t count = dice().below(15); count != 0; --count) program->add();
  pair().hurt = true;
}

void FaultScene::note() {
  target_before_ = part(peer.model, target_start, target_size);
  messages_before_ = peer.messages.size();
  fault_id_ = own.next_id;
}

void FaultScene::work_behind() {
  for (std::uint32_t count = dice().below(8); count != 0; --count) program->add();
  program->make_buffers(dice().below(4));
}

void FaultScene::run() {
  const auto over = [](const Side& side) {
    // Unsignaled ones that were done make no completion: wait for all of the RQ's, and for the flush.
    const bool reaped =
        !side.reaps_receives || !side.reaps_sends || side.receive_log.size() == side.receive_ids.size();
    return side.state() == QpState::error && reaped && side.rnic.next_timeout() == never;
  };
  ASSERT_TRUE(laboratory.run([&] {
    meanwhile();
    const Pair& other = *laboratory.pairs[1];
    return over(own) && over(peer) && other.sides[0]->done() && other.sides[1]->done();
  })) << laboratory.state_of_things();
  for (Side* const side : {&own, &peer}) side->reaps_sends = side->reaps_receives = true;
  laboratory.act(true);
  laboratory.act(true);
  check_round(*laboratory.pairs[1]);
}

void FaultScene::do_sometime(std::function<void()> act) {
  meanwhile = [this, act = std::move(act), left = dice().below(60)]() mutable {
    if (!act || own.state() != QpState::rts || peer.state() != QpState::rts) return;
    if (left != 0) {
      --left;
    } else {
      std::exchange(act, nullptr)();
      laboratory.call(own);
      laboratory.call(peer);
    }
  };
}

// Successes in order, then the one that failed, all others flushed: each once.
void FaultScene::check_sends(const Side& side, const Aftermath& outcome) {
  std::size_t next = 0;
  bool flushing = false;
  bool failed = false;
  for (const WorkCompletion& completion : side.send_log) {
    const bool success = completion.status == CompletionStatus::success;
    if (!flushing) {
      // Unsignaled ones before a success have succeeded, too; before a flush some may have.
      while (next < side.posted && side.expected[next].id != completion.id) {
        ASSERT_FALSE(side.expected[next].signaled) << "lost: " << side.expected[next].id;
        ++next;
      }
    }
    ASSERT_LT(next, side.posted);
    const Expected& expected = side.expected[next++];
    ASSERT_EQ(completion.id, expected.id);
    ASSERT_EQ(completion.operation, expected.operation);
    if (success) {
      ASSERT_FALSE(flushing);
      ASSERT_TRUE(expected.signaled);
      ASSERT_EQ(completion.original, expected.original);
      continue;
    }
    flushing = true;
    if (completion.status == CompletionStatus::flushed) continue;
    ASSERT_TRUE(outcome.send_status) << name_of(completion.status);
    ASSERT_EQ(name_of(completion.status), name_of(*outcome.send_status));
    ASSERT_FALSE(failed);
    ASSERT_EQ(completion.id, fault_id_);
    failed = true;
  }
  if (flushing && !outcome.lossy) {
    ASSERT_EQ(next, side.posted);
  }
  ASSERT_EQ(failed, outcome.send_status.has_value());
}

void FaultScene::check_receives(const Side& side, const Aftermath& outcome, std::optional<std::size_t> good) {
  if (!outcome.lossy) {
    ASSERT_EQ(side.receive_log.size(), side.receive_ids.size());
  }
  std::size_t received = 0;
  bool failed = false;
  for (std::size_t at = 0; at < side.receive_log.size(); ++at) {
    const WorkCompletion& completion = side.receive_log[at];
    ASSERT_LT(at, side.receive_ids.size());
    if (!outcome.lossy || completion.status == CompletionStatus::success) {
      ASSERT_EQ(completion.id, side.receive_ids[at]);
    }
    if (completion.status == CompletionStatus::success) {
      ASSERT_EQ(received, at);
      ASSERT_LT(received, side.messages.size());
      check_receipt(side, completion, side.messages[received++]);
    } else if (completion.status != CompletionStatus::flushed) {
      ASSERT_EQ(received, at);
      ASSERT_FALSE(failed);
      failed = true;
      ASSERT_TRUE(outcome.receive_status) << name_of(completion.status);
      ASSERT_EQ(name_of(completion.status), name_of(*outcome.receive_status));
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
  ASSERT_EQ(failed, outcome.receive_status.has_value());
  if (good) {
    ASSERT_EQ(received, *good);
  }
}

void FaultScene::check_end(const Side& side, const Aftermath& outcome) {
  const auto names = [](const std::vector<AsyncEventKind>& events) {
    std::string text;
    for (const AsyncEventKind event : events) text += std::string(name_of(event)) + " ";
    return text;
  };
  ASSERT_EQ(names(side.events), names(outcome.events));
  const auto record = side.rnic.query_qp(side.qp).value.terminate;
  ASSERT_EQ(record.has_value(), outcome.code.has_value());
  if (record) {
    ASSERT_EQ(record->local, outcome.local);
    ASSERT_EQ(record->message.meant.value(), *outcome.code);
  }
  check_sends(side, outcome);
}

void FaultScene::check(const Aftermath& of_culprit, const Aftermath& of_peer, bool exact) {
  SCOPED_TRACE("\n" + laboratory.state_of_things());
  {
    SCOPED_TRACE("the culprit");
    check_end(own, of_culprit);
    if (::testing::Test::HasFatalFailure()) return;
    check_receives(own, of_culprit, std::nullopt);
    if (::testing::Test::HasFatalFailure()) return;
  }
  SCOPED_TRACE("its peer");
  check_end(peer, of_peer);
  if (::testing::Test::HasFatalFailure()) return;
  check_receives(peer, of_peer, exact ? messages_before_ : std::nullopt);
  if (::testing::Test::HasFatalFailure()) return;
  if (exact) {
    ASSERT_TRUE(part(peer.memory, target_start, target_size) == target_before_);
  }
}

void FaultScene::check_use_again() {
  for (const auto& side : pair().sides) {
    ASSERT_EQ(side->rnic.modify_qp(side->qp, {.next = QpState::idle}), Status::ok);
    ASSERT_EQ(side->rnic.destroy_stream(side->stream), Status::ok);
    side->events.clear();
    side->model = side->memory;
    for (std::vector<Door>* doors : {&side->outer, &side->inner}) {
      for (Door& door : *doors) {
        const StagEntry entry = side->rnic.query_stag(stag_index(door.stag)).value;
        door.stag = make_stag(entry.index, entry.key);
        door.valid = door.offered = false;
        door.doubtful = true;
      }
    }
  }
  laboratory.new_round();
  laboratory.connect(pair());
  if (::testing::Test::HasFatalFailure()) return;
  pair().hurt = false;
  for (int round = 0; round < 2; ++round) {
    laboratory.make_work(pair());
    ASSERT_TRUE(laboratory.run_to_the_end()) << laboratory.state_of_things();
    check_round(pair());
    if (::testing::Test::HasFatalFailure()) return;
    laboratory.new_round();
  }
}

}  // namespace iwarp::rnic::test
