// Findings: rules of the standards that captured octets break, and undecidables: rules that the capture
// cannot decide. The table of all checks is findings.def.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <iwarp/ids.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

enum class Severity : std::uint8_t {
  information,
  note,
  warning,
  error
};

// "info", "note", "warning", "error".
[[nodiscard]] const char* severity_name(Severity severity) noexcept;

enum class CheckId : std::uint8_t {
#define IWARP_CHECK(name, id, severity, vendor, premise, title, reference, rule, text) name,
#include <iwarp/findings.def>
#undef IWARP_CHECK
  count
};
inline constexpr unsigned check_count = static_cast<unsigned>(CheckId::count);

// What of a capture must be beyond doubt for a violation to be certain, each with all that stand before it.
enum class Premise : std::uint8_t {
  shown,      // nothing: what breaks the rule is there, or it is about the capture itself
  fpdu,       // the octets of the FPDU
  direction,  // what its sender sent before it
  both,       // what its sender had received: the other direction, as far as it was acknowledged
  order,      // which of the two directions came first
};
inline constexpr std::size_t premise_count = 5;

struct CheckInfo {
  const char* id;  // "DDP-MSNGAP"; rows may share one (severities or parts of one rule)
  Severity strict_severity;
  std::uint8_t vendor;  // known deviation of products: reported so many levels lower unless strict; 0: none
  Premise premise;
  const char* title;      // a violation in a few words: "MSN skipped"
  const char* reference;  // "RFC 5041 §4.3"
  const char* rule;       // what must hold, a sentence
  const char* text;       // template of what is said of a violation
};
[[nodiscard]] const CheckInfo& check_info(CheckId check) noexcept;

// Severity as reported: strict_severity, lower by the levels of a vendor row unless `strict`.
[[nodiscard]] Severity severity_of(CheckId check, bool strict) noexcept;

// Words that a finding's text can carry as an argument ({n:s} in a template).
// The first sixteen are the opcodes by number.
enum class Phrase : std::uint64_t {
  opcode_0 = 0,  // 0…15: wire::opcode_title
  request = 16,
  reply,
  present,
  absent,
  fin,
  rst,
  nothing,
  in_fpdu,
  in_message,
  tagged_segment,
  untagged_segment,
  opcode_field,
  stag_field,
  invalidate_stag_field,
  not_last,
  within_message,
  second_terminate,
  wrong_terminate_header,
  wrong_terminate_length,
  zero_filled,
  header_without_bit,
  bit_without_header,
  iana_code,
  verbs_code,
  vendor_code,
  unregistered_code,
  explained,
  unexplained,
  undecided,
  came_before_reply,
  came_with_it,
  came_before_fin,
  are_for_the_word,
  are_the_most,
  highest_revision,
  request_revision,
  s_needs_revision,
  request_has_s,
  request_lacks_s,
  kinds_need_a,
  request_has_a,
  request_lacks_a,
  kind_needed,
  retransmission,
  zero_window,
  first_copy_used,
  later_copy_used,
  good_copy_used,
  buffered_octets,
  connections,
  memory,
  startups,
  outstanding_requests,
  open_messages,
  stags,
  hosts,
  scanned_octets,
  siw_bit_order,
  msn_field,
  ddp_segment,
  session_initiate,
  session_accept,
  session_reject,
  session_terminate,
  session_control,
  session,
  init_chunk,
  init_ack_chunk,
  before_initiate,
  before_accept,
  before_answer,
  of_its_initiator,
  not_requested,
  comes_again,
  unlike_its_initiate,
  behind_terminate,
  behind_reject,
  session_open,
  unassigned_function,
  too_short,
  without_terminate,
  most_private_data,
  no_private_data,
  word_of_private_data,
  count
};
[[nodiscard]] const char* phrase_text(Phrase phrase) noexcept;

inline constexpr std::size_t max_finding_arguments = 4;
inline constexpr std::size_t max_evidence = 4;

struct Finding {
  CheckId check = CheckId::mpa_key;
  Severity severity = Severity::error;
  std::uint8_t evidence_count = 0;
  std::array<std::uint64_t, max_finding_arguments> arguments{};
  // Frames that show it, the one with the octets that are wrong first. The event's frame, which decided it,
  // is a later one where these octets had to wait, or where only what came behind them shows that they are
  // wrong.
  std::array<FrameNumber, max_evidence> evidence{};
  TimeNs time_ns = 0;      // when the first of these was captured
  std::uint32_t fpdu = 0;  // FpduFact::number of the FPDU that breaks the rule; 0: it is no FPDU that does
};

// The template of the finding's check with its arguments filled in. Allocates the string only.
[[nodiscard]] std::string describe(const Finding& finding);

// Why a rule could not be decided.
enum class Reason : std::uint8_t {
  gap,             // octets that were never captured
  midstream,       // the capture began after the connection did
  snaplen,         // octets cut off by the snapshot length
  one_direction,   // the other direction was not captured
  mode_unknown,    // use of CRC, of markers or of siw's long FPDUs is not known, no start-up frame told
  not_negotiated,  // the limit was never told
  mss_unknown,     // no SYN with an MSS option was captured
  bad_crc,         // an FPDU of the message had a bad CRC
  unreadable,      // octets that were captured, and of which nothing can be read: framing was lost
  capture_end,     // the capture ends first
  limit,           // what would decide it is no longer kept
  skew,  // the capture shows the two directions out of step: what answers may stand before what asks
  broken_request,  // the request breaks a rule itself: how its receiver takes it is open
  ulp_unknown,     // what the ULP's octets say would tell, and no reader of this ULP is there
  count
};
// "gap", "midstream" …
[[nodiscard]] const char* reason_name(Reason reason) noexcept;

struct Undecidable {
  CheckId check = CheckId::mpa_key;
  Reason reason = Reason::gap;
};

}  // namespace iwarp
#pragma GCC visibility pop
