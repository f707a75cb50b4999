// Breaches of FPDUs around their ULPDU: length, PAD, markers, CRC (RFC 5044 §3, §4).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/rules.hpp"

namespace iwarp::replay {
namespace {

// Its payload is longer than the EMSS lets an FPDU be: of two segments one is made.
void merge(Edit& edit) {
  if (edit.turn == 0) {
    edit.kept = edit.ulpdu;
    return edit.drop();
  }
  const std::size_t size = edit.header.size();
  Bytes payload(edit.kept.begin() + static_cast<std::ptrdiff_t>(size), edit.kept.end());
  payload.insert(payload.end(), edit.payload().begin(), edit.payload().end());
  const wire::DdpHeader first = *wire::parse_ddp(edit.kept);
  edit.header.mo = first.mo;
  edit.header.to = first.to;
  edit.ulpdu = segment(edit.header, payload);
}

// The peer takes the first octets for a marker and looks for the length behind them: in the Invalidate STag
// field of an untagged segment. Where that is zero it answers at once; else it may wait for octets for ever.
void leave_markers_out(Edit& edit) {
  if (edit.turn == 0) edit.kept = {static_cast<Byte>(!edit.header.tagged() && edit.header.stag == 0)};
  if (edit.kept[0] != 0) edit.framing.markers = false;
}

const Breach fpdu_rules[] = {
    {.check = CheckId::mpa_len,
     .subjects = any_message,
     .silent = true,
     .fpdu = [](Edit& edit) { edit.ulpdu.resize(edit.header.size() - 1); },
     .oracle = {Answer::terminates, {0x1000}, "Verbs 1.0 figure 24"},
     .what = "the ULPDU ends one octet before its DDP header does"},
    {.check = CheckId::mpa_mulpdu,
     .subjects = send_message | write_message,
     .needs = {.several = true},
     .reach = Reach::two_fpdus,
     .fpdu = merge,
     .oracle = {Answer::carries_on, {}, "RFC 5044 §4.5"},
     .what = "two segments of a message go as one FPDU"},
    {.check = CheckId::mpa_pad,
     .subjects = any_message,
     .needs = {.pad = true},
     .fpdu = [](Edit& edit) { edit.framing.pad = 0xff; },
     .oracle = {Answer::carries_on, {}, "RFC 5044 §4.1"},
     .what = "the PAD octets are FF"},
    {.check = CheckId::mpa_crc,
     .subjects = any_message,
     .needs = {.crc = true},
     .silent = true,
     .fpdu = [](Edit& edit) { edit.framing.crc_xor = 0x00000001; },
     .oracle = {Answer::terminates, {0x2002}, "RFC 5044 §8"},
     .what = "a bit of the CRC is wrong"},
    {.check = CheckId::mpa_crcorder,
     .subjects = any_message,
     .needs = {.opening = true, .crc = true},
     .reach = Reach::all,
     .fpdu = [](Edit& edit) { edit.framing.crc_reversed = true; },
     .oracle = {Answer::terminates, {0x2002}, "RFC 5044 §4.4, §8"},
     .what = "the octets of all CRCs are in the other order"},
    {.check = CheckId::mpa_mkuse,
     .subjects = any_message,
     .needs = {.opening = true, .no_markers = true, .crc = true},
     .reach = Reach::all,
     .fpdu = [](Edit& edit) { edit.framing.markers = true; },
     // The first marker is read as an FPDU of length 0.
     .oracle = {Answer::terminates, {0x2002, 0x2003}, "RFC 5044 §8"},
     .what = "markers are sent although the peer asked for none"},
    {.check = CheckId::mpa_mkuse,
     .variant = "left-out",
     .subjects = any_message,
     .needs = {.opening = true, .markers = true, .crc = true},
     .reach = Reach::all,
     .fpdu = leave_markers_out,
     .oracle = {Answer::terminates, {0x2003, 0x2002}, "RFC 5044 §8"},
     .what = "no markers are sent although the peer asked for them"},
    {.check = CheckId::mpa_mkptr,
     .subjects = any_message,
     .needs = {.opening = true, .markers = true},
     .silent = true,
     .fpdu = [](Edit& edit) { edit.framing.pointer_delta = 4; },
     .oracle = {Answer::terminates, {0x2003}, "RFC 5044 §8"},
     .what = "FPDUPTR points four octets too far back"},
    {.check = CheckId::mpa_mkbits,
     .variant = "low-bits",
     .subjects = any_message,
     .needs = {.opening = true, .markers = true},
     .fpdu = [](Edit& edit) { edit.framing.pointer_delta = 1; },
     .oracle = {Answer::carries_on, {}, "RFC 5044 §4.3"},
     .what = "the lowest bit of FPDUPTR is set"},
    {.check = CheckId::mpa_mkrsv,
     .subjects = any_message,
     .needs = {.opening = true, .markers = true},
     .fpdu = [](Edit& edit) { edit.framing.marker_reserved = 0x0100; },
     .oracle = {Answer::carries_on, {}, "RFC 5044 §4.2"},
     .what = "the reserved half of a marker is not zero"},
    {.check = CheckId::mpa_sync,
     .subjects = any_message,
     .needs = {.later = true, .no_markers = true, .crc = true},
     .fpdu =
         [](Edit& edit) {
           edit.framing.before.push_back({{0x00, 0x05, 0x5a, 0xa5, 0x5a, 0xa5, 0x5a}, true});
         },
     .oracle = {Answer::terminates, {0x2002}, "RFC 5044 §8"},
     .what = "seven octets that are none of an FPDU come before it"},
    {.check = CheckId::mpa_cut,
     .subjects = any_message,
     // A responder that heard no whole FPDU may not even terminate (RFC 5044 §7.1.2 (4)).
     .needs = {.payload = 8, .later = true},
     .fpdu =
         [](Edit& edit) {
           edit.framing.octets = edit.ulpdu.size() / 2;
           edit.framing.cutoff = rnic::Cutoff::fin;
         },
     .oracle = {Answer::terminates, {0x0207, 0x2001}, "Verbs 1.0 §6.2.2, figure 24"},
     .what = "FIN comes in the middle of the FPDU"},
};

}  // namespace

std::span<const Breach> fpdu_breaches() noexcept {
  return fpdu_rules;
}

}  // namespace iwarp::replay
