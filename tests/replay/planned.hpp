// Plans and event logs of scripted conversations and of capture files.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "compare/comparison.hpp"
#include "plan/planner.hpp"
#include "support/conversation.hpp"

namespace iwarp::replay {

[[nodiscard]] Plan plan_of(const std::vector<test::OwnedSegment>& segments,
                           const PlannerOptions& options = {});
[[nodiscard]] Plan plan_of(const test::Conversation& conversation, const PlannerOptions& options = {});
// Fails the test where the file cannot be read. `name` is below captures/.
[[nodiscard]] Plan plan_of_file(const std::string& name);
// Paths of the repository's captures.
[[nodiscard]] std::vector<std::string> all_captures();
// All but those whose names start so.
[[nodiscard]] std::vector<std::string> captures_without(std::initializer_list<std::string_view> names);
// All but those no stream of which conforms, and 10b, whose Terminates answer octets that no plan has: wrong
// CRCs and unknown opcodes made by hand.
[[nodiscard]] std::vector<std::string> replayable_captures();
// What a test of a capture is called.
[[nodiscard]] std::string name_of_capture(const std::string& path);
inline constexpr auto capture_test_name = [](const auto& made) { return name_of_capture(made.param); };

[[nodiscard]] std::vector<StreamLog> logs_of(const test::Conversation& conversation);
[[nodiscard]] std::vector<StreamLog> logs_of(const std::vector<test::OwnedSegment>& segments,
                                             std::uint64_t kept_payload);

// "initiator send 5 after received 3, completed 4", one for each work.
[[nodiscard]] std::vector<std::string> script_of(const PlannedStream& stream);
// "initiator missing 3; responder different 4/4 size", one for each difference.
[[nodiscard]] std::string told(const Comparison& comparison);
[[nodiscard]] const PlannedRegion& region_of(const Plan& plan, std::uint32_t stag);

}  // namespace iwarp::replay
