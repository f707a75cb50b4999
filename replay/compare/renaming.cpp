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

void Advertised::take(Role owner, const Mention& mention, ByteView live, std::uint64_t recorded_length) {
  const auto told = told_name(mention, live, recorded_length);
  if (told && told->distance) {
    names_[{owner, mention.stag}].insert({told->stag, *told->distance});
  } else {
    doubt(owner, mention.stag);
  }
}

const std::set<LiveName>* Advertised::of(Role owner, std::uint32_t stag) const {
  if (doubted_.contains({owner, stag})) return nullptr;
  const auto found = names_.find({owner, stag});
  return found == names_.end() ? nullptr : &found->second;
}

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

std::optional<LiveAddress> Renaming::judge(const LogEntry& recorded, const LogEntry& live,
                                           std::vector<LogField>& fields) const {
  std::optional<LiveAddress> due;
  const std::vector<Address> a = addresses_of(recorded);
  const std::vector<Address> b = addresses_of(live);
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const Role owner = a[i].owner == Owner::self ? side_ : other(side_);
    if (const std::set<LiveName>* const told = advertised_.of(owner, a[i].stag)) {
      const auto named = std::ranges::find(*told, b[i].stag, &LiveName::stag);
      const bool there =
          named != told->end() && (!a[i].to || !b[i].to || told->contains({b[i].stag, *b[i].to - *a[i].to}));
      if (there) continue;
      fields.push_back(named == told->end() ? a[i].stag_field : a[i].to_field);
      const LiveName& name = named == told->end() ? *told->begin() : *named;
      due = {name.stag, a[i].to.value_or(0) + name.distance};
      continue;
    }
    const auto partner = partners_.find({a[i].owner, a[i].stag});
    if (partner == partners_.end() || partner->second.name != Name{b[i].owner, b[i].stag}) {
      fields.push_back(a[i].stag_field);
    } else if (a[i].to && b[i].to && *b[i].to - *a[i].to != partner->second.distance) {
      fields.push_back(a[i].to_field);
    }
  }
  return due;
}

}  // namespace iwarp::replay
