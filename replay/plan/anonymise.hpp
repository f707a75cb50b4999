// A plan that can be given away: payload replaced by seeded octets, addresses by ones for documentation, and
// it still replays: STags, TOs and lengths in payloads stay where they are.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "plan/plan.hpp"

namespace iwarp::replay {

enum class PrivateDataChoice : std::uint8_t {
  keep,
  seed,  // octets beside mentions of STags
  drop
};

struct AnonymiseOptions {
  bool seed_payload = true;  // equal octets stay equal, so memory still holds together
  bool rename_addresses = true;
  bool forget_origin = true;  // name of the capture, time of day
  PrivateDataChoice private_data = PrivateDataChoice::seed;
};

void anonymise(Plan& plan, const AnonymiseOptions& options = {});

}  // namespace iwarp::replay
