// DDP segment headers and the names of RDMAP opcodes.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/wire/ddp.hpp>

#include <array>

namespace iwarp::wire {
namespace {

struct OpcodeNames {
  const char* name;
  const char* title;
};

// Indexed by opcode; RFC 5040 §4.3 and RFC 7306 §4.
constexpr std::array<OpcodeNames, 12> opcode_names = {{
    {"rdma_write", "RDMA Write"},
    {"read_request", "RDMA Read Request"},
    {"read_response", "RDMA Read Response"},
    {"send", "Send"},
    {"send_inv", "Send with Invalidate"},
    {"send_se", "Send with Solicited Event"},
    {"send_se_inv", "Send with Solicited Event and Invalidate"},
    {"terminate", "Terminate"},
    {"immediate", "Immediate Data"},
    {"immediate_se", "Immediate Data with Solicited Event"},
    {"atomic_request", "Atomic Request"},
    {"atomic_response", "Atomic Response"},
}};

constexpr std::size_t control_size = 2;  // DDP control and RDMAP control

}  // namespace

const char* opcode_name(Opcode opcode) noexcept {
  return is_known(opcode) ? opcode_names[static_cast<std::size_t>(opcode)].name : "unknown";
}

const char* opcode_title(Opcode opcode) noexcept {
  return is_known(opcode) ? opcode_names[static_cast<std::size_t>(opcode)].title : "unknown opcode";
}

Result<DdpHeader> parse_ddp(ByteView ulpdu) {
  const bool tagged = !ulpdu.empty() && (ulpdu[0] & 0x80U) != 0;
  if (ulpdu.size() < (tagged ? tagged_header_size : untagged_header_size)) {
    return ParseError{"DDP header is cut short", ulpdu.size()};
  }
  return read_ddp(ulpdu.data());
}

void encode(const DdpHeader& header, Bytes& out) {
  const std::size_t start = out.size();
  out.resize(start + header.size());
  Byte* at = out.data() + start;
  at[0] = header.ddp_control;
  at[1] = header.rdmap_control;
  Byte* fields = at + control_size;
  store_be32(fields, header.stag);
  if (header.tagged()) {
    store_be64(fields + 4, header.to);
  } else {
    store_be32(fields + 4, header.queue);
    store_be32(fields + 8, header.msn);
    store_be32(fields + 12, header.mo);
  }
}

}  // namespace iwarp::wire
