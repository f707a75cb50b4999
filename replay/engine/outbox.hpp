// Outbox: a role's work as Work Requests: under the names that STags and TOs have in this run, from
// registered octets that are given back when the request is complete.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "engine/arena.hpp"
#include "engine/script.hpp"
#include "engine/stage.hpp"

namespace iwarp::replay {

class Outbox {
 public:
  // REQUIRES: all three outlive this object.
  Outbox(Stage& stage, const Script& script, Host& host) : stage_(stage), script_(script), host_(host) {}

  // Memory for the payload of its messages, and a CQ: enters both into `attributes` of the QP to be made.
  void create(rnic::QpAttributes& attributes);
  // The QP that was made. REQUIRES: before all that follow.
  void use(rnic::QpId qp) noexcept { qp_ = qp; }

  // False: there is no room at the moment. True: posted, or not to be posted at all.
  [[nodiscard]] bool post(std::uint32_t number);
  // Takes completions.
  void poll();
  // Posted requests that are not complete.
  [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }

 private:
  [[nodiscard]] bool give(std::uint32_t work, const rnic::WorkRequest& request);
  [[nodiscard]] bool post_payload(std::uint32_t number, const PlannedWork& work);
  [[nodiscard]] bool post_read(std::uint32_t number, const PlannedWork& work);
  [[nodiscard]] bool post_atomic(std::uint32_t number, const PlannedWork& work);

  Stage& stage_;
  const Script& script_;
  Host& host_;
  rnic::QpId qp_ = rnic::QpId::none;
  rnic::CqId cq_ = rnic::CqId::none;
  std::optional<Arena> sources_;
  std::deque<bool> source_taken_;  // of requests in flight
  std::size_t in_flight_ = 0;
};

}  // namespace iwarp::replay
