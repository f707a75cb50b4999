// Completion Queues and Shared Receive Queues (Verbs 1.0 §5.3, §6.3, §8.2.3 to §8.2.5; state.md B3, B7).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "replay/rnic/two_rnics.hpp"

namespace iwarp::rnic::test {
namespace {

void receives(Bench& bench, std::uint32_t count) {
  for (std::uint32_t id = 1; id <= count; ++id) {
    ASSERT_EQ(bench.end.rnic.post_receive(bench.end.qp, {.id = id, .sgl = {bench.end.at(0, 16)}}).status,
              Status::ok);
  }
}

TEST(B3_Notification, OneShotAndNotForWhatIsThere) {
  Bench bench;
  SoftRnic& rnic = bench.end.rnic;
  const CqId cq = bench.end.receive_cq;
  receives(bench, 5);
  bench.send(send(1));
  EXPECT_FALSE(rnic.take_notification(cq));  // not armed
  ASSERT_EQ(rnic.request_notification(cq, Notify::next), Status::ok);
  EXPECT_FALSE(rnic.take_notification(cq));  // that one came before
  bench.send(send(2));
  bench.send(send(3));
  EXPECT_TRUE(rnic.take_notification(cq));
  EXPECT_FALSE(rnic.take_notification(cq));
  bench.send(send(4));
  EXPECT_FALSE(rnic.take_notification(cq));
}

// Poll, arm, poll: whatever comes between arming and the second poll is found, and what comes later notifies.
TEST(B3_Notification, ArmThenPollLosesNothing) {
  Bench bench;
  SoftRnic& rnic = bench.end.rnic;
  const CqId cq = bench.end.receive_cq;
  receives(bench, 3);
  bench.send(send(1));
  EXPECT_EQ(bench.end.receives().size(), 1U);
  bench.send(send(2));  // after the poll, before arming
  ASSERT_EQ(rnic.request_notification(cq, Notify::next), Status::ok);
  EXPECT_FALSE(rnic.take_notification(cq));
  EXPECT_EQ(bench.end.receives().size(), 1U);  // found by the second poll
  bench.send(send(3));
  EXPECT_TRUE(rnic.take_notification(cq));
}

TEST(B3_Notification, SolicitedOrInError) {
  Bench bench;
  SoftRnic& rnic = bench.end.rnic;
  const CqId cq = bench.end.receive_cq;
  receives(bench, 4);
  ASSERT_EQ(rnic.request_notification(cq, Notify::next_solicited), Status::ok);
  bench.send(send(1));
  EXPECT_FALSE(rnic.take_notification(cq));
  bench.send(send_se(2));
  EXPECT_TRUE(rnic.take_notification(cq));
  ASSERT_EQ(rnic.request_notification(cq, Notify::next_solicited), Status::ok);
  bench.send(send(3, pattern(17)));  // too long: an error counts as solicited
  EXPECT_TRUE(rnic.take_notification(cq));
}

TEST(B3_Notification, TheWiderRequestCounts) {
  Bench bench;
  SoftRnic& rnic = bench.end.rnic;
  const CqId cq = bench.end.receive_cq;
  receives(bench, 2);
  ASSERT_EQ(rnic.request_notification(cq, Notify::next), Status::ok);
  ASSERT_EQ(rnic.request_notification(cq, Notify::next_solicited), Status::ok);
  bench.send(send(1));
  EXPECT_TRUE(rnic.take_notification(cq));
  EXPECT_EQ(rnic.request_notification(cq, static_cast<Notify>(7)), Status::invalid_notify_type);
  EXPECT_EQ(rnic.request_notification(CqId{99}, Notify::next), Status::invalid_cq);
}

TEST(B3_Cq, OverflowIsToldAndHurtsOnlyItsQps) {
  EndOptions options;
  options.cqes = 1;
  Bench bench(Role::responder, options);
  receives(bench, 2);
  bench.send(send(1));
  bench.send(send(2));
  EXPECT_EQ(bench.terminate_code(), 0x0207);
  const auto events = bench.end.events();
  EXPECT_EQ(events, (std::vector{AsyncEventKind::cq_overflow, AsyncEventKind::cq_rq_error}));
  EXPECT_EQ(bench.end.receives().size(), 1U);  // what was there stays
}

// More than 2^32 - 1 octets; the sum is looked at before the elements are (Verbs 1.0 §8.1.3.2).
TEST(B3_Completion, InvalidLengthOfAList) {
  Bench bench(Role::initiator);
  const Sge all{bench.end.stag, 0xffffffff, bench.end.to(0)};
  ASSERT_EQ(bench.end.rnic.post_send(bench.end.qp, {.id = 1, .sgl = {all, all}}).status, Status::ok);
  EXPECT_EQ(bench.terminate_code(), 0x10000);  // 0000
  EXPECT_EQ(bench.end.sends().at(0).status, CompletionStatus::invalid_length);
}

TEST(B3_Completion, InvalidLengthOfImmediateData) {
  Bench bench;
  receives(bench, 1);
  bench.send(untagged_segment(8, 0, 1, pattern(7)));
  EXPECT_EQ(bench.terminate_code(), 0x0207);
  EXPECT_EQ(bench.end.receives().at(0).status, CompletionStatus::invalid_length);
}

// However many completions it loses.
TEST(B3_Cq, OverflowIsToldOnce) {
  EndOptions options;
  options.cqes = 1;
  Bench bench(Role::responder, options);
  receives(bench, 20);
  EXPECT_EQ(bench.end.move(QpState::error), Status::ok);
  EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::cq_overflow});
  EXPECT_EQ(bench.end.receives().size(), 1U);
  // There was room again, so it is another one.
  EXPECT_EQ(bench.end.move(QpState::idle), Status::ok);
  receives(bench, 20);
  EXPECT_EQ(bench.end.move(QpState::error), Status::ok);
  EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::cq_overflow});
}

TEST(B3_Events, LostOnesAreCounted) {
  End end;
  const SrqId srq = end.rnic.create_srq({.pd = end.pd}).value;
  EXPECT_EQ(end.rnic.lost_events(), 0U);
  for (int count = 0; count < 65536 + 7; ++count) ASSERT_EQ(end.rnic.fail_srq(srq), Status::ok);
  EXPECT_EQ(end.rnic.lost_events(), 7U);
  EXPECT_EQ(end.events().size(), 65536U);
}

TEST(B3_Cq, ResizeLosesNothing) {
  Bench bench;
  receives(bench, 3);
  for (std::uint32_t msn = 1; msn <= 3; ++msn) bench.send(send(msn));
  EXPECT_EQ(bench.end.rnic.modify_cq(bench.end.receive_cq, 2), Status::queue_not_empty_enough);
  EXPECT_EQ(bench.end.rnic.query_cq(bench.end.receive_cq).value, 4096U);
  EXPECT_EQ(bench.end.rnic.modify_cq(bench.end.receive_cq, 3), Status::ok);
  EXPECT_EQ(bench.end.rnic.query_cq(bench.end.receive_cq).value, 3U);
  EXPECT_EQ(bench.end.receives().size(), 3U);
  EXPECT_EQ(bench.end.rnic.poll_cq(bench.end.receive_cq).status, Status::cq_empty);
  EXPECT_EQ(bench.end.rnic.modify_cq(bench.end.receive_cq, 1U << 30), Status::too_many_cqes);
  EXPECT_EQ(bench.end.rnic.create_cq(1U << 30).status, Status::too_many_cqes);
}

// --- S-RQ -------------------------------------------------------------------------------------------------

struct SharedBench {
  explicit SharedBench(const SrqAttributes& wanted = {}, bool hold_off = false) {
    SrqAttributes attributes = wanted;
    attributes.pd = bench.end.pd;
    srq = bench.end.rnic.create_srq(attributes).value;
    // The bench's QP gives way to one that uses the S-RQ.
    QpAttributes qp = bench.end.options.qp;
    qp.srq = srq;
    qp.hold_off = hold_off;
    EXPECT_EQ(bench.end.rnic.destroy_qp(bench.end.qp), Status::ok);
    (void)bench.output();
    bench.reset = false;
    bench.end.qp = bench.end.rnic.create_qp(qp).value;
    bench.end.open();
    EXPECT_EQ(bench.end.ready(), Status::ok);
    bench.end.rnic.handle_input(bench.end.stream, request_frame(), 0);
    EXPECT_EQ(bench.end.rnic.poll_output(bench.end.stream, 0).kind, OutputKind::octets);
  }
  PostResult post(std::uint32_t count, std::uint32_t size = 16) {
    std::vector<ReceiveRequest> list;
    for (std::uint32_t id = 1; id <= count; ++id) list.push_back({.id = id, .sgl = {bench.end.at(0, size)}});
    return bench.end.rnic.post_srq(srq, list);
  }
  Bench bench;
  SrqId srq = SrqId::none;
};

TEST(B7_Srq, ServesInOrderAndFreesPlacesWhenReaped) {
  SharedBench shared({.max_wrs = 3});
  End& end = shared.bench.end;
  EXPECT_EQ(end.rnic.post_receive(end.qp, {.id = 1}).status, Status::rq_is_shared);
  EXPECT_EQ(shared.post(4).posted, 3U);
  shared.bench.send(send(1, pattern(4)));
  shared.bench.send(send(2, pattern(4)));
  EXPECT_EQ(shared.post(1).status, Status::too_many_posted);  // not reaped: still the S-RQ's
  const auto received = end.receives();
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[0].id, 1U);
  EXPECT_EQ(received[1].id, 2U);
  EXPECT_EQ(shared.post(3).posted, 2U);
}

TEST(B7_Srq, LimitEventOnceForEachArming) {
  SharedBench shared({.max_wrs = 10, .limit = 3});
  End& end = shared.bench.end;
  ASSERT_EQ(shared.post(5).posted, 5U);
  EXPECT_TRUE(end.rnic.query_srq(shared.srq).value.limit_armed);
  std::uint32_t msn = 1;
  const auto arrive = [&] {
    shared.bench.send(send(msn++));
    return end.events();
  };
  EXPECT_TRUE(arrive().empty());                                // four left
  EXPECT_TRUE(arrive().empty());                                // three
  EXPECT_EQ(arrive(), std::vector{AsyncEventKind::srq_limit});  // two
  EXPECT_TRUE(arrive().empty());                                // told already
  EXPECT_EQ(end.rnic.modify_srq(shared.srq, {.arm = true}), Status::ok);
  EXPECT_EQ(arrive(), std::vector{AsyncEventKind::srq_limit});
  EXPECT_EQ(end.rnic.modify_srq(shared.srq, {.limit = 11}), Status::srq_limit_out_of_range);
  EXPECT_EQ(end.rnic.modify_srq(shared.srq, {.max_wrs = 2}), Status::queue_not_empty_enough);
  (void)end.receives();
  EXPECT_EQ(end.rnic.modify_srq(shared.srq, {.max_wrs = 2}), Status::invalid_modifier);  // below the limit
  EXPECT_EQ(end.rnic.modify_srq(shared.srq, {.max_wrs = 5, .limit = 5}), Status::ok);
}

TEST(B7_Srq, ErrorOfAQpFlushesOnlyWhatItTook) {
  SharedBench shared({.max_wrs = 4});
  End& end = shared.bench.end;
  ASSERT_EQ(shared.post(3).posted, 3U);
  shared.bench.send(send(1, pattern(4), {.last = false}));
  EXPECT_EQ(end.move(QpState::error), Status::ok);
  const auto received = end.receives();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].status, CompletionStatus::flushed);
  EXPECT_EQ(shared.post(4).posted, 2U);  // two are still there
  EXPECT_EQ(end.rnic.destroy_srq(shared.srq), Status::srq_in_use);
  EXPECT_EQ(end.rnic.destroy_qp(end.qp), Status::ok);
  EXPECT_EQ(end.rnic.destroy_srq(shared.srq), Status::ok);
}

TEST(B7_Srq, EmptyTerminatesOrHoldsOff) {
  {
    SharedBench shared;
    shared.bench.send(send(1, pattern(4)));
    EXPECT_EQ(shared.bench.terminate_code(), 0x1202);
  }
  SharedBench shared({}, true);
  End& end = shared.bench.end;
  shared.bench.send(send(1, text("held")));
  shared.bench.send(write(end.stag, end.to(100), text("behind")));
  EXPECT_TRUE(shared.bench.output().empty());
  EXPECT_EQ(end.state(), QpState::rts);
  EXPECT_FALSE(end.rnic.stream(end.stream)->accepts_input());
  EXPECT_EQ(part(end.memory, 100, 6), zeros(6));  // in order: nothing overtakes it
  ASSERT_EQ(shared.post(1).posted, 1U);
  (void)shared.bench.output();
  EXPECT_TRUE(end.rnic.stream(end.stream)->accepts_input());
  EXPECT_EQ(part(end.memory, 0, 4), text("held"));
  EXPECT_EQ(part(end.memory, 100, 6), text("behind"));
  EXPECT_EQ(end.receives().size(), 1U);
}

// Elements are checked against the S-RQ's PD, not the QP's (Verbs 1.0 §6.3.5).
TEST(B7_Srq, ItsPdCounts) {
  SharedBench shared;
  End& end = shared.bench.end;
  const PdId other = end.rnic.allocate_pd().value;
  const SrqId srq = end.rnic.create_srq({.pd = other}).value;
  ASSERT_EQ(end.rnic.destroy_qp(end.qp), Status::ok);
  QpAttributes attributes = end.options.qp;
  attributes.srq = srq;
  end.qp = end.rnic.create_qp(attributes).value;
  end.open();
  ASSERT_EQ(end.ready(), Status::ok);
  end.rnic.handle_input(end.stream, request_frame(), 0);
  (void)end.rnic.poll_output(end.stream, 0);
  ASSERT_EQ(end.rnic.post_srq(srq, std::vector<ReceiveRequest>{{.id = 1, .sgl = {end.at(0, 16)}}}).posted,
            1U);
  shared.bench.send(send(1, pattern(4)));
  EXPECT_EQ(shared.bench.terminate_code(), 0x10000);  // 0000
  const auto received = end.receives();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].status, CompletionStatus::invalid_pd);
}

TEST(B7_Srq, CatastrophicFailureTerminatesAQpThatTakesFromIt) {
  SharedBench shared;
  End& end = shared.bench.end;
  ASSERT_EQ(shared.post(1).posted, 1U);
  ASSERT_EQ(end.rnic.fail_srq(shared.srq), Status::ok);
  EXPECT_EQ(end.events(), std::vector{AsyncEventKind::srq_catastrophic});
  shared.bench.send(send(1, pattern(4)));
  EXPECT_EQ(shared.bench.terminate_code(), 0x0207);
  EXPECT_EQ(end.events(), std::vector{AsyncEventKind::srq_error});
}

TEST(B7_Srq, CreateRefusesWhatIsIllegal) {
  End end;
  EXPECT_EQ(end.rnic.create_srq({.pd = PdId{99}}).status, Status::invalid_pd);
  EXPECT_EQ(end.rnic.create_srq({.pd = end.pd, .max_wrs = 1U << 30}).status, Status::too_many_wrs);
  EXPECT_EQ(end.rnic.create_srq({.pd = end.pd, .max_sges = 99}).status, Status::too_many_sges);
  EXPECT_EQ(end.rnic.create_srq({.pd = end.pd, .max_wrs = 1, .limit = 2}).status,
            Status::srq_limit_out_of_range);
  EXPECT_EQ(end.rnic.modify_srq(SrqId{9}, {}), Status::invalid_srq);
  EXPECT_EQ(end.rnic.destroy_srq(SrqId{9}), Status::invalid_srq);
  EXPECT_EQ(end.rnic.post_srq(SrqId{9}, {}).status, Status::invalid_srq);
}

}  // namespace
}  // namespace iwarp::rnic::test
