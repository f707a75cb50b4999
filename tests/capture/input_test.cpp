// Where octets come from: gzip, zstd, files, pipes, standard input; records longer than any buffer.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "capture/capture_files.hpp"

namespace iwarp::test {
namespace {

const ByteOrder order = ByteOrder::little();

// `count` records of `size` octets each.
Bytes records(std::size_t count, std::size_t size) {
  std::vector<Bytes> pieces;
  for (std::size_t i = 0; i < count; ++i) {
    pieces.push_back(pcap_record(order, 1, 0, pattern(size, static_cast<std::uint32_t>(i))));
  }
  return cat(pieces);
}

void expect_records(const Reading& reading, std::size_t count, std::size_t size) {
  ASSERT_EQ(reading.error, "");
  ASSERT_EQ(reading.records.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(reading.records[i].octets, pattern(size, static_cast<std::uint32_t>(i)));
  }
}

TEST(Gzip, MembersFollowOneAnother) {
  const Bytes header = pcap_header(order, pcap_us);
  const Bytes all = records(50, 1000);
  expect_records(read_octets(gzip(cat(header, all))), 50, 1000);
  // Members end anywhere, and some are empty.
  expect_records(read_octets(cat(gzip(part(header, 0, 3)), gzip({}),
                                 gzip(cat(part(header, 3), part(all, 0, 700))), gzip(part(all, 700)))),
                 50, 1000);
  // Zeros behind the last one are padding.
  const Reading padded = read_octets(cat(gzip(cat(header, all)), zeros(512)));
  expect_records(padded, 50, 1000);
  EXPECT_EQ(padded.damage, "");
}

TEST(Gzip, Pcapng) {
  const Reading reading =
      read_octets(gzip(cat(section(order), interface(order, 1), enhanced_packet(order, 0, 1, pattern(100)))));
  ASSERT_EQ(reading.records.size(), 1U);
  EXPECT_EQ(reading.records[0].octets, pattern(100));
}

TEST(Gzip, CutAnywhereKeepsWhatCameBefore) {
  const Bytes file = gzip(cat(pcap_header(order, pcap_us), records(20, 100)));
  std::size_t last = 0;
  for (std::size_t size = 2; size < file.size(); ++size) {
    const Reading reading = read_octets(part(file, 0, size));
    const std::string sentence = reading.error.empty() ? reading.damage : reading.error;
    char expected[100];
    std::snprintf(expected, sizeof expected, "a.pcap: gzip data ends early at 0x%zx", size);
    ASSERT_EQ(sentence, expected);
    ASSERT_GE(reading.records.size(), last);
    last = reading.records.size();
  }
  EXPECT_EQ(last, 20U);
}

TEST(Gzip, DamageInside) {
  Bytes file = gzip(cat(pcap_header(order, pcap_us), records(20, 100)));
  file[file.size() - 8] ^= 1;  // the CRC
  const Reading reading = read_octets(file);
  EXPECT_EQ(reading.records.size(), 20U);
  EXPECT_THAT(reading.damage, testing::HasSubstr("a.pcap: gzip data is damaged at 0x"));
  EXPECT_THAT(reading.damage, testing::HasSubstr("(incorrect data check)"));
  const Reading garbage =
      read_octets(cat(gzip(cat(pcap_header(order, pcap_us), records(3, 10))), text("more")));
  EXPECT_EQ(garbage.records.size(), 3U);
  EXPECT_THAT(garbage.damage, testing::HasSubstr(", behind the gzip data, are not gzip data"));
}

TEST(Gzip, DamageNamesOffsetsInTheContents) {
  const Bytes contents = cat(pcap_header(order, pcap_us), records(1, 100), zeros(3));
  EXPECT_EQ(read_octets(gzip(contents)).damage,
            "a.pcap: record 2 at 0x8c of the uncompressed data is longer than the file");
}

TEST(Zstd, FramesFollowOneAnother) {
  const Bytes header = pcap_header(order, pcap_us);
  const Bytes all = records(50, 1000);
  expect_records(read_octets(zstd(cat(header, all))), 50, 1000);
  const Bytes skippable = hex("502a4d18 04000000 01020304");
  const Reading reading = read_octets(
      cat({skippable, zstd(part(header, 0, 3)), zstd({}), zstd(cat(part(header, 3), part(all, 0, 700))),
           skippable, zstd(part(all, 700)), skippable}));
  expect_records(reading, 50, 1000);
  EXPECT_EQ(reading.damage, "");
}

TEST(Zstd, CutAnywhereKeepsWhatCameBefore) {
  const Bytes first = zstd(cat(pcap_header(order, pcap_us), records(20, 100)));
  const Bytes file = cat(first, zstd(pcap_record(order, 1, 0, pattern(5))));
  std::size_t last = 0;
  for (std::size_t size = 4; size < file.size(); ++size) {
    const Reading reading = read_octets(part(file, 0, size));
    ASSERT_GE(reading.records.size(), last);
    last = reading.records.size();
    const std::string sentence = reading.error.empty() ? reading.damage : reading.error;
    if (size == first.size()) {
      ASSERT_EQ(sentence, "");
    } else {
      ASSERT_THAT(sentence, testing::StartsWith("a.pcap: zstd data ends early at 0x"));
    }
  }
  EXPECT_EQ(last, 20U);
}

TEST(Zstd, DamageInside) {
  const Bytes good = zstd(cat(pcap_header(order, pcap_us), records(20, 100)));
  const Reading reading = read_octets(cat(good, text("more")));
  EXPECT_EQ(reading.records.size(), 20U);
  EXPECT_THAT(reading.damage, testing::HasSubstr("a.pcap: zstd data is damaged at 0x"));
}

TEST(File, IsReadThroughEveryFormat) {
  const Bytes contents = cat(pcap_header(order, pcap_us), records(3000, 1500));
  for (const Bytes& file : {contents, gzip(contents), zstd(contents)}) {
    const TemporaryFile temporary(file);
    expect_records(read_file(temporary.path()), 3000, 1500);
  }
}

TEST(File, RecordsOfEverySizeCrossTheBufferWhole) {
  for (const std::size_t size : {1U, 65'000U, 66'000U, 1'100'000U, 5'000'000U}) {
    const std::size_t count = size == 1 ? 80'000 : 6'000'000 / size + 1;
    const TemporaryFile temporary(cat(pcap_header(order, pcap_us), records(count, size)));
    expect_records(read_file(temporary.path()), count, size);
  }
}

TEST(File, LongBlocksArePassedOver) {
  const Bytes file = cat(section(order), block(order, 0xbad, zeros(10'000'000)), interface(order, 1),
                         enhanced_packet(order, 0, 1, pattern(10)));
  const TemporaryFile temporary(file);
  const Reading reading = read_file(temporary.path());
  ASSERT_EQ(reading.damage, "");
  ASSERT_EQ(reading.records.size(), 1U);
}

TEST(File, ProgressRunsFromStartToEnd) {
  const Bytes contents = cat(pcap_header(order, pcap_us), records(3000, 1500));
  for (const Bytes& file : {contents, gzip(contents)}) {
    const TemporaryFile temporary(file);
    std::string error;
    const auto reader = capture::RecordReader::open(temporary.path(), error);
    ASSERT_TRUE(reader) << error;
    EXPECT_EQ(reader->progress().total, file.size());
    capture::Record record;
    std::uint64_t last = 0;
    while (reader->next(record)) {
      EXPECT_GE(reader->progress().consumed, last);
      last = reader->progress().consumed;
    }
    EXPECT_EQ(reader->progress().consumed, file.size());
  }
}

TEST(File, SaysWhyItCannotBeOpened) {
  EXPECT_EQ(read_file("/nowhere/a.pcap").error, "/nowhere/a.pcap: No such file or directory");
  const std::string folder = std::filesystem::temp_directory_path().string();
  EXPECT_EQ(read_file(folder).error, folder + ": cannot be read at 0x0: Is a directory");
}

TEST(File, LengthsNobodyWritesAreDamageBeforeTheyAreRead) {
  const TemporaryFile temporary(
      cat(pcap_header(order, pcap_us), pcap_record(order, 0, 0, pattern(5), {}, 0xfffffff0)));
  EXPECT_EQ(read_file(temporary.path()).damage,
            temporary.path() + ": record 1 at 0x18 is longer than the file");
  const Reading compressed = read_octets(
      gzip(cat(pcap_header(order, pcap_us), pcap_record(order, 0, 0, pattern(5), {}, 0xfffffff0))));
  EXPECT_EQ(
      compressed.damage,
      "a.pcap: record 1 at 0x18 of the uncompressed data claims 4294967280 octets, more than any capture "
      "tool writes");
}

// Standard input replaced by a pipe for as long as this lives.
class PipedInput {
 public:
  PipedInput() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    saved_ = ::dup(STDIN_FILENO);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    writer_ = ends[1];
  }
  PipedInput(const PipedInput&) = delete;
  PipedInput& operator=(const PipedInput&) = delete;
  ~PipedInput() {
    close();
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  void write(const Bytes& octets) const {
    std::size_t done = 0;
    while (done < octets.size()) {
      const ssize_t written = ::write(writer_, octets.data() + done, octets.size() - done);
      ASSERT_GT(written, 0);
      done += static_cast<std::size_t>(written);
    }
  }
  void close() {
    if (writer_ >= 0) ::close(writer_);
    writer_ = -1;
  }

 private:
  int saved_ = -1;
  int writer_ = -1;
};

TEST(StandardInput, IsReadToItsEnd) {
  const Bytes contents = cat(pcap_header(order, pcap_us), records(2000, 1500));
  for (const Bytes& file : {contents, gzip(contents), zstd(contents)}) {
    PipedInput input;
    std::thread writer([&] {
      input.write(file);
      input.close();
    });
    expect_records(read_file("-"), 2000, 1500);
    writer.join();
  }
}

TEST(StandardInput, DeliversRecordsAsTheyCome) {
  PipedInput input;
  input.write(cat(pcap_header(order, pcap_us), pcap_record(order, 1, 0, pattern(10))));
  std::string error;
  const auto reader = capture::RecordReader::open("-", error);
  ASSERT_TRUE(reader) << error;
  EXPECT_EQ(reader->progress().total, std::nullopt);
  capture::Record record;
  ASSERT_TRUE(reader->next(record));
  input.write(pcap_record(order, 2, 0, pattern(20)));
  ASSERT_TRUE(reader->next(record));
  EXPECT_EQ(record.octets.size(), 20U);
  input.write(hex("00"));
  input.close();
  EXPECT_FALSE(reader->next(record));
  ASSERT_TRUE(reader->damage());
  EXPECT_EQ(reader->damage()->text, "standard input: record 3 at 0x56 is longer than the file");
}

}  // namespace
}  // namespace iwarp::test
