// Pieces that several records share.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <iterator>
#include <string>

#include <iwarp/export/names.hpp>
#include <iwarp/state.hpp>

#include "export/fields/field.hpp"

namespace iwarp::fields {

inline constexpr Key opcode_keys[] = {"rdma_write", "read_request", "read_response",  "send",
                                      "send_inv",   "send_se",      "send_se_inv",    "terminate",
                                      "immediate",  "immediate_se", "atomic_request", "atomic_response"};

using OpcodeCounts = std::array<std::uint64_t, wire::opcode_count>;

template <typename V>
void describe_counts(V& visitor, Key key, const OpcodeCounts& counts) {
  visitor.object(key, [&](V& object) {
    for (std::size_t opcode = 0; opcode < std::size(opcode_keys); ++opcode) {
      object.field(opcode_keys[opcode], counts[opcode]);
    }
    std::uint64_t unknown = 0;
    for (std::size_t opcode = std::size(opcode_keys); opcode < counts.size(); ++opcode)
      unknown += counts[opcode];
    object.field("unknown", unknown);
  });
}

// {"initiator": of(side), "responder": of(side)} where of() gives something field() takes.
template <typename V, typename Of>
void describe_roles(V& visitor, Key key, const ConnectionState& connection, Of of) {
  visitor.object(key, [&](V& object) {
    object.field("initiator", of(connection.side(connection.side_of(Role::initiator))));
    object.field("responder", of(connection.side(connection.side_of(Role::responder))));
  });
}

template <typename V>
void describe_depth(V& visitor, Key key, const Depth& depth) {
  visitor.object(key, [&](V& object) {
    put(object, "offered", depth.offered);
    put(object, "effective", depth.effective);
  });
}

template <typename V>
void describe_qp_state(V& visitor, Key key, const QpState& qp) {
  visitor.object(key, [&](V& object) {
    object.field("value", Word{qp_value_name(qp.value)});
    object.field("evidence", Word{qp_evidence_name(qp.evidence)});
    object.field("confidence", Word{confidence_name(qp.confidence)});
    put_frame(object, "frame", qp.frame);
  });
}

template <typename V>
void describe_crc_counts(V& visitor, Key key, const CrcCounts& counts) {
  visitor.object(key, [&](V& object) {
    object.field("good", counts.good);
    object.field("bad", counts.bad);
    object.field("unchecked", counts.unchecked);
  });
}

// true, false, or null while it is not known.
template <typename V>
void put_mode(V& visitor, Key key, Mode mode) {
  put_if(visitor, key, mode != Mode::unknown, mode == Mode::on);
}

// Octets as hex digits without a prefix.
inline std::string hex_text(ByteView octets) {
  std::string text;
  text.reserve(2 * octets.size());
  for (const Byte octet : octets) {
    text += "0123456789abcdef"[octet >> 4U];
    text += "0123456789abcdef"[octet & 0xfU];
  }
  return text;
}

}  // namespace iwarp::fields
