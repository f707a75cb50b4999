// The fields of a `stream` record.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/stack.hpp>

#include "export/fields/message_fields.hpp"

namespace iwarp::fields {

// CRC is in use when either start-up frame asks for it (RFC 5044 §7.1.1); without them what the FPDUs told.
inline Mode crc_mode(const ConnectionState& connection) noexcept {
  if (connection.llp == Llp::sctp) return Mode::unknown;
  const auto& [request, reply] = connection.mpa.frames;
  if (request && reply) return request->crc || reply->crc ? Mode::on : Mode::off;
  const auto& [a, b] = connection.sides;
  if (a.crc == Mode::on || b.crc == Mode::on) return Mode::on;
  return a.crc == Mode::off || b.crc == Mode::off ? Mode::off : Mode::unknown;
}

// The start-up frame that settles what both frames tell: the Reply, the Request while there is none.
inline const std::optional<StartupFact>& settling_frame(const MpaState& mpa) noexcept {
  return mpa.frames[1] ? mpa.frames[1] : mpa.frames[0];
}

// The Reply may have been sent where nothing was captured.
inline bool is_reply_missed(const ConnectionState& connection) noexcept {
  const SideState& responder = connection.side(connection.side_of(Role::responder));
  const bool begun_late = connection.opened_by == OpenedBy::midstream;
  return !connection.mpa.frames[1] && (begun_late || !responder.captured || responder.gaps != 0);
}

// A takes both frames to agree on: one without it is enough for a no (RFC 6581 §9.2).
inline bool is_peer_to_peer_known(const MpaState& mpa) noexcept {
  const auto& [request, reply] = mpa.frames;
  const auto refuses = [](const std::optional<StartupFact>& frame) {
    return frame && !frame->word_missing() && !(frame->enhanced && frame->word.peer_to_peer);
  };
  if (refuses(request) || refuses(reply)) return true;
  return request && reply && !request->word_missing() && !reply->word_missing();
}

template <typename V>
void describe_depths(V& visitor, Key key, const std::array<Depth, 2>& depths) {
  visitor.object(key, [&](V& object) {
    describe_depth(object, "initiator", depths[0]);
    describe_depth(object, "responder", depths[1]);
  });
}

template <typename V>
void describe_private_data(V& visitor, Key key, const std::optional<StartupFact>& frame, ByteView octets) {
  if (!frame || frame->private_data_captured < frame->private_data_received) {
    visitor.field(key, Null{});
    return;
  }
  constexpr std::size_t word_size = 4;
  const ByteView data = frame->has_word && octets.size() >= word_size ? octets.subspan(word_size) : octets;
  visitor.text(key, [&] { return hex_text(data); });
}

template <typename V>
void describe_mpa(V& visitor, const ConnectionState& connection,
                  const std::array<ByteView, 2>& private_data) {
  const MpaState& mpa = connection.mpa;
  const auto& settling = settling_frame(mpa);
  const bool started = settling.has_value() && !is_reply_missed(connection);
  const StartupFact frame = settling.value_or(StartupFact{});
  put_if(visitor, "rev", started && connection.llp == Llp::tcp, frame.revision);
  put_mode(visitor, "crc", crc_mode(connection));
  visitor.object("markers", [&](V& object) {
    put_mode(object, "from_initiator", connection.side(connection.side_of(Role::initiator)).known_markers());
    put_mode(object, "from_responder", connection.side(connection.side_of(Role::responder)).known_markers());
  });
  put_if(visitor, "enhanced", started, frame.enhanced);
  put_if(visitor, "peer_to_peer", is_peer_to_peer_known(mpa), mpa.peer_to_peer);
  put_word(visitor, "rtr", rtr_kind_name(mpa.rtr));
  put_if(visitor, "rejected", mpa.frames[1].has_value(), mpa.rejected);
  describe_depths(visitor, "ird", mpa.ird);
  describe_depths(visitor, "ord", mpa.ord);
  put_word(visitor, "limits_source", limits_source_name(mpa.limits_source));
  visitor.object("private_data", [&](V& object) {
    describe_private_data(object, "initiator", mpa.frames[0], private_data[0]);
    describe_private_data(object, "responder", mpa.frames[1], private_data[1]);
  });
}

template <typename V>
void describe_stack(V& visitor, Key key, const std::optional<StackGuess>& guess) {
  put_object(visitor, key, guess.has_value(), [&](V& object) {
    put_word(object, "name", guess ? stack_name(guess->stack) : nullptr);
    put_word(object, "confidence", guess ? confidence_name(guess->confidence) : nullptr);
    put_word(object, "sign", guess ? guess->sign : nullptr);
  });
}

// Terminates of both sides, the earlier frame first.
template <typename V>
void describe_terminates(V& visitor, const ConnectionState& connection) {
  visitor.list("terminates", [&](auto& items) {
    const auto& a = connection.side(Side::a).terminates;
    const auto& b = connection.side(Side::b).terminates;
    for (std::size_t at_a = 0, at_b = 0; at_a < a.size() || at_b < b.size();) {
      const bool take_a = at_b == b.size() || (at_a < a.size() && a[at_a].frame <= b[at_b].frame);
      const TerminateSeen& seen = take_a ? a[at_a++] : b[at_b++];
      const Role sender = connection.role_of(take_a ? Side::a : Side::b);
      items.object([&](auto& object) {
        object.field("from", Word{role_name(sender)});
        object.field("frame", seen.frame);
        describe_terminate_code(object, seen.code_captured, seen.meant, seen.raw, seen.bit_order);
        put_frame(object, "refers_to_frame", seen.refers_to());
      });
    }
  });
}

template <typename V>
void describe_stream_counts(V& visitor, const ConnectionState& connection) {
  const SideState& a = connection.side(Side::a);
  const SideState& b = connection.side(Side::b);
  describe_roles(visitor, "fpdus", connection, [](const SideState& side) { return side.fpdus; });
  describe_crc_counts(visitor, "crc",
                      {a.crc_counts.good + b.crc_counts.good, a.crc_counts.bad + b.crc_counts.bad,
                       a.crc_counts.unchecked + b.crc_counts.unchecked});
  OpcodeCounts messages{};
  for (std::size_t opcode = 0; opcode < messages.size(); ++opcode) {
    messages[opcode] = a.messages[opcode] + b.messages[opcode];
  }
  describe_counts(visitor, "messages", messages);
  describe_roles(visitor, "payload_octets", connection,
                 [](const SideState& side) { return side.payload_octets; });
  visitor.object("max_outstanding", [&](V& object) {
    const bool known = connection.outstanding_known();
    const Side initiator = connection.side_of(Role::initiator);
    put_if(object, "initiator", known, connection.side(initiator).max_outstanding);
    put_if(object, "responder", known, connection.side(other(initiator)).max_outstanding);
  });
  visitor.object("gaps", [&](V& object) {
    object.field("count", a.gaps + b.gaps);
    object.field("octets", a.gap_octets + b.gap_octets);
  });
  visitor.field("retransmitted_octets", a.retransmitted_octets + b.retransmitted_octets);
}

template <typename V>
void describe_sctp(V& visitor, const SctpStream& sctp) {
  visitor.object("sctp", [&](V& object) {
    object.field("stream", sctp.id);
    object.field("session", sctp.session);
  });
}

template <typename V>
void describe_stream(V& visitor, const ConnectionState& connection,
                     const std::array<ByteView, 2>& private_data) {
  const Side initiator = connection.side_of(Role::initiator);
  visitor.text("initiator", [&] { return to_string(connection.endpoints[index(initiator)]); });
  visitor.text("responder", [&] { return to_string(connection.endpoints[index(other(initiator))]); });
  visitor.field("first_frame", connection.first_frame);
  visitor.field("last_frame", connection.last_frame);
  visitor.field("first_time_ns", connection.first_time_ns);
  visitor.field("last_time_ns", connection.last_time_ns);
  visitor.field("start", Word{start_name(connection)});
  visitor.field("role_basis", Word{role_basis_name(connection.role_basis)});
  visitor.object("stack", [&](V& object) {
    describe_stack(object, "initiator", stack_of(connection, Role::initiator));
    describe_stack(object, "responder", stack_of(connection, Role::responder));
  });
  visitor.object("mpa", [&](V& object) { describe_mpa(object, connection, private_data); });
  describe_stream_counts(visitor, connection);
  describe_terminates(visitor, connection);
  visitor.field("close", Word{close_name(connection)});
  visitor.object("qp_state", [&](V& object) {
    describe_qp_state(object, "initiator", connection.side(initiator).qp);
    describe_qp_state(object, "responder", connection.side(other(initiator)).qp);
  });
  // Records of TCP lack it; a table has the same columns in all rows.
  if constexpr (!requires { V::is_table; }) {
    if (connection.llp == Llp::sctp) describe_sctp(visitor, connection.sctp);
  }
}

}  // namespace iwarp::fields
