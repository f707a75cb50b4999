// The inbound Read queue (IRRQ): answers the peer's RDMA Reads and Atomics in the order they came, a segment
// at a time, so that Sends go between (Verbs 1.0 §6.5, RFC 5040 §5.5, RFC 7306 §5.2 and §7).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include <iwarp/wire/rdmap.hpp>

#include "rnic/memory_table.hpp"
#include "rnic/ring.hpp"
#include "rnic/violation.hpp"

namespace iwarp::rnic {

struct InboundRequest {
  wire::DdpHeader header;  // of the request
  std::variant<wire::ReadRequest, wire::AtomicRequest> what;
  std::uint32_t sent = 0;  // octets of a Read's answer
};

// What the Consumer of a source must have right for it to be read or changed: checked when the request is
// delivered, and again as it is answered. REQUIRES: a Read's size > 0.
[[nodiscard]] std::optional<Violation> check_source(const wire::ReadRequest& read, const MemoryTable& memory,
                                                    const Accessor& self) noexcept;
[[nodiscard]] std::optional<Violation> check_source(const wire::AtomicRequest& atomic,
                                                    const MemoryTable& memory, const Accessor& self) noexcept;

class ReadResponder {
 public:
  enum class Progress : std::uint8_t {
    nothing,
    segment,
    failed,  // the source cannot be accessed any more: violation()
  };

  // A new LLP Stream: MSNs of Atomic Responses begin at 1.
  void reset() noexcept {
    requests_.clear();
    next_msn_ = 1;
  }

  void add(const InboundRequest& request) { requests_.push_back(request); }
  // Requests from arrival until the last segment of their answer was handed to the LLP.
  [[nodiscard]] std::size_t size() const noexcept { return requests_.size(); }
  [[nodiscard]] bool empty() const noexcept { return requests_.empty(); }
  void clear() noexcept { requests_.clear(); }

  // Appends the next segment: at most `max_ulpdu` octets, a MULPDU, at most `max_payload` of them payload (0:
  // no limit).
  [[nodiscard]] Progress next_segment(Bytes& out, std::uint32_t max_ulpdu, std::uint32_t max_payload,
                                      const MemoryTable& memory, const Accessor& self);
  [[nodiscard]] const Violation& violation() const noexcept { return violation_; }
  // The request it is about; a Read's advanced to where its answer stopped (RFC 5040 §4.8).
  [[nodiscard]] const Offender& offender() const noexcept { return offender_; }

 private:
  [[nodiscard]] Progress fail(const Violation& violation);
  [[nodiscard]] Progress answer(wire::ReadRequest read, InboundRequest& request, Bytes& out,
                                std::uint32_t room, const MemoryTable& memory, const Accessor& self);
  [[nodiscard]] Progress answer(const wire::AtomicRequest& atomic, Bytes& out, const MemoryTable& memory,
                                const Accessor& self);

  Ring<InboundRequest> requests_;
  std::uint32_t next_msn_ = 1;
  Violation violation_;
  Offender offender_;
};

}  // namespace iwarp::rnic
