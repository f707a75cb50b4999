// The fields of `delivery` records.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/deliveries.hpp>

#include "export/fields/common_fields.hpp"

namespace iwarp::fields {

template <typename V>
void describe_delivery(V& visitor, const Delivery& delivery) {
  visitor.field("op", Word{operation_kind_name(delivery.kind)});
  visitor.field("from", Word{role_name(delivery.from)});
  visitor.field("frame", delivery.placed.frame);
  visitor.field("begun_frame", delivery.begun.frame);
  visitor.field("time_ns", delivery.begun.time_ns);
  visitor.field("length", delivery.length);
  put(visitor, "sent_ns", delivery.sent_ns());
  put_frame(visitor, "acknowledged_frame", delivery.acknowledged.frame);
  put(visitor, "acknowledged_ns", delivery.acknowledged_ns());
  put_frame(visitor, "delivered_by_frame", delivery.proven.frame);
  put(visitor, "delivered_ns", delivery.proven_ns());
  visitor.field("message", delivery.message);
}

}  // namespace iwarp::fields
