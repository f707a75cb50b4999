// Text of addresses and the payload sum of TCP segments.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/segment.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace iwarp {
namespace {

void append_number(std::string& text, unsigned value, int base) {
  char digits[8];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, base).ptr;
  text.append(digits, end);
}

void append_ipv4(std::string& text, const Byte* octets) {
  for (int i = 0; i < 4; ++i) {
    if (i != 0) text += '.';
    append_number(text, octets[i], 10);
  }
}

// The longest run of two or more zero groups, the first of equals (RFC 5952 §4.2).
struct ZeroRun {
  int start = 8;
  int length = 0;
};

ZeroRun longest_zero_run(const IpAddress& address) {
  ZeroRun best, run;
  for (int group = 0; group < 8; ++group) {
    if (load_be16(address.octets.data() + 2 * group) != 0) {
      run.length = 0;
      continue;
    }
    if (run.length == 0) run.start = group;
    ++run.length;
    if (run.length >= 2 && run.length > best.length) best = run;
  }
  return best;
}

void append_ipv6(std::string& text, const IpAddress& address) {
  static constexpr Byte mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(mapped_prefix, mapped_prefix + 12, address.octets.data())) {  // RFC 5952 §5
    text += "::ffff:";
    append_ipv4(text, address.octets.data() + 12);
    return;
  }
  const ZeroRun zeros = longest_zero_run(address);
  for (int group = 0; group < 8; ++group) {
    if (group == zeros.start) {
      text += "::";
      group += zeros.length - 1;
      continue;
    }
    if (group != 0 && group != zeros.start + zeros.length) text += ':';
    append_number(text, load_be16(address.octets.data() + 2 * group), 16);
  }
}

// Words of the sum side by side. g++ and clang turn operations on this type into what the machine has.
using Lanes [[gnu::vector_size(16)]] = std::uint32_t;

Lanes load_lanes(const Byte* at) noexcept {
  Lanes lanes;
  std::memcpy(&lanes, at, sizeof lanes);
  return lanes;
}

// Adds the 16-bit words in lanes of 32 bits. Only the upper half of a lane is taken out of it: what the sum
// of whole lanes, modulo 2^32, has beyond that of the upper halves is the sum of the lower ones.
class LaneSum {
 public:
  // With more words of 16 bits the sum of the lower halves could overflow.
  static constexpr std::size_t max_octets = sizeof(Lanes) << 16U;

  void add(const Byte* at) noexcept {
    const Lanes lanes = load_lanes(at);
    whole_ += lanes;
    upper_ += lanes >> 16U;
  }

  [[nodiscard]] std::uint64_t total() const noexcept {
    const Lanes lower = whole_ - (upper_ << 16U);
    const Pairs sums = in_pairs(lower) + in_pairs(upper_);
    return sums[0] + sums[1];
  }

 private:
  using Pairs [[gnu::vector_size(16)]] = std::uint64_t;

  static Pairs in_pairs(Lanes lanes) noexcept {
    Pairs pairs;
    std::memcpy(&pairs, &lanes, sizeof pairs);
    return (pairs & 0xffffffffU) + (pairs >> 32U);
  }

  Lanes whole_{};
  Lanes upper_{};
};

// Sum of all but fewer than sixteen of `octets`; moves `octets` past them. REQUIRES: little-endian lanes.
std::uint64_t sum_lanes(ByteView& octets) noexcept {
  constexpr std::size_t stride = 4 * sizeof(Lanes);
  std::uint64_t sum = 0;
  while (octets.size() >= sizeof(Lanes)) {
    const std::size_t length = std::min(octets.size(), LaneSum::max_octets) / sizeof(Lanes) * sizeof(Lanes);
    const Byte* at = octets.data();
    const Byte* const end = at + length;
    LaneSum lanes;
    for (; static_cast<std::size_t>(end - at) >= stride; at += stride) {
      lanes.add(at);
      lanes.add(at + sizeof(Lanes));
      lanes.add(at + 2 * sizeof(Lanes));
      lanes.add(at + 3 * sizeof(Lanes));
    }
    for (; at != end; at += sizeof(Lanes)) lanes.add(at);
    sum += lanes.total();
    octets = octets.subspan(length);
  }
  return sum;
}

std::uint64_t sum_eight(const Byte* at) noexcept {
  std::uint64_t words;
  std::memcpy(&words, at, sizeof words);
  const std::uint64_t pairs = (words & 0x0000ffff0000ffffU) + (words >> 16 & 0x0000ffff0000ffffU);
  return (pairs & 0xffffffffU) + (pairs >> 32);
}

}  // namespace

std::string to_string(const IpAddress& address) {
  std::string text;
  if (address.version == 6) {
    append_ipv6(text, address);
  } else {
    append_ipv4(text, address.octets.data());
  }
  return text;
}

std::string to_string(const Endpoint& endpoint) {
  std::string text = to_string(endpoint.address);
  if (endpoint.address.version == 6) text = '[' + text + ']';
  text += ':';
  append_number(text, endpoint.port, 10);
  return text;
}

std::uint64_t payload_sum(ByteView octets) noexcept {
  std::uint64_t sum = 0;
  if constexpr (std::endian::native == std::endian::little) {
    sum = sum_lanes(octets);
    if (octets.size() >= 8) {
      sum += sum_eight(octets.data());
      octets = octets.subspan(8);
    }
  }
  for (; octets.size() >= 2; octets = octets.subspan(2)) {
    sum += static_cast<std::uint64_t>(octets[0] | octets[1] << 8);
  }
  if (!octets.empty()) sum += octets[0];
  return sum;
}

}  // namespace iwarp
