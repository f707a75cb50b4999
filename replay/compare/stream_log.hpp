// StreamLog: what the two sides of one stream did, without what differs between two runs of the same thing:
// TCP, markers, CRC, segments, the ready-to-receive message, times. STags, TOs and MSNs are kept as they
// were; the comparison renames and rebases them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "plan/plan.hpp"

namespace iwarp::replay {

// Octets of a message that a capture showed. The plan has them.
struct KnownOctets {
  std::uint64_t offset = 0;  // in the message
  ByteView octets;

  friend bool operator==(const KnownOctets& a, const KnownOctets& b) {
    return a.offset == b.offset &&
           std::equal(a.octets.begin(), a.octets.end(), b.octets.begin(), b.octets.end());
  }
};

struct LogEntry {
  WorkKind kind = WorkKind::send;
  std::uint64_t length = 0;  // octets sent, or asked for
  std::uint32_t msn = 0;     // from 1 in each queue, the ready-to-receive message not counted; 0: none
  std::uint32_t stag = 0;    // Write: target. Read: sink. Atomic: remote. Send with Invalidate: that STag
  std::uint64_t to = 0;
  std::uint32_t source_stag = 0;  // Read
  std::uint64_t source_to = 0;
  OperationStatus outcome = OperationStatus::complete;
  std::uint16_t code = 0;                      // Terminate: what it means …
  std::uint16_t sent_code = 0;                 // … and as it was sent; who sends it tells how to read it
  std::uint64_t immediate = 0;                 // Immediate
  std::optional<wire::AtomicRequest> atomic;   // its STag and TO are above, its identifier counts for nothing
  std::optional<std::uint64_t> original = {};  // Atomic: the value returned, where it is known
  FrameNumber frame = 0;                       // of the capture it is from, 0 where there is none
  TimeNs time_ns = 0;
  std::optional<TimeNs> latency_ns;  // Read, Atomic: to its response
  // Of Sends, Writes, and the answers to Reads. Of a recorded one, or a plan's: what is known of it, STags
  // and TOs in it left out. Of a live one: all of it, empty where it was not kept.
  std::vector<KnownOctets> known = {};
  Bytes payload = {};
  std::vector<Mention> advertised = {};  // of a recorded one: own STags that it tells the peer of, with TOs
  bool deduced = false;                  // of a Read: told by what came of its response alone
  bool cut = false;  // its RDMAP header was not captured whole: nothing but its kind is known

  bool operator==(const LogEntry&) const = default;
};

// What a log has of a request's octets, in order. Where some did not come nobody knows where the others
// stood.
[[nodiscard]] inline std::vector<KnownOctets> seen_octets(const LogEntry& entry) {
  const bool whole = entry.outcome != OperationStatus::incomplete && entry.payload.size() == entry.length;
  if (entry.length != 0 && whole) return {{0, entry.payload}};
  return entry.known;
}

// How the MPA start-up ended (RFC 5044 §7.1.1).
enum class StartupEnd : std::uint8_t {
  unknown,     // nothing of it was seen
  unanswered,  // a Request, and nothing behind it
  rejected,
  accepted  // by the Reply, or FPDUs show it
};
[[nodiscard]] const char* startup_end_name(StartupEnd end) noexcept;  // "rejected" …

// What the application had put into a start-up frame: without the IRD/ORD word of MPA.
struct LogPrivateData {
  Bytes octets;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> left_out;  // [begin, end): STags, TOs, IRD and ORD
  std::vector<Mention> advertised = {};                           // as of a LogEntry

  bool operator==(const LogPrivateData&) const = default;
};

struct StreamLog {
  std::string name;  // "10.1.1.2:55625 to 10.1.1.1:7174"
  std::uint32_t stream = 0;
  TimeNs begun = 0;  // the first packet that is known of it; of a LiveLog on the network's clock
  std::array<std::vector<LogEntry>, 2> entries;  // by Role, in the order of posting
  // By Role: why entries may be missing that were there.
  std::array<std::optional<Reason>, 2> lacking;
  bool holed = false;      // octets were not captured: what is incomplete may have been whole
  bool left_open = false;  // the capture ended before the stream did: entries may have followed the last ones
  // Of what was recorded: "its initiator breaks DDP-DV in frame 8 (…)", for which a replay leaves it out.
  std::string refused;
  StartupEnd startup = StartupEnd::unknown;
  std::array<std::optional<LogPrivateData>, 2> private_data = {};  // by Role, where all of it is known
  std::vector<PlannedViolation> violations = {};                   // errors: the first of each rule and role
  // The stream that this one says it replays.
  struct Replayed {
    std::uint32_t number = 0;
    std::string name;
    auto operator<=>(const Replayed&) const = default;
  };
  std::optional<Replayed> replays = {};
  bool timed_out = false;  // set by who made the run: what is missing did not come in time
};

// For who knows better than the capture who the initiator was.
inline void exchange_roles(StreamLog& log) {
  std::swap(log.entries[0], log.entries[1]);
  std::swap(log.lacking[0], log.lacking[1]);
  std::swap(log.private_data[0], log.private_data[1]);
  for (PlannedViolation& each : log.violations) each.role = other(each.role);
}

// Makes the logs of all iWARP streams of a capture, from the analyzer's events; payload is needed only where
// it is to be kept.
class LogBuilder {
 public:
  // Keeps at most so many octets of payload in all.
  explicit LogBuilder(std::uint64_t kept_payload = 0);
  ~LogBuilder();
  // Takes what Analyzer::add() or finish() returned, before it is called again.
  void add(const Analysis& analysis, Events events);
  // In all logs by now.
  [[nodiscard]] std::uint64_t entries() const noexcept { return entries_; }
  // All logs, in order of their streams. REQUIRES: is called once, last.
  [[nodiscard]] std::vector<StreamLog> finish();

 private:
  class Stream;
  std::uint64_t room_;         // for payload
  std::uint64_t entries_ = 0;  // of all logs
  std::vector<StreamLog> logs_;
  std::map<ConnectionId, std::unique_ptr<Stream>> streams_;
};

// Whether a reading is to end, without a result.
using Cancelled = std::function<bool()>;

// The logs of a capture file, with at most so many octets of payload in all; nothing where it cannot be
// opened, or was cancelled: `error` says why. `damage`, if any, gets one sentence where reading ended before
// the capture's end.
[[nodiscard]] std::optional<std::vector<StreamLog>> logs_of_capture(const std::string& path,
                                                                    std::string& error,
                                                                    std::uint64_t kept_payload = 0,
                                                                    const Cancelled& cancelled = {},
                                                                    std::string* damage = nullptr);

// Logs, and the plan that has what is known of their requests' octets.
struct RecordedLogs {
  std::unique_ptr<const Plan> plan;  // nullptr: nothing is
  std::vector<StreamLog> logs;
  std::string damage;      // as of logs_of_capture()
  bool from_plan = false;  // of a plan file, not of a capture
};
// The same of a capture as of a recording: what a plan of it would know is known.
[[nodiscard]] std::optional<RecordedLogs> recorded_logs_of_capture(const std::string& path,
                                                                   std::string& error,
                                                                   const Cancelled& cancelled = {});
// Puts what a run of the plan should show in place of what was captured, in the order in which it opens the
// streams. REQUIRES: there is a plan.
void expect_run(RecordedLogs& recorded);

// What a replay of the plan's stream should show. The plan outlives it: known octets are the plan's.
[[nodiscard]] StreamLog expected_log(const Plan& plan, std::uint32_t stream);
[[nodiscard]] std::vector<StreamLog> expected_logs(const Plan& plan);

}  // namespace iwarp::replay
