// What a run came to as test cases, one for each stream, in the XML that JUnit began and CI systems read.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "commands/run_report.hpp"

namespace iwarp::replay {

[[nodiscard]] std::string to_junit(const RunResult& result);

}  // namespace iwarp::replay
