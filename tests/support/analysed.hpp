// What the analyzer makes of a conversation, asked in the words of a scenario:
//
//   const Analysed result(c);
//   EXPECT_EQ(result.ids(), (Ids{"DDP-MSNGAP"}));          // every finding above `note`, in order
//   EXPECT_TRUE(result.has("CAP-GAP"));
//   EXPECT_EQ(result.messages(wire::Opcode::send).size(), 3U);
//   EXPECT_GT(result.undecidable("DDP-MSN1"), 0U);
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "support/conversation.hpp"
#include "support/sctp_conversation.hpp"

namespace iwarp::test {

using Ids = std::vector<std::string>;

class Analysed {
 public:
  explicit Analysed(const Conversation& conversation, const AnalyzerOptions& options = {});
  explicit Analysed(const std::vector<OwnedSegment>& segments, const AnalyzerOptions& options = {});
  explicit Analysed(const SctpConversation& conversation, const AnalyzerOptions& options = {});
  explicit Analysed(const std::vector<OwnedPacket>& packets, const AnalyzerOptions& options = {});

  [[nodiscard]] Events events() const { return events_; }
  [[nodiscard]] std::vector<Event> of(EventKind kind) const;
  [[nodiscard]] std::vector<Event> fpdus() const { return of(EventKind::fpdu); }
  // Messages in order of their end; incomplete ones too, unless `complete_only`.
  [[nodiscard]] std::vector<Event> messages(bool complete_only = true) const;
  [[nodiscard]] std::vector<Event> messages(wire::Opcode opcode, bool complete_only = true) const;
  [[nodiscard]] std::vector<OperationConclusion> operations(OperationKind kind) const;

  // IDs of findings at or above `least`, in order.
  [[nodiscard]] Ids ids(Severity least = Severity::warning) const;
  [[nodiscard]] std::vector<Event> findings(std::string_view id) const;
  [[nodiscard]] bool has(std::string_view id) const { return !findings(id).empty(); }
  // Times the check could not be decided, for whatever reason or for one.
  [[nodiscard]] std::uint64_t undecidable(std::string_view id) const;
  [[nodiscard]] std::uint64_t undecidable(std::string_view id, Reason reason) const;

  // State at the end of the capture.
  [[nodiscard]] const ConnectionState& state(ConnectionId id = 0) const;
  [[nodiscard]] const SideState& side(Side side, ConnectionId id = 0) const { return state(id).side(side); }
  [[nodiscard]] const Analysis& analysis() const { return analyzer_.analysis(); }

  // All findings as "frame 12 a: error DDP-MSNGAP text", a line each: for failure messages.
  [[nodiscard]] std::string told() const;

 private:
  Analyzer analyzer_;
  EventBuffer events_;  // the whole log
};

}  // namespace iwarp::test
