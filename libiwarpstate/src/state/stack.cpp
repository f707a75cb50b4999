// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/stack.hpp>

#include "state/mpa_state.hpp"

namespace iwarp {
namespace {

constexpr std::uint8_t erdma_revision = 129;

// What its driver says of an error, where others say something else.
std::optional<StackGuess> stack_of(const TerminateSeen& seen) noexcept {
  if (!seen.code_captured) return std::nullopt;
  if (seen.bit_order == wire::BitOrder::siw)
    return StackGuess{Stack::siw, Confidence::high, "the bit order of its Terminate"};
  switch (seen.meant.value()) {
    case 0x2306:
    case 0x2307: return StackGuess{Stack::cxgb4, Confidence::medium, "start-up errors as Terminate 0x23…"};
    case 0x0102:
      if (seen.quoted_frame == 0 || seen.quoted_opcode != wire::Opcode::rdma_write) return std::nullopt;
      return StackGuess{Stack::irdma, Confidence::medium, "Terminate 0x0102 for an RDMA Write"};
    default: return std::nullopt;
  }
}

}  // namespace

const char* stack_name(Stack stack) noexcept {
  switch (stack) {
    case Stack::siw: return "siw";
    case Stack::cxgb4: return "cxgb4";
    case Stack::irdma: return "irdma";
    case Stack::erdma: return "erdma";
  }
  return "?";
}

std::optional<StackGuess> stack_of(const ConnectionState& connection, Role role) noexcept {
  if (const auto& frame = connection.mpa.frames[static_cast<std::size_t>(role)]) {
    if (has_siw_flag(*frame))
      return StackGuess{Stack::siw, Confidence::high, "flag 0x08 in its start-up frame"};
    if (frame->revision == erdma_revision)
      return StackGuess{Stack::erdma, Confidence::high, "revision 129 in its start-up frame"};
  }
  const SideState& side = connection.side(connection.side_of(role));
  std::optional<StackGuess> best;
  for (const TerminateSeen& each : side.terminates) {
    const auto guess = stack_of(each);
    if (guess && (!best || guess->confidence > best->confidence)) best = guess;
  }
  return best;
}

}  // namespace iwarp
