// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/startup_parameters.hpp"

#include <algorithm>

#include "rnic/fpdu_sender.hpp"

namespace iwarp::replay {
namespace {

constexpr std::uint16_t most = wire::depth_not_negotiated - 1;

std::size_t place(Role role) noexcept {
  return static_cast<std::size_t>(role);
}

const wire::EnhancedWord* word_of(const PlannedStream& stream, Role role) noexcept {
  const std::optional<PlannedStartup>& startup = stream.startup[place(role)];
  return startup && startup->word ? &*startup->word : nullptr;
}

// A depth that was not negotiated was the ULPs' affair: no limit here.
std::uint16_t depth(std::optional<std::uint16_t> wanted, std::uint16_t recorded) noexcept {
  return wanted ? *wanted : std::min(recorded, most);
}

struct Depths {
  std::uint16_t ird = most;
  std::uint16_t ord = most;
};

Depths depths_of(const PlannedStream& stream, Role role, const ReplayOptions& options) noexcept {
  const wire::EnhancedWord* const word = word_of(stream, role);
  Depths depths{depth(options.startup.ird, word != nullptr ? word->ird : most),
                depth(options.startup.ord, word != nullptr ? word->ord : most)};
  // Without RFC 6581 nobody says so, but the peer's limits hold all the same.
  if (const wire::EnhancedWord* const peer = word_of(stream, other(role))) {
    const std::uint16_t peer_ird = depth(options.startup.ird, peer->ird);
    if (peer_ird != 0) depths.ord = std::min(depths.ord, peer_ird);
  }
  return depths;
}

// What the role said was not captured, or not all of it.
bool unseen(const PlannedStream& stream, Role role) noexcept {
  return std::ranges::any_of(stream.missing, [&](const Missing& each) {
    const bool before = each.lack == Lack::startup && stream.midstream;
    return (before || each.lack == Lack::direction || each.lack == Lack::messages) && each.role == role;
  });
}

// A responder may send only behind the initiator's first FPDU (RFC 5044 §7.1.2 (4)): where it was recorded
// speaking first without a ready-to-receive message, one is agreed on, so that the rest can be kept. Its
// Terminate answers something; only what answers an initiator that was not captured comes first here.
// `with_rtr`: the recorded ready-to-receive message, if any, counts as the initiator's first.
bool responder_speaks_first(const PlannedStream& stream, bool with_rtr = true) noexcept {
  const bool holed = unseen(stream, Role::initiator);
  bool heard = false;  // the responder before
  for (const PlannedWork& work : stream.work) {
    heard = heard || (work.role == Role::responder && !is_close(work.kind));
    // A Read of memory that nothing names cannot be made towards a live peer.
    const bool unmade = work.deduced && work.source_stag == 0 && !work.rtr;
    if (work.role != Role::initiator || is_close(work.kind) || unmade || (work.rtr && !with_rtr)) continue;
    if (holed && heard) return true;
    if (work.kind == WorkKind::terminate) break;  // it answers something
    return std::ranges::any_of(work.waits, [&](const Wait& wait) {
      return wait.what != WaitFor::completed && wait.work.work < stream.work.size() &&
             stream.work[wait.work.work].role == Role::responder;
    });
  }
  const bool alone = holed || std::ranges::none_of(stream.work, [](const PlannedWork& work) {
                       return work.role == Role::initiator && !is_close(work.kind);
                     });
  return std::ranges::any_of(stream.work, [alone](const PlannedWork& work) {
    return work.role == Role::responder && !is_close(work.kind) &&
           (alone || work.kind != WorkKind::terminate);
  });
}

std::uint8_t revision_of(const PlannedStream& stream, const ReplayOptions& options) noexcept {
  const std::optional<PlannedStartup>& request = stream.startup[0];
  return options.startup.revision.value_or(request ? request->revision : std::uint8_t{1});
}

bool peer_to_peer(const PlannedStream& stream, const ReplayOptions& options) noexcept {
  if (options.startup.revision == 1) return false;
  if (options.startup.rtr) return *options.startup.rtr != RtrKind::none;
  const wire::EnhancedWord* const word = word_of(stream, Role::initiator);
  if (word != nullptr && word->peer_to_peer) return true;
  return stream.accepted && responder_speaks_first(stream);
}

}  // namespace

RtrKind rtr_kind(const PlannedStream& stream, const ReplayOptions& options) noexcept {
  if (!peer_to_peer(stream, options)) return RtrKind::none;
  if (options.startup.rtr) return *options.startup.rtr;
  const bool recorded = std::ranges::any_of(stream.work, [](const PlannedWork& work) { return work.rtr; });
  if (recorded && stream.rtr != RtrKind::none) return stream.rtr;
  const wire::EnhancedWord* const word = word_of(stream, Role::initiator);
  const bool asked = word != nullptr && word->peer_to_peer && !word->rtr_write;
  if (asked && word->rtr_read) return RtrKind::read;
  return asked && word->rtr_send ? RtrKind::send : RtrKind::write;
}

bool rtr_came_as_recorded(const PlannedStream& stream, RtrKind kind, std::uint8_t revision) noexcept {
  const bool recorded = std::ranges::any_of(stream.work, [](const PlannedWork& work) { return work.rtr; });
  if (kind != RtrKind::none) return recorded && kind == stream.rtr;
  // Empty messages that came first without being agreed on are messages like others.
  const bool agreed = std::ranges::any_of(stream.startup, [](const std::optional<PlannedStartup>& each) {
    return each && each->word && each->word->peer_to_peer;
  });
  if (!recorded || stream.rtr == RtrKind::none || !agreed) return true;
  // Revision 1 knows no ready-to-receive message, but wants the initiator to speak first (RFC 5044 §7.1.2).
  return revision == 1 && responder_speaks_first(stream, false);
}

bool rtr_as_recorded(const PlannedStream& stream, const ReplayOptions& options) noexcept {
  return rtr_came_as_recorded(stream, rtr_kind(stream, options), revision_of(stream, options));
}

std::string no_room(const PlannedStream& stream, Role role, bool word) {
  const std::optional<PlannedStartup>& own = stream.startup[place(role)];
  const std::size_t room = wire::private_data_room(word);
  if (!own || own->private_data.size() <= room) return {};
  return "stream " + std::to_string(stream.number) + ": its " +
         (role == Role::initiator ? "Request" : "Reply") + " has " +
         std::to_string(own->private_data.size()) + " octets of private data, of which " +
         std::to_string(room) + " have room beside IRD and ORD (RFC 6581 §9)";
}

std::string impossible(const PlannedStream& stream, const ReplayOptions& options,
                       const std::array<bool, 2>& plays) {
  const bool recorded = std::ranges::any_of(
      stream.work, [](const PlannedWork& work) { return work.rtr && work.role == Role::initiator; });
  const StartupOverrides& wanted = options.startup;
  const bool posted = rtr_kind(stream, options) == RtrKind::none;  // one that was not agreed on
  const bool asks = std::ranges::any_of(stream.work, [posted](const PlannedWork& work) {
    return (work.kind == WorkKind::read || work.kind == WorkKind::atomic) && (!work.rtr || posted);
  });
  if (asks && (wanted.ird == 0 || wanted.ord == 0)) {
    return "stream " + std::to_string(stream.number) +
           ": it has RDMA Reads or Atomics, which take a place among the outstanding ones (RFC 6581 §9.1); "
           "--ird and --ord are 1 at least";
  }
  const rnic::MpaParameters asked = stream_parameters(stream, Role::initiator, options, 0).mpa;
  for (const Role role : {Role::initiator, Role::responder}) {
    const std::string crowded =
        plays[place(role)] ? no_room(stream, role, asked.revision >= 2 && asked.enhanced) : std::string();
    if (!crowded.empty()) return crowded + "; leave out " + (wanted.revision ? "--mpa-rev 2" : "--rtr");
  }
  if (wanted.rtr == RtrKind::none && stream.accepted && responder_speaks_first(stream, false)) {
    return "stream " + std::to_string(stream.number) +
           ": the responder speaks first, which takes a ready-to-receive message (RFC 6581 §9.2); leave out "
           "--rtr none";
  }
  if (wanted.revision != 1 || !stream.accepted || recorded || !responder_speaks_first(stream)) return {};
  return "stream " + std::to_string(stream.number) +
         ": the responder speaks first, which MPA revision 1 does not allow (RFC 5044 §7.1.2); leave out "
         "--mpa-rev 1";
}

rnic::StreamParameters stream_parameters(const PlannedStream& stream, Role role, const ReplayOptions& options,
                                         std::size_t max_segment) {
  rnic::StreamParameters parameters;
  parameters.role = role;
  rnic::MpaParameters& mpa = parameters.mpa;
  const std::optional<PlannedStartup>& startup = stream.startup[place(role)];
  const StartupOverrides& wanted = options.startup;
  mpa.crc = wanted.crc.value_or(startup ? startup->crc : stream.crc);
  // M asks the peer for markers (RFC 5044 §7.1.1).
  const std::size_t peer = place(other(role));
  mpa.markers = wanted.markers[peer].value_or(startup ? startup->markers : stream.markers[peer]);
  // The peer has answered in the revision that it was asked in.
  const std::optional<PlannedStartup>& answer = stream.startup[peer];
  const std::uint8_t recorded = startup ? startup->revision : answer ? answer->revision : std::uint8_t{1};
  // A responder can do both; what it answers follows the Request.
  mpa.revision = wanted.revision.value_or(role == Role::responder ? std::uint8_t{2}
                                                                  : std::clamp<std::uint8_t>(recorded, 1, 2));
  const wire::EnhancedWord* const word = word_of(stream, role);
  const bool answered_enhanced = !startup && word_of(stream, other(role)) != nullptr;
  mpa.enhanced = word != nullptr || answered_enhanced || role == Role::responder ||
                 (wanted.revision == 2 && recorded < 2);
  mpa.peer_to_peer = peer_to_peer(stream, options);
  if (mpa.peer_to_peer && role == Role::initiator) {
    mpa.revision = 2;
    mpa.enhanced = true;
  }
  if (word != nullptr && word->peer_to_peer && role == Role::initiator) {
    mpa.rtr_send = word->rtr_send;
    mpa.rtr_write = word->rtr_write;
    mpa.rtr_read = word->rtr_read;
  }
  // The responder decides, of all kinds that it is offered. Who wants one offers and takes nothing else.
  if (wanted.rtr) {
    const RtrKind kind = rtr_kind(stream, options);
    mpa.rtr_send = kind == RtrKind::send;
    mpa.rtr_write = kind == RtrKind::write;
    mpa.rtr_read = kind == RtrKind::read;
  }
  const Depths depths = depths_of(stream, role, options);
  mpa.ird = depths.ird;
  mpa.ord = depths.ord;
  if (word != nullptr) {
    if (!wanted.ird) mpa.ird = word->ird;
    if (!wanted.ord) mpa.ord = word->ord;
  }
  // A Read as ready-to-receive message takes a place like others (RFC 6581 §9.1).
  if (wanted.rtr == RtrKind::read && role == Role::initiator && mpa.ord == 0) mpa.ord = 1;
  if (startup && role == Role::initiator) mpa.private_data = startup->private_data;
  parameters.emss = static_cast<std::uint32_t>(std::min<std::size_t>(max_segment, 65535));
  const std::uint32_t cut = stream.mulpdu[place(role)];
  // The recorded length of ULPDUs; shorter ones where FPDUs of that length no longer fit into TCP's segments.
  const bool sends_markers = wanted.markers[place(role)].value_or(stream.markers[place(role)]);
  if (options.recorded_segments && cut != 0 && max_segment != 0) {
    parameters.max_ulpdu = std::min(cut, rnic::mulpdu(parameters.emss, sends_markers));
  }
  return parameters;
}

rnic::QpAttributes qp_attributes(const PlannedStream& stream, Role role, const ReplayOptions& options) {
  const Depths depths = depths_of(stream, role, options);
  rnic::QpAttributes attributes;
  attributes.ird = depths.ird;
  attributes.ord = depths.ord;
  attributes.hold_off = true;
  return attributes;
}

}  // namespace iwarp::replay
