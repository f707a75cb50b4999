// The fields of `operation` and `finding` records.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <iterator>

#include <iwarp/diagnosis.hpp>
#include <iwarp/latency_parts.hpp>

#include "export/fields/common_fields.hpp"

namespace iwarp::fields {

template <typename V>
void describe_operation(V& visitor, const Event& event, Role from) {
  const OperationConclusion& operation = event.operation;
  const bool requested = operation.request.frame != 0;
  visitor.field("op", Word{operation_kind_name(operation.kind)});
  visitor.field("requester", Word{role_name(from)});
  put_frame(visitor, "request_frame", operation.request.frame);
  put_frame(visitor, "first_response_frame",
            operation.response_start_seen ? operation.first_response.frame : 0);
  put_frame(visitor, "response_frame", operation.response.frame);
  put_if(visitor, "time_ns", requested, operation.request.time_ns);
  put(visitor, "length", operation.known_length());
  put(visitor, "latency_ns", operation.latency());
  put(visitor, "first_byte_latency_ns", operation.first_byte_latency());
  put(visitor, "delivered_ns", operation.delivery(event.time_ns));
  put_if(visitor, "outstanding", operation.outstanding != 0, operation.outstanding);
  visitor.field("status", Word{operation_status_name(operation.status)});
  visitor.field("request_retransmitted", operation.request_retransmitted);
  visitor.field("message", operation.message);
  put_if(visitor, "response_message", operation.response_message != 0, operation.response_message);
}

inline constexpr Key latency_part_keys[] = {
    "request_loss_ns", "response_loss_ns", "behind_hole_ns", "window_ns",   "behind_requests_ns",
    "network_ns",      "responder_ns",     "interleaved_ns", "transfer_ns", "unexplained_ns"};
static_assert(std::size(latency_part_keys) == latency_part_count);

// `parts`: nullptr where there is no latency.
template <typename V>
void describe_parts(V& visitor, const LatencyParts* parts) {
  visitor.object("parts", [&](V& object) {
    for (std::size_t at = 0; at < latency_part_count; ++at) {
      const bool known =
          parts != nullptr && (static_cast<LatencyPart>(at) != LatencyPart::network || parts->network_known);
      put_if(object, latency_part_keys[at], known, known ? parts->parts[at].ns : TimeNs{0});
    }
  });
  const LatencyPart greatest = parts == nullptr ? LatencyPart::unexplained : parts->greatest();
  put_word(visitor, "why", parts == nullptr ? nullptr : latency_part_name(greatest));
  put_word(visitor, "why_basis", parts == nullptr ? nullptr : basis_name(basis_of(greatest)));
  visitor.list("why_frames", [&](auto& items) {
    if (parts == nullptr) return;
    const auto& frames = (*parts)[greatest].frames;
    if (frames[0] != 0) items.item(frames[0]);
    if (frames[1] != 0 && frames[1] != frames[0]) items.item(frames[1]);
  });
}

template <typename V>
void describe_finding(V& visitor, const Event& event, Role from) {
  const Finding& finding = event.finding;
  const CheckInfo& info = check_info(finding.check);
  visitor.field("from", Word{role_name(from)});
  visitor.field("frame", finding.evidence_count > 0 ? finding.evidence[0] : event.frame);
  visitor.field("decided_frame", event.frame);
  visitor.field("time_ns", finding.time_ns);
  visitor.field("id", Word{info.id});
  visitor.field("severity", Word{severity_name(finding.severity)});
  put_word(visitor, "reference", *info.reference == '\0' ? nullptr : info.reference);
  visitor.text("text", [&] { return describe(finding); });
  put_if(visitor, "lost_ns", is_diagnosis(finding.check), finding.arguments[0]);
  visitor.list("evidence", [&](auto& items) {
    const auto count = std::min<std::size_t>(finding.evidence_count, max_evidence);
    if (count == 0) items.item(event.frame);
    for (std::size_t at = 0; at < count; ++at) items.item(finding.evidence[at]);
  });
}

}  // namespace iwarp::fields
