// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/role_pairing.hpp"

#include <algorithm>
#include <cstdint>

#include "compare/alignment.hpp"

namespace iwarp::replay {
namespace {

// What a request is, by which it is matched: nothing that renaming changes, nor how it ended.
std::uint64_t key_of(const LogEntry& entry) noexcept {
  std::uint64_t key = static_cast<std::uint64_t>(entry.kind) + 1;
  if (is_close(entry.kind) || entry.kind == WorkKind::terminate) return key;
  const auto take = [&key](std::uint64_t value) {
    key = (key ^ value) * 0x9e3779b97f4a7c15U;
    key ^= key >> 29U;
  };
  take(entry.length);
  take(entry.immediate);
  if (entry.atomic) take(entry.atomic->operation);
  return key;
}

struct Keyed {
  std::vector<std::size_t> places;  // in the log, of what is not ignored
  std::vector<std::uint64_t> keys;
};

Keyed keyed(const std::vector<LogEntry>& entries, const IgnoreRules& ignore, bool by_msn = false) {
  Keyed out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (ignore.ignores(entries[i].kind)) continue;
    out.places.push_back(i);
    const std::uint64_t key = key_of(entries[i]);
    out.keys.push_back(by_msn ? key ^ (std::uint64_t{entries[i].msn} << 32U) : key);
  }
  return out;
}

class Pairer {
 public:
  Pairer(const RoleEntries& recorded, const RoleEntries& live, const IgnoreRules& ignore)
      : recorded_(recorded.entries),
        live_(live.entries),
        recorded_lacking_(recorded.lacking),
        live_lacking_(live.lacking),
        ignore_(ignore) {}

  RolePairing pair() {
    match();
    find_reordered();
    pair_neighbours();
    return std::move(made_);
  }

 private:
  void match() {
    const Keyed a = keyed(recorded_, ignore_);
    const Keyed b = keyed(live_, ignore_);
    std::vector<bool> in_a(a.places.size());
    std::vector<bool> in_b(b.places.size());
    std::vector<Pair> pairs = align(a.keys, b.keys);
    // Of what looks alike nobody knows what fell into a hole; but MSNs tell.
    const auto hole = [](const std::optional<Reason>& lacking) {
      return lacking == Reason::gap || lacking == Reason::snaplen || lacking == Reason::midstream;
    };
    if ((hole(recorded_lacking_) || hole(live_lacking_)) && a.keys.size() != b.keys.size()) {
      made_.uncertain = hole(recorded_lacking_) ? recorded_lacking_ : live_lacking_;
      std::vector<Pair> by_msn =
          align(keyed(recorded_, ignore_, true).keys, keyed(live_, ignore_, true).keys);
      if (by_msn.size() >= pairs.size()) pairs = std::move(by_msn);
    }
    prefer_told(a, b, pairs);
    for (const auto& [i, j] : pairs) {
      made_.pairs.emplace(a.places[i], b.places[j]);
      in_a[i] = true;
      in_b[j] = true;
    }
    for (std::size_t i = 0; i < in_a.size(); ++i) {
      if (!in_a[i]) made_.missing.push_back(a.places[i]);
    }
    for (std::size_t j = 0; j < in_b.size(); ++j) {
      if (!in_b[j]) made_.extra.insert(b.places[j]);
    }
  }

  // A Read that only its response tells of may be one that the live side did not make: the others come first.
  void prefer_told(const Keyed& a, const Keyed& b, std::vector<Pair>& pairs) const {
    if (pairs.size() == a.keys.size()) return;
    Keyed told;
    std::vector<std::size_t> places;  // in `a`
    for (std::size_t i = 0; i < a.keys.size(); ++i) {
      if (recorded_[a.places[i]].deduced) continue;
      places.push_back(i);
      told.keys.push_back(a.keys[i]);
    }
    if (places.size() == a.keys.size()) return;
    const auto matched = std::ranges::count_if(
        pairs, [&](const Pair& each) { return !recorded_[a.places[each.first]].deduced; });
    std::vector<Pair> better = align(told.keys, b.keys);
    if (better.size() <= static_cast<std::size_t>(matched)) return;
    for (Pair& each : better) each.first = places[each.first];
    pairs = std::move(better);
  }

  // What one log has too few and the other too many, of the same kind and size.
  void find_reordered() {
    std::multimap<std::uint64_t, std::size_t> unmatched;
    for (const std::size_t j : made_.extra) unmatched.emplace(key_of(live_[j]), j);
    std::erase_if(made_.missing, [&](std::size_t i) {
      const auto found = unmatched.lower_bound(key_of(recorded_[i]));
      if (found == unmatched.end() || found->first != key_of(recorded_[i])) return false;
      const std::size_t j = found->second;
      unmatched.erase(found);
      made_.extra.erase(j);
      made_.reordered.emplace_back(i, j);
      return true;
    });
  }

  // Between the same two matched requests one log has this, the other that: one request that differs.
  void pair_neighbours() {
    std::map<std::size_t, std::vector<std::size_t>> holes;  // by the number of matched pairs before
    std::vector<std::size_t> matched_live;
    for (const auto& [i, j] : made_.pairs) matched_live.push_back(j);
    const auto hole_of_live = [&](std::size_t j) {
      return static_cast<std::size_t>(std::ranges::lower_bound(matched_live, j) - matched_live.begin());
    };
    for (const std::size_t j : made_.extra) holes[hole_of_live(j)].push_back(j);
    std::size_t hole = 0;
    auto pair = made_.pairs.begin();
    std::vector<std::pair<std::size_t, std::size_t>> made;
    std::erase_if(made_.missing, [&](std::size_t i) {
      for (; pair != made_.pairs.end() && pair->first < i; ++pair) ++hole;
      std::vector<std::size_t>& candidates = holes[hole];
      const auto same_kind =
          std::ranges::find_if(candidates, [&](std::size_t j) { return live_[j].kind == recorded_[i].kind; });
      const bool doubtful = recorded_lacking_ || live_lacking_;
      const auto chosen = same_kind != candidates.end() || doubtful
                              ? same_kind
                              : std::ranges::find_if(candidates, [&](std::size_t j) {
                                  const bool ends =
                                      is_close(live_[j].kind) || live_[j].kind == WorkKind::terminate;
                                  const bool recorded_ends =
                                      is_close(recorded_[i].kind) || recorded_[i].kind == WorkKind::terminate;
                                  return !ends && !recorded_ends;
                                });
      if (chosen == candidates.end()) return false;
      made.emplace_back(i, *chosen);
      made_.extra.erase(*chosen);
      candidates.erase(chosen);
      return true;
    });
    made_.pairs.insert(made.begin(), made.end());
  }

  const std::vector<LogEntry>& recorded_;
  const std::vector<LogEntry>& live_;
  std::optional<Reason> recorded_lacking_;
  std::optional<Reason> live_lacking_;
  const IgnoreRules& ignore_;
  RolePairing made_;
};

}  // namespace

RolePairing pair_entries(const RoleEntries& recorded, const RoleEntries& live, const IgnoreRules& ignore) {
  return Pairer(recorded, live, ignore).pair();
}

}  // namespace iwarp::replay
