// Each verb that manages a resource: what its output modifiers say of its input modifiers, and its immediate
// statuses (Verbs 1.0 §9.2 to §9.4). docs/verbs.md names these tests.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "replay/rnic/two_rnics.hpp"

namespace iwarp::rnic::test {
namespace {

Mapping mapping_of(End& end) {
  Mapping mapping;
  mapping.buffers = {
      .list = {end.memory.data(), end.memory.data() + 512}, .size = 512, .first_byte_offset = 24};
  mapping.length = 1000;
  mapping.virtual_address = region_base;
  mapping.rights = access::local | access::remote | access::bind;
  return mapping;
}

TEST(Verbs, OpenAndQueryRnic) {
  RnicOptions options;
  options.max_qps = 3;
  options.max_wrs = 17;
  options.memory.block_lists = false;
  const SoftRnic rnic(options);
  const RnicAttributes attributes = rnic.query_rnic();
  EXPECT_STRNE(attributes.vendor, "");
  EXPECT_EQ(attributes.limits.max_qps, 3U);
  EXPECT_EQ(attributes.limits.max_wrs, 17U);
  EXPECT_FALSE(attributes.limits.memory.block_lists);
  EXPECT_EQ(attributes.max_sges, Sgl::capacity);
  EXPECT_EQ(attributes.total_ird, 0U);
  EXPECT_EQ(attributes.total_ord, 0U);
  EXPECT_EQ(attributes.max_completion_event_handlers, 0U);
  EXPECT_EQ(attributes.min_buffer_size, 1U);
  EXPECT_TRUE(attributes.srq_arrival_order);
}

TEST(Verbs, ProtectionDomain) {
  RnicOptions options;
  options.max_pds = 1;
  SoftRnic rnic(options);
  const auto pd = rnic.allocate_pd();
  ASSERT_EQ(pd.status, Status::ok);
  EXPECT_EQ(rnic.allocate_pd().status, Status::insufficient_resources);
  // In use by an S-RQ, by an STag.
  const SrqId srq = rnic.create_srq({.pd = pd.value}).value;
  EXPECT_EQ(rnic.deallocate_pd(pd.value), Status::pd_in_use);
  ASSERT_EQ(rnic.destroy_srq(srq), Status::ok);
  const std::uint32_t window = rnic.allocate_window(pd.value).value;
  EXPECT_EQ(rnic.deallocate_pd(pd.value), Status::pd_in_use);
  ASSERT_EQ(rnic.deallocate_stag(window), Status::ok);
  EXPECT_EQ(rnic.deallocate_pd(pd.value), Status::ok);
  EXPECT_EQ(rnic.deallocate_pd(pd.value), Status::invalid_pd);
  EXPECT_EQ(rnic.allocate_pd().status, Status::ok);
}

TEST(Verbs, CompletionQueue) {
  RnicOptions options;
  options.max_cqs = 1;
  options.max_cqes = 100;
  SoftRnic rnic(options);
  EXPECT_EQ(rnic.create_cq(101).status, Status::too_many_cqes);
  const auto cq = rnic.create_cq(100);
  ASSERT_EQ(cq.status, Status::ok);
  EXPECT_EQ(rnic.create_cq(1).status, Status::insufficient_resources);
  EXPECT_EQ(rnic.query_cq(cq.value).value, 100U);
  EXPECT_EQ(rnic.modify_cq(cq.value, 101), Status::too_many_cqes);
  EXPECT_EQ(rnic.modify_cq(cq.value, 7), Status::ok);
  EXPECT_EQ(rnic.query_cq(cq.value).value, 7U);
  EXPECT_EQ(rnic.poll_cq(cq.value).status, Status::cq_empty);
  EXPECT_EQ(rnic.request_notification(cq.value, Notify::next_solicited), Status::ok);

  const PdId pd = rnic.allocate_pd().value;
  const QpId qp = rnic.create_qp({.pd = pd, .send_cq = cq.value, .receive_cq = cq.value}).value;
  EXPECT_EQ(rnic.destroy_cq(cq.value), Status::cq_in_use);
  ASSERT_EQ(rnic.destroy_qp(qp), Status::ok);
  EXPECT_EQ(rnic.destroy_cq(cq.value), Status::ok);

  EXPECT_EQ(rnic.query_cq(cq.value).status, Status::invalid_cq);
  EXPECT_EQ(rnic.modify_cq(cq.value, 1), Status::invalid_cq);
  EXPECT_EQ(rnic.poll_cq(cq.value).status, Status::invalid_cq);
  EXPECT_EQ(rnic.request_notification(cq.value, Notify::next), Status::invalid_cq);
  EXPECT_EQ(rnic.destroy_cq(cq.value), Status::invalid_cq);
}

// What a Work Completion says of a receive (§9.3.2.1).
TEST(Verbs, PollForCompletion) {
  Bench bench;
  End& end = bench.end;
  const std::uint32_t window = end.rnic.allocate_window(end.pd).value;
  ASSERT_EQ(end.rnic.post_receive(end.qp, {.id = 0x123456789abcdef0, .sgl = {end.at(0, 16)}}).status,
            Status::ok);
  bench.send(send_inv(1, make_stag(window, 0), text("eleven oct.")));
  const auto polled = end.rnic.poll_cq(end.receive_cq);
  ASSERT_EQ(polled.status, Status::ok);
  EXPECT_EQ(polled.value.id, 0x123456789abcdef0U);
  EXPECT_EQ(polled.value.status, CompletionStatus::success);
  EXPECT_EQ(polled.value.operation, Operation::receive);
  EXPECT_EQ(polled.value.length, 11U);
  EXPECT_TRUE(polled.value.invalidated);
  EXPECT_EQ(polled.value.invalidated_stag, make_stag(window, 0));
  EXPECT_EQ(polled.value.qp, end.qp);
  EXPECT_EQ(end.rnic.poll_cq(end.receive_cq).status, Status::cq_empty);
}

TEST(Verbs, SharedReceiveQueue) {
  RnicOptions options;
  options.max_srqs = 1;
  options.max_wrs = 50;
  SoftRnic rnic(options);
  const PdId pd = rnic.allocate_pd().value;
  const auto srq = rnic.create_srq({.pd = pd, .max_wrs = 20, .max_sges = 3, .limit = 5});
  ASSERT_EQ(srq.status, Status::ok);
  EXPECT_EQ(rnic.create_srq({.pd = pd, .max_wrs = 1}).status, Status::insufficient_resources);
  auto state = rnic.query_srq(srq.value);
  ASSERT_EQ(state.status, Status::ok);
  EXPECT_EQ(state.value.attributes.pd, pd);
  EXPECT_EQ(state.value.attributes.max_wrs, 20U);
  EXPECT_EQ(state.value.attributes.max_sges, 3U);
  EXPECT_EQ(state.value.attributes.limit, 5U);
  EXPECT_TRUE(state.value.limit_armed);

  EXPECT_EQ(rnic.modify_srq(srq.value, {.max_wrs = 51}), Status::too_many_wrs);
  EXPECT_EQ(rnic.modify_srq(srq.value, {.limit = 0}), Status::ok);
  EXPECT_FALSE(rnic.query_srq(srq.value).value.limit_armed);
  EXPECT_EQ(rnic.modify_srq(srq.value, {.max_wrs = 50, .limit = 30, .arm = true}), Status::ok);
  state = rnic.query_srq(srq.value);
  EXPECT_EQ(state.value.attributes.max_wrs, 50U);
  EXPECT_EQ(state.value.attributes.limit, 30U);
  EXPECT_TRUE(state.value.limit_armed);

  EXPECT_EQ(rnic.destroy_srq(srq.value), Status::ok);
  EXPECT_EQ(rnic.query_srq(srq.value).status, Status::invalid_srq);
}

TEST(Verbs, CreateQp) {
  RnicOptions options;
  options.max_qps = 1;
  SoftRnic rnic(options);
  const PdId pd = rnic.allocate_pd().value;
  const CqId send_cq = rnic.create_cq(10).value;
  const CqId receive_cq = rnic.create_cq(10).value;
  const SrqId srq = rnic.create_srq({.pd = pd}).value;
  QpAttributes wanted = {.pd = pd,
                         .send_cq = send_cq,
                         .receive_cq = receive_cq,
                         .srq = srq,
                         .max_send_wrs = 11,
                         .max_receive_wrs = 1U << 30,  // ignored with an S-RQ
                         .max_send_sges = 2,
                         .max_write_sges = 3,
                         .max_receive_sges = 99,  // likewise
                         .rq_limit = 6,
                         .read_enabled = false,
                         .write_enabled = false,
                         .bind_enabled = false,
                         .privileged = true,
                         .ird = 5,
                         .ord = 7};
  wanted.max_write_sges = 9;
  EXPECT_EQ(rnic.create_qp(wanted).status, Status::too_many_sges);
  wanted.max_write_sges = 3;
  const auto qp = rnic.create_qp(wanted);
  ASSERT_EQ(qp.status, Status::ok);
  EXPECT_EQ(rnic.create_qp(wanted).status, Status::insufficient_resources);

  const QpQuery query = rnic.query_qp(qp.value).value;
  EXPECT_EQ(query.attributes.pd, pd);
  EXPECT_EQ(query.attributes.send_cq, send_cq);
  EXPECT_EQ(query.attributes.receive_cq, receive_cq);
  EXPECT_EQ(query.attributes.srq, srq);
  EXPECT_EQ(query.attributes.max_send_wrs, 11U);
  EXPECT_EQ(query.attributes.max_send_sges, 2U);
  EXPECT_EQ(query.attributes.max_write_sges, 3U);
  EXPECT_EQ(query.attributes.rq_limit, 6U);
  EXPECT_TRUE(query.rq_limit_armed);  // by creation
  EXPECT_FALSE(query.attributes.read_enabled);
  EXPECT_FALSE(query.attributes.write_enabled);
  EXPECT_FALSE(query.attributes.bind_enabled);
  EXPECT_TRUE(query.attributes.privileged);
  EXPECT_EQ(query.attributes.ird, 5U);
  EXPECT_EQ(query.attributes.ord, 7U);
}

// What is defined in some states only.
TEST(Verbs, QueryQp) {
  Bench bench;
  End& end = bench.end;
  QpQuery query = end.rnic.query_qp(end.qp).value;
  EXPECT_EQ(query.state, QpState::rts);
  EXPECT_EQ(query.stream, end.stream);
  EXPECT_FALSE(query.terminate);
  bench.send(write(end.stag, end.to(0)));
  ASSERT_EQ(end.move(QpState::terminate), Status::ok);
  EXPECT_NE(bench.terminate_code(), 0);
  query = end.rnic.query_qp(end.qp).value;
  EXPECT_EQ(query.state, QpState::terminate);
  ASSERT_TRUE(query.terminate);
  EXPECT_TRUE(query.terminate->local);
  EXPECT_GT(query.terminate->size, 0U);

  const End fresh;
  query = fresh.rnic.query_qp(fresh.qp).value;
  EXPECT_EQ(query.state, QpState::idle);
  EXPECT_EQ(query.stream, StreamId::none);
  EXPECT_EQ(fresh.rnic.query_qp(QpId{99}).status, Status::invalid_qp);
}

// Figure 27's operations, and RFC 7306's: each is processed, and its completion names it.
TEST(Verbs, PostSqTakesEachOperation) {
  EndOptions options;
  options.qp.privileged = true;
  End a(options);
  End b(options);
  Wire wire(a, b);
  connect(a, b, wire);
  const auto unbound = [&b] { return make_stag(b.rnic.allocate_window(b.pd).value, 0); };
  const std::uint32_t sink = a.rnic.register_region(a.pd, 1, true, mapping_of(a)).value;
  const std::uint32_t region = make_stag(a.rnic.allocate_region(a.pd, 4, true).value, 2);
  const auto mapping = std::make_shared<Mapping>(mapping_of(a));
  const WindowBinding binding = {.window = make_stag(a.rnic.allocate_window(a.pd).value, 3),
                                 .region = a.stag,
                                 .virtual_address = a.to(0),
                                 .length = 100,
                                 .rights = access::remote_read};
  const std::vector<WorkRequest> list = {
      {.operation = Operation::send, .sgl = {a.at(0, 5)}},
      {.operation = Operation::send_se, .sgl = {a.at(0, 5)}},
      {.operation = Operation::send_inv, .sgl = {a.at(0, 5)}, .stag = unbound()},
      {.operation = Operation::send_se_inv, .sgl = {a.at(0, 5)}, .stag = unbound()},
      {.operation = Operation::rdma_write, .sgl = {a.at(0, 8)}, .stag = b.stag, .to = b.to(0)},
      {.operation = Operation::rdma_read, .sgl = {a.at(0, 8)}, .stag = b.stag, .to = b.to(0)},
      {.operation = Operation::rdma_read_inv, .sgl = {{sink, 8, a.to(0)}}, .stag = b.stag, .to = b.to(0)},
      {.operation = Operation::fetch_add, .sgl = {a.at(0, 8)}, .stag = b.stag, .to = b.to(0)},
      {.operation = Operation::cmp_swap, .sgl = {a.at(0, 8)}, .stag = b.stag, .to = b.to(0)},
      {.operation = Operation::immediate, .immediate = 1},
      {.operation = Operation::immediate_se, .immediate = 2},
      {.operation = Operation::bind_window, .binding = binding},
      {.operation = Operation::fast_register, .region = region, .mapping = mapping},
      {.operation = Operation::local_invalidate, .stag = region},
  };
  for (std::uint64_t id = 1; id <= 6; ++id) {
    ASSERT_EQ(b.rnic.post_receive(b.qp, {.id = id, .sgl = {b.at(0, 5)}}).status, Status::ok);
  }
  const PostResult posted = a.rnic.post_send(a.qp, list);
  ASSERT_EQ(posted.status, Status::ok);
  EXPECT_EQ(posted.posted, list.size());
  wire.run();
  const auto sent = a.sends();
  ASSERT_EQ(sent.size(), list.size());
  for (std::size_t at = 0; at < list.size(); ++at) {
    EXPECT_STREQ(name_of(sent[at].operation), name_of(list[at].operation));
    EXPECT_STREQ(name_of(sent[at].status), name_of(CompletionStatus::success));
    EXPECT_EQ(sent[at].qp, a.qp);
  }
  // Sends with and without Solicited Event and Invalidate, then Immediate Data.
  const auto received = b.receives();
  ASSERT_EQ(received.size(), 6U);
  for (std::size_t at = 0; at < received.size(); ++at) {
    EXPECT_EQ(received[at].solicited, at == 1 || at == 3 || at == 5);
    EXPECT_EQ(received[at].invalidated, at == 2 || at == 3);
    EXPECT_EQ(received[at].has_immediate, at >= 4);
  }
  EXPECT_FALSE(a.rnic.query_stag(stag_index(sink)).value.valid);
  EXPECT_TRUE(a.rnic.query_stag(stag_index(binding.window)).value.valid);
  EXPECT_FALSE(a.rnic.query_stag(stag_index(region)).value.valid);
}

// A completion only when it was asked for.
TEST(Verbs, PostSqUnsignaled) {
  End a;
  End b;
  Wire wire(a, b);
  connect(a, b, wire);
  const auto write_it = [&](std::uint64_t id, bool signaled) {
    return WorkRequest{.id = id,
                       .operation = Operation::rdma_write,
                       .signaled = signaled,
                       .sgl = {a.at(0, 8)},
                       .stag = b.stag,
                       .to = b.to(0)};
  };
  ASSERT_EQ(a.rnic.post_send(a.qp, std::vector{write_it(1, false), write_it(2, true)}).posted, 2U);
  wire.run();
  const auto sent = a.sends();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].id, 2U);
}

TEST(Verbs, PostRq) {
  EndOptions options;
  options.qp.max_receive_wrs = 2;
  End end(options);
  const Sge element = end.at(0, 4);
  const ReceiveRequest good{.id = 1, .sgl = {element, element}};
  const PostResult posted = end.rnic.post_receive(end.qp, std::vector{good, good, good});
  EXPECT_EQ(posted.status, Status::too_many_posted);
  EXPECT_EQ(posted.posted, 2U);
  EXPECT_EQ(end.rnic.post_receive(QpId{99}, good).status, Status::invalid_qp);

  const SrqId srq = end.rnic.create_srq({.pd = end.pd, .max_wrs = 1, .max_sges = 1}).value;
  const std::vector<ReceiveRequest> wide = {good};
  EXPECT_EQ(end.rnic.post_srq(srq, wide).status, Status::invalid_sgl_length);
  // A list of nothing: for messages of no octets.
  const std::vector<ReceiveRequest> two = {{.id = 1}, {.id = 2}};
  const PostResult shared = end.rnic.post_srq(srq, two);
  EXPECT_EQ(shared.status, Status::too_many_posted);
  EXPECT_EQ(shared.posted, 1U);
  EXPECT_EQ(end.rnic.post_srq(SrqId{99}, two).status, Status::invalid_srq);
}

// --- memory -----------------------------------------------------------------------------------------------

TEST(Verbs, AllocateRegion) {
  EndOptions options;
  options.rnic.memory.max_buffers = 8;
  options.rnic.memory.max_stags = 2;  // one is the end's own
  End end(options);
  EXPECT_EQ(end.rnic.allocate_region(PdId{99}, 1, true).status, Status::invalid_pd);
  EXPECT_EQ(end.rnic.allocate_region(end.pd, 9, true).status, Status::insufficient_resources);
  const auto index = end.rnic.allocate_region(end.pd, 8, true);
  ASSERT_EQ(index.status, Status::ok);
  EXPECT_EQ(end.rnic.allocate_region(end.pd, 1, true).status, Status::insufficient_resources);
  const StagEntry entry = end.rnic.query_stag(index.value).value;
  EXPECT_EQ(entry.kind, StagKind::region);
  EXPECT_EQ(entry.pd, end.pd);
  EXPECT_EQ(entry.max_buffers, 8U);
  EXPECT_TRUE(entry.remote_access);
  EXPECT_FALSE(entry.valid);
  EXPECT_FALSE(entry.shared);
}

TEST(Verbs, RegisterAndQueryRegion) {
  EndOptions options;
  options.rnic.memory.max_stags = 2;
  End end(options);
  const Mapping mapping = mapping_of(end);
  const auto stag = end.rnic.register_region(end.pd, 0x77, true, mapping);
  ASSERT_EQ(stag.status, Status::ok);
  EXPECT_EQ(stag_key(stag.value), 0x77);
  EXPECT_EQ(end.rnic.register_region(end.pd, 1, true, mapping).status, Status::insufficient_resources);
  const StagEntry entry = end.rnic.query_stag(stag_index(stag.value)).value;
  EXPECT_TRUE(entry.valid);
  EXPECT_EQ(entry.key, 0x77);
  EXPECT_EQ(entry.pd, end.pd);
  EXPECT_EQ(entry.rights, mapping.rights);
  EXPECT_TRUE(entry.remote_access);
  EXPECT_FALSE(entry.shared);
  EXPECT_EQ(entry.max_buffers, 2U);
  EXPECT_EQ(entry.base, region_base);
  EXPECT_EQ(entry.length, 1000U);
  EXPECT_EQ(entry.start, 24U);
  EXPECT_EQ(end.rnic.query_stag(stag_index(stag.value) ^ 1U).status, Status::invalid_stag_index);
}

// Of an RI-Reregister that fails the region is gone, whatever was wrong (§7.3.2.3).
TEST(Verbs, ReregisterRefusesWhatIsIllegal) {
  const auto with = [](auto set, bool remote = true, bool known_pd = true) {
    End end;
    Mapping mapping = mapping_of(end);
    set(mapping);
    const std::uint32_t index = stag_index(end.stag);
    const Status status =
        end.rnic.reregister_region(index, known_pd ? end.pd : PdId{99}, 2, remote, mapping).status;
    EXPECT_EQ(end.rnic.query_stag(index).status,
              status == Status::ok ? Status::ok : Status::invalid_stag_index);
    return status;
  };
  EXPECT_EQ(with([](Mapping&) {}), Status::ok);
  EXPECT_EQ(with([](Mapping&) {}, true, false), Status::invalid_pd);
  EXPECT_EQ(with([](Mapping&) {}, false), Status::invalid_access_rights);
  EXPECT_EQ(with([](Mapping& m) { m.length = 1001; }), Status::invalid_length);
  EXPECT_EQ(with([](Mapping& m) { m.buffers.size = 0; }), Status::invalid_physical_buffer_size);
  EXPECT_EQ(with([](Mapping& m) { m.buffers.list[1] = nullptr; }), Status::invalid_pbl_entry);
  EXPECT_EQ(with([](Mapping& m) { m.buffers.first_byte_offset = 512; }), Status::invalid_fbo);
  EXPECT_EQ(with([](Mapping& m) { m.virtual_address = ~std::uint64_t{0}; }), Status::invalid_virtual_address);
}

TEST(Verbs, RegisterShared) {
  EndOptions options;
  options.rnic.memory.max_stags = 2;
  End end(options);
  const std::uint32_t source = stag_index(end.stag);
  const PdId other = end.rnic.allocate_pd().value;
  Mapping mapping;
  mapping.virtual_address = 0x1000;
  mapping.rights = access::local_read;
  EXPECT_EQ(end.rnic.register_shared(source, PdId{99}, 9, false, mapping).status, Status::invalid_pd);
  mapping.virtual_address = ~std::uint64_t{0};
  EXPECT_EQ(end.rnic.register_shared(source, other, 9, false, mapping).status,
            Status::invalid_virtual_address);
  EXPECT_FALSE(end.rnic.query_stag(source).value.shared);
  mapping.virtual_address = 0x1000;
  const auto shared = end.rnic.register_shared(source, other, 9, false, mapping);
  ASSERT_EQ(shared.status, Status::ok);
  EXPECT_EQ(end.rnic.register_shared(source, other, 9, false, mapping).status,
            Status::insufficient_resources);
  const StagEntry entry = end.rnic.query_stag(stag_index(shared.value)).value;
  EXPECT_EQ(entry.key, 9);
  EXPECT_EQ(entry.pd, other);
  EXPECT_EQ(entry.rights, access::local_read);
  EXPECT_FALSE(entry.remote_access);
  EXPECT_EQ(entry.base, 0x1000U);
  EXPECT_EQ(entry.length, end.memory.size());
  EXPECT_TRUE(entry.shared);
}

TEST(Verbs, AllocateAndQueryWindow) {
  End end;
  EXPECT_EQ(end.rnic.allocate_window(PdId{99}).status, Status::invalid_pd);
  const auto index = end.rnic.allocate_window(end.pd);
  ASSERT_EQ(index.status, Status::ok);
  const StagEntry entry = end.rnic.query_stag(index.value).value;
  EXPECT_EQ(entry.kind, StagKind::window);
  EXPECT_FALSE(entry.valid);
  EXPECT_EQ(entry.pd, end.pd);
  ASSERT_EQ(end.rnic.deallocate_stag(index.value), Status::ok);
  EXPECT_EQ(end.rnic.query_stag(index.value).status, Status::invalid_stag_index);
}

// --- events -----------------------------------------------------------------------------------------------

// An event names its kind and the one resource it is about (§9.4.2).
TEST(Verbs, Events) {
  End end;
  const SrqId srq = end.rnic.create_srq({.pd = end.pd}).value;
  EXPECT_FALSE(end.rnic.poll_event());
  ASSERT_EQ(end.rnic.fail_srq(srq), Status::ok);
  const auto event = end.rnic.poll_event();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, AsyncEventKind::srq_catastrophic);
  EXPECT_EQ(event->srq, srq);
  EXPECT_EQ(event->qp, QpId::none);
  EXPECT_EQ(event->cq, CqId::none);
  EXPECT_FALSE(end.rnic.poll_event());
}

}  // namespace
}  // namespace iwarp::rnic::test
