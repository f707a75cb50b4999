// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/capture/packet_decoder.hpp>

#include <array>

#include "frame_decoder.hpp"

namespace iwarp::capture {

class PacketDecoder::Implementation {
 public:
  explicit Implementation(FragmentLimits limits) noexcept : decoder(limits) {}

  [[nodiscard]] bool decode(const Record& record, TcpSegment& segment, SctpPacket* packet);

  FrameDecoder decoder;
  std::array<std::uint64_t, skip_reason_count> skipped{};
  std::uint64_t reassembled = 0;
  std::map<std::uint32_t, std::uint64_t> unknown_link_types;
};

PacketDecoder::PacketDecoder(FragmentLimits limits)
    : implementation_(std::make_unique<Implementation>(limits)) {}

PacketDecoder::~PacketDecoder() = default;

// Whether the frame gave something; else it is counted.
bool PacketDecoder::Implementation::decode(const Record& record, TcpSegment& segment, SctpPacket* packet) {
  const SkipReason reason = decoder.decode(record, segment, packet);
  if (reason == SkipReason::none) [[likely]] {
    reassembled += decoder.frames() - 1;
    return true;
  }
  if (reason == SkipReason::unknown_link_type) ++unknown_link_types[record.link_type];
  // A fragment that waits is counted by the table, until its datagram is complete.
  if (reason != SkipReason::incomplete_datagram) {
    skipped[static_cast<std::size_t>(reason)] += decoder.frames();
  }
  return false;
}

bool PacketDecoder::decode(const Record& record, TcpSegment& segment) {
  return implementation_->decode(record, segment, nullptr);
}

PacketDecoder::Decoded PacketDecoder::decode(const Record& record, TcpSegment& segment, SctpPacket& packet) {
  if (!implementation_->decode(record, segment, &packet)) return Decoded::nothing;
  return implementation_->decoder.is_sctp() ? Decoded::sctp : Decoded::tcp;
}

std::map<std::string, std::uint64_t> PacketDecoder::skipped() const {
  std::map<std::string, std::uint64_t> counts;
  for (std::size_t i = 0; i < skip_reason_count; ++i) {
    const auto reason = static_cast<SkipReason>(i);
    if (reason == SkipReason::unknown_link_type || implementation_->skipped[i] == 0) continue;
    counts[to_text(reason)] = implementation_->skipped[i];
  }
  if (const std::uint64_t frames = implementation_->decoder.incomplete_frames(); frames != 0) {
    counts[to_text(SkipReason::incomplete_datagram)] = frames;
  }
  for (const auto& [type, count] : implementation_->unknown_link_types) {
    counts[to_text(SkipReason::unknown_link_type) + (" " + std::to_string(type))] = count;
  }
  return counts;
}

std::uint64_t PacketDecoder::reassembled() const noexcept {
  return implementation_->reassembled;
}

FragmentLosses PacketDecoder::fragment_losses() const noexcept {
  return implementation_->decoder.fragment_losses();
}

}  // namespace iwarp::capture
