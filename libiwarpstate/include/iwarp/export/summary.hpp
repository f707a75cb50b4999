// Summary: the totals of one capture, the content of its `summary` record.
//
// Made as the events come, so it costs the same for a capture of any length.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include <iwarp/analyzer.hpp>
#include <iwarp/stags.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

struct Summary {
  std::uint64_t frames = 0;                // records of the capture
  std::uint64_t octets = 0;                // of these, as captured
  bool timed = false;                      // first_time_ns and last_time_ns are known
  TimeNs first_time_ns = 0;                // the earliest frame's
  TimeNs last_time_ns = 0;                 // the latest frame's
  std::uint64_t streams = 0;               // TCP connections with iWARP
  std::uint64_t let_go_iwarp_streams = 0;  // … of these, before they ended, at a limit
  std::uint64_t other_streams = 0;         // TCP connections without …
  std::uint64_t let_go_streams = 0;        // … of these, before they ended, at a limit
  // TCP connections without iWARP by the port that was connected to, as the SYN tells; else the lower one.
  std::map<std::uint16_t, std::uint64_t> other_ports;
  std::array<std::uint64_t, wire::opcode_count> messages{};  // complete ones, by opcode
  std::array<std::uint64_t, 4> findings{};                   // by Severity
  // By check and reason. Checks that share an ID are counted together under the first of them.
  std::map<CheckId, std::array<std::uint64_t, static_cast<std::size_t>(Reason::count)>> undecidable;
  // What was not analysed, by reason: frames ("not TCP" …), and "TCP segments of connections that had ended".
  std::map<std::string, std::uint64_t> skipped;

  // Counts a frame of the capture.
  void add_frame(std::uint64_t captured_octets, TimeNs time_ns, bool has_time) noexcept;
  // Counts an event. `connection` is that of the event; nullptr when no longer followed.
  void add(const Event& event, const ConnectionState* connection);
  // Adds what another one counted.
  void merge(const Summary& other);
  // Takes over what could not be decided, and what was not looked at. Once, at the end.
  void add_undecidable(const Analysis& analysis);
  void add_undecidable(const StagTable& stags);
};

// The ports of most connections without iWARP: "443 (12 streams), 2049 (1 stream), 3 other ports". Empty: no
// such connection.
[[nodiscard]] std::string busiest_other_ports(const Summary& summary);

// The first check with the same ID as `check`: findings and undecidables are counted by ID.
[[nodiscard]] CheckId same_id_check(CheckId check) noexcept;

}  // namespace iwarp
#pragma GCC visibility pop
