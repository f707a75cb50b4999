// Work Requests and Work Completions (Verbs 1.0 §8.1, §9.3.1, §9.3.2; RFC 7306 for Atomics and Immediate
// Data).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include <iwarp/bytes.hpp>

#include "rnic/ids.hpp"
#include "rnic/status.hpp"

namespace iwarp::rnic {

enum class Operation : std::uint8_t {
  send,
  send_se,
  send_inv,
  send_se_inv,
  rdma_write,
  rdma_read,
  rdma_read_inv,  // RDMA Read with Invalidate Local STag
  fetch_add,
  cmp_swap,
  immediate,
  immediate_se,
  bind_window,
  fast_register,
  local_invalidate,
  receive,  // in completions only
};
[[nodiscard]] const char* name_of(Operation operation) noexcept;

// What an Atomic works on (RFC 7306 §5), in octets.
inline constexpr std::uint32_t atomic_size = 8;

[[nodiscard]] constexpr bool is_atomic(Operation operation) noexcept {
  return operation == Operation::fetch_add || operation == Operation::cmp_swap;
}
[[nodiscard]] constexpr bool is_read(Operation operation) noexcept {
  return operation == Operation::rdma_read || operation == Operation::rdma_read_inv;
}
// Counts against ORD and waits for a response (RFC 7306 §5.2: Atomics share it).
[[nodiscard]] constexpr bool is_read_type(Operation operation) noexcept {
  return is_read(operation) || is_atomic(operation);
}
[[nodiscard]] constexpr bool is_send_type(Operation operation) noexcept {
  return operation <= Operation::send_se_inv;
}
[[nodiscard]] constexpr bool is_immediate_data(Operation operation) noexcept {
  return operation == Operation::immediate || operation == Operation::immediate_se;
}
[[nodiscard]] constexpr bool is_memory_operation(Operation operation) noexcept {
  return operation == Operation::bind_window || operation == Operation::fast_register ||
         operation == Operation::local_invalidate;
}

// One scatter/gather element. TO: as the STag's region is addressed.
struct Sge {
  std::uint32_t stag = 0;
  std::uint32_t length = 0;
  std::uint64_t to = 0;

  bool operator==(const Sge&) const = default;
};

// A scatter/gather list, held in place.
class Sgl {
 public:
  static constexpr std::size_t capacity = 8;

  Sgl() = default;
  Sgl(std::initializer_list<Sge> elements) {
    for (const Sge& element : elements) add(element);
  }

  // Beyond the capacity it counts elements without keeping them: such a list is refused when it is posted.
  void add(const Sge& element) noexcept {
    if (count_ < capacity) elements_[count_] = element;
    ++count_;
  }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] const Sge& operator[](std::size_t position) const noexcept { return elements_[position]; }
  // REQUIRES: size() <= capacity.
  [[nodiscard]] const Sge* begin() const noexcept { return elements_.data(); }
  [[nodiscard]] const Sge* end() const noexcept { return elements_.data() + count_; }
  [[nodiscard]] std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < count_ && at < capacity; ++at) sum += elements_[at].length;
    return sum;
  }

 private:
  std::array<Sge, capacity> elements_{};
  std::size_t count_ = 0;
};

// Rights of a Memory Region or Window (Verbs 1.0 §7.5), or-ed.
using AccessRights = std::uint8_t;
namespace access {
inline constexpr AccessRights local_read = 0x01;
inline constexpr AccessRights local_write = 0x02;
inline constexpr AccessRights remote_read = 0x04;
inline constexpr AccessRights remote_write = 0x08;
inline constexpr AccessRights bind = 0x10;
inline constexpr AccessRights remote = remote_read | remote_write;
inline constexpr AccessRights local = local_read | local_write;
}  // namespace access

// A Physical Buffer List (Verbs 1.0 §7.6.2): buffers of one size, the region begins first_byte_offset octets
// into the first. The memory belongs to the Consumer and must live as long as a region maps it.
struct PhysicalBuffers {
  std::vector<Byte*> list = {};
  std::uint64_t size = 0;  // of each
  std::uint64_t first_byte_offset = 0;
};
// One buffer: a block list of one.
[[nodiscard]] PhysicalBuffers contiguous(Byte* memory, std::size_t size);

enum class Addressing : std::uint8_t {
  virtual_address,  // TO of the first octet is the Virtual Address
  zero_based        // TO of the first octet is 0
};

// What RI-Register, RI-Reregister and Fast-Register say of a region (Verbs 1.0 §9.2.6.2, §9.3.1.1).
struct Mapping {
  PhysicalBuffers buffers = {};
  std::uint64_t length = 0;
  Addressing addressing = Addressing::virtual_address;
  std::uint64_t virtual_address = 0;
  AccessRights rights = 0;
};

// Bind Memory Window (Verbs 1.0 §9.3.1.1). Binding nothing is no operation of its own: a window is unbound by
// invalidating it.
struct WindowBinding {
  std::uint32_t window = 0;           // STag: index, and the key it shall have
  std::uint32_t region = 0;           // STag
  std::uint64_t virtual_address = 0;  // of the first octet, in the region
  std::uint64_t length = 0;
  Addressing addressing = Addressing::virtual_address;
  AccessRights rights = 0;  // remote ones
};

// RFC 7306 §5.2.1; masks as there: for Fetch and Add each set bit is the highest of a field.
struct AtomicArguments {
  std::uint64_t add_swap = 0;
  std::uint64_t add_swap_mask = 0;
  std::uint64_t compare = 0;
  std::uint64_t compare_mask = ~std::uint64_t{0};
};

// What PostSQ takes. Fields that do not belong to the operation are ignored (Verbs 1.0 §9.3.1.1).
struct WorkRequest {
  std::uint64_t id = 0;
  Operation operation = Operation::send;
  bool signaled = true;
  bool read_fence = false;   // Send types, RDMA Write, Immediate Data: waits for all earlier Read types
  bool local_fence = false;  // Invalidate Local STag: waits for everything earlier
  Sgl sgl = {};              // source of Sends and Writes; of Reads the sink, at most one element; of Atomics
                             // where the original value goes, at most one element of eight octets
  std::uint32_t stag =
      0;  // Write, Read, Atomic: remote buffer; *_inv Sends and Invalidate Local: to invalidate
  std::uint64_t to = 0;  // of the remote buffer
  std::uint64_t immediate = 0;
  AtomicArguments atomic = {};
  WindowBinding binding = {};
  std::uint32_t region = 0;                     // Fast-Register: STag, index and the key it shall have
  std::shared_ptr<const Mapping> mapping = {};  // Fast-Register
  // Payload octets a DDP segment at most, 0: what MULPDU allows. To repeat what a recorded sender did.
  std::uint32_t segment_payload = 0;
};

// What PostRQ takes.
struct ReceiveRequest {
  std::uint64_t id = 0;
  Sgl sgl = {};
};

// What Poll for Completion gives (Verbs 1.0 §9.3.2.1).
struct WorkCompletion {
  std::uint64_t id = 0;
  CompletionStatus status = CompletionStatus::success;
  Operation operation = Operation::send;
  QpId qp = QpId::none;
  // Of receives only:
  std::uint32_t length = 0;  // octets of the message
  bool solicited = false;
  bool invalidated = false;
  std::uint32_t invalidated_stag = 0;
  bool has_immediate = false;
  std::uint64_t immediate = 0;
  // Of Atomics only: the word before the operation.
  std::uint64_t original = 0;
};

}  // namespace iwarp::rnic
