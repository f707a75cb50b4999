// One thing goes wrong between two Queue Pairs that are at work: what both ends must be left with.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "replay/properties/laboratory.hpp"

namespace iwarp::rnic::test {

inline constexpr std::uint32_t unknown_stag = 0xdeadbe00;

// What an end is left with. The Terminate is the one it sent or received.
struct Aftermath {
  std::optional<int> code = {};  // nothing: there is no Terminate
  bool local = false;            // it was sent
  std::vector<AsyncEventKind> events = {};
  std::optional<CompletionStatus> send_status = {};     // of the one WR of the SQ that failed by itself
  std::optional<CompletionStatus> receive_status = {};  // … of the RQ
  bool lossy = false;                                   // its CQ ran over: completions are missing at the end
};

// Pair 0 is hurt, pair 1 must not notice.
class FaultScene {
 public:
  FaultScene(std::uint64_t seed, const LaboratoryOptions& options);

  // Random work of the one that breaks a rule, up to the point where it does, and the peer's, which is
  // healthy. Then the fault, then more().
  void work_before(bool reads = true);
  // What the peer got up to now is all it gets.
  void note();
  void work_behind();
  // Until both QPs are in Error and everything is flushed, and pair 1 is done.
  void run();
  // Does it at a random moment while both QPs are in RTS.
  void do_sometime(std::function<void()> act);
  // REQUIRES: run(). `exact`: every message before the fault was received, and nothing behind it.
  void check(const Aftermath& of_culprit, const Aftermath& of_peer, bool exact);
  // From Error to Idle, to another connection, and everything is well.
  void check_use_again();

  [[nodiscard]] Dice& dice() { return laboratory.dice; }
  [[nodiscard]] Pair& pair() { return *laboratory.pairs[0]; }
  [[nodiscard]] Host& host_of_peer() { return *laboratory.hosts[1 - which]; }
  [[nodiscard]] Link& link_of(const Side& side) {
    return pair().links[&side == pair().sides[0].get() ? 0 : 1];
  }
  void post(WorkRequest request) { program->add_request(std::move(request)); }
  // Memory of an end under an STag of its own.
  [[nodiscard]] std::uint32_t region(Side& side, AccessRights rights, PdId pd, std::uint64_t base,
                                     std::size_t length = side_memory);
  [[nodiscard]] PdId other_pd(Side& side) { return side.rnic.allocate_pd().value; }
  // A window of pair 1's QP.
  [[nodiscard]] std::uint32_t window_of_other_qp(Side& side, Side& other);

  Laboratory laboratory;
  unsigned which;  // the end that breaks a rule
  Side& own;
  Side& peer;
  std::unique_ptr<Program> program;
  // Called in each step while the QPs are at work.
  std::function<void()> meanwhile = [] {};

 private:
  void check_sends(const Side& side, const Aftermath& outcome);
  void check_receives(const Side& side, const Aftermath& outcome, std::optional<std::size_t> good);
  void check_end(const Side& side, const Aftermath& outcome);

  Bytes target_before_;
  std::optional<std::size_t> messages_before_;
  std::uint64_t fault_id_ = 0;
};

}  // namespace iwarp::rnic::test
