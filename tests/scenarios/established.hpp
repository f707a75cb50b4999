// Words for scenarios that begin in Full Operation, and for what is expected of them:
//
//   Established c;                                              // handshake and start-up are done
//   c.fpdu(a, send(1));
//   const Packets bad = c.fpdu(a, send(3));
//   EXPECT_EQ(told(c), (Told{error("DDP-MSNGAP", a, c.at(bad))}));
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <iwarp/state.hpp>

#include "support/analysed.hpp"

namespace iwarp::test::established {

inline constexpr Side a = Side::a;
inline constexpr Side b = Side::b;
inline constexpr TimeNs second = 1'000'000'000;

// A conversation whose handshake and start-up were captured; a is the initiator.
class Established : public Conversation {
 public:
  explicit Established(const Startup& request = {}, const Startup& reply = {}, const Options& options = {})
      : Conversation(options), endpoint_a_(options.a) {
    handshake();
    startup(request, reply);
  }

  // Frame and time of a packet in the capture as it is now; of several packets the last one's.
  [[nodiscard]] FrameNumber at(Packets packets) { return find(packets).frame; }
  [[nodiscard]] TimeNs time(Packets packets) { return find(packets).time_ns; }

  // The sender of this packet had received only `octets` of the peer's stream when it sent it.
  void received_only(Packets packets, StreamOffset octets) {
    OwnedSegment& sent = packet(packets);
    const bool from_a = sent.meta.source == endpoint_a_;
    const Handshake numbers;
    sent.meta.acknowledgement =
        static_cast<std::uint32_t>((from_a ? numbers.isn_b : numbers.isn_a) + 1 + octets);
  }

  // A Terminate by `side`, which then closes; the peer closes as well.
  Packets terminated(Side side, unsigned code, const Terminate& fields = {}) {
    const Packets packets = fpdu(side, terminate(code, fields));
    close(side);
    return packets;
  }

 private:
  [[nodiscard]] TcpSegment find(Packets packets) {
    const OwnedSegment& wanted = packet(packets[packets.count - 1]);
    for (const OwnedSegment& each : segments()) {
      if (each.ip_id == wanted.ip_id && each.meta.source == wanted.meta.source) return each.meta;
    }
    return {};  // not captured: frame 0
  }

  Endpoint endpoint_a_;
};

// A start-up of revision 2 that gives a and b these depths.
struct Offer {
  unsigned ird = 0x3FFF;
  unsigned ord = 0x3FFF;
};
[[nodiscard]] inline Established negotiated(const Offer& initiator, const Offer& responder) {
  return Established({.word = Depths{.ird = initiator.ird, .ord = initiator.ord}},
                     {.word = Depths{.ird = responder.ird, .ord = responder.ord}});
}

// A session of 5 FPDUs.
inline void talk(Conversation& c) {
  for (std::uint32_t msn = 1; msn < 4; ++msn) c.fpdu(Side::a, send(msn, pattern(200)));
  c.fpdu(Side::b, send(1, pattern(100)));
  c.fpdu(Side::b, send(2, pattern(100)));
}

// --- findings -------------------------------------------------------------------------------------------

using Told = std::vector<std::string>;

[[nodiscard]] inline std::string finding(const char* severity, const std::string& id, Side side,
                                         FrameNumber frame) {
  return std::string(severity) + " " + id + " by " + (side == a ? "a" : "b") + " in frame " +
         std::to_string(frame);
}
[[nodiscard]] inline std::string error(const char* id, Side side, FrameNumber frame) {
  return finding("error", id, side, frame);
}
[[nodiscard]] inline std::string warning(const char* id, Side side, FrameNumber frame) {
  return finding("warning", id, side, frame);
}
[[nodiscard]] inline std::string note(const char* id, Side side, FrameNumber frame) {
  return finding("note", id, side, frame);
}
// A known deviation of products: a note, with --strict a warning.
[[nodiscard]] inline std::string lenient(const char* id, Side side, FrameNumber frame) {
  return finding("note (strict: warning)", id, side, frame);
}

// All findings that are at least a note with --strict, in order. Without --strict they are the same ones with
// the severities as told.
[[nodiscard]] inline Told told(const Conversation& conversation) {
  const std::vector<Event> usual = Analysed(conversation).of(EventKind::finding);
  const std::vector<Event> strict = Analysed(conversation, {.strict = true}).of(EventKind::finding);
  EXPECT_EQ(usual.size(), strict.size());
  Told lines;
  for (std::size_t i = 0; i < std::min(usual.size(), strict.size()); ++i) {
    EXPECT_EQ(usual[i].finding.check, strict[i].finding.check);
    EXPECT_EQ(strict[i].finding.severity, severity_of(strict[i].finding.check, true));
    if (strict[i].finding.severity < Severity::note) continue;
    std::string severity = severity_name(usual[i].finding.severity);
    if (usual[i].finding.severity != strict[i].finding.severity) {
      severity += std::string(" (strict: ") + severity_name(strict[i].finding.severity) + ")";
    }
    lines.push_back(
        finding(severity.c_str(), check_info(usual[i].finding.check).id, usual[i].side, usual[i].frame));
  }
  return lines;
}

// What RDMAP-TERMWHY says of each Terminate, in order: "1203 explained". The rule is broken, with an
// information, by a Terminate that the captured octets do not explain.
[[nodiscard]] inline Told why(const Analysed& result) {
  const std::vector<Event> unexplained = result.findings("RDMAP-TERMWHY");
  const std::vector<Event> undecided = result.of(EventKind::undecidable);
  Told lines;
  for (const Event& event : result.messages(wire::Opcode::terminate)) {
    const ByteView octets(event.message.rdmap.data(), event.message.rdmap_octets);
    const auto terminate = wire::parse_terminate(octets, event.message.bit_order);
    char code[8] = "?";
    if (terminate) std::snprintf(code, sizeof code, "%04x", terminate->meant.value());
    const char* verdict = "explained";
    for (const Event& each : undecided) {
      const bool about = each.undecidable.check == CheckId::rdmap_termwhy && each.frame == event.frame;
      if (about) verdict = "undecided";
    }
    for (const Event& each : unexplained) {
      if (each.frame != event.frame || each.side != event.side) continue;
      EXPECT_EQ(each.finding.severity, Severity::information);
      EXPECT_EQ(each.finding.arguments[0], terminate ? terminate->meant.value() : 0U);
      EXPECT_EQ(each.finding.arguments[1], static_cast<std::uint64_t>(Phrase::unexplained));
      verdict = "unexplained";
    }
    lines.push_back(std::string(code) + " " + verdict);
  }
  return lines;
}
[[nodiscard]] inline Told why(const Conversation& conversation) {
  return why(Analysed(conversation));
}

using Frames = std::vector<FrameNumber>;

// Evidence of the one finding with this ID.
[[nodiscard]] inline Frames evidence(const Analysed& result, const std::string& id) {
  const std::vector<Event> found = result.findings(id);
  EXPECT_EQ(found.size(), 1U) << result.told();
  if (found.empty()) return {};
  const Finding& finding = found[0].finding;
  return {finding.evidence.begin(), finding.evidence.begin() + finding.evidence_count};
}

[[nodiscard]] inline bool has_evidence(const Event& event, FrameNumber frame) {
  for (std::size_t i = 0; i < event.finding.evidence_count; ++i) {
    if (event.finding.evidence[i] == frame) return true;
  }
  return false;
}

// --- operations -----------------------------------------------------------------------------------------

struct Op {
  OperationKind kind = OperationKind::read;
  std::uint64_t length = 0;
  FrameNumber request = 0;
  FrameNumber first = 0;  // response
  FrameNumber last = 0;
  std::uint32_t outstanding = 1;
  OperationStatus status = OperationStatus::complete;
};

[[nodiscard]] inline std::string words(const Op& op) {
  static constexpr const char* kinds[] = {"read", "write", "send", "atomic", "immediate"};
  static constexpr const char* statuses[] = {"complete", "unanswered", "terminated", "incomplete", "unknown"};
  return std::string(kinds[static_cast<unsigned>(op.kind)]) + " of " + std::to_string(op.length) +
         ", frames " + std::to_string(op.request) + " " + std::to_string(op.first) + " " +
         std::to_string(op.last) + ", " + std::to_string(op.outstanding) + " outstanding, " +
         statuses[static_cast<unsigned>(op.status)];
}
[[nodiscard]] inline Told words(const std::vector<Op>& operations) {
  Told lines;
  for (const Op& each : operations) lines.push_back(words(each));
  return lines;
}
// Operations of `kind` in order of their end.
[[nodiscard]] inline Told operations(const Analysed& result, OperationKind kind) {
  Told lines;
  for (const OperationConclusion& each : result.operations(kind)) {
    lines.push_back(words(Op{each.kind, each.length, each.request.frame, each.first_response.frame,
                             each.response.frame, each.outstanding, each.status}));
  }
  return lines;
}

// --- messages -------------------------------------------------------------------------------------------

// "send of 5, msn 1" or "rdma_write of 16, stag 0x7 to 0x1000", with ", incomplete" where it is.
[[nodiscard]] inline Told messages(const Analysed& result) {
  Told lines;
  for (const Event& event : result.messages(false)) {
    const MessageConclusion& message = event.message;
    char key[64];
    if (message.tagged) {
      std::snprintf(key, sizeof key, "stag 0x%x to 0x%llx", message.stag,
                    static_cast<unsigned long long>(message.to));
    } else {
      std::snprintf(key, sizeof key, "msn %u", message.msn);
    }
    lines.push_back(std::string(wire::opcode_name(message.opcode)) + " of " + std::to_string(message.length) +
                    ", " + key + (message.end == MessageEnd::complete ? "" : ", incomplete"));
  }
  return lines;
}

// --- state ----------------------------------------------------------------------------------------------

// The state immediately after `frame`, folded from the log as --state-at does.
[[nodiscard]] inline ConnectionState state_after(const Analysed& result, FrameNumber frame,
                                                 ConnectionId id = 0) {
  ConnectionState state;
  state.id = id;
  for (const Event& event : result.events()) {
    if (event.frame > frame) break;
    if (event.connection == id) apply(state, event);
  }
  return state;
}

}  // namespace iwarp::test::established
