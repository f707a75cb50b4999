// Requests and their responses: links both ways, service time, how many are outstanding.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>

#include "host/frame.hpp"

namespace iwarp::dissector {

// Of a message event that is a Read or Atomic Request: outstanding when it was issued, and where the answer
// is.
void render_request_links(const Frame& frame, proto_tree* tree, const Event& message);
// Of an operation event that has two sides: where the request was, and how long it took.
void render_operation(const Frame& frame, proto_tree* tree, const Event& operation);

// Requests outstanding when this Read or Atomic Request was issued, itself included.
[[nodiscard]] std::optional<std::uint32_t> outstanding_at(const Frame& frame, const Event& message) noexcept;

}  // namespace iwarp::dissector
