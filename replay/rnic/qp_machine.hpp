// The QP state machine (Verbs 1.0 §6.2) as one table: what may happen in which state, what is done, and where
// it leads. Nothing else decides about states; docs/qp-states.md is drawn from it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "rnic/status.hpp"

namespace iwarp::rnic {

enum class QpState : std::uint8_t {
  idle,
  rts,
  closing,
  terminate,
  error
};
inline constexpr unsigned qp_state_count = 5;

enum class QpEvent : std::uint8_t {
  // Verbs
  modify_idle,
  modify_rts,
  modify_closing,
  modify_terminate,
  modify_error,
  post_sq,
  post_rq,
  // The queues
  sq_wqe,       // a WQE of the SQ can be processed
  sq_error,     // … and failed: local SQ protection error
  rq_error,     // a receive WQE failed, by its own fault or the message's
  local_error,  // reported by no completion: a CQ overflow, the S-RQ failed, a Read Response cannot be made
  // The peer
  segment,        // a DDP segment other than a Terminate
  terminate,      // a Terminate Message
  segment_error,  // a segment or message that breaks a rule
  // The LLP
  startup_rejected,   // by the peer: MPA is left, TCP stays open (RFC 5044 §7.1.2 (3))
  llp_error,          // MPA error, octets can still be sent
  llp_reset,          // the peer's RST
  llp_lost,           // the LLP gave up
  llp_timeout,        // closing took too long
  llp_close_busy,     // the peer's FIN while the SQ or the IRRQ holds work
  llp_close,          // the peer's FIN otherwise
  llp_close_done,     // both FINs
  closing_with_work,  // Closing was entered with a WQE in the SQ or a Read in the IRRQ
};
inline constexpr unsigned qp_event_count = 23;

// What is done, as bits; in this order.
using QpActions = std::uint32_t;
namespace action {
inline constexpr QpActions refuse = 1U << 0;  // Immediate Error, nothing changes
inline constexpr QpActions ignore = 1U << 1;
inline constexpr QpActions attributes = 1U << 2;  // change them
inline constexpr QpActions bind = 1U << 3;        // reset RDMAP, DDP and MPA; associate the LLP Stream
inline constexpr QpActions enqueue = 1U << 4;
inline constexpr QpActions process = 1U << 5;
inline constexpr QpActions stop = 1U << 6;            // SQ, IRRQ and inbound segments, on a segment boundary
inline constexpr QpActions keep_terminate = 1U << 7;  // the peer's, for Query QP
inline constexpr QpActions send_terminate = 1U << 8;
inline constexpr QpActions close_llp = 1U << 9;   // FIN behind what is to be sent
inline constexpr QpActions reset_llp = 1U << 10;  // RST
inline constexpr QpActions unbind = 1U << 11;     // disassociate the LLP Stream
inline constexpr QpActions flush_sq = 1U << 12;
inline constexpr QpActions flush_rq = 1U << 13;  // and this WQE, if one is being posted
inline constexpr unsigned count = 14;
}  // namespace action

// The asynchronous event, if any.
enum class QpReport : std::uint8_t {
  none,
  cause,                // the one of what happened, unless a completion tells of it
  close_complete,       // LLP Close Complete
  bad_close,            // Bad Close
  bad_close_if_silent,  // Bad Close, where no event reported the error that led here
  connection_lost,      // LLP Connection Lost
};

struct QpTransition {
  QpState next;
  QpActions actions;
  QpReport report;
};

// Total: what the specification does not allow refuses (verbs) or is ignored.
[[nodiscard]] QpTransition transition(QpState state, QpEvent event) noexcept;

[[nodiscard]] const char* name_of(QpState state) noexcept;
[[nodiscard]] const char* name_of(QpEvent event) noexcept;

// A Mermaid state diagram, and a table of every state and event, as Markdown.
[[nodiscard]] std::string draw_qp_machine();

}  // namespace iwarp::rnic
