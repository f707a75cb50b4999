// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/anonymise.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace iwarp::replay {
namespace {

struct Range {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

// The octets of a payload that a mention takes up.
std::vector<Range> ranges_of(const Mention& mention) {
  const bool text = mention.form == StagForm::digits;
  std::vector<Range> ranges = {{mention.offset, mention.offset + (text ? 8U : 4U)}};
  if (mention.to_offset) ranges.push_back({*mention.to_offset, *mention.to_offset + (text ? 16U : 8U)});
  if (mention.length_offset) {
    ranges.push_back({*mention.length_offset, *mention.length_offset + std::uint64_t{mention.length_size}});
  }
  return ranges;
}

template <typename Act>
void for_each_content(Plan& plan, const Act& act) {
  for (PlannedStream& stream : plan.streams) {
    for (PlannedWork& work : stream.work) act(work.content);
  }
  for (PlannedHost& host : plan.hosts) {
    for (PlannedRegion& region : host.regions) {
      for (InitialOctets& initial : region.initial) act(initial.content);
    }
    for (PlannedStore& store : host.stores) act(store.content);
  }
}

// What is replaced is told by payload, not by message: so whatever was the same octets stays the same.
class Seeding {
 public:
  explicit Seeding(Plan& plan) : plan_(plan), kept_(plan.payloads.size()) {}

  void run() {
    for (PlannedStream& stream : plan_.streams) {
      for (const PlannedWork& work : stream.work) {
        for (const Mention& mention : work.mentions) keep(work.content, mention);
      }
    }
    for (std::vector<Range>& ranges : kept_) merge(ranges);
    for_each_content(plan_, [this](const Content& content) {
      for (const Piece& piece : content) {
        if (piece.seeded) first_key_ = std::max(first_key_, piece.source + 1);
      }
    });
    for_each_content(plan_, [this](Content& content) { content = seeded(content); });
    plan_.payloads = std::move(payloads_);
  }

 private:
  void keep(const Content& content, const Mention& mention) {
    for (const Range& range : ranges_of(mention)) {
      for (const Piece& piece : slice(content, range.from, range.to - range.from)) {
        if (!piece.seeded) kept_[piece.source].push_back({piece.offset, piece.offset + piece.length});
      }
    }
  }

  static void merge(std::vector<Range>& ranges) {
    std::ranges::sort(ranges, {}, [](const Range& each) { return each.from; });
    std::vector<Range> merged;
    for (const Range& range : ranges) {
      if (!merged.empty() && range.from <= merged.back().to) {
        merged.back().to = std::max(merged.back().to, range.to);
      } else {
        merged.push_back(range);
      }
    }
    ranges = std::move(merged);
  }

  Content seeded(const Content& content) {
    Content out;
    for (const Piece& piece : content) {
      if (piece.seeded) {
        append(out, piece);
        continue;
      }
      std::uint64_t at = piece.offset;
      const std::uint64_t end = piece.offset + piece.length;
      for (const Range& range : kept_[piece.source]) {
        if (range.to <= at || range.from >= end) continue;
        const std::uint64_t from = std::max(at, range.from);
        const std::uint64_t to = std::min(end, range.to);
        append(out, {from - at, first_key_ + piece.source, at, true});
        const ByteView octets = plan_.payloads[static_cast<PayloadId>(piece.source)];
        append(out, {to - from, payloads_.add(octets.subspan(from, to - from)), 0, false});
        at = to;
      }
      append(out, {end - at, first_key_ + piece.source, at, true});
    }
    return out;
  }

  Plan& plan_;
  PayloadStore payloads_;
  std::vector<std::vector<Range>> kept_;  // by PayloadId
  std::uint64_t first_key_ = 1;
};

void hide(PlannedStartup& startup, std::uint64_t seed, std::uint64_t key, PrivateDataChoice choice) {
  if (choice == PrivateDataChoice::keep || startup.private_data.empty()) return;
  constexpr std::size_t smbd_size = 8;  // IRD and ORD, which a replay negotiates
  const std::size_t kept = startup.smbd ? std::min(smbd_size, startup.private_data.size()) : 0;
  if (choice == PrivateDataChoice::drop) {
    startup.private_data.resize(kept);
    startup.mentions.clear();
    return;
  }
  Bytes octets(startup.private_data.size());
  seeded_octets(seed, key, 0, octets);
  std::copy_n(startup.private_data.begin(), kept, octets.begin());
  for (const Mention& mention : startup.mentions) {
    for (const Range& range : ranges_of(mention)) {
      std::copy(startup.private_data.begin() + static_cast<std::ptrdiff_t>(range.from),
                startup.private_data.begin() + static_cast<std::ptrdiff_t>(range.to),
                octets.begin() + static_cast<std::ptrdiff_t>(range.from));
    }
  }
  startup.private_data = std::move(octets);
}

// 198.18.0.0/15 (RFC 2544) and 2001:db8::/32 (RFC 3849): by place among the hosts.
IpAddress stand_in(std::uint8_t version, std::uint32_t number) {
  IpAddress address;
  address.version = version;
  const std::uint32_t host = number + 1;
  if (version == 4) {
    store_be32(address.octets.data(), (198U << 24U | 18U << 16U) + (host & 0x1ffffU));
  } else {
    store_be32(address.octets.data(), 0x20010db8U);
    store_be32(address.octets.data() + 12, host);
  }
  return address;
}

}  // namespace

void anonymise(Plan& plan, const AnonymiseOptions& options) {
  plan.anonymised = true;
  if (options.seed_payload) Seeding(plan).run();
  std::uint64_t key = ~std::uint64_t{0};  // far from those of messages
  for (PlannedStream& stream : plan.streams) {
    for (auto& startup : stream.startup) {
      if (startup) hide(*startup, plan.seed, key--, options.private_data);
    }
  }
  if (options.rename_addresses) {
    std::map<IpAddress, IpAddress> names;
    for (PlannedHost& host : plan.hosts) {
      const auto number = static_cast<std::uint32_t>(names.size());
      host.address = names.try_emplace(host.address, stand_in(host.address.version, number)).first->second;
    }
    for (PlannedStream& stream : plan.streams) {
      for (const std::size_t role : {0U, 1U}) {
        stream.endpoints[role].address = plan.hosts[stream.hosts[role]].address;
      }
    }
  }
  if (!options.forget_origin) return;
  plan.source.clear();
  plan.start_ns = 0;
}

}  // namespace iwarp::replay
