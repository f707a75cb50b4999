// What a side that broke a rule had sent, FPDU by FPDU, so that a run can send it again as it was.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "plan/stream_recorder.hpp"

namespace iwarp::replay {
namespace {

constexpr std::size_t longest_header = 64;  // of RDMAP, and an octet too many

// All octets behind the DDP header; nothing where the capture lacks some.
std::optional<ByteView> whole(const FpduFact& fpdu, ByteView payload) {
  if (payload.size() == fpdu.payload_length) return payload;
  if (fpdu.rdmap_octets == fpdu.payload_length) return ByteView(fpdu.rdmap).first(fpdu.rdmap_octets);
  return std::nullopt;
}

KeptFpdu kept_of(const FpduFact& fpdu) {
  KeptFpdu kept;
  kept.header = fpdu.ddp;
  kept.length = fpdu.payload_length;
  if (fpdu.crc == CrcStatus::bad) kept.crc_xor = fpdu.crc_field ^ fpdu.crc_computed;
  kept.pad = static_cast<Byte>(fpdu.pad);
  for (const MarkerFault fault : {marker_pointer, marker_low_bits}) {
    if ((fpdu.marker_faults & fault) == 0) continue;
    const std::size_t row = row_of(fault);
    kept.pointer_delta = std::int32_t{fpdu.marker_seen[row]} - wire::fpdu_pointer(fpdu.marker_at[row]);
    break;
  }
  if ((fpdu.marker_faults & marker_reserved) != 0)
    kept.marker_reserved = fpdu.marker_seen[row_of(marker_reserved)];
  return kept;
}

}  // namespace

// Of a message that is a work's, or a response's.
void StreamRecorder::keep_fpdu(const Event& event, ByteView payload) {
  if (!recording_.options.keep_faults) return;
  const FpduFact& fpdu = event.fpdu;
  SideRecord& sender = side(event.side);
  KeptFpdu kept = kept_of(fpdu);
  kept.role = role_of(event.side);
  const auto slot = sender.messages.find(fpdu.message);
  const bool response =
      fpdu.ddp.opcode() == wire::Opcode::read_response || fpdu.ddp.opcode() == wire::Opcode::atomic_response;
  if (!response) kept.work = slot != sender.messages.end() ? slot->second.work : sender.last_work;
  // A live message has the octets of its work; what it lacks are those too many, and what no RNIC sends: a
  // message behind a Terminate.
  const auto all = whole(fpdu, payload);
  // Segments that overlap put others' octets into the work: until their message is whole all are kept.
  const bool open = kept.work && slot != sender.messages.end();
  const bool uneven = (open && slot->second.uneven) || (response && !is_asked_for(event));
  if (all && (uneven || open || sender.terminated || all->size() <= longest_header)) {
    kept.octets.assign(all->begin(), all->end());
    kept.verbatim = uneven;
  }
  if (open && !slot->second.kept_from) slot->second.kept_from = stream().kept.size();
  sender.terminated = sender.terminated || fpdu.ddp.opcode() == wire::Opcode::terminate;
  stream().kept.push_back(std::move(kept));
}

// Whether a Response goes where an open request of its peer wants one: else nobody learns from the octets
// what the memory had.
bool StreamRecorder::is_asked_for(const Event& event) {
  return std::ranges::any_of(side(other(event.side)).requests, [&](const auto& request) {
    return !event.fpdu.ddp.tagged() || work(request.second).stag == event.fpdu.ddp.stag;
  });
}

// The message is concluded: its work has its octets, unless its segments overlapped.
void StreamRecorder::settle_kept(std::uint32_t work, const MessageSlot& slot) {
  if (!slot.kept_from) return;
  const auto first = stream().kept.begin() + static_cast<std::ptrdiff_t>(*slot.kept_from);
  const auto is_of_it = [work](const KeptFpdu& each) { return each.work == work; };
  const bool uneven = std::any_of(first, stream().kept.end(),
                                  [&](const KeptFpdu& each) { return is_of_it(each) && each.verbatim; });
  for (auto each = first; each != stream().kept.end(); ++each) {
    if (!is_of_it(*each)) continue;
    each->verbatim = uneven && each->octets.size() == each->length;
    if (!uneven && each->octets.size() > longest_header) each->octets = {};
  }
}

// Of what nobody can read there is no work: one that stands in is posted when it was.
void StreamRecorder::keep_unread(const Event& event, ByteView payload) {
  if (!recording_.options.keep_faults || event.fpdu.malformed) return;
  const auto all = whole(event.fpdu, payload);
  if (!all) return;
  KeptFpdu kept = kept_of(event.fpdu);
  kept.role = role_of(event.side);
  kept.octets.assign(all->begin(), all->end());
  stand_in(event, kept);
  stream().kept.push_back(std::move(kept));
}

void StreamRecorder::stand_in(const Event& event, KeptFpdu& kept) {
  kept.work = begin_work(event, WorkKind::send);
  kept.verbatim = true;
  PlannedWork& made = work(*kept.work);
  made.stands_in = true;
  made.msn = 0;
  made.outcome = OperationStatus::terminated;  // nobody waits for it
}

// A Response that nobody asked for answers nothing that a replay could ask. Of several FPDUs it is not kept.
void StreamRecorder::keep_unasked(const Event& event) {
  std::vector<KeptFpdu>& kept = stream().kept;
  const auto last = std::find_if(kept.rbegin(), kept.rend(),
                                 [&](const KeptFpdu& each) { return each.role == role_of(event.side); });
  if (last == kept.rend() || last->work || !last->header.last()) return;
  if (event.message.segments == 1 && last->octets.size() == last->length) stand_in(event, *last);
}

void StreamRecorder::drop_kept_of_healthy() {
  PlannedStream& made = stream();
  std::erase_if(made.kept, [&](const KeptFpdu& kept) {
    return std::ranges::none_of(made.violations, [&](const PlannedViolation& each) {
      return each.role == kept.role && each.severity >= Severity::warning;
    });
  });
}

}  // namespace iwarp::replay
