// The table of checks made from findings.def, the words of findings, and describe().
//
// Template language of a check's text:
//   {n}        argument n in decimal
//   {n:x}      "0x" and 8 hex digits, {n:X} 16, {n:h} 4, {n:o} 2: one octet
//   {n:s}      the Phrase of that number
//   {n:d}      IRD or ORD: decimal, "0x3FFF" for "not negotiated"
//   {n:k}      ready-to-receive kinds, one a bit: "Send, Read"
//   {n:b}      header control bits of a Terminate: "M, D"
//   {n:c}      code of a Terminate: "0x0101 (remote protection: base or bounds violation)"
//   {n:f}      value of the field that argument 0 names: an opcode by its name, an STag as {n:x}
//   {n:p}      octets in their order, as many as argument n + 1 says: "00 40"
//   {n:t}      nanoseconds as a time: "12.3 µs"
//   {n:octet}  a count with its noun: "1 octet", "2 octets"; any noun of two letters or more
// Anything else in braces is copied as it stands.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/finding.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>

#include <iwarp/wire/ddp.hpp>
#include <iwarp/wire/mpa.hpp>
#include <iwarp/wire/rdmap.hpp>

#include "base/quantities.hpp"

namespace iwarp {

namespace {

constexpr CheckInfo checks[] = {
#define IWARP_CHECK(name, id, severity, vendor, premise, title, reference, rule, text) \
  {id, Severity::severity, vendor, Premise::premise, title, reference, rule, text},
#include <iwarp/findings.def>
#undef IWARP_CHECK
};
static_assert(std::size(checks) == check_count);

constexpr const char* severity_names[] = {"info", "note", "warning", "error"};

constexpr const char* reason_names[] = {
    "gap",     "midstream",  "snaplen",     "one_direction", "mode_unknown", "not_negotiated", "mss_unknown",
    "bad_crc", "unreadable", "capture_end", "limit",         "skew",         "broken_request", "ulp_unknown"};
static_assert(std::size(reason_names) == static_cast<std::size_t>(Reason::count));

void append_decimal(std::string& text, std::uint64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
}

void append_hex(std::string& text, std::uint64_t value, unsigned digits) {
  text += "0x";
  // A value wider than its field shows in full rather than cut.
  while (digits < 16 && value >> (4 * digits) != 0) digits += 4;
  for (unsigned shift = 4 * digits; shift > 0;) {
    shift -= 4;
    text += "0123456789abcdef"[value >> shift & 0xfU];
  }
}

// The names of the bits that are set, the highest of them first: names[0] is that of bit 2.
void append_bits(std::string& text, std::uint64_t bits, const std::array<const char*, 3>& names) {
  bool any = false;
  for (unsigned at = 0; at < names.size(); ++at) {
    if ((bits >> (2 - at) & 1U) == 0) continue;
    if (any) text += ", ";
    text += names[at];
    any = true;
  }
  if (!any) text += "none";
}

// "{n}" or "{n:conversion}" at the start of `text`.
struct Placeholder {
  std::size_t argument;
  std::string_view conversion;
  std::size_t length;
};

std::optional<Placeholder> parse_placeholder(std::string_view text) {
  if (text.size() < 3 || text[0] != '{' || text[1] < '0') return std::nullopt;
  const auto argument = static_cast<std::size_t>(text[1] - '0');
  if (argument >= max_finding_arguments) return std::nullopt;
  if (text[2] == '}') return Placeholder{argument, "", 3};
  const std::size_t end = text.find('}');
  if (text[2] != ':' || end == std::string_view::npos || end == 3) return std::nullopt;
  const std::string_view conversion = text.substr(3, end - 3);
  const std::string_view known = conversion.size() == 1 ? "xXhosdkbfptc" : "abcdefghijklmnopqrstuvwxyz";
  if (conversion.find_first_not_of(known) != std::string_view::npos) return std::nullopt;
  return Placeholder{argument, conversion, end + 1};
}

// `count` octets as hex digits, the most significant one first.
void append_octets(std::string& text, std::uint64_t octets, std::uint64_t count) {
  for (std::uint64_t at = std::min<std::uint64_t>(count, 8); at-- > 0;) {
    const std::uint64_t octet = octets >> (8 * at) & 0xffU;
    text += "0123456789abcdef"[octet >> 4U];
    text += "0123456789abcdef"[octet & 0xfU];
    if (at > 0) text += ' ';
  }
}

using Arguments = std::array<std::uint64_t, max_finding_arguments>;

void append_argument(std::string& text, const Arguments& arguments, const Placeholder& placeholder) {
  const std::string_view conversion = placeholder.conversion;
  const std::uint64_t value = arguments[placeholder.argument];
  if (conversion.size() > 1) {
    append_decimal(text, value);
    text.append(" ").append(conversion).append(value == 1 ? "" : "s");
    return;
  }
  switch (conversion.empty() ? '\0' : conversion.front()) {
    case 'x': append_hex(text, value, 8); break;
    case 'X': append_hex(text, value, 16); break;
    case 'h': append_hex(text, value, 4); break;
    case 'o': append_hex(text, value, 2); break;
    case 's': text += phrase_text(static_cast<Phrase>(value)); break;
    case 'k': append_bits(text, value, {"Send", "Write", "Read"}); break;
    case 'b': append_bits(text, value, {"M", "D", "R"}); break;
    case 't': text += duration_text(value); break;
    case 'c':
      append_hex(text, value, 4);
      text.append(" (").append(wire::describe_terminate(static_cast<std::uint16_t>(value)).name) += ')';
      break;
    case 'f':
      if (static_cast<Phrase>(arguments[0]) == Phrase::opcode_field) {
        text += phrase_text(static_cast<Phrase>(value));
      } else if (static_cast<Phrase>(arguments[0]) == Phrase::msn_field) {
        append_decimal(text, value);
      } else {
        append_hex(text, value, 8);
      }
      break;
    case 'p': append_octets(text, value, arguments[(placeholder.argument + 1) % arguments.size()]); break;
    case 'd':
      if (value == wire::depth_not_negotiated) {
        text += "0x3FFF";
        break;
      }
      [[fallthrough]];
    default: append_decimal(text, value); break;
  }
}

}  // namespace

const char* severity_name(Severity severity) noexcept {
  return severity_names[static_cast<unsigned>(severity) & 3U];
}

const CheckInfo& check_info(CheckId check) noexcept {
  const auto row = static_cast<std::size_t>(check);
  return checks[row < check_count ? row : 0];
}

Severity severity_of(CheckId check, bool strict) noexcept {
  const CheckInfo& info = check_info(check);
  if (strict) return info.strict_severity;
  const auto full = static_cast<unsigned>(info.strict_severity);
  return static_cast<Severity>(full - std::min<unsigned>(full, info.vendor));
}

const char* phrase_text(Phrase phrase) noexcept {
  switch (phrase) {
    case Phrase::request: return "Request";
    case Phrase::reply: return "Reply";
    case Phrase::present: return "present";
    case Phrase::absent: return "absent";
    case Phrase::fin: return "FIN";
    case Phrase::rst: return "RST";
    case Phrase::nothing: return "neither FIN nor RST";
    case Phrase::in_fpdu: return "an FPDU";
    case Phrase::in_message: return "a message";
    case Phrase::tagged_segment: return "a tagged";
    case Phrase::untagged_segment: return "an untagged";
    case Phrase::opcode_field: return "the opcode";
    case Phrase::stag_field: return "the STag";
    case Phrase::invalidate_stag_field: return "the Invalidate STag";
    case Phrase::msn_field: return "the MSN";
    case Phrase::not_last: return "without L";
    case Phrase::within_message: return "within a message";
    case Phrase::second_terminate: return "second Terminate of this direction";
    case Phrase::wrong_terminate_header: return "Terminate with a wrong QN, MSN, MO or L";
    case Phrase::wrong_terminate_length: return "Terminate of an impossible length";
    case Phrase::zero_filled: return "headers that no bit announces are filled with zeros";
    case Phrase::header_without_bit: return "it carries a header that no bit announces";
    case Phrase::bit_without_header: return "it lacks a header that a bit announces";
    case Phrase::iana_code: return "a registered code";
    case Phrase::verbs_code: return "a code of Verbs 1.0 that is not registered";
    case Phrase::vendor_code: return "a vendor's code that is not registered";
    case Phrase::unregistered_code: return "a code that is not registered";
    case Phrase::explained: return "explained";
    case Phrase::unexplained: return "not explained";
    case Phrase::undecided: return "neither explained nor refuted";
    case Phrase::came_before_reply: return "came before the Reply";
    case Phrase::came_before_fin: return "came before the FIN";
    case Phrase::came_with_it: return "came with it";
    case Phrase::are_for_the_word: return "are needed for the IRD/ORD word that S announces";
    case Phrase::are_the_most: return "are the most there may be";
    case Phrase::highest_revision: return "the highest revision defined is";
    case Phrase::request_revision: return "the Request it answers has revision";
    case Phrase::s_needs_revision: return "S needs revision 2 or later";
    case Phrase::request_has_s: return "the Request has S=1";
    case Phrase::request_lacks_s: return "the Request has S=0";
    case Phrase::kinds_need_a: return "kinds are named with A=1 only";
    case Phrase::request_has_a: return "the Request has A=1";
    case Phrase::request_lacks_a: return "the Request has A=0";
    case Phrase::kind_needed: return "with A=1 an accepting Reply names at least one";
    case Phrase::retransmission: return "retransmissions";
    case Phrase::zero_window: return "a zero window";
    case Phrase::first_copy_used: return "the first copy is used";
    case Phrase::later_copy_used: return "the later copy is used";
    case Phrase::good_copy_used: return "the copy with a good CRC is used";
    case Phrase::buffered_octets: return "buffered octets";
    case Phrase::connections: return "connections followed at once";
    case Phrase::memory: return "memory";
    case Phrase::startups: return "start-ups of one connection";
    case Phrase::outstanding_requests: return "outstanding requests";
    case Phrase::open_messages: return "open messages";
    case Phrase::stags: return "STags";
    case Phrase::hosts: return "hosts with STags";
    case Phrase::scanned_octets: return "octets searched for framing";
    case Phrase::siw_bit_order: return "siw's bit order";
    case Phrase::ddp_segment: return "a DDP segment";
    case Phrase::session_initiate: return "an Initiate";
    case Phrase::session_accept: return "an Accept";
    case Phrase::session_reject: return "a Reject";
    case Phrase::session_terminate: return "a session Terminate";
    case Phrase::session_control: return "a session control message";
    case Phrase::session: return "a session";
    case Phrase::init_chunk: return "INIT";
    case Phrase::init_ack_chunk: return "INIT ACK";
    case Phrase::before_initiate: return "comes before its session was initiated";
    case Phrase::before_accept: return "comes before the session was accepted";
    case Phrase::before_answer: return "comes before the Initiate was answered";
    case Phrase::of_its_initiator: return "is sent by the side that initiated the session";
    case Phrase::not_requested: return "is sent by the side that was to answer";
    case Phrase::comes_again: return "comes again within its session";
    case Phrase::unlike_its_initiate: return "does not answer the kind of Initiate that was sent";
    case Phrase::behind_terminate: return "comes behind its sender's session Terminate";
    case Phrase::behind_reject: return "comes behind the rejection of its session";
    case Phrase::session_open: return "comes although the session before it is not terminated";
    case Phrase::unassigned_function: return "has a function code that is not assigned";
    case Phrase::too_short: return "is too short for its header";
    case Phrase::without_terminate: return "ends with its association, and no side sent a session Terminate";
    case Phrase::most_private_data: return "512 are the most";
    case Phrase::no_private_data: return "a session Terminate has none";
    case Phrase::word_of_private_data: return "the IRD/ORD word takes 4";
    case Phrase::count: break;
    default:
      if (static_cast<std::uint64_t>(phrase) < wire::opcode_count)
        return wire::opcode_title(static_cast<wire::Opcode>(phrase));
  }
  return "?";
}

const char* reason_name(Reason reason) noexcept {
  const auto row = static_cast<std::size_t>(reason);
  return row < std::size(reason_names) ? reason_names[row] : "?";
}

std::string describe(const Finding& finding) {
  std::string_view rest = check_info(finding.check).text;
  std::string text;
  text.reserve(rest.size() + 32);
  while (!rest.empty()) {
    if (const auto placeholder = parse_placeholder(rest)) {
      append_argument(text, finding.arguments, *placeholder);
      rest.remove_prefix(placeholder->length);
    } else {
      text += rest.front();
      rest.remove_prefix(1);
    }
  }
  return text;
}

}  // namespace iwarp
