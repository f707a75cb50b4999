// What iwarp-analyze says of its arguments, and its exit status.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "support/places.hpp"

namespace iwarp::test {
namespace {

struct Refusal {
  std::vector<std::string> arguments;
  std::string sentence;  // part of it
};

TEST(OptionsTest, WrongArgumentsAreRefusedInOneSentence) {
  const Refusal refusals[] = {
      {{}, "no capture is named"},
      {{"--bad", "x"}, "no such option: --bad"},
      {{"--format", "xml", "x"}, "--format: \"xml\" is none of csv, jsonl, text"},
      {{"--format", "proto", "x"}, "--format proto is not in this version"},
      {{"--sqlite", "a.db", "x"}, "--sqlite is not in this version"},
      {{"--records", "packets", "x"}, "--records: \"packets\" is no kind of record"},
      {{"--format", "csv", "--records", "fpdus,streams", "x"}, "one kind of record at a time"},
      {{"--host", "one", "x"}, "--host: \"one\" names no host: write NAME=ADDRESS"},
      {{"--host", "one=192.0.2.1,there", "x"}, "--host: \"there\" is no IP address"},
      {{"--min-severity", "fatal", "x"}, "--min-severity: \"fatal\" is none of error, info, note, warning"},
      {{"--fail-on", "note", "x"}, "--fail-on: \"note\" is none of error, never, warning"},
      {{"--filter", "lenght > 3", "--format", "jsonl", "x"}, "did you mean \"length\"?"},
      {{"--filter", "length > 3", "x"}, "add --records or --format jsonl"},
      {{"--state-at", "0", "x"}, "frames are counted from 1"},
      {{"--state-at", "first", "x"}, "--state-at: \"first\" is no frame number: frames are counted from 1"},
      {{"--stream", "-1", "x"}, "--stream: \"-1\" is no stream number: these go from 0 to 4294967295"},
      {{"--stream", "4294967296", "x"}, "--stream: \"4294967296\" is no stream number"},
      {{"--stream", "1x", "x"}, "--stream: \"1x\" is no stream number"},
      {{"--jobs", "many", "x"}, "--jobs: \"many\" is not allowed: 1 or more captures side by side"},
      {{"--jobs", "-1", "x"}, "--jobs: \"-1\" is not allowed: 1 or more captures side by side"},
      {{"--max-memory", "11", "x"}, "--max-memory: \"11\" is too little: "},
      {{"--format", "csv", "--format", "text", "x"}, "--format is given more than once; it takes one value"},
      {{"--list-checks", "json", "--list-checks", "text"}, "--list-checks is given more than once"},
      {{"x", "--format"}, "--format needs a value"},
      {{"x", "--records"}, "--records needs a value"},
      {{"--strict=no", "x"}, "--strict takes no value"},
      {{"--bad", "-x", "x"}, "no such option: "},
      {{"-", "-"}, "standard input (-) is named more than once"},
  };
  for (const Refusal& refusal : refusals) {
    const Outcome outcome = analyze(refusal.arguments);
    EXPECT_EQ(outcome.status, 2) << refusal.sentence;
    EXPECT_EQ(outcome.out, "") << refusal.sentence;
    EXPECT_NE(outcome.err.find(refusal.sentence), std::string::npos) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("iwarp-analyze: ")) << outcome.err;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  }
}

TEST(OptionsTest, HelpFitsATerminalAndNamesEveryOption) {
  const Outcome help = analyze({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.err, "");
  for (const char* option :
       {"--format", "--records", "--why", "--payload-hash", "--state-at", "--color", "--stream", "--filter",
        "--min-severity", "--fail-on", "--strict", "--host", "--jobs", "--progress", "--list-checks",
        "--list-fields", "--help", "--version"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(help.out.find("--sqlite"), std::string::npos);
  std::size_t column = 0;
  for (const char letter : help.out) {
    if ((static_cast<unsigned char>(letter) & 0xC0U) != 0x80) ++column;
    if (letter == '\n') column = 0;
    EXPECT_LE(column, 100U);
  }
}

TEST(OptionsTest, Version) {
  const Outcome version = analyze({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.out.starts_with("iwarp-analyze ")) << version.out;
}

TEST(OptionsTest, InputThatCannotBeReadIsNamed) {
  const TemporaryFile empty("empty.pcap", "");
  const TemporaryFile text("notes.txt", "These are notes, not a capture of any kind.\n");
  const std::string folder = empty.path().substr(0, empty.path().rfind('/'));
  const Refusal refusals[] = {
      {{folder + "/none.pcap"}, folder + "/none.pcap: No such file or directory"},
      {{folder}, folder + ": is a directory"},
      {{empty.path()}, empty.path() + ": is empty"},
      {{text.path()}, text.path() + ": is no capture file"},
  };
  for (const Refusal& refusal : refusals) {
    const Outcome outcome = analyze(refusal.arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(refusal.sentence), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  }
}

TEST(OptionsTest, FindingsOfTheStreamsFailOnlyWhenAskedTo) {
  const std::string hostile = real_capture("10b");
  EXPECT_EQ(analyze({hostile}).status, 0);
  EXPECT_EQ(analyze({"--fail-on", "never", hostile}).status, 0);
  EXPECT_EQ(analyze({"--fail-on", "error", hostile}).status, 1);
  EXPECT_EQ(analyze({"--fail-on", "warning", "--min-severity", "error", "--stream", "0", hostile}).status, 1);
  EXPECT_EQ(analyze({"--fail-on", "warning", real_capture("01a")}).status, 0);
  EXPECT_EQ(analyze({"--fail-on", "error", hostile, "/none"}).status, 2);
}

TEST(OptionsTest, StrictCountsVendorDeviationsInFull) {
  const std::string siw = real_capture("03e-term-norecv");  // siw's bit order in a Terminate
  const auto severity = [&](const std::vector<std::string>& further) {
    std::vector<std::string> arguments = {"--format", "jsonl",    "--records",
                                          "findings", "--filter", "id == RDMAP-TERMCODE"};
    arguments.insert(arguments.end(), further.begin(), further.end());
    arguments.push_back(siw);
    return records(analyze(arguments).out).at(0)["severity"];
  };
  EXPECT_EQ(severity({}), "note");
  EXPECT_EQ(severity({"--strict"}), "warning");
}

TEST(OptionsTest, ListOfChecksIsTheDocument) {
  const Outcome list = analyze({"--list-checks", "markdown"});
  EXPECT_EQ(list.status, 0);
  // Compared without printing both when they differ.
  EXPECT_TRUE(list.out == read_file(places::source() + "/docs/findings.md"))
      << "make it anew: iwarp-analyze --list-checks markdown > docs/findings.md";
  EXPECT_NE(analyze({"--list-checks"}).out.find("DDP-MSNGAP"), std::string::npos);
  for (const auto& check : records(analyze({"--list-checks", "json"}).out)) {
    EXPECT_TRUE(check.contains("reference"));
    EXPECT_NE(list.out.find("| " + check["id"].get<std::string>() + " |"), std::string::npos) << check["id"];
  }
}

TEST(OptionsTest, ListOfFields) {
  const std::string fields = analyze({"--list-fields"}).out;
  EXPECT_NE(fields.find("\nstates\n"), std::string::npos);
  EXPECT_NE(fields.find("\n  mpa.ird.initiator.offered\n"), std::string::npos);
}

}  // namespace
}  // namespace iwarp::test
