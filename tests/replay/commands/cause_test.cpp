// What a run against a live peer says first: the fault of a peer that is made to have one, not what it led
// to. The peer is another soft-RNIC with a plan that was edited by hand, or with an injected fault.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "replay/commands/command_called.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;
using Edits = std::vector<std::pair<std::string, std::string>>;

// Of the plan of 01i: rping reads (work 2) what the client advertises (1), says so (3), writes (5) to what is
// advertised then (4), says so (6), and so on.
struct Fault {
  friend void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

  const char* name;
  const char* peer;  // who has it
  Edits edits;       // of its plan: a text, and what takes its place
  const char* injection;
  std::vector<const char*> words;  // on the first screen
};

const std::string write_work =
    "work { id: 5 by: RESPONDER kind: WRITE stag: 0xa16e9900 to: 0x000055dc5fd774c0";
const std::string send_work = "work { id: 6 by: RESPONDER kind: SEND length: 16 msn: 2";
const std::string send_octets = "octets { payload: 2 length: 16 } first_frame: 16";

std::vector<Fault> faults() {
  const char* const responder = "responder";
  const char* const initiator = "initiator";
  return {
      {"WrongStag",
       responder,
       {{write_work, "work { id: 5 by: RESPONDER kind: WRITE stag: 0x669ada00 to: 0x000055dc5fd79b60"}},
       nullptr,
       {"responder, different in stag: ", "where STag 0xa16e9900, TO 0x000055dc5fd774c0 was advertised",
        "answered by initiator terminate 0x110", "(tagged: "}},
      {"WritePastItsRegion",
       responder,
       {{write_work, "work { id: 5 by: RESPONDER kind: WRITE stag: 0xa16e9900 to: 0x000055dc5fd77500"}},
       nullptr,
       {"responder, different in to: ", "TO 0x000055dc5fd77500",
        "answered by initiator terminate 0x1101 (tagged: base or bounds violation)",
        "peer's #2 is STag 0xa16e9900, live 0xa16e9900; told by the initiator's send 16 octets, msn 2 (frame "
        "14"}},
      {"ReadOfAWrongStag",
       responder,
       {{"source_stag: 0x669ada00 source_to: 0x000055dc5fd79b60 after { received: 1 }",
         "source_stag: 0xa16e9900 source_to: 0x000055dc5fd774c0 after { received: 1 }"}},
       nullptr,
       {"responder, different in source_stag, outcome: ", "where STag 0x669ada00",
        "answered by initiator terminate 0x010"}},
      {"MsnSkipped",
       responder,
       {},
       "DDP-MSNGAP@,responder,4",
       {"responder, different in msn: ", "breaks DDP-MSNGAP (RFC 5041 §4.3): MSN 3 on queue 0 where 2 is due",
        "answered by initiator terminate 0x1203 (untagged: "}},
      {"MsnUsedTwice",
       responder,
       {},
       "DDP-MSNDUP@,responder,4",
       {"responder breaks DDP-MSNDUP (RFC 5041 §4.3) in live frame ", "MSN 1 on queue 0 starts again",
        "answered by initiator terminate 0x1203"}},
      {"OctetsOfASend",
       responder,
       {{send_octets, "octets { payload: 3 length: 16 } first_frame: 16"}},
       nullptr,
       {"responder, different in payload: recorded send 16 octets, msn 2 (frame 16)",
        "payload differs from octet 2 on"}},
      {"OctetsOfAWrite",
       responder,
       {{"after { received: 4 } octets { payload: 1", "after { received: 4 } octets { payload: 4"}},
       nullptr,
       {"responder, different in payload: recorded write 100 octets", "payload differs from octet 10 on"}},
      {"ShortResponse",
       initiator,
       {},
       "RDMAP-RRSHORT",
       {"initiator breaks RDMAP-RRSHORT (RFC 5040 §5.2.2) in live frame ",
        "Read Response ends after 99 octets, the request asked for 100",
        "answered by responder terminate 0x"}},
      {"LongResponse",
       initiator,
       {},
       "RDMAP-RRLONG",
       {"initiator breaks RDMAP-RRLONG", "answered by responder terminate 0x"}},
      {"ExtraSend",
       responder,
       {{send_work,
         "work { id: 99 by: RESPONDER kind: SEND length: 16 msn: 2 octets { payload: 2 length: 16 } }\n"
         "  work { id: 6 by: RESPONDER kind: SEND length: 16 msn: 3"}},
       nullptr,
       {"responder, extra: live send 16 octets, msn 3"}},
      {"Reset",
       responder,
       {{send_work,
         "work { id: 6 by: RESPONDER kind: RST }\n  work { id: 99 by: RESPONDER kind: SEND length: 16"}},
       nullptr,
       {"responder, rst: live rst"}},
      {"Silence",
       responder,
       {{send_work, "work { id: 6 by: RESPONDER kind: SEND after { received: 10 } length: 16"}},
       nullptr,
       {"responder, timeout: recorded send 16 octets, msn 2 (frame 16)"}},
      {"KindOfASend",
       responder,
       {{send_work, "work { id: 6 by: RESPONDER kind: SEND_SE length: 16 msn: 2"}},
       nullptr,
       {"responder, different in kind: recorded send 16 octets, msn 2 (frame 16); live send_se 16 octets"}},
      {"LongSend",
       responder,
       {{send_work + " " + send_octets,
         "work { id: 6 by: RESPONDER kind: SEND length: 100 msn: 2 octets { payload: 1 length: 100 } "
         "first_frame: 16"}},
       nullptr,
       {"responder, different in size: recorded send 16 octets", "live send 100 octets",
        "answered by initiator terminate 0x1205 (untagged: message too long for available buffer)"}},
      {"Crc",
       responder,
       {},
       "MPA-CRC@,responder,3",
       {"responder breaks MPA-CRC (RFC 5044 §4.4) in live frame ",
        "answered by initiator terminate 0x2002 (MPA: CRC error)"}},
      {"UlpduLength",
       responder,
       {},
       "MPA-LEN@,responder,3",
       {"responder breaks MPA-LEN", "answered by initiator terminate 0x1000"}},
      {"Queue",
       responder,
       {},
       "DDP-QN@,responder",
       {"responder breaks DDP-QN", "Send on queue 4, queue 0 expected",
        "answered by initiator terminate 0x1201 (untagged: invalid QN)"}},
      {"Opcode",
       responder,
       {},
       "RDMAP-OP@,responder",
       {"responder breaks RDMAP-OP", "answered by initiator terminate 0x0206"}},
      {"FinInsideAnFpdu",
       responder,
       {},
       "MPA-CUT@,responder,4",
       {"responder, missing: recorded send 16 octets, msn 2 (frame 16)", "MPA-CUT in live frame ",
        "instead came responder fin", "answered by initiator terminate 0x0207"}},
      {"UnansweredStartUp", responder, {}, "MPA-KEY:reply", {"responder breaks MPA-KEY"}},
  };
}

std::string told(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Cause : public CommandTest, public testing::WithParamInterface<Fault> {
 protected:
  // The plan that `role` plays.
  std::string plan_of(const char* role) {
    const Fault& fault = GetParam();
    const std::string path = file(std::string(role) + ".txt");
    EXPECT_EQ(call({"plan", capture("real/01i-rping-v4-p2p-crc.pcap"), "--text", "-o", path}).status, 0);
    if (fault.peer != std::string(role)) return path;
    std::string text = told(path);
    for (const auto& [was, is] : fault.edits) {
      const std::size_t at = text.find(was);
      EXPECT_NE(at, std::string::npos) << was;
      if (at != std::string::npos) text.replace(at, was.size(), is);
    }
    std::ofstream(path) << text;
    return path;
  }

  std::vector<std::string> run_of(const char* role) {
    const bool faulty = GetParam().peer == std::string(role);
    std::vector<std::string> words = {"run",        plan_of(role),        "--as",          role,
                                      "--timing",   "topspeed",           "--start-delay", "0",
                                      "--patience", faulty ? "10s" : "1s"};
    if (GetParam().injection != nullptr && faulty) {
      words.insert(words.end(), {"--inject", GetParam().injection});
    }
    return words;
  }

  // "127.0.0.1:PORT", which the responder says when it listens.
  std::string address() {
    for (int tries = 0; tries < 500; ++tries) {
      const std::string err = told(file("responder.err"));
      const std::size_t at = err.find("127.0.0.1:");
      const std::size_t end = err.find('\n', at);
      if (at != std::string::npos && end != std::string::npos) return err.substr(at, end - at);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << told(file("responder.err"));
    return {};
  }
};

TEST_P(Cause, IsSaidFirst) {
  const Fault& fault = GetParam();
  std::vector<std::string> responder = run_of("responder");
  responder.insert(responder.end(), {"--listen", "127.0.0.1:0"});
  std::vector<std::string> initiator = run_of("initiator");
  const pid_t listening = begin_apart(responder, file("responder.out"), file("responder.err"));
  initiator.insert(initiator.end(), {"--connect", address()});
  const pid_t connecting = begin_apart(initiator, file("initiator.out"), file("initiator.err"));
  EXPECT_GE(end_of(connecting), 0);
  EXPECT_GE(end_of(listening), 0);

  const std::string us = fault.peer == std::string("responder") ? "initiator" : "responder";
  const std::string out = told(file(us + ".out"));
  // What fits on a screen.
  std::size_t end = 0;
  for (int lines = 0; lines < 20 && end != std::string::npos; ++lines) end = out.find('\n', end + 1);
  const std::string screen = out.substr(0, end);
  const std::size_t first = screen.find("first divergence: ");
  ASSERT_NE(first, std::string::npos) << out << told(file(us + ".err"));
  const std::string headline = screen.substr(first, screen.find('\n', first) - first);
  EXPECT_THAT(headline, HasSubstr(fault.words.front())) << out;
  for (const char* const words : fault.words) EXPECT_THAT(screen, HasSubstr(words));
}

INSTANTIATE_TEST_SUITE_P(Faults, Cause, testing::ValuesIn(faults()),
                         [](const auto& fault) { return std::string(fault.param.name); });

}  // namespace
}  // namespace iwarp::replay
