// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/stags.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/hash.hpp"
#include "stags/atomic_words.hpp"
#include "stags/stag_life.hpp"

namespace iwarp {
namespace {

// Of which STags are kept apart: an address costs little, but a capture may have any number.
constexpr std::size_t max_hosts = std::size_t{1} << 16U;
// A few that follow each other by chance are no pattern (RFC 5040 §8.1.1).
constexpr std::uint32_t enough_registrations = 100;

constexpr std::uint16_t invalid_stag[] = {0x0100, 0x1100};
constexpr std::uint16_t base_or_bounds[] = {0x0101, 0x1101};
constexpr std::uint16_t access_rights = 0x0102;

bool is_one_of(std::uint16_t code, const std::uint16_t (&codes)[2]) noexcept {
  return code == codes[0] || code == codes[1];
}

// For what its owner does, not who uses it.
StagUse by_owner(StagUse use) noexcept {
  if (use.side != use.owner) use.from = other(use.from);
  use.side = use.owner;
  return use;
}

std::uint64_t argument(wire::Opcode opcode) noexcept {
  return static_cast<std::uint64_t>(opcode);
}

}  // namespace

const char* stag_right_name(StagRight right) noexcept {
  switch (right) {
    case StagRight::unknown: return nullptr;
    case StagRight::proven: return "proven";
    case StagRight::denied: return "denied";
  }
  return nullptr;
}

std::optional<bool> StagRecord::is_virtual() const noexcept {
  constexpr std::uint64_t lowest_virtual = std::uint64_t{1} << 32U;
  constexpr std::uint64_t page = 4096;
  if (!min_to) return std::nullopt;
  if (*min_to >= lowest_virtual) return true;
  return *min_to < page ? std::optional(false) : std::nullopt;
}

struct StagTable::Impl {
  explicit Impl(StagOptions chosen) : options(std::move(chosen)) {
    options.max_stags = std::max<std::size_t>(options.max_stags, 1);
  }

  using Slot = std::uint32_t;
  struct Host {
    std::string name;
    std::uint64_t missing = 0;      // `serial` when octets of its were missing last …
    FrameNumber missing_frame = 0;  // … and the frame that showed it
    bool midstream = false;         // the start of one of its streams was not captured
    // Of its STags: one was invalidated by the peer; one was advertised again without that.
    bool renews = false;
    bool persist = false;
    // CAP-STAGPRED: STags in the order in which they were first seen.
    std::uint32_t registrations = 0;
    std::uint32_t latest = 0;
    std::uint32_t step = 0;   // from the one before to the latest, modulo 2^32
    std::uint32_t alike = 0;  // steps in a row that are the same
    bool predictable = false;
  };

  void add(const StagUse& use);
  void finish();

  [[nodiscard]] std::uint32_t host_of(const StagUse& use);
  [[nodiscard]] std::uint32_t host_of(const IpAddress& address);
  [[nodiscard]] StagLife* find(std::uint32_t host, std::uint32_t stag);
  StagLife& begin(std::uint32_t host, const StagUse& use, std::uint32_t generation);
  // Another life of the same index.
  StagLife& begin_again(StagLife& life, const StagUse& use);
  void end(StagLife& life);
  void evict_one();
  // Once: `noted`.
  void note_limit(const StagUse& use, Phrase what, std::size_t most, bool& noted);
  void note_registration(Host& host, const StagUse& use);

  void take_advertised(const StagUse& use, std::uint32_t host);
  void take_access(const StagUse& use, std::uint32_t host);
  void take_invalidated(const StagUse& use, std::uint32_t host);
  void take_delivered(const StagUse& use, std::uint32_t host);
  void take_granted(const StagUse& use, std::uint32_t host);
  void take_refused(const StagUse& use, std::uint32_t host);
  void judge_invalid_use(const StagUse& use, const Host& host, std::uint32_t stag, FrameNumber invalidated,
                         std::uint64_t since, const StagLife& life);
  void judge_bounds(const StagUse& use, const Host& host, const StagLife& life);

  [[nodiscard]] static std::uint64_t key_of(std::uint32_t host, std::uint32_t stag) noexcept {
    return std::uint64_t{host} << 24U | stag >> 8U;
  }
  void found(const StagUse& use, CheckId check, std::initializer_list<std::uint64_t> arguments,
             std::initializer_list<FrameNumber> evidence);
  void undecided(CheckId check, Reason reason) noexcept {
    ++undecidable[static_cast<unsigned>(check)][static_cast<std::size_t>(reason)];
  }
  // Of what happened since `serial` was `since`.
  [[nodiscard]] std::optional<Reason> doubt(const StagUse& use, const Host& host,
                                            std::uint64_t since) const noexcept {
    if (host.missing > since) return Reason::gap;
    if (host.midstream) return Reason::midstream;
    if (use.ulp == Ulp::unknown) return Reason::ulp_unknown;
    if (evicted > 0) return Reason::limit;
    return std::nullopt;
  }

  // Since when octets that are missing may have told of the life's memory. Where STags are known to be told
  // once a life, since it began.
  [[nodiscard]] std::uint64_t told_since(const StagLife& life) const noexcept {
    const Host& host = hosts[life.host];
    return host.renews && !host.persist ? life.begun : life.before;
  }

  StagOptions options;
  AtomicWords words;
  std::uint64_t serial = 0;  // uses so far
  std::vector<Host> hosts;
  std::map<IpAddress, std::uint32_t> by_address;
  std::map<std::string, std::uint32_t> by_name;
  static constexpr std::uint32_t unknown_host = ~std::uint32_t{0};
  static constexpr std::uint32_t one_too_many = unknown_host - 1;
  std::vector<std::array<std::uint32_t, 2>> of_stream;  // by Side

  std::vector<StagLife> lives;  // slots, of which some are free
  std::vector<Slot> free;
  Slot hand = 0;  // where the next one to be evicted is looked for
  struct Hash {
    std::size_t operator()(std::uint64_t key) const noexcept { return base::hash_of(key, 0); }
  };
  std::unordered_map<std::uint64_t, Slot, Hash> by_index;
  std::uint64_t evicted = 0;
  bool stags_limited = false;  // CAP-LIMIT is told …
  bool hosts_limited = false;

  std::vector<Found> findings;
  std::vector<StagRecord> ended;
  std::array<std::array<std::uint64_t, static_cast<std::size_t>(Reason::count)>, check_count> undecidable{};
};

void StagTable::Impl::note_limit(const StagUse& use, Phrase what, std::size_t most, bool& noted) {
  if (std::exchange(noted, true)) return;
  found(use, CheckId::cap_limit, {static_cast<std::uint64_t>(what), most}, {use.where.frame});
}

void StagTable::Impl::found(const StagUse& use, CheckId check, std::initializer_list<std::uint64_t> arguments,
                            std::initializer_list<FrameNumber> evidence) {
  Found& found = findings.emplace_back();
  found.from = use.from;
  Event& event = found.event;
  event.frame = use.decided;
  event.time_ns = use.where.time_ns;
  event.connection = use.stream;
  event.kind = EventKind::finding;
  event.side = use.side;
  Finding finding;
  finding.check = check;
  finding.severity = severity_of(check, options.strict);
  finding.time_ns = use.where.time_ns;
  std::copy_n(arguments.begin(), std::min(arguments.size(), finding.arguments.size()),
              finding.arguments.begin());
  for (const FrameNumber frame : evidence) {
    const auto end = finding.evidence.begin() + finding.evidence_count;
    if (frame == 0 || std::find(finding.evidence.begin(), end, frame) != end) continue;
    finding.evidence[finding.evidence_count++] = frame;
  }
  event.finding = finding;
}

std::uint32_t StagTable::Impl::host_of(const IpAddress& address) {
  const auto known = by_address.find(address);
  if (known != by_address.end()) return known->second;
  if (by_address.size() >= max_hosts) return one_too_many;
  const auto named = options.hosts.find(address);
  const std::string name = named == options.hosts.end() ? to_string(address) : named->second;
  const auto [place, is_new] = by_name.try_emplace(name, static_cast<std::uint32_t>(hosts.size()));
  if (is_new) hosts.emplace_back().name = name;
  by_address.emplace(address, place->second);
  return place->second;
}

std::uint32_t StagTable::Impl::host_of(const StagUse& use) {
  if (use.stream >= of_stream.size()) {
    of_stream.resize(std::max<std::size_t>(use.stream + std::size_t{1}, 2 * of_stream.size()),
                     {unknown_host, unknown_host});
  }
  auto& of = of_stream[use.stream];
  if (of[0] == unknown_host) of = {host_of(use.endpoints[0].address), host_of(use.endpoints[1].address)};
  return of[index(use.owner)];
}

StagLife* StagTable::Impl::find(std::uint32_t host, std::uint32_t stag) {
  const auto found = by_index.find(key_of(host, stag));
  if (found == by_index.end()) return nullptr;
  StagLife& life = lives[found->second];
  life.used_lately = true;
  return &life;
}

// By indexes: keys count up where memory is registered again.
void StagTable::Impl::note_registration(Host& host, const StagUse& use) {
  const std::uint32_t stag_index = use.stag >> 8U;
  const std::uint32_t step = stag_index - host.latest;
  host.alike = host.registrations > 1 && step == host.step ? host.alike + 1 : 0;
  host.step = step;
  host.latest = stag_index;
  ++host.registrations;
  if (host.predictable || host.alike < enough_registrations) return;
  host.predictable = true;
  found(by_owner(use), CheckId::cap_stagpred, {enough_registrations, step << 8U, use.stag},
        {use.where.frame});
}

StagLife& StagTable::Impl::begin(std::uint32_t host, const StagUse& use, std::uint32_t generation) {
  if (by_index.size() >= options.max_stags) {
    evict_one();
    note_limit(use, Phrase::stags, options.max_stags, stags_limited);
  }
  Slot slot = static_cast<Slot>(lives.size());
  if (free.empty()) {
    lives.emplace_back();
  } else {
    slot = free.back();
    free.pop_back();
  }
  by_index[key_of(host, use.stag)] = slot;
  StagLife& life = lives[slot];
  life = {};
  life.host = host;
  life.begun = serial;
  life.record.host = hosts[host].name;
  life.record.stag = use.stag;
  life.record.generation = generation;
  return life;
}

StagLife& StagTable::Impl::begin_again(StagLife& life, const StagUse& use) {
  const std::uint32_t host = life.host;
  const std::uint32_t generation = life.record.generation + 1;
  const std::uint32_t earlier = life.record.stag;
  const FrameNumber invalidated = life.record.invalidated;
  const FrameNumber delivered = life.delivered_frame;
  const ConnectionId invalidated_on = life.invalidated_on;
  const std::uint64_t before = life.begun;
  end(life);
  StagLife& again = begin(host, use, generation);
  again.before = before;
  again.earlier_stag = earlier;
  again.earlier_invalidated = invalidated;
  again.earlier_delivered = delivered;
  again.earlier_on = invalidated_on;
  return again;
}

void StagTable::Impl::end(StagLife& life) {
  words.forget(life.host, life.record.stag);
  const auto found = by_index.find(key_of(life.host, life.record.stag));
  free.push_back(found->second);
  by_index.erase(found);
  ended.push_back(std::move(life.record));
}

// The next one around that was not used since the hand was there last.
void StagTable::Impl::evict_one() {
  for (;; ++hand) {
    if (hand >= lives.size()) hand = 0;
    StagLife& life = lives[hand];
    const auto found = by_index.find(key_of(life.host, life.record.stag));
    if (found == by_index.end() || found->second != hand) continue;  // free
    if (std::exchange(life.used_lately, false)) continue;
    ++evicted;
    return end(life);
  }
}

void StagTable::Impl::take_advertised(const StagUse& use, std::uint32_t host) {
  // In the stream's order; others are found when they are asked for.
  const bool is_read = use.confidence == Confidence::high;
  StagLife* life = find(host, use.stag);
  const bool is_new = life == nullptr;
  if (life == nullptr) {
    life = &begin(host, use, 1);
  } else if (life->record.stag != use.stag) {
    // What is found in what came before says nothing of the present.
    if (!is_read && use.where.frame <= life->record.first_use) return;
    life = &begin_again(*life, use);
  } else if (life->named_frame != 0 && (is_read || use.where.frame > life->named_frame)) {
    life = &begin_again(*life, use);
  } else if (life->record.advertised) {
    hosts[host].persist = true;
  }
  if (is_new) note_registration(hosts[host], use);
  life->note_advertised(use);
}

void StagTable::Impl::judge_invalid_use(const StagUse& use, const Host& host, std::uint32_t stag,
                                        FrameNumber invalidated, std::uint64_t since, const StagLife& life) {
  // A Send of which octets are missing is known late: behind what shows that the answer to it is missing,
  // too.
  if (host.missing_frame >= invalidated) return undecided(CheckId::rdmap_invuse, Reason::gap);
  if (const auto reason = doubt(use, host, since)) return undecided(CheckId::rdmap_invuse, *reason);
  const FrameNumber advertised =
      life.record.stag == stag && life.record.advertised ? life.record.advertised->frame : 0;
  found(use, CheckId::rdmap_invuse, {argument(use.opcode), stag, invalidated},
        {use.where.frame, invalidated, advertised});
}

void StagTable::Impl::judge_bounds(const StagUse& use, const Host& host, const StagLife& life) {
  const auto outside = life.outside(use.to, use.length.value_or(0));
  // Of memory that no reader saw advertised there is no rule: its bounds are between its users.
  if (!outside || !outside->certain) return;
  if (outside->octets == 0) return;
  // Another host behind that address may have told of an STag of that value.
  if (!life.was_told_on(use.stream)) return undecided(CheckId::rdmap_bounds, Reason::ulp_unknown);
  // One whose beginning is missing is known late, and may be about what was told before.
  if (use.begun <= life.record.advertised->frame) return undecided(CheckId::rdmap_bounds, Reason::gap);
  if (const auto reason = doubt(use, host, told_since(life)))
    return undecided(CheckId::rdmap_bounds, *reason);
  found(use, CheckId::rdmap_bounds, {argument(use.opcode), use.stag, outside->octets, outside->advertised},
        {use.where.frame, outside->advertised});
}

// By the peer, or of its owner's own sink.
void StagTable::Impl::take_access(const StagUse& use, std::uint32_t host) {
  const bool remote = use.side != use.owner && use.kind != StagUse::Kind::placed;
  StagLife* life = find(host, use.stag);
  if (life == nullptr) {
    life = &begin(host, use, 1);
  } else if (life->record.stag != use.stag) {
    if (remote && life->earlier_stag == use.stag && life->earlier_invalidated != 0) {
      if (use.begun <= life->earlier_delivered) return;
      if (use.stream != life->earlier_on || !life->was_told_on(use.stream)) {
        undecided(CheckId::rdmap_invuse, Reason::ulp_unknown);
      } else {
        judge_invalid_use(use, hosts[host], use.stag, life->earlier_invalidated, life->before, *life);
      }
      return;
    }
    // Another key than the one that was told is a fault, or from before.
    if (remote && life->is_certain()) return undecided(CheckId::rdmap_invuse, Reason::limit);
    life = &begin_again(*life, use);
  } else if (remote && life->invalidated != 0 && use.begun > life->delivered_frame) {
    if (!life->is_invalid_on(use.stream)) {
      undecided(CheckId::rdmap_invuse, Reason::ulp_unknown);
    } else {
      judge_invalid_use(use, hosts[host], use.stag, life->record.invalidated, life->invalidated, *life);
    }
  }
  if (remote) judge_bounds(use, hosts[host], *life);
  life->note_use(use);
}

void StagTable::Impl::take_invalidated(const StagUse& use, std::uint32_t host) {
  StagLife* life = find(host, use.stag);
  if (life == nullptr || life->record.stag != use.stag) {
    if (life != nullptr && life->is_certain()) return undecided(CheckId::rdmap_invunk, Reason::limit);
    if (const auto reason = doubt(use, hosts[host], 0)) {
      undecided(CheckId::rdmap_invunk, *reason);
    } else {
      found(use, CheckId::rdmap_invunk, {use.stag}, {use.where.frame});
    }
    life = life == nullptr ? &begin(host, use, 1) : &begin_again(*life, use);
  } else if (life->told_frame > use.where.frame) {
    // Known late, for octets before it are missing: what was told behind it is another life.
    return undecided(CheckId::rdmap_invuse, Reason::gap);
  }
  life->note_use(use);
  life->named_frame = use.where.frame;
  life->named = serial;
}

void StagTable::Impl::take_delivered(const StagUse& use, std::uint32_t host) {
  StagLife* const life = find(host, use.stag);
  if (life == nullptr || life->record.stag != use.stag || life->named_frame != use.where.frame) return;
  life->record.invalidated = use.where.frame;
  life->delivered_frame = use.decided;
  hosts[host].renews = true;
  life->invalidated = life->named;
  life->invalidated_on = use.stream;
  life->streams_before = life->record.streams.size();
}

void StagTable::Impl::take_granted(const StagUse& use, std::uint32_t host) {
  if (StagLife* const life = find(host, use.stag); life != nullptr && life->record.stag == use.stag)
    life->note_right(use.opcode, StagRight::proven);
  if (!use.word) return;
  if (const auto left = words.note_response(host, use)) {
    found(by_owner(use), CheckId::rdmap_atsem, {use.stag, use.to, use.word->before, left->value},
          {use.where.frame, left->frame});
  }
}

// Why, as far as the STag's life tells.
void StagTable::Impl::take_refused(const StagUse& use, std::uint32_t host) {
  StagLife* const life = find(host, use.stag);
  const bool known = life != nullptr && life->record.stag == use.stag;
  if (known && use.code == access_rights) life->note_right(use.opcode, StagRight::denied);
  if (is_one_of(use.code, invalid_stag)) {
    FrameNumber invalidated = known ? life->named_frame : 0;
    if (life != nullptr && life->earlier_stag == use.stag) invalidated = life->earlier_invalidated;
    if (invalidated != 0 && (use.refused_frame == 0 || invalidated < use.refused_frame)) {
      found(use, CheckId::rdmap_whyinvalid, {use.code, use.stag, invalidated},
            {use.where.frame, use.refused_frame, invalidated});
    } else if (!known || !life->record.advertised) {
      found(use, CheckId::rdmap_whyunseen, {use.code, use.stag}, {use.where.frame, use.refused_frame});
    } else if (life->record.advertised->confidence != Confidence::low) {
      const FrameNumber advertised = life->record.advertised->frame;
      found(use, CheckId::rdmap_whykept, {use.code, use.stag, advertised},
            {use.where.frame, use.refused_frame, advertised});
    }
  } else if (known && is_one_of(use.code, base_or_bounds)) {
    const auto outside = life->outside(use.to, use.length.value_or(1));
    if (!outside || outside->octets == 0) return;
    found(use, CheckId::rdmap_whybounds, {use.code, use.stag, outside->octets, outside->advertised},
          {use.where.frame, use.refused_frame, outside->advertised});
  }
}

void StagTable::Impl::add(const StagUse& use) {
  findings.clear();
  ended.clear();
  ++serial;
  const std::uint32_t host = host_of(use);
  if (host == one_too_many) return note_limit(use, Phrase::hosts, max_hosts, hosts_limited);
  if (!use.from_start) hosts[host].midstream = true;
  using Kind = StagUse::Kind;
  switch (use.kind) {
    case Kind::advertised: return take_advertised(use, host);
    case Kind::written:
    case Kind::placed: words.note_written(host, use); return take_access(use, host);
    case Kind::atomic: words.note_request(host, use); return take_access(use, host);
    case Kind::read: return take_access(use, host);
    case Kind::invalidated: return take_invalidated(use, host);
    case Kind::delivered: return take_delivered(use, host);
    case Kind::granted: return take_granted(use, host);
    case Kind::refused: return take_refused(use, host);
    case Kind::missing:
      words.forget();
      hosts[host].missing = serial;
      hosts[host].missing_frame = use.decided;
      return;
  }
}

void StagTable::Impl::finish() {
  findings.clear();
  ended.clear();
  std::vector<StagLife*> left;
  left.reserve(by_index.size());
  for (const auto& [key, slot] : by_index) left.push_back(&lives[slot]);
  std::sort(left.begin(), left.end(),
            [](const StagLife* a, const StagLife* b) { return a->begun < b->begun; });
  for (StagLife* const life : left) ended.push_back(std::move(life->record));
  by_index.clear();
  lives.clear();
  free.clear();
}

StagTable::StagTable(StagOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
StagTable::~StagTable() = default;
StagTable::StagTable(StagTable&&) noexcept = default;
StagTable& StagTable::operator=(StagTable&&) noexcept = default;

void StagTable::add(const StagUse& use) {
  impl_->add(use);
}

void StagTable::finish() {
  impl_->finish();
}

std::span<const StagTable::Found> StagTable::findings() const noexcept {
  return impl_->findings;
}

std::span<const StagRecord> StagTable::ended() const noexcept {
  return impl_->ended;
}

const StagRecord* StagTable::life_of(const StagUse& use) const noexcept {
  if (use.stream >= impl_->of_stream.size()) return nullptr;
  const std::uint32_t host = impl_->of_stream[use.stream][index(use.owner)];
  const auto found = impl_->by_index.find(Impl::key_of(host, use.stag));
  if (found == impl_->by_index.end()) return nullptr;
  const StagRecord& record = impl_->lives[found->second].record;
  return record.stag == use.stag ? &record : nullptr;
}

std::uint64_t StagTable::undecidable(CheckId check, Reason reason) const noexcept {
  return impl_->undecidable[static_cast<unsigned>(check)][static_cast<std::size_t>(reason)];
}

std::uint64_t StagTable::evicted() const noexcept {
  return impl_->evicted;
}

}  // namespace iwarp
