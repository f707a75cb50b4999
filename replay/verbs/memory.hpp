// Memory of a plan's host registered with a device, and buffers for messages under way.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/names.hpp"
#include "plan/plan.hpp"
#include "verbs/handles.hpp"

namespace iwarp::replay::verbs {

// Octets on pages of their own, registered.
struct Registered {
  Owned<void> memory;
  Owned<ibv_mr> region;  // released first

  // False: `error` says why.
  [[nodiscard]] bool make(ibv_pd* pd, std::uint64_t length, int access, std::string& error);
  [[nodiscard]] std::uint64_t address() const noexcept {
    return reinterpret_cast<std::uintptr_t>(memory.get());
  }
};

// Places for messages, given back in the order in which they were taken.
class Buffer {
 public:
  [[nodiscard]] bool make(ibv_pd* pd, std::uint64_t size, std::string& error);
  [[nodiscard]] std::optional<ibv_sge> take(std::uint32_t size);
  [[nodiscard]] static std::span<Byte> octets(const ibv_sge& place) noexcept {
    return {reinterpret_cast<Byte*>(static_cast<std::uintptr_t>(place.addr)), place.length};
  }
  void give_back_oldest() { taken_.pop_front(); }
  void give_back_newest() { taken_.pop_back(); }

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  Registered octets_;
  std::uint64_t size_ = 0;
  std::deque<Range> taken_;
};

class HostMemory {
 public:
  // REQUIRES: `plan` and `names` outlive this object.
  HostMemory(const Plan& plan, std::uint32_t host, Names& names) : plan_(plan), host_(host), names_(names) {}

  // Registers everything. False: `error` says why.
  [[nodiscard]] bool make(ibv_context* device, std::string& error);
  [[nodiscard]] bool made() const noexcept { return pd_ != nullptr; }
  [[nodiscard]] ibv_pd* pd() const noexcept { return pd_.get(); }
  [[nodiscard]] ibv_context* device() const noexcept { return pd_ ? pd_->context : nullptr; }

  // What the application does with its memory before it posts this work.
  void before_post(const WorkRef& work);
  // A place of the plan's memory, as an SGE.
  [[nodiscard]] ibv_sge place(std::uint32_t stag, std::uint64_t to, std::uint64_t length) const;
  // The same octets; empty where they are not there.
  [[nodiscard]] std::span<const Byte> octets(std::uint32_t stag, std::uint64_t to,
                                             std::uint64_t length) const;

 private:
  [[nodiscard]] const PlannedHost& planned() const { return plan_.hosts[host_]; }
  [[nodiscard]] bool own(const PlannedStream& stream, std::uint32_t work) const;
  void name(std::uint32_t region);
  void store(const PlannedStore& store);

  const Plan& plan_;
  std::uint32_t host_;
  Names& names_;
  Owned<ibv_pd> pd_;
  Owned<ibv_pd> foreign_pd_;                                // of memory that no stream may use
  std::vector<Registered> regions_;                         // beside the plan's
  std::map<std::uint32_t, std::uint32_t> current_;          // by STag: the region it names
  std::map<WorkRef, std::vector<std::uint32_t>> named_by_;  // regions whose STag was used before
  std::map<WorkRef, std::vector<std::uint32_t>> stores_;
};

}  // namespace iwarp::replay::verbs
