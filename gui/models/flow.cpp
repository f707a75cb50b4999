// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/flow.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace iwarp::gui {

MessageGroup group_of(wire::Opcode opcode) noexcept {
  switch (opcode) {
    case wire::Opcode::read_request:
    case wire::Opcode::read_response: return MessageGroup::read;
    case wire::Opcode::rdma_write: return MessageGroup::write;
    case wire::Opcode::send:
    case wire::Opcode::send_inv:
    case wire::Opcode::send_se:
    case wire::Opcode::send_se_inv: return MessageGroup::send;
    case wire::Opcode::atomic_request:
    case wire::Opcode::atomic_response: return MessageGroup::atomic;
    case wire::Opcode::immediate:
    case wire::Opcode::immediate_se: return MessageGroup::immediate;
    default: return MessageGroup::terminate;
  }
}

std::string terminate_words(const Metrics& metrics, std::uint32_t message) {
  const MessageConclusion whole = metrics.messages().event(message).message;
  const auto terminate =
      wire::parse_terminate(ByteView(whole.rdmap).first(whole.rdmap_octets), whole.bit_order);
  return terminate ? wire::describe_terminate(terminate->meant.value()).name : std::string();
}

PlaceRange Flow::between(TimeNs from, TimeNs upto) const noexcept {
  const auto before = [](const FlowMessage& message, TimeNs time) { return message.placed_ns < time; };
  const auto begin = std::lower_bound(messages.begin(), messages.end(), from, before);
  const auto end = std::lower_bound(begin, messages.end(), upto, before);
  return {static_cast<std::size_t>(begin - messages.begin()),
          static_cast<std::size_t>(end - messages.begin())};
}

Flow::GroupCounts Flow::count(PlaceRange places) const noexcept {
  // What comes before a place: that of its block, and up to 63 more.
  const auto before = [this](std::size_t place) {
    GroupCounts counts = counts_[place / block];
    for (std::size_t at = place / block * block; at < place; ++at) {
      ++counts[static_cast<unsigned>(messages[at].from)]
              [static_cast<unsigned>(group_of(messages[at].opcode))];
    }
    return counts;
  };
  GroupCounts counts{};
  if (places.size() == 0) return counts;
  counts = before(places.end);
  const GroupCounts first = before(places.begin);
  for (std::size_t role = 0; role < counts.size(); ++role) {
    for (std::size_t group = 0; group < message_groups; ++group) counts[role][group] -= first[role][group];
  }
  return counts;
}

std::optional<std::size_t> Flow::slowest(PlaceRange places) const noexcept {
  const Extent all = latency.over(places.begin, places.end);
  if (all.count == 0) return std::nullopt;
  while (places.size() > 1) {
    const std::size_t middle = places.begin + places.size() / 2;
    const Extent half = latency.over(places.begin, middle);
    if (half.count > 0 && half.greatest == all.greatest) {
      places.end = middle;
    } else {
      places.begin = middle;
    }
  }
  return places.begin;
}

std::size_t Flow::run_of(std::size_t place) const noexcept {
  return static_cast<std::size_t>(std::upper_bound(runs.begin(), runs.end(), place) - runs.begin()) - 1;
}

std::optional<std::size_t> Flow::place_of_message(std::uint32_t row) const noexcept {
  const auto found =
      std::lower_bound(by_row_.begin(), by_row_.end(), row,
                       [this](std::uint32_t place, std::uint32_t of) { return messages[place].row < of; });
  if (found == by_row_.end() || messages[*found].row != row) return std::nullopt;
  return *found;
}

std::optional<std::size_t> Flow::place_of_operation(std::uint32_t row) const noexcept {
  const auto found = std::lower_bound(
      by_operation_.begin(), by_operation_.end(), row,
      [this](std::uint32_t place, std::uint32_t of) { return messages[place].operation < of; });
  if (found == by_operation_.end() || messages[*found].operation != row) return std::nullopt;
  return *found;
}

void Flow::arrange() {
  const std::size_t size = messages.size();
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [this](std::uint32_t one, std::uint32_t another) {
    return messages[one].placed_ns < messages[another].placed_ns;
  });
  std::vector<std::uint32_t> places(size);
  for (std::uint32_t place = 0; place < size; ++place) places[order[place]] = place;
  std::vector<FlowMessage> sorted;
  sorted.reserve(size);
  ValueLevels sorted_latency;
  for (const std::uint32_t from : order) {
    sorted.push_back(messages[from]);
    sorted_latency.push_back(latency[from]);
    if (sorted.back().cause != FlowMessage::none) sorted.back().cause = places[sorted.back().cause];
  }
  messages = std::move(sorted);
  latency = std::move(sorted_latency);

  GroupCounts counts{};
  counts_.assign(1, counts);
  for (std::uint32_t place = 0; place < size; ++place) {
    const FlowMessage& message = messages[place];
    if (message.cause != FlowMessage::none) messages[message.cause].effect = place;
    ++counts[static_cast<unsigned>(message.from)][static_cast<unsigned>(group_of(message.opcode))];
    if ((place + 1) % block == 0) counts_.push_back(counts);
  }
  for (std::uint32_t place = 0; place < size;) {
    const FlowMessage& first = messages[place];
    std::uint32_t end = place + 1;
    while (end < size && messages[end].opcode == first.opcode && messages[end].from == first.from &&
           messages[end].length == first.length) {
      ++end;
    }
    if (end - place >= least_run) {
      runs.push_back(place);
    } else {
      for (std::uint32_t one = place; one < end; ++one) runs.push_back(one);
    }
    place = end;
  }

  for (std::uint32_t place = 0; place < size; ++place) {
    by_row_.push_back(place);
    if (messages[place].operation != FlowMessage::none) by_operation_.push_back(place);
  }
  std::sort(by_row_.begin(), by_row_.end(), [this](std::uint32_t one, std::uint32_t other) {
    return messages[one].row < messages[other].row;
  });
  const auto rank = [this](std::uint32_t place) {
    return std::tuple(messages[place].operation, latency[place] == no_value, place);
  };
  std::sort(by_operation_.begin(), by_operation_.end(),
            [rank](std::uint32_t one, std::uint32_t other) { return rank(one) < rank(other); });
}

}  // namespace iwarp::gui
