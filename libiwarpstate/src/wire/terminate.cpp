// Terminate messages: the code registry, and a parse that trusts the number of octets rather than M, D, R.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>

#include <iwarp/wire/rdmap.hpp>

namespace iwarp::wire {
namespace {

// --- codes ---------------------------------------------------------------------------------------------

struct RegisteredCode {
  std::uint16_t value;
  TerminateOrigin origin;
  const char* name;
};

constexpr TerminateOrigin iana = TerminateOrigin::iana;
constexpr TerminateOrigin verbs = TerminateOrigin::verbs;
constexpr TerminateOrigin vendor = TerminateOrigin::vendor;

// RFC 6580 §3.1 to §3.3 and RFC 6581 §12; Verbs 1.0 figure 24 where its value is not IANA's; error type 3 of
// layer 2 as cxgb4 and irdma send MPA errors. A value that IANA gave another meaning than Verbs 1.0 (1102,
// 1202, 1203, 0207) has IANA's. Sorted by value.
constexpr std::array registry = {
    RegisteredCode{0x0100, iana, "remote protection: invalid STag"},
    RegisteredCode{0x0101, iana, "remote protection: base or bounds violation"},
    RegisteredCode{0x0102, iana, "remote protection: access rights violation"},
    RegisteredCode{0x0103, iana, "remote protection: STag not associated with RDMAP stream"},
    RegisteredCode{0x0104, iana, "remote protection: TO wrap"},
    RegisteredCode{0x0109, iana, "remote protection: STag cannot be invalidated"},
    RegisteredCode{0x01ff, iana, "remote protection: unspecified error"},
    RegisteredCode{0x0202, verbs, "MPA: CRC error"},
    RegisteredCode{0x0203, verbs, "MPA: marker and ULPDU_Length mismatch"},
    RegisteredCode{0x0205, iana, "remote operation: invalid RDMAP version"},
    RegisteredCode{0x0206, iana, "remote operation: unexpected opcode"},
    RegisteredCode{0x0207, iana, "remote operation: catastrophic error, localized to RDMAP stream"},
    RegisteredCode{0x0208, iana, "remote operation: catastrophic error, global"},
    RegisteredCode{0x0209, iana, "remote operation: STag cannot be invalidated"},
    RegisteredCode{0x02ff, iana, "remote operation: unspecified error"},
    RegisteredCode{0x1000, iana, "DDP: local catastrophic error"},
    RegisteredCode{0x1100, iana, "tagged: invalid STag"},
    RegisteredCode{0x1101, iana, "tagged: base or bounds violation"},
    RegisteredCode{0x1102, iana, "tagged: STag not associated with DDP stream"},
    RegisteredCode{0x1103, iana, "tagged: TO wrap"},
    RegisteredCode{0x1104, iana, "tagged: invalid DDP version"},
    RegisteredCode{0x1201, iana, "untagged: invalid QN"},
    RegisteredCode{0x1202, iana, "untagged: invalid MSN, no buffer available"},
    RegisteredCode{0x1203, iana, "untagged: invalid MSN, range is not valid"},
    RegisteredCode{0x1204, iana, "untagged: invalid MO"},
    RegisteredCode{0x1205, iana, "untagged: message too long for available buffer"},
    RegisteredCode{0x1206, iana, "untagged: invalid DDP version"},
    RegisteredCode{0x2001, iana, "MPA: TCP connection closed, terminated or lost"},
    RegisteredCode{0x2002, iana, "MPA: CRC error"},
    RegisteredCode{0x2003, iana, "MPA: marker and ULPDU_Length mismatch"},
    RegisteredCode{0x2004, iana, "MPA: invalid Request or Reply frame"},
    RegisteredCode{0x2005, iana, "MPA: local catastrophic error"},
    RegisteredCode{0x2006, iana, "MPA: insufficient IRD resources"},
    RegisteredCode{0x2007, iana, "MPA: no matching RTR option"},
    RegisteredCode{0x2301, vendor, "MPA: TCP connection closed, terminated or lost"},
    RegisteredCode{0x2302, vendor, "MPA: CRC error"},
    RegisteredCode{0x2303, vendor, "MPA: marker and ULPDU_Length mismatch"},
    RegisteredCode{0x2304, vendor, "MPA: invalid Request or Reply frame"},
    RegisteredCode{0x2305, vendor, "MPA: local catastrophic error"},
    RegisteredCode{0x2306, vendor, "MPA: insufficient IRD resources"},
    RegisteredCode{0x2307, vendor, "MPA: no matching RTR option"},
};
static_assert(std::ranges::is_sorted(registry, {}, &RegisteredCode::value));

// --- control word --------------------------------------------------------------------------------------

constexpr std::size_t terminate_control_size = 4;
constexpr std::size_t length_size = 2;

// Third octet: M, D, R where RFC 5040 figure 8 has them, and where siw's bit-fields put them.
constexpr Byte rfc_m = 0x80;
constexpr Byte rfc_d = 0x40;
constexpr Byte rfc_r = 0x20;
constexpr Byte siw_m = 0x01;
constexpr Byte siw_d = 0x02;
constexpr Byte siw_r = 0x04;

constexpr TerminateCode read_code(const Byte* control, BitOrder order) noexcept {
  const auto high = static_cast<std::uint8_t>(control[0] >> 4);
  const auto low = static_cast<std::uint8_t>(control[0] & 0x0f);
  return order == BitOrder::rfc ? TerminateCode{high, low, control[1]} : TerminateCode{low, high, control[1]};
}

// How well known a code is: IANA's registry before those of Verbs 1.0 and of vendors, which siw does not use.
int standing(const TerminateCode& code) noexcept {
  switch (describe_terminate(code.value()).origin) {
    case TerminateOrigin::iana: return 2;
    case TerminateOrigin::verbs:
    case TerminateOrigin::vendor: return 1;
    case TerminateOrigin::unregistered: break;
  }
  return 0;
}

BitOrder guess_order(const Byte* control) noexcept {
  const bool rfc_bits = (control[2] & (rfc_m | rfc_d | rfc_r)) != 0;
  const bool siw_bits = (control[2] & (siw_m | siw_d | siw_r)) != 0;
  if (rfc_bits != siw_bits) return rfc_bits ? BitOrder::rfc : BitOrder::siw;
  const int rfc = standing(read_code(control, BitOrder::rfc));
  return standing(read_code(control, BitOrder::siw)) > rfc ? BitOrder::siw : BitOrder::rfc;
}

// --- optional fields -----------------------------------------------------------------------------------

// A sender may keep the full layout and set fields it has nothing for to zero (RFC 5040 §7.1, RFC 7306
// §8.1). Such fields say nothing: all zero from here on, and no control bit vouches for any of them.
bool is_fill(ByteView fields, bool vouched) noexcept {
  return !vouched && std::ranges::all_of(fields, [](Byte octet) { return octet == 0; });
}

// Octets of the terminated DDP header at the start of `rest`; 0 when it does not fit.
std::size_t header_room(ByteView rest, bool vouched) noexcept {
  if (const Result<DdpHeader> header = parse_ddp(rest)) return header->size();
  // Fill has no T bit to go by.
  const bool fill = rest.size() >= tagged_header_size && is_fill(rest.first(tagged_header_size), vouched);
  return fill ? tagged_header_size : 0;
}

// `absent`: octets that were sent behind `rest`. REQUIRES: control bits of `terminate` are set.
void read_fields(ByteView rest, std::size_t absent, Terminate& terminate) {
  const bool m = terminate.length_valid;
  const bool d = terminate.has_ddp_header;
  const bool r = terminate.has_rdma_header;

  // Where the fields end, by the number of octets. Only a Read Request's header is ever sent back, and that
  // message is untagged: behind a tagged header it takes the R bit to believe in one.
  const std::size_t length_end = rest.size() < length_size ? 0 : length_size;
  const std::size_t header_size = length_end == 0 ? 0 : header_room(rest.subspan(length_end), d || r);
  const std::size_t header_end = length_end + header_size;
  const bool request_fits = rest.size() + absent - header_end >= read_request_size;
  const bool request_there = request_fits && (header_size == untagged_header_size || (header_size != 0 && r));
  const std::size_t request_end =
      std::min<std::size_t>(rest.size(), header_end + (request_there ? read_request_size : 0));
  terminate.leftover = static_cast<std::uint32_t>(rest.size() - request_end);
  rest = rest.first(request_end);

  if (length_end == 0 || is_fill(rest, m || d || r)) return;
  terminate.ddp_segment_length = load_be16(rest.data());
  if (header_size == 0 || is_fill(rest.subspan(length_end), d || r)) return;
  terminate.ddp_header = *parse_ddp(rest.subspan(length_end));
  if (!request_there) return;
  const ByteView request = rest.subspan(header_end);
  const bool fill = is_fill(request, r);
  if (request.size() < read_request_size) {
    terminate.cut_request = parse_cut_read_request(fill ? ByteView() : request);
  } else if (!fill) {
    terminate.read_request = *parse_read_request(request);
  }
}

}  // namespace

TerminateCodeInfo describe_terminate(std::uint16_t value) noexcept {
  // Whole error types that have no codes (RFC 6580: "ALL").
  if (value <= 0x00ff) return {"RDMAP: local catastrophic error", iana};
  if (value >> 8 == 0x13) return {"DDP: reserved for the LLP", iana};
  const auto found = std::ranges::lower_bound(registry, value, {}, &RegisteredCode::value);
  if (found == registry.end() || found->value != value) return {};
  return {found->name, found->origin};
}

Result<Terminate> parse_terminate(ByteView octets, std::optional<BitOrder> order, std::size_t sent) {
  if (octets.size() < terminate_control_size)
    return ParseError{"Terminate header is cut short", octets.size()};
  const Byte* control = octets.data();
  Terminate terminate;
  terminate.raw = load_be32(control);
  terminate.bit_order = order ? *order : guess_order(control);
  terminate.meant = read_code(control, terminate.bit_order);
  const bool rfc = terminate.bit_order == BitOrder::rfc;
  terminate.length_valid = (control[2] & (rfc ? rfc_m : siw_m)) != 0;
  terminate.has_ddp_header = (control[2] & (rfc ? rfc_d : siw_d)) != 0;
  terminate.has_rdma_header = (control[2] & (rfc ? rfc_r : siw_r)) != 0;
  read_fields(octets.subspan(terminate_control_size), std::max(sent, octets.size()) - octets.size(),
              terminate);
  return terminate;
}

void encode(const Terminate& terminate, Bytes& out) {
  const std::uint16_t code = terminate.meant.value();
  out.push_back(static_cast<Byte>(code >> 8));
  out.push_back(static_cast<Byte>(code));
  out.push_back(static_cast<Byte>((terminate.length_valid ? rfc_m : 0) |
                                  (terminate.has_ddp_header ? rfc_d : 0) |
                                  (terminate.has_rdma_header ? rfc_r : 0)));
  out.push_back(0);
  // A field has its place only behind the ones before it: those are zero when they are not set.
  const bool with_header = terminate.ddp_header || terminate.read_request;
  if (terminate.ddp_segment_length || with_header) {
    const std::uint16_t length = terminate.ddp_segment_length.value_or(0);
    out.push_back(static_cast<Byte>(length >> 8));
    out.push_back(static_cast<Byte>(length));
  }
  if (with_header) encode(terminate.ddp_header.value_or(DdpHeader{}), out);
  if (terminate.read_request) encode(*terminate.read_request, out);
}

}  // namespace iwarp::wire
