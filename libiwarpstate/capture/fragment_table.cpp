// SPDX-License-Identifier: GPL-2.0-or-later
#include "fragment_table.hpp"

#include <algorithm>
#include <cstring>

namespace iwarp::capture {
namespace {

constexpr std::uint32_t max_datagram = 65535;
// What an entry or part takes besides octets, roughly: floods of tiny fragments count too.
constexpr std::size_t entry_overhead = 512;
constexpr std::size_t part_overhead = 64;

// Whether two captured ranges agree where both have octets.
bool same_octets(ByteView known, ByteView other) {
  const std::size_t common = std::min(known.size(), other.size());
  return common == 0 || std::memcmp(known.data(), other.data(), common) == 0;
}

}  // namespace

std::size_t FragmentTable::cost(const Entry& entry) noexcept {
  return entry_overhead + entry.octets.capacity() + entry.parts.size() * part_overhead;
}

FragmentTable::Relation FragmentTable::relation(const Entry& entry, const Fragment& fragment) {
  const std::uint32_t end = fragment.offset + fragment.length;
  if (entry.length != 0 && (fragment.more ? end >= entry.length : end != entry.length)) {
    return Relation::contradiction;
  }
  const auto next = entry.parts.lower_bound(fragment.offset);
  if (next != entry.parts.end()) {
    if (next->first == fragment.offset && next->second.end == end) {
      // Of a part that was cut off whole there are no octets, not even room for them.
      const std::size_t captured = next->second.captured_end - fragment.offset;
      const ByteView known =
          captured == 0 ? ByteView() : ByteView(entry.octets).subspan(fragment.offset, captured);
      return same_octets(known, fragment.octets) ? Relation::duplicate : Relation::contradiction;
    }
    if (next->first < end || !fragment.more) return Relation::contradiction;
  }
  if (next != entry.parts.begin() && std::prev(next)->second.end > fragment.offset) {
    return Relation::contradiction;
  }
  return Relation::new_part;
}

FragmentTable::Entry& FragmentTable::entry_for(const DatagramKey& key, TimeNs time_ns) {
  const auto [position, is_new] = entries_.try_emplace(key);
  if (is_new) {
    position->second.age = ages_.insert(ages_.end(), key);
    position->second.time_ns = time_ns;
    octets_ += cost(position->second);
  }
  return position->second;
}

void FragmentTable::insert(Entry& entry, const Fragment& fragment) {
  octets_ -= cost(entry);
  const std::uint32_t end = fragment.offset + fragment.length;
  const auto captured = static_cast<std::uint32_t>(fragment.octets.size());
  if (captured != 0) {
    if (entry.octets.size() < fragment.offset + captured) entry.octets.resize(fragment.offset + captured);
    std::memcpy(entry.octets.data() + fragment.offset, fragment.octets.data(), captured);
  }
  entry.parts.emplace(fragment.offset, Part{fragment.offset + captured, end});
  entry.received += fragment.length;
  if (!fragment.more) entry.length = end;
  if (fragment.offset == 0) entry.protocol = fragment.protocol;
  octets_ += cost(entry);
}

void FragmentTable::remove(Entries::iterator position) {
  octets_ -= cost(position->second);
  ages_.erase(position->second.age);
  entries_.erase(position);
}

void FragmentTable::evict_for(const DatagramKey& newest) {
  while ((octets_ > limits_.octets || entries_.size() > limits_.datagrams) && ages_.front() != newest) {
    const auto oldest = entries_.find(ages_.front());
    if (!oldest->second.complete) ++losses_.evicted;
    remove(oldest);
  }
}

FragmentTable::Outcome FragmentTable::add(const DatagramKey& key, const Fragment& fragment,
                                          Datagram& datagram) {
  const bool misshapen = fragment.more && fragment.length % 8 != 0;
  if (fragment.length == 0 || misshapen || fragment.length > max_datagram - fragment.offset) {
    return Outcome::malformed;
  }
  if (const auto known = entries_.find(key); known != entries_.end()) {
    const Entry& entry = known->second;
    const auto age = static_cast<std::uint64_t>(fragment.time_ns) - static_cast<std::uint64_t>(entry.time_ns);
    const auto relation_to_known = relation(entry, fragment);
    if (static_cast<std::int64_t>(age) > limits_.lifetime_ns) {
      if (!entry.complete) ++losses_.expired;
      remove(known);
    } else if (relation_to_known == Relation::duplicate) {
      return Outcome::duplicate;
    } else if (relation_to_known == Relation::contradiction) {
      if (!entry.complete) ++losses_.overlapping;
      remove(known);
    }
  }

  Entry& entry = entry_for(key, fragment.time_ns);
  insert(entry, fragment);
  evict_for(key);
  if (entry.length == 0 || entry.received != entry.length) return Outcome::waiting;

  entry.complete = true;
  std::uint32_t captured_end = 0;
  for (const auto& [offset, part] : entry.parts) {
    captured_end = part.captured_end;
    if (part.captured_end != part.end) break;
  }
  datagram.octets = ByteView(entry.octets).first(captured_end);
  datagram.length = entry.length;
  datagram.protocol = entry.protocol;
  return Outcome::complete;
}

}  // namespace iwarp::capture
