// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/renaming.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

namespace iwarp::replay {
namespace {

using Owner = Renaming::Owner;

struct Address {
  Owner owner = Owner::peer;
  std::uint32_t stag = 0;
  std::optional<std::uint64_t> to;
  LogField stag_field = LogField::stag;
  LogField to_field = LogField::to;
};

// Neither STag nor TO of a zero-length message count (RFC 5041 §5.2).
std::vector<Address> addresses_of(const LogEntry& entry) {
  if (invalidates(entry.kind)) return {{Owner::peer, entry.stag, std::nullopt}};
  if (entry.length == 0) return {};
  switch (entry.kind) {
    case WorkKind::write:
    case WorkKind::atomic: return {{Owner::peer, entry.stag, entry.to}};
    case WorkKind::read:
      return {{Owner::self, entry.stag, entry.to},
              {Owner::peer, entry.source_stag, entry.source_to, LogField::source_stag, LogField::source_to}};
    default: return {};
  }
}

}  // namespace

void Renaming::vote(const LogEntry& recorded, const LogEntry& live) {
  const std::vector<Address> a = addresses_of(recorded);
  const std::vector<Address> b = addresses_of(live);
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const Name from{a[i].owner, a[i].stag};
    const Name to{b[i].owner, b[i].stag};
    Vote& vote = votes_[{from, to}];
    if (vote.count++ == 0) vote.first = next_++;
    if (a[i].to && b[i].to) ++vote.distances[*b[i].to - *a[i].to];
  }
}

// Each name has one partner at most, in both directions: the pairs with most votes come first.
void Renaming::settle() {
  std::vector<std::pair<std::pair<Name, Name>, const Vote*>> ranked;
  for (const auto& [names, vote] : votes_) ranked.emplace_back(names, &vote);
  std::ranges::sort(ranked, [](const auto& x, const auto& y) {
    return std::make_tuple(y.second->count, x.second->first) <
           std::make_tuple(x.second->count, y.second->first);
  });
  std::map<Name, Name> taken;
  for (const auto& [names, vote] : ranked) {
    if (partners_.contains(names.first) || taken.contains(names.second)) continue;
    taken[names.second] = names.first;
    Partner& partner = partners_[names.first];
    partner.name = names.second;
    const auto best =
        std::ranges::max_element(vote->distances, {}, [](const auto& each) { return each.second; });
    if (best != vote->distances.end()) partner.distance = best->first;
  }
}

void Renaming::judge(const LogEntry& recorded, const LogEntry& live, std::vector<LogField>& fields) const {
  const std::vector<Address> a = addresses_of(recorded);
  const std::vector<Address> b = addresses_of(live);
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const auto partner = partners_.find({a[i].owner, a[i].stag});
    if (partner == partners_.end() || partner->second.name != Name{b[i].owner, b[i].stag}) {
      fields.push_back(a[i].stag_field);
    } else if (a[i].to && b[i].to && *b[i].to - *a[i].to != partner->second.distance) {
      fields.push_back(a[i].to_field);
    }
  }
}

}  // namespace iwarp::replay
