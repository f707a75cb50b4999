// Quantities as people read them: three significant digits, and the unit that keeps them short.
//
// Text is UTF-8 and the same in every locale.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include <iwarp/ids.hpp>

namespace iwarp::gui {

// "0 ns", "374 µs", "20.4 ms", "1.20 s", "3 min 12 s", "2 h 05 min", "12 d 4 h"; negative ones with "−".
[[nodiscard]] std::string duration_text(TimeNs duration_ns);
// "0 B", "512 B", "1.46 kB", "20.0 MB": powers of 1000, as iwarp-analyze reports them.
[[nodiscard]] std::string octets_text(std::uint64_t octets);
// "0 bit/s", "9.41 Gbit/s" of octets a second.
[[nodiscard]] std::string rate_text(double octets_per_second);
// "0", "12 345", "1 234 567": grouped by narrow spaces.
[[nodiscard]] std::string count_text(std::uint64_t count);
// "0x0000abcd": as records have it.
[[nodiscard]] std::string hex_text(std::uint64_t value, unsigned digits);

}  // namespace iwarp::gui
