// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/terminate_reading.hpp"

#include <algorithm>

#include "state/mpa_state.hpp"

namespace iwarp {
namespace {

using Checks = std::initializer_list<CheckId>;

// What explains a Terminate: nothing, or the frame that showed it, 0 when that is no single one.
using Explanation = std::optional<FrameNumber>;

// The last of the rules to be broken, the nearest to the Terminate.
Explanation broke_any(const SideState& side, Checks checks) noexcept {
  Explanation last;
  for (const CheckId check : checks) {
    if (side.violated.test(index(check)))
      last = std::max(last.value_or(0), side.violated_frame[index(check)]);
  }
  return last;
}

Explanation when(bool explained, FrameNumber frame = 0) noexcept {
  return explained ? Explanation(frame) : std::nullopt;
}

Explanation either(const Explanation& first, const Explanation& second) noexcept {
  return first ? first : second;
}

// RFC 6581 §9.1: the responder's ORD asks for more than the initiator's IRD.
bool lacks_ird(const MpaState& mpa) noexcept {
  return mpa.frames[0] && mpa.frames[1] && mpa.frames[0]->has_word && mpa.frames[1]->has_word &&
         mpa.frames[0]->word.ird != wire::depth_not_negotiated &&
         mpa.frames[1]->word.ord > mpa.frames[0]->word.ird;
}

bool wraps(std::uint64_t to, std::uint32_t size) noexcept {
  return size > 0 && to > ~std::uint64_t{0} - (size - 1);
}

// A Read whose source goes past the end: the one that the Terminate quotes, else one that is outstanding.
Explanation read_past_the_end(const SideState& peer, const wire::Terminate& terminate) noexcept {
  if (const auto& quoted = terminate.read_request) return when(wraps(quoted->source_to, quoted->size));
  for (const Request& request : peer.requests) {
    const bool read = request.kind == RequestKind::read && !request.partial && !request.unseen;
    if (read && wraps(request.source_to, request.size))
      return when(true, terminate.cut_request ? 0 : request.placed.frame);
  }
  return std::nullopt;
}

// Whether a Read Request header sent back is that of a request, by the octets of both that were captured.
enum class Quotes : std::uint8_t {
  another,
  perhaps,  // those that were agree
  just_it
};

// What of a Read Request header is sent back, as far as it was captured; empty where none is.
std::optional<wire::Cut<wire::ReadRequest>> quoted_request(const wire::Terminate& terminate) noexcept {
  if (terminate.read_request) {
    return wire::Cut<wire::ReadRequest>{*terminate.read_request, wire::read_request_size};
  }
  return terminate.cut_request;
}

// Size and offsets of a Read Request are sent back as far as it had come (RFC 5040 §4.8).
Quotes compare(const Request& request, const wire::Cut<wire::ReadRequest>& quoted) noexcept {
  const std::size_t both = std::min<std::size_t>(request.header_octets, quoted.octets);
  const auto has = [both](std::size_t end) { return both >= end; };
  const wire::ReadRequest& header = quoted.header;
  const std::uint64_t done = header.sink_to - request.sink_to;
  if (both == 0) return Quotes::perhaps;
  if (request.kind != RequestKind::read) return Quotes::another;
  if (has(4) && header.sink_stag != request.sink_stag) return Quotes::another;
  if (has(20) && header.source_stag != request.source_stag) return Quotes::another;
  if (request.known_size() && has(12) && done > request.size) return Quotes::another;
  if (!has(wire::read_request_size)) return Quotes::perhaps;
  return header.source_to - request.source_to == done ? Quotes::just_it : Quotes::another;
}

bool is_of_read_queue(const wire::Terminate& terminate) noexcept {
  return terminate.ddp_header && !terminate.ddp_header->tagged() &&
         terminate.ddp_header->queue == wire::queue_read_request;
}

Explanation jumped_over_octets(const SideState& side) noexcept {
  for (const QueueState& queue : side.queues) {
    if (!queue.open.active) continue;
    for (const JumpedOver& jump : queue.open.jumps) {
      if (jump.left > 0) return jump.placed.frame;
    }
  }
  return std::nullopt;
}

bool used_extension(const SideState& side) noexcept {
  using wire::Opcode;
  for (const Opcode opcode :
       {Opcode::immediate, Opcode::immediate_se, Opcode::atomic_request, Opcode::atomic_response}) {
    if (side.messages[static_cast<std::size_t>(opcode)] > 0) return true;
  }
  return false;
}

Explanation explain_catastrophe(const SideState& peer, const Request* refused) noexcept {
  if (refused != nullptr && refused->kind == RequestKind::atomic && refused->source_to % 8 != 0) {
    return refused->placed.frame;
  }
  if (peer.fin_frame) return peer.fin_frame;  // Bad LLP Close, Verbs 1.0 figure 24
  return broke_any(peer, {CheckId::rdmap_rreq, CheckId::rdmap_ird, CheckId::rdmap_ord, CheckId::ddp_lmiss,
                          CheckId::ddp_ldup, CheckId::ddp_zero, CheckId::rdmap_atlen, CheckId::rdmap_atop,
                          CheckId::rdmap_imm8, CheckId::verbs_badclose, CheckId::rdmap_rrlong,
                          CheckId::rdmap_rrshort, CheckId::rdmap_rrmatch, CheckId::rdmap_rrnone,
                          CheckId::rdmap_atnone, CheckId::rdmap_rrorder, CheckId::rdmap_atreqid});
}

}  // namespace

const Request* refused_request(const ConnectionState& state, Side sender,
                               const wire::Terminate& terminate) noexcept {
  if (!is_of_read_queue(terminate)) return nullptr;
  const auto quoted = quoted_request(terminate);
  const Request* by_content = nullptr;
  for (const Request& request : state.side(other(sender)).requests) {
    const Quotes quotes = quoted ? compare(request, *quoted) : Quotes::perhaps;
    if (quotes != Quotes::another && request.msn == terminate.ddp_header->msn) return &request;
    if (quotes == Quotes::just_it && by_content == nullptr) by_content = &request;
  }
  return by_content;
}

bool may_quote_request(const ConnectionState& state, Side sender, const wire::Terminate& terminate) noexcept {
  const auto quoted = quoted_request(terminate);
  if (!quoted || !is_of_read_queue(terminate)) return false;
  const RequestList& requests = state.side(other(sender)).requests;
  return std::any_of(requests.begin(), requests.end(),
                     [&](const Request& request) { return compare(request, *quoted) != Quotes::another; });
}

const RecentSegment* quoted_segment(const ConnectionState& state, Side sender,
                                    const wire::Terminate& terminate) noexcept {
  if (!terminate.ddp_header) return nullptr;
  const SideState& peer = state.side(other(sender));
  const RecentSegment* latest = nullptr;
  for (const RecentSegment& segment : peer.recent) {
    if (segment.ddp != *terminate.ddp_header) continue;
    if (latest == nullptr || count_of(peer, segment) > count_of(peer, *latest)) latest = &segment;
  }
  return latest;
}

std::optional<FrameNumber> explanation(const ConnectionState& state, Side sender,
                                       const wire::Terminate& terminate) {
  const SideState& peer = state.side(other(sender));
  const auto broke = [&peer](Checks checks) { return broke_any(peer, checks); };
  using C = CheckId;
  // A segment behind the one with L, or of another message, names an MSN that is not the one in turn.
  const auto message_order = [&] {
    return broke(
        {C::ddp_msngap, C::ddp_msndup, C::ddp_msn1, C::ddp_lmiss, C::ddp_ldup, C::ddp_mix, C::ddp_const});
  };
  switch (terminate.meant.value()) {
    case 0x0100: return broke({C::rdmap_stag0});
    case 0x0104: return either(broke({C::ddp_towrap}), read_past_the_end(peer, terminate));
    case 0x0109:
    case 0x0209: return broke({C::rdmap_stag0, C::rdmap_inv0});
    case 0x0202:
    case 0x2002:
    case 0x2302:
      return broke({C::mpa_crc, C::mpa_crcorder, C::mpa_mkuse});  // or of octets shifted by markers
    case 0x0203:
    case 0x2003:
    case 0x2303: return broke({C::mpa_mkptr, C::mpa_mkuse, C::mpa_len, C::mpa_lengso, C::mpa_sync});
    case 0x0205: return broke({C::rdmap_rv});
    case 0x0206:
      return either(broke({C::rdmap_op, C::rdmap_opexp, C::ddp_top, C::rdmap_rrnone, C::rdmap_atnone,
                           C::ddp_qn, C::ddp_const}),
                    when(used_extension(peer)));
    case 0x0207: return explain_catastrophe(peer, refused_request(state, sender, terminate));
    case 0x1000: return broke({C::mpa_len, C::mpa_lengso, C::ddp_towrap, C::mpa_mulpdu, C::rdmap_rrnone});
    case 0x1100:
      return broke({C::rdmap_stag0, C::rdmap_rrmatch, C::rdmap_rrnone, C::rdmap_rrorder, C::ddp_top});
    case 0x1101: return broke({C::rdmap_rrmatch, C::rdmap_rrlong, C::rdmap_rrorder, C::ddp_towrap});
    case 0x1103: return broke({C::ddp_towrap});
    case 0x1104:
    case 0x1206: return broke({C::ddp_dv});
    case 0x1201: return broke({C::ddp_qn, C::ddp_top});
    case 0x1202: return message_order();
    case 0x1203: return either(message_order(), broke({C::rdmap_ird, C::rdmap_ord}));
    case 0x1204:
      return either(broke({C::ddp_mo0, C::ddp_moseq, C::ddp_moorder, C::ddp_mowrap, C::ddp_ldup}),
                    jumped_over_octets(peer));
    case 0x1205: return broke({C::ddp_mowrap, C::rdmap_imm8, C::rdmap_rreq, C::rdmap_atlen});
    case 0x2001: return either(peer.fin_frame, peer.rst_frame);
    case 0x2004:
      return either(broke({C::mpa_key, C::mpa_rev, C::mpa_pdlen, C::mpa_srev, C::mpa_abcd, C::mpa_irdord,
                           C::mpa_smbdzero, C::mpa_early, C::mpa_initinit}),
                    when(state.mpa.crossed, state.mpa.frame_numbers[0]));
    case 0x2006:
    case 0x2306:
      return either(broke({C::mpa_irdord, C::mpa_smbdzero}),
                    when(lacks_ird(state.mpa), state.mpa.frame_numbers[1]));
    case 0x2007:
    case 0x2307:
      return either(
          broke({C::mpa_rtr, C::mpa_abcd}),
          when(state.mpa.peer_to_peer && common_rtr_bits(state.mpa) == 0, state.mpa.frame_numbers[1]));
    default: return std::nullopt;
  }
}

std::optional<wire::Terminate> read_terminate(const ConnectionState& state, Side sender, ByteView octets,
                                              std::size_t sent) {
  const auto usual = wire::parse_terminate(octets, std::nullopt, sent);
  if (!usual) return std::nullopt;
  // A third octet that is not zero tells the order by itself.
  if (octets[2] != 0 || too_many_terminates(state.side(sender))) return *usual;
  const auto rfc = wire::parse_terminate(octets, wire::BitOrder::rfc, sent);
  const auto siw = wire::parse_terminate(octets, wire::BitOrder::siw, sent);
  if (!rfc || !siw || rfc->meant == siw->meant) return *usual;
  const auto registered = [](const wire::Terminate& terminate) {
    return wire::describe_terminate(terminate.meant.value()).origin != wire::TerminateOrigin::unregistered;
  };
  if (!registered(*rfc) || !registered(*siw)) return *usual;
  const bool rfc_fits = explains(state, sender, *rfc);
  const bool siw_fits = explains(state, sender, *siw);
  if (rfc_fits != siw_fits) return rfc_fits ? *rfc : *siw;
  // siw sends no markers.
  if (state.side(sender).markers == Mode::on) return *rfc;
  if (is_siw(state, sender)) return *siw;
  return *usual;
}

}  // namespace iwarp
