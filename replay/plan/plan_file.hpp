// Plans as octets and as text, both ways. The same plan always gives the same octets (of one libzstd).
//
// Reading trusts nothing: sizes are bounded before memory is taken, references must lead somewhere, and an
// error says where: "stream 0, work 17: waits for work 99, which is not there".
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plan/plan.hpp"

namespace iwarp::replay {

struct PlanLimits {
  std::uint64_t file_octets = std::uint64_t{1} << 31U;     // longest file
  std::uint64_t payload_octets = std::uint64_t{1} << 31U;  // of all payloads, unpacked
  std::uint64_t region_octets = std::uint64_t{1} << 32U;   // of one region
  std::uint64_t work_octets = std::uint64_t{1} << 32U;     // of one message
};

[[nodiscard]] std::string to_octets(const Plan& plan);
[[nodiscard]] std::string to_text(const Plan& plan);

// A plan, or nothing and why in `error`.
[[nodiscard]] std::optional<Plan> plan_from_octets(std::string_view octets, std::string& error,
                                                   const PlanLimits& limits = {});
[[nodiscard]] std::optional<Plan> plan_from_text(std::string_view text, std::string& error,
                                                 const PlanLimits& limits = {});

// Whether a file that begins so is a plan in octets.
[[nodiscard]] bool looks_like_plan(std::string_view beginning) noexcept;

// Reads a plan in either form; errors name the file. Writes one; false where that did not work.
[[nodiscard]] std::optional<Plan> read_plan(const std::string& path, std::string& error,
                                            const PlanLimits& limits = {});
[[nodiscard]] bool write_plan(const Plan& plan, const std::string& path, bool text, std::string& error);

}  // namespace iwarp::replay
