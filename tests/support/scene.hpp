// A connection on the stage: facts made by hand go through the rules and the fold, and everything concluded
// is kept. Side::a is the initiator unless a test says otherwise.
//
// Every fact is also folded by apply() alone, from the log: the two states must stay equal.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <iwarp/state.hpp>

#include "check/rules.hpp"
#include "state/conclusions.hpp"

namespace iwarp::testing {

inline constexpr Side a = Side::a;
inline constexpr Side b = Side::b;
inline constexpr TimeNs milliseconds = 1'000'000;
inline constexpr TimeNs seconds = 1'000'000'000;

// Untagged header fields, in the order one speaks of them.
struct Untagged {
  wire::Opcode opcode = wire::Opcode::send;
  std::uint32_t msn = 1;
  std::uint32_t payload = 0;
  bool last = true;
  std::uint32_t mo = 0;
  std::uint32_t stag = 0;
  std::uint32_t queue = ~0U;  // the opcode's own
  Bytes header = {};          // RDMAP header octets; payload counts them
};

struct Tagged {
  wire::Opcode opcode = wire::Opcode::rdma_write;
  std::uint32_t stag = 0x1000;
  std::uint64_t to = 0;
  std::uint32_t payload = 100;
  bool last = true;
};

struct Found {
  Side side;
  CheckId check;
  std::vector<std::uint64_t> arguments;
  FrameNumber frame = 0;  // of the octets that broke the rule
};

class Scene : private Conclusions {
 public:
  Scene() = default;
  ~Scene() override;

  ConnectionState state;
  check::Limits limits;
  std::vector<Event> log;
  std::vector<Found> findings;
  std::vector<Undecidable> undecidables;
  std::vector<MessageConclusion> messages;
  std::vector<OperationConclusion> operations;

  // The stage. Each fact gets the next frame number, a millisecond later; its sender has acknowledged all
  // that the other side sent, unless set otherwise for the next fact.
  FrameNumber frame = 0;
  TimeNs time = 1000 * seconds;
  std::array<StreamOffset, 2> end{};  // octets each side has sent
  Scene& ack(StreamOffset offset) {
    ack_ = offset;
    return *this;
  }
  Scene& wait(TimeNs duration) {
    time += duration;
    return *this;
  }

  // Facts.
  void open(OpenedBy by = OpenedBy::handshake, Side first = a);  // a handshake: with SYNs of MSS 1460
  void startup(Side side, StartupFact fact);
  void request(Side side = a, StartupFact fact = {});
  void reply(Side side = b, StartupFact fact = {});
  // Both frames of revision 2 with these words.
  void negotiate(wire::EnhancedWord request, wire::EnhancedWord reply);
  // Handshake and a plain revision 1 start-up; the initiator's first FPDU is still to come.
  void start();
  // … and a Send of MSN 1 from each side, so that either may go on with MSN 2.
  void converse();
  void fpdu(Side side, FpduFact fact);
  void untagged(Side side, const Untagged& segment);
  void tagged(Side side, const Tagged& segment);
  void send(Side side, std::uint32_t msn, std::uint32_t payload = 10, bool last = true, std::uint32_t mo = 0);
  void read_request(Side side, std::uint32_t msn, std::uint32_t size, std::uint32_t sink_stag = 0x2000,
                    std::uint64_t sink_to = 0, std::uint32_t source_stag = 0x3000,
                    std::uint64_t source_to = 0);
  void read_response(Side side, std::uint32_t payload, std::uint32_t stag = 0x2000, std::uint64_t to = 0,
                     bool last = true);
  void atomic_request(Side side, std::uint32_t msn, std::uint32_t id, std::uint64_t remote_to = 0,
                      std::uint32_t operation = 0);
  void atomic_response(Side side, std::uint32_t msn, std::uint32_t id);
  void terminate(Side side, const Bytes& octets, std::uint32_t msn = 1);
  void gap(Side side, std::uint64_t length, bool framing_kept = false, GapCause cause = GapCause::uncaptured);
  void sync_lost(Side side, std::uint64_t length);
  void locked(Side side, LockedFact fact);
  void acknowledged(Side side);  // all that the other side sent, its FIN included
  void raw(Event event);         // as it is
  void retransmitted(Side side, StreamOffset offset, std::uint64_t length, bool duplicate = false);
  void window(Side side, bool closed);
  void fin(Side side, EndFact fact = {});
  void rst(Side side, EndFact fact = {});
  void close(CloseCause cause);
  // FIN and acknowledgement from both sides, then closed.
  void part();

  // What was concluded.
  [[nodiscard]] std::size_t count(CheckId check) const;
  [[nodiscard]] std::size_t count(CheckId check, Side side) const;
  [[nodiscard]] std::size_t undecided(CheckId check) const;
  [[nodiscard]] std::size_t undecided(CheckId check, Reason reason) const;
  [[nodiscard]] const Found& only(CheckId check) const;
  // IDs of all findings but informational ones and notes, separated by blanks.
  [[nodiscard]] std::string verdict() const;
  [[nodiscard]] const SideState& side(Side which) const { return state.side(which); }
  [[nodiscard]] bool equals(const ConnectionState& other) const;

  // Parts of facts.
  [[nodiscard]] static FpduFact make(const Untagged& segment);
  [[nodiscard]] static FpduFact make(const Tagged& segment);
  [[nodiscard]] static Bytes read_header(std::uint32_t size, std::uint32_t sink_stag, std::uint64_t sink_to,
                                         std::uint32_t source_stag, std::uint64_t source_to);

 private:
  void play(EventKind kind, Side side, StreamOffset length, const std::function<void(Event&)>& fill);
  void fact(Event event);
  Event& conclude(EventKind kind, Side side);

  MessageConclusion& message(Side side) override;
  OperationConclusion& operation(Side side) override;
  void violated(Side side, CheckId check, std::initializer_list<std::uint64_t> arguments,
                std::initializer_list<FrameNumber> evidence, const Culprit& culprit) override;
  void undecidable(Side side, CheckId check, Reason reason) override;

  std::optional<StreamOffset> ack_;
  ConnectionState replica_;
};

}  // namespace iwarp::testing
