// B2: Modify QP takes what figures 4 and 5 of Verbs 1.0 allow, and all of it or nothing. Create, Query,
// Destroy QP.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "replay/rnic/two_rnics.hpp"

namespace iwarp::rnic::test {
namespace {

QpAttributes attributes(const End& end) {
  return end.rnic.query_qp(end.qp).value.attributes;
}

TEST(B2_ModifyQp, IdleChangesEverythingItMay) {
  End end;
  EXPECT_EQ(
      end.rnic.modify_qp(
          end.qp, {.next = QpState::idle, .ord = 3, .ird = 4, .max_send_wrs = 10, .max_receive_wrs = 11}),
      Status::ok);
  EXPECT_EQ(attributes(end).ord, 3U);
  EXPECT_EQ(attributes(end).ird, 4U);
  EXPECT_EQ(attributes(end).max_send_wrs, 10U);
  EXPECT_EQ(attributes(end).max_receive_wrs, 11U);
  EXPECT_EQ(end.state(), QpState::idle);
}

// One attribute that cannot be, and nothing changes; whichever it is.
TEST(B2_ModifyQp, AllOrNothing) {
  End end;
  for (std::uint64_t id = 1; id <= 3; ++id) {
    ASSERT_EQ(end.rnic.post_send(end.qp, {.id = id, .operation = Operation::send}).status, Status::ok);
    ASSERT_EQ(end.rnic.post_receive(end.qp, {.id = id}).status, Status::ok);
  }
  const std::uint32_t too_many = end.rnic.query_rnic().limits.max_wrs + 1;
  const std::uint32_t too_deep = end.rnic.query_rnic().limits.max_ird + 1;
  struct Case {
    QpChange change;
    Status status;
  };
  const QpChange good = {
      .next = QpState::idle, .ord = 3, .ird = 4, .max_send_wrs = 10, .max_receive_wrs = 11};
  const auto with = [&good](auto set) {
    QpChange change = good;
    set(change);
    return change;
  };
  const Case cases[] = {
      {with([&](QpChange& c) { c.ord = too_deep; }), Status::ord_too_large},
      {with([&](QpChange& c) { c.ird = too_deep; }), Status::ird_too_large},
      {with([&](QpChange& c) { c.max_send_wrs = too_many; }), Status::too_many_wrs},
      {with([&](QpChange& c) { c.max_receive_wrs = too_many; }), Status::too_many_wrs},
      {with([](QpChange& c) { c.max_send_wrs = 2; }), Status::queue_not_empty_enough},
      {with([](QpChange& c) { c.max_receive_wrs = 2; }), Status::queue_not_empty_enough},
      {with([](QpChange& c) { c.rq_limit = 1; }), Status::invalid_modifier},
      {with([](QpChange& c) { c.arm_rq_limit = true; }), Status::invalid_modifier},
      {with([](QpChange& c) { c.stream = StreamId{1}; }), Status::invalid_modifier},
      {with([](QpChange& c) { c.next = QpState::error; }), Status::invalid_modifier},
      {with([](QpChange& c) { c.next = QpState::closing; }), Status::invalid_qp_state},
      {with([](QpChange& c) { c.next = QpState::terminate; }), Status::invalid_qp_state},
      {with([](QpChange& c) { c.next = QpState::rts; }), Status::invalid_llp_stream},
      {with([](QpChange& c) {
         c.next = QpState::rts;
         c.stream = StreamId{77};
       }),
       Status::invalid_llp_stream},
  };
  const QpAttributes before = attributes(end);
  for (const Case& each : cases) {
    EXPECT_EQ(name_of(end.rnic.modify_qp(end.qp, each.change)), name_of(each.status));
    EXPECT_EQ(attributes(end).ord, before.ord);
    EXPECT_EQ(attributes(end).ird, before.ird);
    EXPECT_EQ(attributes(end).max_send_wrs, before.max_send_wrs);
    EXPECT_EQ(attributes(end).max_receive_wrs, before.max_receive_wrs);
    EXPECT_EQ(end.state(), QpState::idle);
  }
  EXPECT_EQ(end.rnic.modify_qp(end.qp, with([](QpChange& c) { c.max_send_wrs = 3; })), Status::ok);
  EXPECT_EQ(end.rnic.modify_qp(QpId{999}, good), Status::invalid_qp);
}

TEST(B2_ModifyQp, RtsChangesDepthsOnly) {
  Bench bench;
  End& end = bench.end;
  EXPECT_EQ(end.rnic.modify_qp(end.qp, {.next = QpState::rts, .ord = 1, .ird = 2, .max_send_wrs = 5}),
            Status::ok);
  EXPECT_EQ(attributes(end).ord, 1U);
  EXPECT_EQ(end.rnic.modify_qp(end.qp, {.next = QpState::rts, .ord = 2, .stream = end.stream}),
            Status::invalid_modifier);
  EXPECT_EQ(end.rnic.modify_qp(end.qp, {.next = QpState::closing, .ord = 2}), Status::invalid_modifier);
  EXPECT_EQ(end.rnic.modify_qp(end.qp, {.next = QpState::terminate, .ord = 2}), Status::invalid_modifier);
  EXPECT_EQ(end.rnic.modify_qp(end.qp, {.next = QpState::error, .ird = 2}), Status::invalid_modifier);
  EXPECT_EQ(attributes(end).ord, 1U);
  EXPECT_EQ(end.state(), QpState::rts);
}

TEST(B2_ModifyQp, RqLimitBelongsToAnSrq) {
  End plain;
  const SrqId srq = plain.rnic.create_srq({.pd = plain.pd, .max_wrs = 10}).value;
  QpAttributes wanted = plain.options.qp;
  wanted.srq = srq;
  const QpId qp = plain.rnic.create_qp(wanted).value;
  EXPECT_EQ(plain.rnic.modify_qp(qp, {.next = QpState::idle, .rq_limit = 11}), Status::rq_limit_out_of_range);
  EXPECT_EQ(plain.rnic.modify_qp(qp, {.next = QpState::idle, .rq_limit = 10, .arm_rq_limit = true}),
            Status::ok);
  EXPECT_TRUE(plain.rnic.query_qp(qp).value.rq_limit_armed);
  EXPECT_EQ(plain.rnic.modify_qp(qp, {.next = QpState::idle, .max_receive_wrs = 5}),
            Status::invalid_modifier);
}

TEST(B2_CreateQp, RefusesWhatIsIllegal) {
  End end;
  const auto with = [&end](auto set) {
    QpAttributes wanted = end.options.qp;
    set(wanted);
    return end.rnic.create_qp(wanted).status;
  };
  EXPECT_EQ(with([](QpAttributes& a) { a.pd = PdId{99}; }), Status::invalid_pd);
  EXPECT_EQ(with([](QpAttributes& a) { a.send_cq = CqId{99}; }), Status::invalid_cq);
  EXPECT_EQ(with([](QpAttributes& a) { a.receive_cq = CqId{99}; }), Status::invalid_cq);
  EXPECT_EQ(with([](QpAttributes& a) { a.srq = SrqId{99}; }), Status::invalid_srq);
  EXPECT_EQ(with([](QpAttributes& a) { a.ord = 20000; }), Status::ord_too_large);
  EXPECT_EQ(with([](QpAttributes& a) { a.ird = 20000; }), Status::ird_too_large);
  EXPECT_EQ(with([](QpAttributes& a) { a.max_send_wrs = 1U << 30; }), Status::too_many_wrs);
  EXPECT_EQ(with([](QpAttributes& a) { a.max_receive_wrs = 1U << 30; }), Status::too_many_wrs);
  EXPECT_EQ(with([](QpAttributes& a) { a.max_send_sges = 9; }), Status::too_many_sges);
  EXPECT_EQ(with([](QpAttributes& a) { a.max_receive_sges = 9; }), Status::too_many_sges);
  EXPECT_EQ(with([](QpAttributes& a) { a.rq_limit = 1; }), Status::rq_limit_out_of_range);
}

TEST(B2_DestroyQp, ResetsTheConnectionAndFreesWhatItUsed) {
  Bench bench;
  End& end = bench.end;
  ASSERT_EQ(end.rnic.post_receive(end.qp, {.id = 1, .sgl = {end.at(0, 16)}}).status, Status::ok);
  bench.send(send(1));
  EXPECT_EQ(end.rnic.destroy_cq(end.receive_cq), Status::cq_in_use);
  EXPECT_EQ(end.rnic.deallocate_pd(end.pd), Status::pd_in_use);
  EXPECT_EQ(end.rnic.destroy_qp(end.qp), Status::ok);
  EXPECT_TRUE(bench.output().empty());
  EXPECT_TRUE(bench.reset);
  EXPECT_EQ(end.rnic.query_qp(end.qp).status, Status::invalid_qp);
  EXPECT_EQ(end.rnic.destroy_qp(end.qp), Status::invalid_qp);
  EXPECT_EQ(end.rnic.destroy_cq(end.receive_cq), Status::ok);
  EXPECT_EQ(end.rnic.deallocate_pd(end.pd), Status::pd_in_use);  // the region
  EXPECT_EQ(end.rnic.deallocate_stag(stag_index(end.stag)), Status::ok);
  EXPECT_EQ(end.rnic.deallocate_pd(end.pd), Status::ok);
  EXPECT_EQ(end.rnic.deallocate_pd(end.pd), Status::invalid_pd);
}

TEST(B2_Post, ListStopsAtTheFirstBadWorkRequest) {
  End end;
  const auto post = [&end](const WorkRequest& bad) {
    const WorkRequest good{.id = 1, .operation = Operation::send};
    const PostResult result = end.rnic.post_send(end.qp, std::vector{good, bad, good});
    EXPECT_EQ(result.posted, 1U);
    return result.status;
  };
  const Sge element = end.at(0, 4);
  EXPECT_EQ(post({.operation = Operation::send, .sgl = {element, element, element, element, element}}),
            Status::invalid_sgl_length);
  EXPECT_EQ(post({.operation = Operation::rdma_read, .sgl = {element, element}}), Status::invalid_sgl_format);
  EXPECT_EQ(post({.operation = Operation::fetch_add, .sgl = {element}}), Status::invalid_sgl_format);
  EXPECT_EQ(post({.operation = Operation::receive}), Status::invalid_operation);
  EXPECT_EQ(post({.operation = static_cast<Operation>(200)}), Status::invalid_operation);
  EXPECT_EQ(post({.operation = Operation::fast_register}), Status::invalid_modifier);
  EXPECT_EQ(end.rnic.post_send(QpId{99}, WorkRequest{}).status, Status::invalid_qp);
  const PostResult receives = end.rnic.post_receive(
      end.qp, std::vector<ReceiveRequest>{{.id = 1},
                                          {.id = 2, .sgl = {element, element, element, element, element}}});
  EXPECT_EQ(receives.status, Status::invalid_sgl_length);
  EXPECT_EQ(receives.posted, 1U);
}

TEST(B2_Post, QueueIsFullUntilCompletionsAreReaped) {
  EndOptions options;
  options.qp.max_send_wrs = 3;
  Bench bench(Role::initiator, options);
  End& end = bench.end;
  const auto post = [&end](std::uint64_t id, bool signaled) {
    return end.rnic.post_send(end.qp, {.id = id, .operation = Operation::send, .signaled = signaled}).status;
  };
  ASSERT_EQ(post(1, false), Status::ok);
  ASSERT_EQ(post(2, false), Status::ok);
  ASSERT_EQ(post(3, true), Status::ok);
  EXPECT_EQ(post(4, true), Status::too_many_posted);
  (void)bench.output();
  EXPECT_EQ(post(4, true), Status::too_many_posted);  // sent, not reaped
  ASSERT_EQ(end.sends().size(), 1U);                  // the unsignaled ones go with it
  for (std::uint64_t id = 4; id <= 6; ++id) EXPECT_EQ(post(id, true), Status::ok);
}

}  // namespace
}  // namespace iwarp::rnic::test
