// Private Data of start-up frames and of session control messages, with the depths told at its beginning (RFC
// 6581 §7 and §9, MS-SMBD §2.2).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

// The octets of a start-up frame in this frame.
struct StartupPlace {
  tvbuff_t* tvb = nullptr;
  int start = 0;
  int available = 0;
  int before = 0;  // octets that came in other frames

  // All octets that are here.
  [[nodiscard]] Range whole() const noexcept { return {tvb, start, available}; }

  [[nodiscard]] Range at(int position, int length) const noexcept {
    position -= before;
    if (position < 0) return {tvb, start, 0};
    const int begin = position < available ? position : available;
    const int end = position + length < available ? position + length : available;
    return {tvb, start + begin, end - begin};
  }
};

// Of a startup event. `begin`: where it stands in the start-up frame.
void render_private_data(const Frame& frame, proto_tree* tree, const StartupPlace& place, int begin,
                         const Event& event);

}  // namespace iwarp::dissector
