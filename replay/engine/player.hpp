// Player: one role of one planned stream. It opens the connection or takes it, starts MPA up
// (player_startup.cpp), posts the role's work when what it waits for has happened, and closes as recorded
// (player_end.cpp, player_crossing.cpp).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/host.hpp"
#include "engine/inbox.hpp"
#include "engine/outbox.hpp"
#include "engine/pump.hpp"
#include "engine/readiness.hpp"
#include "engine/script.hpp"
#include "engine/stage.hpp"

namespace iwarp::replay {

class Player final : public LinkUser {
 public:
  Player(Stage& stage, std::uint32_t stream, Role role, Host& host);
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  // Who plays the other role of the stream, where it is played here, too.
  void meet(Player& peer);
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
  // Of a work of the stream, of either role: as far as this end can see.
  [[nodiscard]] bool has_happened(std::uint32_t work) const;
  [[nodiscard]] std::uint32_t stream() const noexcept { return script_.number; }
  [[nodiscard]] Role role() const noexcept { return script_.role; }
  [[nodiscard]] const Link* link() const noexcept { return link_; }
  // Of its connection, by Role. REQUIRES: there is one.
  [[nodiscard]] std::array<Endpoint, 2> ends() const;
  // Since when on the network's clock; `never`: it was not established.
  [[nodiscard]] TimeNs established_at() const noexcept { return established_at_; }
  // There never was a TCP connection.
  [[nodiscard]] bool unconnected() const noexcept {
    return link_ == nullptr || (link_->over() && llp_ == rnic::StreamId::none);
  }
  // Whether a live peer makes Reads that are known from their responses alone is not known: it need not wait
  // for them any longer.
  void pass_doubtful();
  // What it waits for, for who gives up on it.
  [[nodiscard]] std::string describe_wait() const;

  void on_established(Link& link, std::size_t max_segment) override;
  void on_activity(Link& link) override;
  void on_peer_closed(Link& link) override;
  void on_over(Link& link) override;

 private:
  [[nodiscard]] const rnic::QueuePair* queue_pair() const { return host_.rnic().find_qp(qp_); }
  [[nodiscard]] bool in_rts() const;
  void wake() { stage_.schedule.wake(script_.player()); }
  [[nodiscard]] bool half_closed_as_recorded() const;
  void create_queues();
  void start_up();
  void agree_on_rtr(rnic::LlpStream& stream);
  [[nodiscard]] bool start_is_due();
  void poll();
  [[nodiscard]] bool try_post(std::uint32_t number);
  [[nodiscard]] bool try_terminate(std::uint32_t number, const PlannedWork& work);
  [[nodiscard]] bool try_close(std::uint32_t number, const PlannedWork& work);
  [[nodiscard]] bool rtr_over() const;
  [[nodiscard]] bool quiet_for(std::uint32_t close);
  [[nodiscard]] bool may_cross(std::uint32_t number);
  [[nodiscard]] bool has_peer_crossed();
  [[nodiscard]] bool has_said_all();
  [[nodiscard]] static bool is_all_heard(Player& speaker, const Player& listener);
  [[nodiscard]] bool may_end(std::uint32_t number);
  [[nodiscard]] bool hears(std::uint32_t first, std::uint32_t end) const;
  [[nodiscard]] bool is_to_end(std::uint32_t end) const;
  [[nodiscard]] bool is_answered_as_recorded() const;
  [[nodiscard]] bool has_answered_as_recorded() const;
  void end_crossing();
  void let_peer_end(std::uint32_t end);
  void put_by(bool on);

  Stage& stage_;
  Script script_;
  Host& host_;
  Readiness readiness_;
  Outbox outbox_;
  Inbox inbox_;

  Player* peer_ = nullptr;
  Link* link_ = nullptr;
  rnic::StreamId llp_ = rnic::StreamId::none;
  TimeNs established_at_ = never;
  rnic::QpId qp_ = rnic::QpId::none;
  bool running_ = false;   // Full Operation began
  bool answered_ = false;  // the peer's start-up frame came, of either kind
  bool failed_ = false;
  bool inside_ = false;  // in advance()

  bool crosses_ = false;  // what it posts from now on crosses the end that the peer is to send
  std::optional<std::uint32_t> last_answered_ = std::nullopt;  // own Read or Atomic, where there is a peer_
  std::size_t next_ = 0;                                       // of the script's own works
  std::uint32_t quiet_next_ = 0;  // works before it have come, as far as a close waits for them
  bool passes_doubtful_ = false;
  std::uint64_t passed_requests_ = 0;
  std::uint64_t quiet_requests_ = 0;               // Reads and Atomics among them
  std::optional<TimeNs> start_at_ = std::nullopt;  // the Reply came, and Full Operation waits
};

}  // namespace iwarp::replay
