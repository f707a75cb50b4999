// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/rules.hpp"

#include "check/judgement.hpp"
#include "state/crc_recovery.hpp"

namespace iwarp::check {
namespace {

void judge_contents(const Judgement& j) {
  const FpduFact& fpdu = j.fact.fpdu;
  if (!has_ddp_header(fpdu)) return;
  judge_headers(j);
  judge_hazards(j);
  if (fpdu.ddp.tagged()) return;
  judge_rdmap(j);
  if (fpdu.ddp.opcode() == wire::Opcode::terminate) judge_terminate(j);
}

void judge_any_fpdu(const Judgement& j) {
  const FpduFact& fpdu = j.fact.fpdu;
  judge_fpdu(j);
  if (fpdu.unfinished) return;  // what its header says may be about octets that nobody sent
  if (fpdu.recovered) {
    // Only what its bad copy could not tell.
    if (comes_in_place(j.side(), j.fact)) judge_better_first_fpdu(j);
    return judge_contents(j);
  }
  const bool trusted = is_trusted(j.side(), fpdu);
  if (j.side().first_fpdu_frame == 0) judge_first_fpdu(j);
  judge_position(j);
  if (trusted) judge_contents(j);
}

}  // namespace

void judge(const ConnectionState& before, const Event& fact, const Limits& limits, Conclusions& conclusions) {
  const Judgement j{before, fact, limits, conclusions};
  switch (fact.kind) {
    case EventKind::startup:
      judge_startup_time(j);
      judge_startup(j);
      break;
    case EventKind::fpdu: judge_any_fpdu(j); break;
    case EventKind::retransmitted:
    case EventKind::window: judge_stall(j); break;
    case EventKind::fin:
      judge_startup_time(j);
      judge_fin(j);
      break;
    case EventKind::rst:
      judge_startup_time(j);
      judge_rst(j);
      break;
    case EventKind::closed:
      judge_startup_time(j);
      judge_unanswered(j);
      judge_closed(j);
      judge_alignment(j);
      break;
    default: break;
  }
}

}  // namespace iwarp::check
