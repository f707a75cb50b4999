// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/crc_recovery.hpp"

#include <tuple>

namespace iwarp {
namespace {

// What an FPDU that is passed over makes doubtful: of a SideState, or as a CrcRecovery keeps it.
template <typename Owner>
auto doubtful(Owner& owner) noexcept {
  return std::tie(owner.holes, owner.hole_end, owner.missing_reason, owner.requests_doubt,
                  owner.responses_doubt, owner.queues, owner.write, owner.interrupted_write,
                  owner.read_response);
}

// Nothing else was missed in this direction since.
bool is_only_hole(const SideState& side) noexcept {
  return side.holes == side.crc_recovery->holes + 1;
}

bool is_response(wire::Opcode opcode) noexcept {
  return opcode == wire::Opcode::read_response || opcode == wire::Opcode::atomic_response;
}

}  // namespace

void keep_known(const Fold& fold) {
  const SideState& side = fold.side();
  CrcRecovery& kept = fold.side().crc_recovery.edit();
  kept.end_offset = end_of(fold.event);
  kept.put_back = false;
  kept.fpdus = side.fpdus;
  kept.peer_fpdus = fold.peer().fpdus;
  doubtful(kept) = doubtful(side);
}

void put_back_known(ConnectionState& state, const Event& event) {
  if (event.kind != EventKind::fpdu || !event.fpdu.recovered) return;
  SideState& side = state.side(event.side);
  if (!side.crc_recovery.has_value() || side.crc_recovery->end_offset != end_of(event)) return;
  CrcRecovery& kept = side.crc_recovery.edit();
  const bool next = side.fpdus == kept.fpdus && is_only_hole(side) && side.phase == Phase::fpdu;
  if (kept.put_back || !next || side.strays > 0) return;
  kept.put_back = true;
  // What the peer asked for since may have been answered before the capture shows it.
  const bool quiet = state.side(other(event.side)).fpdus == kept.peer_fpdus;
  const auto responses_doubt = quiet ? kept.responses_doubt : side.responses_doubt;
  const auto requests_doubt = side.pairing_doubtful ? side.requests_doubt : kept.requests_doubt;
  doubtful(side) = doubtful(kept);
  side.responses_doubt = responses_doubt;
  side.requests_doubt = requests_doubt;
}

bool comes_in_place(const SideState& side, const Event& event) noexcept {
  return side.crc_recovery->put_back && side.crc_recovery->end_offset == end_of(event);
}

void settle_doubts(const Fold& fold) noexcept {
  SideState& side = fold.side();
  const CrcRecovery& kept = *side.crc_recovery;
  if (kept.end_offset != end_of(fold.event) || !is_only_hole(side)) return;
  if (!has_ddp_header(fold.event.fpdu)) return;
  const wire::Opcode opcode = fold.event.fpdu.ddp.opcode();
  if (!wire::is_request(opcode) && side.strays == 0 && !side.pairing_doubtful)
    side.requests_doubt = kept.requests_doubt;
  const bool quiet = fold.peer().fpdus == kept.peer_fpdus;
  if (!is_response(opcode) && quiet) side.responses_doubt = kept.responses_doubt;
}

}  // namespace iwarp
