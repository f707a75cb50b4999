// The plan as protobuf messages, and back. Private to plan_file.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "plan/plan.hpp"
#include "plan/plan_file.hpp"

#include <plan/plan.pb.h>

namespace iwarp::replay {

inline constexpr const char* plan_format = "iwarp-replay plan";
inline constexpr std::uint32_t plan_version = 1;

// Payloads are left to the caller.
void to_proto(const Plan& plan, proto::Plan& out);
// REQUIRES: plan.payloads is there. False: `error` says what is wrong.
[[nodiscard]] bool from_proto(const proto::Plan& in, const PlanLimits& limits, Plan& plan,
                              std::string& error);

[[nodiscard]] std::string hex_of(ByteView octets);
[[nodiscard]] bool octets_of_hex(std::string_view text, Bytes& octets);

}  // namespace iwarp::replay
