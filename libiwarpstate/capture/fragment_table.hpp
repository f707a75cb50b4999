// Puts IP fragments together (RFC 791 §3.2, RFC 8200 §4.5), within bounds.
//
// A datagram stays in the table when it is complete, so that second copies of its fragments - mirrors often
// capture everything twice - are known as such and do not look like the start of another datagram.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>

#include <iwarp/bytes.hpp>
#include <iwarp/capture/packet_decoder.hpp>

namespace iwarp::capture {

// What fragments of one datagram have in common.
struct DatagramKey {
  std::array<Byte, 16> source{};  // IPv4: the first four octets
  std::array<Byte, 16> destination{};
  std::uint32_t network = 0;  // as TcpSegment::network
  std::uint32_t identification = 0;
  std::uint8_t version = 4;
  std::uint8_t protocol = 0;  // 0 for IPv6, where only the first fragment's counts

  auto operator<=>(const DatagramKey&) const = default;
};

struct Fragment {
  ByteView octets;            // as captured; must not lie inside the table
  std::uint32_t length = 0;   // on the wire, >= octets.size()
  std::uint32_t offset = 0;   // in octets
  bool more = false;          // not the last one
  std::uint8_t protocol = 0;  // what the datagram carries, as this fragment says
  std::uint32_t frames = 1;   // that it took: more than one when it came inside a datagram in fragments
  TimeNs time_ns = 0;
};

struct Datagram {
  ByteView octets;           // up to the first octet not captured; valid until the next call of add()
  std::uint32_t length = 0;  // on the wire
  std::uint32_t frames = 0;  // that brought its fragments
  std::uint8_t protocol = 0;
};

class FragmentTable {
 public:
  enum class Outcome : std::uint8_t {
    waiting,
    complete,
    duplicate,
    malformed
  };

  explicit FragmentTable(FragmentLimits limits) noexcept : limits_(limits) {}

  // On Outcome::complete sets `datagram`. A fragment that contradicts what is known of its datagram ends
  // that datagram and begins another: nothing is ever made of contradicting parts.
  [[nodiscard]] Outcome add(const DatagramKey& key, const Fragment& fragment, Datagram& datagram);

  [[nodiscard]] const FragmentLosses& losses() const noexcept { return losses_; }
  // Frames whose fragments are of datagrams given up, or incomplete still.
  [[nodiscard]] std::uint64_t incomplete_frames() const noexcept { return incomplete_frames_; }

 private:
  struct Part {
    std::uint32_t captured_end = 0;  // octets from here to `end` were not captured
    std::uint32_t end = 0;
  };
  struct Entry {
    Bytes octets;
    std::map<std::uint32_t, Part> parts;  // by offset, never overlapping
    std::uint32_t received = 0;           // octets in all parts
    std::uint32_t length = 0;             // of the datagram; 0: the last fragment has not come
    std::uint32_t frames = 0;             // that brought the parts
    std::uint8_t protocol = 0;
    bool complete = false;
    TimeNs time_ns = 0;  // of the first fragment
    std::list<DatagramKey>::iterator age;
  };
  using Entries = std::map<DatagramKey, Entry>;

  enum class Relation : std::uint8_t {
    new_part,
    duplicate,
    contradiction
  };
  static Relation relation(const Entry& entry, const Fragment& fragment);
  static std::size_t cost(const Entry& entry) noexcept;

  Entry& entry_for(const DatagramKey& key, TimeNs time_ns);
  void insert(Entry& entry, const Fragment& fragment);
  void remove(Entries::iterator position);
  void evict_for(const DatagramKey& newest);

  FragmentLimits limits_;
  FragmentLosses losses_;
  Entries entries_;
  std::list<DatagramKey> ages_;  // oldest first
  std::size_t octets_ = 0;       // cost of all entries
  std::uint64_t incomplete_frames_ = 0;
};

}  // namespace iwarp::capture
