// How the start-ups of two logs differ: their end, and Private Data.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>

#include "compare/comparison.hpp"

namespace iwarp::replay {

// Nothing where both ended alike, as far as that is to be compared.
[[nodiscard]] std::optional<Difference> difference_of_startup(const StreamLog& recorded,
                                                              const StreamLog& live,
                                                              const IgnoreRules& ignore);
// Of the start-up frame of `role`; payload_at is the first octet. Nothing where it is the same, or not known
// whole in both.
[[nodiscard]] std::optional<Difference> difference_of_private_data(const StreamLog& recorded,
                                                                   const StreamLog& live, Role role,
                                                                   const IgnoreRules& ignore);

}  // namespace iwarp::replay
