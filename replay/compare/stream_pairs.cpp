// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/stream_pairs.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace iwarp::replay {
namespace {

// Both ends, whoever was the initiator.
std::string ends_of(const EventLog& log) {
  const std::string between = " to ";
  const std::size_t at = log.name.find(between);
  if (at == std::string::npos) return log.name;
  std::string one = log.name.substr(0, at);
  std::string two = log.name.substr(at + between.size());
  if (two < one) std::swap(one, two);
  return one + between + two;
}

// For each of `few` its place in `many`; nothing where one has none.
std::optional<std::vector<std::size_t>> places(const std::vector<EventLog>& few,
                                               const std::vector<EventLog>& many) {
  std::multimap<std::string, std::size_t> known;
  for (std::size_t i = 0; i < many.size(); ++i) known.emplace(ends_of(many[i]), i);
  std::vector<std::size_t> found;
  for (const EventLog& each : few) {
    const auto place = known.lower_bound(ends_of(each));
    if (place == known.end() || place->first != ends_of(each)) return std::nullopt;
    found.push_back(place->second);
    known.erase(place);
  }
  return found;
}

std::vector<StreamPair> pairs_as_told(const std::vector<EventLog>& recorded,
                                      const std::vector<EventLog>& live) {
  std::multimap<std::uint32_t, std::size_t> open;  // by number
  for (std::size_t i = 0; i < recorded.size(); ++i) open.emplace(recorded[i].stream, i);
  std::vector<StreamPair> pairs(recorded.size());
  for (std::size_t i = 0; i < recorded.size(); ++i) pairs[i].recorded = i;
  for (std::size_t i = 0; i < live.size(); ++i) {
    const auto found = live[i].replays ? open.find(*live[i].replays) : open.end();
    if (found == open.end()) {
      pairs.push_back({std::nullopt, i});
    } else {
      pairs[found->second].live = i;
      open.erase(found);
    }
  }
  return pairs;
}

}  // namespace

std::vector<StreamPair> paired_streams(const std::vector<EventLog>& recorded,
                                       const std::vector<EventLog>& live) {
  if (std::ranges::any_of(live, [](const EventLog& each) { return each.replays.has_value(); }))
    return pairs_as_told(recorded, live);
  const bool more_recorded = recorded.size() > live.size();
  const std::vector<EventLog>& few = more_recorded ? live : recorded;
  const std::vector<EventLog>& many = more_recorded ? recorded : live;
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

void exchange_turned_roles(const std::vector<EventLog>& recorded, std::vector<EventLog>& live) {
  constexpr std::string_view between = " to ";
  for (const StreamPair& pair : paired_streams(recorded, live)) {
    if (!pair.recorded || !pair.live) continue;
    const std::string& name = recorded[*pair.recorded].name;
    EventLog& other = live[*pair.live];
    const std::size_t at = name.find(between);
    if (at == std::string::npos || other.name == name) continue;
    const std::string turned = name.substr(at + between.size()) + std::string(between) + name.substr(0, at);
    if (other.name != turned) continue;
    exchange_roles(other);
    other.name = name;
  }
}

}  // namespace iwarp::replay
