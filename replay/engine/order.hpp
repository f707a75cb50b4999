// Order: what one end saw happen across the connections between two hosts, in the order of the capture.
//
// One application may hold several connections: perftest agrees on one when data may go over the others. No
// octet tells so. Both ends here keep the recorded order by themselves; a live peer is slower or faster than
// the recorded one, so what its application had waited for on another connection is waited for, too. Not at
// any price: whoever drives the run may call release() where the peer does otherwise.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/progress.hpp"
#include "engine/schedule.hpp"
#include "plan/plan.hpp"

namespace iwarp::replay {

class Order {
 public:
  // REQUIRES: `plan`, `progress` and `schedule` outlive this object. The schedule is told what progress
  // does not know, and wakes who waits.
  Order(const Plan& plan, const std::vector<std::uint32_t>& streams, Role role, const Progress& progress,
        Schedule& schedule);

  struct Turn {
    TimeNs since = 0;     // when the last of what came before happened
    TimeNs recorded = 0;  // … in the recording
  };
  // Nothing: something that came before on another connection has not happened. The stream's player is woken
  // when something happens there.
  [[nodiscard]] std::optional<Turn> turn_of(const WorkRef& own);
  [[nodiscard]] std::optional<Turn> turn_to_open(std::uint32_t stream);

  void note_established(std::uint32_t stream, TimeNs now);
  // It was posted, or was not and will not be (`in_flight`: it will complete).
  void note_tried(const WorkRef& own, bool in_flight, TimeNs now);

  // Somebody was told to wait.
  [[nodiscard]] bool waited_for() const noexcept { return waiting_ != 0; }
  // Does not wait any longer; says for what. Those that waited are woken.
  [[nodiscard]] std::string release(TimeNs now);

 private:
  enum class Kind : std::uint8_t {
    open,
    established,
    own,
    peers
  };
  struct Event {
    FrameNumber frame = 0;
    std::uint32_t stream = 0;
    std::uint32_t work = 0;
    Kind kind = Kind::own;
    TimeNs time_ns = 0;
  };
  struct Group {  // connections between two hosts
    std::vector<Event> events;
    std::vector<TimeNs> passed;  // by event: when the last of all before it happened
    std::size_t next = 0;        // the first that has not happened
  };
  struct Stream {
    Group* group = nullptr;  // none: it is alone
    std::size_t opening = 0;
    bool opening_known = false;
    bool reads = false;  // own Reads: what is behind them completes behind them
    bool waits = false;  // was told to
    TimeNs established = never;
    std::vector<std::size_t> places;  // by work
    std::vector<TimeNs>
        done;  // by work: tried, where nothing else is to be waited for; its completion counts, too
  };
  void add(std::uint32_t stream, Role role, Group& group);
  // `never`: not yet.
  [[nodiscard]] TimeNs when(const Event& event) const;
  [[nodiscard]] std::optional<Turn> turn(Group& group, std::size_t place);
  void pass(Group& group) const;
  void note_waits(std::uint32_t stream, bool waits);

  const Plan& plan_;
  const Progress& progress_;
  Schedule& schedule_;
  Role role_;
  std::map<std::array<std::uint32_t, 2>, Group> groups_;
  std::vector<Stream> streams_;  // by stream of the plan
  std::size_t waiting_ = 0;      // streams that were told to
};

}  // namespace iwarp::replay
