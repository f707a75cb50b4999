// Several responders, several copies, several captures.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "replay/commands/command_called.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The first has 32 requests, the second 14, the third 5. The responders are 10.1.1.1:7174 of the first two,
// and 192.0.2.2:18515.
const std::string first_capture = "real/01a-rping-v4-mtu1500-tso.pcap";
const std::string second_capture = "real/01i-rping-v4-p2p-crc.pcap";
const std::string third_capture = "generated/t11-atomics.pcap";

class Scale : public CommandTest {
 protected:
  ~Scale() override {
    for (const pid_t each : peers_) EXPECT_EQ(end_of(each), 0);
  }
  // A live responder of this capture: where it listens.
  std::string responder(const std::string& name, const std::vector<std::string>& more = {}) {
    const std::string said = file("err" + std::to_string(peers_.size()));
    std::vector<std::string> words = {"run",      capture(name), "--as",     "responder",
                                      "--listen", "127.0.0.1:0", "--timing", "topspeed"};
    words.insert(words.end(), more.begin(), more.end());
    peers_.push_back(begin_apart(words, file("out"), said));
    return "127.0.0.1:" + std::to_string(listening_port(said));
  }
  static Ended initiator(const std::vector<std::string>& names, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run"};
    for (const std::string& each : names) words.push_back(capture(each));
    words.insert(words.end(), {"--as", "initiator", "--timing", "topspeed", "--start-delay", "0"});
    words.insert(words.end(), more.begin(), more.end());
    return call(words);
  }

 private:
  std::vector<pid_t> peers_;
};

TEST_F(Scale, LivePeersStandForRecordedResponders) {
  const std::string one = responder(first_capture);
  const std::string other = responder(third_capture);
  const Ended ended = initiator({first_capture, third_capture},
                                {"--map", "192.0.2.2=" + other, "--map", "10.1.1.1:7174=" + one});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, StartsWith("same: 2 of 2 streams are as recorded, 37 requests are the same"));
}

TEST_F(Scale, WhoIsNotMappedIsAtConnect) {
  const std::string one = responder(first_capture);
  const std::string other = responder(third_capture);
  const Ended ended =
      initiator({first_capture, third_capture}, {"--connect", one, "--map", "192.0.2.2:18515=" + other});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
}

TEST(Peers, AnAddressWithItsPortGoesBeforeOneWithout) {
  Plan plan;
  std::string error;
  const auto at = [&](const std::string& text) { return *parse_endpoint(text, error); };
  for (const char* const responder : {"192.0.2.1:1", "192.0.2.1:2", "192.0.2.2:1", "[2001:db8::1]:1"})
    plan.streams.emplace_back().endpoints[1] = at(responder);
  std::vector<MappedPeer> mapped;
  for (const char* const each :
       {"192.0.2.1=198.51.100.1:9", "192.0.2.1:2=198.51.100.2:9", "2001:db8::1=[2001:db8::9]:9"})
    mapped.push_back(*parse_mapped_peer(each, error));
  const auto peers = peers_of(plan, {0, 1, 2, 3}, mapped, at("198.51.100.3:9"), error);
  ASSERT_TRUE(peers) << error;
  EXPECT_EQ(peers->at(0), at("198.51.100.1:9"));
  EXPECT_EQ(peers->at(1), at("198.51.100.2:9"));
  EXPECT_EQ(peers->at(2), at("198.51.100.3:9"));
  EXPECT_EQ(peers->at(3), at("[2001:db8::9]:9"));
  EXPECT_FALSE(peers_of(plan, {0, 1, 2, 3}, mapped, std::nullopt, error));
  EXPECT_THAT(error, HasSubstr("nobody stands for 192.0.2.2:1, the responder of stream 0"));
}

TEST_F(Scale, AResponderWhomNobodyStandsForIsNamed) {
  const Ended ended = initiator({first_capture}, {"--map", "10.1.1.1:9=127.0.0.1:1"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("nobody stands for 10.1.1.1:7174, the responder of stream 0: --map "
                                   "10.1.1.1:7174=HOST:PORT, or --connect HOST:PORT"));
}

TEST_F(Scale, AMappingWithoutAStreamIsNamed) {
  const Ended ended =
      initiator({first_capture}, {"--connect", "127.0.0.1:1", "--map", "10.9.9.9=127.0.0.1:1"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("--map 10.9.9.9=127.0.0.1:1: no stream that is run has this responder"));
}

TEST_F(Scale, NobodyAnswersAtAnyOfThem) {
  const Ended ended = initiator({first_capture, third_capture},
                                {"--map", "10.1.1.1:7174=127.0.0.1:1", "--map", "192.0.2.2=127.0.0.2:1"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("nobody accepts a connection at 127.0.0.1:1, 127.0.0.2:1"));
}

TEST(ScaleWords, AreUnderstoodOrSaidToBeWrong) {
  const auto said = [](const std::vector<std::string>& more, const std::string& as = "initiator") {
    std::vector<std::string> words = {"run", "x", "--as", as};
    words.insert(words.end(), more.begin(), more.end());
    return call(words).err;
  };
  EXPECT_THAT(said({}), HasSubstr("needs --connect HOST:PORT, or --map RECORDED=HOST:PORT"));
  EXPECT_THAT(said({"--map", "10.1.1.1"}), HasSubstr("--map takes RECORDED=LIVE"));
  EXPECT_THAT(said({"--map", "10.1.1.1=192.0.2.7"}), HasSubstr("is no HOST:PORT"));
  EXPECT_THAT(said({"--map", "10.1.1.1:x=192.0.2.7:1"}), HasSubstr("not '10.1.1.1:x'"));
  EXPECT_THAT(said({"--map", "2001:db8::1=[2001:db8::7]:1"}), HasSubstr("x"));
  EXPECT_THAT(said({"--connect", "127.0.0.1:1", "--bind", "127.0.0.1:7"}),
              HasSubstr("--bind takes an address of this machine"));
  EXPECT_THAT(said({"--listen", "127.0.0.1:0", "--bind", "127.0.0.1"}, "responder"),
              HasSubstr("--bind is for the soft-RNIC that connects"));
  EXPECT_THAT(said({"--connect", "127.0.0.1:1", "--ramp", "1s"}), HasSubstr("--ramp is how long"));
  EXPECT_THAT(said({"--connect", "127.0.0.1:1", "--copies", "0"}), HasSubstr("a number from 1 to 65535"));
  EXPECT_THAT(call({"run", "x", "--in-memory", "--map", "a=b:1"}).err,
              HasSubstr("connects its two ends by itself"));
}

TEST_F(Scale, ConnectionsComeFromTheAddressThatWasAskedFor) {
  const std::string at = responder(first_capture, {"--accept-only", "127.0.0.5"});
  const Ended ended = initiator({first_capture}, {"--connect", at, "--bind", "127.0.0.5"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("live: 127.0.0.5:"));
}

TEST_F(Scale, AnAddressOfNobodyHereIsSaid) {
  const Ended ended = initiator({first_capture}, {"--connect", "127.0.0.1:1", "--bind", "192.0.2.1"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("connect from 192.0.2.1 to 127.0.0.1:1"));
}

TEST_F(Scale, CopiesStartEvenlyAndRunAtOnce) {
  const Ended ended = call({"run", capture(first_capture), "--in-memory", "--timing", "topspeed", "--copies",
                            "5", "--ramp", "10s", "--report", file("json")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("same: 5 of 5 streams are as recorded, 160 requests are the same"));
  const auto json = json_of("json");
  EXPECT_GE(json["took_ns"], 8'000'000'000) << "the fifth starts at four fifths of the ramp";
  EXPECT_LT(json["took_ns"], 8'100'000'000);
  std::vector<std::int64_t> begun;
  for (const auto& stream : json["comparison"]["streams"])
    begun.push_back(stream["messages"][0]["live"]["time_ns"].get<std::int64_t>() / 1'000'000);
  ASSERT_EQ(begun.size(), 5U);
  for (std::size_t i = 1; i < begun.size(); ++i) EXPECT_EQ(begun[i] - begun[0], 2000 * i);
  EXPECT_THAT(json["comparison"]["streams"][4]["recorded"].dump(), HasSubstr(", copy 4"));
}

TEST_F(Scale, CopiesKeepTheirPace) {
  const auto took = [&](const std::string& timing, const std::string& copies) {
    const Ended ended = call({"run", capture("real/03a-send-variants.pcap"), "--in-memory", "--timing",
                              timing, "--copies", copies, "--report", file("json")});
    EXPECT_EQ(ended.status, 0) << ended.out;
    return json_of("json")["took_ns"].get<std::int64_t>() / 1'000'000;
  };
  for (const char* const timing : {"causal", "original", "topspeed"})
    EXPECT_EQ(took(timing, "7"), took(timing, "1")) << timing << ": without a ramp all go at once";
}

TEST_F(Scale, CopiesOverSocketsAndAgainstALivePeer) {
  const Ended both = call({"run", capture("real/03a-send-variants.pcap"), "--loopback", "--timing",
                           "topspeed", "--copies", "20", "--ramp", "200ms", "--loop", "2"});
  EXPECT_EQ(both.status, 0) << both.out;
  EXPECT_THAT(both.out, StartsWith("same: 200 of 200 streams"));
  const std::string at = responder(first_capture, {"--copies", "3"});
  const Ended ended = initiator({first_capture}, {"--connect", at, "--copies", "3", "--ramp", "30ms"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, StartsWith("same: 3 of 3 streams"));
}

TEST_F(Scale, CopiesOfABrokenStreamAreBrokenToo) {
  ASSERT_NE(call({"run", capture(second_capture), "--in-memory", "--timing", "topspeed", "--inject",
                  "DDP-MSNGAP@,responder", "--record", file("broken.pcapng")})
                .status,
            2);
  const Ended ended = call({"run", file("broken.pcapng"), "--in-memory", "--timing", "topspeed",
                            "--keep-broken=exact", "--copies", "4", "--record", file("again.pcapng")});
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.out, StartsWith("same: 4 of 4 streams are as recorded, 36 requests are the same"));
}

TEST_F(Scale, CapturesRunOneBehindTheOther) {
  const Ended ended = call({"run", capture(first_capture), capture(second_capture), capture(first_capture),
                            "--in-memory", "--timing", "topspeed", "--report", file("json")});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, StartsWith("same: 3 of 3 streams are as recorded, 78 requests are the same"));
  const auto json = json_of("json");
  EXPECT_EQ(json["source"],
            capture(first_capture) + ", " + capture(second_capture) + ", " + capture(first_capture));
  const auto& streams = json["comparison"]["streams"];
  ASSERT_EQ(streams.size(), 3U);
  for (std::size_t i = 1; i < 3; ++i) {
    const auto before = streams[i - 1]["messages"];
    std::int64_t last = 0;
    for (const auto& each : before) last = std::max(last, each["live"]["time_ns"].get<std::int64_t>());
    EXPECT_GT(streams[i]["messages"][0]["live"]["time_ns"].get<std::int64_t>(), last);
  }
}

TEST_F(Scale, OneStreamOfSeveralCaptures) {
  const Ended ended = call({"run", capture(first_capture), capture(second_capture), "--in-memory", "--timing",
                            "topspeed", "--stream", "1"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("same: 1 of 1 streams are as recorded, 14 requests are the same"));
}

TEST_F(Scale, SeveralCapturesMakeOnePlan) {
  ASSERT_EQ(call({"plan", capture(first_capture), capture(second_capture), "-o", file("plan")}).status, 0);
  const Ended ended = call({"run", file("plan"), "--in-memory", "--timing", "topspeed"});
  EXPECT_THAT(ended.out, StartsWith("same: 2 of 2 streams are as recorded, 46 requests are the same"));
}

TEST_F(Scale, NoneOfSeveralCapturesIsWrittenOver) {
  std::filesystem::copy(capture(second_capture), file("copy.pcap"));
  const Ended ended =
      call({"run", capture(first_capture), file("copy.pcap"), "--in-memory", "--record", file("copy.pcap")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("which it would overwrite"));
  EXPECT_THAT(call({"plan", capture(first_capture), file("copy.pcap"), "-o", file("copy.pcap")}).err,
              HasSubstr("which it would overwrite"));
}

}  // namespace
}  // namespace iwarp::replay
