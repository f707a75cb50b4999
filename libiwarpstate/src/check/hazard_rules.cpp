// Rules about memory that the sender's own outstanding Reads and Atomics name: what it writes there, and what
// it has invalidated, before they are answered (RFC 5040 §5.5; Verbs 1.0 §8.2.2).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "check/judgement.hpp"

namespace iwarp::check {
namespace {

// Of more outstanding requests than this it is not asked: each FPDU would look at them all.
constexpr std::size_t max_requests = 64;

// Their responses may have come already, and not be in the capture.
std::optional<Reason> doubt_of(const Judgement& j, const Request& request) noexcept {
  return first_of({when(!j.before.outstanding_known(), Reason::one_direction), j.peer().responses_doubt,
                   when(j.side().pairing_doubtful || request.ambiguous, Reason::skew)});
}

struct Range {
  std::uint64_t to = 0;
  std::uint64_t length = 0;

  // Of tagged offsets, which wrap.
  [[nodiscard]] bool overlaps(const Range& other) const noexcept {
    return length != 0 && other.length != 0 && (to - other.to < other.length || other.to - to < length);
  }
};

// Once for a Write, at its first segment that is there.
void judge_write(const Judgement& j, const FpduFact& fpdu) {
  const Range segment{fpdu.ddp.to, fpdu.payload_length};
  const OpenMessage& open = *j.side().write;
  const bool goes_on = open.active && open.stag == fpdu.ddp.stag && open.next == fpdu.ddp.to;
  const Range before{open.to, goes_on ? open.length : 0};
  for (const Request& request : j.side().requests) {
    if (request.source_stag != fpdu.ddp.stag || request.partial || request.unseen) continue;
    const Range asked{request.source_to, request.size};
    if (!asked.overlaps(segment) || asked.overlaps(before)) continue;
    j.verdict(CheckId::rdmap_hazrw, doubt_of(j, request), {fpdu.ddp.stag, fpdu.ddp.to, request.placed.frame},
              {request.placed.frame});
    return;
  }
}

void judge_invalidation(const Judgement& j, const FpduFact& fpdu) {
  for (const Request& request : j.side().requests) {
    if (request.source_stag != fpdu.ddp.stag || request.partial || request.unseen || request.size == 0)
      continue;
    j.verdict(CheckId::rdmap_invbusy, doubt_of(j, request), {fpdu.ddp.stag, request.placed.frame},
              {request.placed.frame});
    return;
  }
}

}  // namespace

void judge_hazards(const Judgement& j) {
  const FpduFact& fpdu = j.fact.fpdu;
  const bool writes =
      fpdu.ddp.tagged() && fpdu.ddp.opcode() == wire::Opcode::rdma_write && fpdu.payload_length != 0;
  const bool invalidates = !fpdu.ddp.tagged() && wire::invalidates(fpdu.ddp.opcode()) && fpdu.ddp.last();
  if (j.side().requests.empty() || !(writes || invalidates)) return;
  const CheckId check = writes ? CheckId::rdmap_hazrw : CheckId::rdmap_invbusy;
  if (j.side().requests.size() > max_requests) return j.undecidable(check, Reason::limit);
  writes ? judge_write(j, fpdu) : judge_invalidation(j, fpdu);
}

}  // namespace iwarp::check
