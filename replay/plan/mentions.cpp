// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/mentions.hpp"

#include <algorithm>
#include <bitset>
#include <map>
#include <memory>
#include <span>
#include <utility>

namespace iwarp::replay {
namespace {

constexpr std::size_t max_uses = 64;                         // of one STag that are looked at
constexpr std::size_t max_searched = std::size_t{1} << 20U;  // octets of one payload

// The STags of all hosts that are used remotely, with their first uses.
class Uses {
 public:
  void add(std::uint32_t host, std::uint32_t stag, const StagAccess& use) {
    std::vector<StagAccess>& uses = by_stag_[{stag, host}];
    if (uses.size() < max_uses) uses.push_back(use);
    maybe_.set(place(stag));
  }
  // Cheap: most octets are no STag.
  [[nodiscard]] bool may_have(std::uint32_t stag) const noexcept { return maybe_.test(place(stag)); }
  [[nodiscard]] const std::vector<StagAccess>* find(std::uint32_t host, std::uint32_t stag) const {
    const auto found = by_stag_.find({stag, host});
    return found == by_stag_.end() ? nullptr : &found->second;
  }

 private:
  static constexpr std::size_t places = std::size_t{1} << 18U;
  static std::size_t place(std::uint32_t stag) noexcept { return (stag * 0x9e3779b1U) >> 14U; }

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<StagAccess>> by_stag_;
  std::bitset<places> maybe_;
};

std::unique_ptr<Uses> collect_uses(const Plan& plan) {
  auto uses = std::make_unique<Uses>();
  for (const PlannedStream& stream : plan.streams) {
    for (const PlannedWork& work : stream.work) {
      const std::uint32_t peer = stream.hosts[static_cast<std::size_t>(other(work.role))];
      if (invalidates(work.kind)) uses->add(peer, work.stag, {});
      if (work.length == 0) continue;
      if (work.kind == WorkKind::write || work.kind == WorkKind::atomic) {
        uses->add(peer, work.stag, {work.to, work.length});
      } else if (work.kind == WorkKind::read && !work.deduced) {
        uses->add(peer, work.source_stag, {work.source_to, work.length});
      }
    }
  }
  return uses;
}

// Of a number as it stands in a payload: whole octets, or two digits for each.
std::uint64_t load(ByteView octets, StagForm form) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    const std::size_t each = form == StagForm::little_endian ? octets.size() - 1 - i : i;
    value = value << 8U | octets[each];
  }
  return value;
}

class Search {
 public:
  explicit Search(const Uses& uses) : uses_(uses) {}

  // What the ULP's reader found, of STags that are used.
  [[nodiscard]] std::vector<Mention> used(std::vector<Mention> told, std::uint32_t sender,
                                          std::uint32_t peer) const {
    std::erase_if(told, [&](const Mention& each) {
      return uses_.find(each.by_owner ? sender : peer, each.stag) == nullptr;
    });
    for (Mention& each : told) {
      if (!each.length_offset) each.length.reset();
    }
    return told;
  }

  [[nodiscard]] std::vector<Mention> in(ByteView octets, std::uint32_t sender, std::uint32_t peer,
                                        bool text) const {
    std::vector<Mention> found;
    octets = octets.first(std::min(octets.size(), max_searched));
    for (std::size_t at = 0; at + 4 <= octets.size(); ++at) {
      const std::uint32_t big = load_be32(octets.data() + at);
      const std::uint32_t little = load_le32(octets.data() + at);
      if (uses_.may_have(big)) look(octets, at, big, StagForm::big_endian, sender, peer, found);
      if (uses_.may_have(little)) look(octets, at, little, StagForm::little_endian, sender, peer, found);
      if (!text) continue;
      if (const auto digits = number_of_digits(octets, at, 8))
        look(octets, at, static_cast<std::uint32_t>(*digits), StagForm::digits, sender, peer, found);
    }
    return found;
  }

 private:
  void look(ByteView octets, std::size_t at, std::uint32_t stag, StagForm form, std::uint32_t sender,
            std::uint32_t peer, std::vector<Mention>& found) const {
    for (const std::uint32_t owner : {sender, peer}) {
      const std::vector<StagAccess>* uses = uses_.find(owner, stag);
      if (uses == nullptr) continue;
      Mention mention = mention_at(octets, octets.size(), at, stag, form, *uses);
      mention.by_owner = owner == sender;
      // A chance hit is worth keeping only where it may be an advertisement; small numbers are everywhere.
      const bool by_chance = mention.layout == StagLayout::bare && form != StagForm::digits;
      if (by_chance && (!mention.by_owner || stag < 0x10000U)) continue;
      found.push_back(mention);
      return;
    }
  }

  const Uses& uses_;
};

bool is_captured(const Content& content, std::uint64_t begin, std::uint64_t length) {
  std::uint64_t at = 0;
  return std::ranges::none_of(content, [&](const Piece& piece) {
    const std::uint64_t from = std::exchange(at, at + piece.length);
    return piece.seeded && from < begin + length && begin < at;
  });
}

// Octets that were not captured tell nothing.
void forget_seeded(const PlannedWork& work, std::vector<Mention>& mentions) {
  std::erase_if(mentions, [&](Mention& each) {
    const std::uint64_t width = each.form == StagForm::digits ? 2 : 1;
    if (each.length_offset && !is_captured(work.content, *each.length_offset, each.length_size)) {
      each.length_offset.reset();
      each.length.reset();
      each.length_size = 0;
    }
    if (each.to_offset && !is_captured(work.content, *each.to_offset, 8 * width)) {
      each.to_offset.reset();
      each.to = 0;
    }
    return !is_captured(work.content, each.offset, 4 * width);
  });
}

// A bare one counts only where the stream has nothing better for the STag.
void drop_doubtful(Plan& plan) {
  std::map<std::pair<std::uint32_t, bool>, StagLayout> best;
  const auto note = [&](const std::vector<Mention>& mentions) {
    for (const Mention& each : mentions) {
      StagLayout& layout = best.try_emplace({each.stag, each.by_owner}, StagLayout::bare).first->second;
      layout = std::max(layout, each.layout);
    }
  };
  const auto drop = [&](std::vector<Mention>& mentions, bool bulk) {
    std::erase_if(mentions, [&](const Mention& each) {
      return each.layout == StagLayout::bare &&
             (bulk || best[{each.stag, each.by_owner}] != StagLayout::bare);
    });
  };
  for (const PlannedStream& stream : plan.streams) {
    for (const auto& startup : stream.startup) {
      if (startup) note(startup->mentions);
    }
    for (const PlannedWork& work : stream.work) note(work.mentions);
  }
  for (PlannedStream& stream : plan.streams) {
    for (auto& startup : stream.startup) {
      if (startup) drop(startup->mentions, false);
    }
    for (PlannedWork& work : stream.work) drop(work.mentions, work.kind == WorkKind::write);
  }
}

// A number of `size` octets as `form` writes it, where it stands whole.
std::optional<std::uint64_t> load_whole(ByteView octets, std::uint64_t at, std::size_t size, StagForm form) {
  if (form == StagForm::digits) size *= 2;
  if (at > octets.size() || octets.size() - at < size) return std::nullopt;
  const ByteView number = octets.subspan(static_cast<std::size_t>(at), size);
  if (form == StagForm::digits) return number_of_digits(number, 0, size);
  return load(number, form);
}

}  // namespace

std::optional<ToldName> told_name(const Mention& mention, ByteView live, std::uint64_t recorded_length) {
  // Of a message of another length what stands in its last half is as far from its end as it was.
  const std::uint64_t shift = live.size() - recorded_length;
  const auto load = [&](std::uint64_t offset, std::size_t size) {
    return load_whole(live, offset >= recorded_length / 2 ? offset + shift : offset, size, mention.form);
  };
  const auto stag = load(mention.offset, 4);
  if (!stag) return std::nullopt;
  ToldName name{static_cast<std::uint32_t>(*stag), std::nullopt};
  if (mention.to_offset) {
    if (const auto to = load(*mention.to_offset, 8)) name.distance = *to - mention.to;
  }
  return name;
}

void find_mentions(Plan& plan) {
  const std::unique_ptr<Uses> uses = collect_uses(plan);
  const Search search(*uses);
  Bytes octets;
  for (PlannedStream& stream : plan.streams) {
    std::array<SendReader, 2> readers;  // by role
    std::array<std::optional<RsocketsEnd>, 2> rsockets;
    if (stream.startup[0] && stream.startup[1]) {
      const std::array<ByteView, 2> told = {stream.startup[0]->private_data, stream.startup[1]->private_data};
      if (is_nvme_startup(told[0], told[1])) {
        for (SendReader& each : readers) each.expect(Ulp::nvme);
      }
      rsockets = {read_rsockets(told[0]), read_rsockets(told[1])};
      if (!rsockets[0] || !rsockets[1]) rsockets = {};
    }
    for (const Role role : {Role::initiator, Role::responder}) {
      auto& startup = stream.startup[static_cast<std::size_t>(role)];
      if (!startup) continue;
      const std::uint32_t sender = stream.hosts[static_cast<std::size_t>(role)];
      const std::uint32_t peer = stream.hosts[static_cast<std::size_t>(other(role))];
      const auto& end = rsockets[static_cast<std::size_t>(role)];
      startup->mentions = end ? search.used({end->table, end->buffer}, sender, peer)
                              : search.in(startup->private_data, sender, peer, false);
    }
    for (PlannedWork& work : stream.work) {
      if (!is_send(work.kind) && work.kind != WorkKind::write) continue;
      const bool captured =
          std::ranges::any_of(work.content, [](const Piece& piece) { return !piece.seeded; });
      if (!captured) continue;
      octets.resize(static_cast<std::size_t>(std::min<std::uint64_t>(work.length, max_searched)));
      copy_octets(plan.payloads, plan.seed, work.content, 0, octets);
      const std::uint32_t sender = stream.hosts[static_cast<std::size_t>(work.role)];
      const std::uint32_t peer = stream.hosts[static_cast<std::size_t>(other(work.role))];
      std::vector<Mention> told;
      if (const auto& end = rsockets[static_cast<std::size_t>(other(work.role))]) {
        if (work.kind == WorkKind::write) {
          if (const auto entry = end->told_by_write(work.stag, work.to, octets)) told.push_back(*entry);
        }
        work.mentions = search.used(std::move(told), sender, peer);
        forget_seeded(work, work.mentions);
        continue;
      }
      const bool is_read = is_send(work.kind) && readers[static_cast<std::size_t>(work.role)].read(
                                                     octets, work.role, told) == SendReader::Told::all;
      work.mentions = is_read ? search.used(std::move(told), sender, peer)
                              : search.in(octets, sender, peer, is_send(work.kind));
      forget_seeded(work, work.mentions);
    }
  }
  drop_doubtful(plan);
}

}  // namespace iwarp::replay
