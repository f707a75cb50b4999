// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/capture_files.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>

namespace iwarp::test {

Bytes ByteOrder::number(std::uint64_t value, std::size_t octets) const {
  Bytes out;
  for (std::size_t i = 0; i < octets; ++i) out.push_back(static_cast<Byte>(value >> 8U * i));
  if (is_big_) std::reverse(out.begin(), out.end());
  return out;
}

Bytes pcap_header(const ByteOrder& order, std::uint32_t magic, std::uint32_t link_type) {
  return cat(order.u32(magic), order.u16(2), order.u16(4), zeros(8), order.u32(262144), order.u32(link_type));
}

Bytes pcap_record(const ByteOrder& order, std::uint32_t seconds, std::uint32_t fraction, const Bytes& octets,
                  std::optional<std::uint32_t> wire_length, std::optional<std::uint32_t> captured) {
  const auto size = static_cast<std::uint32_t>(octets.size());
  return cat(order.u32(seconds), order.u32(fraction), order.u32(captured.value_or(size)),
             order.u32(wire_length.value_or(size)), octets);
}

Bytes block(const ByteOrder& order, std::uint32_t type, Bytes body) {
  body.resize((body.size() + 3) / 4 * 4);
  const Bytes length = order.u32(body.size() + 12);
  return cat(order.u32(type), length, body, length);
}

Bytes section(const ByteOrder& order) {
  return block(order, 0x0a0d0d0a, cat(order.u32(0x1a2b3c4d), order.u16(1), order.u16(0), order.u64(~0ULL)));
}

Bytes interface(const ByteOrder& order, unsigned link_type, std::uint32_t snapshot_length,
                const Bytes& options) {
  return block(order, 1, cat(order.u16(link_type), order.u16(0), order.u32(snapshot_length), options));
}

Bytes option(const ByteOrder& order, unsigned code, Bytes value) {
  const Bytes head = cat(order.u16(code), order.u16(static_cast<unsigned>(value.size())));
  value.resize((value.size() + 3) / 4 * 4);
  return cat(head, value);
}

Bytes enhanced_packet(const ByteOrder& order, std::uint32_t interface, std::uint64_t ticks,
                      const Bytes& octets, std::optional<std::uint32_t> wire_length) {
  const auto size = static_cast<std::uint32_t>(octets.size());
  return block(order, 6,
               cat(order.u32(interface), order.u32(ticks >> 32U), order.u32(ticks & 0xffffffffU),
                   order.u32(size), order.u32(wire_length.value_or(size)), octets));
}

Reading read_all(capture::RecordReader& reader) {
  Reading reading;
  capture::Record record;
  while (reader.next(record)) {
    reading.records.push_back({record, Bytes(record.octets.begin(), record.octets.end())});
    reading.records.back().meta.octets = {};
  }
  EXPECT_FALSE(reader.next(record));  // the end stays the end
  if (reader.damage()) {
    reading.damage = reader.damage()->text;
    reading.damage_offset = reader.damage()->offset;
  }
  return reading;
}

Reading read_octets(const Bytes& file) {
  Reading reading;
  const auto reader = capture::RecordReader::open_memory(file, "a.pcap", reading.error);
  return reader ? read_all(*reader) : reading;
}

Reading read_file(const std::string& path) {
  Reading reading;
  const auto reader = capture::RecordReader::open(path, reading.error);
  return reader ? read_all(*reader) : reading;
}

Bytes gzip(const Bytes& contents) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  Bytes out(deflateBound(&stream, contents.size()) + 64);
  Bytes in = contents;
  stream.next_in = in.data();
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Bytes zstd(const Bytes& contents) {
  Bytes out(ZSTD_compressBound(contents.size()));
  out.resize(ZSTD_compress(out.data(), out.size(), contents.data(), contents.size(), 3));
  return out;
}

}  // namespace iwarp::test
