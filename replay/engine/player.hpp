// Player: one role of one planned stream. It opens the connection or takes it, starts MPA up, posts the
// role's work when what it waits for has happened, and closes as recorded. SPDX-License-Identifier:
// GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/arena.hpp"
#include "engine/host.hpp"
#include "engine/names.hpp"
#include "engine/options.hpp"
#include "engine/progress.hpp"
#include "engine/pump.hpp"
#include "plan/plan.hpp"

namespace iwarp::replay {

// What the players of a replay have in common.
struct Stage {
  const Plan& plan;
  const ReplayOptions& options;
  Progress progress;
  Names names;
  Pump pump = {};
  TimeNs anchor = 0;  // the recording's beginning
  TimeNs now = 0;
  bool both = true;  // roles are played here
  std::uint64_t posted = 0;
  std::uint64_t completed = 0;
  std::uint64_t octets_posted = 0;
  std::vector<bool> played;                // by stream
  std::vector<std::string> troubles = {};  // what went otherwise than a plan allows
  std::vector<std::string> notes = {};     // what a run does otherwise than recorded, and may

  Stage(const Plan& its_plan, const ReplayOptions& its_options)
      : plan(its_plan),
        options(its_options),
        progress(its_plan),
        names(its_plan.hosts.size()),
        played(its_plan.streams.size()) {}
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

  // When advance() has something to do though nothing happens; `never`: not by itself.
  [[nodiscard]] TimeNs next_due() const noexcept { return due_; }
  // All was posted and has come to its end.
  [[nodiscard]] bool settled() const;
  [[nodiscard]] bool opened() const noexcept { return link_ != nullptr; }
  [[nodiscard]] std::uint32_t stream() const noexcept { return number_; }
  [[nodiscard]] Role role() const noexcept { return role_; }
  [[nodiscard]] Host& host() noexcept { return host_; }
  [[nodiscard]] rnic::StreamId llp() const noexcept { return llp_; }
  [[nodiscard]] rnic::QpId qp() const noexcept { return qp_; }
  [[nodiscard]] const Link* link() const noexcept { return link_; }
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
  void post_receives();
  [[nodiscard]] std::uint64_t requests_answered(const rnic::QueuePair& qp) const;
  void poll();
  void poll_sends();
  void poll_receives();
  void note_peer_progress();
  void learn(const Slot& slot, const rnic::WorkCompletion& completion);
  [[nodiscard]] bool due(const PlannedWork& work);
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
  // The initiator's ready-to-receive message is the recorded one; else it is none of the plan's works, of the
  // kinds of which so many come.
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
  TimeNs due_ = never;
};

}  // namespace iwarp::replay
