// Names of files may hold any octets: what people and scripts read of them is text, and tells them apart.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace iwarp::program {

// `text` as valid UTF-8 in one line: octets that are no UTF-8 (RFC 3629), and those of control characters, of
// what turns the direction of text, and of the line and paragraph separators U+2028 and U+2029, become \xNN
// (two hexadecimal digits, small letters), a backslash becomes two. Different texts stay different. Sentences
// of ours have no backslash, so one with a name in it may be given whole, once.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace iwarp::program
