// SPDX-License-Identifier: GPL-2.0-or-later
#include "stags/stag_life.hpp"

#include <algorithm>

namespace iwarp {

void StagLife::note_stream(ConnectionId stream) {
  std::vector<ConnectionId>& streams = record.streams;
  if (!streams.empty() && streams.back() == stream) return;
  if (streams.size() >= StagRecord::max_streams) return;
  if (std::find(streams.begin(), streams.end(), stream) == streams.end()) streams.push_back(stream);
}

bool StagLife::was_told_on(ConnectionId stream) const noexcept {
  return std::find(told_on_.begin(), told_on_.end(), stream) != told_on_.end();
}

bool StagLife::is_invalid_on(ConnectionId stream) const noexcept {
  if (stream == invalidated_on) return true;
  const auto end = record.streams.begin() + static_cast<std::ptrdiff_t>(streams_before);
  return !was_told_on(stream) && std::find(record.streams.begin(), end, stream) != end;
}

void StagLife::note_advertised(const StagUse& use) {
  note_stream(use.stream);
  if (told_on_.size() < StagRecord::max_streams && !was_told_on(use.stream)) told_on_.push_back(use.stream);
  if (!record.advertised) {
    record.advertised =
        StagRecord::Advertised{use.stream, use.where.frame, use.ulp, use.confidence, use.to, use.length};
  }
  if (use.confidence == Confidence::high) told_frame = std::max(told_frame, use.where.frame);
  if (use.confidence != Confidence::high || !use.length) regions_known_ = false;
  if (!use.length) return;
  const auto same = [&](const Region& each) { return each.to == use.to && each.length == *use.length; };
  const auto known = std::find_if(regions_.begin(), regions_.end(), same);
  if (known != regions_.end()) {
    known->frame = use.where.frame;
  } else if (regions_.size() < max_regions) {
    regions_.push_back({use.to, *use.length, use.where.frame});
  } else {
    regions_known_ = false;
  }
}

void StagLife::note_use(const StagUse& use) {
  note_stream(use.stream);
  ++record.operations[static_cast<std::size_t>(use.opcode)];
  if (record.first_use == 0) record.first_use = use.where.frame;
  record.last_use = std::max(record.last_use, use.where.frame);
  if (!use.length || *use.length == 0) return;
  record.octets += *use.length;
  const std::uint64_t last = use.to + (*use.length - 1);
  record.min_to = std::min(record.min_to.value_or(use.to), use.to);
  record.max_to = std::max(record.max_to.value_or(last), last);
}

// What is denied once may be allowed to another peer, so neither takes the place of the other.
void StagLife::note_right(wire::Opcode opcode, StagRight right) noexcept {
  StagRight& known = opcode == wire::Opcode::rdma_write       ? record.write
                     : opcode == wire::Opcode::atomic_request ? record.atomic
                                                              : record.read;
  if (known == StagRight::unknown) known = right;
}

std::optional<StagLife::Outside> StagLife::outside(std::uint64_t to, std::uint64_t length) const noexcept {
  if (regions_.empty() || length == 0) return std::nullopt;
  Outside outside;
  outside.certain = regions_known_;
  for (const Region& region : regions_) outside.advertised = std::max(outside.advertised, region.frame);
  std::uint64_t at = to;
  std::uint64_t left = length;
  // Regions may lie side by side.
  for (std::size_t turns = 0; left > 0 && turns < regions_.size(); ++turns) {
    const auto inside = [&](const Region& each) { return at - each.to < each.length; };  // modulo 2^64
    const auto region = std::find_if(regions_.begin(), regions_.end(), inside);
    if (region == regions_.end()) break;
    const std::uint64_t covered = std::min(left, region->length - (at - region->to));
    outside.advertised = region->frame;
    at += covered;
    left -= covered;
  }
  outside.octets = left;
  return outside;
}

}  // namespace iwarp
