// Endpoint of a transport header: address and port, set in place.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include <iwarp/bytes.hpp>
#include <iwarp/segment.hpp>

namespace iwarp::capture {

// An Endpoint made elsewhere and copied costs more than the rest of a TCP header.
inline void set_endpoint(Endpoint& endpoint, const Byte* address, std::uint8_t version,
                         const Byte* port) noexcept {
  // In words, as it is compared: the processor waits when it reads as one what was written in parts.
  std::uint64_t words[2] = {};
  if (version == 4) {
    std::uint32_t word;
    std::memcpy(&word, address, sizeof word);
    words[0] = std::uint64_t{word} << (std::endian::native == std::endian::big ? 32 : 0);
  } else {
    std::memcpy(words, address, sizeof words);
  }
  std::memcpy(endpoint.address.octets.data(), words, sizeof words);
  endpoint.address.version = version;
  endpoint.port = load_be16(port);
}

}  // namespace iwarp::capture
