// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/placed_ahead.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "analysis/fpdu_fact.hpp"

namespace iwarp {
namespace {

// MSNs behind a hole are greater than those before it, by no more than a hole has room for.
constexpr std::uint32_t max_msn_ahead = 1U << 20U;

}  // namespace

void PlacedAhead::go_on(StreamOffset at, ByteView open, const SpanMap& pieces) {
  const StreamOffset end = at + open.size();
  const auto known = [end](const Chain& chain) { return chain.begin <= end && end <= chain.end; };
  if (chains_.size() >= max_chains || std::any_of(chains_.begin(), chains_.end(), known)) return;
  Chain& chain = chains_.emplace_back();
  chain.begin = chain.at = at;
  chain.end = end;
  chain.proven = true;  // framing is known here
  chain.open.assign(open.begin(), open.end());
  chain.pieces.assign_part(pieces, at, end);
}

// The chain that the octets go on with, or a new one; nullptr where they came before, or too many are open.
PlacedAhead::Chain* PlacedAhead::chain_for(const stream::Chunk& chunk) {
  const StreamOffset begin = chunk.offset;
  for (Chain& chain : chains_) {
    if (chain.end == begin) return &chain;
    if (begin >= chain.begin && begin < chain.end) return nullptr;
  }
  if (chains_.size() >= max_chains) return nullptr;
  Chain& chain = chains_.emplace_back();
  chain.begin = chain.at = chain.end = begin;
  return &chain;
}

void PlacedAhead::take(const stream::Chunk& chunk, const mpa::FramerParameters& parameters,
                       StreamOffset origin) {
  Chain* const chain = chain_for(chunk);
  if (chain == nullptr) return;
  const bool further = chain->end > chain->begin;
  bool goes_on = extend(*chain, chunk, parameters, origin);
  // What begins a chain may be the tail of an FPDU whose other octets are in the hole. So each segment behind
  // it may be the first that begins with an FPDU.
  if (further && !chain->proven && chunk.segment_start) {
    Chain anew;
    anew.begin = anew.at = anew.end = chunk.offset;
    const bool begins = extend(anew, chunk, parameters, origin);
    if (anew.proven || (begins && !goes_on)) {
      *chain = std::move(anew);
      goes_on = begins;
    }
  }
  if (!goes_on) chains_.erase(chains_.begin() + (chain - chains_.data()));
}

// Takes the octets that a chain goes on with. False: it leads no further.
bool PlacedAhead::extend(Chain& chain, const stream::Chunk& chunk, const mpa::FramerParameters& parameters,
                         StreamOffset origin) {
  chain.end += chunk.octets.size();
  chain.pieces.add(chunk);
  bool goes_on = false;
  if (chain.open.empty()) {
    goes_on = take_fpdus(chain, chunk.octets, parameters, origin);
    const std::size_t left = static_cast<std::size_t>(chain.end - chain.at);
    if (goes_on)
      chain.open.assign(chunk.octets.end() - static_cast<std::ptrdiff_t>(left), chunk.octets.end());
  } else {
    chain.open.insert(chain.open.end(), chunk.octets.begin(), chunk.octets.end());
    const StreamOffset from = chain.at;
    goes_on = take_fpdus(chain, chain.open, parameters, origin);
    chain.open.erase(chain.open.begin(), chain.open.begin() + static_cast<std::ptrdiff_t>(chain.at - from));
  }
  chain.pieces.forget_before(chain.at);
  return goes_on;
}

// Whether an MSN fits, as far as the state tells.
bool PlacedAhead::fits(const mpa::FramerParameters& parameters, std::uint16_t length,
                       ByteView header) const noexcept {
  if (!mpa::plausible(parameters, length, header)) return false;
  const auto ddp = wire::parse_ddp(header);
  if (!ddp) return false;
  if (ddp->tagged()) return true;
  const QueueState& queue = log_.state().side(side_).queues[ddp->queue];
  const bool goes_on = queue.open.active && ddp->msn == queue.open.msn;
  return !queue.known || goes_on || ddp->msn - queue.next_msn < max_msn_ahead;
}

// Whether plausible FPDUs lead from the beginning of `octets` to their end.
bool PlacedAhead::leads_to_end(const Chain& chain, ByteView octets,
                               const mpa::FramerParameters& parameters) const {
  for (StreamOffset at = chain.at; !octets.empty();) {
    std::uint16_t length = 0;
    if (!mpa::read_ulpdu_length(parameters, at, octets, length)) return false;
    const std::uint32_t size = mpa::wire_size(parameters, at, length);
    std::array<Byte, wire::untagged_header_size> header;
    const std::uint32_t wanted = std::min<std::uint32_t>(length, wire::untagged_header_size);
    const ByteView there = mpa::header_view(parameters, at, octets, wanted, header.data());
    if (octets.size() < size || !fits(parameters, length, there)) return false;
    octets = octets.subspan(size);
    at += size;
  }
  return true;
}

// Places the FPDUs that are whole in `octets`, which begin at chain.at. False: there are no FPDUs.
bool PlacedAhead::take_fpdus(Chain& chain, ByteView octets, const mpa::FramerParameters& parameters,
                             StreamOffset origin) {
  if (!chain.proven && !parameters.may_begin(chain.at)) return false;
  for (;;) {
    std::uint16_t length = 0;
    if (!mpa::read_ulpdu_length(parameters, chain.at, octets, length)) return true;
    const std::uint32_t size = mpa::wire_size(parameters, chain.at, length);
    if (octets.size() < size) {
      constexpr std::size_t first_look = wire::marker_size + wire::length_field_size + 10;
      return chain.proven || octets.size() < first_look || mpa::plausible_at(parameters, chain.at, octets);
    }
    mpa::FramedFpdu fpdu;
    mpa::examine(parameters, chain.at, octets.first(size), length, fpdu);
    if (fpdu.crc == CrcStatus::bad) return false;
    const bool believed =
        fpdu.crc == CrcStatus::good ||
        (chain.proven ? fits(parameters, length, fpdu.header()) : leads_to_end(chain, octets, parameters));
    if (!believed) return false;
    chain.proven = true;
    place(fpdu, chain.pieces, origin);
    chain.at += size;
    octets = octets.subspan(size);
  }
}

void PlacedAhead::place(const mpa::FramedFpdu& fpdu, const SpanMap& pieces, StreamOffset origin) {
  if (placed_.size() >= max_placed || placed_.contains(fpdu.begin)) return;
  const FpduFact fact = record_placed(log_, side_, fpdu, pieces, origin);
  placed_.emplace(fpdu.begin, Placed{fpdu.end, fact.placed, fact.number});
}

std::optional<FpduFact> PlacedAhead::begun_in(FrameNumber frame, const mpa::FramerParameters& parameters,
                                              StreamOffset origin) const noexcept {
  for (const Chain& chain : chains_) {
    const StreamSpan* const first = chain.pieces.find(chain.at);
    if (!chain.proven || first == nullptr || first->frame != frame) continue;
    if (!mpa::plausible_at(parameters, chain.at, chain.open)) continue;
    const auto begun = mpa::begun_fpdu(parameters, chain.at, chain.open);
    if (begun) return fact_of_begun(*begun, chain.pieces, origin);
  }
  return std::nullopt;
}

std::uint32_t PlacedAhead::confirm(const mpa::FramedFpdu& fpdu, const Placement& placed) {
  const auto found = placed_.find(fpdu.begin);
  if (found == placed_.end() || found->second.end != fpdu.end || found->second.placed != placed) {
    return 0;
  }
  const std::uint32_t number = found->second.number;
  placed_.erase(found);
  return number;
}

void PlacedAhead::revoke_before(StreamOffset upto) {
  while (!placed_.empty() && placed_.begin()->first < upto) {
    Event event = log_.make(EventKind::revoked, side_, placed_.begin()->first);
    std::construct_at(&event.revoked, RevokedFact{placed_.begin()->second.number});
    placed_.erase(placed_.begin());
    log_.fact(event);
  }
}

void PlacedAhead::settle(StreamOffset position, StreamOffset delivered) {
  revoke_before(position);
  std::erase_if(chains_, [delivered](const Chain& chain) { return chain.end <= delivered; });
}

}  // namespace iwarp
