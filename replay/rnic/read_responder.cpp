// Read Responses and Atomic Responses.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/read_responder.hpp"

#include <algorithm>
#include <cstring>

#include "rnic/segment.hpp"

namespace iwarp::rnic {
namespace {

constexpr AccessRights atomic_rights = access::remote_read | access::remote_write;

}  // namespace

std::optional<Violation> check_source(const wire::ReadRequest& read, const MemoryTable& memory,
                                      const Accessor& self) noexcept {
  const MemoryRange range =
      memory.check_remote(read.source_stag, read.source_to, read.size, access::remote_read, self);
  if (range.fault == MemoryFault::none) return std::nullopt;
  return source_violation(range.fault);
}

std::optional<Violation> check_source(const wire::AtomicRequest& atomic, const MemoryTable& memory,
                                      const Accessor& self) noexcept {
  const MemoryRange range =
      memory.check_remote(atomic.remote_stag, atomic.remote_to, atomic_size, atomic_rights, self);
  // The address that the TO stands for, whatever the TO is (RFC 7306 §5.1.1, §8.2).
  if (range.entry != nullptr &&
      (range.entry->address + (atomic.remote_to - range.entry->base)) % atomic_size != 0) {
    return Violation{code::stream_catastrophic, AsyncEventKind::irrq_access};
  }
  if (range.fault == MemoryFault::none) return std::nullopt;
  return source_violation(range.fault);
}

ReadResponder::Progress ReadResponder::fail(const Violation& violation) {
  violation_ = violation;
  const InboundRequest& request = requests_.front();
  offender_ = {};
  offender_.header = request.header;
  if (const auto* read = std::get_if<wire::ReadRequest>(&request.what)) {
    wire::ReadRequest advanced = *read;
    advanced.sink_to += request.sent;
    advanced.source_to += request.sent;
    advanced.size -= request.sent;
    offender_.segment_length = wire::untagged_header_size + wire::read_request_size;
    offender_.read_request = advanced;
  } else {
    offender_.segment_length = wire::untagged_header_size + wire::atomic_request_size;
  }
  return Progress::failed;
}

ReadResponder::Progress ReadResponder::next_segment(Bytes& out, std::uint32_t max_ulpdu,
                                                    std::uint32_t max_payload, const MemoryTable& memory,
                                                    const Accessor& self) {
  if (requests_.empty()) return Progress::nothing;
  InboundRequest& request = requests_.front();
  if (const auto* atomic = std::get_if<wire::AtomicRequest>(&request.what))
    return answer(*atomic, out, memory, self);
  std::uint32_t room = max_ulpdu - wire::tagged_header_size;
  if (max_payload != 0) room = std::min(room, max_payload);
  return answer(std::get<wire::ReadRequest>(request.what), request, out, room, memory, self);
}

ReadResponder::Progress ReadResponder::answer(wire::ReadRequest read, InboundRequest& request, Bytes& out,
                                              std::uint32_t room, const MemoryTable& memory,
                                              const Accessor& self) {
  const std::uint32_t payload = std::min(room, read.size - request.sent);
  const bool last = payload == read.size - request.sent;
  MemoryRange range;
  if (payload != 0) {
    range = memory.check_remote(read.source_stag, read.source_to + request.sent, payload, access::remote_read,
                                self);
    if (range.fault != MemoryFault::none) return fail(source_violation(range.fault));
  }
  wire::encode(tagged_header(wire::Opcode::read_response, read.sink_stag, read.sink_to + request.sent, last),
               out);
  if (payload != 0) {
    const std::size_t at = out.size();
    out.resize(at + payload);
    MemoryTable::read(range, out.data() + at, payload);
  }
  request.sent += payload;
  if (last) requests_.pop_front();
  return Progress::segment;
}

ReadResponder::Progress ReadResponder::answer(const wire::AtomicRequest& atomic, Bytes& out,
                                              const MemoryTable& memory, const Accessor& self) {
  if (const auto violation = check_source(atomic, memory, self)) return fail(*violation);
  const MemoryRange range =
      memory.check_remote(atomic.remote_stag, atomic.remote_to, atomic_size, atomic_rights, self);
  // The arithmetic is that of the host's words (RFC 7306 §5.1).
  Byte octets[atomic_size];
  std::uint64_t word;
  MemoryTable::read(range, octets, atomic_size);
  std::memcpy(&word, octets, atomic_size);
  const std::uint64_t changed = wire::apply_atomic(atomic, word);
  std::memcpy(octets, &changed, atomic_size);
  MemoryTable::write(range, octets);
  wire::encode(untagged_header(wire::Opcode::atomic_response, next_msn_++, 0, true), out);
  wire::encode(wire::AtomicResponse{atomic.request_id, word}, out);
  requests_.pop_front();
  return Progress::segment;
}

}  // namespace iwarp::rnic
