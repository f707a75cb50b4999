// The fields of an `fpdu` record.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>

#include "export/fields/common_fields.hpp"

namespace iwarp::fields {

template <typename V>
void describe_slices(V& visitor, std::span<const Slice> slices) {
  visitor.list("slices", [&](auto& items) {
    for (const Slice& slice : slices) {
      items.list([&](auto& parts) {
        parts.item(slice.frame);
        parts.item(slice.payload_offset);
        parts.item(slice.length);
      });
    }
  });
}

template <typename V>
void describe_fpdu(V& visitor, const Event& event, const ConnectionState& connection,
                   std::span<const Slice> slices) {
  const FpduFact& fpdu = event.fpdu;
  const wire::DdpHeader& ddp = fpdu.ddp;
  // Which header fields were captured: see the layouts in RFC 5041 §4.
  const unsigned have = fpdu.header_octets;
  const bool tagged = have >= 1 && ddp.tagged();
  const bool untagged = have >= 1 && !ddp.tagged();
  visitor.field("from", Word{role_name(connection.role_of(event.side))});
  visitor.field("frame", fpdu.placed.frame);
  put_frame(visitor, "first_frame", fpdu.first_frame);
  visitor.field("delivered_frame", event.frame);
  visitor.field("time_ns", fpdu.placed.time_ns);
  visitor.field("stream_offset", fpdu.stream_offset);
  const bool mpa = connection.llp == Llp::tcp;  // SCTP has nothing of it
  put_if(visitor, "ulpdu_length", mpa, fpdu.ulpdu_length);
  const bool markers_known = connection.side(event.side).known_markers() != Mode::unknown;
  put_if(visitor, "markers", markers_known && !fpdu.markers_missing, fpdu.markers);
  put_if(visitor, "crc", mpa, Word{crc_status_name(fpdu.crc)});
  put_if(visitor, "opcode", have >= 2, Word{wire::opcode_name(ddp.opcode())});
  put_if(visitor, "tagged", have >= 1, ddp.tagged());
  put_if(visitor, "last", have >= 1, ddp.last());
  put_if(visitor, "stag", tagged && have >= 6, hex32(ddp.stag));
  put_if(visitor, "to", tagged && have >= 14, hex64(ddp.to));
  put_if(visitor, "qn", untagged && have >= 10, ddp.queue);
  put_if(visitor, "msn", untagged && have >= 14, ddp.msn);
  put_if(visitor, "mo", untagged && have >= 18, ddp.mo);
  put_if(visitor, "invalidate_stag", untagged && have >= 6 && wire::invalidates(ddp.opcode()),
         hex32(ddp.stag));
  put_if(visitor, "payload_length", have >= 1 && !fpdu.malformed, fpdu.payload_length);
  describe_slices(visitor, slices);
  visitor.field("fpdu", fpdu.number);
  put_if(visitor, "message", fpdu.message != 0, fpdu.message);
}

}  // namespace iwarp::fields
