// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/capture/pcap_writer.hpp>

#include <algorithm>
#include <limits>

#include "pcap_magic.hpp"

namespace iwarp::capture {
namespace {

constexpr std::uint32_t version = 4U << 16U | 2U;  // 2.4: two fields of 16 bits, the first one low
constexpr TimeNs second_ns = 1'000'000'000;

void append_le32(Bytes& out, std::uint64_t value) {
  Byte octets[4];
  store_le32(octets, static_cast<std::uint32_t>(value));
  out.insert(out.end(), octets, octets + 4);
}

}  // namespace

void append_pcap_header(Bytes& out, std::uint32_t link_type, std::uint32_t snap_octets) {
  for (const std::uint32_t field : {magic_nanoseconds, version, 0U, 0U, snap_octets, link_type}) {
    append_le32(out, field);
  }
}

void append_pcap_record(Bytes& out, const Record& record) {
  append_le32(out, static_cast<std::uint64_t>(record.time_ns / second_ns));
  append_le32(out, static_cast<std::uint64_t>(record.time_ns % second_ns));
  append_le32(out, record.octets.size());
  append_le32(out, std::min<std::uint64_t>(record.wire_length, std::numeric_limits<std::uint32_t>::max()));
  out.insert(out.end(), record.octets.begin(), record.octets.end());
}

}  // namespace iwarp::capture
