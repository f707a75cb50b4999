// MPA start-up of the soft-RNIC, both roles (RFC 5044 §7.1, RFC 6581; scenarios A). Frames are made by hand.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/rnic/two_rnics.hpp"

namespace iwarp::rnic::test {
namespace {

using Kind = StreamEventKind;

Bytes octets_of(End& end, TimeNs now = 0) {
  const Output output = end.rnic.poll_output(end.stream, now);
  return Bytes(output.octets.begin(), output.octets.end());
}

TEST(A_Startup, RequestSaysWhatWasAskedFor) {
  const auto request = [](const MpaParameters& mpa) {
    EndOptions options;
    options.stream.mpa = mpa;
    End end(options);
    end.open();
    return to_hex(octets_of(end));
  };
  EXPECT_EQ(request({.revision = 1}), to_hex(request_frame()));
  EXPECT_EQ(request({.revision = 1, .markers = true, .crc = false, .private_data = text("hi")}),
            to_hex(request_frame({.markers = true, .crc = false, .private_data = text("hi")})));
  EXPECT_EQ(request({.ird = 16, .ord = 8, .private_data = text("priv")}),
            to_hex(request_frame({.word = Depths{.ird = 16, .ord = 8}, .private_data = text("priv")})));
  // wire.md §8: A, IRD 16, C + D, ORD 8, "priv".
  EXPECT_EQ(
      request({.peer_to_peer = true, .rtr_send = false, .ird = 16, .ord = 8, .private_data = text("priv")}),
      to_hex(hex("4d504120 49442052 65712046 72616d65 50020008 8010c008 70726976")));
  EXPECT_EQ(request({.enhanced = false}), to_hex(request_frame({.revision = 2})));
}

// 512 octets, of which the IRD/ORD word takes four (RFC 5044 §7.1.1, RFC 6581 §9): what has no room is
// refused.
TEST(A_Startup, PrivateDataOfARequestFitsIt) {
  for (const auto& [mpa, room] : std::vector<std::pair<MpaParameters, std::size_t>>{
           {{.revision = 1}, 512}, {{.revision = 2, .enhanced = false}, 512}, {{.revision = 2}, 508}}) {
    EndOptions options;
    options.stream.mpa = mpa;
    options.stream.delayed = true;
    End end(options);
    end.open();
    LlpStream& stream = *end.rnic.stream(end.stream);
    EXPECT_EQ(stream.private_data_room(), room);
    EXPECT_TRUE(stream.set_private_data(pattern(room)));
    EXPECT_FALSE(stream.set_private_data(text(std::string(room + 1, 'x'))));
    ASSERT_TRUE(stream.start_mpa(0));
    Startup sent{.revision = mpa.revision, .private_data = pattern(room)};
    if (room == 508) sent.word = Depths{.ird = 8, .ord = 8};
    EXPECT_EQ(to_hex(octets_of(end)), to_hex(request_frame(sent)));
    options.stream.mpa.private_data = pattern(room + 1);
    End other(options);
    other.open();
    EXPECT_EQ(other.stream, StreamId::none);
  }
}

TEST(A_Startup, PrivateDataOfAReplyFitsIt) {
  for (const bool enhanced : {false, true}) {
    for (const bool rejected : {false, true}) {
      SCOPED_TRACE(std::string(enhanced ? "S" : "no S") + (rejected ? ", R" : ""));
      End end(EndOptions{.stream = {.role = Role::responder}});
      end.open();
      LlpStream& stream = *end.rnic.stream(end.stream);
      // The peer may ask for the word, or not.
      EXPECT_TRUE(stream.set_private_data(pattern(508)));
      EXPECT_FALSE(stream.set_private_data(pattern(509)));
      Startup asked;
      if (enhanced) asked.word = Depths{.ird = 3, .ord = 3};
      end.rnic.handle_input(end.stream, request_frame(asked), 0);
      const std::size_t room = enhanced ? 508 : 512;
      EXPECT_EQ(stream.private_data_room(), room);
      if (rejected) {
        EXPECT_FALSE(stream.reject(pattern(room + 1)));
        EXPECT_EQ(stream.phase(), StreamPhase::request_arrived);
        EXPECT_TRUE(stream.reject(pattern(room)));
      } else {
        EXPECT_FALSE(stream.set_private_data(pattern(room + 1)));
        EXPECT_TRUE(stream.set_private_data(pattern(room)));
        EXPECT_EQ(end.ready(), Status::ok);
      }
      const Bytes reply = octets_of(end);
      ASSERT_EQ(reply.size(), 20U + 512U);
      EXPECT_EQ(load_be16(reply.data() + 18), 512);
      EXPECT_EQ(to_hex(part(reply, reply.size() - room)), to_hex(pattern(room)));
    }
  }
}

// What was made ready for a Reply that rejected is not for another one, which may hold less.
TEST(A_Startup, PrivateDataBelongsToOneReply) {
  End end(EndOptions{.stream = {.role = Role::responder}});
  end.open();
  LlpStream& stream = *end.rnic.stream(end.stream);
  end.rnic.handle_input(end.stream, request_frame(), 0);
  EXPECT_TRUE(stream.set_private_data(pattern(512)));
  EXPECT_TRUE(stream.reject({}));
  (void)octets_of(end);
  ASSERT_TRUE(stream.start_mpa(0));
  end.rnic.handle_input(end.stream, request_frame({.word = Depths{.ird = 8, .ord = 8}}), 0);
  ASSERT_EQ(end.ready(), Status::ok);
  EXPECT_EQ(to_hex(octets_of(end)), to_hex(reply_frame({.word = Depths{.ird = 8, .ord = 8}})));
}

struct Answer {
  Bytes reply;
  QpAttributes attributes;
};

Answer answer(const Bytes& request, EndOptions options = {}) {
  options.stream.role = Role::responder;
  End end(options);
  end.open();
  end.rnic.handle_input(end.stream, request, 0);
  EXPECT_EQ(end.stream_events(), std::vector{Kind::request_arrived});
  EXPECT_TRUE(octets_of(end).empty());  // the Consumer decides
  EXPECT_EQ(end.ready(), Status::ok);
  Answer result{octets_of(end), end.rnic.query_qp(end.qp).value.attributes};
  EXPECT_EQ(end.state(), QpState::rts);
  return result;
}

// siw's initiator with CRC on refuses a Reply without C, although its own C is enough (RFC 5044 §7.1.1).
TEST(A_Startup, ReplyRepeatsTheRequestsC) {
  EndOptions options;
  options.stream.mpa.crc = false;
  EXPECT_EQ(to_hex(answer(request_frame({.crc = true}), options).reply), to_hex(reply_frame({.crc = true})));
  EXPECT_EQ(to_hex(answer(request_frame({.crc = false}), options).reply),
            to_hex(reply_frame({.crc = false})));
}

TEST(A_Startup, ReplyFollowsTheRequest) {
  EXPECT_EQ(to_hex(answer(request_frame()).reply), to_hex(reply_frame()));  // rev 1 to rev 1
  EndOptions options;
  options.qp.ird = 4;
  options.qp.ord = 20;
  const Answer enhanced = answer(request_frame({.word = Depths{.ird = 16, .ord = 8}}), options);
  EXPECT_EQ(to_hex(enhanced.reply), to_hex(reply_frame({.word = Depths{.ird = 4, .ord = 16}})));
  EXPECT_EQ(enhanced.attributes.ord, 16U);  // A10: at most the initiator's IRD
  EXPECT_EQ(enhanced.attributes.ird, 4U);
  // A9: what is not negotiated is answered in kind, and stays.
  const Answer left = answer(request_frame({.word = Depths{.ird = 0x3fff, .ord = 0x3fff}}), options);
  EXPECT_EQ(to_hex(left.reply), to_hex(reply_frame({.word = Depths{.ird = 0x3fff, .ord = 0x3fff}})));
  EXPECT_EQ(left.attributes.ord, 20U);
}

TEST(A_Startup, RtrKindsAreThoseBothCan) {
  EndOptions options;
  options.stream.mpa.rtr_send = false;
  const Depths asked{.peer_to_peer = true, .rtr_send = true, .rtr_read = true, .ird = 8, .ord = 8};
  EXPECT_EQ(
      to_hex(answer(request_frame({.word = asked}), options).reply),
      to_hex(reply_frame({.word = Depths{.peer_to_peer = true, .rtr_read = true, .ird = 8, .ord = 8}})));
  // None in common: name one all the same (RFC 6581 §9.2).
  const Depths other{.peer_to_peer = true, .rtr_send = true, .ird = 8, .ord = 8};
  EXPECT_EQ(
      to_hex(answer(request_frame({.word = other}), options).reply),
      to_hex(reply_frame(
          {.word = Depths{.peer_to_peer = true, .rtr_write = true, .rtr_read = true, .ird = 8, .ord = 8}})));
}

TEST(A_Startup, InitiatorTakesUpTheReply) {
  EndOptions options;
  options.qp.ord = 10;
  options.stream.mpa.private_data = text("ask");
  End end(options);
  end.open();
  (void)octets_of(end);
  const Bytes reply = reply_frame({.word = Depths{.ird = 3, .ord = 2}, .private_data = text("answer")});
  for (const Byte octet : reply) end.rnic.handle_input(end.stream, ByteView(&octet, 1), 0);
  EXPECT_EQ(end.stream_events(), std::vector{Kind::reply_arrived});
  const ByteView data = end.rnic.stream(end.stream)->peer_private_data();
  EXPECT_EQ(Bytes(data.begin(), data.end()), text("answer"));
  EXPECT_EQ(end.rnic.stream(end.stream)->negotiated().peer_ird, 3);
  ASSERT_EQ(end.ready(), Status::ok);
  EXPECT_EQ(end.rnic.query_qp(end.qp).value.attributes.ord, 3U);
  EXPECT_EQ(end.rnic.query_qp(end.qp).value.attributes.ird, 8U);
}

// A6 to A8: the first FPDU of the initiator is the RTR, before anything posted.
TEST(A_Startup, RtrOfEachKindComesFirst) {
  const auto first = [](const Depths& reply) {
    EndOptions options;
    options.stream.mpa.peer_to_peer = true;
    End end(options);
    EXPECT_EQ(end.rnic.post_send(end.qp, {.id = 1, .sgl = {end.at(0, 4)}}).status, Status::ok);  // in Idle
    end.open();
    (void)octets_of(end);
    EXPECT_EQ(end.ready(), Status::ok);
    end.rnic.handle_input(end.stream, reply_frame({.word = reply}), 0);
    const std::string rtr = to_hex(octets_of(end));
    return std::pair(rtr, to_hex(octets_of(end)));
  };
  const Bytes data = zeros(4);
  const auto read =
      first({.peer_to_peer = true, .rtr_send = true, .rtr_write = true, .rtr_read = true, .ird = 1});
  EXPECT_EQ(read.first, to_hex(fpdu(read_request(1, {.sink_stag = 1, .source_stag = 1}))));
  EXPECT_EQ(read.second, to_hex(fpdu(send(1, data))));
  const auto written = first({.peer_to_peer = true, .rtr_send = true, .rtr_write = true, .ird = 1});
  EXPECT_EQ(written.first, to_hex(fpdu(write(1, 0))));
  EXPECT_EQ(written.second, to_hex(fpdu(send(1, data))));
  const auto sent = first({.peer_to_peer = true, .rtr_send = true, .ird = 1});
  EXPECT_EQ(sent.first, to_hex(fpdu(send(1))));
  EXPECT_EQ(sent.second, to_hex(fpdu(send(2, data))));  // A7: it used MSN 1
}

// A6: an RTR Read uses ORD until it is answered, and MSN 1 of queue 1.
TEST(A_Startup, RtrReadUsesOrd) {
  EndOptions options;
  options.stream.mpa.peer_to_peer = true;
  options.qp.ord = 1;
  End end(options);
  end.open();
  (void)octets_of(end);
  ASSERT_EQ(end.ready(), Status::ok);
  ASSERT_EQ(end.rnic.post_send(end.qp, {.id = 1, .operation = Operation::rdma_read}).status, Status::ok);
  end.rnic.handle_input(end.stream,
                        reply_frame({.word = Depths{.peer_to_peer = true, .rtr_read = true, .ird = 1}}), 0);
  EXPECT_FALSE(octets_of(end).empty());
  EXPECT_TRUE(octets_of(end).empty());
  end.rnic.handle_input(end.stream, fpdu(read_response(1, 0)), 0);
  EXPECT_EQ(to_hex(octets_of(end)), to_hex(fpdu(read_request(2, {}))));
  EXPECT_TRUE(end.sends().empty());
}

// RFC 5044 §7.1.2 (4); scenarios §2.5 (38).
TEST(A_Startup, ResponderIsSilentUntilItHasHeard) {
  for (const bool markers : {false, true}) {
    End end(rev1(Role::responder));
    end.open();
    ASSERT_EQ(end.rnic.post_send(end.qp, {.id = 1, .operation = Operation::send}).status, Status::ok);
    ASSERT_EQ(end.ready(), Status::ok);
    end.rnic.handle_input(end.stream, request_frame({.markers = markers}), 0);
    EXPECT_EQ(to_hex(octets_of(end)), to_hex(reply_frame()));
    EXPECT_TRUE(octets_of(end).empty());
    end.rnic.handle_input(end.stream, fpdu(write(1, 0)), 0);
    FpduStream own(markers ? Markers::on : Markers::off);
    EXPECT_EQ(to_hex(octets_of(end)), to_hex(own.add(send(1))));
  }
}

TEST(A_Startup, RejectedStaysInStreamingMode) {
  End a;
  End b;
  a.options.stream.role = Role::initiator;
  b.options.stream.role = Role::responder;
  a.open();
  b.open();
  Wire wire(a, b);
  wire.run();
  ASSERT_EQ(b.stream_events(), std::vector{Kind::request_arrived});
  EXPECT_TRUE(b.rnic.stream(b.stream)->reject(text("no")));
  wire.run();
  EXPECT_EQ(a.stream_events(), std::vector{Kind::rejected});
  const ByteView data = a.rnic.stream(a.stream)->peer_private_data();
  EXPECT_EQ(Bytes(data.begin(), data.end()), text("no"));
  EXPECT_TRUE(a.rnic.stream(a.stream)->send_streaming(text("a pity")));
  wire.run();
  EXPECT_EQ(b.stream_events(), std::vector{Kind::streaming_octets});
  EXPECT_EQ(b.rnic.stream(b.stream)->read_streaming(), text("a pity"));
  // A13: another attempt on the same connection.
  EXPECT_TRUE(b.rnic.stream(b.stream)->start_mpa(0));
  EXPECT_TRUE(a.rnic.stream(a.stream)->start_mpa(0));
  ASSERT_EQ(b.ready(), Status::ok);
  ASSERT_EQ(a.ready(), Status::ok);
  wire.run();
  EXPECT_EQ(a.rnic.stream(a.stream)->phase(), StreamPhase::full_operation);
  EXPECT_EQ(b.rnic.stream(b.stream)->phase(), StreamPhase::full_operation);
}

// RFC 5044 §7.1.2 (3): the initiator leaves MPA, and the connection open, with a QP that was there early,
// too. The QP has lost its LLP Stream (Verbs 1.0 §6.2.2.4) and can begin anew, here on the same connection.
TEST(A_Startup, RejectedLeavesTheConnectionOpenWithAQpInRts) {
  End end;
  end.open();
  ASSERT_EQ(end.ready(), Status::ok);
  ASSERT_EQ(end.rnic.post_send(end.qp, {.id = 1}).status, Status::ok);
  ASSERT_EQ(end.rnic.post_receive(end.qp, {.id = 2}).status, Status::ok);
  EXPECT_EQ(end.rnic.poll_output(end.stream, 0).kind, OutputKind::octets);
  LlpStream& stream = *end.rnic.stream(end.stream);
  const Startup no{.rejected = true, .word = Depths{}, .private_data = text("no")};
  end.rnic.handle_input(end.stream, cat(reply_frame(no), text("but")), 0);

  EXPECT_EQ(end.state(), QpState::error);
  EXPECT_EQ(end.events(), std::vector{AsyncEventKind::llp_connection_lost});
  EXPECT_EQ(end.rnic.query_qp(end.qp).value.terminate.has_value(), false);
  EXPECT_EQ(end.sends().at(0).status, CompletionStatus::flushed);
  EXPECT_EQ(end.receives().at(0).status, CompletionStatus::flushed);

  EXPECT_EQ(stream.qp(), QpId::none);
  EXPECT_EQ(stream.phase(), StreamPhase::streaming);
  EXPECT_EQ(end.stream_events(), (std::vector{Kind::rejected, Kind::streaming_octets}));
  EXPECT_EQ(stream.read_streaming(), text("but"));
  EXPECT_EQ(end.rnic.next_timeout(), never);
  EXPECT_EQ(end.rnic.poll_output(end.stream, 0).kind, OutputKind::none);
  EXPECT_TRUE(stream.send_streaming(text("why")));
  const Output said = end.rnic.poll_output(end.stream, 0);
  EXPECT_EQ(Bytes(said.octets.begin(), said.octets.end()), text("why"));

  ASSERT_EQ(end.move(QpState::idle), Status::ok);
  ASSERT_EQ(end.ready(), Status::ok);
  EXPECT_EQ(end.rnic.poll_output(end.stream, 0).kind, OutputKind::octets);
  end.rnic.handle_input(end.stream, reply_frame({.word = Depths{}}), 0);
  EXPECT_EQ(stream.phase(), StreamPhase::full_operation);
  EXPECT_EQ(end.state(), QpState::rts);
}

// A14, Verbs 1.0 §6.2.1.2: the last streaming-mode message goes with Modify QP; nothing that follows is lost.
TEST(A_Startup, DelayedBehindAStreamMessage) {
  EndOptions options;
  options.stream.delayed = true;
  End a(options);
  End b(options);
  a.options.stream.role = Role::initiator;
  b.options.stream.role = Role::responder;
  a.open();
  b.open();
  Wire wire(a, b);
  EXPECT_TRUE(a.rnic.stream(a.stream)->send_streaming(text("hello")));
  wire.run();
  EXPECT_EQ(b.rnic.stream(b.stream)->read_streaming(), text("hello"));
  const Bytes acknowledgement = text("hello yourself");
  ASSERT_EQ(
      b.rnic.modify_qp(b.qp, {.next = QpState::rts, .stream = b.stream, .stream_message = acknowledgement}),
      Status::ok);
  wire.run();
  EXPECT_EQ(a.rnic.stream(a.stream)->read_streaming(), acknowledgement);
  ASSERT_EQ(b.rnic.post_receive(b.qp, {.id = 1, .sgl = {b.at(0, 4)}}).status, Status::ok);
  ASSERT_EQ(a.ready(), Status::ok);
  ASSERT_EQ(a.rnic.post_send(a.qp, {.id = 1, .sgl = {a.at(0, 4)}}).status, Status::ok);
  wire.run();
  EXPECT_EQ(b.receives().size(), 1U);
  EXPECT_EQ(part(wire.sent[0], 0, 21), text("helloMPA ID Req Frame"));
  EXPECT_EQ(part(wire.sent[1], 0, 30), text("hello yourselfMPA ID Rep Frame"));
}

TEST(A_Startup, WhatIsNoStartupClosesTheConnection) {
  const Bytes nonsense[] = {
      text("GET / HTTP/1.1\r\n"),
      reply_frame(),                                     // two responders
      request_frame({.length = 513}),                    // A4
      request_frame({.revision = 0}),                    // RDMAC
      request_frame({.revision = 129}),                  // erdma
      request_frame({.enhanced = true, .revision = 2}),  // S without its word
  };
  for (const Bytes& octets : nonsense) {
    End end(EndOptions{.stream = {.role = Role::responder}});
    end.open();
    end.rnic.handle_input(end.stream, octets, 0);
    EXPECT_EQ(end.stream_events(), std::vector{Kind::failed}) << to_hex(octets);
    EXPECT_EQ(end.rnic.poll_output(end.stream, 0).kind, OutputKind::close_graceful);
    end.rnic.handle_close(end.stream, StreamClose::graceful, 0);
    EXPECT_EQ(end.rnic.destroy_stream(end.stream), Status::ok);
  }
  const Bytes replies[] = {
      request_frame(),                                      // A15: two initiators
      reply_frame(),                                        // A5: S=1 answered by rev 1
      reply_frame({.revision = 2}),                         // … by S=0
      reply_frame({.word = Depths{.peer_to_peer = true}}),  // A was not asked for
  };
  for (const Bytes& octets : replies) {
    End end;
    end.open();
    (void)octets_of(end);
    ASSERT_EQ(end.ready(), Status::ok);
    end.rnic.handle_input(end.stream, octets, 0);
    EXPECT_EQ(end.stream_events(), std::vector{Kind::failed}) << to_hex(octets);
    EXPECT_EQ(end.state(), QpState::error);
    EXPECT_EQ(end.rnic.poll_output(end.stream, 0).kind, OutputKind::reset);
  }
}

// A16, F16: start-up is bounded in time.
TEST(A_Startup, TimesOut) {
  for (const Role role : {Role::initiator, Role::responder}) {
    EndOptions options;
    options.stream.role = role;
    options.stream.startup_timeout = 1000;
    End end(options);
    end.open(5);
    (void)octets_of(end, 5);
    EXPECT_EQ(end.rnic.next_timeout(), 1005);
    end.rnic.handle_timeout(1004);
    EXPECT_TRUE(end.stream_events().empty());
    end.rnic.handle_timeout(1005);
    EXPECT_EQ(end.stream_events(), std::vector{Kind::failed});
    EXPECT_EQ(end.rnic.poll_output(end.stream, 1005).kind, OutputKind::close_graceful);
  }
}

// A16: FPDUs glued behind the Reply are not lost.
TEST(A_Startup, OctetsBehindTheReplyWait) {
  End end(rev1(Role::initiator));
  end.open();
  ASSERT_EQ(end.rnic.poll_output(end.stream, 0).kind, OutputKind::octets);
  end.rnic.handle_input(end.stream, cat(reply_frame(), fpdu(write(end.stag, end.to(0), text("early")))), 0);
  EXPECT_FALSE(end.rnic.stream(end.stream)->accepts_input());
  EXPECT_EQ(part(end.memory, 0, 5), zeros(5));
  ASSERT_EQ(end.ready(), Status::ok);
  EXPECT_EQ(part(end.memory, 0, 5), text("early"));
}

// Behind the Request, before the Reply, they are more Private Data than was announced: the frame is improper
// and TCP is closed (RFC 5044 §7.1.2 (2), (9)). A16, too.
TEST(A_Startup, OctetsBehindTheRequestEndIt) {
  for (const bool glued : {true, false}) {
    End end(rev1(Role::responder));
    end.open();
    const Bytes early = fpdu(write(end.stag, end.to(0), text("early")));
    end.rnic.handle_input(end.stream, glued ? cat(request_frame(), early) : request_frame(), 0);
    if (!glued) end.rnic.handle_input(end.stream, early, 0);
    (void)end.ready();
    EXPECT_THAT(end.rnic.poll_output(end.stream, 0).kind,
                testing::AnyOf(OutputKind::close_graceful, OutputKind::reset));
    EXPECT_EQ(part(end.memory, 0, 5), zeros(5));
  }
}

TEST(A_Startup, CrcIsUsedWhenEitherWantsIt) {
  for (const bool own : {false, true}) {
    for (const bool peer : {false, true}) {
      EndOptions options = rev1(Role::responder);
      options.stream.mpa.crc = own;
      End end(options);
      end.open();
      ASSERT_EQ(end.ready(), Status::ok);
      end.rnic.handle_input(end.stream, request_frame({.crc = peer}), 0);
      end.rnic.handle_input(end.stream, fpdu(write(end.stag, end.to(0), text("data")), {.crc = Crc::wrong}),
                            0);
      EXPECT_EQ(end.state(), own || peer ? QpState::terminate : QpState::rts);
      EXPECT_EQ(part(end.memory, 0, 4), own || peer ? zeros(4) : text("data"));
    }
  }
}

// The Consumer closes before the peer's Request has come: it is not answered behind the FIN.
TEST(A_Startup, RequestBehindOurFinIsNotAnswered) {
  End end(rev1(Role::responder));
  end.open();
  ASSERT_EQ(end.ready(), Status::ok);
  ASSERT_EQ(end.move(QpState::closing), Status::ok);
  EXPECT_EQ(end.rnic.poll_output(end.stream, 0).kind, OutputKind::close_graceful);
  end.rnic.handle_input(end.stream, request_frame(), 1);
  EXPECT_EQ(end.rnic.poll_output(end.stream, 1).kind, OutputKind::none);
  end.rnic.handle_close(end.stream, StreamClose::graceful, 2);
  EXPECT_EQ(end.state(), QpState::idle);
}

}  // namespace
}  // namespace iwarp::rnic::test
