// Random work of one end of a Queue Pair against the other, and what must come of it: Work Requests for the
// RNIC, and the same done at once on the models of both ends.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "replay/properties/dice.hpp"
#include "replay/properties/side.hpp"

namespace iwarp::rnic::test {

class Program {
 public:
  // One round of work. `reads`: ORD allows Reads and Atomics.
  Program(Dice& dice, Side& own, Side& peer, bool reads)
      : dice_(dice), own_(own), peer_(peer), reads_(reads) {}

  void add();
  // A Send by which the peer knows that everything before it has arrived, and whose completion tells that
  // everything before it is complete.
  void add_last();
  // A Work Request that is made by hand; what comes of it is the caller's affair.
  void add_request(WorkRequest request);
  // The peer gets what it receives into, as many more Work Requests as `spare` says.
  void make_buffers(std::uint32_t spare);

 private:
  struct Range {
    std::size_t start = 0;
    std::size_t length = 0;
    [[nodiscard]] bool overlaps(const Range& other) const {
      return length != 0 && other.length != 0 && start < other.start + other.length &&
             other.start < start + length;
    }
  };
  // A Read or Atomic that may not be answered yet.
  struct Open {
    Range sink;
    Range source;
    std::uint32_t sink_stag = 0;
    std::uint32_t source_stag = 0;
  };

  void finish(WorkRequest& request, std::uint64_t original = 0);
  [[nodiscard]] std::uint32_t random_size();
  [[nodiscard]] Range range_in(const Door& door, std::uint32_t size);
  [[nodiscard]] Bytes gather(WorkRequest& request, std::uint32_t size);
  [[nodiscard]] Door* any_of(std::vector<Door>& doors, bool (*fits)(const Door&));
  // Waits for all Reads, where one of them matters (RFC 5040 §5.5).
  void fence_if(WorkRequest& request, bool needed);

  void add_send();
  void add_write();
  void add_read();
  void add_atomic();
  void add_immediate();
  void add_memory_work();
  void revive(Door& door, std::size_t start, std::size_t size);
  void invalidate(Door& door);

  Dice& dice_;
  Side& own_;
  Side& peer_;
  bool reads_;
  std::vector<Open> open_;
};

}  // namespace iwarp::rnic::test
