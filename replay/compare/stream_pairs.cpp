// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/stream_pairs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace iwarp::replay {
namespace {

// Both ends, whoever was the initiator.
std::string ends_of(const StreamLog& log) {
  const std::string between = " to ";
  const std::size_t at = log.name.find(between);
  if (at == std::string::npos) return log.name;
  std::string one = log.name.substr(0, at);
  std::string two = log.name.substr(at + between.size());
  if (two < one) std::swap(one, two);
  return one + between + two;
}

// For each of `few` its place in `many`; nothing where one has none.
std::optional<std::vector<std::size_t>> places(const std::vector<StreamLog>& few,
                                               const std::vector<StreamLog>& many) {
  std::multimap<std::string, std::size_t> known;
  for (std::size_t i = 0; i < many.size(); ++i) known.emplace(ends_of(many[i]), i);
  std::vector<std::size_t> found;
  for (const StreamLog& each : few) {
    const auto place = known.lower_bound(ends_of(each));
    if (place == known.end() || place->first != ends_of(each)) return std::nullopt;
    found.push_back(place->second);
    known.erase(place);
  }
  return found;
}

using Replayed = StreamLog::Replayed;
using Keys = std::vector<std::optional<Replayed>>;

bool tells(const std::vector<StreamLog>& logs) {
  return std::ranges::any_of(logs, [](const StreamLog& each) { return each.replays.has_value(); });
}

Keys told_by(const std::vector<StreamLog>& logs) {
  Keys keys;
  for (const StreamLog& each : logs) keys.push_back(each.replays);
  return keys;
}

// A plan may have other addresses than its capture: where one side alone tells, numbers count.
Keys numbers_of(const Keys& keys) {
  Keys numbers = keys;
  for (std::optional<Replayed>& each : numbers) {
    if (each) each->name.clear();
  }
  return numbers;
}

Keys own_of(const std::vector<StreamLog>& logs) {
  Keys keys;
  for (const StreamLog& each : logs) keys.push_back(Replayed{each.stream, each.name});
  return keys;
}

// Those that are called alike, in their order; with what is left of `recorded` those that are called nothing,
// as where a recording was cut. Of `recorded` each may have been replayed several times (--loop), where
// `often`.
std::vector<StreamPair> pairs_of(const Keys& recorded, const Keys& live, bool often) {
  std::map<Replayed, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    if (recorded[i]) places[*recorded[i]].push_back(i);
  }
  std::vector<StreamPair> pairs(recorded.size());
  for (std::size_t i = 0; i < recorded.size(); ++i) pairs[i].recorded = i;
  std::vector<StreamPair> more;
  std::vector<std::size_t> unclaimed;
  std::vector<std::size_t> strange;
  std::map<Replayed, std::size_t> count;
  for (std::size_t i = 0; i < live.size(); ++i) {
    const auto found = live[i] ? places.find(*live[i]) : places.end();
    if (found == places.end()) {
      (live[i] ? strange : unclaimed).push_back(i);
      continue;
    }
    const std::size_t turn = count[*live[i]]++;
    if (turn < found->second.size()) {
      pairs[found->second[turn]].live = i;
    } else if (often) {
      more.push_back({found->second[turn % found->second.size()], i});
    } else {
      strange.push_back(i);
    }
  }
  auto next = unclaimed.begin();
  for (StreamPair& each : pairs) {
    if (!each.live && next != unclaimed.end()) each.live = *next++;
  }
  strange.insert(strange.end(), next, unclaimed.end());
  pairs.insert(pairs.end(), more.begin(), more.end());
  for (const std::size_t each : strange) pairs.push_back({std::nullopt, each});
  return pairs;
}

// Of two recordings either both replay the same, or the one replays the other.
std::vector<StreamPair> pairs_as_told(const std::vector<StreamLog>& recorded,
                                      const std::vector<StreamLog>& live) {
  if (!tells(recorded)) return pairs_of(numbers_of(own_of(recorded)), numbers_of(told_by(live)), true);
  if (!tells(live)) return pairs_of(numbers_of(told_by(recorded)), numbers_of(own_of(live)), false);
  const Keys own = own_of(recorded);
  const std::set<std::optional<Replayed>> known(own.begin(), own.end());
  const bool of_the_other = std::ranges::all_of(
      live, [&](const StreamLog& each) { return each.replays && known.contains(each.replays); });
  return pairs_of(of_the_other ? own : told_by(recorded), told_by(live), of_the_other);
}

}  // namespace

std::vector<StreamPair> paired_streams(const std::vector<StreamLog>& recorded,
                                       const std::vector<StreamLog>& live) {
  if (tells(recorded) || tells(live)) return pairs_as_told(recorded, live);
  const bool more_recorded = recorded.size() > live.size();
  const std::vector<StreamLog>& few = more_recorded ? live : recorded;
  const std::vector<StreamLog>& many = more_recorded ? recorded : live;
  std::vector<std::optional<std::size_t>> partner(many.size());
  const auto found = few.empty() ? std::nullopt : places(few, many);
  for (std::size_t i = 0; i < few.size(); ++i) partner[found ? (*found)[i] : i] = i;
  std::vector<StreamPair> pairs;
  for (std::size_t i = 0; i < many.size(); ++i) {
    StreamPair& pair = pairs.emplace_back();
    (more_recorded ? pair.recorded : pair.live) = i;
    (more_recorded ? pair.live : pair.recorded) = partner[i];
    pair.cut_away = found && !partner[i];
  }
  return pairs;
}

void exchange_turned_roles(const std::vector<StreamLog>& recorded, std::vector<StreamLog>& live) {
  constexpr std::string_view between = " to ";
  for (const StreamPair& pair : paired_streams(recorded, live)) {
    if (!pair.recorded || !pair.live) continue;
    const std::string& name = recorded[*pair.recorded].name;
    StreamLog& other = live[*pair.live];
    const std::size_t at = name.find(between);
    if (at == std::string::npos || other.name == name) continue;
    const std::string turned = name.substr(at + between.size()) + std::string(between) + name.substr(0, at);
    if (other.name != turned) continue;
    exchange_roles(other);
    other.name = name;
  }
}

}  // namespace iwarp::replay
