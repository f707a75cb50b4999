// Hosts: which addresses are one host, as --host says; every other address is a host of its own.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>
#include <utility>

#include <iwarp/segment.hpp>

namespace iwarp::gui {

// Never changed: any thread may read it.
class Hosts {
 public:
  Hosts() = default;
  // StagOptions::hosts
  explicit Hosts(std::map<IpAddress, std::string> names) : names_(std::move(names)) {
    for (const auto& [address, name] : names_) first_.try_emplace(name, address);
  }

  // The address that stands for the host of this one: the lowest.
  [[nodiscard]] IpAddress of(const IpAddress& address) const {
    const auto found = names_.find(address);
    return found == names_.end() ? address : first_.at(found->second);
  }
  // As StagRecord::host.
  [[nodiscard]] std::string name(const IpAddress& address) const {
    const auto found = names_.find(address);
    return found == names_.end() ? to_string(address) : found->second;
  }

 private:
  std::map<IpAddress, std::string> names_;
  std::map<std::string, IpAddress> first_;  // of each name
};

}  // namespace iwarp::gui
