// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/registrations.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_set>
#include <utility>

#include "plan/memory_image.hpp"
#include "plan/mentions.hpp"

namespace iwarp::replay {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint32_t max_looked_back = 256;  // works

// What a Terminate says of an access that was refused.
enum class Denial : std::uint8_t {
  none,
  invalid,   // the STag is not valid
  bounds,    // beyond the region
  foreign,   // not associated with the stream
  otherwise  // rights, wrap …
};

Denial denial_of(std::uint16_t code) noexcept {
  switch (code) {
    case 0x0100:
    case 0x1100: return Denial::invalid;
    case 0x0101:
    case 0x1101: return Denial::bounds;
    case 0x0103:
    case 0x1102: return Denial::foreign;
    case 0x0102:
    case 0x0104:
    case 0x0109:
    case 0x01ff:
    case 0x1103: return Denial::otherwise;
    default: return Denial::none;
  }
}

struct Refused {
  Denial why = Denial::none;
  std::uint64_t from = 0;  // TO of the first octet that was refused
};

struct Track {
  std::uint32_t region = 0;
  MemoryImage image;
  std::uint64_t begin = 0;  // of all accesses that were let through
  std::uint64_t end = 0;
  bool touched = false;
  bool limited = false;          // an access was refused because of the bounds
  std::uint64_t refused_to = 0;  // … this one
  std::uint64_t refused_length = 0;
  std::optional<WorkRef> last;  // that touched it
};

class Registrations {
 public:
  explicit Registrations(Recording& recording) : recording_(recording), plan_(recording.plan) {}

  void rebuild() {
    find_refusals();
    index_mentions();
    take_all();
    for (auto& [key, track] : tracks_) settle(key.first, track);
    for (auto& [host, track] : closed_) settle(host, track);
    find_advertisements();
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // host, STag

  // A mention by the owner.
  struct Told {
    WorkRef ref;
    bool startup = false;  // in Private Data of that stream
    StagLayout layout = StagLayout::bare;
    std::uint64_t to = 0;
    std::uint64_t length = 0;  // 0: not told
  };
  static Told told_by(const Mention& mention, const WorkRef& ref, bool startup) {
    return {ref, startup, mention.layout, mention.to, mention.length.value_or(0)};
  }

  void find_refusals() {
    for (std::uint32_t s = 0; s < plan_.streams.size(); ++s) {
      for (const PlannedWork& work : plan_.streams[s].work) {
        if (work.kind != WorkKind::terminate || !work.quoted) continue;
        const PlannedWork& quoted = plan_.streams[s].work[*work.quoted];
        const std::uint64_t first = quoted.kind == WorkKind::read ? quoted.source_to : quoted.to;
        refused_[{s, *work.quoted}] = {denial_of(work.terminate_code), work.quoted_to.value_or(first)};
      }
    }
  }

  // A Read whose answer was not captured seems to last till the end, but its access is about where the
  // request is; and who invalidates what it read had waited for it. So does a Write whose end was not
  // captured seem to last till the next one.
  void take_all() {
    const std::vector<Effect>& effects = recording_.effects;
    std::vector<bool> taken(effects.size());
    const auto take_once = [&](std::size_t i) {
      if (!taken[i]) take(effects[i]);
      taken[i] = true;
    };
    std::map<std::pair<Key, std::size_t>, std::deque<std::size_t>> accesses;  // by STag and stream
    std::vector<std::deque<std::size_t>> unanswered(plan_.streams.size());
    for (std::size_t i = 0; i < effects.size(); ++i) {
      const PlannedWork& work = work_of(plan_, effects[i].work);
      const bool read = work.kind == WorkKind::read;
      if (effects[i].kind == Effect::Kind::invalidated || (read && work.deduced)) continue;
      const std::uint32_t stag = read ? work.source_stag : work.stag;
      accesses[{{peer_of(effects[i].work), stag}, effects[i].work.stream}].push_back(i);
      if (read && work.outcome == OperationStatus::unknown && work.content.empty())
        unanswered[effects[i].work.stream].push_back(i);
    }
    const auto posted = [&](std::size_t i) { return effects[i].work.work; };
    for (std::deque<std::size_t>& each : unanswered) std::ranges::sort(each, {}, posted);
    for (auto& [stag, each] : accesses) std::ranges::sort(each, {}, posted);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      const WorkRef& ref = effects[i].work;
      for (auto& waiting = unanswered[ref.stream]; !waiting.empty() && effects[waiting.front()].work < ref;
           waiting.pop_front()) {
        take_once(waiting.front());
      }
      if (effects[i].kind == Effect::Kind::invalidated) {
        const auto found = accesses.find({{peer_of(ref), work_of(plan_, ref).stag}, ref.stream});
        std::optional<WorkRef> last;
        while (found != accesses.end() && !found->second.empty() &&
               effects[found->second.front()].work < ref) {
          const std::size_t access = found->second.front();
          found->second.pop_front();
          take_once(access);
          if (asks(work_of(plan_, effects[access].work).kind)) last = effects[access].work;
        }
        if (last) wait_for_answer(*last, ref);  // Responses come in the order of the requests
      }
      take_once(i);
    }
  }

  static bool asks(WorkKind kind) noexcept { return kind == WorkKind::read || kind == WorkKind::atomic; }

  // What is invalidated was read before: whoever does both has the answer, captured or not.
  void wait_for_answer(const WorkRef& read, const WorkRef& invalidation) {
    const PlannedWork& asked = work_of(plan_, read);
    PlannedWork& work = plan_.streams[invalidation.stream].work[invalidation.work];
    if (asked.role != work.role || asked.outcome == OperationStatus::terminated || refused_.contains(read))
      return;
    const std::vector<PlannedWork>& works = plan_.streams[read.stream].work;
    const std::uint32_t near = invalidation.work - std::min(invalidation.work, max_looked_back);
    for (std::uint32_t i = std::max(read.work + 1, near); i <= invalidation.work; ++i) {
      if (works[i].role != work.role) continue;
      for (const Wait& each : works[i].waits) {
        if (each.what == WaitFor::completed && each.work.stream == read.stream && each.work >= read) return;
      }
    }
    work.waits.push_back({WaitFor::completed, read});
  }

  [[nodiscard]] std::uint32_t peer_of(const WorkRef& ref) const {
    const PlannedStream& stream = plan_.streams[ref.stream];
    return stream.hosts[static_cast<std::size_t>(other(stream.work[ref.work].role))];
  }

  void take(const Effect& effect) {
    const PlannedStream& stream = plan_.streams[effect.work.stream];
    const PlannedWork& work = stream.work[effect.work.work];
    const std::uint32_t own = stream.hosts[static_cast<std::size_t>(work.role)];
    const std::uint32_t peer = stream.hosts[static_cast<std::size_t>(other(work.role))];
    switch (effect.kind) {
      case Effect::Kind::written: take_write(effect.work, work, peer); break;
      case Effect::Kind::read:
        if (work.kind == WorkKind::read) {
          take_read(effect.work, work, own, peer);
        } else if (Track* track = use(effect.work, peer, work.stag, work.to, work.length, atomic_target)) {
          take_atomic(*track, effect.work, work, peer);
        }
        break;
      case Effect::Kind::invalidated: take_invalidation(effect.work, work, peer); break;
    }
  }

  void take_write(const WorkRef& ref, const PlannedWork& work, std::uint32_t peer) {
    Track* track = use(ref, peer, work.stag, work.to, work.length, remote_write);
    if (track == nullptr) return;
    const auto refused = refused_.find(ref);
    const std::uint64_t length = refused != refused_.end() && refused->second.why == Denial::bounds
                                     ? refused->second.from - work.to
                                     : work.length;
    track->image.write(work.to, slice(work.content, 0, length));
  }

  void take_read(const WorkRef& ref, const PlannedWork& work, std::uint32_t own, std::uint32_t peer) {
    if (work.length == 0) return;
    if (refused_.contains(ref) && work.content.empty()) {
      use(ref, peer, work.source_stag, work.source_to, work.length, remote_read);
      use(ref, own, work.stag, work.to, work.length, read_sink);
      return;
    }
    if (!work.deduced) {
      if (Track* source = use(ref, peer, work.source_stag, work.source_to, work.length, remote_read)) {
        show(*source, ref, work, peer, work.source_to, work.content);
      }
    }
    if (Track* sink = use(ref, own, work.stag, work.to, work.length, read_sink)) {
      sink->image.write(work.to, work.content);
    }
  }

  // A Read or Atomic of `source` brought what it brought.
  void show(Track& source, const WorkRef& ref, const PlannedWork& work, std::uint32_t host,
            std::uint64_t from, Content shown) {
    const bool unknown = shown.empty();
    if (unknown) append(shown, recording_.seeded(work.length));
    std::vector<std::pair<std::uint64_t, Content>> changes;
    PlannedRegion& region = plan_.hosts[host].regions[source.region];
    source.image.visit(from, work.length, [&](std::uint64_t to, std::uint64_t length, const Content* known) {
      Content part = slice(shown, to - from, length);
      if (known == nullptr || is_made_up(*known)) {
        if (unknown && known != nullptr) return;
        if (unknown) note(ref, Lack::read_source, to - from, length);
        add_initial(region, to, part);
        changes.emplace_back(to, std::move(part));
      } else if (!unknown && differ(*known, part)) {
        plan_.hosts[host].stores.push_back({source.region, to, part, store_moment(source, ref, work)});
        changes.emplace_back(to, std::move(part));
      }
    });
    for (const auto& [to, content] : changes) source.image.write(to, content);
    source.last = ref;
  }

  // Nothing but octets that were there from the beginning, as no capture showed them.
  [[nodiscard]] bool is_made_up(const Content& content) const {
    return std::ranges::all_of(
        content, [this](const Piece& each) { return each.seeded && made_up_.contains(each.source); });
  }

  // What is told later of the same octets holds: they were the same all along.
  void add_initial(PlannedRegion& region, std::uint64_t to, const Content& content) {
    for (const Piece& each : content) {
      if (each.seeded) made_up_.insert(each.source);
    }
    if (!region.initial.empty()) {
      InitialOctets& last = region.initial.back();
      if (last.to + length_of(last.content) == to) {
        for (const Piece& piece : content) append(last.content, piece);
        return;
      }
    }
    region.initial.push_back({to, content});
  }

  // Octets that were not captured may be any.
  [[nodiscard]] bool differ(const Content& known, const Content& shown) const {
    std::uint64_t at = 0;
    Bytes before;
    Bytes now;
    for (const Piece& piece : shown) {
      const Content there = slice(known, at, piece.length);
      at += piece.length;
      if (piece.seeded || (there.size() == 1 && there[0] == piece)) continue;
      constexpr std::uint64_t chunk = 4096;
      for (std::uint64_t from = 0; from < piece.length; from += chunk) {
        const auto count = static_cast<std::size_t>(std::min(chunk, piece.length - from));
        before.resize(count);
        now.resize(count);
        copy_octets(plan_.payloads, plan_.seed, there, from, before);
        copy_octets(plan_.payloads, plan_.seed, {piece}, from, now);
        if (before != now) return true;
      }
    }
    return false;
  }

  // The owner stored before it sent what the reader had waited for, if that came after the last access.
  [[nodiscard]] WorkRef store_moment(const Track& source, const WorkRef& ref, const PlannedWork& read) const {
    const std::vector<PlannedWork>& works = plan_.streams[ref.stream].work;
    for (std::uint32_t i = ref.work + 1; i > 0; --i) {
      const PlannedWork& each = works[i - 1];
      if (source.last && source.last->stream == ref.stream && i - 1 <= source.last->work) break;
      if (each.role != read.role) continue;
      for (const Wait& wait : each.waits) {
        if (wait.what != WaitFor::received || wait.work.stream != ref.stream) continue;
        const bool later =
            !source.last || source.last->stream != ref.stream || wait.work.work > source.last->work;
        return later ? wait.work : ref;
      }
    }
    return ref;
  }

  // The word is an integer of the responder's machine, whose least significant octet comes first: so it is on
  // nearly all machines.
  [[nodiscard]] Content word_of(std::uint64_t value) {
    Bytes octets(wire::immediate_size);
    for (Byte& each : octets) {
      each = static_cast<Byte>(value);
      value >>= 8U;
    }
    return {{octets.size(), plan_.payloads.add(octets), 0, false}};
  }

  void take_atomic(Track& track, const WorkRef& ref, const PlannedWork& work, std::uint32_t host) {
    if (!work.original || !work.atomic) return;
    show(track, ref, work, host, work.to, word_of(*work.original));
    track.image.write(work.to, word_of(wire::apply_atomic(*work.atomic, *work.original)));
  }

  void take_invalidation(const WorkRef& ref, const PlannedWork& work, std::uint32_t peer) {
    if (refused_.contains(ref)) return;
    auto found = tracks_.find({peer, work.stag});
    if (found == tracks_.end()) {
      make(ref, peer, work.stag);
      found = tracks_.find({peer, work.stag});
    }
    plan_.hosts[peer].regions[found->second.region].invalidated = ref;
    closed_.emplace_back(peer, std::move(found->second));
    tracks_.erase(found);
  }

  Track& make(const WorkRef& ref, std::uint32_t host, std::uint32_t stag) {
    std::vector<PlannedRegion>& regions = plan_.hosts[host].regions;
    PlannedRegion region;
    region.stag = stag;
    region.generation = generations_[{host, stag}]++;
    region.first_use = ref;
    Track track;
    track.region = static_cast<std::uint32_t>(regions.size());
    regions.push_back(region);
    return tracks_.emplace(Key{host, stag}, std::move(track)).first->second;
  }

  // The region that an access needs, widened; nullptr where the access needs none.
  Track* use(const WorkRef& ref, std::uint32_t host, std::uint32_t stag, std::uint64_t to,
             std::uint64_t length, std::uint8_t right) {
    if (length == 0) return nullptr;  // neither STag nor TO count (RFC 5041 §5.2)
    Refused refused;
    const auto found = refused_.find(ref);
    if (found != refused_.end() && right != read_sink) refused = found->second;
    if (refused.why == Denial::invalid || refused.why == Denial::otherwise) return nullptr;
    const auto existing = tracks_.find({host, stag});
    Track& track = existing != tracks_.end() ? existing->second : make(ref, host, stag);
    PlannedRegion& region = plan_.hosts[host].regions[track.region];
    region.rights = static_cast<std::uint8_t>(region.rights | right);
    region.foreign = region.foreign || refused.why == Denial::foreign;
    std::uint64_t granted = length;
    if (refused.why == Denial::bounds) {
      track.limited = true;
      track.refused_to = refused.from;
      track.refused_length = to + length - refused.from;
      granted = refused.from - to;
    }
    if (granted > 0) {
      const std::uint64_t begin = track.touched ? std::min(track.begin, to) : to;
      const std::uint64_t last = std::max(track.touched ? track.end - 1 : to, to + granted - 1);
      if (last < to || last - begin >= recording_.options.max_region_octets) {
        note(ref, Lack::memory, 0, length);
        return nullptr;
      }
      track.begin = begin;
      track.end = last + 1;
      track.touched = true;
    }
    return &track;
  }

  void note(const WorkRef& ref, Lack lack, std::uint64_t offset, std::uint64_t length) {
    PlannedStream& stream = plan_.streams[ref.stream];
    const PlannedWork& work = stream.work[ref.work];
    const Reason reason = lack == Lack::memory ? Reason::limit : Reason::capture_end;
    stream.missing.push_back({lack, reason, other(work.role), work.frame, ref.work, offset, length});
  }

  // Bounds of a region, from all that is known of it.
  void settle(std::uint32_t host, const Track& track) {
    PlannedRegion& region = plan_.hosts[host].regions[track.region];
    std::uint64_t begin = track.begin;
    std::uint64_t end = track.end;
    const bool told = widen(host, region, track, begin, end);
    if (!told && track.touched && !track.limited) {  // whole pages, as memory is registered
      begin -= begin % page;
      const std::uint64_t rest = end % page;
      if (rest != 0 && end <= ~std::uint64_t{0} - page) end += page - rest;
    }
    if (!told && !track.touched && track.limited) {  // so that it is refused again
      begin = track.refused_to;
      end = begin + std::max<std::uint64_t>(1, track.refused_length) - 1;
    }
    // Only ever invalidated, which needs some remote right.
    if (!told && !track.touched && !track.limited) {
      begin = 0;
      end = page;
    }
    if (!track.touched && !track.limited) region.rights = remote_read;
    region.base = begin;
    region.length = end - begin;
    region.bounds_known = told || track.limited;
  }

  // Takes the ranges that stand beside the STag in the owner's messages.
  bool widen(std::uint32_t host, const PlannedRegion& region, const Track& track, std::uint64_t& begin,
             std::uint64_t& end) const {
    const auto found = told_.find({host, region.stag});
    if (found == told_.end()) return false;
    bool told = false;
    bool any = track.touched;
    for (const Told& each : found->second) {
      if (each.length == 0 || each.length > recording_.options.max_region_octets) continue;
      if (each.to + each.length < each.to) continue;
      const bool meets = track.touched ? track.begin < each.to + each.length && each.to < track.end
                                       : !track.limited || track.refused_to >= each.to;
      if (!meets) continue;
      begin = any ? std::min(begin, each.to) : each.to;
      end = any ? std::max(end, each.to + each.length) : each.to + each.length;
      any = true;
      told = true;
    }
    return told;
  }

  // --- advertisements -------------------------------------------------------------------------------------

  // That the owner told it of these octets, or did not say how many.
  [[nodiscard]] bool tells_of(const Told& told, const WorkRef& use) const {
    const PlannedWork& work = work_of(plan_, use);
    const std::uint64_t to = work.kind == WorkKind::read ? work.source_to : work.to;
    return told.length == 0 || (to >= told.to && to - told.to < told.length);
  }

  // The last mention by the owner that the first user had received; of what it used, where one says so.
  void find_advertisements() {
    for (std::uint32_t host = 0; host < plan_.hosts.size(); ++host) {
      for (PlannedRegion& region : plan_.hosts[host].regions) {
        const auto found = told_.find({host, region.stag});
        if (found == told_.end() || !region.first_use || region.rights == read_sink) continue;
        const WorkRef use = *region.first_use;
        const Told* best = nullptr;
        for (const Told& each : found->second) {
          if (each.layout == StagLayout::bare && best != nullptr) continue;
          if (best != nullptr && tells_of(*best, use) && !tells_of(each, use)) continue;
          if (!came_before(each, use)) continue;
          const bool better = best == nullptr || (tells_of(each, use) && !tells_of(*best, use));
          if (better || !(each.ref < best->ref) || best->startup) best = &each;
        }
        if (best == nullptr) continue;
        if (best->startup) {
          region.advertised_in_startup = best->ref.stream;
          continue;
        }
        region.advertised = best->ref;
        if (best->ref.stream == use.stream) continue;
        std::vector<Wait>& waits = plan_.streams[use.stream].work[use.work].waits;
        const Wait wait{WaitFor::received, best->ref};
        if (std::ranges::find(waits, wait) == waits.end()) waits.push_back(wait);
      }
    }
  }

  void index_mentions() {
    for (std::uint32_t s = 0; s < plan_.streams.size(); ++s) {
      const PlannedStream& stream = plan_.streams[s];
      for (const std::size_t role : {0U, 1U}) {
        if (!stream.startup[role]) continue;
        for (const Mention& each : stream.startup[role]->mentions) {
          if (each.by_owner) told_[{stream.hosts[role], each.stag}].push_back(told_by(each, {s, 0}, true));
        }
      }
      for (std::uint32_t w = 0; w < stream.work.size(); ++w) {
        for (const Mention& each : stream.work[w].mentions) {
          if (!each.by_owner) continue;
          told_[{stream.hosts[static_cast<std::size_t>(stream.work[w].role)], each.stag}].push_back(
              told_by(each, {s, w}, false));
        }
      }
    }
  }

  [[nodiscard]] bool came_before(const Told& told, const WorkRef& use) const {
    const PlannedStream& user = plan_.streams[use.stream];
    const PlannedWork& work = user.work[use.work];
    if (told.ref.stream != use.stream) {
      const FrameNumber frame = told.startup ? 0 : work_of(plan_, told.ref).frame;
      return told.startup ? told.ref.stream < use.stream : frame < work.first_frame;
    }
    if (told.startup) return true;
    for (std::uint32_t i = use.work + 1; i > 0; --i) {
      const PlannedWork& each = user.work[i - 1];
      if (each.role != work.role) continue;
      for (const Wait& wait : each.waits) {
        const bool delivery = wait.what == WaitFor::received || wait.what == WaitFor::placed;
        if (delivery && wait.work.stream == use.stream) return told.ref.work <= wait.work.work;
      }
    }
    return false;
  }

  Recording& recording_;
  Plan& plan_;
  std::map<WorkRef, Refused> refused_;
  std::map<Key, Track> tracks_;
  std::vector<std::pair<std::uint32_t, Track>> closed_;  // of regions that were invalidated
  std::map<Key, std::uint32_t> generations_;
  std::unordered_set<std::uint64_t> made_up_;  // sources of seeded pieces that were there from the beginning
  std::map<Key, std::vector<Told>> told_;
};

}  // namespace

void rebuild_registrations(Recording& recording) {
  Registrations(recording).rebuild();
}

}  // namespace iwarp::replay
