// Wiretap's encapsulations as the link types of capture files that libiwarpstate's packet decoder knows.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace iwarp::dissector {

// A number that no capture has for encapsulations which the decoder does not know.
[[nodiscard]] std::uint32_t link_type_of(int encapsulation) noexcept;

}  // namespace iwarp::dissector
