// One role of one planned stream on a device: what engine/player.hpp is on a soft-RNIC.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/stream_log.hpp"
#include "engine/due_times.hpp"
#include "engine/names.hpp"
#include "engine/options.hpp"
#include "engine/order.hpp"
#include "engine/progress.hpp"
#include "engine/schedule.hpp"
#include "plan/plan.hpp"
#include "verbs/handles.hpp"
#include "verbs/memory.hpp"

namespace iwarp::replay::verbs {

// What the connections of a run have in common.
struct Scene {
  const Plan& plan;
  const ReplayOptions& options;
  Role role;
  std::string device;  // empty: any
  Schedule schedule;   // nobody asks it: a device is polled
  Progress progress;
  Names names;
  DueTimes due_times;
  std::map<std::uint32_t, HostMemory> memory = {};  // by host
  std::optional<Order> order = std::nullopt;
  std::vector<bool> played;  // by stream
  TimeNs now = 0;
  std::uint64_t posted = 0;
  std::uint64_t octets = 0;
  std::vector<std::string> troubles = {};
  std::vector<std::string> notes = {};

  Scene(const Plan& its_plan, const std::vector<std::uint32_t>& streams, const ReplayOptions& its_options,
        Role its_role, std::string its_device, TimeNs begun)
      : plan(its_plan),
        options(its_options),
        role(its_role),
        device(std::move(its_device)),
        schedule(its_plan.streams.size()),
        progress(its_plan, schedule),
        names(its_plan.hosts.size()),
        due_times(its_plan, streams, its_options, begun),
        played(its_plan.streams.size()) {
    for (const std::uint32_t each : streams) played[each] = true;
  }
};

class Connection {
 public:
  Connection(Scene& scene, std::uint32_t stream);

  // As initiator: finds a way to the responder. False: `error` says why not.
  [[nodiscard]] bool open(rdma_event_channel* channel, const Endpoint& peer, std::string& error);
  // As responder: a request came. Takes the identifier.
  [[nodiscard]] bool take(rdma_cm_event& request, std::string& error);
  // An event of its identifier. False: the run cannot go on.
  [[nodiscard]] bool handle(rdma_cm_event& event, std::string& error);
  // Polls completions, posts what is due. Whether anything happened.
  bool advance();

  [[nodiscard]] bool settled() const;
  [[nodiscard]] bool opened() const noexcept { return id_ != nullptr || over_; }
  [[nodiscard]] bool owns(const rdma_cm_id* id) const noexcept { return id_.get() == id; }
  [[nodiscard]] std::uint32_t stream() const noexcept { return number_; }
  [[nodiscard]] std::string describe_wait() const;
  [[nodiscard]] StreamLog log() const;

 private:
  struct Slot {  // a posted receive
    std::uint32_t work = 0;
    ibv_sge place = {};
  };
  struct Sent {  // a request under way
    std::uint32_t work = 0;
    bool buffered = false;
  };
  [[nodiscard]] WorkRef ref(std::uint32_t work) const noexcept { return {number_, work}; }
  [[nodiscard]] HostMemory& memory() { return scene_.memory.at(host_); }
  [[nodiscard]] bool set_up(std::string& error);
  [[nodiscard]] bool check_device(std::string& error) const;
  [[nodiscard]] Bytes private_data();
  [[nodiscard]] rdma_conn_param parameters(const Bytes& private_data);
  void learn(const rdma_cm_event& event);
  void post_receives();
  bool poll();
  void take_send(const ibv_wc& done);
  void take_receive(const ibv_wc& done);
  [[nodiscard]] bool happened(const Wait& wait);
  [[nodiscard]] bool placed(std::uint32_t work);
  [[nodiscard]] bool due(std::uint32_t number);
  [[nodiscard]] bool try_post(std::uint32_t number);
  [[nodiscard]] bool try_close(std::uint32_t number);
  // The request, in `send`; false: not now, or never (then `left`).
  [[nodiscard]] bool fill(std::uint32_t number, ibv_send_wr& send, ibv_sge& sge, Sent& sent, bool& left);
  void leave_out(std::uint32_t number, const std::string& why);
  void end();

  Scene& scene_;
  const PlannedStream& planned_;
  std::uint32_t number_;
  std::uint32_t host_;
  std::uint32_t peer_host_;
  std::vector<std::uint32_t> own_;
  std::vector<std::uint32_t> peer_receives_;
  std::optional<std::uint32_t> unreceived_;  // the peer's Send for which there is no buffer
  std::optional<std::uint32_t> too_long_;    // … only one that is too short
  bool closes_ = false;                      // an end was recorded

  // Released the other way round.
  Buffer sources_;
  Buffer buffers_;
  Owned<ibv_cq> cq_;
  Owned<rdma_cm_id> id_;  // and its QP
  std::deque<Slot> slots_;
  std::deque<Sent> sent_;
  std::map<std::uint32_t, Bytes>
      watched_;           // by work: the last octets of a Write's target, when it was waited for
  std::size_t next_ = 0;  // of own_
  std::size_t next_receive_ = 0;
  std::size_t received_ = 0;
  std::uint32_t max_sends_ = 1;
  std::size_t max_receives_ = 1;
  std::optional<TimeNs> ready_at_ = std::nullopt;
  bool ready_ = false;     // may post
  bool in_error_ = false;  // the QP takes no work any more
  bool disconnecting_ = false;
  bool closed_by_device_ = false;  // an own Terminate was recorded
  bool over_ = false;
  TimeNs last_posted_ = 0;
  TimeNs last_recorded_ = 0;
  std::array<std::vector<LogEntry>, 2> entries_;
  std::map<std::uint32_t, std::size_t> entry_of_;  // own work: place among the entries
};

}  // namespace iwarp::replay::verbs
