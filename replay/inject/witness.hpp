// Witness: what the wire shows of one stream with a breach in it: what the analyzer finds, and what the peer
// did. Verdict: whether that is what the breach's oracle says.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "engine/live_log.hpp"
#include "engine/observed_actions.hpp"
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
  std::vector<Found> found;           // in order
  std::array<ObservedActions, 2> of;  // by Role
};

// A capture point whose packets go to a strict analyzer at once. Connections are told apart by nothing: it is
// for runs of one stream.
class Witness final : public CapturePoint {
 public:
  // `next`, if any, outlives this object.
  explicit Witness(CapturePoint* next = nullptr);
  void captured(const Packet& packet, TimeNs now) override;
  // `ends`: of the connection, by Role; nothing was done where there was none. REQUIRES: is called once,
  // last.
  [[nodiscard]] Seen finish(const std::optional<std::array<Endpoint, 2>>& ends);

 private:
  void take(Events events);
  CapturePoint* next_;
  Analyzer analyzer_;
  FrameNumber frame_ = 0;
  ActionsOfEnds actions_;
  std::vector<std::pair<Seen::Found, Endpoint>> found_;  // and who sent what it is about
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
enum class RunEnd : std::uint8_t {
  complete,  // everything came to its recorded end
  stuck,     // nothing happened any more
  early      // by a limit, or Ctrl-C: what the peer would have done is not known
};
[[nodiscard]] RunEnd end_of_run(Outcome outcome, bool settled) noexcept;
// What the peer of `injection` did; not tried where the run ended before it could.
[[nodiscard]] Verdict judge(const Injection& injection, const std::array<ObservedActions, 2>& of, RunEnd end);
[[nodiscard]] std::string expectation(const Oracle& oracle);

}  // namespace iwarp::replay
