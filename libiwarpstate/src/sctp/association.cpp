// SPDX-License-Identifier: GPL-2.0-or-later
#include "sctp/association.hpp"

#include <utility>

namespace iwarp::sctp {

Association::End Association::take(Side side, const SctpPacket& packet) {
  messages_.clear();
  arrivals_ = ++packets_ << 16U;
  Half& half = halves_[index(side)];
  if (has_wrong_checksum(packet)) {
    if (!half.wrong_checksum) half.wrong_checksum = Placement{packet.frame, packet.time_ns};
    return End::none;
  }
  half.seen = true;
  ++half.packets;
  End end = End::none;
  ChunkReader chunks(packet);
  while (const auto chunk = chunks.next()) {
    switch (chunk->type) {
      case ChunkType::data: take_data(half, *chunk, packet); break;
      case ChunkType::init:
      case ChunkType::init_ack:
        if (const auto init = parse_init(*chunk)) take_init(side, *init);
        break;
      case ChunkType::sack:
      case ChunkType::shutdown: take_acknowledgement(side, *chunk, packet); break;
      case ChunkType::abort: end = End::aborted; break;
      case ChunkType::shutdown_complete: end = End::shut_down; break;
      default: break;
    }
  }
  // The INIT's tag is 0, and an ABORT or SHUTDOWN COMPLETE may reflect its peer's (RFC 9260 §8.5.1).
  const std::uint32_t tag = verification_tag(packet);
  if (!half.tag && tag != 0 && end == End::none) half.tag = tag;
  return end;
}

void Association::take_data(Half& half, const Chunk& chunk, const SctpPacket& packet) {
  const auto data = parse_data(chunk);
  if (!data) return;
  const Tsn tsn = half.tsns.counted_on(data->tsn);
  if (!half.tsns.add(tsn)) return;
  if (auto message = half.assembly.add(tsn, *data, packet, ++arrivals_))
    messages_.push_back(std::move(*message));
}

// Where both sides sent one, or it was sent again, it is the same.
void Association::take_init(Side side, const Init& init) {
  Half& half = halves_[index(side)];
  halves_[index(other(side))].tag = init.tag;
  half.init = init;
  if (!half.tsns.begun() && half.tsns.empty()) half.tsns.begin(init.initial_tsn);
}

void Association::take_acknowledgement(Side side, const Chunk& chunk, const SctpPacket& packet) {
  Half& peer = halves_[index(other(side))];
  const auto acknowledged = parse_cumulative_ack(chunk);
  if (!acknowledged || (peer.tsns.empty() && !peer.tsns.begun())) return;
  const Tsn tsn = peer.tsns.counted_on(*acknowledged);
  if (peer.acknowledged && tsn <= *peer.acknowledged) return;
  peer.acknowledged = tsn;
  peer.acknowledged_by = {packet.frame, packet.time_ns};
}

}  // namespace iwarp::sctp
