// Sends, Writes, Reads and the rest from Work Request to completion, between two RNICs.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "replay/rnic/two_rnics.hpp"

namespace iwarp::rnic::test {
namespace {

TEST(DataPath, SendArrivesInTheReceiveBuffer) {
  End a;
  End b;
  Wire wire(a, b);
  connect(a, b, wire);
  const Bytes message = pattern(5000, 1);
  std::copy(message.begin(), message.end(), a.memory.begin());
  ASSERT_EQ(b.rnic.post_receive(b.qp, {.id = 7, .sgl = {b.at(100, 3000), b.at(10000, 3000)}}).status,
            Status::ok);
  ASSERT_EQ(
      a.rnic
          .post_send(a.qp, {.id = 9, .operation = Operation::send, .sgl = {a.at(0, 2500), a.at(2500, 2500)}})
          .status,
      Status::ok);
  wire.run();
  const auto sent = a.sends();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].id, 9U);
  EXPECT_EQ(sent[0].status, CompletionStatus::success);
  const auto received = b.receives();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].id, 7U);
  EXPECT_EQ(received[0].length, 5000U);
  EXPECT_EQ(part(b.memory, 100, 3000), part(message, 0, 3000));
  EXPECT_EQ(part(b.memory, 10000, 2000), part(message, 3000));
  EXPECT_EQ(a.state(), QpState::rts);
  EXPECT_EQ(b.state(), QpState::rts);
  EXPECT_TRUE(a.events().empty());
  EXPECT_TRUE(b.events().empty());
}

TEST(DataPath, WriteThenReadBack) {
  End a;
  End b;
  Wire wire(a, b);
  connect(a, b, wire);
  const Bytes message = pattern(20000, 2);
  std::copy(message.begin(), message.end(), a.memory.begin());
  const std::vector<WorkRequest> list = {
      {.id = 1,
       .operation = Operation::rdma_write,
       .sgl = {a.at(0, 20000)},
       .stag = b.stag,
       .to = b.to(1000)},
      {.id = 2,
       .operation = Operation::rdma_read,
       .sgl = {a.at(30000, 20000)},
       .stag = b.stag,
       .to = b.to(1000)},
      {.id = 3,
       .operation = Operation::fetch_add,
       .sgl = {a.at(60000, 8)},
       .stag = b.stag,
       .to = b.to(64000),
       .atomic = {.add_swap = 5}},
      {.id = 4,
       .operation = Operation::cmp_swap,
       .stag = b.stag,
       .to = b.to(64000),
       .atomic = {.add_swap = 99, .add_swap_mask = ~std::uint64_t{0}, .compare = 5}},
  };
  ASSERT_EQ(a.rnic.post_send(a.qp, list).posted, 4U);
  wire.run();
  EXPECT_EQ(part(b.memory, 1000, 20000), message);
  EXPECT_EQ(part(a.memory, 30000, 20000), message);
  const auto sent = a.sends();
  ASSERT_EQ(sent.size(), 4U);
  for (std::size_t at = 0; at < 4; ++at) {
    EXPECT_EQ(sent[at].id, at + 1);
    EXPECT_EQ(sent[at].status, CompletionStatus::success);
  }
  EXPECT_EQ(sent[2].original, 0U);
  EXPECT_EQ(sent[3].original, 5U);
  std::uint64_t word = 0;
  std::memcpy(&word, b.memory.data() + 64000, 8);
  EXPECT_EQ(word, 99U);
  EXPECT_TRUE(b.receives().empty());
}

TEST(DataPath, ImmediateDataAndInvalidate) {
  End a;
  End b;
  Wire wire(a, b);
  connect(a, b, wire);
  ASSERT_EQ(b.rnic.post_receive(b.qp, std::vector<ReceiveRequest>{{.id = 1}, {.id = 2}, {.id = 3}}).posted,
            3U);
  ASSERT_EQ(a.rnic
                .post_send(a.qp,
                           std::vector<WorkRequest>{
                               {.id = 1, .operation = Operation::immediate, .immediate = 0x1122334455667788},
                               {.id = 2, .operation = Operation::immediate_se, .immediate = 7},
                               {.id = 3, .operation = Operation::send_inv, .stag = b.stag}})
                .posted,
            3U);
  wire.run();
  const auto received = b.receives();
  ASSERT_EQ(received.size(), 3U);
  EXPECT_EQ(received[0].immediate, 0x1122334455667788U);
  EXPECT_FALSE(received[0].solicited);
  EXPECT_TRUE(received[1].solicited);
  EXPECT_TRUE(received[2].invalidated);
  EXPECT_EQ(received[2].invalidated_stag, b.stag);
  EXPECT_FALSE(b.rnic.query_stag(stag_index(b.stag)).value.valid);
}

TEST(DataPath, BadWriteIsTerminated) {
  End a;
  End b;
  Wire wire(a, b);
  connect(a, b, wire);
  ASSERT_EQ(a.rnic
                .post_send(a.qp, {.id = 1,
                                  .operation = Operation::rdma_write,
                                  .sgl = {a.at(0, 16)},
                                  .stag = b.stag,
                                  .to = b.to(65536 - 15)})
                .status,
            Status::ok);
  wire.run();
  EXPECT_EQ(a.state(), QpState::error);
  EXPECT_EQ(b.state(), QpState::error);
  EXPECT_EQ(b.events(), std::vector{AsyncEventKind::tagged_bounds});
  EXPECT_EQ(a.events(), std::vector{AsyncEventKind::terminate_received});
  const auto seen = a.rnic.query_qp(a.qp).value.terminate;
  ASSERT_TRUE(seen);
  EXPECT_FALSE(seen->local);
  EXPECT_EQ(seen->message.meant.value(), 0x1101);
  EXPECT_TRUE(b.rnic.query_qp(b.qp).value.terminate->local);
  // FIN from both, no RST.
  EXPECT_EQ(wire.closes[0], std::vector{OutputKind::close_graceful});
  EXPECT_EQ(wire.closes[1], std::vector{OutputKind::close_graceful});
}

TEST(DataPath, GracefulCloseEndsInIdle) {
  End a;
  End b;
  Wire wire(a, b);
  connect(a, b, wire);
  ASSERT_EQ(b.rnic.post_receive(b.qp, {.id = 1, .sgl = {b.at(0, 10)}}).status, Status::ok);
  ASSERT_EQ(a.move(QpState::closing), Status::ok);
  EXPECT_EQ(a.state(), QpState::closing);
  wire.run();
  EXPECT_EQ(a.state(), QpState::idle);
  EXPECT_EQ(b.state(), QpState::idle);
  EXPECT_EQ(a.events(), std::vector{AsyncEventKind::llp_close_complete});
  EXPECT_EQ(b.events(), std::vector{AsyncEventKind::llp_close_complete});
  const auto received = b.receives();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].status, CompletionStatus::flushed);
}

}  // namespace
}  // namespace iwarp::rnic::test
