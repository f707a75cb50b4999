// FPDU framing of the soft-RNIC against the generator of the tests, which shares no code with it: every
// marker phase, both directions; and the hooks for breaking it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "replay/rnic/two_rnics.hpp"
#include "rnic/fpdu_receiver.hpp"
#include "rnic/fpdu_sender.hpp"

namespace iwarp::rnic::test {
namespace {

Bytes framed(FpduSender& sender, const Bytes& ulpdu, const Framing& framing = {}) {
  Bytes& room = sender.begin();
  room.insert(room.end(), ulpdu.begin(), ulpdu.end());
  const ByteView octets = sender.end(framing);
  return Bytes(octets.begin(), octets.end());
}

TEST(B4_Markers, SenderAgreesWithTheGeneratorInEveryPhase) {
  for (const bool markers : {false, true}) {
    std::set<std::uint64_t> phases;
    FpduSender sender;
    sender.start({.markers = markers, .crc = true});
    FpduStream generator(markers ? Markers::on : Markers::off);
    std::mt19937 random(1);
    for (int count = 0; count < 3000; ++count) {
      phases.insert(sender.position() % 512);
      const Bytes ulpdu = pattern(14 + random() % 1600, static_cast<std::uint32_t>(count));
      ASSERT_EQ(to_hex(framed(sender, ulpdu)), to_hex(generator.add(ulpdu))) << count;
      ASSERT_EQ(sender.position(), generator.position());
    }
    EXPECT_EQ(phases.size(), markers ? 127U : 128U);
  }
}

TEST(B4_Markers, ReceiverTakesWhatTheGeneratorMakesHoweverItIsCut) {
  for (const bool markers : {false, true}) {
    FpduReceiver receiver;
    receiver.start({.markers = markers, .crc = true});
    FpduStream generator(markers ? Markers::on : Markers::off);
    std::mt19937 random(2);
    Bytes octets;
    std::vector<Bytes> ulpdus;
    for (int count = 0; count < 1000; ++count) {
      ulpdus.push_back(pattern(random() % 1600, static_cast<std::uint32_t>(count)));
      const Bytes fpdu = generator.add(ulpdus.back());
      octets.insert(octets.end(), fpdu.begin(), fpdu.end());
    }
    std::size_t next = 0;
    for (std::size_t at = 0; at < octets.size();) {
      const Bytes piece = part(octets, at, 1 + random() % 3000);  // gone after each round
      at += piece.size();
      ByteView left = piece;
      while (!left.empty()) {
        const auto result = receiver.take(left);
        if (result == FpduReceiver::Result::more) break;
        ASSERT_EQ(result, FpduReceiver::Result::fpdu);
        const ByteView ulpdu = receiver.ulpdu();
        ASSERT_EQ(Bytes(ulpdu.begin(), ulpdu.end()), ulpdus[next++]);
      }
      ASSERT_TRUE(left.empty());
    }
    EXPECT_EQ(next, ulpdus.size());
    EXPECT_FALSE(receiver.inside_fpdu());
  }
}

TEST(B1_Sizes, TheLargestUlpdu) {
  FpduSender sender;
  sender.start({});
  EXPECT_EQ(framed(sender, pattern(64768)).size(), 64776U);
  FpduReceiver receiver;
  receiver.start({});
  const Bytes octets = fpdu(pattern(65535));
  ByteView left = octets;
  EXPECT_EQ(receiver.take(left), FpduReceiver::Result::fpdu);
  EXPECT_EQ(receiver.ulpdu().size(), 65535U);
}

TEST(B1_Sizes, Mulpdu) {
  EXPECT_EQ(mulpdu(1460, false), 1454U);
  EXPECT_EQ(mulpdu(1460, true), 1442U);
  EXPECT_EQ(mulpdu(1448, false), 1442U);
  EXPECT_EQ(mulpdu(100, false), 128U);
  EXPECT_EQ(mulpdu(65535, false), 64768U);
}

TEST(B1_Sizes, SegmentsFitTheMssOrWhatIsAskedFor) {
  EndOptions options;
  options.qp.response_payload = 100;
  Bench bench(Role::responder, options);
  bench.send(read_request(
      1, {.sink_stag = 1, .size = 250, .source_stag = bench.end.stag, .source_to = bench.end.to(0)}));
  std::vector<std::size_t> sizes;
  for (const Bytes& ulpdu : bench.output()) sizes.push_back(ulpdu.size() - 14);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{100, 100, 50}));
  ASSERT_EQ(bench.end.rnic
                .post_send(bench.end.qp,
                           std::vector<WorkRequest>{
                               {.id = 1, .sgl = {bench.end.at(0, 3000)}, .segment_payload = 1000},
                               {.id = 2, .sgl = {bench.end.at(0, 3000)}}})
                .posted,
            2U);
  sizes.clear();
  for (const Bytes& ulpdu : bench.output()) sizes.push_back(ulpdu.size() - 18);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1000, 1000, 1000, 1436, 1436, 128}));
}

// Whatever is asked for, each segment has room for data (RFC 5044 §3: 128 to 64 768 octets).
TEST(B1_Sizes, MulpduStaysInItsRange) {
  for (const std::uint32_t asked : {1U, 13U, 14U, 17U, 18U, 127U, 128U, 65535U, 0xffffffffU}) {
    SCOPED_TRACE(asked);
    EndOptions options;
    options.stream.max_ulpdu = asked;
    options.memory = 140000;
    Bench bench(Role::responder, options);
    End& end = bench.end;
    const std::size_t longest = asked <= 128 ? 128 : 64768;
    const auto sizes = [&] {
      std::vector<std::size_t> all;
      for (const Bytes& ulpdu : bench.output()) all.push_back(ulpdu.size());
      return all;
    };
    bench.send(read_request(1, {.size = static_cast<std::uint32_t>(2 * (longest - 14)) + 1,
                                .source_stag = end.stag,
                                .source_to = end.to(0)}));
    EXPECT_EQ(sizes(), (std::vector<std::size_t>{longest, longest, 15}));
    const auto size = static_cast<std::uint32_t>(2 * (longest - 18)) + 1;
    ASSERT_EQ(end.rnic.post_send(end.qp, {.id = 1, .sgl = {end.at(0, size)}}).status, Status::ok);
    EXPECT_EQ(sizes(), (std::vector<std::size_t>{longest, longest, 19}));
  }
}

TEST(Faults, FramingCanBeBroken) {
  const Bytes ulpdu = send(1, pattern(3));
  FpduSender sender;
  sender.start({});
  EXPECT_EQ(to_hex(framed(sender, ulpdu, {.length = 77})), to_hex(fpdu(ulpdu, {.length = 77})));
  EXPECT_EQ(to_hex(framed(sender, ulpdu, {.pad = 0xee})), to_hex(fpdu(ulpdu, {.pad = 0xee})));
  Bytes wrong = fpdu(ulpdu);
  wrong.back() ^= 0x80;
  EXPECT_EQ(to_hex(framed(sender, ulpdu, {.crc_xor = 0x80000000})), to_hex(wrong));
  FpduSender marked;
  marked.start({.markers = true});
  FpduStream generator(Markers::on);
  generator.break_marker({.pointer_delta = 4, .reserved = 9});
  EXPECT_EQ(to_hex(framed(marked, ulpdu, {.pointer_delta = 4, .marker_reserved = 9})),
            to_hex(generator.add(ulpdu)));
}

class Breaker final : public Mutator {
 public:
  void startup(StreamId, Bytes& frame) override { frame[16] |= 0x08; }
  void fpdu(StreamId, Bytes& ulpdu, Framing& framing) override {
    ++fpdus;
    if ((ulpdu[1] & 0x0f) == 3) ulpdu[13] = 9;  // MSN
    if ((ulpdu[1] & 0x0f) == 0) framing.copies = 2;
    if ((ulpdu[1] & 0x0f) == 8) framing.copies = 0;
  }
  int fpdus = 0;
};

TEST(Faults, MutatorSeesEverythingBeforeTheCrc) {
  Breaker breaker;
  EndOptions options;
  options.rnic.mutator = &breaker;
  options.stream.mpa.revision = 1;
  End end(options);
  end.open();
  ASSERT_EQ(end.ready(), Status::ok);
  const auto next = [&end] {
    const Output output = end.rnic.poll_output(end.stream, 0);
    return to_hex(output.octets);
  };
  EXPECT_EQ(next(), to_hex(request_frame({.reserved = 8})));
  end.rnic.handle_input(end.stream, reply_frame(), 0);
  ASSERT_EQ(end.rnic
                .post_send(end.qp,
                           std::vector<WorkRequest>{{.id = 1},
                                                    {.id = 2, .operation = Operation::rdma_write, .stag = 5},
                                                    {.id = 3, .operation = Operation::immediate}})
                .posted,
            3U);
  EXPECT_EQ(next(), to_hex(fpdu(send(9))));
  EXPECT_EQ(next(), to_hex(fpdu(write(5, 0))));
  EXPECT_EQ(next(), to_hex(fpdu(write(5, 0))));
  EXPECT_EQ(next(), "");
  EXPECT_EQ(breaker.fpdus, 3);
  end.rnic.stream(end.stream)->inject(terminate(0x0207), {});
  EXPECT_EQ(next(), to_hex(fpdu(terminate(0x0207))));
}

}  // namespace
}  // namespace iwarp::rnic::test
