// H11: of two bad segments the first delivered one counts. H12: ORD, fences, zero-length Reads; B6: order.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <cstring>

#include <iwarp/wire/ddp.hpp>

#include "replay/rnic/two_rnics.hpp"
#include "rnic/read_responder.hpp"

namespace iwarp::rnic::test {
namespace {

unsigned opcode(const Bytes& ulpdu) {
  return ulpdu[1] & 0x0fU;
}

std::vector<unsigned> opcodes(const std::vector<Bytes>& ulpdus) {
  std::vector<unsigned> all;
  for (const Bytes& ulpdu : ulpdus) all.push_back(opcode(ulpdu));
  return all;
}

TEST(H11, FirstDeliveredBadSegmentWins) {
  Bench bench;
  const Bytes first = bench.peer().add(write(0xbad00001, 0, pattern(4)));
  const Bytes second = bench.peer().add(send(1, pattern(4)));  // no buffer
  // The second one is there before the first one's last octet is.
  bench.input(part(first, 0, first.size() - 1));
  EXPECT_TRUE(bench.output().empty());
  bench.input(cat(part(first, first.size() - 1), second, bench.peer().add(send(2), {.crc = Crc::wrong})));
  EXPECT_EQ(bench.terminate_code(), 0x1100);
  EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::tagged_stag});
  bench.send(write(0xbad00002, 0, pattern(4)));
  EXPECT_EQ(bench.terminate_code(), 0);
}

TEST(H11, NothingBehindABadSegmentIsPlaced) {
  Bench bench;
  bench.input(cat(bench.peer().add(write(bench.end.stag, bench.end.to(0), text("good"))),
                  bench.peer().add(write(0xbad00001, 0, pattern(4))),
                  bench.peer().add(write(bench.end.stag, bench.end.to(8), text("late")))));
  EXPECT_EQ(part(bench.end.memory, 0, 4), text("good"));
  EXPECT_EQ(part(bench.end.memory, 8, 4), zeros(4));
}

TEST(H11, LocalErrorDoesNotWait) {
  Bench bench;
  bench.send(write(bench.end.stag, bench.end.to(0)));
  const Bytes bad = bench.peer().add(write(0xbad00001, 0, pattern(4)));
  bench.input(part(bad, 0, bad.size() - 1));  // not delivered yet
  ASSERT_EQ(bench.end.rnic.post_send(bench.end.qp, {.id = 1, .sgl = {Sge{0xdeadbe00, 4, 0}}}).status,
            Status::ok);
  EXPECT_EQ(bench.terminate_code(), 0x10000);  // 0000
  bench.input(part(bad, bad.size() - 1));
  EXPECT_EQ(bench.terminate_code(), 0);
  EXPECT_TRUE(bench.end.events().empty());
  const auto sends = bench.end.sends();
  ASSERT_EQ(sends.size(), 1U);
  EXPECT_EQ(sends[0].status, CompletionStatus::invalid_stag);
}

TEST(H11, FailedWorkRequestAndTheOnesAroundIt) {
  Bench bench;
  bench.send(write(bench.end.stag, bench.end.to(0)));
  const std::vector<WorkRequest> list = {
      {.id = 1, .operation = Operation::send, .signaled = false},
      {.id = 2, .operation = Operation::rdma_read, .sgl = {bench.end.at(0, 4)}, .stag = 5},
      {.id = 3, .operation = Operation::send},
      {.id = 4, .operation = Operation::send, .signaled = false, .sgl = {Sge{0xdeadbe00, 4, 0}}},
      {.id = 5, .operation = Operation::send, .signaled = false},
  };
  ASSERT_EQ(bench.end.rnic.post_send(bench.end.qp, list).posted, list.size());
  EXPECT_EQ(bench.terminate_code(), 0x10000);
  const auto sends = bench.end.sends();
  ASSERT_EQ(sends.size(), 4U);  // the first one's success needs no telling
  const CompletionStatus flushed = CompletionStatus::flushed;
  const CompletionStatus expected[] = {flushed, flushed, CompletionStatus::invalid_stag, flushed};
  for (std::size_t at = 0; at < 4; ++at) {
    EXPECT_EQ(sends[at].id, at + 2);
    EXPECT_EQ(sends[at].status, expected[at]) << at;
  }
}

TEST(H12, OrdOneStallsTheSendQueue) {
  EndOptions options;
  options.qp.ord = 1;
  options.qp.max_send_wrs = 300;
  Bench bench(Role::initiator, options);
  std::vector<WorkRequest> list;
  for (std::uint32_t read = 0; read < 100; ++read) {
    list.push_back(
        {.id = list.size(), .operation = Operation::rdma_read, .sgl = {bench.end.at(read, 1)}, .stag = 5});
    list.push_back({.id = list.size(), .operation = Operation::send});
  }
  ASSERT_EQ(bench.end.rnic.post_send(bench.end.qp, list).posted, 200U);
  for (std::uint32_t read = 0; read < 100; ++read) {
    SCOPED_TRACE(read);
    const auto sent = bench.output();
    // A Read and the Send behind it; the next Read waits, and with it everything behind.
    ASSERT_EQ(opcodes(sent), (std::vector<unsigned>{1, 3}));
    EXPECT_EQ(load_be32(sent[0].data() + 10), read + 1);
    EXPECT_EQ(load_be32(sent[1].data() + 10), read + 1);
    EXPECT_TRUE(bench.end.sends().empty());
    bench.send(read_response(bench.end.stag, bench.end.to(read), {static_cast<Byte>(read)}));
    const auto done = bench.end.sends();
    ASSERT_EQ(done.size(), 2U);
    EXPECT_EQ(done[0].id, 2 * read);
    EXPECT_EQ(done[1].id, 2 * read + 1);
  }
}

TEST(H12, ReadFenceWaitsForEarlierReadsAndAtomics) {
  Bench bench(Role::initiator);
  ASSERT_EQ(
      bench.end.rnic
          .post_send(bench.end.qp,
                     std::vector<WorkRequest>{
                         {.id = 1, .operation = Operation::rdma_read, .sgl = {bench.end.at(0, 1)}, .stag = 5},
                         {.id = 2, .operation = Operation::fetch_add, .stag = 5, .to = 8},
                         {.id = 3, .operation = Operation::rdma_write, .read_fence = true, .stag = 5},
                         {.id = 4, .operation = Operation::send}})
          .posted,
      4U);
  EXPECT_EQ(opcodes(bench.output()), (std::vector<unsigned>{1, 10}));
  bench.send(read_response(bench.end.stag, bench.end.to(0), pattern(1)));
  EXPECT_TRUE(bench.output().empty());
  bench.send(atomic_response(1, 1, 77));
  EXPECT_EQ(opcodes(bench.output()), (std::vector<unsigned>{0, 3}));
  const auto done = bench.end.sends();
  ASSERT_EQ(done.size(), 4U);
  EXPECT_EQ(done[1].original, 77U);
}

TEST(H12, ZeroLengthReadAndFenceFlushEndToEnd) {
  Bench bench(Role::initiator);
  ASSERT_EQ(bench.end.rnic
                .post_send(
                    bench.end.qp,
                    std::vector<WorkRequest>{
                        {.id = 1, .operation = Operation::rdma_write, .sgl = {bench.end.at(0, 4)}, .stag = 5},
                        {.id = 2, .operation = Operation::rdma_read},
                        {.id = 3, .operation = Operation::send, .read_fence = true}})
                .posted,
            3U);
  const auto first = bench.output();
  ASSERT_EQ(opcodes(first), (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(to_hex(first[1]), to_hex(read_request(1, {})));
  EXPECT_EQ(bench.end.sends().size(), 1U);
  bench.send(read_response(0, 0));
  EXPECT_EQ(opcodes(bench.output()), (std::vector<unsigned>{3}));
}

TEST(H12, OrdZeroFailsARead) {
  EndOptions options;
  options.qp.ord = 0;
  Bench bench(Role::initiator, options);
  ASSERT_EQ(bench.end.rnic.post_send(bench.end.qp, {.id = 1, .operation = Operation::rdma_read}).status,
            Status::ok);
  EXPECT_EQ(bench.terminate_code(), 0x10000);
  const auto done = bench.end.sends();
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].status, CompletionStatus::zero_read_resources);
}

TEST(H12, LocalFenceWaitsForEverythingEarlier) {
  Bench bench(Role::initiator);
  ASSERT_EQ(
      bench.end.rnic
          .post_send(bench.end.qp,
                     std::vector<WorkRequest>{
                         {.id = 1, .operation = Operation::rdma_read, .sgl = {bench.end.at(0, 1)}, .stag = 5},
                         {.id = 2,
                          .operation = Operation::local_invalidate,
                          .local_fence = true,
                          .stag = bench.end.stag},
                         {.id = 3, .operation = Operation::send}})
          .posted,
      3U);
  EXPECT_EQ(opcodes(bench.output()), (std::vector<unsigned>{1}));
  EXPECT_TRUE(bench.end.rnic.query_stag(stag_index(bench.end.stag)).value.valid);
  bench.send(read_response(bench.end.stag, bench.end.to(0), pattern(1)));
  EXPECT_EQ(opcodes(bench.output()), (std::vector<unsigned>{3}));
  EXPECT_FALSE(bench.end.rnic.query_stag(stag_index(bench.end.stag)).value.valid);
  EXPECT_EQ(bench.end.sends().size(), 3U);
}

// What is complete holds nothing up, although nobody has asked for its completion yet: who asks for output
// until there is none gets all of it.
TEST(H12, LocalFenceBehindMemoryWorkDoesNotWait) {
  Bench bench(Role::initiator);
  WorkRequest bind{.id = 1, .operation = Operation::bind_window};
  bind.binding = {.window = make_stag(bench.end.rnic.allocate_window(bench.end.pd).value, 1),
                  .region = bench.end.stag,
                  .virtual_address = region_base,
                  .length = 100,
                  .rights = access::remote};
  const WorkRequest unbind{
      .id = 2, .operation = Operation::local_invalidate, .local_fence = true, .stag = bind.binding.window};
  ASSERT_EQ(bench.end.rnic
                .post_send(bench.end.qp,
                           std::vector<WorkRequest>{bind, unbind, {.id = 3, .operation = Operation::send}})
                .posted,
            3U);
  EXPECT_EQ(opcodes(bench.output()), (std::vector<unsigned>{3}));
  EXPECT_EQ(bench.end.sends().size(), 3U);
}

// Without the fence the region goes while the Read is under way: its response is a protection error (B5).
TEST(H12, InvalidateWithoutFenceBreaksTheRead) {
  Bench bench(Role::initiator);
  ASSERT_EQ(
      bench.end.rnic
          .post_send(bench.end.qp,
                     std::vector<WorkRequest>{
                         {.id = 1, .operation = Operation::rdma_read, .sgl = {bench.end.at(0, 1)}, .stag = 5},
                         {.id = 2, .operation = Operation::local_invalidate, .stag = bench.end.stag}})
          .posted,
      2U);
  (void)bench.output();
  bench.send(read_response(bench.end.stag, bench.end.to(0), pattern(1)));
  EXPECT_EQ(bench.terminate_code(), 0x1100);
}

TEST(H12, ReadWithInvalidateInvalidatesBeforeItCompletes) {
  Bench bench(Role::initiator);
  ASSERT_EQ(
      bench.end.rnic
          .post_send(bench.end.qp,
                     {.id = 1, .operation = Operation::rdma_read_inv, .sgl = {bench.end.at(0, 4)}, .stag = 5})
          .status,
      Status::ok);
  (void)bench.output();
  bench.send(read_response(bench.end.stag, bench.end.to(0), text("read")));
  EXPECT_EQ(part(bench.end.memory, 0, 4), text("read"));
  const auto done = bench.end.sends();
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].status, CompletionStatus::success);
  EXPECT_FALSE(bench.end.rnic.query_stag(stag_index(bench.end.stag)).value.valid);
}

// Modifiers that do not belong to the operation are ignored (Verbs 1.0 §9.3.1.1): a list with Immediate Data
// is neither checked nor counted.
TEST(B6_Order, ImmediateDataHasNoList) {
  Bench bench(Role::initiator);
  WorkRequest request{.id = 1, .operation = Operation::immediate, .immediate = 5};
  for (int count = 0; count < 20; ++count) request.sgl.add({0xdeadbe00, 4, 0});
  ASSERT_EQ(bench.end.rnic.post_send(bench.end.qp, request).status, Status::ok);
  const auto sent = bench.output();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(to_hex(sent[0]), to_hex(immediate(1, 5)));
  EXPECT_EQ(bench.end.sends().at(0).status, CompletionStatus::success);
}

TEST(B6_Order, ABigReadResponseDoesNotBlockSends) {
  Bench bench;
  bench.send(read_request(
      1, {.sink_stag = 1, .size = 20000, .source_stag = bench.end.stag, .source_to = bench.end.to(0)}));
  ASSERT_EQ(bench.end.rnic
                .post_send(bench.end.qp, std::vector<WorkRequest>{{.id = 1, .sgl = {bench.end.at(0, 4000)}},
                                                                  {.id = 2, .sgl = {bench.end.at(0, 10)}}})
                .posted,
            2U);
  const auto sent = opcodes(bench.output());
  ASSERT_GT(sent.size(), 8U);
  // Turn by turn, as long as both have something.
  EXPECT_EQ(std::vector<unsigned>(sent.begin(), sent.begin() + 8),
            (std::vector<unsigned>{2, 3, 2, 3, 2, 3, 2, 3}));
}

TEST(B6_Order, ReadsAndAtomicsAreAnsweredInOrder) {
  Bench bench;
  const Bytes read = read_request(
      1, {.sink_stag = 1, .size = 3000, .source_stag = bench.end.stag, .source_to = bench.end.to(0)});
  Bytes third = read_request(
      3, {.sink_stag = 2, .size = 1, .source_stag = bench.end.stag, .source_to = bench.end.to(0)});
  bench.send(read);
  bench.send(fetch_add(2, {.id = 42, .stag = bench.end.stag, .to = bench.end.to(8), .data = 1}));
  bench.send(third);
  const auto sent = bench.output();
  EXPECT_EQ(opcodes(sent), (std::vector<unsigned>{2, 2, 2, 11, 2}));
  EXPECT_EQ(to_hex(sent[3]), to_hex(atomic_response(1, 42, 0)));
}

// What is invalidated while its Read is being answered ends the stream on a segment boundary, and the
// Terminate says how far the answer got (RFC 5040 §4.8).
TEST(B5_Responder, SourceGoesWhileItIsRead) {
  Bench bench;
  ASSERT_EQ(bench.end.rnic.post_receive(bench.end.qp, {.id = 1}).status, Status::ok);
  bench.send(read_request(1, {.sink_stag = 1,
                              .sink_to = 100,
                              .size = 4000,
                              .source_stag = bench.end.stag,
                              .source_to = bench.end.to(0)}));
  ASSERT_EQ(bench.end.rnic.poll_output(bench.end.stream, 0).kind, OutputKind::octets);
  bench.send(send_inv(1, bench.end.stag));
  EXPECT_EQ(bench.terminate_code(), 0x0100);
  const Bytes request = read_request(1, {.sink_stag = 1,
                                         .sink_to = 100 + 1440,
                                         .size = 4000 - 1440,
                                         .source_stag = bench.end.stag,
                                         .source_to = bench.end.to(1440)});
  EXPECT_EQ(to_hex(part(bench.last_terminate, 18)), to_hex(cat(hex("0100e000 002e"), request)));
  EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::irrq_stag});
}

TEST(B3_Termination, TheReadItIsAboutSaysSo) {
  Bench bench(Role::initiator);
  ASSERT_EQ(bench.end.rnic
                .post_send(
                    bench.end.qp,
                    std::vector<WorkRequest>{
                        {.id = 1, .operation = Operation::rdma_read, .sgl = {bench.end.at(0, 4)}, .stag = 5},
                        {.id = 2, .operation = Operation::rdma_read, .sgl = {bench.end.at(8, 4)}, .stag = 6}})
                .posted,
            2U);
  const auto sent = bench.output();
  ASSERT_EQ(sent.size(), 2U);
  Terminate fields = about(sent[1], true);
  bench.send(terminate(0x0100, fields));
  const auto done = bench.end.sends();
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].status, CompletionStatus::flushed);
  EXPECT_EQ(done[1].status, CompletionStatus::remote_termination);
}

// --- Atomics (E11, E12; RFC 7306 §5.1) -----------------------------------------------------------------

std::uint64_t applied(unsigned operation, std::uint64_t word, const wire::AtomicRequest& fields) {
  wire::AtomicRequest request = fields;
  request.operation = static_cast<std::uint8_t>(operation);
  return wire::apply_atomic(request, word);
}

TEST(E11_FetchAdd, FieldsDoNotCarryIntoEachOther) {
  constexpr std::uint64_t octets = 0x8080808080808080;
  EXPECT_EQ(applied(0, 37, {.add_swap_data = 5}), 42U);
  EXPECT_EQ(applied(0, 0xff, {.add_swap_data = 1}), 0x100U);
  EXPECT_EQ(applied(0, 0x12ff, {.add_swap_data = 0x01, .add_swap_mask = octets}), 0x1200U);
  EXPECT_EQ(applied(0, ~std::uint64_t{0}, {.add_swap_data = 1}), 0U);
  EXPECT_EQ(
      applied(0, 0xffffffff'ffffffff, {.add_swap_data = 0x1'00000001, .add_swap_mask = 0x80000000'80000000}),
      0U);
  EXPECT_EQ(applied(0, 0x7f, {.add_swap_data = 0x01, .add_swap_mask = octets}), 0x80U);
}

TEST(E12_CmpSwap, SwapsUnderTheMaskWhenEqual) {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  const wire::AtomicRequest plain{
      .add_swap_data = 0x2222, .add_swap_mask = all, .compare_data = 0x1111, .compare_mask = all};
  EXPECT_EQ(applied(2, 0x1111, plain), 0x2222U);
  EXPECT_EQ(applied(2, 0x1112, plain), 0x1112U);
  wire::AtomicRequest masked = plain;
  masked.add_swap_mask = 0x00ff;
  masked.compare_mask = 0xff00;
  EXPECT_EQ(applied(2, 0x11ee, masked), 0x1122U);
  EXPECT_EQ(applied(2, 0x12ee, masked), 0x12eeU);
}

TEST(E11_FetchAdd, WordsAreTheHosts) {
  Bench bench;
  const std::uint64_t word = 37;
  std::memcpy(bench.end.memory.data() + 16, &word, 8);
  bench.send(fetch_add(1, {.id = 1, .stag = bench.end.stag, .to = bench.end.to(16), .data = 5}));
  bench.send(cmp_swap(2, {.id = 2,
                          .stag = bench.end.stag,
                          .to = bench.end.to(16),
                          .data = 7,
                          .mask = ~std::uint64_t{0},
                          .compare = 42}));
  const auto sent = bench.output();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(to_hex(sent[0]), to_hex(atomic_response(1, 1, 37)));
  EXPECT_EQ(to_hex(sent[1]), to_hex(atomic_response(2, 2, 42)));
  std::uint64_t now = 0;
  std::memcpy(&now, bench.end.memory.data() + 16, 8);
  EXPECT_EQ(now, 7U);
}

}  // namespace
}  // namespace iwarp::rnic::test
