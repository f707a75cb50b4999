// PostRQ's part of Receive Queues.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/receive_queue.hpp"

namespace iwarp::rnic {

PostResult ReceiveQueue::post(std::span<const ReceiveRequest> list, PdId pd, SrqId srq) {
  PostResult result;
  for (const ReceiveRequest& request : list) {
    if (request.sgl.size() > max_sges_) {
      result.status = Status::invalid_sgl_length;
    } else if (used_ >= capacity_) {
      result.status = Status::too_many_posted;
    }
    if (result.status != Status::ok) break;
    wqes_.push_back({.request = request, .capacity = request.sgl.total(), .pd = pd, .srq = srq});
    ++used_;
    ++result.posted;
  }
  return result;
}

}  // namespace iwarp::rnic
