// What a capture makes of a scripted conversation: order, times, losses, copies, cuts.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <iterator>

#include "support/conversation.hpp"
#include "support/pcap_file.hpp"

namespace iwarp::test {

void Conversation::capture(bool on) {
  for (Peer& peer : sides_) peer.captured = on;
}

void Conversation::drop(Packets packets) {
  for (std::size_t i = 0; i < packets.count; ++i) planned_.at(packets.first + i).captured = false;
}

void Conversation::cut(Packets packets, std::size_t payload) {
  for (std::size_t i = 0; i < packets.count; ++i) planned_.at(packets.first + i).owned.captured = payload;
}

void Conversation::duplicate(Packets packets) {
  for (std::size_t i = 0; i < packets.count; ++i) {
    const std::size_t id = packets.first + i;
    Planned copy = planned_.at(id);
    copy.gap_ns = 0;
    planned_.push_back(std::move(copy));
    order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(place_of(id) + 1), planned_.size() - 1);
  }
}

std::size_t Conversation::place_of(std::size_t id) const {
  return static_cast<std::size_t>(std::ranges::find(order_, id) - order_.begin());
}

std::vector<std::size_t> Conversation::take_out(Packets packets) {
  const auto chosen = [&](std::size_t id) {
    return id >= packets.first && id < packets.first + packets.count;
  };
  std::vector<std::size_t> ids;
  std::ranges::copy_if(order_, std::back_inserter(ids), chosen);
  std::erase_if(order_, chosen);
  return ids;
}

void Conversation::move_before(Packets packets, Packets other) {
  const std::vector<std::size_t> ids = take_out(packets);
  const auto place = static_cast<std::ptrdiff_t>(place_of(other.first));
  order_.insert(order_.begin() + place, ids.begin(), ids.end());
}

void Conversation::move_behind(Packets packets, Packets other) {
  const std::vector<std::size_t> ids = take_out(packets);
  const auto place = static_cast<std::ptrdiff_t>(place_of(other.first + other.count - 1) + 1);
  order_.insert(order_.begin() + place, ids.begin(), ids.end());
}

void Conversation::set_time(Packets packets, TimeNs time_ns) {
  for (std::size_t i = 0; i < packets.count; ++i) planned_.at(packets.first + i).owned.meta.time_ns = time_ns;
}

OwnedSegment& Conversation::packet(Packets packets) {
  return planned_.at(packets.first).owned;
}

std::vector<OwnedSegment> Conversation::segments() const {
  std::vector<OwnedSegment> out;
  TimeNs clock = options_.start_ns - options_.step_ns;
  FrameNumber next = options_.first_frame;
  for (const std::size_t id : order_) {
    const Planned& each = planned_[id];
    clock += each.gap_ns;  // passes for packets that nobody captured too
    if (!each.captured) continue;
    OwnedSegment made = each.owned;
    if (made.meta.time_ns == 0) made.meta.time_ns = clock;
    if (made.meta.frame == 0) made.meta.frame = next;
    if (made.meta.packet_identity == 0) {
      made.meta.packet_identity = each.transmission << 48U | std::uint64_t{made.ip_id} << 32U |
                                  std::uint64_t{made.meta.source.port} << 16U | made.meta.destination.port;
    }
    next = made.meta.frame + 1;
    out.push_back(std::move(made));
  }
  return out;
}

Bytes Conversation::to_pcap() const {
  return pcap_file(segments());
}

bool Conversation::to_pcap(const std::string& path) const {
  return write_file(path, to_pcap());
}

std::vector<OwnedSegment> merge(const std::vector<const Conversation*>& conversations) {
  std::vector<OwnedSegment> out;
  for (const Conversation* each : conversations) {
    for (OwnedSegment& segment : each->segments()) out.push_back(std::move(segment));
  }
  std::ranges::stable_sort(out, {}, [](const OwnedSegment& each) { return each.meta.time_ns; });
  for (std::size_t i = 0; i < out.size(); ++i) out[i].meta.frame = i + 1;
  return out;
}

}  // namespace iwarp::test
