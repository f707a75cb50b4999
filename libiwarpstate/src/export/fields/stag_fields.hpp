// The fields of `stag` records.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/stags.hpp>

#include "export/fields/common_fields.hpp"

namespace iwarp::fields {

template <typename V>
void describe_stag(V& visitor, const StagRecord& stag) {
  visitor.text("host", [&] { return std::string_view(stag.host); });
  visitor.field("stag", hex32(stag.stag));
  visitor.field("generation", stag.generation);
  visitor.list("streams", [&](auto& items) {
    for (const ConnectionId stream : stag.streams) items.item(stream);
  });
  OpcodeCounts operations{};
  for (std::size_t opcode = 0; opcode < operations.size(); ++opcode)
    operations[opcode] = stag.operations[opcode];
  describe_counts(visitor, "ops", operations);
  visitor.field("octets", stag.octets);
  put_if(visitor, "min_to", stag.min_to.has_value(), hex64(stag.min_to.value_or(0)));
  put_if(visitor, "max_to", stag.max_to.has_value(), hex64(stag.max_to.value_or(0)));
  visitor.object("rights", [&](V& rights) {
    put_word(rights, "read", stag_right_name(stag.read));
    put_word(rights, "write", stag_right_name(stag.write));
    put_word(rights, "atomic", stag_right_name(stag.atomic));
  });
  put_object(visitor, "advertised", stag.advertised.has_value(), [&](V& object) {
    const bool known = stag.advertised.has_value();
    const StagRecord::Advertised told = stag.advertised.value_or(StagRecord::Advertised());
    put_if(object, "stream", known, told.stream);
    put_frame(object, "frame", told.frame);
    put_word(object, "ulp", ulp_name(told.ulp));
    put_word(object, "confidence", known ? confidence_name(told.confidence) : nullptr);
    put_if(object, "to", known, hex64(told.to));
    put(object, "length", told.length);
  });
  put_frame(visitor, "first_use", stag.first_use);
  put_frame(visitor, "last_use", stag.last_use);
  put_frame(visitor, "invalidated_frame", stag.invalidated);
  const auto is_virtual = stag.is_virtual();
  put_word(visitor, "base", !is_virtual ? nullptr : *is_virtual ? "va" : "zero");
}

}  // namespace iwarp::fields
