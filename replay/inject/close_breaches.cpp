// Breaches of Terminates, and of how a stream ends (RFC 5040 §4.8, §5.4; Verbs 1.0 §6.2, §6.6.2).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/rules.hpp"
#include "rnic/segment.hpp"

namespace iwarp::replay {
namespace {

constexpr unsigned requester_only = send_message | write_message | read_message;
constexpr Oracle ended = {Answer::closes, {}, "Verbs 1.0 §6.2.2.3"};

// This FPDU's place is taken by a Terminate.
void replace(Edit& edit, Bytes terminate_ulpdu) {
  edit.ulpdu = std::move(terminate_ulpdu);
}

const Breach close_rules[] = {
    {.check = CheckId::rdmap_term1,
     .subjects = requester_only,
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           replace(edit, terminate(0x0000));
           edit.behind(terminate(0x0000));
         },
     .oracle = ended,
     .what = "two Terminates come"},
    {.check = CheckId::rdmap_termlen,
     .variant = "bits",
     .subjects = requester_only,
     .silent = true,
     .fpdu = [](Edit& edit) { replace(edit, terminate(0x0000, 0xc0)); },
     .oracle = ended,
     .what = "a Terminate announces headers that do not follow"},
    {.check = CheckId::rdmap_termrest,
     .variant = "rest",
     .subjects = requester_only,
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           const Byte odd[1] = {};
           replace(edit, terminate(0x0000, 0, odd));
         },
     .oracle = ended,
     .what = "a Terminate ends with an octet of no field"},
    {.check = CheckId::rdmap_termend,
     .subjects = requester_only,
     .silent = true,
     .fpdu = [](Edit& edit) { edit.before(terminate(0x0000)); },
     .oracle = ended,
     .what = "a message follows the Terminate of its sender"},
    {.check = CheckId::rdmap_termcode,
     .variant = "vendor",
     .subjects = requester_only,
     .silent = true,
     .fpdu = [](Edit& edit) { replace(edit, terminate(0x2302)); },
     .oracle = ended,
     .what = "a Terminate has the code of a vendor for what IANA registered"},
    {.check = CheckId::rdmap_termunreg,
     .subjects = requester_only,
     .silent = true,
     .fpdu = [](Edit& edit) { replace(edit, terminate(0x0777)); },
     .oracle = ended,
     .what = "a Terminate has a code that nobody registered"},
    {.check = CheckId::rdmap_termref,
     .subjects = requester_only,
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           Bytes rest = {0, wire::untagged_header_size};
           wire::encode(rnic::untagged_header(wire::Opcode::send, 0x7fff7fff, 0, true), rest);
           replace(edit, terminate(0x1202, 0xc0, rest));
         },
     .oracle = ended,
     .what = "a Terminate quotes a segment that was never sent"},
    {.check = CheckId::rdmap_termwhy,
     .subjects = requester_only,
     .silent = true,
     .fpdu = [](Edit& edit) { replace(edit, terminate(0x1204)); },
     .oracle = ended,
     .what = "a Terminate states an error that nobody made"},
    {.check = CheckId::rdmap_termfin,
     .subjects = requester_only,
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           replace(edit, terminate(0x0000));
           edit.framing.cutoff = rnic::Cutoff::rst;
         },
     .oracle = {Answer::nothing, {}, "RFC 5040 §6.2.1"},
     .what = "RST follows a Terminate"},
    {.check = CheckId::rdmap_termterm,
     .subjects = end_of_stream,
     .needs = {.peer_terminates = true},
     .last = [](std::vector<rnic::Extra>& last) { last.push_back({terminate(0x0000)}); },
     .oracle = {Answer::nothing, {}, "Verbs 1.0 §6.2.3"},
     .what = "a Terminate answers the peer's Terminate"},
    {.check = CheckId::rdmap_afterterm,
     .subjects = end_of_stream,
     .needs = {.peer_terminates = true},
     .last =
         [](std::vector<rnic::Extra>& last) {
           // Enough of them to be no crossing ones.
           for (int i = 0; i < 12; ++i) last.push_back({empty_write()});
         },
     .oracle = {Answer::nothing, {}, "Verbs 1.0 §6.2.3"},
     .what = "RDMA Writes follow the peer's Terminate"},
    {.check = CheckId::rdmap_afterfin,
     .subjects = end_of_stream,
     .needs = {.peer_closes = true},
     .last = [](std::vector<rnic::Extra>& last) { last.push_back({empty_write()}); },
     .oracle = {Answer::resets, {}, "Verbs 1.0 §6.2.5"},
     .what = "an RDMA Write follows the peer's FIN"},
    {.check = CheckId::verbs_badclose,
     .subjects = read_response,
     .needs = {.payload = 1, .single = true},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           edit.drop();
           edit.framing.cutoff = rnic::Cutoff::fin;
         },
     .oracle = {Answer::terminates, {0x0207}, "Verbs 1.0 figure 24"},
     .what = "FIN comes instead of a Read Response"},
    {.check = CheckId::verbs_rst,
     .subjects = send_message | write_message,
     .needs = {.idle = true},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           edit.drop();
           edit.framing.cutoff = rnic::Cutoff::rst;
         },
     .oracle = {Answer::nothing, {}, "Verbs 1.0 §6.6.2.3"},
     .what = "RST comes while the stream works"},
};

}  // namespace

std::span<const Breach> close_breaches() noexcept {
  return close_rules;
}

}  // namespace iwarp::replay
