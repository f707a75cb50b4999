// A plan's protobuf message as text that reads like a script: one request a line. It is protobuf's text
// format, so that format's parser reads it back. Private to plan_file.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include <plan/plan.pb.h>

namespace iwarp::replay {

[[nodiscard]] std::string print_text(const proto::Plan& plan);
// False: `error` says line and column.
[[nodiscard]] bool parse_text(std::string_view text, proto::Plan& plan, std::string& error);

}  // namespace iwarp::replay
