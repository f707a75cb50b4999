// Inbox: what a role gets from its peer: receives posted for the planned messages, what their octets tell,
// and how far the peer's Writes and requests have come.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "engine/arena.hpp"
#include "engine/script.hpp"
#include "engine/stage.hpp"

namespace iwarp::replay {

class Inbox {
 public:
  // REQUIRES: all three outlive this object.
  Inbox(Stage& stage, const Script& script, Host& host) : stage_(stage), script_(script), host_(host) {}

  // Memory for the peer's messages, and a CQ: enters both into `attributes` of the QP to be made.
  void create(rnic::QpAttributes& attributes);
  // The QP that was made. REQUIRES: before all that follow.
  void use(rnic::QpId qp) noexcept { qp_ = qp; }

  // As many as there is room for.
  void post_receives();
  // Takes completions.
  void poll();
  // Tells what has come without one.
  void note_progress(const rnic::QueuePair& qp);

  // Of the plan's.
  [[nodiscard]] std::uint64_t requests_answered(const rnic::QueuePair& qp) const;
  // A ready-to-receive message that was not recorded.
  [[nodiscard]] bool unplanned_received() const noexcept { return unplanned_received_; }
  // Nothing of the plan's is to come any more.
  // `doubtful`: Reads that need not have come.
  [[nodiscard]] bool complete(const rnic::QueuePair& qp, std::uint64_t doubtful) const;
  [[nodiscard]] std::string describe() const;

 private:
  static constexpr std::uint32_t no_work = UINT32_MAX;
  struct Slot {  // a posted receive
    std::uint32_t work = 0;
    rnic::Sge place = {};
  };
  void learn(const Slot& slot, const rnic::WorkCompletion& completion);
  void learn_from_write(const PlannedWork& write);

  Stage& stage_;
  const Script& script_;
  Host& host_;
  rnic::QpId qp_ = rnic::QpId::none;
  rnic::CqId cq_ = rnic::CqId::none;
  std::optional<Arena> buffers_;
  std::deque<Slot> slots_;
  std::size_t unplanned_posted_ = 0;
  bool unplanned_received_ = false;
  std::size_t next_receive_ = 0;  // to be posted, of peer_receives
  std::size_t received_ = 0;
  std::size_t writes_ = 0;
  std::size_t requests_ = 0;
  std::size_t served_ = 0;
};

}  // namespace iwarp::replay
