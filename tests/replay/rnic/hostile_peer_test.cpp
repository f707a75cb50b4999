// Whatever a peer sends: no crash, no hang, one Terminate at most, memory outside the rights untouched, and
// nothing that grows without bound. Valid traffic with octets changed, CRC off or made right again.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "replay/rnic/two_rnics.hpp"

namespace iwarp::rnic::test {
namespace {

std::vector<Bytes> good_traffic(const End& end) {
  return {write(end.stag, end.to(100), pattern(40)),
          send(1, pattern(30), {.last = false}),
          send(1, pattern(10), {.mo = 30}),
          read_request(1, {.sink_stag = 1, .size = 3000, .source_stag = end.stag, .source_to = end.to(0)}),
          fetch_add(2, {.id = 7, .stag = end.stag, .to = end.to(8), .data = 1}),
          send_se(2, pattern(5)),
          immediate(3, 99),
          send_inv(4, end.stag + 7, pattern(3)),
          read_response(end.stag, end.to(200), pattern(16)),
          atomic_response(1, 1, 5),
          terminate(0x1100, about(write(1, 0, pattern(4))))};
}

TEST(HostilePeer, ChangedSegments) {
  const char* const wanted = std::getenv("IWARP_RNIC_SEEDS");
  const std::uint64_t seeds = wanted == nullptr ? 2000 : std::strtoull(wanted, nullptr, 10);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    EndOptions options;
    options.qp.privileged = seed % 3 == 0;
    Bench bench(seed % 2 == 0 ? Role::initiator : Role::responder, options);
    End& end = bench.end;
    // A second region that gives nobody a remote right.
    Bytes secret = pattern(256, 9);
    Mapping mapping;
    mapping.buffers = contiguous(secret.data(), secret.size());
    mapping.length = secret.size();
    mapping.virtual_address = region_base + 65536;
    mapping.rights = access::local;
    ASSERT_EQ(end.rnic.register_region(end.pd, region_key, false, mapping).status, Status::ok);
    for (std::uint64_t id = 1; id <= 6; ++id) {
      ASSERT_EQ(end.rnic.post_receive(end.qp, {.id = id, .sgl = {end.at(4096 * id, 64)}}).status, Status::ok);
    }
    ASSERT_EQ(
        end.rnic
            .post_send(end.qp,
                       std::vector<WorkRequest>{
                           {.id = 1, .operation = Operation::rdma_read, .sgl = {end.at(200, 16)}, .stag = 5},
                           {.id = 2, .operation = Operation::fetch_add, .stag = 5}})
            .posted,
        2U);
    int terminates = 0;
    const auto look = [&] {
      const int code = bench.terminate_code();
      ASSERT_NE(code, -1);
      if (code != 0) ++terminates;
    };
    for (Bytes ulpdu : good_traffic(end)) {
      look();
      for (std::uint64_t changes = random() % 4; changes != 0; --changes) {
        if (ulpdu.empty()) break;
        switch (random() % 3) {
          case 0:
            ulpdu[random() % std::min<std::size_t>(ulpdu.size(), 24)] = static_cast<Byte>(random());
            break;
          case 1: ulpdu.resize(random() % (ulpdu.size() + 20)); break;
          default: ulpdu[random() % ulpdu.size()] ^= static_cast<Byte>(1U << random() % 8); break;
        }
      }
      bench.send(ulpdu);
    }
    look();
    EXPECT_LE(terminates, 1);
    EXPECT_EQ(secret, pattern(256, 9));
    end.rnic.handle_close(end.stream, seed % 2 == 0 ? StreamClose::graceful : StreamClose::reset, 1);
    look();
    EXPECT_LE(terminates, 1);
    if (HasFailure()) return;
  }
}

TEST(HostilePeer, ChangedOctetsOfTheStream) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    std::mt19937_64 random(seed);
    EndOptions options = rev1(Role::responder);
    options.stream.mpa.markers = seed % 2 == 0;
    options.stream.mpa.crc = false;
    End end(options);
    end.open();
    ASSERT_EQ(end.ready(), Status::ok);
    ASSERT_EQ(end.rnic.post_receive(end.qp, {.id = 1, .sgl = {end.at(0, 64)}}).status, Status::ok);
    FpduStream peer(seed % 2 == 0 ? Markers::on : Markers::off);
    Bytes octets = request_frame({.crc = false});
    for (const Bytes& ulpdu : good_traffic(end)) octets = cat(octets, peer.add(ulpdu));
    for (std::uint64_t changes = 1 + random() % 5; changes != 0; --changes) {
      octets[random() % octets.size()] = static_cast<Byte>(random());
    }
    for (std::size_t at = 0; at < octets.size();) {
      const Bytes piece = part(octets, at, 1 + random() % 200);
      at += piece.size();
      end.rnic.handle_input(end.stream, piece, 1);
      while (end.rnic.poll_output(end.stream, 1).kind != OutputKind::none) {
      }
    }
    end.rnic.handle_close(end.stream, StreamClose::graceful, 2);
    while (end.rnic.poll_output(end.stream, 2).kind != OutputKind::none) {
    }
    end.rnic.handle_timeout(never - 1);
    while (end.rnic.poll_output(end.stream, never - 1).kind != OutputKind::none) {
    }
    const QpState state = end.state();
    EXPECT_TRUE(state == QpState::idle || state == QpState::error) << seed;
  }
}

TEST(HostilePeer, WhatNobodyTakesIsBounded) {
  EndOptions options = rev1(Role::responder);
  options.qp.hold_off = true;
  End end(options);
  end.open();
  ASSERT_EQ(end.ready(), Status::ok);
  end.rnic.handle_input(end.stream, request_frame(), 0);
  end.rnic.handle_input(end.stream, fpdu(send(1, pattern(4))), 0);
  EXPECT_FALSE(end.rnic.stream(end.stream)->accepts_input());
  const Bytes more(1 << 20, 0);
  for (int count = 0; count < 20; ++count) end.rnic.handle_input(end.stream, more, 1);
  EXPECT_EQ(end.state(), QpState::error);
  EXPECT_EQ(end.events(), std::vector{AsyncEventKind::llp_connection_lost});
}

}  // namespace
}  // namespace iwarp::rnic::test
