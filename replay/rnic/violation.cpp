// Faults, codes and events side by side, and the Terminate's header control.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/violation.hpp"

namespace iwarp::rnic {
namespace {

constexpr unsigned layer_llp = 2;
constexpr unsigned rdmap_remote_protection = 1;

}  // namespace

Violation tagged_violation(MemoryFault fault) noexcept {
  switch (fault) {
    case MemoryFault::association: return {code::tagged_association, AsyncEventKind::tagged_pd};
    case MemoryFault::rights: return {code::tagged_invalid_stag, AsyncEventKind::tagged_access};
    case MemoryFault::wrap: return {code::tagged_wrap, AsyncEventKind::tagged_wrap};
    case MemoryFault::bounds: return {code::tagged_bounds, AsyncEventKind::tagged_bounds};
    default: return {code::tagged_invalid_stag, AsyncEventKind::tagged_stag};
  }
}

Violation source_violation(MemoryFault fault) noexcept {
  switch (fault) {
    case MemoryFault::association: return {code::remote_association, AsyncEventKind::irrq_pd};
    case MemoryFault::rights: return {code::remote_access, AsyncEventKind::irrq_access};
    case MemoryFault::wrap: return {code::remote_wrap, AsyncEventKind::irrq_wrap};
    case MemoryFault::bounds: return {code::remote_bounds, AsyncEventKind::irrq_bounds};
    default: return {code::remote_invalid_stag, AsyncEventKind::irrq_stag};
  }
}

// Verbs 1.0 figure 23 and §7.8: a deallocated STag is an operation error.
Violation invalidate_violation(InvalidateFault fault) noexcept {
  constexpr CompletionStatus rights = CompletionStatus::invalidate_rights;
  switch (fault) {
    case InvalidateFault::deallocated:
      return {code::invalidate_operation, AsyncEventKind::none, CompletionStatus::invalid_stag};
    case InvalidateFault::association: return {code::remote_association, AsyncEventKind::none, rights};
    case InvalidateFault::rights: return {code::remote_access, AsyncEventKind::none, rights};
    case InvalidateFault::windows_bound: return {code::cannot_invalidate, AsyncEventKind::none, rights};
    default: return {code::remote_invalid_stag, AsyncEventKind::none, CompletionStatus::invalid_stag};
  }
}

wire::Terminate compose_terminate(std::uint16_t code, const std::optional<Offender>& offender) noexcept {
  wire::Terminate terminate;
  terminate.meant.layer = static_cast<std::uint8_t>(code >> 12);
  terminate.meant.etype = static_cast<std::uint8_t>(code >> 8 & 0x0fU);
  terminate.meant.code = static_cast<std::uint8_t>(code);
  const bool local = terminate.meant.layer == 0 && terminate.meant.etype == 0;
  if (!offender || local || terminate.meant.layer == layer_llp) return terminate;
  terminate.length_valid = true;
  terminate.ddp_segment_length = offender->segment_length;
  if (!offender->header) return terminate;
  terminate.has_ddp_header = true;
  terminate.ddp_header = offender->header;
  const bool protection = terminate.meant.layer == 0 && terminate.meant.etype == rdmap_remote_protection;
  if (protection && offender->read_request) {
    terminate.has_rdma_header = true;
    terminate.read_request = offender->read_request;
  }
  return terminate;
}

}  // namespace iwarp::rnic
