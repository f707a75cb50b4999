// Player: one role of one planned stream. It opens the connection or takes it, starts MPA up, posts the
// role's work when what it waits for has happened, and closes as recorded. SPDX-License-Identifier:
// GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/arena.hpp"
#include "engine/gate.hpp"
#include "engine/host.hpp"
#include "engine/names.hpp"
#include "engine/options.hpp"
#include "engine/order.hpp"
#include "engine/progress.hpp"
#include "engine/pump.hpp"
#include "engine/schedule.hpp"
#include "engine/timeline.hpp"
#include "plan/plan.hpp"

namespace iwarp::replay {

// How close requests were posted to their recorded times (Timing::original).
struct Punctuality {
  std::vector<TimeNs> late = {};  // behind it, of those that waited for nothing else
  std::uint64_t waited = 0;       // for something that came after its recorded time
};

class Player;

// What the players of a replay have in common.
struct Stage {
  const Plan& plan;
  const ReplayOptions& options;
  Schedule schedule;
  Progress progress;
  Names names;
  Gate gate;
  Timeline timeline;
  Pump pump = {};
  const Network& clock;
  TimeNs now = 0;
  bool both = true;                           // roles are played here
  std::optional<Order> order = std::nullopt;  // of one role alone
  // By host: whom events of its RNIC are for, and which RNICs may have some.
  std::vector<std::unordered_map<rnic::StreamId, Player*>> by_stream;
  std::vector<std::unordered_map<rnic::QpId, Player*>> by_qp;
  std::vector<Host*> active = {};
  Punctuality punctuality = {};
  std::uint64_t posted = 0;
  std::uint64_t completed = 0;
  std::uint64_t octets_posted = 0;
  std::vector<bool> played;                // by stream
  std::vector<std::string> troubles = {};  // what went otherwise than a plan allows
  std::vector<std::string> notes = {};     // what a run does otherwise than recorded, and may

  Stage(const Plan& its_plan, const std::vector<std::uint32_t>& streams, const ReplayOptions& its_options,
        const Network& its_clock)
      : plan(its_plan),
        options(its_options),
        schedule(its_plan.streams.size()),
        progress(its_plan, schedule),
        names(its_plan.hosts.size()),
        gate(its_options, its_plan.streams.size()),
        timeline(its_plan, streams, its_options, its_clock.now()),
        clock(its_clock),
        now(its_clock.now()),
        by_stream(its_plan.hosts.size()),
        by_qp(its_plan.hosts.size()),
        played(its_plan.streams.size()) {
    for (const std::uint32_t each : streams) played[each] = true;
  }

  void note_active(Host& host) {
    if (!std::exchange(host.active, true)) active.push_back(&host);
  }
};

class Player final : public LinkUser {
 public:
  Player(Stage& stage, std::uint32_t stream, Role role, Host& host);
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  // A connection that is being opened, or that came.
  void open(std::unique_ptr<Transport> transport);
  // Posts what is due.
  void advance();
  // Its RNIC has events for it.
  void take_event(rnic::StreamEventKind event);
  void take_event(rnic::AsyncEventKind event);

  // All was posted and has come to its end.
  [[nodiscard]] bool settled() const;
  [[nodiscard]] bool opened() const noexcept { return link_ != nullptr; }
  [[nodiscard]] std::uint32_t stream() const noexcept { return number_; }
  [[nodiscard]] Role role() const noexcept { return role_; }
  [[nodiscard]] const Link* link() const noexcept { return link_; }
  // There never was a TCP connection.
  [[nodiscard]] bool unconnected() const noexcept {
    return link_ != nullptr && link_->over() && llp_ == rnic::StreamId::none;
  }
  // What it waits for, for who gives up on it.
  [[nodiscard]] std::string describe_wait() const;

  void on_established(Link& link, std::size_t max_segment) override;
  void on_activity(Link& link) override;
  void on_peer_closed(Link& link) override;
  void on_over(Link& link) override;

 private:
  static constexpr std::uint32_t no_work = UINT32_MAX;
  struct Slot {  // a posted receive
    std::uint32_t work = 0;
    rnic::Sge place = {};
  };
  [[nodiscard]] WorkRef ref(std::uint32_t work) const noexcept { return {number_, work}; }
  [[nodiscard]] const rnic::QueuePair* queue_pair() const { return host_.rnic().find_qp(qp_); }
  [[nodiscard]] bool in_rts() const;
  void list_works();
  void plan_faults();
  [[nodiscard]] std::optional<WorkRef> advertisement_of(std::uint32_t stag, FrameNumber used) const;
  void create_queues();
  void start_up();
  [[nodiscard]] bool start_is_due();
  void post_receives();
  [[nodiscard]] std::uint64_t requests_answered(const rnic::QueuePair& qp) const;
  void poll();
  void poll_sends();
  void poll_receives();
  void note_peer_progress();
  void learn(const Slot& slot, const rnic::WorkCompletion& completion);
  [[nodiscard]] bool due(std::uint32_t number, const PlannedWork& work);
  [[nodiscard]] bool has_happened(TimeNs when, std::uint32_t stream);
  void wake() { stage_.schedule.wake(player_number(number_, role_)); }
  void note_punctuality();
  [[nodiscard]] bool try_post(std::uint32_t work);
  [[nodiscard]] bool post(std::uint32_t work, const rnic::WorkRequest& request);
  [[nodiscard]] bool post_payload(std::uint32_t number, const PlannedWork& work);
  [[nodiscard]] bool post_read(std::uint32_t number, const PlannedWork& work);
  [[nodiscard]] bool post_atomic(std::uint32_t number, const PlannedWork& work);
  [[nodiscard]] bool try_terminate(const PlannedWork& work);
  [[nodiscard]] bool try_close(std::uint32_t number, const PlannedWork& work);
  [[nodiscard]] bool rtr_over() const;
  [[nodiscard]] bool quiet_for(std::uint32_t close);

  Stage& stage_;
  const PlannedStream& planned_;
  std::uint32_t number_;
  Role role_;
  Host& host_;
  std::uint32_t peer_host_;

  // Works by number.
  std::vector<std::uint32_t> own_;
  std::vector<std::uint32_t> peer_receives_;
  std::vector<std::uint32_t> peer_writes_;
  std::vector<std::uint32_t> peer_requests_;
  std::optional<std::uint32_t> peer_terminate_;
  std::optional<std::uint32_t> unreceived_;  // the peer's Send for which there is no buffer
  std::optional<std::uint32_t> too_long_;    // … only one that is too short
  RtrKind rtr_ = RtrKind::none;
  // The initiator's ready-to-receive message is the recorded one, if any; else it is none of the plan's
  // works, of the kinds of which so many come, and the recorded one is left out.
  bool rtr_as_recorded_ = true;
  std::uint64_t unplanned_writes_ = 0;
  std::uint64_t unplanned_requests_ = 0;
  std::size_t unplanned_receives_ = 0;
  bool unplanned_received_ = false;
  bool closes_ = false;  // an end of the connection was recorded
  bool resets_ = false;  // it ended with RST where an RNIC sends FIN: behind a Terminate

  Link* link_ = nullptr;
  rnic::StreamId llp_ = rnic::StreamId::none;
  rnic::QpId qp_ = rnic::QpId::none;
  rnic::CqId send_cq_ = rnic::CqId::none;
  rnic::CqId receive_cq_ = rnic::CqId::none;
  std::optional<Arena> sources_;
  std::optional<Arena> buffers_;
  std::deque<Slot> slots_;
  std::deque<bool> source_taken_;  // of requests in flight
  bool running_ = false;           // Full Operation began
  bool answered_ = false;          // as initiator: a Reply came, of either kind
  bool failed_ = false;
  bool inside_ = false;  // in advance()

  std::size_t next_ = 0;  // of own_
  std::size_t in_flight_ = 0;
  std::size_t next_receive_ = 0;  // to be posted, of peer_receives_
  std::size_t received_ = 0;
  std::size_t writes_ = 0;
  std::size_t requests_ = 0;
  std::uint32_t quiet_next_ = 0;      // works before it have come, as far as a close waits for them
  std::uint64_t quiet_requests_ = 0;  // Reads and Atomics among them
  TimeNs last_posted_ = 0;            // when the last own one was
  TimeNs last_recorded_ = 0;
  TimeNs due_at_ = 0;    // of the one that is posted: when its time had come …
  TimeNs ready_at_ = 0;  // … and what it waited for
  TimeNs due_ = never;   // when advance() has something to do though nothing happens
  std::optional<TimeNs> start_at_ = std::nullopt;  // the Reply came, and Full Operation waits
};

}  // namespace iwarp::replay
