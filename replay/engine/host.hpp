// Host: a soft-RNIC with the memory that the plan's host had registered, under its recorded STags and TOs.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/names.hpp"
#include "engine/options.hpp"
#include "plan/plan.hpp"
#include "rnic/soft_rnic.hpp"

namespace iwarp::replay {

// By a work: what must be over before it is posted, though nothing of the recording says that it waits.
using Successions = std::map<WorkRef, std::vector<WorkRef>>;

class Host {
 public:
  // `streams`: all of the plan's that have this host at an end, in their order. REQUIRES: `plan` and `names`
  // outlive this object.
  Host(const Plan& plan, std::uint32_t number, std::vector<std::uint32_t> streams, Names& names,
       const ReplayOptions& options);

  // Registers what is registered from the beginning. False: `error` says which region cannot be.
  [[nodiscard]] bool start(std::string& error);
  // What the application does with its memory before it posts this work: registers regions, stores octets.
  void before_post(const WorkRef& work);
  // … before this Read of the peer is served.
  void before_serve(const WorkRef& read);
  // … behind this work of the peer: it came, and if it was a Read, was answered.
  void behind(const WorkRef& peers);
  // What stands now at a recorded STag and TO of this host, as far as its region goes. Until the region is
  // registered anew.
  [[nodiscard]] ByteView memory(std::uint32_t stag, std::uint64_t to, std::uint64_t length) const noexcept;
  // What this host's memory demands. The first use of a region, behind the last use of the one that had its
  // index; what is posted behind a store over octets, behind the Read that brought them.
  [[nodiscard]] const Successions& successions() const noexcept { return successions_; }
  // What cannot be called as recorded, in sentences.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  [[nodiscard]] rnic::SoftRnic& rnic() noexcept { return rnic_; }
  [[nodiscard]] rnic::PdId pd() const noexcept { return pd_; }
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }

  bool active = false;  // its RNIC may have events: it is listed

 private:
  struct Free {
    void operator()(Byte* memory) const noexcept { std::free(memory); }
  };
  struct Region {
    std::unique_ptr<Byte, Free> memory;
    bool registered = false;
  };
  [[nodiscard]] const PlannedHost& planned() const { return plan_.hosts[number_]; }
  struct Life {  // frames of an STag's first and last use or mention
    FrameNumber first = 0;
    FrameNumber last = 0;
  };
  [[nodiscard]] std::map<std::uint32_t, Life> lives() const;
  void plan_registrations();
  void rename_clashing();
  void plan_made_up_source();
  void plan_stores();
  [[nodiscard]] bool enter(std::uint32_t region, std::string& error);
  void store(const PlannedStore& store);
  [[nodiscard]] std::optional<WorkRef> due_before(const PlannedRegion& region,
                                                  const std::optional<WorkRef>& last_use) const;
  [[nodiscard]] std::optional<WorkRef> last_use(const PlannedRegion& region, const WorkRef& before) const;

  const Plan& plan_;
  std::uint32_t number_;
  std::vector<std::uint32_t> streams_;
  Names& names_;
  bool rename_;
  rnic::SoftRnic rnic_;
  rnic::PdId pd_;
  rnic::PdId foreign_pd_;  // of memory that no stream may use
  std::vector<Region> regions_;
  std::map<std::uint32_t, LiveName> renamed_;  // by recorded STag
  Bytes made_up_;                              // source of Reads known from their responses alone
  std::map<WorkRef, std::uint32_t> made_up_reads_;
  std::vector<std::string> notes_;
  std::vector<std::uint32_t> at_start_;
  std::map<WorkRef, std::vector<std::uint32_t>> due_;  // regions, by the owner's work they must be there for
  std::map<WorkRef, std::vector<std::uint32_t>> behind_;  // … by the peer's that must have come
  Successions successions_;
  std::map<WorkRef, std::vector<std::uint32_t>> stores_;  // by what they come before
};

// The streams of each of the plan's hosts.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> streams_of_hosts(const Plan& plan);
// Octets of memory that the host's regions take.
[[nodiscard]] std::uint64_t memory_of(const PlannedHost& host) noexcept;

}  // namespace iwarp::replay
