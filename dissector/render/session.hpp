// Over SCTP: what stands in front of a DDP segment, and the messages that begin and end sessions (RFC 5043
// §5.2, RFC 6581 §7).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

// "Enhanced Initiate". REQUIRES: a startup or fin event over SCTP.
[[nodiscard]] const char* session_function_title(const Event& event) noexcept;

// Stream, session and DDP-SSN of a message. REQUIRES: is_sctp_message().
void put_session(const Frame& frame, proto_tree* tree, const Event& event);
// The DATA chunks of an fpdu or startup event that did not come in one.
void render_fragments(const Frame& frame, proto_tree* tree, const Event& event);
// A session control message; `behind` are the conclusions that follow it in the log.
void render_session_control(const Frame& frame, proto_tree* tree, const Event& event, Events behind);
// Session control messages of the frame that have changed no session: out of sequence, unassigned, sent again
// or not delivered yet. What is wrong with one, its finding tells.
void render_idle_control(const Frame& frame, proto_tree* tree);
// In a later pass: where the message ends that this frame has a part of.
void render_sctp_part(const Frame& frame, proto_tree* tree);

}  // namespace iwarp::dissector
