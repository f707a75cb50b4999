// What streams waited for and what cost them time, from conversations whose delays are written down.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/diagnosis.hpp>
#include <iwarp/startup_retries.hpp>

#include "scenarios/established.hpp"
#include "support/conversation.hpp"
#include "support/octets.hpp"
#include "support/windows.hpp"

namespace iwarp::test {
namespace {

using established::Established;
using established::negotiated;

constexpr Side a = Side::a;
constexpr Side b = Side::b;
// Between packets of a Conversation: so long SYN-ACK and ACK need here, and what frees a limit to get there.
constexpr TimeNs step = 10'000;
constexpr TimeNs ms = 1'000'000;

class Diagnosed {
 public:
  explicit Diagnosed(const Conversation& conversation) : Diagnosed(conversation.segments()) {}
  explicit Diagnosed(const std::vector<OwnedSegment>& segments) {
    AnalyzerOptions options;
    options.keep_payload = KeepPayload::beginnings;
    Analyzer analyzer(options);
    LatencyTracker latencies;
    Diagnosis diagnosis;
    StartupRetries retries;
    const auto take = [&](Events events) {
      for (const Event& event : events) {
        latencies.add(event);
        diagnosis.add(event, analyzer.analysis().connection(event.connection), analyzer.analysis(),
                      latencies);
        stalls.insert(stalls.end(), diagnosis.stalls().begin(), diagnosis.stalls().end());
        findings.insert(findings.end(), diagnosis.findings().begin(), diagnosis.findings().end());
        const auto attempt = startup_attempt(event, analyzer.analysis().connection(event.connection));
        if (const auto again = attempt ? retries.add(*attempt) : std::nullopt) findings.push_back(*again);
      }
    };
    for (const OwnedSegment& each : segments) take(analyzer.add(each.segment()));
    take(analyzer.finish());
  }

  // "PERF-ORD by a: 12000000", in order.
  [[nodiscard]] std::vector<std::string> costs() const {
    std::vector<std::string> lines;
    for (const Event& event : findings) {
      EXPECT_EQ(event.finding.severity, Severity::information);
      EXPECT_TRUE(is_diagnosis(event.finding.check));
      lines.push_back(std::string(check_info(event.finding.check).id) +
                      (event.side == a ? " by a: " : " by b: ") + std::to_string(event.finding.arguments[0]));
    }
    return lines;
  }

  std::vector<Stall> stalls;
  std::vector<Event> findings;
};

using Costs = std::vector<std::string>;

Costs one(const char* check, Side side, TimeNs lost) {
  return {std::string(check) + (side == a ? " by a: " : " by b: ") + std::to_string(lost)};
}

Bytes read(std::uint32_t msn, std::uint32_t size = 100) {
  return read_request(msn, {.sink_stag = 0x100 + msn, .size = size, .source_stag = 0x2000});
}
Bytes response(std::uint32_t msn, std::uint32_t size = 100) {
  return read_response(0x100 + msn, 0, pattern(size));
}

// RFC 8166 §4.2, RFC 5531 §9: a Call and its Reply without chunks.
std::string number(std::uint32_t value) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", value);
  return digits;
}
Bytes call(std::uint32_t transaction, std::uint32_t credits) {
  return hex(number(transaction) + "00000001" + number(credits) + "00000000 00000000 00000000 00000000" +
             number(transaction) + "00000000 00000002 000186a3 00000003 00000000 16*00");
}
Bytes reply(std::uint32_t transaction, std::uint32_t credits) {
  return hex(number(transaction) + "00000001" + number(credits) + "00000000 00000000 00000000 00000000" +
             number(transaction) + "00000001 00000000 8*00 00000000");
}

// MS-SMBD §2.2.3: asks for 10 credits, grants some, carries 8 octets.
Bytes smb_direct(std::uint8_t granted) {
  Bytes octets = hex("0a00 0000 0000 0000 00000000 18000000 08000000 00000000 8*55");
  octets[2] = granted;
  return octets;
}

TEST(DiagnosisOf, AQuickSessionIsSilent) {
  Established c;
  for (std::uint32_t i = 1; i <= 50; ++i) {
    c.fpdu(a, send(i, pattern(100)));
    c.fpdu(a, read(i));
    c.fpdu(b, response(i));
    c.fpdu(b, send(i, pattern(100)));
  }
  c.close();
  const Diagnosed found(c);
  EXPECT_TRUE(found.stalls.empty());
  EXPECT_EQ(found.costs(), Costs());
}

// --- credits ---------------------------------------------------------------------------------------------

// A server that grants nothing has one Call at a time (libevpl issue 76).
TEST(DiagnosisOf, AServerThatGrantsNothing) {
  Established c;
  constexpr std::uint32_t calls = 20;
  FrameNumber first = 0;
  for (std::uint32_t i = 1; i <= calls; ++i) {
    const Packets sent = c.fpdu(a, send(i, call(0x40 + i, 32)));
    if (i == 2) first = c.at(sent);
    c.wait(5 * ms);
    c.fpdu(b, send(i, reply(0x40 + i, 0)));
  }
  c.close();
  const Diagnosed found(c);
  // Of the first Call it is not known how many there may be, of the last one not whether more had waited.
  EXPECT_EQ(found.costs(), one("PERF-CREDIT", b, (calls - 2) * (5 * ms + 2 * step)));
  ASSERT_EQ(found.stalls.size(), 1U);
  const Stall& stall = found.stalls[0];
  EXPECT_EQ(stall.cause, StallCause::credits);
  EXPECT_EQ(stall.basis, Basis::inferred);
  EXPECT_EQ(stall.side, a);
  EXPECT_EQ(stall.from, Role::initiator);
  EXPECT_EQ(stall.begin.frame, first);
  EXPECT_EQ(stall.operations, calls - 2);
  EXPECT_EQ(stall.ns, static_cast<TimeNs>(calls - 2) * (5 * ms + 2 * step));
  EXPECT_EQ(describe(found.findings[0].finding),
            "18 messages of the peer waited 90.4 ms for credits, where it had 0 in all or left");
}

TEST(DiagnosisOf, CreditsThatAreNotUsedUp) {
  Established c;
  for (std::uint32_t i = 1; i <= 20; ++i) {
    c.fpdu(a, send(i, call(0x40 + i, 32)));
    c.wait(5 * ms);
    c.fpdu(b, send(i, reply(0x40 + i, 2)));
  }
  c.close();
  EXPECT_EQ(Diagnosed(c).costs(), Costs());
}

// RFC 8166 §3.3.1: the lesser of what is asked for and granted. Who asks for less holds back by itself.
TEST(DiagnosisOf, AClientThatAsksForFewerCreditsThanItHas) {
  Established c;
  c.fpdu(a, send(1, call(1, 1)));
  c.fpdu(b, send(1, reply(1, 2)));
  for (std::uint32_t i = 2; i <= 20; ++i) {
    c.fpdu(a, send(i, call(i, 1)));
    if (i == 2) continue;
    c.wait(3 * ms);
    c.fpdu(b, send(i - 1, reply(i - 1, 2)));
  }
  c.close();
  EXPECT_EQ(Diagnosed(c).costs(), Costs());
}

// With two Calls allowed, two are always open.
TEST(DiagnosisOf, AllCreditsInUse) {
  Established c;
  c.fpdu(a, send(1, call(1, 2)));
  c.fpdu(b, send(1, reply(1, 2)));
  for (std::uint32_t i = 2; i <= 20; ++i) {
    c.fpdu(a, send(i, call(i, 2)));
    if (i == 2) continue;
    c.wait(3 * ms);
    c.fpdu(b, send(i - 1, reply(i - 1, 2)));
  }
  c.close();
  const Diagnosed found(c);
  ASSERT_EQ(found.costs(), one("PERF-CREDIT", b, 17 * (3 * ms + 2 * step)));
  EXPECT_EQ(found.findings[0].finding.arguments[1], 2U);
}

// Replies that nobody captured leave no Call open.
TEST(DiagnosisOf, RepliesThatTheCaptureLacks) {
  Established c;
  for (std::uint32_t i = 1; i <= 60; ++i) {
    c.fpdu(a, send(i, call(i, 4)));
    c.wait(5 * ms);
    const Packets answer = c.fpdu(b, send(i, reply(i, 4)));
    if (i > 20 && i < 40) c.drop(answer);
  }
  c.close();
  const Diagnosed found(c);
  EXPECT_TRUE(found.stalls.empty());
  EXPECT_EQ(found.costs(), Costs());
}

// Calls that come long after a Reply had not waited for it.
TEST(DiagnosisOf, ACallNowAndThen) {
  Established c;
  for (std::uint32_t i = 1; i <= 20; ++i) {
    c.fpdu(a, send(i, call(i, 32)));
    c.wait(2 * ms);
    c.fpdu(b, send(i, reply(i, 1)));
    c.wait(30 * ms);
  }
  c.close();
  EXPECT_EQ(Diagnosed(c).costs(), Costs());
}

// RFC 8166 §3.3.1: more than the server ever granted. That it granted fewer since may have crossed the Call.
TEST(DiagnosisOf, MoreCallsThanCredits) {
  Established c;
  c.fpdu(a, send(1, call(1, 32)));
  c.fpdu(b, send(1, reply(1, 3)));
  c.fpdu(a, send(2, call(2, 32)));
  c.fpdu(b, send(2, reply(2, 2)));
  for (std::uint32_t i = 3; i <= 5; ++i) c.fpdu(a, send(i, call(i, 32)));
  const Packets beyond = c.fpdu(a, send(6, call(6, 32)));
  c.fpdu(a, send(7, call(7, 32)));
  c.close();
  const Diagnosed found(c);
  std::vector<const Event*> credits;
  for (const Event& event : found.findings) {
    if (event.finding.check == CheckId::ulp_credit) credits.push_back(&event);
  }
  ASSERT_EQ(credits.size(), 1U) << "once of each side";
  EXPECT_EQ(credits[0]->side, a);
  EXPECT_EQ(credits[0]->finding.severity, Severity::warning);
  EXPECT_EQ(credits[0]->finding.evidence[0], c.at(beyond));
  EXPECT_EQ(describe(credits[0]->finding), "4 messages where the peer's credits allow 3");
}

// MS-SMBD §3.1.5.1
TEST(DiagnosisOf, MoreSmbDirectMessagesThanCredits) {
  Established c;
  c.fpdu(a, send(1, hex("0001 0001 0000 0a00 54050000 00200000 00001000")));
  c.fpdu(b, send(1, hex("0001 0001 0001 0000 0a00 0200 00000000 00001000 54050000 00200000 00001000")));
  c.fpdu(a, send(2, smb_direct(5)));
  c.fpdu(a, send(3, smb_direct(5)));
  const Packets beyond = c.fpdu(a, send(4, smb_direct(5)));
  c.close();
  const Diagnosed found(c);
  ASSERT_FALSE(found.findings.empty());
  const Event& credits = found.findings.front();
  EXPECT_EQ(credits.finding.check, CheckId::ulp_credit);
  EXPECT_EQ(credits.finding.evidence[0], c.at(beyond));
  EXPECT_EQ(describe(credits.finding), "3 messages where the peer's credits allow 2");
}

// MS-SMBD §2.2.1 to §2.2.3: credits are octets 0 and 2 of a data message, 6 of the request, 8 and 10 of the
// response.
TEST(DiagnosisOf, SmbDirectWithoutCredits) {
  const Bytes request = hex("0001 0001 0000 0a00 54050000 00200000 00001000");
  const Bytes negotiated_two =
      hex("0001 0001 0001 0000 0a00 0200 00000000 00001000 54050000 00200000 00001000");
  Established c;
  c.fpdu(a, send(1, request));
  c.fpdu(b, send(1, negotiated_two));
  for (std::uint32_t i = 2; i <= 12; ++i) {
    c.fpdu(a, send(i, smb_direct(1)));  // one of two is left, which is not for this
    c.wait(4 * ms);
    c.fpdu(b, send(i, smb_direct(1)));
  }
  c.close();
  const Diagnosed found(c);
  ASSERT_EQ(found.costs(), one("PERF-CREDIT", b, 10 * (4 * ms + 2 * step)));
  EXPECT_EQ(found.findings[0].finding.arguments[1], 1U);
}

// Grants that nobody captured are not known again.
TEST(DiagnosisOf, GrantsThatTheCaptureLacks) {
  Established c;
  c.fpdu(a, send(1, hex("0001 0001 0000 0a00 54050000 00200000 00001000")));
  c.fpdu(b, send(1, hex("0001 0001 0001 0000 0a00 0600 00000000 00001000 54050000 00200000 00001000")));
  for (std::uint32_t i = 2; i <= 60; ++i) {
    c.fpdu(a, send(i, smb_direct(1)));
    c.wait(4 * ms);
    const Packets answer = c.fpdu(b, send(i, smb_direct(1)));
    if (i > 20 && i < 27) c.drop(answer);
  }
  c.close();
  EXPECT_EQ(Diagnosed(c).costs(), Costs());
}

// --- limits ----------------------------------------------------------------------------------------------

TEST(DiagnosisOf, ReadsUpToOrd) {
  Established c = negotiated({.ird = 2, .ord = 2}, {.ird = 2, .ord = 2});
  c.fpdu(a, read(1));
  for (std::uint32_t i = 2; i <= 10; ++i) {
    c.fpdu(a, read(i));
    c.wait(6 * ms);
    c.fpdu(b, response(i - 1));
  }
  c.fpdu(b, response(10));
  c.close();
  const Diagnosed found(c);
  const auto costs = found.costs();
  EXPECT_NE(std::find(costs.begin(), costs.end(), one("PERF-ORD", a, 8 * (6 * ms + 2 * step))[0]),
            costs.end())
      << testing::PrintToString(costs);
  const auto stall = std::find_if(found.stalls.begin(), found.stalls.end(),
                                  [](const Stall& each) { return each.cause == StallCause::ord; });
  ASSERT_NE(stall, found.stalls.end());
  EXPECT_EQ(stall->operations, 8U);
}

// At the responder a request comes the way there and back after the response that it had to wait for.
TEST(DiagnosisOf, ReadsUpToOrdSeenAtTheResponder) {
  constexpr TimeNs way = 6 * ms;
  Established c = negotiated({.ird = 1, .ord = 1}, {.ird = 1, .ord = 1});
  for (std::uint32_t i = 1; i <= 10; ++i) {
    c.fpdu(a, read(i));
    c.fpdu(b, response(i));
    c.wait(way);
  }
  c.close();
  std::vector<OwnedSegment> segments = c.segments();
  for (std::size_t at = 2; at < segments.size(); ++at) segments[at].meta.time_ns += way;
  const Diagnosed found(segments);
  ASSERT_EQ(found.stalls.size(), 1U);
  EXPECT_EQ(found.stalls[0].cause, StallCause::ord);
  EXPECT_EQ(found.stalls[0].ns, 9 * (way + 2 * step));
  // How long the way is only the handshake tells.
  segments.erase(segments.begin(), segments.begin() + 3);
  EXPECT_TRUE(Diagnosed(segments).stalls.empty());
}

// A Read that follows a message of the peer may have waited for that.
TEST(DiagnosisOf, ReadsThatFollowAMessage) {
  Established c = negotiated({.ird = 1, .ord = 1}, {.ird = 1, .ord = 1});
  for (std::uint32_t i = 1; i <= 10; ++i) {
    c.fpdu(a, read(i));
    c.wait(6 * ms);
    c.fpdu(b, response(i));
    c.fpdu(b, send(i));
  }
  c.close();
  const Diagnosed found(c);
  EXPECT_TRUE(found.stalls.empty());
  EXPECT_EQ(found.costs(), one("PERF-RESPONDER", b, 60 * ms));
}

TEST(DiagnosisOf, AClosedWindow) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, write(0x77, 0x1000, pattern(500)));
  c.window(b, 0);
  const Packets closed = c.ack(b);
  c.wait(20 * ms);
  c.window(b, 500);
  const Packets open = c.ack(b);
  c.fpdu(a, write(0x77, 0x1000, pattern(500)));
  c.close();
  const Diagnosed found(c);
  ASSERT_EQ(found.stalls.size(), 1U);
  EXPECT_EQ(found.stalls[0].cause, StallCause::window);
  EXPECT_EQ(found.stalls[0].basis, Basis::proven);
  EXPECT_EQ(found.stalls[0].side, a);
  EXPECT_EQ(found.stalls[0].begin.frame, c.at(closed));
  EXPECT_EQ(found.stalls[0].end.frame, c.at(open));
  EXPECT_EQ(found.costs(), one("PERF-WINDOW", b, 20 * ms + step));
}

// Each Write fills the window; what makes room comes 4 ms later. Ten such waits are one stall.
TEST(DiagnosisOf, AFullWindow) {
  Established c;
  c.fpdu(a, send(1));
  c.ack(b);
  const Packets first = c.fpdu(a, write(0x77, 0x1000, pattern(500)));
  Packets last;
  for (int i = 0; i < 10; ++i) {
    c.wait(4 * ms);
    c.ack(b);
    last = c.fpdu(a, write(0x77, 0x1000, pattern(500)));
  }
  c.wait(40 * ms);
  c.close();
  const Diagnosed found(with_window(c, b, 600));
  ASSERT_EQ(found.stalls.size(), 1U);
  EXPECT_EQ(found.stalls[0].cause, StallCause::window);
  EXPECT_EQ(found.stalls[0].basis, Basis::inferred);
  EXPECT_EQ(found.stalls[0].side, a);
  EXPECT_EQ(found.stalls[0].begin.frame, c.at(first));
  EXPECT_EQ(found.stalls[0].end.frame, c.at(last));
  EXPECT_EQ(found.stalls[0].ns, 10 * (4 * ms + 2 * step));
  EXPECT_EQ(found.costs(), one("PERF-WINDOW", b, 10 * (4 * ms + 2 * step)));
}

// Who paused where there was room for long did not wait for that.
TEST(DiagnosisOf, PausesBehindAFullWindow) {
  Established c;
  c.fpdu(a, send(1));
  c.ack(b);
  c.fpdu(a, write(0x77, 0x1000, pattern(500)));
  c.ack(b);
  c.fpdu(a, write(0x77, 0x1000, pattern(500)));  // at once: so soon it can
  for (int i = 0; i < 10; ++i) {
    c.ack(b);
    c.wait(4 * ms);
    c.fpdu(a, write(0x77, 0x1000, pattern(500)));
  }
  c.close();
  const Diagnosed found(with_window(c, b, 600));
  ASSERT_EQ(found.stalls.size(), 1U);
  EXPECT_EQ(found.stalls[0].ns, 2 * step);
  EXPECT_TRUE(found.costs().empty());
}

TEST(DiagnosisOf, AClosedWindowBehindSends) {
  Established c;
  c.fpdu(a, send(1, pattern(500)));
  c.window(b, 0);
  c.ack(b);
  c.wait(20 * ms);
  c.window(b, 500);
  c.ack(b);
  c.fpdu(a, send(2));
  c.close();
  const Diagnosed found(c);
  ASSERT_EQ(found.stalls.size(), 1U);
  EXPECT_EQ(found.stalls[0].cause, StallCause::receive_queue);
  EXPECT_EQ(found.stalls[0].basis, Basis::inferred);
  EXPECT_EQ(found.costs(), one("PERF-RQ", b, 20 * ms + step));
}

TEST(DiagnosisOf, ATerminateForWantOfABuffer) {
  Established c;
  const Bytes lost = send(1);
  c.fpdu(a, lost);
  c.terminated(b, 0x1202, {.m = true, .d = true, .headers = part(lost, 0, 18)});
  const Diagnosed found(c);
  EXPECT_EQ(found.costs(), one("PERF-RQ", b, 0));
}

// --- loss ------------------------------------------------------------------------------------------------

// The capture point sees what comes behind the loss, and then the octets themselves.
TEST(DiagnosisOf, ALossBeforeTheCapturePoint) {
  Established c;
  c.fpdu(a, send(1));
  const Packets lost = c.lose(a, c.frame(a, send(2, pattern(300))));
  const Packets behind = c.fpdu(a, send(3, pattern(300)));
  c.wait(7 * ms);
  const Packets again = c.resend(lost);
  c.fpdu(a, send(4));
  c.close();
  const Diagnosed found(c);
  ASSERT_EQ(found.stalls.size(), 1U);
  EXPECT_EQ(found.stalls[0].cause, StallCause::recovery);
  EXPECT_EQ(found.stalls[0].basis, Basis::proven);
  EXPECT_EQ(found.stalls[0].side, a);
  EXPECT_EQ(found.stalls[0].begin.frame, c.at(behind));
  EXPECT_EQ(found.stalls[0].end.frame, c.at(again));
  EXPECT_EQ(found.costs(), one("PERF-LOSS", a, 7 * ms + step));
  EXPECT_EQ(found.findings[0].finding.arguments[2], 0U);
}

// … and where it sees both copies: a timeout.
TEST(DiagnosisOf, ALossBehindTheCapturePoint) {
  Established c;
  c.fpdu(a, send(1));
  const Packets lost = c.fpdu(a, send(2, pattern(300)));
  c.wait(250 * ms);
  c.resend(lost);
  c.ack(b);
  c.fpdu(a, send(3));
  c.close();
  const Diagnosed found(c);
  ASSERT_EQ(found.stalls.size(), 1U);
  EXPECT_EQ(found.stalls[0].basis, Basis::bounded);
  EXPECT_EQ(found.costs(), one("PERF-LOSS", a, 250 * ms + step));
  EXPECT_EQ(found.findings[0].finding.arguments[2], 1U) << "timeouts";
}

// What is missing from the capture alone was not lost on its way.
TEST(DiagnosisOf, APacketThatTheCaptureLacks) {
  Established c;
  c.fpdu(a, send(1));
  c.drop(c.fpdu(a, send(2, pattern(300))));
  c.fpdu(a, send(3, pattern(300)));
  c.wait(50 * ms);
  for (std::uint32_t i = 4; i < 30; ++i) {
    c.fpdu(a, send(i));
    c.ack(b);
  }
  c.close();
  const Diagnosed found(c);
  EXPECT_TRUE(found.stalls.empty());
  EXPECT_EQ(found.costs(), Costs());
}

// --- responses -------------------------------------------------------------------------------------------

TEST(DiagnosisOf, ResponsesBehindALargeOne) {
  Established c;
  c.fpdu(a, read(1, 60'000));
  c.fpdu(a, read(2));
  for (std::uint64_t at = 0; at < 60'000; at += 10'000) {
    c.wait(10 * ms);
    c.fpdu(b, read_response(0x101, at, pattern(10'000), {.last = at == 50'000}));
  }
  c.fpdu(b, response(2));
  c.close();
  const auto costs = Diagnosed(c).costs();
  ASSERT_FALSE(costs.empty());
  EXPECT_EQ(costs[0].substr(0, 17), "PERF-BEHIND by a:") << costs[0];
}

TEST(DiagnosisOf, ReadsWithoutAnswers) {
  Established c;
  const Packets oldest = c.fpdu(a, read(1));
  c.fpdu(a, read(2));
  c.wait(500 * ms);
  c.rst(b);
  const Diagnosed found(c);
  ASSERT_EQ(found.costs(), one("PERF-UNANSWERED", b, 500 * ms + 2 * step));
  EXPECT_EQ(found.findings[0].finding.arguments[1], 2U);
  EXPECT_EQ(found.findings[0].finding.evidence[0], c.at(oldest));
  EXPECT_EQ(found.findings[0].finding.time_ns, c.time(oldest));
}

// New SYNs on the same ports: how the connection before ended nobody captured.
TEST(DiagnosisOf, AReadWhoseEndTheCaptureLacks) {
  Established c;
  c.fpdu(a, read(1));
  c.wait(500 * ms);
  c.handshake({.isn_a = 70'000'000, .isn_b = 80'000'000});
  c.close();
  EXPECT_EQ(Diagnosed(c).costs(), Costs());
}

TEST(DiagnosisOf, AResponseThatTheCaptureLacks) {
  Established c;
  c.fpdu(a, read(1));
  c.drop(c.fpdu(b, response(1)));
  for (std::uint32_t i = 1; i <= 30; ++i) {
    c.fpdu(a, send(i, pattern(100)));
    c.fpdu(b, send(i, pattern(100)));
    c.wait(30 * ms);
  }
  c.close();
  EXPECT_EQ(Diagnosed(c).costs(), Costs());
}

// --- the way messages are sent ---------------------------------------------------------------------------

TEST(DiagnosisOf, PausesOfDelayedAcknowledgements) {
  Established c;
  for (std::uint32_t i = 1; i <= 5; ++i) {
    c.fpdu(a, send(2 * i - 1, pattern(300)));
    c.wait(40 * ms);
    c.ack(b);
    c.fpdu(a, send(2 * i, pattern(20)));
    c.fpdu(b, send(i));
  }
  c.close();
  EXPECT_EQ(Diagnosed(c).costs(), one("PERF-DELACK", a, 5 * (40 * ms + 2 * step)));
}

// On a busy host the sender goes on some milliseconds behind the acknowledgement; later it had another
// reason.
TEST(DiagnosisOf, PausesThatEndSoonBehindADelayedAcknowledgement) {
  for (const TimeNs late : {4 * ms, 8 * ms}) {
    Established c;
    for (std::uint32_t i = 1; i <= 5; ++i) {
      c.fpdu(a, send(2 * i - 1, pattern(300)));
      c.wait(43 * ms);
      c.ack(b);
      c.wait(late);
      c.fpdu(a, send(2 * i, pattern(20)));
      c.fpdu(b, send(i));
    }
    c.close();
    const Costs all = late == 4 * ms ? one("PERF-DELACK", a, 5 * (47 * ms + 2 * step)) : Costs();
    EXPECT_EQ(Diagnosed(c).costs(), all) << late;
  }
}

TEST(DiagnosisOf, PausesOfAnyLengthAreNone) {
  Established c;
  for (std::uint32_t i = 1; i <= 8; ++i) {
    c.fpdu(a, send(2 * i - 1, pattern(300)));
    c.wait((30 + 5 * i) * ms);
    c.fpdu(a, send(2 * i, pattern(20)));
    c.fpdu(b, send(i));
  }
  c.close();
  EXPECT_EQ(Diagnosed(c).costs(), Costs());
}

// An application that sends every 40 ms, acknowledged at once.
TEST(DiagnosisOf, AClockIsNoDelayedAcknowledgement) {
  Established c;
  for (std::uint32_t i = 1; i <= 30; ++i) {
    c.fpdu(a, send(i, pattern(300)));
    c.ack(b);
    c.wait(40 * ms);
  }
  c.close();
  EXPECT_EQ(Diagnosed(c).costs(), Costs());
}

// Small commands, each of which moves much.
TEST(DiagnosisOf, SmallCommandsAreNoSmallMessages) {
  Established c;
  for (std::uint32_t i = 1; i <= 1100; ++i) {
    c.fpdu(a, send(i, pattern(64)));
    c.fpdu(b, write(0x77, 0x1000, pattern(1000)));
    c.fpdu(b, send(i, pattern(16)));
  }
  c.close();
  EXPECT_EQ(Diagnosed(c).costs(), Costs());
}

TEST(DiagnosisOf, ManySmallMessages) {
  Established c;
  for (std::uint32_t i = 1; i <= 1200; ++i) c.fpdu(a, send(i, pattern(12)));
  c.close();
  const Diagnosed found(c);
  ASSERT_EQ(found.costs(), one("PERF-SMALL", a, 0));
  EXPECT_EQ(describe(found.findings[0].finding),
            "1200 FPDUs of both sides carry 12 octets on average: 66 % of the octets are headers");
}

// --- start-up --------------------------------------------------------------------------------------------

TEST(DiagnosisOf, AReplyThatTakesLong) {
  Conversation c;
  c.handshake();
  Startup request;
  c.wait(0);
  const Packets both = c.startup(request, {});
  c.set_time(both[1], c.segments()[3].meta.time_ns + 900 * ms);
  c.wait(900 * ms);
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.close();
  const Diagnosed found(c);
  ASSERT_EQ(found.stalls.size(), 1U);
  EXPECT_EQ(found.stalls[0].cause, StallCause::startup);
  EXPECT_EQ(found.stalls[0].side, a);
  EXPECT_EQ(found.stalls[0].ns, 900 * ms);
}

const Endpoint responder = endpoint("192.0.2.2", 7174);

Conversation from_port(std::uint16_t port, const Endpoint& to = responder) {
  Conversation c({.a = endpoint("192.0.2.1", port), .b = to});
  return c;
}

// A connection that asks for revision 2 and is reset: its last packet is the fifth.
Conversation refused_in_revision_2() {
  Conversation c = from_port(40001);
  c.handshake();
  c.send(a, request_frame({.word = Depths{.ird = 16, .ord = 8}}));
  c.rst(b);
  return c;
}

Conversation opened_later(TimeNs wait, const Startup& request, const Endpoint& to = responder) {
  Conversation c = from_port(40002, to);
  c.wait(wait);
  c.handshake();
  c.startup(request, request);
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.close();
  return c;
}

TEST(DiagnosisOf, AConnectionOpenedAgainInRevision1) {
  const Conversation first = refused_in_revision_2();
  const Conversation second = opened_later(20 * ms, {});
  const Diagnosed found(merge({&first, &second}));
  // From Request to Request: the fourth packet of either.
  ASSERT_EQ(found.costs(), one("PERF-FALLBACK", b, 20 * ms));
  EXPECT_EQ(found.findings[0].connection, 1U);
  EXPECT_EQ(found.findings[0].finding.evidence[0], 9U);
  EXPECT_EQ(found.findings[0].finding.evidence[1], 4U);
  EXPECT_EQ(describe(found.findings[0].finding),
            "opened in revision 1, 20.0 ms after stream 0 began in revision 2 and came to nothing");
}

TEST(DiagnosisOf, OtherConnectionsAreNotOpenedAgain) {
  const Conversation first = refused_in_revision_2();
  const auto costs = [](const Conversation& one, const Conversation& other) {
    return Diagnosed(merge({&one, &other})).costs();
  };
  EXPECT_EQ(costs(first, opened_later(20 * ms, {.word = Depths{.ird = 16, .ord = 8}})),
            Costs());  // revision 2, too
  EXPECT_EQ(costs(first, opened_later(20 * ms, {}, endpoint("192.0.2.2", 7175))), Costs());
  EXPECT_EQ(costs(first, opened_later(20'000 * ms, {})), Costs());  // no more because of it
  EXPECT_EQ(costs(opened_later(0, {.word = Depths{.ird = 16, .ord = 8}}),
                  [] {
                    Conversation c = from_port(40003);
                    c.wait(20 * ms);
                    c.handshake();
                    c.startup();
                    c.fpdu(a, send(1));
                    c.close();
                    return c;
                  }()),
            Costs());  // the first one worked
}

}  // namespace
}  // namespace iwarp::test
