// Records as a pcap file with nanoseconds: what its octets are. Whoever has the file writes them.
// https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/bytes.hpp>
#include <iwarp/capture/record.hpp>

#pragma GCC visibility push(default)
namespace iwarp::capture {

// Appends the header that the file begins with. `link_type`: of all records; `snap_octets`: the most that one
// of them has.
void append_pcap_header(Bytes& out, std::uint32_t link_type, std::uint32_t snap_octets);

// Appends one record. REQUIRES: it has a time from 1970 to 2106, and the file's link type.
void append_pcap_record(Bytes& out, const Record& record);

}  // namespace iwarp::capture
#pragma GCC visibility pop
