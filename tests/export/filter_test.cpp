// Filter expressions.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/export/filter.hpp>

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "export/fields/field_list.hpp"
#include "export/sample_events.hpp"

namespace iwarp {
namespace {

using namespace test;

Filter compiled(std::string_view expression) {
  std::string error;
  auto filter = Filter::parse(expression, error);
  if (!filter) throw std::invalid_argument(std::string(expression) + ": " + error);
  return std::move(*filter);
}

std::string error_of(std::string_view expression) {
  std::string error;
  EXPECT_FALSE(Filter::parse(expression, error).has_value()) << expression;
  return error;
}

class FilterTest : public ::testing::Test {
 protected:
  bool send(std::string_view expression) {
    return compiled(expression).matches(record(RecordKind::fpdu, send_, state_));
  }
  bool write(std::string_view expression) {
    return compiled(expression).matches(record(RecordKind::fpdu, write_, state_));
  }
  bool stream(std::string_view expression) {
    Record view;
    view.kind = RecordKind::stream;
    view.connection = &state_;
    return compiled(expression).matches(view);
  }
  bool found(std::string_view expression) {
    return compiled(expression).matches(record(RecordKind::finding, finding_, state_));
  }

  ConnectionState state_ = connection();
  Event send_ = send_fpdu();
  Event write_ = write_fpdu();
  Event finding_ = finding(CheckId::ddp_msngap, 40);
};

TEST_F(FilterTest, Comparisons) {
  EXPECT_TRUE(send("payload_length == 100"));
  EXPECT_TRUE(send("payload_length >= 100 && payload_length <= 100"));
  EXPECT_FALSE(send("payload_length != 100"));
  EXPECT_TRUE(send("payload_length > 99"));
  EXPECT_FALSE(send("payload_length < 100"));
  EXPECT_TRUE(send("msn eq 5 and payload_length gt 0x63"));
  EXPECT_TRUE(send("msn > -1"));
}

TEST_F(FilterTest, WordsAndQuotedText) {
  EXPECT_TRUE(send("opcode == send"));
  EXPECT_TRUE(send("opcode == \"send\""));
  EXPECT_FALSE(write("opcode == send"));
  EXPECT_TRUE(send("from == initiator and crc == good"));
}

TEST_F(FilterTest, HexValuesCompareAsNumbers) {
  EXPECT_TRUE(write("stag == 0xabcd"));
  EXPECT_TRUE(write("stag == \"0x0000abcd\""));
  EXPECT_TRUE(write("to >= 4096 && to < 0x1001"));
  EXPECT_TRUE(write("stag =~ abcd$"));
}

TEST_F(FilterTest, AnUnknownOrMissingValueComparesFalse) {
  EXPECT_FALSE(send("stag == 0"));
  EXPECT_FALSE(send("stag != 0"));
  EXPECT_TRUE(send("not (stag == 0)"));
  EXPECT_TRUE(send("stag == null"));
  EXPECT_FALSE(write("stag == null"));
  EXPECT_TRUE(write("stag != null"));
}

TEST_F(FilterTest, AFieldAloneIsPresence) {
  EXPECT_TRUE(write("stag"));
  EXPECT_FALSE(send("stag"));
  EXPECT_TRUE(send("last"));
  EXPECT_FALSE(send("tagged"));
  EXPECT_TRUE(send("!tagged && slices"));
}

TEST_F(FilterTest, Precedence) {
  EXPECT_TRUE(send("opcode == send || opcode == terminate && msn == 99"));
  EXPECT_FALSE(send("(opcode == send || opcode == terminate) && msn == 99"));
  EXPECT_TRUE(send("not tagged or msn == 99"));
}

TEST_F(FilterTest, RegularExpressions) {
  EXPECT_TRUE(found("id =~ \"^DDP-\""));
  EXPECT_TRUE(found("id =~ \"DDP-\""));
  EXPECT_FALSE(found("id !~ \"DDP-\""));
  EXPECT_TRUE(found("text matches \"queue [0-9]+\""));
  EXPECT_TRUE(found("reference =~ \"5041 .4\\.3\" or reference =~ 5041"));
}

TEST_F(FilterTest, SeveritiesCompareByRank) {
  EXPECT_TRUE(found("severity >= warning"));
  EXPECT_TRUE(found("severity > note"));
  EXPECT_FALSE(found("severity < error"));
}

TEST_F(FilterTest, NestedFields) {
  EXPECT_TRUE(stream("mpa.rev == 2 && mpa.ird.initiator.offered == 16 && mpa.crc"));
  EXPECT_FALSE(stream("mpa.ird.responder.effective"));
  EXPECT_TRUE(stream("initiator =~ 192.0.2.1"));
  EXPECT_TRUE(stream("initiator == 192.0.2.1:49152"));
  EXPECT_FALSE(stream("messages.send > 0"));
}

TEST_F(FilterTest, DurationsHaveUnits) {
  const Event read = read_operation();
  const auto matches = [&](std::string_view expression) {
    return compiled(expression).matches(record(RecordKind::operation, read, state_));
  };
  EXPECT_TRUE(matches("latency_ns == 4us"));
  EXPECT_FALSE(matches("latency_ns >= 4ms"));
  EXPECT_TRUE(matches("latency_ns < 1s && latency_ns > 100ns"));
}

TEST_F(FilterTest, RecordsWithoutAnyOfTheFieldsPass) {
  EXPECT_TRUE(stream("opcode == send"));
  EXPECT_FALSE(stream("opcode == send && stream == 3"));
  EXPECT_TRUE(compiled("id =~ MPA").matches(summary_record(Summary{})));
  EXPECT_FALSE(stream("type == finding"));
  EXPECT_TRUE(found("type == finding"));
}

TEST(FilterParseTest, ErrorsSayWhatAndWhere) {
  EXPECT_EQ(error_of("lenght > 3"),
            "column 1: \"lenght\" is no field of any record; did you mean \"length\"?");
  EXPECT_EQ(error_of("length > "), "column 10: a value is expected");
  EXPECT_EQ(error_of("length = 3"), "column 8: \"=\" has no meaning here (equality is ==)");
  EXPECT_EQ(error_of("(length > 3"), "column 12: \")\" is missing");
  EXPECT_EQ(error_of("length > 3)"), "column 11: \")\" is not expected");
  EXPECT_EQ(error_of("id == \"DDP"), "column 7: the quoted text has no end");
  EXPECT_EQ(error_of(""), "column 1: the name of a field is expected");
  EXPECT_EQ(error_of("slices == 3"), "column 8: a list cannot be compared, only named alone");
  EXPECT_TRUE(error_of("id =~ \"(\"").starts_with("column 7: the regular expression is wrong: "));
}

TEST(FilterParseTest, NestingIsBounded) {
  EXPECT_EQ(error_of(std::string(5000, '!') + "last").substr(0, 6), "column");
  EXPECT_EQ(error_of(std::string(5000, '(') + "last").substr(0, 6), "column");
  std::string error;
  EXPECT_FALSE(Filter::parse(std::string(70'000, ' '), error).has_value());
}

TEST(FilterParseTest, NamesOfFieldsHaveDifferentHashes) {
  for (unsigned kind = 0; kind < record_kind_count; ++kind) {
    std::set<std::uint32_t> hashes;
    for (const auto& field : fields::field_list(static_cast<RecordKind>(kind))) {
      EXPECT_TRUE(hashes.insert(field.hash).second) << field.path;
    }
  }
}

}  // namespace
}  // namespace iwarp
