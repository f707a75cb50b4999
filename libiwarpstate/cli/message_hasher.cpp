// Putting the payload of FPDUs together to messages, as octets for a hash.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "message_hasher.hpp"

#include <algorithm>

namespace iwarp::cli {

namespace {

// Places of MessageHasher::Slots behind those of the queues.
constexpr std::size_t write_place = wire::queue_count;
constexpr std::size_t read_response_place = write_place + 1;
constexpr std::size_t odd_place = read_response_place + 1;  // opcodes and queues that do not fit

std::size_t place_of(wire::Opcode opcode, bool tagged, std::uint32_t queue) noexcept {
  if (!tagged) return queue < wire::queue_count ? queue : odd_place;
  if (opcode == wire::Opcode::rdma_write) return write_place;
  return opcode == wire::Opcode::read_response ? read_response_place : odd_place;
}

// A CRC in the wrong octet order does not make the octets wrong.
bool is_trusted(const FpduFact& fpdu) noexcept {
  const std::uint32_t field = fpdu.crc_field;
  const std::uint32_t reversed =
      field << 24U | (field & 0xff00U) << 8U | (field >> 8U & 0xff00U) | field >> 24U;
  return fpdu.crc != CrcStatus::bad || reversed == fpdu.crc_computed;
}

}  // namespace

void MessageHasher::add(const Event& event, ByteView payload) {
  if (event.kind == EventKind::fpdu) {
    add_segment(event, payload);
  } else if (event.kind == EventKind::closed) {
    connections_.erase(event.connection);
  }
}

void MessageHasher::add_segment(const Event& event, ByteView payload) {
  const FpduFact& fpdu = event.fpdu;
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (fpdu.malformed || fpdu.header_octets < ddp.size()) return;  // which message it is of is not known
  Slots& slots = connections_[event.connection][index(event.side)];
  Slot& slot = slots[place_of(ddp.opcode(), ddp.tagged(), ddp.tagged() ? 0 : ddp.queue)];
  const std::uint32_t key = ddp.tagged() ? ddp.stag : ddp.msn;
  const std::uint64_t position = ddp.tagged() ? ddp.to : ddp.mo;
  // Neither STag nor TO of a zero-length segment count (RFC 5041 §5.2).
  const bool anywhere = ddp.tagged() && fpdu.payload_length == 0;
  const bool goes_on = slot.active && !slot.ended && (anywhere || (slot.key == key && slot.next == position));
  if (!goes_on) {
    slot.active = ddp.tagged() || ddp.mo == 0;
    slot.key = key;
    slot.next = position;
    slot.length = 0;
    slot.segments = 0;
    slot.first_frame = fpdu.first_frame != 0 ? fpdu.first_frame : event.frame;
    sha256_init(&slot.hash);
  }
  slot.ended = ddp.last();
  if (payload.size() != fpdu.payload_length || !is_trusted(fpdu)) slot.active = false;
  if (!slot.active) return;
  if (!payload.empty()) sha256_update(&slot.hash, payload.size(), payload.data());
  slot.next += payload.size();
  slot.length += payload.size();
  ++slot.segments;
}

std::string_view MessageHasher::digest(const Event& event) {
  const MessageConclusion& message = event.message;
  const auto connection = connections_.find(event.connection);
  if (connection == connections_.end() || message.end != MessageEnd::complete) return {};
  Slots& slots = connection->second[index(event.side)];
  Slot& slot = slots[place_of(message.opcode, message.tagged, message.queue)];
  // What was hashed is the message that the analysis put together, or nothing is said.
  const bool same = slot.active && slot.length == message.length && slot.segments == message.segments &&
                    slot.first_frame == message.first_frame && (message.tagged || slot.key == message.msn);
  slot.active = false;
  if (!same) return {};
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&slot.hash, digest.size(), digest.data());
  for (std::size_t at = 0; at < digest.size(); ++at) {
    text_[2 * at] = "0123456789abcdef"[digest[at] >> 4U];
    text_[2 * at + 1] = "0123456789abcdef"[digest[at] & 0xfU];
  }
  return {text_.data(), text_.size()};
}

}  // namespace iwarp::cli
