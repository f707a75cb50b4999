// RDMAP headers of fixed size: Read Request, Atomic Request and Response, Immediate Data.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/wire/rdmap.hpp>

#include <algorithm>
#include <array>

namespace iwarp::wire {
namespace {

constexpr std::uint32_t operation_mask = 0x0f;
constexpr unsigned operation_bits = 4;

// Appends `size` octets to `out` and returns where they begin.
Byte* extend(Bytes& out, std::size_t size) {
  const std::size_t start = out.size();
  out.resize(start + size);
  return out.data() + start;
}

// `parse` of the octets that are there, and zeros behind them.
template <std::size_t Size, typename Header>
Cut<Header> parse_cut(ByteView octets, Result<Header> (*parse)(ByteView)) noexcept {
  std::array<Byte, Size> padded{};
  const std::size_t there = std::min(octets.size(), Size);
  std::copy_n(octets.data(), there, padded.begin());
  return {*parse(padded), there};
}

// Adds field by field: a bit set in `mask` is the highest of its field, and its carry goes nowhere (RFC 7306
// §5.1.1).
std::uint64_t masked_add(std::uint64_t word, std::uint64_t addend, std::uint64_t mask) noexcept {
  // The fields' highest bits are added apart, without carry; what is left cannot carry over them.
  const std::uint64_t sum = (word & ~mask) + (addend & ~mask);
  return sum ^ ((word ^ addend) & mask);
}

}  // namespace

Result<ReadRequest> parse_read_request(ByteView octets) {
  if (octets.size() < read_request_size) return ParseError{"Read Request header is cut short", octets.size()};
  const Byte* at = octets.data();
  ReadRequest request;
  request.sink_stag = load_be32(at);
  request.sink_to = load_be64(at + 4);
  request.size = load_be32(at + 12);
  request.source_stag = load_be32(at + 16);
  request.source_to = load_be64(at + 20);
  return request;
}

Cut<ReadRequest> parse_cut_read_request(ByteView octets) noexcept {
  return parse_cut<read_request_size>(octets, parse_read_request);
}

void encode(const ReadRequest& request, Bytes& out) {
  Byte* at = extend(out, read_request_size);
  store_be32(at, request.sink_stag);
  store_be64(at + 4, request.sink_to);
  store_be32(at + 12, request.size);
  store_be32(at + 16, request.source_stag);
  store_be64(at + 20, request.source_to);
}

Result<AtomicRequest> parse_atomic_request(ByteView octets) {
  if (octets.size() < atomic_request_size) {
    return ParseError{"Atomic Request header is cut short", octets.size()};
  }
  const Byte* at = octets.data();
  const std::uint32_t control = load_be32(at);
  AtomicRequest request;
  request.reserved = control >> operation_bits;
  request.operation = static_cast<std::uint8_t>(control & operation_mask);
  request.request_id = load_be32(at + 4);
  request.remote_stag = load_be32(at + 8);
  request.remote_to = load_be64(at + 12);
  request.add_swap_data = load_be64(at + 20);
  request.add_swap_mask = load_be64(at + 28);
  request.compare_data = load_be64(at + 36);
  request.compare_mask = load_be64(at + 44);
  return request;
}

Cut<AtomicRequest> parse_cut_atomic_request(ByteView octets) noexcept {
  return parse_cut<atomic_request_size>(octets, parse_atomic_request);
}

void encode(const AtomicRequest& request, Bytes& out) {
  Byte* at = extend(out, atomic_request_size);
  store_be32(at, request.reserved << operation_bits | (request.operation & operation_mask));
  store_be32(at + 4, request.request_id);
  store_be32(at + 8, request.remote_stag);
  store_be64(at + 12, request.remote_to);
  store_be64(at + 20, request.add_swap_data);
  store_be64(at + 28, request.add_swap_mask);
  store_be64(at + 36, request.compare_data);
  store_be64(at + 44, request.compare_mask);
}

std::uint64_t apply_atomic(const AtomicRequest& request, std::uint64_t word) noexcept {
  if (request.operation == static_cast<std::uint8_t>(AtomicOperation::fetch_add)) {
    return masked_add(word, request.add_swap_data, request.add_swap_mask);
  }
  if (((request.compare_data ^ word) & request.compare_mask) != 0) return word;
  return (word & ~request.add_swap_mask) | (request.add_swap_data & request.add_swap_mask);
}

Result<AtomicResponse> parse_atomic_response(ByteView octets) {
  if (octets.size() < atomic_response_size) {
    return ParseError{"Atomic Response header is cut short", octets.size()};
  }
  AtomicResponse response;
  response.original_request_id = load_be32(octets.data());
  response.original_remote_data = load_be64(octets.data() + 4);
  return response;
}

Cut<AtomicResponse> parse_cut_atomic_response(ByteView octets) noexcept {
  return parse_cut<atomic_response_size>(octets, parse_atomic_response);
}

void encode(const AtomicResponse& response, Bytes& out) {
  Byte* at = extend(out, atomic_response_size);
  store_be32(at, response.original_request_id);
  store_be64(at + 4, response.original_remote_data);
}

Result<std::uint64_t> parse_immediate(ByteView octets) {
  if (octets.size() < immediate_size) return ParseError{"Immediate Data is cut short", octets.size()};
  return load_be64(octets.data());
}

}  // namespace iwarp::wire
