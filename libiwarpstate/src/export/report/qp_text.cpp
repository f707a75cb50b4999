// The state of a queue pair in words.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/export/names.hpp>

#include "export/report/sections.hpp"

namespace iwarp::report {

const char* qp_value_words(QpValue value) noexcept {
  switch (value) {
    case QpValue::idle: return "Idle";
    case QpValue::startup: return "Startup";
    case QpValue::rts: return "RTS";
    case QpValue::closing: return "Closing";
    case QpValue::terminate: return "Terminate";
    case QpValue::error: return "Error";
  }
  return "?";
}

std::string qp_value_text(const QpState& qp) {
  static constexpr const char* doubts[] = {"perhaps ", "probably ", ""};  // by Confidence
  return std::string(doubts[static_cast<std::size_t>(qp.confidence)]) + qp_value_words(qp.value);
}

std::string qp_evidence_text(const QpState& qp) {
  const std::string words = qp_evidence_words(qp.evidence);
  return qp.frame == 0 ? words : words + ", frame " + std::to_string(qp.frame);
}

std::string qp_text(const QpState& qp) {
  return qp_value_text(qp) + " (" + qp_evidence_text(qp) + ")";
}

}  // namespace iwarp::report
