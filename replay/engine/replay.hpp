// Replay: one run of a plan's streams, by both roles or by one of them against a live peer. It never blocks:
// run() does what can be done, who drives it waits on the network until next_due().
//
//   Replay replay(plan, options, placement);
//   if (!replay.start(error)) …
//   while (!replay.done()) { replay.run(); network.wait(replay.next_due()); }
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "compare/stream_log.hpp"
#include "engine/host.hpp"
#include "engine/options.hpp"
#include "engine/player.hpp"
#include "engine/reception.hpp"
#include "plan/plan.hpp"
#include "transport/network.hpp"

namespace iwarp::replay {

// Where the roles of a replay stand.
struct Placement {
  std::array<bool, 2> plays = {true, true};  // by Role
  // Of a host of the plan: where its connections come from, and what they are accepted at. Networks share a
  // clock.
  std::function<Network&(std::uint32_t host)> network;
  std::function<Endpoint(std::uint32_t host)> listen_at;
  // Of one role alone: where to connect to for a stream of the plan; else it listens.
  std::function<Endpoint(std::uint32_t stream)> peer_of = nullptr;
};

enum class Outcome : std::uint8_t {
  running,
  complete,  // everything came to its recorded end
  gave_up,   // nothing happened any more
  limited,   // by number or duration
  interrupted
};

class Replay {
 public:
  // REQUIRES: `plan` and the networks outlive this object; `streams` are places in the plan.
  Replay(const Plan& plan, std::vector<std::uint32_t> streams, const ReplayOptions& options,
         const Placement& placement);
  ~Replay();

  // False: it cannot be had; `error` says why.
  [[nodiscard]] bool start(std::string& error);
  void run();
  // When run() has something to do even if nothing arrives.
  [[nodiscard]] TimeNs next_due();
  [[nodiscard]] bool done() const noexcept { return outcome_ != Outcome::running; }
  [[nodiscard]] Outcome outcome() const noexcept { return outcome_; }
  // Why this machine did not let a connection be opened or accepted; else empty.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  void interrupt() noexcept { outcome_ = Outcome::interrupted; }
  void limit() noexcept { outcome_ = Outcome::limited; }
  // The network has nothing to come any more (virtual time).
  void starve();

  // Timing::step: the request that goes next, and all that are ready; nothing until run() finds one.
  struct Step {
    WorkRef work;
    Role role = Role::initiator;
  };
  [[nodiscard]] std::vector<Step> steps() const;
  // Lets so many requests go; run() posts them.
  void release(std::uint64_t count) noexcept { stage_->gate.release(count); }

  [[nodiscard]] const Stage& stage() const noexcept { return *stage_; }
  [[nodiscard]] std::optional<Endpoint> listening_at() const;
  // By Role, those of the connection of a selected stream; nothing before there is one.
  [[nodiscard]] std::optional<std::array<Endpoint, 2>> endpoints(std::size_t selected) const;
  // What the LiveLog of this run has, beside the selected streams: other connections are left out, of the
  // same addresses and ports as well; missing ones are empty.
  [[nodiscard]] std::vector<StreamLog> arrange(std::vector<StreamLog> logs) const;
  // What has not come to its end, and what it waits for.
  [[nodiscard]] std::vector<std::string> waits() const;
  // Connections that were no peer's.
  [[nodiscard]] std::vector<std::string> turned_away() const {
    return reception_ ? reception_->turned_away() : std::vector<std::string>();
  }
  // Streams that have no connection: it was refused, nobody opened it, or their turn has not come.
  [[nodiscard]] std::size_t unconnected() const noexcept;
  [[nodiscard]] Host* host(std::uint32_t number);

 private:
  struct Stream {
    std::array<std::unique_ptr<Player>, 2> players;
    std::unique_ptr<Listener> listener;
    std::vector<std::uint32_t> after;  // streams over when this one began, without those listed earlier
    bool follows = false;              // there are such, told or not
  };
  [[nodiscard]] Network& network() const;
  [[nodiscard]] Player& player(PlayerNumber number);
  // That of a selected stream that has its connection; nullptr before there is one.
  [[nodiscard]] const Player* connected(std::size_t selected) const;
  [[nodiscard]] bool prepare(std::string& error);
  void plan_order();
  void advance_players();
  [[nodiscard]] TimeNs own_due();
  // Streams of one copy, which begin in their order.
  struct Sequence {
    std::size_t first = 0;  // places in selected_
    std::size_t next = 0;
    std::size_t end = 0;
    TimeNs delay = 0;
  };
  [[nodiscard]] bool begin_streams(std::string& error);
  [[nodiscard]] bool begin_next(Sequence& sequence, std::string& error);
  void plan_order(Sequence& sequence);
  [[nodiscard]] bool begin(std::uint32_t number, Stream& stream, std::string& error);
  [[nodiscard]] bool accept();
  void accept_all();
  void dispatch_events();
  void judge();
  [[nodiscard]] bool out_of_order();
  [[nodiscard]] bool doubts();
  [[nodiscard]] bool lingers() const;
  [[nodiscard]] bool pass_stuck_streams();
  [[nodiscard]] TimeNs order_patience() const noexcept;
  [[nodiscard]] TimeNs recorded_silence() const;

  const Plan& plan_;
  ReplayOptions options_;
  Placement placement_;
  std::vector<std::uint32_t> selected_;
  std::unique_ptr<Stage> stage_;
  std::vector<std::unique_ptr<Host>> hosts_;  // by number; empty where it is not ours
  std::vector<Stream> streams_;               // beside selected_
  std::vector<std::uint32_t> place_;          // in selected_, by stream
  Network* network_ = nullptr;                // of the first host that is ours
  std::unordered_set<Network*> networks_;     // of all of them, which share its clock
  std::vector<Network*> ready_networks_;      // of the latest run()
  std::vector<std::uint32_t> listening_;      // places of streams that were opened and not accepted
  std::vector<Sequence> sequences_;           // that are not at their end
  std::unique_ptr<Listener> listener_;        // of one role alone
  std::optional<Reception> reception_;        // at it
  std::size_t next_accepted_ = 0;
  std::size_t unsettled_from_ = 0;
  std::uint64_t last_count_ = 0;
  std::uint64_t last_moved_ = 0;
  TimeNs last_change_ = 0;
  TimeNs patience_ = 0;  // from there on: the options', and as long as the recording is silent, too
  bool paused_ = false;  // something is to come by the plan alone
  bool lingering_ = false;
  TimeNs begun_ = 0;
  TimeNs due_ = never;  // of the next stream's beginning
  std::vector<PlayerNumber> woken_;
  Outcome outcome_ = Outcome::running;
  std::string failure_;
};

// Why a replay would need more memory than the options allow; empty where it does not.
[[nodiscard]] std::string too_large(const Plan& plan, const std::vector<std::uint32_t>& streams,
                                    const ReplayOptions& options);

}  // namespace iwarp::replay
