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

// How far behind the end of an advertised range a use still shows that the octets are an advertisement:
// accesses out of bounds are made on purpose sometimes.
constexpr std::uint64_t slack = 4096;
constexpr std::size_t max_uses = 64;                           // of one STag that are looked at
constexpr std::uint64_t max_length = std::uint64_t{1} << 30U;  // that an advertisement may plausibly tell
constexpr std::size_t max_searched = std::size_t{1} << 20U;    // octets of one payload

struct Use {
  std::uint64_t to = 0;
  std::uint64_t length = 0;
};

// The STags of all hosts that are used remotely, with their first uses.
class Uses {
 public:
  void add(std::uint32_t host, std::uint32_t stag, const Use& use) {
    std::vector<Use>& uses = by_stag_[{stag, host}];
    if (uses.size() < max_uses) uses.push_back(use);
    maybe_.set(place(stag));
  }
  // Cheap: most octets are no STag.
  [[nodiscard]] bool may_have(std::uint32_t stag) const noexcept { return maybe_.test(place(stag)); }
  [[nodiscard]] const std::vector<Use>* find(std::uint32_t host, std::uint32_t stag) const {
    const auto found = by_stag_.find({stag, host});
    return found == by_stag_.end() ? nullptr : &found->second;
  }

 private:
  static constexpr std::size_t places = std::size_t{1} << 18U;
  static std::size_t place(std::uint32_t stag) noexcept { return (stag * 0x9e3779b1U) >> 14U; }

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Use>> by_stag_;
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

std::uint64_t load(ByteView octets, std::size_t at, std::size_t size, StagForm form) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t each = form == StagForm::little_endian ? at + size - 1 - i : at + i;
    value = value << 8U | octets[each];
  }
  return value;
}

int digit(Byte octet) noexcept {
  if (octet >= '0' && octet <= '9') return octet - '0';
  if (octet >= 'a' && octet <= 'f') return octet - 'a' + 10;
  if (octet >= 'A' && octet <= 'F') return octet - 'A' + 10;
  return -1;
}

// `count` hexadecimal digits at `at`, and no more of them.
std::optional<std::uint64_t> digits(ByteView octets, std::size_t at, std::size_t count) noexcept {
  if (at + count > octets.size() || (at > 0 && digit(octets[at - 1]) >= 0)) return std::nullopt;
  if (at + count < octets.size() && digit(octets[at + count]) >= 0) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    const int each = digit(octets[i]);
    if (each < 0) return std::nullopt;
    value = value << 4U | static_cast<std::uint64_t>(each);
  }
  return value;
}

// Where TO and length stand, counted from the STag.
struct Shape {
  StagLayout layout;
  StagForm form;
  int to_at;
  int length_at;
  unsigned length_size;  // 0: none
};
constexpr Shape shapes[] = {
    {StagLayout::perftest, StagForm::big_endian, 8, 0, 0},
    {StagLayout::nvme, StagForm::little_endian, -11, -3, 3},
    {StagLayout::rpc_rdma, StagForm::big_endian, 8, 4, 4},
    {StagLayout::rping, StagForm::big_endian, -8, 4, 4},
    {StagLayout::smb_direct, StagForm::little_endian, -8, 4, 4},
    {StagLayout::iser, StagForm::big_endian, 4, 0, 0},
};

bool inside(ByteView octets, std::size_t at, int offset, std::size_t size) noexcept {
  const auto begin = static_cast<std::ptrdiff_t>(at) + offset;
  return begin >= 0 && static_cast<std::size_t>(begin) + size <= octets.size();
}

bool plausible(const Mention& mention, const std::vector<Use>& uses, bool with_length) noexcept {
  // An STag that was invalidated and never used: there is nothing to compare, so it must look right by
  // itself.
  if (std::ranges::all_of(uses, [](const Use& use) { return use.length == 0; })) {
    constexpr std::uint64_t longest = 16U << 20U;
    return mention.to >= 4096 && (!with_length || (mention.length != 0 && mention.length <= longest));
  }
  return std::ranges::any_of(uses, [&](const Use& use) {
    if (use.length == 0) return false;
    if (!with_length) return mention.to != 0 && use.to >= mention.to && use.to - mention.to < 16U << 20U;
    return mention.length != 0 && mention.length <= max_length && use.to >= mention.to &&
           use.to - mention.to <= mention.length + slack;
  });
}

// Where a layout puts the STag in a message, if that is always the same place.
bool has_its_place(StagLayout layout, std::size_t at, std::size_t size) noexcept {
  switch (layout) {
    case StagLayout::perftest: return size == 56 && at == 16;  // its messages that exchange parameters
    case StagLayout::nvme: return size >= 64 && at == 35;      // SGL1 of a command capsule, at 24
    case StagLayout::iser:
      return size >= 28 && (at == 4 || at == 16);  // write and read STag of the iSER header
    default: return true;
  }
}

bool try_shape(const Shape& shape, ByteView octets, const std::vector<Use>& uses, Mention& mention) {
  const std::size_t at = mention.offset;
  if (!has_its_place(shape.layout, at, octets.size())) return false;
  if (shape.form != mention.form || !inside(octets, at, shape.to_at, 8)) return false;
  if (!inside(octets, at, shape.length_at, shape.length_size)) return false;
  const auto place = [at](int offset) {
    return static_cast<std::uint32_t>(static_cast<std::ptrdiff_t>(at) + offset);
  };
  Mention tried = mention;
  tried.layout = shape.layout;
  tried.to_offset = place(shape.to_at);
  tried.to = load(octets, *tried.to_offset, 8, shape.form);
  if (shape.length_size > 0) {
    tried.length_offset = place(shape.length_at);
    tried.length_size = static_cast<std::uint8_t>(shape.length_size);
    tried.length = load(octets, *tried.length_offset, shape.length_size, shape.form);
  }
  if (!plausible(tried, uses, shape.length_size > 0)) return false;
  mention = tried;
  return true;
}

// A TO of a use somewhere near.
bool try_near(ByteView octets, const std::vector<Use>& uses, Mention& mention) {
  for (int offset = -32; offset <= 28; ++offset) {
    if ((offset > -8 && offset < 4) || !inside(octets, mention.offset, offset, 8)) continue;
    const auto place = static_cast<std::uint32_t>(static_cast<std::ptrdiff_t>(mention.offset) + offset);
    const std::uint64_t to = load(octets, place, 8, mention.form);
    if (to == 0 ||
        std::ranges::none_of(uses, [to](const Use& use) { return use.length > 0 && use.to == to; }))
      continue;
    mention.layout = StagLayout::near_to;
    mention.to_offset = place;
    mention.to = to;
    return true;
  }
  return false;
}

class Search {
 public:
  explicit Search(const Uses& uses) : uses_(uses) {}

  [[nodiscard]] std::vector<Mention> in(ByteView octets, std::uint32_t sender, std::uint32_t peer,
                                        bool text) const {
    std::vector<Mention> found;
    octets = octets.first(std::min(octets.size(), max_searched));
    for (std::size_t at = 0; at + 4 <= octets.size(); ++at) {
      const std::uint32_t big = load_be32(octets.data() + at);
      const std::uint32_t little = load_le32(octets.data() + at);
      if (uses_.may_have(big)) look(octets, at, big, StagForm::big_endian, sender, peer, found);
      if (uses_.may_have(little)) look(octets, at, little, StagForm::little_endian, sender, peer, found);
      if (text && digit(octets[at]) >= 0) look_at_digits(octets, at, sender, peer, found);
    }
    return found;
  }

 private:
  void look(ByteView octets, std::size_t at, std::uint32_t stag, StagForm form, std::uint32_t sender,
            std::uint32_t peer, std::vector<Mention>& found) const {
    for (const std::uint32_t owner : {sender, peer}) {
      const std::vector<Use>* uses = uses_.find(owner, stag);
      if (uses == nullptr) continue;
      Mention mention;
      mention.offset = static_cast<std::uint32_t>(at);
      mention.stag = stag;
      mention.form = form;
      mention.by_owner = owner == sender;
      bool told = false;
      for (const Shape& shape : shapes) told = told || try_shape(shape, octets, *uses, mention);
      told = told || try_near(octets, *uses, mention);
      // A chance hit is worth keeping only where it may be an advertisement; small numbers are everywhere.
      if (!told && (!mention.by_owner || stag < 0x10000U)) continue;
      found.push_back(mention);
      return;
    }
  }

  void look_at_digits(ByteView octets, std::size_t at, std::uint32_t sender, std::uint32_t peer,
                      std::vector<Mention>& found) const {
    const auto value = digits(octets, at, 8);
    if (!value) return;
    const auto stag = static_cast<std::uint32_t>(*value);
    for (const std::uint32_t owner : {sender, peer}) {
      const std::vector<Use>* uses = uses_.find(owner, stag);
      if (uses == nullptr) continue;
      Mention mention;
      mention.offset = static_cast<std::uint32_t>(at);
      mention.stag = stag;
      mention.form = StagForm::digits;
      mention.by_owner = owner == sender;
      if (const auto to = digits(octets, at + 9, 16)) {
        mention.layout = StagLayout::perftest;
        mention.to_offset = static_cast<std::uint32_t>(at + 9);
        mention.to = *to;
      }
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
      each.length = each.length_size = 0;
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
  const auto place = static_cast<std::size_t>(at);
  if (form == StagForm::digits) return digits(octets.subspan(place, size), 0, size);
  return load(octets, place, size, form);
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
    for (const Role role : {Role::initiator, Role::responder}) {
      auto& startup = stream.startup[static_cast<std::size_t>(role)];
      if (!startup) continue;
      startup->mentions = search.in(startup->private_data, stream.hosts[static_cast<std::size_t>(role)],
                                    stream.hosts[static_cast<std::size_t>(other(role))], false);
    }
    for (PlannedWork& work : stream.work) {
      if (!is_send(work.kind) && work.kind != WorkKind::write) continue;
      const bool captured =
          std::ranges::any_of(work.content, [](const Piece& piece) { return !piece.seeded; });
      if (!captured) continue;
      octets.resize(static_cast<std::size_t>(std::min<std::uint64_t>(work.length, max_searched)));
      copy_octets(plan.payloads, plan.seed, work.content, 0, octets);
      work.mentions = search.in(octets, stream.hosts[static_cast<std::size_t>(work.role)],
                                stream.hosts[static_cast<std::size_t>(other(work.role))], is_send(work.kind));
      forget_seeded(work, work.mentions);
    }
  }
  drop_doubtful(plan);
}

}  // namespace iwarp::replay
