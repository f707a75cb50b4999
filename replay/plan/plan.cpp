// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/plan.hpp"

#include <algorithm>
#include <string_view>

namespace iwarp::replay {

const char* work_kind_name(WorkKind kind) noexcept {
  switch (kind) {
    case WorkKind::send: return "send";
    case WorkKind::send_inv: return "send_inv";
    case WorkKind::send_se: return "send_se";
    case WorkKind::send_se_inv: return "send_se_inv";
    case WorkKind::write: return "write";
    case WorkKind::read: return "read";
    case WorkKind::atomic: return "atomic";
    case WorkKind::immediate: return "immediate";
    case WorkKind::immediate_se: return "immediate_se";
    case WorkKind::terminate: return "terminate";
    case WorkKind::fin: return "fin";
    case WorkKind::rst: return "rst";
  }
  return "unknown";
}

std::optional<WorkKind> work_kind_of(wire::Opcode opcode) noexcept {
  using wire::Opcode;
  switch (opcode) {
    case Opcode::rdma_write: return WorkKind::write;
    case Opcode::read_request: return WorkKind::read;
    case Opcode::send: return WorkKind::send;
    case Opcode::send_inv: return WorkKind::send_inv;
    case Opcode::send_se: return WorkKind::send_se;
    case Opcode::send_se_inv: return WorkKind::send_se_inv;
    case Opcode::terminate: return WorkKind::terminate;
    case Opcode::immediate: return WorkKind::immediate;
    case Opcode::immediate_se: return WorkKind::immediate_se;
    case Opcode::atomic_request: return WorkKind::atomic;
    default: return std::nullopt;
  }
}

std::optional<std::size_t> queue_of(WorkKind kind) noexcept {
  switch (kind) {
    case WorkKind::write:
    case WorkKind::fin:
    case WorkKind::rst: return std::nullopt;
    case WorkKind::read:
    case WorkKind::atomic: return wire::queue_read_request;
    case WorkKind::terminate: return wire::queue_terminate;
    default: return wire::queue_send;
  }
}

const char* lack_name(Lack lack) noexcept {
  switch (lack) {
    case Lack::octets: return "octets";
    case Lack::messages: return "messages";
    case Lack::read_source: return "read_source";
    case Lack::request: return "request";
    case Lack::rest: return "rest";
    case Lack::startup: return "startup";
    case Lack::private_data: return "private_data";
    case Lack::direction: return "direction";
    case Lack::memory: return "memory";
  }
  return "unknown";
}

namespace {

// Wrong framing is the lower layer's: it may have hurt what the capture shows, not what was sent. Unless the
// peer ended the stream because of it, the messages can be sent as they should have been.
bool only_framing(const PlannedStream& stream, const PlannedViolation& violation) noexcept {
  constexpr std::string_view framing[] = {"MPA-PAD",      "MPA-LEN",   "MPA-MULPDU", "MPA-ALIGN", "MPA-CRC",
                                          "MPA-CRCORDER", "MPA-MKUSE", "MPA-MKPTR",  "MPA-MKRSV", "MPA-SYNC"};
  if (std::ranges::find(framing, violation.check) == std::end(framing)) return false;
  return std::ranges::none_of(stream.work, [&](const PlannedWork& work) {
    const bool of_llp = work.terminate_code >> 12U == 2;  // RFC 5040 §4.8
    return work.kind == WorkKind::terminate && work.role != violation.role && of_llp;
  });
}

// No rule is broken by an experimental opcode, but a peer that does not know it may have ended the stream.
bool ended_for_opcode(const PlannedStream& stream, const PlannedViolation& violation) noexcept {
  return violation.check == "RDMAP-OP" && std::ranges::any_of(stream.work, [&](const PlannedWork& work) {
           return work.kind == WorkKind::terminate && work.role != violation.role && !work.quoted;
         });
}

bool is_fault(const PlannedStream& stream, const PlannedViolation& violation) noexcept {
  return (violation.severity == Severity::error && !only_framing(stream, violation)) ||
         ended_for_opcode(stream, violation);
}

}  // namespace

const PlannedViolation* refusal(const PlannedStream& stream) noexcept {
  const auto found = std::ranges::find_if(
      stream.violations, [&](const PlannedViolation& each) { return is_fault(stream, each); });
  return found == stream.violations.end() ? nullptr : &*found;
}

std::vector<const PlannedViolation*> faults(const PlannedStream& stream) {
  std::vector<const PlannedViolation*> all;
  for (const PlannedViolation& each : stream.violations) {
    if (is_fault(stream, each)) all.push_back(&each);
  }
  return all;
}

bool is_cut(const PlannedStream& stream, std::uint32_t work) noexcept {
  return std::ranges::any_of(
      stream.missing, [work](const Missing& each) { return each.lack == Lack::rest && each.work == work; });
}

Bytes octets_of(const Plan& plan, const Content& content) {
  return octets_of(plan.payloads, plan.seed, content);
}

}  // namespace iwarp::replay
