// What LiveCapture asks of libpcap before packets come: which interfaces there are, to open one, to filter.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <pcap/pcap.h>

#include <cstdint>
#include <memory>
#include <string>

#include <iwarp/capture/live_capture.hpp>

namespace iwarp::capture {

struct PcapCloser {
  void operator()(pcap_t* device) const noexcept { pcap_close(device); }
};
using PcapDevice = std::unique_ptr<pcap_t, PcapCloser>;

// The time that a block of the ring waits to be filled up before it is handed over.
inline constexpr int block_wait_ms = 100;

// Opens the interface and begins to capture; calls of the result never block. On failure returns nothing and
// sets `error` to one sentence.
[[nodiscard]] PcapDevice open_device(const LiveOptions& options, std::string& error);

// Lets packets through for which the filter holds, which may be empty. False: `error` says why it does not.
[[nodiscard]] bool set_filter(pcap_t* device, const std::string& filter, std::string& error);

// The LINKTYPE_ of a capture, whose number in libpcap (DLT_) is another one where systems do not agree.
[[nodiscard]] std::uint32_t link_type_of(int data_link) noexcept;

}  // namespace iwarp::capture
