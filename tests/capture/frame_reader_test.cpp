// Single frames, read again in any order, are those that were read from the beginning.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <iwarp/capture/frame_reader.hpp>

#include "capture/capture_files.hpp"

namespace iwarp::test {
namespace {

using capture::FrameIndex;
using capture::FrameReader;
using capture::Record;
using testing::EndsWith;
using testing::HasSubstr;

const ByteOrder little = ByteOrder::little();

// Octets and length follow from the number; no two are alike, and gzip saves little.
Bytes payload(FrameNumber number) {
  Bytes octets = pattern(500 + number * 7919 % 6000, static_cast<std::uint32_t>(number));
  for (std::size_t at = 0; at < octets.size(); at += 8) octets[at] = static_cast<Byte>(number * at >> 5U);
  return octets;
}

constexpr FrameNumber frames = 5000;  // some 17 MB: four places

Bytes pcap_contents() {
  Bytes file = pcap_header(little, pcap_ns);
  for (FrameNumber number = 1; number <= frames; ++number) {
    const Bytes record = pcap_record(little, static_cast<std::uint32_t>(number), 7, payload(number));
    file.insert(file.end(), record.begin(), record.end());
  }
  return file;
}

// Sections in either byte order, with more and more interfaces; each hundredth block counts as a frame and
// holds none.
Bytes pcapng_contents() {
  Bytes file;
  const auto append = [&file](const Bytes& octets) { file.insert(file.end(), octets.begin(), octets.end()); };
  std::uint32_t interfaces = 0;
  for (FrameNumber number = 1; number <= frames; ++number) {
    const ByteOrder order = number / 1000 % 2 == 0 ? ByteOrder::little() : ByteOrder::big();
    if (number % 1000 == 0 || number == 1) {
      append(section(order));
      interfaces = 0;
    }
    if (number % 300 == 0 || interfaces == 0) {
      append(interface(order, 1 + interfaces));
      ++interfaces;
    }
    append(number % 100 == 0 ? block(order, 9, zeros(8))
                             : enhanced_packet(order, interfaces - 1, number, payload(number)));
  }
  return file;
}

Bytes in_parts(const Bytes& contents, Bytes (*compress)(const Bytes&)) {
  constexpr std::size_t part_size = 1'000'000;
  Bytes file;
  for (std::size_t at = 0; at < contents.size(); at += part_size) {
    const Bytes made = compress(part(contents, at, std::min(part_size, contents.size() - at)));
    file.insert(file.end(), made.begin(), made.end());
  }
  return file;
}

// The file read to its end, with an index.
std::vector<OwnedRecord> read_with(const std::string& path, const std::shared_ptr<FrameIndex>& index) {
  std::string error;
  const auto reader = capture::RecordReader::open(path, error, {}, index);
  EXPECT_NE(reader, nullptr) << error;
  return read_all(*reader).records;
}

void expect_same(const Record& record, const OwnedRecord& expected) {
  ASSERT_EQ(record.number, expected.meta.number);
  EXPECT_EQ(record.time_ns, expected.meta.time_ns);
  EXPECT_EQ(record.link_type, expected.meta.link_type);
  EXPECT_EQ(record.interface, expected.meta.interface);
  EXPECT_EQ(record.wire_length, expected.meta.wire_length);
  EXPECT_EQ(Bytes(record.octets.begin(), record.octets.end()), expected.octets);
}

void expect_any_order(const std::string& path, const std::shared_ptr<const FrameIndex>& index,
                      const std::vector<OwnedRecord>& all, int questions) {
  std::string error;
  const auto reader = FrameReader::open(path, index, error);
  ASSERT_NE(reader, nullptr) << error;
  std::mt19937 random(1);
  Record record;
  for (int question = 0; question < questions; ++question) {
    const std::size_t at = question == 0 ? 0 : question == 1 ? all.size() - 1 : random() % all.size();
    for (std::size_t next = at; next < std::min(at + 3, all.size()); ++next) {  // and on from there
      ASSERT_TRUE(reader->read(all[next].meta.number, record, error)) << error;
      ASSERT_NO_FATAL_FAILURE(expect_same(record, all[next]));
      ASSERT_TRUE(reader->read(all[next].meta.number, record, error)) << "the same again: " << error;
      ASSERT_NO_FATAL_FAILURE(expect_same(record, all[next]));
    }
  }
}

TEST(FrameReader, AnyOrderInAnyFormat) {
  for (const Bytes& contents : {pcap_contents(), pcapng_contents()}) {
    for (const Bytes& file : {contents, gzip(contents), in_parts(contents, gzip), in_parts(contents, zstd)}) {
      const TemporaryFile temporary(file);
      const auto index = std::make_shared<FrameIndex>();
      const std::vector<OwnedRecord> all = read_with(temporary.path(), index);
      ASSERT_GE(all.size(), frames - frames / 100);
      ASSERT_GE(index->size(), 2U);
      ASSERT_NO_FATAL_FAILURE(expect_any_order(temporary.path(), index, all, 50));
    }
  }
}

// Without places, or in one zstd frame, reading begins at the beginning.
TEST(FrameReader, WithoutPlaces) {
  const Bytes contents = pcap_contents();
  for (const Bytes& file : {contents, zstd(contents)}) {
    const TemporaryFile temporary(file);
    const std::vector<OwnedRecord> all = read_with(temporary.path(), nullptr);
    ASSERT_NO_FATAL_FAILURE(expect_any_order(temporary.path(), std::make_shared<FrameIndex>(), all, 5));
    const auto index = std::make_shared<FrameIndex>();
    (void)read_with(temporary.path(), index);
    ASSERT_NO_FATAL_FAILURE(expect_any_order(temporary.path(), index, all, 5));
  }
}

TEST(FrameReader, SaysWhatIsNotThere) {
  const TemporaryFile temporary(pcapng_contents());
  const auto index = std::make_shared<FrameIndex>();
  (void)read_with(temporary.path(), index);
  std::string error;
  const auto reader = FrameReader::open(temporary.path(), index, error);
  Record record;
  EXPECT_FALSE(reader->read(frames + 1, record, error));
  EXPECT_EQ(error, temporary.path() + ": has no frame 5001, 4999 is the last");
  EXPECT_FALSE(reader->read(300, record, error));
  EXPECT_EQ(error, temporary.path() + ": frame 300 holds no packet");
  EXPECT_FALSE(reader->read(0, record, error));
  EXPECT_EQ(error, temporary.path() + ": frames count from 1");
  EXPECT_TRUE(reader->read(301, record, error)) << "nothing of that lasts";
  EXPECT_EQ(record.octets.size(), payload(301).size());
}

TEST(FrameReader, OfAFileThatChanged) {
  const Bytes contents = pcap_contents();
  for (const bool compressed : {false, true}) {
    SCOPED_TRACE(compressed);
    const Bytes file = compressed ? gzip(contents) : contents;
    const TemporaryFile temporary(file);
    const auto index = std::make_shared<FrameIndex>();
    (void)read_with(temporary.path(), index);
    std::string error;
    Record record;
    const auto reader = FrameReader::open(temporary.path(), index, error);
    ASSERT_TRUE(reader->read(100, record, error));
    std::filesystem::resize_file(temporary.path(), file.size() / 2);
    EXPECT_FALSE(reader->read(frames, record, error));
    EXPECT_THAT(error, HasSubstr(temporary.path()));
    EXPECT_TRUE(reader->read(100, record, error)) << error;
    EXPECT_EQ(record.octets.size(), payload(100).size());

    // Another capture in the same file.
    {
      std::fstream over(temporary.path(), std::ios::in | std::ios::out | std::ios::binary);
      over.seekp(24).write("later", 5);
    }
    EXPECT_FALSE(reader->read(200, record, error));
    EXPECT_THAT(error, EndsWith("is another file than it was when it was read"));

    const TemporaryFile another(file);
    std::filesystem::rename(another.path(), temporary.path());
    EXPECT_FALSE(reader->read(200, record, error));
    EXPECT_THAT(error, EndsWith("is another file than it was when it was read"));
    std::filesystem::remove(temporary.path());
    EXPECT_FALSE(reader->read(200, record, error));
    EXPECT_THAT(error, EndsWith("was removed since it was read"));
    EXPECT_EQ(FrameReader::open(temporary.path(), index, error), nullptr);
    EXPECT_EQ(error, temporary.path() + ": No such file or directory");
  }
}

// Frames are looked up while the file is read on.
TEST(FrameReader, BesideTheOneWhoReads) {
  const TemporaryFile temporary(gzip(pcap_contents()));
  const auto index = std::make_shared<FrameIndex>();
  std::atomic<FrameNumber> read{0};
  std::thread analysis([&] {
    std::string error;
    const auto records = capture::RecordReader::open(temporary.path(), error, {}, index);
    for (Record record; records->next(record);) read = record.number;
  });
  while (read == 0) std::this_thread::yield();
  std::string error;
  const auto reader = FrameReader::open(temporary.path(), index, error);
  ASSERT_NE(reader, nullptr) << error;
  std::mt19937 random(2);
  for (int question = 0; question < 30; ++question) {
    const FrameNumber number = 1 + random() % read;
    Record record;
    ASSERT_TRUE(reader->read(number, record, error)) << error;
    EXPECT_EQ(record.octets.size(), payload(number).size());
  }
  analysis.join();
}

}  // namespace
}  // namespace iwarp::test
