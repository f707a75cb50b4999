// --payload-hash: the digests of messages, whatever carried them.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cli/program.hpp"
#include "support/conversation.hpp"

namespace iwarp::test {
namespace {

using nlohmann::json;

constexpr Side a = Side::a;
constexpr Side b = Side::b;

// Digests by sha256sum.
constexpr const char* of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* of_hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
constexpr const char* of_letters = "f83864b7c78d7cb7618d8b8476c189f7b18222928edbd730e4ce60ae09bd146d";

// "abcdefghij", 400 times.
Bytes letters() {
  Bytes octets;
  for (unsigned at = 0; at < 4000; ++at) octets.push_back(static_cast<Byte>('a' + at % 10));
  return octets;
}

// The message records of a conversation, in order.
std::vector<json> messages_of(const Conversation& conversation) {
  const Bytes pcap = conversation.to_pcap();
  const TemporaryFile capture("hash.pcap", {reinterpret_cast<const char*>(pcap.data()), pcap.size()});
  const Outcome outcome =
      analyze({"--format", "jsonl", "--records", "messages", "--payload-hash", capture.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return records(outcome.out);
}

std::vector<json> digests_of(const Conversation& conversation) {
  std::vector<json> digests;
  for (const json& message : messages_of(conversation)) digests.push_back(message.at("payload_sha256"));
  return digests;
}

void begin(Conversation& c, bool markers = false) {
  c.handshake();
  c.startup({.markers = markers}, {.markers = markers});
}

// Octets of FPDUs as RFC 5044 shows them in our worked example, CRC included.
TEST(PayloadHashTest, WorkedExample) {
  Conversation c;
  begin(c);
  c.send(a, hex("00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000 b990b10c"));
  c.close();
  EXPECT_EQ(digests_of(c), (std::vector<json>{of_hello}));
}

TEST(PayloadHashTest, MarkersAndPadAreNoPartOfIt) {
  Conversation c;
  begin(c, true);
  c.fpdu(a, send(1, text("hello")));
  c.fpdu(a, send(2, letters()), Cuts::every(1000));
  c.fpdu(b, send(1, text("hello")));
  c.close();
  EXPECT_EQ(digests_of(c), (std::vector<json>{of_hello, of_letters, of_hello}));
}

TEST(PayloadHashTest, MessagesOfSeveralSegments) {
  const Bytes all = letters();
  Conversation c;
  begin(c);
  c.packed(
      a, {send(1, part(all, 0, 1000), {.last = false}), write(7, 0x100, part(all, 0, 3000), {.last = false}),
          send(1, part(all, 1000, 24), {.last = false, .mo = 1000})});
  c.fpdu(a, write(7, 0x100 + 3000, part(all, 3000)));
  c.fpdu(a, send(1, part(all, 1024), {.mo = 1024}));
  c.fpdu(a, write(7, 0x100 + 4000, text("hello")));  // goes on where the other one ended
  c.fpdu(a, send(2));
  c.close();
  EXPECT_EQ(digests_of(c), (std::vector<json>{of_letters, of_letters, of_hello, of_nothing}));
}

TEST(PayloadHashTest, HeadersOfRdmapBelongToTheMessage) {
  Conversation c;
  begin(c);
  c.fpdu(a, read_request(1, {.sink_stag = 0x00a1b202,
                             .sink_to = 0x00007f0000001000,
                             .size = 5,
                             .source_stag = 0x1234ab01,
                             .source_to = 0x2000}));
  c.fpdu(b, read_response(0x00a1b202, 0x00007f0000001000, text("hello")));
  c.close();
  const auto messages = messages_of(c);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0]["length"], 28);
  EXPECT_EQ(messages[0]["payload_sha256"],
            "390d2f8d74ec40e3f24cb236f8e6169430357713d7f57d783d126872248e576f");
  EXPECT_EQ(messages[1]["payload_sha256"], of_hello);
}

TEST(PayloadHashTest, WhatWasNotCapturedIsNotGuessed) {
  const Bytes all = letters();
  Conversation c;
  begin(c);
  c.fpdu(a, send(1, part(all, 0, 1000), {.last = false}));
  c.drop(c.fpdu(a, send(1, part(all, 1000, 1000), {.last = false, .mo = 1000})));
  c.ack(b);
  c.fpdu(a, send(1, part(all, 2000), {.mo = 2000}));
  c.fpdu(a, send(2, text("hello")));
  c.cut(c.fpdu(a, send(3, text("hello, cut"))), 24);  // by the snapshot length
  c.fpdu(a, send(4, text("hello")));
  c.close();
  std::map<std::uint64_t, json> digests;
  for (const json& message : messages_of(c)) digests[message["msn"]] = message["payload_sha256"];
  EXPECT_EQ(digests,
            (std::map<std::uint64_t, json>{{1, nullptr}, {2, of_hello}, {3, nullptr}, {4, of_hello}}));
}

TEST(PayloadHashTest, AMessageJoinedMidstreamHasNone) {
  const Bytes all = letters();
  Conversation c;
  c.unseen([&] {
    begin(c);
    c.fpdu(a, write(7, 0, part(all, 0, 1000), {.last = false}));
  });
  for (unsigned at = 1; at < 4; ++at)
    c.fpdu(a, write(7, at * 1000, part(all, at * 1000, 1000), {.last = at == 3}));
  for (std::uint32_t msn = 5; msn < 15; ++msn) c.fpdu(a, send(msn, text("hello")));
  c.ack(b);
  const auto messages = messages_of(c);
  ASSERT_EQ(messages.size(), 11U);
  EXPECT_TRUE(messages[0]["complete"].is_null());
  EXPECT_EQ(messages[0]["payload_sha256"], nullptr);
  for (std::size_t at = 1; at < messages.size(); ++at) EXPECT_EQ(messages[at]["payload_sha256"], of_hello);
}

TEST(PayloadHashTest, SegmentsOutOfOrderHaveNone) {
  const Bytes all = letters();
  Conversation c;
  begin(c);
  c.fpdu(a, send(1, part(all, 0, 1000), {.last = false}));
  c.fpdu(a, send(1, part(all, 2000), {.mo = 2000}));
  c.fpdu(a, send(1, part(all, 1000, 1000), {.last = false, .mo = 1000}));
  c.fpdu(a, send(2, text("hello")));
  c.close();
  EXPECT_EQ(digests_of(c), (std::vector<json>{nullptr, of_hello}));
}

TEST(PayloadHashTest, RetransmissionsAndLateSegmentsChangeNothing) {
  Conversation c;
  begin(c);
  const Packets lost = c.lose(a, c.frame(a, send(1, letters())), Cuts::every(1448));
  c.fpdu(a, send(2, text("hello")));
  c.ack(b);
  c.resend(lost);
  c.close();
  EXPECT_EQ(digests_of(c), (std::vector<json>{of_letters, of_hello}));
}

TEST(PayloadHashTest, TheKeyComesWithTheOptionOnly) {
  const auto without = analyze({"--format", "jsonl", "--records", "messages", real_capture("01a")});
  for (const json& message : records(without.out)) EXPECT_FALSE(message.contains("payload_sha256"));
  const auto with =
      analyze({"--format", "jsonl", "--records", "messages", "--payload-hash", real_capture("01a")});
  auto bare = records(with.out);
  std::set<json> digests;
  for (json& message : bare) {
    EXPECT_TRUE(message.at("payload_sha256").is_string());
    digests.insert(message["payload_sha256"]);
    message.erase("payload_sha256");
  }
  EXPECT_EQ(bare, records(without.out));
  EXPECT_GT(digests.size(), 5U);
  const auto csv =
      analyze({"--format", "csv", "--records", "messages", "--payload-hash", real_capture("01a")});
  EXPECT_NE(csv.out.substr(0, csv.out.find('\r')).find(",payload_sha256"), std::string::npos);
  const auto line =
      analyze({"--records", "messages", "--payload-hash", "--filter",
               "payload_sha256 == " + digests.begin()->get<std::string>(), real_capture("01a")});
  EXPECT_NE(line.out.find(" payload_sha256=" + digests.begin()->get<std::string>()), std::string::npos);
}

}  // namespace
}  // namespace iwarp::test
