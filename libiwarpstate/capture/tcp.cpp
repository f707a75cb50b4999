// The TCP header (RFC 9293 §3.1): fields, checksum and identity of a segment.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "endpoint.hpp"
#include "frame_decoder.hpp"

namespace iwarp::capture {
namespace {

constexpr std::size_t min_tcp_octets = 20;
constexpr std::size_t checksum_at = 16;
constexpr Byte tcp_protocol = 6;

enum OptionKind : Byte {
  end_of_options = 0,
  no_operation = 1,
  maximum_segment_size = 2,
  window_scale = 3,
  timestamps = 8
};

// The option's octets, kind and length included; nothing when it is not there.
ByteView find_option(ByteView options, OptionKind kind) noexcept {
  while (!options.empty() && options[0] != end_of_options) {
    if (options[0] == no_operation) {
      options = options.subspan(1);
      continue;
    }
    if (options.size() < 2 || options[1] < 2 || options[1] > options.size()) break;
    if (options[0] == kind) return options.first(options[1]);
    options = options.subspan(options[1]);
  }
  return {};
}

bool has_timestamps(ByteView options) noexcept {
  // Nearly all stacks send them so, behind two no-operations (RFC 7323 appendix A).
  if (options.size() >= 12 && load_be32(options.data()) == 0x0101080a) return true;
  return find_option(options, timestamps).size() == 10;
}

std::uint16_t segment_size_option(ByteView options) noexcept {
  const ByteView option = find_option(options, maximum_segment_size);
  return option.size() == 4 ? load_be16(option.data() + 2) : std::uint16_t{0};
}

// Nobody shifts by more than 14 (RFC 7323 §2.3).
std::int8_t window_scale_option(ByteView options) noexcept {
  const ByteView option = find_option(options, window_scale);
  return option.size() == 3 ? static_cast<std::int8_t>(std::min<Byte>(option[2], 14)) : std::int8_t{-1};
}

// Checksums are added with the first octet of a word low, as payload_sum() does. Words of 32 bits do as well
// as words of 16: 2^16 is 1 in one's-complement arithmetic (RFC 1071 §2).
// REQUIRES: `octets` is a multiple of 4.
std::uint64_t sum32(const Byte* at, std::size_t octets) noexcept {
  std::uint64_t sum = 0;
  for (const Byte* const end = at + octets; at != end; at += 4) sum += load_le32(at);
  return sum;
}

// Of the header.
std::uint64_t sum_of_header(const Byte* at, std::size_t octets) noexcept {
  const std::uint64_t fixed = std::uint64_t{load_le32(at)} + load_le32(at + 4) + load_le32(at + 8) +
                              load_le32(at + 12) + load_le32(at + 16);
  return fixed + sum32(at + min_tcp_octets, octets - min_tcp_octets);
}

std::uint16_t fold(std::uint64_t sum) noexcept {
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>((sum & 0xffff) + (sum >> 16));
}

struct PseudoHeader {
  std::uint64_t without_length = 0;
  std::uint64_t length = 0;
};

PseudoHeader pseudo_header(const Position& position) noexcept {
  Byte length_and_protocol[8] = {0, 0, 0, 0, 0, 0, 0, tcp_protocol};
  store_be32(length_and_protocol, static_cast<std::uint32_t>(position.wire));
  const std::uint64_t addresses =
      position.version == 4 ? std::uint64_t{load_le32(position.source)} + load_le32(position.destination)
                            : sum32(position.source, 16) + sum32(position.destination, 16);
  return {addresses + load_le32(length_and_protocol + 4), load_le32(length_and_protocol)};
}

// Kernels leave the sum of the pseudo-header to a NIC that will add the rest: with the length or, for
// super-frames, without it; some as it is, some inverted. Others leave 0. 0 and ffff are the same number.
bool is_left_to_nic(std::uint16_t checksum, const PseudoHeader& pseudo) noexcept {
  const std::uint16_t whole = fold(pseudo.without_length + pseudo.length);
  const std::uint16_t without_length = fold(pseudo.without_length);
  const auto inverted = static_cast<std::uint16_t>(~checksum);
  return checksum == 0 || inverted == 0 || checksum == whole || inverted == whole ||
         checksum == without_length || inverted == without_length;
}

// REQUIRES: the whole segment is captured.
ChecksumStatus verify(const Position& position, std::size_t header_octets,
                      std::uint64_t sum_of_payload) noexcept {
  const PseudoHeader pseudo = pseudo_header(position);
  const std::uint64_t sum =
      pseudo.without_length + pseudo.length + sum_of_header(position.at, header_octets) + sum_of_payload;
  if (sum % 0xffff == 0) return ChecksumStatus::good;  // fold() gives ffff: the protocol in it is not 0
  if (position.is_source_routed) return ChecksumStatus::unknown;
  const auto checksum =
      static_cast<std::uint16_t>(position.at[checksum_at] | position.at[checksum_at + 1] << 8);
  return is_left_to_nic(checksum, pseudo) ? ChecksumStatus::offloaded : ChecksumStatus::bad;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 29;
}

// All that a second copy of the packet has in common with the first; a retransmission has not where there is
// an identification, or are timestamps. The checksum is left out: of two copies one may have been taken
// before the NIC filled it in.
std::uint64_t identify(const Position& position, ByteView header, std::size_t payload_octets) noexcept {
  const Byte* const at = header.data();
  const std::uint64_t urgent_pointer = load_be16(at + 18);
  std::uint64_t hash =
      mix(payload_octets, urgent_pointer << 48 | std::uint64_t{position.identification} << 32);
  const std::size_t address_octets = position.version == 4 ? 4 : 16;
  for (std::size_t i = 0; i < address_octets; i += 4) {
    hash =
        mix(hash, std::uint64_t{load_le32(position.source + i)} << 32 | load_le32(position.destination + i));
  }
  hash = mix(hash, load_be64(at));      // ports, sequence
  hash = mix(hash, load_be64(at + 8));  // to the window
  std::size_t done = min_tcp_octets;
  for (; header.size() - done >= 8; done += 8) hash = mix(hash, load_be64(at + done));
  if (done > min_tcp_octets && done < header.size()) {
    hash = mix(hash, load_be64(at + header.size() - 8));  // some octets again
  } else {
    for (; done < header.size(); ++done) hash = mix(hash, at[done]);
  }
  return hash == 0 ? 1 : hash;
}

}  // namespace

SkipReason FrameDecoder::tcp(const Position& position, TcpSegment& segment) noexcept {
  if (position.wire < min_tcp_octets) return SkipReason::malformed_tcp;
  if (position.captured < min_tcp_octets) return SkipReason::tcp_header_cut;
  const Byte* const at = position.at;
  const std::size_t header_octets = (at[12] >> 4) * std::size_t{4};
  if (header_octets < min_tcp_octets || header_octets > position.wire) return SkipReason::malformed_tcp;
  // Options may be cut: the segment's place in the stream is known all the same.
  const ByteView header(at, std::min(header_octets, position.captured));

  segment.time_ns = position.time_ns;
  set_endpoint(segment.source, position.source, position.version, at);
  set_endpoint(segment.destination, position.destination, position.version, at + 2);
  segment.network = position.network;
  segment.sequence = load_be32(at + 4);
  segment.acknowledgement = load_be32(at + 8);
  segment.flags = at[13];
  segment.window = load_be16(at + 14);
  const ByteView options = header.subspan(min_tcp_octets);
  const bool opens = (at[13] & iwarp::tcp::syn) != 0;
  segment.mss = opens ? segment_size_option(options) : std::uint16_t{0};
  segment.window_scale = opens ? window_scale_option(options) : std::int8_t{-1};
  segment.timestamps = opens && has_timestamps(options);
  segment.payload = {at + header.size(), position.captured - header.size()};
  segment.wire_length = static_cast<std::uint32_t>(position.wire - header_octets);
  segment.payload_sum = payload_sum(segment.payload);
  segment.checksum = position.captured == position.wire ? verify(position, header_octets, segment.payload_sum)
                                                        : ChecksumStatus::unknown;
  segment.packet_identity = identify(position, header, segment.wire_length);
  if (position.identification == 0 && !has_timestamps(options)) {
    const std::uint64_t fingerprint = mix(segment.packet_identity, segment.payload_sum);
    segment.packet_identity = copies_.identify(fingerprint, segment.time_ns);
  }
  return SkipReason::none;
}

}  // namespace iwarp::capture
