// Names of operations, and block lists of one buffer.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/work_request.hpp"

namespace iwarp::rnic {

const char* name_of(Operation operation) noexcept {
  static constexpr std::array names = {"send",          "send_se",          "send_inv",      "send_se_inv",
                                       "rdma_write",    "rdma_read",        "rdma_read_inv", "fetch_add",
                                       "cmp_swap",      "immediate",        "immediate_se",  "bind_window",
                                       "fast_register", "local_invalidate", "receive"};
  return names[static_cast<std::size_t>(operation)];
}

PhysicalBuffers contiguous(Byte* memory, std::size_t size) {
  return {.list = {memory}, .size = size, .first_byte_offset = 0};
}

}  // namespace iwarp::rnic
