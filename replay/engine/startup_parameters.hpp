// What a role of a planned stream brings to the start-up, and its QP.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "engine/options.hpp"
#include "plan/plan.hpp"
#include "rnic/soft_rnic.hpp"

namespace iwarp::replay {

// `max_segment`: the EMSS of its direction. Private data is the recorded one, of a Request; what room a Reply
// has the Request tells.
[[nodiscard]] rnic::StreamParameters stream_parameters(const PlannedStream& stream, Role role,
                                                       const ReplayOptions& options, std::size_t max_segment);
// IRD and ORD of its QP; all else is left to the caller.
[[nodiscard]] rnic::QpAttributes qp_attributes(const PlannedStream& stream, Role role,
                                               const ReplayOptions& options);

// The ready-to-receive message that the initiator's RNIC sends in this run.
[[nodiscard]] RtrKind rtr_kind(const PlannedStream& stream, const ReplayOptions& options) noexcept;

// Whether that is the recorded one, or none was recorded; and the same of one that a live peer agreed to, in
// a start-up of that revision.
[[nodiscard]] bool rtr_came_as_recorded(const PlannedStream& stream, RtrKind kind,
                                        std::uint8_t revision) noexcept;
[[nodiscard]] bool rtr_as_recorded(const PlannedStream& stream, const ReplayOptions& options) noexcept;

// Why a role's start-up frame, with the IRD/ORD word or without, cannot hold the recorded private data; empty
// where it can.
[[nodiscard]] std::string no_room(const PlannedStream& stream, Role role, bool word);

// Why the stream cannot be had with these options, where these roles are played (by Role); empty where it
// can.
[[nodiscard]] std::string impossible(const PlannedStream& stream, const ReplayOptions& options,
                                     const std::array<bool, 2>& plays);

}  // namespace iwarp::replay
