// The STag table: Memory Regions and Windows, their states, and the check every access goes through
// (Verbs 1.0 §7, RFC 5040 §7, RFC 5042 §6.2).
//
// An STag is an index of 24 bits, chosen here, sparse and hard to predict without the seed, and a key of
// eight bits, chosen by the Consumer; accesses compare all 32. STag 0 is physical memory, for local use by
// privileged QPs alone.
//
// Memory belongs to the Consumer and is read and written only during calls of the RNIC.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

#include <iwarp/bytes.hpp>

#include "rnic/ids.hpp"
#include "rnic/status.hpp"
#include "rnic/work_request.hpp"

namespace iwarp::rnic {

[[nodiscard]] constexpr std::uint32_t stag_index(std::uint32_t stag) noexcept {
  return stag >> 8;
}
[[nodiscard]] constexpr Byte stag_key(std::uint32_t stag) noexcept {
  return static_cast<Byte>(stag);
}
[[nodiscard]] constexpr std::uint32_t make_stag(std::uint32_t index, Byte key) noexcept {
  return index << 8 | key;
}

enum class StagKind : std::uint8_t {
  region,
  window
};

struct StagEntry {
  StagKind kind = StagKind::region;
  bool valid = false;
  bool shared = false;         // for ever, once it is
  bool remote_access = false;  // Remote Access Flag of a region
  Byte key = 0;
  AccessRights rights = 0;  // while valid
  PdId pd = PdId::none;     // of a valid window: that of its QP, not checked
  QpId qp = QpId::none;     // a valid window belongs to it
  std::uint32_t index = 0;
  std::uint32_t region = 0;     // index of the region a valid window is bound to
  std::uint32_t windows = 0;    // bound to this region
  std::size_t max_buffers = 0;  // PBL size
  Addressing addressing = Addressing::virtual_address;
  std::uint64_t base = 0;     // TO of the first octet
  std::uint64_t address = 0;  // of the first octet: its Virtual Address, where it has one
  std::uint64_t length = 0;   // while valid
  std::uint64_t start = 0;    // of the first octet in the concatenated physical buffers
  std::shared_ptr<const PhysicalBuffers> buffers;  // while valid
};

// What is wrong with an access, in the order of checking.
enum class MemoryFault : std::uint8_t {
  none,
  invalid_stag,  // 0, unknown index, other key, or Invalid
  association,   // PD of a region, QP of a window
  rights,
  wrap,
  bounds
};

// Of whom an access is.
struct Accessor {
  PdId pd = PdId::none;
  QpId qp = QpId::none;
  bool privileged = false;  // may use STag 0
  bool remote = true;       // the QP lets its peer read or write
};

// A checked range. Valid until the table changes.
struct MemoryRange {
  MemoryFault fault = MemoryFault::invalid_stag;
  const StagEntry* entry = nullptr;  // also where nothing but the place is wrong: wrap, bounds
  std::uint64_t start = 0;           // in the concatenated physical buffers
};

enum class InvalidateFault : std::uint8_t {
  none,
  deallocated,
  invalid_stag,  // 0, other key, or shared
  association,
  windows_bound,
  rights
};

struct MemoryLimits {
  std::size_t max_stags = std::size_t{1} << 16;
  std::size_t max_buffers = std::size_t{1} << 20;  // of one region
  std::uint64_t max_length = std::uint64_t{1} << 40;
  bool block_lists =
      true;  // else page lists: sizes are powers of two, buffers and Virtual Addresses fit them
};

class MemoryTable {
 public:
  MemoryTable(const MemoryLimits& limits, std::uint64_t seed);

  // What STag 0 reaches: TO 0 is the first octet.
  void set_physical_memory(std::span<Byte> memory);

  // --- verbs (Verbs 1.0 §9.2.6); PDs have been checked. `index`: the one to use, for a replay that keeps the
  // STags of a capture; invalid_stag_index when it is taken.
  [[nodiscard]] Outcome<std::uint32_t> allocate_region(PdId pd, std::size_t max_buffers, bool remote_access,
                                                       std::optional<std::uint32_t> index);
  [[nodiscard]] Outcome<std::uint32_t> register_region(PdId pd, Byte key, bool remote_access,
                                                       const Mapping& mapping,
                                                       std::optional<std::uint32_t> index);
  // Failing otherwise than by index or bound windows deallocates the region (§7.3.2.3).
  [[nodiscard]] Outcome<std::uint32_t> reregister_region(std::uint32_t index, PdId pd, Byte key,
                                                         bool remote_access, const Mapping& mapping);
  // Only addressing, virtual_address and rights of `mapping` are used.
  [[nodiscard]] Outcome<std::uint32_t> register_shared(std::uint32_t source, PdId pd, Byte key,
                                                       bool remote_access, const Mapping& mapping,
                                                       std::optional<std::uint32_t> index);
  [[nodiscard]] Outcome<std::uint32_t> allocate_window(PdId pd, std::optional<std::uint32_t> index);
  [[nodiscard]] Status deallocate(std::uint32_t index);
  [[nodiscard]] const StagEntry* find(std::uint32_t index) const;
  [[nodiscard]] bool uses(PdId pd) const;
  [[nodiscard]] bool windows_bound_to(QpId qp) const;

  // --- Work Requests ------------------------------------------------------------------------------------
  [[nodiscard]] CompletionStatus bind(const WindowBinding& binding, const Accessor& by, bool bind_enabled);
  [[nodiscard]] CompletionStatus fast_register(std::uint32_t stag, const Mapping& mapping,
                                               const Accessor& by);
  // `need_remote_rights`: by an incoming Send with Invalidate.
  [[nodiscard]] InvalidateFault invalidate(std::uint32_t stag, const Accessor& by, bool need_remote_rights);

  // --- access -------------------------------------------------------------------------------------------
  // By the peer: regions and windows. REQUIRES: length > 0.
  [[nodiscard]] MemoryRange check_remote(std::uint32_t stag, std::uint64_t to, std::uint64_t length,
                                         AccessRights rights, const Accessor& by) const;
  // By a scatter/gather element: regions and STag 0. REQUIRES: length > 0.
  [[nodiscard]] MemoryRange check_local(const Sge& element, AccessRights rights, const Accessor& by) const;

  // REQUIRES: `range` was checked for at least this many octets and the table has not changed.
  static void read(const MemoryRange& range, Byte* to, std::size_t size) noexcept;
  static void write(const MemoryRange& range, ByteView octets) noexcept;

 private:
  [[nodiscard]] MemoryRange check(const StagEntry* entry, std::uint32_t stag, std::uint64_t to,
                                  std::uint64_t length, AccessRights rights, const Accessor& by) const;
  [[nodiscard]] CompletionStatus judge(const Mapping& mapping, bool remote_access,
                                       std::size_t max_buffers) const;
  [[nodiscard]] StagEntry* add(std::optional<std::uint32_t> index, Status& status);
  [[nodiscard]] StagEntry* mutable_find(std::uint32_t index);
  static void map(StagEntry& entry, Byte key, const Mapping& mapping);
  static void address(StagEntry& entry, const Mapping& mapping);
  void unbind(StagEntry& window, PdId pd);

  MemoryLimits limits_;
  std::uint64_t random_;
  std::unordered_map<std::uint32_t, StagEntry> entries_;
  StagEntry physical_;
};

// The completion status that reports a fault of a scatter/gather element (Verbs 1.0 figure 36).
[[nodiscard]] CompletionStatus status_of(MemoryFault fault) noexcept;
[[nodiscard]] CompletionStatus status_of(InvalidateFault fault) noexcept;

}  // namespace iwarp::rnic
