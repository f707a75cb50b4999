// The capture files of captures/generated: each shows what other decoders get wrong, or a whole kind of
// traffic that no recording has. Made by Conversation alone, always the same octets.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <iwarp/bytes.hpp>

namespace iwarp::test {

struct GeneratedCapture {
  const char* name;  // of the file
  Bytes (*make)();
};

[[nodiscard]] const std::vector<GeneratedCapture>& generated_captures();
[[nodiscard]] std::string generated_path(const std::string& name);

}  // namespace iwarp::test
