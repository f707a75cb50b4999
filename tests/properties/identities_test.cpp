// Numbers of FPDUs and messages: the log alone tells which FPDUs are a message, which messages an operation,
// and which FPDU a finding accuses, whatever a capture lacks.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include <iwarp/connection_events.hpp>

#include "support/capture_damage.hpp"
#include "support/capture_read.hpp"

namespace iwarp::test {
namespace {

struct Numbered {
  std::map<std::uint32_t, Event> fpdus;                          // by number
  std::map<std::uint32_t, Event> messages;                       // by number
  std::map<std::uint32_t, std::vector<std::uint32_t>> segments;  // numbers of FPDUs, by message
  std::vector<Event> operations;
  std::vector<Event> findings;
};

Numbered read(const Analysis& analysis, ConnectionId connection) {
  Numbered all;
  ConnectionEvents events(analysis, connection);
  while (const Event* const event = events.next()) {
    EXPECT_EQ(event->connection, connection);
    if (event->kind == EventKind::fpdu) {
      EXPECT_TRUE(all.fpdus.emplace(event->fpdu.number, *event).second);
      if (event->fpdu.message != 0) all.segments[event->fpdu.message].push_back(event->fpdu.number);
    }
    if (event->kind == EventKind::message) {
      EXPECT_TRUE(all.messages.emplace(event->message.number, *event).second);
    }
    if (event->kind == EventKind::operation) all.operations.push_back(*event);
    if (event->kind == EventKind::finding) all.findings.push_back(*event);
  }
  return all;
}

void expect_messages(const Numbered& all) {
  for (const auto& [number, event] : all.messages) {
    const auto found = all.segments.find(number);
    ASSERT_NE(found, all.segments.end()) << number;
    const MessageConclusion& message = event.message;
    if (message.end == MessageEnd::complete) {
      EXPECT_EQ(found->second.size(), message.segments) << number;
    }
    std::uint64_t length = 0;
    Placement placed;
    for (const std::uint32_t each : found->second) {
      const Event& fpdu = all.fpdus.at(each);
      EXPECT_EQ(fpdu.side, event.side);
      length += fpdu.fpdu.payload_length;
      placed = later(placed, fpdu.fpdu.placed);
    }
    if (found->second.size() == message.segments) {
      EXPECT_EQ(length, message.length);
      EXPECT_EQ(placed, message.placed);
    }
  }
}

void expect_operations(const Numbered& all) {
  std::set<std::uint32_t> names;
  for (const Event& event : all.operations) {
    const OperationConclusion& operation = event.operation;
    EXPECT_TRUE(names.insert(operation.message).second) << "of one message, one operation";
    const Event& request = all.messages.at(operation.message);
    EXPECT_EQ(request.side, event.side);
    const bool of_two = operation.kind == OperationKind::read || operation.kind == OperationKind::atomic;
    if (of_two) {
      EXPECT_EQ(request.message.placed, operation.request);
    }
    if (operation.response_message == 0) {
      EXPECT_EQ(operation.first_response.frame, 0U);
      continue;
    }
    ASSERT_TRUE(all.segments.contains(operation.response_message));
    const Event& first = all.fpdus.at(all.segments.at(operation.response_message).front());
    EXPECT_NE(first.side, event.side);
    const wire::Opcode answer =
        operation.kind == OperationKind::read ? wire::Opcode::read_response : wire::Opcode::atomic_response;
    EXPECT_EQ(first.fpdu.ddp.opcode(), answer);
  }
}

void expect_findings(const Numbered& all) {
  for (const Event& event : all.findings) {
    if (event.finding.fpdu == 0) continue;
    const auto found = all.fpdus.find(event.finding.fpdu);
    ASSERT_NE(found, all.fpdus.end());
    EXPECT_EQ(found->second.fpdu.placed.frame, event.finding.evidence[0]);
  }
}

TEST(Identities, TheLogTellsWhatBelongsTogether) {
  std::size_t of_several = 0;
  std::size_t answers = 0;
  for (const CaptureDamage& damage : capture_damages()) {
    SCOPED_TRACE(damage.name);
    for_each_damaged_capture(damage, [&](const Segments& segments) {
      Analyzer analyzer({.keep_log = true});
      for (const OwnedSegment& each : segments) (void)analyzer.add(each.segment());
      (void)analyzer.finish();
      for (ConnectionId id = 0; id < analyzer.analysis().connection_count(); ++id) {
        const Numbered all = read(analyzer.analysis(), id);
        ASSERT_NO_FATAL_FAILURE(expect_messages(all));
        ASSERT_NO_FATAL_FAILURE(expect_operations(all));
        ASSERT_NO_FATAL_FAILURE(expect_findings(all));
        for (const auto& [number, parts] : all.segments) of_several += parts.size() > 1 ? 1U : 0U;
        for (const Event& each : all.operations) answers += each.operation.response_message != 0 ? 1U : 0U;
      }
    });
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_GT(of_several, 1000U);
  EXPECT_GT(answers, 1000U);
}

// Frames and times, both ways.
TEST(Identities, FramesHaveTimes) {
  for (const std::string& path : captures_in("real")) {
    const Segments segments = read_capture(path).segments;
    Analyzer analyzer({.keep_log = true});
    for (const OwnedSegment& each : segments) (void)analyzer.add(each.segment());
    const Analysis& analysis = analyzer.analysis();
    TimeNs latest = 0;
    for (const OwnedSegment& each : segments) {
      EXPECT_EQ(analysis.time_of(each.meta.frame), each.meta.time_ns);
      if (each.meta.time_ns <= latest) continue;  // another was captured then, or later
      latest = each.meta.time_ns;
      EXPECT_EQ(analysis.frame_at(latest), each.meta.frame);
    }
    EXPECT_EQ(analysis.frame_at(latest + 1), end_of_capture);
  }
}

}  // namespace
}  // namespace iwarp::test
