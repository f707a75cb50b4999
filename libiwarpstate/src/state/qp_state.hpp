// What the wire tells of the two queue pairs (Verbs 1.0 §6.2), as a table: the two ends are inferred apart,
// they pass through their states at different times.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/state.hpp>

namespace iwarp {

// What is seen of an endpoint.
enum class QpTrigger : std::uint8_t {
  startup_sent,      // its Request or Reply
  accept_sent,       // its accepting Reply
  startup_rejected,  // a rejecting Reply, sent or received
  fpdu_sent,         // an FPDU of a stream that was followed from its start-up
  midstream_fpdu,    // … of a stream whose start was not captured
  peer_fpdu_sent,    // the peer sent one to this end, of which no segment was captured
  terminate_sent,
  terminate_received,      // the peer sent one
  terminate_acknowledged,  // … and this end acknowledged it
  fin_sent,                // with nothing outstanding
  fin_sent_with_work,
  fin_acknowledged,  // this end acknowledged the peer's FIN, nothing outstanding
  fin_acknowledged_with_work,
  both_fins_acknowledged,
  rst_sent,
  rst_received,
  closed,  // the connection is over
  count
};

// The next state of an endpoint: total, a trigger without a row changes nothing. `established`: both start-up
// frames were seen and accepted, or FPDUs were. `doubt`: octets are missing that could tell otherwise.
[[nodiscard]] QpState infer(const QpState& now, QpTrigger trigger, bool established, bool doubt,
                            FrameNumber frame) noexcept;

// Infers and stores for one end of a connection.
void infer(ConnectionState& state, Side side, QpTrigger trigger, FrameNumber frame) noexcept;

}  // namespace iwarp
