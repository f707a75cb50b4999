// Every record of every bundled capture is what docs/schema promises, in the order that is promised.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <map>

#include "cli/program.hpp"
#include "support/json_schema.hpp"
#include "support/places.hpp"

namespace iwarp::test {
namespace {

using nlohmann::json;

constexpr const char* all_kinds =
    "streams,fpdus,messages,operations,deliveries,stags,stalls,findings,states,summary";

const json& schema() {
  static const json read = json::parse(read_file(places::source() + "/docs/schema/records-1.json"));
  return read;
}

class SchemaTest : public ::testing::TestWithParam<std::string> {};

TEST_P(SchemaTest, RecordsAreValidAndInOrder) {
  const Outcome outcome = analyze({"--format", "jsonl", "--records", all_kinds, GetParam()});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  const auto all = records(outcome.out);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.back()["type"], "summary");
  std::uint64_t frame = 0;
  std::map<std::string, int> checked;
  for (const json& record : all) {
    const std::string type = record["type"];
    const char* const key = type == "finding" ? "decided_frame" : "delivered_frame";
    if (record.contains(key) && !record[key].is_null()) {
      EXPECT_GE(record[key].get<std::uint64_t>(), frame);
      frame = record[key];
      EXPECT_LE(record["frame"].get<std::uint64_t>(), frame);
    }
    if (++checked[type] > 100) continue;  // the others are like these
    EXPECT_EQ(violation(record, schema()["definitions"][type], schema(), type), "");
  }
  EXPECT_EQ(checked["summary"], 1);
  EXPECT_EQ(checked["stream"], checked["state"]);
}

// FPDUs and operations name their messages by numbers: scripts join on them.
TEST_P(SchemaTest, RecordsNameEachOther) {
  using Number = std::pair<std::uint64_t, std::uint64_t>;  // of the stream, of a message in it
  const Outcome outcome =
      analyze({"--format", "jsonl", "--records", "fpdus,messages,operations", GetParam()});
  std::map<Number, std::uint64_t> segments;
  std::map<Number, json> messages;
  std::vector<json> operations;
  for (json& record : records(outcome.out)) {
    const std::string type = record["type"];
    if (type == "operation") {
      operations.push_back(record);
    } else if (type == "message") {
      EXPECT_TRUE(messages.try_emplace({record["stream"], record["message"]}, record).second) << record;
    } else if (!record["message"].is_null()) {
      ++segments[{record["stream"], record["message"]}];
    }
  }
  for (const auto& [number, message] : messages) EXPECT_EQ(message["segments"], segments[number]) << message;
  EXPECT_EQ(segments.size(), messages.size());
  for (const json& operation : operations) {
    const auto opcode_of = [&](const char* which) {
      const auto found = messages.find({operation["stream"], operation[which]});
      return found == messages.end() ? "none" : found->second["opcode"].get<std::string>();
    };
    const std::string op = operation["op"];
    EXPECT_TRUE(opcode_of("message").find(op) != std::string::npos) << operation;
    if (!operation["response_message"].is_null()) {
      EXPECT_EQ(opcode_of("response_message"), op + "_response") << operation;
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char letter : info.param.substr(info.param.rfind('/') + 1)) {
    name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Captures, SchemaTest, ::testing::ValuesIn(all_real_captures()), name_of);

TEST(SchemaFileTest, NamesEveryTypeOnce) {
  std::map<std::string, int> named;
  for (const json& alternative : schema()["oneOf"]) {
    const std::string pointer = alternative["$ref"];
    ++named[pointer.substr(pointer.rfind('/') + 1)];
  }
  const std::map<std::string, int> expected = {
      {"stream", 1}, {"fpdu", 1},  {"message", 1}, {"operation", 1}, {"delivery", 1},
      {"stag", 1},   {"stall", 1}, {"finding", 1}, {"state", 1},     {"summary", 1}};
  EXPECT_EQ(named, expected);
}

TEST(SchemaFileTest, TheValidatorFindsWhatIsWrong) {
  const Outcome outcome = analyze({"--format", "jsonl", "--records", "summary", real_capture("01a")});
  json summary = records(outcome.out).at(0);
  const json& promised = schema()["definitions"]["summary"];
  EXPECT_EQ(violation(summary, promised, schema()), "");
  json other = summary;
  other["frames"] = "50";
  EXPECT_NE(violation(other, promised, schema()), "");
  other = summary;
  other.erase("streams");
  EXPECT_NE(violation(other, promised, schema()), "");
  other = summary;
  other["more"] = 1;
  EXPECT_NE(violation(other, promised, schema()), "");
  other = summary;
  other["messages"]["send"] = nullptr;
  EXPECT_NE(violation(other, promised, schema()), "");
}

}  // namespace
}  // namespace iwarp::test
