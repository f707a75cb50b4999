// CaptureWriter: frames into a capture file, pcap or pcapng (draft-ietf-opsawg-pcapng), Ethernet,
// nanoseconds.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>

namespace iwarp::replay {

enum class CaptureFormat : std::uint8_t {
  pcap,
  pcapng
};

class CaptureWriter {
 public:
  // Writes the file's header at once. `snapshot_length`: octets kept of a frame, 0 for all.
  // REQUIRES: `out` outlives this object and is binary.
  explicit CaptureWriter(std::ostream& out, CaptureFormat format = CaptureFormat::pcapng,
                         std::uint32_t snapshot_length = 0);

  // `time_ns` since the epoch, not negative. `comment`, of less than 65536 octets, is for pcapng alone. False
  // when `out` has failed, now or earlier.
  bool write(TimeNs time_ns, ByteView frame, std::string_view comment = {});
  [[nodiscard]] std::uint64_t frames() const noexcept { return frames_; }

 private:
  void write_pcap(TimeNs time_ns, ByteView captured, std::size_t wire_length);
  void write_pcapng(TimeNs time_ns, ByteView captured, std::size_t wire_length, std::string_view comment);
  void write_pcapng_header();
  void write_octets(ByteView octets);

  std::ostream& out_;
  CaptureFormat format_;
  std::uint32_t snapshot_length_;
  std::uint64_t frames_ = 0;
};

}  // namespace iwarp::replay
