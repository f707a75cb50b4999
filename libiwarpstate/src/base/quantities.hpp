// Quantities as a person reads them. All are pure.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace iwarp {

[[nodiscard]] std::string octets_text(
    std::uint64_t octets);  // "512 B", "6.10 kB", "1.25 GB" (powers of 1000), rounded
// "870 ns", "12.3 µs", "1.50 s", "312 s", "20 min 5 s", "3 h 20 min"
[[nodiscard]] std::string duration_text(std::uint64_t duration_ns);
// The same to two digits, for what is known to a few hundredths: "≈ 12 µs", "≈ 1.5 s".
[[nodiscard]] std::string rough_duration_text(std::uint64_t duration_ns);
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view noun);  // "1 frame", "2 frames"
// Columns that UTF-8 text takes on a terminal, every character being one wide.
[[nodiscard]] std::size_t text_width(std::string_view text) noexcept;

}  // namespace iwarp
