// Comparison of one role of two logs: which requests are the same in both, and what differs.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compare/comparison.hpp"
#include "compare/renaming.hpp"
#include "compare/role_pairing.hpp"

namespace iwarp::replay {

class RoleComparison {
 public:
  // REQUIRES: the logs, `ignore` and `advertised` outlive this object.
  RoleComparison(const StreamLog& recorded, const StreamLog& live, Role role, const IgnoreRules& ignore,
                 const Advertised& advertised);

  struct Placed {
    Difference difference;
    FrameNumber frame = 0;  // of the recorded log, about: where it had come
    bool end = false;       // of the live run, which others may explain
  };

  void pair();
  // What the side's messages tell of its memory. Behind a hole nobody knows which of them is which; those
  // that the live side did not come to told nothing.
  void tell(Advertised& advertised) const;
  // REQUIRES: pair() and tell() of both sides went before.
  void judge();
  // Of each pair: when the live one came to pass, and the frame of the recorded one.
  void add_progress(std::vector<std::pair<TimeNs, FrameNumber>>& progress) const;

  std::vector<Placed> differences;
  std::vector<Match> matches;
  std::map<WorkKind, std::vector<std::pair<TimeNs, TimeNs>>> latencies;

 private:
  void judge_pairs();
  // Returns what Renaming::judge() does.
  [[nodiscard]] std::optional<LiveAddress> judge(const LogEntry& recorded, const LogEntry& live,
                                                 std::vector<LogField>& fields) const;
  // What comes behind all that both logs have may have come behind the end of the one that was left open.
  void report_rest();
  // Whether a FIN or a RST leaves before the peer's RST comes is TCP's affair. When a Terminate has ended the
  // stream so is a RST behind its sender's FIN, which does not count where the peer's FIN crossed it.
  [[nodiscard]] bool may_cross_rst(const LogEntry& entry) const noexcept;
  [[nodiscard]] Role owner_of_payload(const LogEntry& entry) const noexcept;
  void report(Difference difference, FrameNumber frame);

  const std::vector<LogEntry>& recorded_;
  const std::vector<LogEntry>& live_;
  std::optional<Reason> recorded_lacking_;
  std::optional<Reason> recorded_heard_lacking_;  // of the peer
  std::optional<Reason> live_lacking_;
  bool recorded_left_open_;
  bool live_left_open_;
  bool recorded_holed_;
  bool live_holed_;
  bool peer_resets_;  // in both logs, as those that follow
  bool terminated_;   // by either
  bool closes_;       // by FIN
  bool peer_closes_;
  bool peer_resets_once_;  // in one of them
  bool timed_out_;
  Role role_;
  const IgnoreRules& ignore_;
  RolePairing pairing_;
  Renaming renaming_;
};

}  // namespace iwarp::replay
