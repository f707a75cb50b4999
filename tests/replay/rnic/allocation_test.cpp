// In steady state nothing is allocated for an FPDU, nor for a Work Request or its completion.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "replay/rnic/two_rnics.hpp"

namespace {
std::size_t allocations = 0;
}

#ifndef IWARP_SANITIZED
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
#endif

namespace iwarp::rnic::test {
namespace {

TEST(Allocation, NoneInSteadyState) {
  for (const bool markers : {false, true}) {
    EndOptions options;
    options.stream.mpa.markers = markers;
    End a(options);
    End b(options);
    Wire wire(a, b);
    connect(a, b, wire);
    const auto carry = [](End& from, End& to) {
      bool any = false;
      for (;;) {
        const Output output = from.rnic.poll_output(from.stream, 0);
        if (output.kind != OutputKind::octets) return any;
        to.rnic.handle_input(to.stream, output.octets, 0);
        any = true;
      }
    };
    const auto reap = [](End& end) {
      while (end.rnic.poll_cq(end.send_cq)) {
      }
      while (end.rnic.poll_cq(end.receive_cq)) {
      }
    };
    const WorkRequest list[] = {
        {.id = 1, .operation = Operation::send, .sgl = {a.at(0, 4000)}},
        {.id = 2, .operation = Operation::rdma_write, .sgl = {a.at(0, 30000)}, .stag = b.stag, .to = b.to(0)},
        {.id = 3, .operation = Operation::rdma_read, .sgl = {a.at(0, 30000)}, .stag = b.stag, .to = b.to(0)},
        {.id = 4, .operation = Operation::fetch_add, .stag = b.stag, .to = b.to(0)},
    };
    std::size_t before = 0;
    for (int round = 0; round < 50; ++round) {
      if (round == 10) before = allocations;
      ASSERT_EQ(b.rnic.post_receive(b.qp, {.id = 1, .sgl = {b.at(40000, 5000)}}).status, Status::ok);
      ASSERT_EQ(a.rnic.post_send(a.qp, list).posted, 4U);
      for (bool there = true, back = true; there || back;) {
        there = carry(a, b);
        back = carry(b, a);
      }
      reap(a);
      reap(b);
    }
    EXPECT_EQ(allocations - before, 0U);
  }
}

}  // namespace
}  // namespace iwarp::rnic::test
