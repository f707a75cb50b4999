// Place: where a breach is put: "CHECK-ID[:variant][@stream,direction,message[,fpdu]]", each part may be left
// empty, and what the plan has for it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inject/rules.hpp"

namespace iwarp::replay {

struct Place {
  std::optional<std::uint32_t> stream = {};  // its number in the capture
  std::optional<Role> role = {};             // who breaks the rule
  std::uint32_t message = 0;                 // 0: the first that fits
  std::uint32_t fpdu = 0;                    // of the message, from 1; 0: the first
};

struct Wanted {
  const Breach* breach = nullptr;
  Place place = {};
};

// Nothing: `error` says why.
[[nodiscard]] std::optional<Wanted> parse_wanted(const std::string& text, std::string& error);

// A breach where it will be put.
struct Injection {
  const Breach* breach = nullptr;
  std::uint32_t stream = 0;  // place in the plan
  Role role = Role::initiator;
  Subject subject = send_message;
  std::uint32_t message = 0;  // 0: a start-up frame, the first FPDU, the end
  std::uint32_t fpdu = 0;

  bool operator==(const Injection&) const = default;
};

// "DDP-MSNGAP in message 2 of the initiator of stream 0 (Send)".
[[nodiscard]] std::string describe(const Injection& injection, const Plan& plan);

// At most so many places that fit, in order, among `streams` (places in the plan) and the roles that are
// played here. None: `error` says what is missing and what to do.
[[nodiscard]] std::vector<Injection> places(const Wanted& wanted, const Plan& plan,
                                            const std::vector<std::uint32_t>& streams,
                                            const std::array<bool, 2>& plays, const ReplayOptions& options,
                                            std::size_t most, std::string& error);

// What the breach needs of the start-up: the options that make it so, where nobody wants them otherwise.
void provide(const Breach& breach, ReplayOptions& options);

}  // namespace iwarp::replay
