// The words that records, reports and the other front ends use for the library's enumerations.
// All functions but sctp_text() return string literals, and all are total.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <iwarp/latency_parts.hpp>
#include <iwarp/state.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

[[nodiscard]] const char* role_name(Role role) noexcept;              // "initiator", "responder"
[[nodiscard]] const char* role_basis_name(RoleBasis basis) noexcept;  // "mpa", "syn", "assumed"
[[nodiscard]] const char* crc_status_name(
    CrcStatus status) noexcept;                                   // "good", "bad", "unused", "undecidable"
[[nodiscard]] const char* phase_name(Phase phase) noexcept;       // "streaming", "startup", "fpdu" …
[[nodiscard]] const char* qp_value_name(QpValue value) noexcept;  // "idle", "startup", "rts" …
[[nodiscard]] const char* qp_evidence_name(QpEvidence evidence) noexcept;  // "none", "first_fpdu" …
// The same in a few words: "first FPDU", "both FINs acked" …
[[nodiscard]] const char* qp_evidence_words(QpEvidence evidence) noexcept;
[[nodiscard]] const char* latency_part_name(LatencyPart part) noexcept;     // "request_loss" …
[[nodiscard]] const char* latency_part_words(LatencyPart part) noexcept;    // "request sent again" …
[[nodiscard]] const char* basis_name(Basis basis) noexcept;                 // "proven", "bounded", "inferred"
[[nodiscard]] const char* confidence_name(Confidence confidence) noexcept;  // "low", "medium", "high"
[[nodiscard]] const char* operation_kind_name(OperationKind kind) noexcept;        // "read", "write" …
[[nodiscard]] const char* operation_status_name(OperationStatus status) noexcept;  // "complete" …
[[nodiscard]] const char* request_kind_name(RequestKind kind) noexcept;            // "read", "atomic"
[[nodiscard]] const char* bit_order_name(wire::BitOrder order) noexcept;           // "rfc", "siw"
[[nodiscard]] const char* rtr_kind_name(RtrKind kind) noexcept;  // "read" …, nullptr for none
[[nodiscard]] const char* limits_source_name(
    LimitsSource source) noexcept;  // "mpa", "smbd", nullptr for none
[[nodiscard]] const char* start_name(
    const ConnectionState& connection) noexcept;  // "handshake", "startup", "midstream"
[[nodiscard]] const char* close_name(const ConnectionState& connection) noexcept;  // "fin", "rst", "open"

// "SCTP stream 3", "SCTP stream 3, session 2": beside the endpoints, which it may have in common with others.
[[nodiscard]] std::string sctp_text(const SctpStream& sctp);

}  // namespace iwarp
#pragma GCC visibility pop
