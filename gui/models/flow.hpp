// Flow: one stream as pictures of its two ends need it: messages in the order in which they came, what caused
// what, and what TCP did, each sorted by time, with counts and extremes of any range at the cost of a few
// nodes.
//
// Built in the document's thread, then constant: any thread may read it. Memory: some 60 octets a message, 70
// an FPDU.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <iwarp/metrics/levels.hpp>
#include <iwarp/metrics/time_order.hpp>

#include "models/levels.hpp"
#include "models/log.hpp"
#include "models/tap.hpp"
#include "scale/time_scale.hpp"

namespace iwarp::gui {

// Messages that pictures have one colour and one place for.
enum class MessageGroup : std::uint8_t {
  read,
  write,
  send,
  atomic,
  immediate,
  terminate  // and opcodes that nobody knows
};
inline constexpr std::size_t message_groups = 6;
[[nodiscard]] MessageGroup group_of(wire::Opcode opcode) noexcept;

struct FlowMessage {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  TimeNs begun_ns = 0;   // its first FPDU
  TimeNs placed_ns = 0;  // its last octet to come
  std::uint64_t length = 0;
  std::uint32_t row = 0;           // of Metrics::messages
  std::uint32_t operation = none;  // row of Metrics::operations
  std::uint32_t segments = 0;
  // Places of messages in Flow::messages: of a response its request, of a Terminate what it is about, of an
  // invalidation the last use of that STag; and the other way round.
  std::uint32_t cause = none;
  std::uint32_t effect = none;
  wire::Opcode opcode = wire::Opcode::send;
  Role from = Role::initiator;
};

// Octets of one direction.
struct FlowPiece {
  TimeNs time_ns = 0;
  StreamOffset offset = 0;
  std::uint64_t length = 0;
  std::uint32_t frame = 0;
  std::uint32_t message = FlowMessage::none;  // row of Metrics::messages
  wire::Opcode opcode = wire::Opcode::send;
};

struct FlowAck {
  TimeNs time_ns = 0;
  StreamOffset offset = 0;  // octets before it had been acknowledged
};

struct FlowWindow {
  TimeNs time_ns = 0;
  bool closed = false;
};

struct FlowFinding {
  TimeNs time_ns = 0;
  std::uint32_t row = 0;  // of Metrics::findings
  Severity severity = Severity::information;
  Role from = Role::initiator;
};

// What began or ended the connection.
struct FlowStep {
  enum class Kind : std::uint8_t {
    syn,
    request,
    reply,
    fin,
    rst
  };

  TimeNs time_ns = 0;
  FrameNumber frame = 0;
  Kind kind = Kind::syn;
  Role from = Role::initiator;
  std::string words;  // "MPA Request rev 2 · CRC · IRD 32, ORD 32"
};

// What one end sent.
struct FlowTrack {
  std::vector<FlowPiece> fpdus;
  ValueLevels begins, ends;      // of these: stream offsets
  std::vector<FlowPiece> again;  // sent again
  std::vector<FlowPiece> late;   // came behind later octets: lost before the capture point, or overtaken
  std::vector<FlowPiece> holes;  // never captured
  // By the peer, as far as the log tells: what data carries, and acknowledgements of interest.
  std::vector<FlowAck> acks;
  std::vector<FlowWindow> windows;  // of the peer, that takes these octets
  bool window_closed = false;       // one of these
};

struct Flow {
  ConnectionId stream = 0;
  std::array<Endpoint, 2> endpoints;  // by Role
  std::vector<FlowMessage> messages;  // by placed_ns
  ValueLevels latency;                // ns, by place, of the message that asks; no_value of others
  // Places at which runs of equal messages begin: same opcode, sender and length. Those shorter than
  // least_run are one each.
  std::vector<std::uint32_t> runs;
  std::array<FlowTrack, 2> tracks;  // by Role of the sender
  std::vector<FlowFinding> findings;
  std::vector<FlowStep> steps;  // by time, no more than most_steps: a SYN may be repeated without end
  Tap tap;

  static constexpr std::uint32_t least_run = 4;
  static constexpr std::size_t most_steps = 64;
  using GroupCounts = std::array<std::array<std::uint32_t, message_groups>, 2>;  // by Role, MessageGroup

  [[nodiscard]] bool empty() const noexcept {
    return messages.empty() && tracks[0].fpdus.empty() && tracks[1].fpdus.empty();
  }
  // Messages that came in [from, upto).
  [[nodiscard]] PlaceRange between(TimeNs from, TimeNs upto) const noexcept;
  [[nodiscard]] GroupCounts count(PlaceRange places) const noexcept;
  // The place of the greatest latency there; nothing: none is known.
  [[nodiscard]] std::optional<std::size_t> slowest(PlaceRange places) const noexcept;
  // The run that a place is in. REQUIRES: place < messages.size().
  [[nodiscard]] std::size_t run_of(std::size_t place) const noexcept;
  // The place of a message, or of the message that asks for an operation; nothing: it is not of this flow.
  // O(log messages).
  [[nodiscard]] std::optional<std::size_t> place_of_message(std::uint32_t row) const noexcept;
  [[nodiscard]] std::optional<std::size_t> place_of_operation(std::uint32_t row) const noexcept;

  // To be called once, when messages are there, in any order: sorts them, and makes what is made of them.
  // Causes are places in the order in which they stand.
  void arrange();

 private:
  static constexpr std::size_t block = 64;
  std::vector<GroupCounts> counts_;  // of the messages before each block
  // Places by row of the message; by operation, and among those of one by whether they have its latency.
  std::vector<std::uint32_t> by_row_;
  std::vector<std::uint32_t> by_operation_;
};

// The things of a sorted list that came in [from, upto).
template <typename Thing>
[[nodiscard]] PlaceRange things_between(const std::vector<Thing>& things, TimeNs from, TimeNs upto) noexcept {
  const auto before = [](const Thing& thing, TimeNs time) { return thing.time_ns < time; };
  const auto begin = std::lower_bound(things.begin(), things.end(), from, before);
  const auto end = std::lower_bound(begin, things.end(), upto, before);
  return {static_cast<std::size_t>(begin - things.begin()), static_cast<std::size_t>(end - things.begin())};
}

// What a Terminate message says: "tagged: invalid STag". Empty: too little of it was captured.
[[nodiscard]] std::string terminate_words(const Metrics& metrics, std::uint32_t message);

// Of one stream; only messages that count in `levels`, by themselves or by their operation.
[[nodiscard]] std::shared_ptr<const Flow> make_flow(const Log& log, ConnectionId stream,
                                                    const Levels& levels);

}  // namespace iwarp::gui
