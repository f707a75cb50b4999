// For readers whose records several threads look at: octets that are held stay, and compressed files are
// decompressed ahead.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "capture/capture_files.hpp"

namespace iwarp::test {
namespace {

const ByteOrder order = ByteOrder::little();

std::size_t size_of(std::size_t record) {
  return record % 50 == 0 ? 700'000 : record * 7919 % 3000;  // some are longer than a block
}
Bytes content_of(std::size_t record) {
  return pattern(size_of(record), static_cast<std::uint32_t>(record));
}

Bytes long_capture(std::size_t count) {
  std::vector<Bytes> pieces = {pcap_header(order, pcap_us)};
  for (std::size_t i = 0; i < count; ++i) pieces.push_back(pcap_record(order, 1, 0, content_of(i)));
  return cat(pieces);
}

std::unique_ptr<capture::RecordReader> open(const std::string& path, bool ahead) {
  std::string error;
  auto reader = capture::RecordReader::open(path, error, {}, nullptr, ahead);
  EXPECT_EQ(error, "");
  return reader;
}

TEST(HeldStorage, KeepsTheOctetsOfItsRecords) {
  constexpr std::size_t count = 1000;
  const TemporaryFile file(long_capture(count));
  struct Held {
    std::size_t record = 0;
    ByteView octets;
    std::shared_ptr<const void> storage;
  };
  for (const std::size_t held_at_once : {1U, 100U, 1000U}) {
    const auto reader = open(file.path(), false);
    std::deque<Held> held;
    const auto give_up_first = [&] {
      ASSERT_EQ(Bytes(held.front().octets.begin(), held.front().octets.end()),
                content_of(held.front().record));
      held.pop_front();
    };
    capture::Record record;
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(reader->next(record));
      held.push_back({i, record.octets, reader->storage()});
      if (held.size() > held_at_once) give_up_first();
    }
    while (!held.empty()) give_up_first();
  }
}

TEST(HeldStorage, IsUsedAgainWhenItIsGivenUp) {
  std::vector<Bytes> pieces = {pcap_header(order, pcap_us)};
  for (std::uint32_t i = 0; i < 5000; ++i) pieces.push_back(pcap_record(order, 1, 0, pattern(1000, i)));
  const TemporaryFile file(cat(pieces));  // some 20 blocks
  const auto reader = open(file.path(), false);
  std::vector<const void*> different;
  std::shared_ptr<const void> last;
  std::shared_ptr<const void> before;
  capture::Record record;
  while (reader->next(record)) {
    ASSERT_EQ(reader->storage_address(), reader->storage().get());
    if (reader->storage() == last) continue;
    before = std::exchange(last, reader->storage());
    if (std::find(different.begin(), different.end(), last.get()) == different.end())
      different.push_back(last.get());
  }
  EXPECT_GE(different.size(), 2U) << "what is held is not written to";
  EXPECT_LE(different.size(), 4U);
}

TEST(ReadAhead, GivesTheSameRecords) {
  const Bytes capture = long_capture(300);
  for (const Bytes& compressed : {gzip(capture), zstd(capture)}) {
    const TemporaryFile file(compressed);
    const auto reader = open(file.path(), true);
    const Reading reading = read_all(*reader);
    ASSERT_EQ(reading.records.size(), 300U);
    for (std::size_t i = 0; i < 300; ++i) ASSERT_EQ(reading.records[i].octets, content_of(i));
    EXPECT_EQ(reading.damage, "");
    EXPECT_EQ(reader->progress().consumed, compressed.size());
    EXPECT_EQ(reader->progress().total, compressed.size());
  }
}

TEST(ReadAhead, SaysTheSameOfDamage) {
  const Bytes whole = gzip(long_capture(120));
  for (const std::size_t size : {std::size_t{12}, whole.size() / 3, whole.size() - 1}) {
    const TemporaryFile file(part(whole, 0, size));
    std::string errors[2];
    Reading readings[2];
    for (const bool ahead : {false, true}) {
      const auto reader = capture::RecordReader::open(file.path(), errors[ahead], {}, nullptr, ahead);
      if (reader) readings[ahead] = read_all(*reader);
    }
    EXPECT_EQ(errors[0], errors[1]);
    EXPECT_NE(errors[0] + readings[0].damage, "");
    EXPECT_EQ(readings[0].damage, readings[1].damage);
    EXPECT_EQ(readings[0].records.size(), readings[1].records.size());
  }
}

TEST(ReadAhead, MayBeGivenUpAnywhere) {
  const TemporaryFile file(gzip(long_capture(300)));
  for (std::size_t records = 0; records < 200; records += 37) {
    const auto reader = open(file.path(), true);
    capture::Record record;
    for (std::size_t i = 0; i < records; ++i) ASSERT_TRUE(reader->next(record));
  }
}

}  // namespace
}  // namespace iwarp::test
