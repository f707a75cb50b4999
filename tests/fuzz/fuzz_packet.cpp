// Any octets as captured frames. The input is a sequence of frames: link type (1 octet, an index), octets cut
// off by the snapshot length (1), length (2), octets. All go through one decoder, so that fragments meet.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <vector>

#include <iwarp/capture/packet_decoder.hpp>

namespace {

using namespace iwarp::capture;

constexpr std::uint32_t link_types[] = {link_type::ethernet,   link_type::raw,  link_type::linux_sll,
                                        link_type::linux_sll2, link_type::null, link_type::loop,
                                        link_type::ipv4,       link_type::ipv6, 147};

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const Record& record, const iwarp::TcpSegment& segment) {
  require(segment.frame == record.number);
  require(segment.wire_length >= segment.payload.size());
  require(segment.payload_sum == iwarp::payload_sum(segment.payload));
  require(segment.source.address.version == segment.destination.address.version);
  if (segment.checksum != iwarp::ChecksumStatus::unknown)
    require(segment.wire_length == segment.payload.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Small bounds, so that eviction happens.
  PacketDecoder decoder({.octets = 200'000, .datagrams = 4});
  std::uint64_t frames = 0, segments = 0;
  while (size >= 4) {
    Record record;
    record.number = ++frames;
    record.time_ns = static_cast<iwarp::TimeNs>(frames) * 20'000'000'000;
    record.has_time = frames % 2 == 0;
    record.link_type = link_types[data[0] % std::size(link_types)];
    const std::size_t length = std::min<std::size_t>(std::size_t{data[2]} << 8 | data[3], size - 4);
    // A copy of its own, so that reading behind it is seen.
    const std::vector<std::uint8_t> octets(data + 4, data + 4 + length);
    record.octets = octets;
    record.wire_length = length + data[1];
    iwarp::TcpSegment segment;
    if (decoder.decode(record, segment)) {
      ++segments;
      check(record, segment);
    }
    data += 4 + length;
    size -= 4 + length;
  }
  std::uint64_t skipped = 0;
  for (const auto& [reason, count] : decoder.skipped()) skipped += count;
  require(segments + decoder.reassembled() + skipped == frames);
  return 0;
}
