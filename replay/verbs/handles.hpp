// Owners of what libibverbs and librdmacm give, and why they give nothing.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace iwarp::replay::verbs {

struct Release {
  void operator()(rdma_event_channel* channel) const noexcept { rdma_destroy_event_channel(channel); }
  void operator()(rdma_cm_id* id) const noexcept {
    if (id->qp != nullptr) rdma_destroy_qp(id);
    (void)rdma_destroy_id(id);
  }
  void operator()(ibv_pd* pd) const noexcept { (void)ibv_dealloc_pd(pd); }
  void operator()(ibv_cq* cq) const noexcept { (void)ibv_destroy_cq(cq); }
  void operator()(ibv_mr* region) const noexcept { (void)ibv_dereg_mr(region); }
  void operator()(void* memory) const noexcept { std::free(memory); }
};

template <typename T>
using Owned = std::unique_ptr<T, Release>;

// Of the call just made.
[[nodiscard]] inline std::string reason() {
  return std::strerror(errno);
}

}  // namespace iwarp::replay::verbs
