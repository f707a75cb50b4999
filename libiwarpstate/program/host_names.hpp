// What --host says: which IP addresses are one host.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>

#include <iwarp/segment.hpp>

namespace iwarp::program {

using HostNames = std::map<IpAddress, std::string>;

// Adds what "NAME=ADDRESS,ADDRESS…" says. Returns what is wrong with it, a sentence; empty: nothing is.
[[nodiscard]] std::string add_host(const std::string& word, HostNames& hosts);

}  // namespace iwarp::program
