// Breaches of DDP: headers, MSN, MO, TO, L (RFC 5041).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/rules.hpp"
#include "rnic/segment.hpp"

namespace iwarp::replay {
namespace {

constexpr unsigned untagged_data = send_message;
constexpr std::uint8_t last_bit = 0x40;

std::uint8_t without_last(std::uint8_t control) noexcept {
  return static_cast<std::uint8_t>(control & ~unsigned{last_bit});
}

// The segment as two, the second of which is changed.
template <typename Change>
void split_and_change(Edit& edit, Change change) {
  auto [first, second] = edit.split(edit.payload().size() / 2);
  edit.ulpdu = std::move(first);
  edit.behind(changed(std::move(second), change));
}

void send_out_of_order(Edit& edit) {
  const std::size_t third = edit.payload().size() / 3;
  auto [first, rest] = edit.split(third);
  wire::DdpHeader middle = edit.passing.header;
  middle.mo += static_cast<std::uint32_t>(third);
  middle.ddp_control = without_last(middle.ddp_control);
  wire::DdpHeader end = edit.passing.header;
  end.mo += static_cast<std::uint32_t>(2 * third);
  const ByteView octets = edit.payload();
  const Bytes second = segment(middle, octets.subspan(third, third));
  const Bytes third_one = segment(end, octets.subspan(2 * third));
  edit.ulpdu = std::move(first);
  edit.behind(third_one);
  edit.behind(second);
}

// A segment of the message before this one comes within it.
void mix(Edit& edit) {
  auto [first, second] = edit.split(edit.payload().size() / 2);
  edit.ulpdu = std::move(first);
  wire::DdpHeader stray = edit.passing.header;
  --stray.msn;
  stray.mo = 4;
  stray.ddp_control |= last_bit;
  const Byte payload[4] = {};
  edit.behind(segment(stray, payload));
  edit.behind(std::move(second));
}

const Breach ddp_rules[] = {
    {.check = CheckId::ddp_dv,
     .subjects = any_message,
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           edit.header.ddp_control = static_cast<std::uint8_t>((edit.header.ddp_control & ~3U) | 2U);
           edit.put();
         },
     .oracle = {Answer::terminates, {0x1206, 0x1104}, "RFC 5041 §7.2"},
     .what = "DV is 2"},
    {.check = CheckId::ddp_rsvd,
     .subjects = any_message,
     .fpdu =
         [](Edit& edit) {
           edit.header.ddp_control |= 0x04U;
           edit.put();
         },
     .oracle = {Answer::carries_on, {}, "RFC 5041 §4.1"},
     .what = "a reserved bit of the DDP control octet is set"},
    {.check = CheckId::ddp_top,
     .subjects = send_message,
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           edit.header.rdmap_control &= 0xf0U;
           edit.put();
         },
     .oracle = {Answer::terminates, {0x0206}, "RFC 5040 §7.2"},
     .what = "an untagged segment has the opcode of an RDMA Write"},
    {.check = CheckId::ddp_qn,
     .subjects = send_message | immediate_message,
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           edit.header.queue = 4;
           edit.put();
         },
     .oracle = {Answer::terminates, {0x1201}, "RFC 5041 §7.1"},
     .what = "QN is 4"},
    {.check = CheckId::ddp_msn1,
     .subjects = untagged_data | read_message,
     .needs = {.first = true, .not_peer_to_peer = true},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           ++edit.header.msn;
           edit.put();
         },
     .oracle = {Answer::terminates, {0x1203, 0x1202}, "RFC 5041 §7.1"},
     .what = "the first MSN is 2"},
    {.check = CheckId::ddp_msngap,
     .subjects = untagged_data | read_message,
     .needs = {.later = true},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           ++edit.header.msn;
           edit.put();
         },
     .oracle = {Answer::terminates, {0x1203, 0x1202}, "RFC 5041 §7.1"},
     .what = "an MSN is left out"},
    {.check = CheckId::ddp_msndup,
     .subjects = untagged_data | read_message,
     .needs = {.later = true},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           --edit.header.msn;
           edit.put();
         },
     .oracle = {Answer::terminates, {0x1203, 0x1202}, "RFC 5041 §7.1"},
     .what = "the MSN of the message before is used again"},
    {.check = CheckId::ddp_mo0,
     .subjects = untagged_data,
     .needs = {.payload = 1},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           edit.header.mo = 4;
           edit.put();
         },
     .oracle = {Answer::terminates, {0x1204, 0x1205}, "RFC 5041 §7.1"},
     .what = "a message begins at MO 4"},
    {.check = CheckId::ddp_moseq,
     .subjects = untagged_data,
     .needs = {.payload = 4},
     .silent = true,
     .fpdu = [](Edit& edit) { split_and_change(edit, [](wire::DdpHeader& header) { header.mo -= 1; }); },
     .oracle = {Answer::terminates, {0x1204}, "RFC 5041 §7.1"},
     .what = "the second segment begins an octet before the end of the first"},
    {.check = CheckId::ddp_moorder,
     .variant = "reordered",
     .subjects = untagged_data,
     .needs = {.payload = 6, .single = true},
     .silent = true,
     .fpdu = send_out_of_order,
     .oracle = {Answer::terminates, {0x1204}, "RFC 5041 §5.3, §7.1"},
     .what = "the last of three segments comes before the second one"},
    {.check = CheckId::ddp_lmiss,
     .subjects = untagged_data,
     .needs = {.payload = 1, .single = true},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           edit.header.ddp_control = without_last(edit.header.ddp_control);
           edit.put();
           edit.behind(segment(rnic::untagged_header(wire::Opcode::send, edit.header.msn + 1, 0, true)));
         },
     .oracle = {Answer::terminates, {0x0207, 0x1202, 0x1203}, "Verbs 1.0 figure 24"},
     .what = "the next message begins before a segment with L came"},
    {.check = CheckId::ddp_ldup,
     .subjects = untagged_data,
     .needs = {.payload = 1, .single = true},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           const Byte payload[1] = {};
           wire::DdpHeader more = edit.header;
           more.mo += static_cast<std::uint32_t>(edit.payload().size());
           edit.behind(segment(more, payload));
         },
     .oracle = {Answer::terminates, {0x1203, 0x1202}, "RFC 5041 §7.1"},
     .what = "the message goes on behind its segment with L"},
    {.check = CheckId::ddp_const,
     .subjects = untagged_data,
     .needs = {.payload = 2},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           split_and_change(edit, [](wire::DdpHeader& header) {
             const unsigned opcode = header.opcode() == wire::Opcode::send_se ? 3 : 5;
             header.rdmap_control = static_cast<std::uint8_t>((header.rdmap_control & 0xf0U) | opcode);
             header.stag = 0;
           });
         },
     .oracle = {Answer::terminates, {0x0206}, "RFC 5040 §7.2"},
     .what = "the second segment has the opcode of another Send"},
    {.check = CheckId::ddp_toseq,
     .subjects = write_message,
     .needs = {.payload = 4, .single = true},
     .fpdu = [](Edit& edit) { split_and_change(edit, [](wire::DdpHeader& header) { header.to -= 1; }); },
     .oracle = {Answer::carries_on, {}, "RFC 5041 §5.2, §7.1"},
     .what = "the second segment of an RDMA Write begins an octet before the end of the first"},
    {.check = CheckId::ddp_towrap,
     .subjects = write_message,
     .needs = {.payload = 2},
     .silent = true,
     .fpdu =
         [](Edit& edit) {
           edit.header.to = ~std::uint64_t{0};
           edit.put();
         },
     .oracle = {Answer::terminates, {0x1103, 0x1101}, "RFC 5041 §7.1"},
     .what = "a segment goes beyond TO 2^64 - 1"},
    {.check = CheckId::ddp_zero,
     .subjects = untagged_data | write_message,
     .needs = {.payload = 1},
     .fpdu =
         [](Edit& edit) {
           wire::DdpHeader empty = edit.header;
           empty.ddp_control = without_last(empty.ddp_control);
           edit.before(segment(empty));
         },
     .oracle = {Answer::carries_on, {}, "RFC 5041 §5.2, §7.1"},
     .what = "the message begins with a segment without octets"},
    {.check = CheckId::ddp_mix,
     .subjects = untagged_data,
     .needs = {.payload = 2, .single = true, .later = true},
     .silent = true,
     .fpdu = mix,
     .oracle = {Answer::terminates, {0x1203, 0x1202}, "RFC 5041 §7.1"},
     .what = "a segment of the message before comes within a message"},
};

}  // namespace

std::span<const Breach> ddp_breaches() noexcept {
  return ddp_rules;
}

}  // namespace iwarp::replay
