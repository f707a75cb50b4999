// Breaches of start-up frames, and of when the first FPDUs come (RFC 5044 §7.1, RFC 6581).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include <iwarp/wire/mpa.hpp>

#include "inject/rules.hpp"
#include "rnic/segment.hpp"

namespace iwarp::replay {
namespace {

constexpr std::size_t flags = 16;
constexpr std::size_t revision = 17;
constexpr std::size_t length = 18;
constexpr std::size_t ird = 20;  // of the IRD/ORD word
constexpr std::size_t ord = 22;
constexpr Byte rejected = 0x20;
constexpr Byte enhanced = 0x10;

void set_key(Bytes& frame, const Byte* key) {
  std::copy_n(key, wire::startup_key_size, frame.begin());
}

// The low 14 bits of half a word.
void set_depth(Bytes& frame, std::size_t at, unsigned value) {
  const unsigned kept = load_be16(frame.data() + at) & 0xc000U;
  store_be16(frame.data() + at, static_cast<std::uint16_t>(kept | (value & 0x3fffU)));
}

unsigned depth(const Bytes& frame, std::size_t at) {
  return load_be16(frame.data() + at) & 0x3fffU;
}

void add_fpdu(Bytes& frame) {
  const Bytes fpdu = unmarked_fpdu(empty_write());
  frame.insert(frame.end(), fpdu.begin(), fpdu.end());
}

const Breach startup_rules[] = {
    {.check = CheckId::mpa_key,
     .subjects = request_frame,
     .silent = true,
     .frame = [](Bytes& frame) { set_key(frame, wire::reply_key); },
     .oracle = {Answer::closes, {}, "RFC 5044 §7.1.2 (5)"},
     .what = "the Request has the key of a Reply"},
    {.check = CheckId::mpa_key,
     .variant = "reply",
     .subjects = reply_frame,
     .silent = true,
     .frame = [](Bytes& frame) { frame[12] ^= 0x20U; },
     .oracle = {Answer::closes, {}, "RFC 5044 §7.1.2 (5)"},
     .what = "a letter of the Reply's key is another one"},
    {.check = CheckId::mpa_rev,
     .subjects = request_frame,
     .silent = true,
     .frame = [](Bytes& frame) { frame[revision] = 3; },
     .oracle = {Answer::closes, {}, "RFC 5044 §7.1.2 (2)"},
     .what = "the Request has revision 3"},
    {.check = CheckId::mpa_rev,
     .variant = "reply",
     .subjects = reply_frame,
     .silent = true,
     .frame = [](Bytes& frame) { frame[revision] = 3; },
     .oracle = {Answer::closes, {}, "RFC 5044 §7.1.2 (3)"},
     .what = "the Reply has revision 3"},
    {.check = CheckId::mpa_res,
     .subjects = request_frame | reply_frame,
     .frame = [](Bytes& frame) { frame[flags] |= 0x01U; },
     .oracle = {Answer::carries_on, {}, "RFC 5044 §7.1.1"},
     .what = "a reserved flag is set"},
    {.check = CheckId::mpa_reqr,
     .subjects = request_frame,
     .frame = [](Bytes& frame) { frame[flags] |= rejected; },
     .oracle = {Answer::carries_on, {}, "RFC 5044 §7.1.1"},
     .what = "the Request has R"},
    {.check = CheckId::mpa_pdlen,
     .subjects = request_frame | reply_frame,
     .silent = true,
     .frame = [](Bytes& frame) { store_be16(frame.data() + length, wire::max_private_data + 1); },
     .oracle = {Answer::closes, {}, "RFC 5044 §7.1.2 (9)"},
     .what = "PD_Length is 513"},
    {.check = CheckId::mpa_srev,
     .subjects = reply_frame,
     .needs = {.enhanced = true},
     .silent = true,
     .frame = [](Bytes& frame) { frame[flags] = static_cast<Byte>(frame[flags] & ~unsigned{enhanced}); },
     .oracle = {Answer::closes, {}, "RFC 6581 §10"},
     .what = "the Reply to a Request with S has none"},
    {.check = CheckId::mpa_abcd,
     .subjects = request_frame,
     .needs = {.enhanced = true, .not_peer_to_peer = true},
     .frame = [](Bytes& frame) { frame[ird] |= 0x40U; },
     .oracle = {Answer::carries_on, {}, "RFC 6581 §9.2"},
     .what = "the Request has B without A"},
    {.check = CheckId::mpa_irdord,
     .subjects = reply_frame,
     .needs = {.enhanced = true},
     .silent = true,
     // The peer's IRD is not known here: more than any.
     .frame = [](Bytes& frame) { set_depth(frame, ord, wire::depth_not_negotiated - 1U); },
     .oracle = {Answer::terminates, {0x2006}, "RFC 6581 §8, §9.1"},
     .what = "the Reply's ORD is 16382"},
    {.check = CheckId::mpa_initinit,
     .subjects = reply_frame,
     .silent = true,
     .frame = [](Bytes& frame) { set_key(frame, wire::request_key); },
     .oracle = {Answer::closes, {}, "RFC 5044 §7.1.2 (8)"},
     .what = "a Request comes where a Reply is due"},
    {.check = CheckId::mpa_rejfpdu,
     .subjects = reply_frame,
     .silent = true,
     .frame =
         [](Bytes& frame) {
           frame[flags] |= rejected;
           add_fpdu(frame);
         },
     .oracle = {Answer::leaves_mpa, {}, "RFC 5044 §7.1.2 (3)"},
     .what = "an FPDU follows right behind a Reply with R"},
    {.check = CheckId::mpa_early,
     .subjects = request_frame,
     .needs = {.no_markers = true},
     .silent = true,
     .frame = [](Bytes& frame) { add_fpdu(frame); },
     .oracle = {Answer::closes, {}, "RFC 5044 §7.1.2 (9)"},
     .what = "an FPDU follows right behind the Request"},
    {.check = CheckId::mpa_respfirst,
     .subjects = reply_frame,
     .needs = {.no_markers = true},
     .frame = [](Bytes& frame) { add_fpdu(frame); },
     .oracle = {Answer::carries_on, {}, "RFC 5044 §7.1.2 (3)"},
     .what = "an FPDU follows right behind the Reply"},
    {.check = CheckId::mpa_rtr,
     .subjects = rtr_message,
     .needs = {.peer_to_peer = true},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           const Byte payload[4] = {};
           edit.ulpdu = segment(rnic::tagged_header(wire::Opcode::rdma_write, 0x00000100, 0, true), payload);
         },
     .oracle = {Answer::terminates, {0x2007}, "RFC 6581 §8, §9.2"},
     .what = "an RDMA Write of four octets comes instead of the ready-to-receive message"},
    {.check = CheckId::mpa_rtrunneg,
     .subjects = any_message,
     .needs = {.opening = true, .initiator = true, .not_peer_to_peer = true},
     .fpdu = [](Edit& edit) { edit.before(empty_write()); },
     .oracle = {Answer::carries_on, {}, "RFC 5041 §5.2"},
     .what = "a zero-length RDMA Write comes before the initiator's first FPDU"},
    {.check = CheckId::rdmap_ord,
     .subjects = request_frame | reply_frame,
     .needs = {.messages = 2, .enhanced = true},
     .frame = [](Bytes& frame) { set_depth(frame, ord, std::min(depth(frame, ord), 1U)); },
     .oracle = {Answer::carries_on, {}, "RFC 5040 §6.1"},
     .what = "the start-up frame promises ORD 1, then more Reads are sent at once"},
};

}  // namespace

std::span<const Breach> startup_breaches() noexcept {
  return startup_rules;
}

}  // namespace iwarp::replay
