// Witness: what the wire shows of one stream with a breach in it: what the analyzer finds, and what the peer
// did. Verdict: whether that is what the breach's oracle says.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "engine/live_log.hpp"
#include "engine/replay.hpp"
#include "inject/place.hpp"
#include "transport/pcap_sink.hpp"

namespace iwarp::replay {

struct Seen {
  struct Found {
    CheckId check = CheckId::mpa_key;
    Severity severity = Severity::note;
    Role role = Role::initiator;
    FrameNumber frame = 0;
    std::string text;
  };
  std::vector<Found> found;                              // in order
  std::array<std::vector<std::uint16_t>, 2> terminates;  // by Role: codes
  std::array<std::uint64_t, 2> startups{};
  std::array<std::uint64_t, 2> fpdus{};
  std::array<bool, 2> fin{};
  std::array<bool, 2> rst{};
};

// The same of a log, without findings.
[[nodiscard]] Seen seen_of(const EventLog& log);

// A capture point whose packets go to a strict analyzer at once. Connections are told apart by nothing: it is
// for runs of one stream.
class Witness final : public CapturePoint {
 public:
  // `next`, if any, outlives this object.
  explicit Witness(CapturePoint* next = nullptr);
  void captured(const Packet& packet, TimeNs now) override;
  // REQUIRES: is called once, last.
  [[nodiscard]] Seen finish();

 private:
  void take(Events events);
  CapturePoint* next_;
  Analyzer analyzer_;
  FrameNumber frame_ = 0;
  Seen seen_;
  // Of each connection, the roles as they were when last known.
  std::map<ConnectionId, std::array<Role, 2>> roles_;
};

enum class Conformance : std::uint8_t {
  conforms,
  deviates,
  not_tried  // nothing here to put the breach into
};
[[nodiscard]] const char* conformance_name(Conformance conformance) noexcept;

struct Verdict {
  Conformance conformance = Conformance::not_tried;
  std::string expected;  // "Terminate 1203 or 1202"
  std::string seen;      // "Terminate 1203 (untagged: MSN out of range)"
};
// What the peer of `injection` did. `complete`: the run came to its recorded end.
[[nodiscard]] Verdict judge(const Injection& injection, const Seen& seen, bool complete);
[[nodiscard]] std::string expectation(const Oracle& oracle);

}  // namespace iwarp::replay
