// Breaches of RDMAP: control octets, requests, responses (RFC 5040, RFC 7306).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/wire/rdmap.hpp>

#include "inject/rules.hpp"
#include "rnic/segment.hpp"

namespace iwarp::replay {
namespace {

void set_opcode(Edit& edit, unsigned opcode) {
  edit.header.rdmap_control = static_cast<std::uint8_t>((edit.header.rdmap_control & 0xf0U) | opcode);
  edit.put();
}

// The first of two Responses is kept until the second one has gone.
void swap_responses(Edit& edit) {
  if (edit.turn == 0) {
    edit.kept = edit.ulpdu;
    return edit.drop();
  }
  edit.behind(edit.kept);
}

// Behind the DDP header of an Atomic Request: reserved bits and AOpCode.
constexpr std::ptrdiff_t atomic_control = wire::untagged_header_size;
constexpr std::ptrdiff_t atomic_request_id = wire::untagged_header_size;

const Breach rdmap_rules[] = {
    {.check = CheckId::rdmap_rv,
     .subjects = any_message,
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           edit.header.rdmap_control = static_cast<std::uint8_t>((edit.header.rdmap_control & 0x3fU) | 0x80U);
           edit.put();
         },
     .oracle = {Answer::terminates, {0x0205}, "RFC 5040 §7.2"},
     .what = "RV is 2"},
    {.check = CheckId::rdmap_rsv,
     .subjects = any_message,
     .fpdu =
         [](Edit& edit) {
           edit.header.rdmap_control |= 0x10U;
           edit.put();
         },
     .oracle = {Answer::carries_on, {}, "RFC 5040 §4.1"},
     .what = "a reserved bit of the RDMAP control octet is set"},
    {.check = CheckId::rdmap_inv0,
     .subjects = send_message | read_message,
     .needs = {.single = true},
     .fpdu =
         [](Edit& edit) {
           if (wire::invalidates(edit.header.opcode())) return;
           edit.header.stag = 0x12345600;
           edit.put();
         },
     .oracle = {Answer::carries_on, {}, "RFC 5040 §4.1"},
     .what = "the Invalidate STag field of a message that invalidates nothing is not zero"},
    {.check = CheckId::rdmap_op,
     .subjects = send_message,
     .silent = true,
     .fpdu = [](Edit& edit) { set_opcode(edit, 12); },
     .oracle = {Answer::terminates, {0x0206}, "RFC 5040 §7.2"},
     .what = "the opcode is 12"},
    {.check = CheckId::rdmap_opexp,
     .variant = "experimental",
     .subjects = send_message,
     .silent = true,
     .fpdu = [](Edit& edit) { set_opcode(edit, 15); },
     .oracle = {Answer::terminates, {0x0206}, "RFC 5040 §7.2"},
     .what = "the opcode is 15"},
    {.check = CheckId::rdmap_rreq,
     .subjects = read_message,
     .silent = true,
     .fpdu = [](Edit& edit) { edit.ulpdu.push_back(0); },
     .oracle = {Answer::terminates, {0x1205, 0x0207}, "RFC 5041 §7.1"},
     .what = "the Read Request has an octet too many"},
    {.check = CheckId::rdmap_rrnone,
     .subjects = send_message | write_message,
     .needs = {.first = true},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           edit.before(segment(rnic::tagged_header(wire::Opcode::read_response, 0x00000100, 0, true)));
         },
     .oracle = {Answer::terminates, {0x0206}, "RFC 5040 §7.2"},
     .what = "a Read Response that nobody asked for comes first"},
    {.check = CheckId::rdmap_atnone,
     .variant = "atomic",
     .subjects = atomic_response,
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           const Bytes payload(wire::atomic_response_size);
           edit.behind(segment(
               rnic::untagged_header(wire::Opcode::atomic_response, edit.header.msn + 1, 0, true), payload));
         },
     .oracle = {Answer::terminates, {0x1202, 0x0206}, "RFC 5041 §7.1"},
     .what = "a second Atomic Response comes, which nobody asked for"},
    {.check = CheckId::rdmap_rrmatch,
     .subjects = read_response,
     .needs = {.payload = 1},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           edit.header.stag ^= 0x00abcd00U;
           edit.put();
         },
     .oracle = {Answer::terminates, {0x1100, 0x1102}, "RFC 5041 §7.1"},
     .what = "the Read Response goes to another STag than was asked for"},
    {.check = CheckId::rdmap_rrlong,
     .subjects = read_response,
     .needs = {.payload = 1, .single = true},
     .silent = true,
     .fpdu = [](Edit& edit) { edit.ulpdu.push_back(0); },
     .oracle = {Answer::terminates, {0x1101}, "RFC 5041 §7.1"},
     .what = "the Read Response has an octet too many"},
    {.check = CheckId::rdmap_rrshort,
     .subjects = read_response,
     .needs = {.payload = 1, .single = true},
     .silent = true,
     .fpdu = [](Edit& edit) { edit.ulpdu.pop_back(); },
     .oracle = {Answer::terminates, {0x0207}, "Verbs 1.0 figure 24"},
     .what = "the Read Response ends an octet early"},
    {.check = CheckId::rdmap_rrorder,
     .subjects = read_response,
     .needs = {.payload = 1, .messages = 2, .single = true},
     .reach = Reach::two_messages,
     .silent = true,
     .fpdu = swap_responses,
     .oracle = {Answer::terminates, {0x1101, 0x1100}, "RFC 5041 §7.1"},
     .what = "of two Read Responses the second one comes first"},
    {.check = CheckId::rdmap_rrzero,
     .subjects = read_response,
     .needs = {.empty = true},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           const wire::DdpHeader request =
               rnic::untagged_header(wire::Opcode::read_request, edit.passing.answers, 0, true);
           Bytes rest = {0, static_cast<Byte>(wire::untagged_header_size + wire::read_request_size)};
           wire::encode(request, rest);
           edit.ulpdu = terminate(0x0100, 0xc0, rest);
         },
     .oracle = {Answer::closes, {}, "Verbs 1.0 §6.2.2.3"},
     .what = "a zero-length Read is answered by Terminate 0100"},
    {.check = CheckId::rdmap_atlen,
     .subjects = atomic_message,
     .silent = true,
     .fpdu = [](Edit& edit) { edit.ulpdu.push_back(0); },
     .oracle = {Answer::terminates, {0x1205, 0x0207}, "RFC 5041 §7.1"},
     .what = "the Atomic Request has an octet too many"},
    {.check = CheckId::rdmap_atop,
     .subjects = atomic_message,
     .silent = true,
     .fpdu = [](Edit& edit) { edit.ulpdu[atomic_control + 3] |= 0x01U; },
     .oracle = {Answer::terminates, {0x0206, 0x0207}, "RFC 7306 §8.2"},
     .what = "AOpCode is odd"},
    {.check = CheckId::rdmap_atrsv,
     .subjects = atomic_message,
     .fpdu = [](Edit& edit) { edit.ulpdu[atomic_control] |= 0x80U; },
     .oracle = {Answer::carries_on, {}, "RFC 7306 §5.2.1"},
     .what = "a reserved bit of the Atomic Request is set"},
    {.check = CheckId::rdmap_atreqid,
     .subjects = atomic_response,
     .silent = true,
     .fpdu = [](Edit& edit) { edit.ulpdu[atomic_request_id] ^= 0x40U; },
     .oracle = {Answer::terminates, {0x0207, 0x0206}, "Verbs 1.0 figure 24"},
     .what = "the Atomic Response has the identifier of no request"},
    {.check = CheckId::rdmap_imm8,
     .subjects = immediate_message,
     .silent = true,
     .fpdu = [](Edit& edit) { edit.ulpdu.pop_back(); },
     .oracle = {Answer::terminates, {0x0207, 0x0206}, "RFC 7306 §6.3"},
     .what = "the Immediate Data have seven octets"},
    {.check = CheckId::rdmap_stag0,
     .subjects = write_message,
     .needs = {.payload = 1},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           edit.header.stag = 0;
           edit.put();
         },
     .oracle = {Answer::terminates, {0x1100}, "RFC 5041 §7.1"},
     .what = "an RDMA Write names STag 0"},
    {.check = CheckId::rdmap_stag0,
     .variant = "read",
     .subjects = read_message,
     .needs = {.payload = 1},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           constexpr std::size_t source_stag = wire::untagged_header_size + 16;
           store_be32(edit.ulpdu.data() + source_stag, 0);
         },
     .oracle = {Answer::terminates, {0x0100}, "RFC 5040 §7.2"},
     .what = "the source of an RDMA Read is STag 0"},
};

}  // namespace

std::span<const Breach> rdmap_breaches() noexcept {
  return rdmap_rules;
}

}  // namespace iwarp::replay
