// What the recorder writes, call by call.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/socket_recorder.hpp"

#include <gtest/gtest.h>

#include "replay/transport/station.hpp"
#include "replay/transport/wire_capture.hpp"

namespace iwarp::test {
namespace {

const Endpoint here = endpoint("127.0.0.1", 40000), there = endpoint("127.0.0.1", 4420);

// "a SA 0:0 +3": from our side, flags, sequence and acknowledgement behind the SYN's, octets.
std::vector<std::string> told(const WireCapture& capture) {
  std::vector<std::string> lines;
  std::uint32_t isn_a = 0, isn_b = 0;
  for (const replay::Packet& each : capture.packets) {
    const bool own = each.source == here;
    if (each.has(tcp::syn)) (own ? isn_a : isn_b) = each.sequence;
    std::string line = own ? "a " : "b ";
    if (each.has(tcp::syn)) line += 'S';
    if (each.has(tcp::fin)) line += 'F';
    if (each.has(tcp::rst)) line += 'R';
    if (each.has(tcp::psh)) line += 'P';
    if (each.has(tcp::ack)) line += 'A';
    line += ' ' + std::to_string(each.sequence - (own ? isn_a : isn_b));
    if (each.has(tcp::ack)) line += ':' + std::to_string(each.acknowledgement - (own ? isn_b : isn_a));
    if (!each.payload.empty()) line += " +" + std::to_string(each.payload.size());
    lines.push_back(line);
  }
  for (const OwnedSegment& each : capture.read().segments)
    EXPECT_EQ(each.meta.checksum, ChecksumStatus::good);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(SocketRecorder, ConnectionFromHandshakeToClose) {
  WireCapture capture;
  replay::SocketRecorder recorder(capture, 1);
  recorder.established(here, there, true, {1000, 8960}, 1);
  recorder.sent(pattern(2500), 2);
  recorder.peer_acknowledged(500, 3);
  recorder.peer_acknowledged(500, 3);  // nothing new
  recorder.received(pattern(70), 4);
  recorder.finished(5);
  recorder.sent(pattern(0), 5);
  recorder.peer_acknowledged(0, 6);
  recorder.peer_finished(7);
  recorder.ended(8);
  recorder.received(pattern(9), 9);  // too late
  EXPECT_EQ(told(capture), (Lines{"a S 0", "b SA 0:1", "a A 1:1", "a A 1:1 +1000", "a A 1001:1 +1000",
                                  "a PA 2001:1 +500", "b A 1:2001", "b PA 1:2001 +70", "a A 2501:71",
                                  "a FA 2501:71", "b A 71:2502", "b FA 71:2502", "a A 2502:72"}));
  EXPECT_EQ(capture.times, (std::vector<TimeNs>{1, 1, 1, 2, 2, 2, 3, 4, 4, 5, 6, 7, 7}));
  EXPECT_EQ(capture.packets[1].max_segment, 1000);  // limits our segments
  EXPECT_EQ(capture.packets[0].max_segment, 8960);  // and ours theirs
}

TEST(SocketRecorder, AcceptedConnectionAndLastAcknowledgement) {
  WireCapture capture;
  replay::SocketRecorder recorder(capture, 1);
  recorder.established(here, there, false, {1000, 8960}, 1);
  recorder.peer_finished(2);
  recorder.finished(3);
  recorder.ended(4);
  EXPECT_EQ(told(capture),
            (Lines{"b S 0", "a SA 0:1", "b A 1:1", "b FA 1:1", "a A 1:2", "a FA 1:2", "b A 2:2"}));
}

TEST(SocketRecorder, Resets) {
  WireCapture own, by_peer, refusal;
  replay::SocketRecorder first(own, 1), second(by_peer, 2), third(refusal, 3);
  first.established(here, there, true, {1000, 8960}, 1);
  first.sent(pattern(5), 2);
  first.reset(3);
  first.ended(4);
  EXPECT_EQ(told(own), (Lines{"a S 0", "b SA 0:1", "a A 1:1", "a PA 1:1 +5", "a RA 6:1"}));
  second.established(here, there, true, {1000, 8960}, 1);
  second.received(pattern(5), 2);
  second.peer_reset(3);
  second.sent(pattern(5), 4);
  EXPECT_EQ(told(by_peer), (Lines{"a S 0", "b SA 0:1", "a A 1:1", "b PA 1:1 +5", "a A 1:6", "b RA 6:1"}));
  third.refused(here, there, 1);
  EXPECT_EQ(told(refusal), (Lines{"a S 0", "b RA 0:1"}));
}

}  // namespace
}  // namespace iwarp::test
