// Any octets through every parse of iwarp::wire: what was parsed encodes back to the octets it was made of,
// or, for Terminate, to octets that mean the same; and the two CRCs agree.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <iwarp/wire/crc32c.hpp>
#include <iwarp/wire/ddp.hpp>
#include <iwarp/wire/mpa.hpp>
#include <iwarp/wire/rdmap.hpp>

namespace {

using namespace iwarp;

void require(bool condition) {
  if (!condition) std::abort();
}

// `parsed` encodes to the first octets of `octets`; an error names an offset inside them.
template <typename Value>
void same_octets(const Result<Value>& parsed, ByteView octets) {
  if (!parsed) {
    require(parsed.error().offset <= octets.size());
    return;
  }
  Bytes out;
  wire::encode(*parsed, out);
  require(out.size() <= octets.size());
  require(std::equal(out.begin(), out.end(), octets.begin()));
}

void same_startup(ByteView octets) {
  const Result<wire::StartupFrame> frame = wire::parse_startup(octets);
  same_octets(frame, octets);
  if (!frame) return;
  const std::optional<wire::EnhancedWord> word = frame->enhanced_word();
  require(!word || (frame->enhanced && frame->private_data.size() >= 4));
  if (!word) return;
  Byte again[4];
  wire::encode(*word, again);
  require(std::equal(again, again + 4, frame->private_data.begin()));
}

void same_meaning(ByteView octets, std::optional<wire::BitOrder> order) {
  const Result<wire::Terminate> first = wire::parse_terminate(octets, order);
  require(static_cast<bool>(first) == (octets.size() >= 4));
  if (!first) return;
  require(!first->ddp_header || first->ddp_segment_length);
  require(!first->read_request || first->ddp_header);
  require(first->leftover <= octets.size() - 4);
  require(!order || first->bit_order == *order);

  Bytes out;
  wire::encode(*first, out);
  require(out.size() + first->leftover <= octets.size());
  // encode() writes RFC order; a guess has to find that out by itself.
  const Result<wire::Terminate> second =
      wire::parse_terminate(out, order ? std::optional(wire::BitOrder::rfc) : std::nullopt);
  require(static_cast<bool>(second));
  require(second->bit_order == wire::BitOrder::rfc);
  require(second->meant == first->meant);
  require(second->length_valid == first->length_valid);
  require(second->has_ddp_header == first->has_ddp_header);
  require(second->has_rdma_header == first->has_rdma_header);
  require(second->ddp_segment_length == first->ddp_segment_length);
  require(second->ddp_header == first->ddp_header);
  require(second->read_request == first->read_request);
  require(second->leftover == 0);
  require(wire::describe_terminate(first->meant.value()).name != nullptr);
}

void same_crc(ByteView octets) {
  const std::uint32_t expected = wire::crc32c_portable(octets);
  require(wire::crc32c(octets) == expected);
  const std::size_t split = octets.empty() ? 0 : octets[0] * octets.size() / 256;
  require(wire::crc32c(octets.subspan(split), wire::crc32c(octets.first(split))) == expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView octets(data, size);
  same_startup(octets);
  same_octets(wire::parse_ddp(octets), octets);
  same_octets(wire::parse_read_request(octets), octets);
  same_octets(wire::parse_atomic_request(octets), octets);
  same_octets(wire::parse_atomic_response(octets), octets);
  require(static_cast<bool>(wire::parse_immediate(octets)) == (size >= wire::immediate_size));
  for (const auto order : {std::optional<wire::BitOrder>(), std::optional(wire::BitOrder::rfc),
                           std::optional(wire::BitOrder::siw)}) {
    same_meaning(octets, order);
  }
  same_crc(octets);
  return 0;
}
