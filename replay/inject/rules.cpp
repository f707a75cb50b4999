// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/rules.hpp"

#include <algorithm>
#include <bit>

namespace iwarp::replay {
namespace {

constexpr NoBreach without[] = {
    {CheckId::mpa_revknown, "revisions 0 and 129 mean other headers: a plan is of revision 1 or 2"},
    {CheckId::mpa_smbdzero, "it is about an application's words: Private Data of a plan is changed by hand"},
    {CheckId::mpa_irdlow, "no rule is broken; --ird makes it"},
    {CheckId::mpa_rtrterm, "it answers a breach of the peer, which would be found, too"},
    {CheckId::mpa_tmo, "it is about time, not octets"},
    {CheckId::mpa_lengso, "siw's private flag is nobody's to promise but siw's; MPA-LEN is the same rule"},
    {CheckId::mpa_padsiw, "siw's private flag is nobody's to promise but siw's; MPA-PAD is the same rule"},
    {CheckId::mpa_align, "TCP may cut where it likes: a recommendation"},
    {CheckId::sctp_adapt, "it is about SCTP, which no replay speaks"},
    {CheckId::sctp_ppid, "it is about SCTP, which no replay speaks"},
    {CheckId::sctp_uflag, "it is about SCTP, which no replay speaks"},
    {CheckId::sctp_ssn, "it is about SCTP, which no replay speaks"},
    {CheckId::sctp_seq, "it is about SCTP, which no replay speaks"},
    {CheckId::sctp_pd, "it is about SCTP, which no replay speaks"},
    {CheckId::ddp_mowrap,
     "only a message of 4 GiB breaks it alone: an MO that jumps there breaks DDP-MOSEQ, too"},
    {CheckId::rdmap_ext, "it tells what the peer lacks; any Atomic or Immediate shows it"},
    {CheckId::rdmap_rrlost,
     "it never comes alone: who ends a stream with requests open breaks VERBS-BADCLOSE or VERBS-RST"},
    {CheckId::rdmap_ird, "it never comes alone: a negotiated ORD is at most the peer's IRD (RDMAP-ORD)"},
    {CheckId::rdmap_invunk, "whether the receiver told of an STag is the application's octets to say"},
    {CheckId::rdmap_invuse, "what is advertised again is the application's octets to say"},
    {CheckId::rdmap_invbusy, "the responder may answer before it is sent"},
    {CheckId::rdmap_hazrw, "the responder may answer before it is sent"},
    {CheckId::rdmap_atsem, "no rule is broken: who owns the word may change it"},
    {CheckId::rdmap_atalign, "the base of the memory that a live peer has is not known"},
    {CheckId::rdmap_bounds, "what was advertised is the application's octets to say"},
    {CheckId::rdmap_whyinvalid, "no rule is broken"},
    {CheckId::rdmap_whybounds, "no rule is broken"},
    {CheckId::rdmap_whyunseen, "no rule is broken"},
    {CheckId::rdmap_whykept, "no rule is broken"},
    {CheckId::rdmap_termquote,
     "it quotes a Read Request of the peer whose octets are not known where Terminates are made wrong"},
    {CheckId::verbs_closeterm, "it is the answer to VERBS-BADCLOSE"},
    {CheckId::verbs_closedata, "the segments that are on their way when a FIN comes are the peer's"},
    {CheckId::verbs_restart, "no rule is broken"},
    {CheckId::verbs_rqstall, "no rule is broken"},
    {CheckId::ulp_credit, "it is about octets of ULPs"},
    {CheckId::perf_unanswered, "it is about time, not a rule"},
    {CheckId::perf_credit, "it is about time, not a rule"},
    {CheckId::perf_ord, "it is about time, not a rule"},
    {CheckId::perf_rq, "it is about time, not a rule"},
    {CheckId::perf_norecv, "it is about time, not a rule"},
    {CheckId::perf_loss, "it is about time, not a rule"},
    {CheckId::perf_behind, "it is about time, not a rule"},
    {CheckId::perf_window, "it is about time, not a rule"},
    {CheckId::perf_delack, "it is about time, not a rule"},
    {CheckId::perf_responder, "it is about time, not a rule"},
    {CheckId::perf_small, "it is about time, not a rule"},
    {CheckId::perf_fallback, "it is about time, not a rule"},
    {CheckId::cap_crcacked, "it is about the capture: a copy that differs from what was sent"},
    {CheckId::cap_gap, "it is about the capture"},
    {CheckId::cap_gapssn, "it is about the capture"},
    {CheckId::cap_conflict, "it is about the capture: TCP sends an octet again as it was"},
    {CheckId::cap_snap, "it is about the capture"},
    {CheckId::cap_dupframe, "it is about the capture"},
    {CheckId::cap_tsrev, "it is about the capture"},
    {CheckId::cap_cksum, "it is about the capture"},
    {CheckId::cap_crc32c, "it is about the capture"},
    {CheckId::cap_stagpred, "no rule is broken: it is about the choice of numbers"},
    {CheckId::cap_limit, "it is about the capture"},
    {CheckId::cap_letgo, "it is about the capture"},
};

}  // namespace

const char* answer_name(Answer answer) noexcept {
  switch (answer) {
    case Answer::terminates: return "Terminate";
    case Answer::carries_on: return "carries on";
    case Answer::closes: return "closes without a Terminate";
    case Answer::leaves_mpa: return "sends no FPDU";
    case Answer::resets: return "RST";
    case Answer::nothing: return "no answer";
  }
  return "?";
}

std::string Breach::name() const {
  std::string text = check_info(check).id;
  if (*variant != '\0') text += std::string(":") + variant;
  return text;
}

std::vector<const Breach*> all_breaches() {
  std::vector<const Breach*> all;
  for (const auto part :
       {startup_breaches(), fpdu_breaches(), ddp_breaches(), rdmap_breaches(), close_breaches()}) {
    for (const Breach& each : part) all.push_back(&each);
  }
  std::ranges::stable_sort(all, {}, [](const Breach* breach) { return breach->check; });
  return all;
}

std::span<const NoBreach> no_breaches() noexcept {
  return without;
}

const Breach* find_breach(std::string_view name) {
  for (const Breach* each : all_breaches()) {
    if (each->name() == name) return each;
  }
  return nullptr;
}

std::string subjects_of(const Breach& breach) {
  if (breach.subjects == any_message) return "any message";
  std::string text;
  unsigned left = breach.subjects;
  while (left != 0) {
    const unsigned lowest = left & (~left + 1);
    left &= ~lowest;
    text += (text.empty() ? "" : left == 0 ? " or " : ", ");
    text += subject_name(static_cast<Subject>(lowest));
  }
  return text;
}

}  // namespace iwarp::replay
