// Capture files octet by octet, in either byte order, and what a RecordReader makes of them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <iwarp/capture/record_reader.hpp>

#include "support/octets.hpp"

namespace iwarp::test {

// Integers in the byte order of a file.
class ByteOrder {
 public:
  static ByteOrder big() { return ByteOrder(true); }
  static ByteOrder little() { return ByteOrder(false); }

  [[nodiscard]] Bytes u16(unsigned value) const { return number(value, 2); }
  [[nodiscard]] Bytes u32(std::uint64_t value) const { return number(value, 4); }
  [[nodiscard]] Bytes u64(std::uint64_t value) const { return number(value, 8); }

 private:
  explicit ByteOrder(bool is_big) : is_big_(is_big) {}
  [[nodiscard]] Bytes number(std::uint64_t value, std::size_t octets) const;
  bool is_big_;
};

inline constexpr std::uint32_t pcap_us = 0xa1b2c3d4, pcap_ns = 0xa1b23c4d, pcap_modified = 0xa1b2cd34;

[[nodiscard]] Bytes pcap_header(const ByteOrder& order, std::uint32_t magic, std::uint32_t link_type = 1);
[[nodiscard]] Bytes pcap_record(const ByteOrder& order, std::uint32_t seconds, std::uint32_t fraction,
                                const Bytes& octets, std::optional<std::uint32_t> wire_length = {},
                                std::optional<std::uint32_t> captured = {});

// A block with its lengths and padding.
[[nodiscard]] Bytes block(const ByteOrder& order, std::uint32_t type, Bytes body);
[[nodiscard]] Bytes section(const ByteOrder& order);
[[nodiscard]] Bytes interface(const ByteOrder& order, unsigned link_type, std::uint32_t snapshot_length = 0,
                              const Bytes& options = {});
[[nodiscard]] Bytes option(const ByteOrder& order, unsigned code, Bytes value);
[[nodiscard]] Bytes enhanced_packet(const ByteOrder& order, std::uint32_t interface, std::uint64_t ticks,
                                    const Bytes& octets, std::optional<std::uint32_t> wire_length = {});

// Compressed as one member, one frame.
[[nodiscard]] Bytes gzip(const Bytes& contents);
[[nodiscard]] Bytes zstd(const Bytes& contents);

// A file that is gone with the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const Bytes& contents) {
    std::string pattern = (std::filesystem::temp_directory_path() / "iwarp-test-XXXXXX").string();
    const int descriptor = ::mkstemp(pattern.data());
    if (descriptor >= 0) ::close(descriptor);
    path_ = pattern;
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(contents.data()), static_cast<std::streamsize>(contents.size()));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct OwnedRecord {
  capture::Record meta;  // all but octets
  Bytes octets;
};

struct Reading {
  std::vector<OwnedRecord> records;
  std::string error;   // why the file could not be opened
  std::string damage;  // the sentence, or empty
  std::uint64_t damage_offset = 0;
};

[[nodiscard]] Reading read_all(capture::RecordReader& reader);
// From memory, under the name "a.pcap".
[[nodiscard]] Reading read_octets(const Bytes& file);
[[nodiscard]] Reading read_file(const std::string& path);

}  // namespace iwarp::test
