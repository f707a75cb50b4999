// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/planned.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include <iwarp/export/names.hpp>

#include "support/capture_read.hpp"
#include "support/places.hpp"

namespace iwarp::replay {
namespace {

const char* wait_name(WaitFor what) {
  switch (what) {
    case WaitFor::received: return "received ";
    case WaitFor::placed: return "placed ";
    case WaitFor::completed: return "completed ";
    case WaitFor::closed: return "closed ";
  }
  return "? ";
}

}  // namespace

Plan plan_of(const std::vector<test::OwnedSegment>& segments, const PlannerOptions& options) {
  Analyzer analyzer(Planner::analyzer_options());
  Planner planner(options);
  for (const test::OwnedSegment& each : segments)
    planner.add(analyzer.analysis(), analyzer.add(each.segment()));
  planner.add(analyzer.analysis(), analyzer.finish());
  return planner.finish();
}

Plan plan_of(const test::Conversation& conversation, const PlannerOptions& options) {
  return plan_of(conversation.segments(), options);
}

Plan plan_of_file(const std::string& name) {
  std::string error;
  auto made = plan_capture(test::places::captures() + "/" + name, {}, error);
  EXPECT_TRUE(made) << error;
  return made ? std::move(made->plan) : Plan();
}

std::vector<StreamLog> logs_of(const test::Conversation& conversation) {
  return logs_of(conversation.segments(), 0);
}

std::vector<StreamLog> logs_of(const std::vector<test::OwnedSegment>& segments, std::uint64_t kept_payload) {
  AnalyzerOptions options;
  options.keep_payload = kept_payload != 0 ? KeepPayload::all : KeepPayload::none;
  Analyzer analyzer(options);
  LogBuilder builder(kept_payload);
  for (const test::OwnedSegment& each : segments) {
    builder.add(analyzer.analysis(), analyzer.add(each.segment()));
  }
  builder.add(analyzer.analysis(), analyzer.finish());
  return builder.finish();
}

std::vector<std::string> script_of(const PlannedStream& stream) {
  std::vector<std::string> lines;
  for (const PlannedWork& work : stream.work) {
    std::string line = std::string(role_name(work.role)) + " " + work_kind_name(work.kind);
    if (work.length > 0) line += " " + std::to_string(work.length);
    for (std::size_t i = 0; i < work.waits.size(); ++i) {
      line += i == 0 ? " after " : ", ";
      line += wait_name(work.waits[i].what) + std::to_string(work.waits[i].work.work);
    }
    lines.push_back(line);
  }
  return lines;
}

const PlannedRegion& region_of(const Plan& plan, std::uint32_t stag) {
  static const PlannedRegion none;
  for (const PlannedHost& host : plan.hosts) {
    for (const PlannedRegion& region : host.regions) {
      if (region.stag == stag) return region;
    }
  }
  ADD_FAILURE() << "no region has STag " << stag;
  return none;
}

std::vector<std::string> all_captures() {
  std::vector<std::string> paths = test::captures_in("real");
  for (const std::string& each : test::captures_in("generated")) {
    if (each.find("/sctp-") == std::string::npos) paths.push_back(each);  // no replay speaks SCTP
  }
  return paths;
}

std::vector<std::string> captures_without(std::initializer_list<std::string_view> names) {
  std::vector<std::string> paths = all_captures();
  std::erase_if(paths, [&](const std::string& path) {
    return std::ranges::any_of(names, [&](std::string_view each) {
      return path.find("/" + std::string(each)) != std::string::npos;
    });
  });
  return paths;
}

std::vector<std::string> replayable_captures() {
  return captures_without({"03i-", "07a-", "10b-", "t06-", "t19-"});
}

std::string name_of_capture(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  name.erase(name.find(".pcap"));
  std::ranges::replace_if(
      name, [](char each) { return std::isalnum(static_cast<unsigned char>(each)) == 0; }, '_');
  return name;
}

std::string told(const Comparison& comparison) {
  std::string text;
  for (const Difference& each : comparison.differences) {
    text += (text.empty() ? "" : "; ") + std::string(role_name(each.role)) + " " +
            difference_class_name(each.what);
    if (each.recorded) text += " " + std::to_string(*each.recorded);
    if (each.live) text += (each.recorded ? "/" : " live ") + std::to_string(*each.live);
    for (const LogField field : each.fields) text += std::string(" ") + log_field_name(field);
  }
  return text;
}

}  // namespace iwarp::replay
