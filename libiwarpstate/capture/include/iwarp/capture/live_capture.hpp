// LiveCapture: the packets of a network interface as they pass, through libpcap.
//
//   const auto live = LiveCapture::open({.interface = "eth0", .filter = "tcp"}, error);
//   while (live->wait(std::chrono::milliseconds(100))) {
//     while (live->next(record)) take(record);
//     show(live->losses());  // ten times a second at least
//   }
//   if (!live->failure().empty()) …
//
// The kernel writes packets into a ring and hands them over in blocks, 100 ms behind the first one at the
// latest. The ring is all there is between the network and the reader: what comes while it is full is lost,
// and counted. Packets that this host sends itself over loopback are taken once.
//
// Threads: stop() may be called by any thread, and by a signal's handler; all else by one thread at a time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <iwarp/capture/record.hpp>

#pragma GCC visibility push(default)
namespace iwarp::capture {

struct LiveOptions {
  std::string interface;                  // as capture_interfaces() has it; "any": all of them
  std::string filter = {};                // pcap-filter(7); empty: all packets
  std::uint32_t snap_octets = 1U << 18U;  // of a packet: whole ones, also those that a NIC has yet to cut up
  // Of kernel memory; less is taken where there is not as much. Half a second of 1 Gbit/s.
  std::size_t ring_octets = std::size_t{64} << 20U;
};

// Packets that passed the filter and were not delivered, since open().
struct LiveLosses {
  std::uint64_t kernel = 0;     // the ring was full: they were not read in time
  std::uint64_t interface = 0;  // by the interface or its driver, as far as these count
};

class LiveCapture {
 public:
  // Begins to capture. On failure returns nothing and sets `error` to one sentence: the interface does not
  // exist (and which do), the right to capture is missing (and the command that grants it), the filter is
  // none.
  [[nodiscard]] static std::unique_ptr<LiveCapture> open(const LiveOptions& options, std::string& error);
  ~LiveCapture();
  LiveCapture(const LiveCapture&) = delete;
  LiveCapture& operator=(const LiveCapture&) = delete;

  // Takes the packets that are there, some at a time, or waits for some, at most that long. False: the
  // capture has ended, by stop() or failure(). What the last call took and next() did not deliver is lost.
  // REQUIRES: at_most >= 0.
  [[nodiscard]] bool wait(std::chrono::milliseconds at_most);
  // Delivers the next of the packets taken, valid until the next wait(); false: that was the last one. They
  // are numbered from 1, and have the interface 0.
  [[nodiscard]] bool next(Record& record);

  // Ends the capture: packets captured until now are delivered, then wait() is false. Once or more.
  void stop() noexcept;

  // Why the capture ended by itself, in one sentence: the interface is gone. Empty: it did not.
  [[nodiscard]] const std::string& failure() const noexcept;
  [[nodiscard]] LiveLosses losses() const;
  // LINKTYPE_ of all records.
  [[nodiscard]] std::uint32_t link_type() const noexcept;
  [[nodiscard]] std::uint32_t snap_octets() const noexcept;

 private:
  class [[gnu::visibility("hidden")]] Implementation;
  explicit LiveCapture(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

// The command that grants this program the right to capture: what open() says where it is missing has it in.
[[nodiscard]] std::string capture_right_command();

// Names of the interfaces that there are, and "any". Needs no rights.
[[nodiscard]] std::vector<std::string> capture_interfaces();

}  // namespace iwarp::capture
#pragma GCC visibility pop
