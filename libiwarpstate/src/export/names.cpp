// The words of iwarp/export/names.hpp.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/export/names.hpp>

#include <cstddef>

namespace iwarp {

namespace {

// The name at the enumerator's place, the last one for values outside the enumeration.
template <std::size_t N, typename Enum>
const char* name_at(const char* const (&names)[N], Enum value) noexcept {
  const auto place = static_cast<std::size_t>(value);
  return names[place < N ? place : N - 1];
}

}  // namespace

const char* role_name(Role role) noexcept {
  return role == Role::initiator ? "initiator" : "responder";
}

std::string sctp_text(const SctpStream& sctp) {
  std::string text = "SCTP stream " + std::to_string(sctp.id);
  if (sctp.session > 1) text += ", session " + std::to_string(sctp.session);
  return text;
}

const char* role_basis_name(RoleBasis basis) noexcept {
  static constexpr const char* names[] = {"assumed", "syn", "mpa"};
  return name_at(names, basis);
}

const char* crc_status_name(CrcStatus status) noexcept {
  static constexpr const char* names[] = {"good", "bad", "unused", "undecidable"};
  return name_at(names, status);
}

const char* phase_name(Phase phase) noexcept {
  static constexpr const char* names[] = {"streaming", "startup", "fpdu", "lost", "closed"};
  return name_at(names, phase);
}

const char* qp_value_name(QpValue value) noexcept {
  static constexpr const char* names[] = {"idle", "startup", "rts", "closing", "terminate", "error"};
  return name_at(names, value);
}

const char* qp_evidence_name(QpEvidence evidence) noexcept {
  static constexpr const char* names[] = {"none",
                                          "startup_sent",
                                          "reply_accepted",
                                          "first_fpdu",
                                          "midstream",
                                          "peer_fpdu",
                                          "startup_rejected",
                                          "fin_sent",
                                          "fin_acknowledged",
                                          "terminate_sent",
                                          "terminate_received",
                                          "fin_with_work_outstanding",
                                          "rst_sent",
                                          "rst_received",
                                          "closed_after_terminate",
                                          "both_fins_acknowledged"};
  return name_at(names, evidence);
}

const char* qp_evidence_words(QpEvidence evidence) noexcept {
  static constexpr const char* words[] = {
      "no start-up seen", "start-up frame sent", "accepting Reply",    "first FPDU",
      "FPDUs seen",       "peer's FPDUs seen",   "start-up rejected",  "FIN sent",
      "FIN acknowledged", "Terminate sent",      "Terminate received", "FIN with work left",
      "RST sent",         "RST received",        "after Terminate",    "both FINs acked"};
  return name_at(words, evidence);
}

const char* latency_part_name(LatencyPart part) noexcept {
  static constexpr const char* names[] = {"request_loss",    "response_loss", "behind_hole", "window",
                                          "behind_requests", "network",       "responder",   "interleaved",
                                          "transfer",        "unexplained"};
  static_assert(std::size(names) == latency_part_count);
  return names[static_cast<std::size_t>(part)];
}

const char* latency_part_words(LatencyPart part) noexcept {
  static constexpr const char* words[] = {"until the request was sent again",
                                          "until lost or late octets of the response came",
                                          "held back by TCP for octets before them",
                                          "while the requester's receive window was closed or full",
                                          "behind the responses to earlier requests",
                                          "on the network to the peer that answers, and back, at most",
                                          "in the peer that answers, at most",
                                          "while other messages were sent between segments of the response",
                                          "while the response was sent",
                                          "not known"};
  static_assert(std::size(words) == latency_part_count);
  return words[static_cast<std::size_t>(part)];
}

const char* basis_name(Basis basis) noexcept {
  switch (basis) {
    case Basis::proven: return "proven";
    case Basis::bounded: return "bounded";
    case Basis::inferred: break;
  }
  return "inferred";
}

const char* confidence_name(Confidence confidence) noexcept {
  static constexpr const char* names[] = {"low", "medium", "high"};
  return name_at(names, confidence);
}

const char* operation_kind_name(OperationKind kind) noexcept {
  static constexpr const char* names[] = {"read", "write", "send", "atomic", "immediate"};
  return name_at(names, kind);
}

const char* operation_status_name(OperationStatus status) noexcept {
  static constexpr const char* names[] = {"complete", "unanswered", "terminated", "incomplete", "unknown"};
  return name_at(names, status);
}

const char* request_kind_name(RequestKind kind) noexcept {
  return kind == RequestKind::read ? "read" : "atomic";
}

const char* bit_order_name(wire::BitOrder order) noexcept {
  return order == wire::BitOrder::rfc ? "rfc" : "siw";
}

const char* rtr_kind_name(RtrKind kind) noexcept {
  static constexpr const char* names[] = {nullptr, "read", "write", "send"};
  return name_at(names, kind);
}

const char* limits_source_name(LimitsSource source) noexcept {
  static constexpr const char* names[] = {nullptr, "mpa", "smbd"};
  return name_at(names, source);
}

const char* start_name(const ConnectionState& connection) noexcept {
  if (connection.opened_by == OpenedBy::handshake) return "handshake";
  return connection.mpa.frames[0] || connection.mpa.frames[1] ? "startup" : "midstream";
}

const char* close_name(const ConnectionState& connection) noexcept {
  const auto& [a, b] = connection.sides;
  if (connection.closed == CloseCause::rst) return "rst";
  if (connection.closed == CloseCause::fin) return "fin";
  if (a.rst_frame || b.rst_frame) return "rst";
  return a.fin_frame || b.fin_frame ? "fin" : "open";
}

}  // namespace iwarp
