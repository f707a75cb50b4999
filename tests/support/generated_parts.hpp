// The generated captures that have files of their own here.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "support/generated_captures.hpp"

namespace iwarp::test {

[[nodiscard]] std::vector<GeneratedCapture> captures_about_fields();
[[nodiscard]] std::vector<GeneratedCapture> captures_about_smb_direct();
[[nodiscard]] std::vector<GeneratedCapture> captures_about_sctp();

}  // namespace iwarp::test
