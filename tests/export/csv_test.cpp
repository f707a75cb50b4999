// Records as CSV and as lines of key=value.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <iwarp/export/writers.hpp>

#include "export/fields/field_list.hpp"
#include "export/sample_events.hpp"

namespace iwarp {
namespace {

using namespace test;

// Splits one RFC 4180 line.
std::vector<std::string> split(std::string_view line) {
  EXPECT_TRUE(line.ends_with("\r\n"));
  line.remove_suffix(2);
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"' && quoted && at + 1 < line.size() && line[at + 1] == '"') {
      cells.back() += '"';
      ++at;
    } else if (line[at] == '"') {
      quoted = !quoted;
    } else if (line[at] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[at];
    }
  }
  return cells;
}

TEST(CsvTest, AStreamOverSctpHasTheColumnsOfAllStreams) {
  ConnectionState state = connection();
  Record view;
  view.kind = RecordKind::stream;
  view.connection = &state;
  TextBuffer over_tcp;
  write_csv(over_tcp, view);
  state.llp = Llp::sctp;
  state.sctp = {3, 1};
  TextBuffer over_sctp;
  write_csv(over_sctp, view);
  EXPECT_EQ(split(over_sctp.view()).size(), split(over_tcp.view()).size());
}

TEST(CsvTest, HeaderAndValuesHaveTheSameColumns) {
  for (unsigned kind = 0; kind < record_kind_count; ++kind) {
    TextBuffer header;
    write_csv_header(header, static_cast<RecordKind>(kind), true, true, true);
    const auto names = split(header.view());
    auto fields = fields::field_list(static_cast<RecordKind>(kind));
    // Of streams over SCTP alone: a table has the columns of all streams.
    std::erase_if(fields, [](const fields::FieldInfo& field) { return field.path.starts_with("sctp."); });
    ASSERT_EQ(names.size(), fields.size());
    for (std::size_t column = 0; column < names.size(); ++column)
      EXPECT_EQ(names[column], fields[column].path);
  }
  const ConnectionState state = connection();
  Record view;
  view.kind = RecordKind::stream;
  view.connection = &state;
  TextBuffer header;
  write_csv_header(header, RecordKind::stream, false);
  TextBuffer line;
  write_csv(line, view);
  const auto names = split(header.view());
  const auto values = split(line.view());
  ASSERT_EQ(names.size(), values.size());
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (names[column] == "mpa.ird.responder.offered") {
      EXPECT_EQ(values[column], "16383");
    }
    if (names[column] == "mpa.ird.responder.effective") {
      EXPECT_EQ(values[column], "");
    }
    if (names[column] == "mpa.crc") {
      EXPECT_EQ(values[column], "true");
    }
    if (names[column] == "terminates") {
      EXPECT_EQ(values[column], "[]");
    }
  }
}

TEST(CsvTest, ListsAreQuotedJson) {
  const Event event = send_fpdu();
  const ConnectionState state = connection();
  Record view = record(RecordKind::fpdu, event, state);
  const Slice slices[] = {{11, 1400, 48}, {12, 0, 76}};
  view.slices = slices;
  TextBuffer out;
  write_csv(out, view);
  EXPECT_EQ(out.view(),
            "fpdu,3,initiator,12,12,12,1000012000,100,118,0,good,send,false,true,,,0,5,0,,100,"
            "\"[[11,1400,48],[12,0,76]]\",8,6\r\n");
}

TEST(CsvTest, TextWithCommasAndQuotesIsQuoted) {
  Event event = finding(CheckId::mpa_crc, 8);
  event.finding.arguments = {1, 2, 0, 0};
  const ConnectionState state = connection();
  Record view = record(RecordKind::finding, event, state);
  view.capture = "a\"b,c";
  TextBuffer out;
  write_csv(out, view);
  EXPECT_EQ(out.view(),
            "finding,\"a\"\"b,c\",3,initiator,8,8,1000008000,MPA-CRC,error,RFC 5044 §4.4,"
            "\"CRC field 0x00000001, computed 0x00000002\",,\"[8]\"\r\n");
}

TEST(CsvTest, JsonInsideAFieldKeepsItsQuotes) {
  Summary summary;
  summary.skipped["not \"IP\""] = 2;
  TextBuffer out;
  write_csv(out, summary_record(summary));
  EXPECT_NE(out.view().find(R"("{""not \""IP\"""":2}")"), std::string_view::npos) << out.view();
}

TEST(LinesTest, NullsAreLeftOutAndTextIsQuotedWhereItHasSpaces) {
  Event event = finding(CheckId::ddp_msngap, 40);
  event.finding.arguments = {0, 7, 5, 0};
  const ConnectionState state = connection();
  TextBuffer out;
  write_line(out, record(RecordKind::finding, event, state));
  EXPECT_EQ(out.view(),
            "finding stream=3 from=initiator frame=40 decided_frame=40 time_ns=1000040000 id=DDP-MSNGAP "
            "severity=error "
            "reference=\"RFC 5041 §4.3\" text=\"MSN 7 on queue 0 where 5 is due\" evidence=[40]\n");
}

}  // namespace
}  // namespace iwarp
