// Any octets as a capture file: no crash, no hang, memory by what is there; frame numbers that rise,
// records inside the file, a second reading the same as the first.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdint>
#include <cstdlib>
#include <string>

#include <iwarp/capture/segment_reader.hpp>

namespace {

using iwarp::Byte;
using iwarp::ByteView;
using iwarp::capture::Record;
using iwarp::capture::RecordReader;

void require(bool holds) {
  if (!holds) std::abort();
}

// A value of everything that was read.
std::uint64_t read(ByteView file) {
  std::string error;
  const auto reader = RecordReader::open_memory(file, "a.pcap", error);
  require((reader == nullptr) == !error.empty());
  if (!reader) return 0;
  std::uint64_t value = 1;
  std::uint64_t frames = 0;
  std::uint64_t last = 0;
  Record record;
  // Compressed files may hold a thousand times their size.
  while (frames < 10'000 && reader->next(record)) {
    ++frames;
    require(record.number > last);  // a file may have frames that hold no packet
    last = record.number;
    require(record.wire_length >= record.octets.size());
    value = value * 31 + static_cast<std::uint64_t>(record.time_ns) + record.octets.size();
    for (const Byte octet : record.octets) value = value * 31 + octet;
  }
  if (reader->damage()) require(reader->damage()->text.starts_with("a.pcap: "));
  require(reader->progress().consumed <= file.size());
  return value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView file(data, size);
  require(read(file) == read(file));

  std::string error;
  const auto records = RecordReader::open_memory(file, "a.pcap", error);
  if (!records) return 0;
  iwarp::capture::SegmentReader segments(*records);
  iwarp::TcpSegment segment;
  while (segments.frames() < 10'000 && segments.next(segment))
    require(segment.wire_length >= segment.payload.size());
  return 0;
}
