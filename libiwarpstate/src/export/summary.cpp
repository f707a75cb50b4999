// Summary: counting frames and events.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/export/summary.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantities.hpp"

namespace iwarp {

CheckId same_id_check(CheckId check) noexcept {
  static const auto first_with_id = [] {
    std::array<CheckId, check_count> table{};
    for (unsigned row = 0; row < check_count; ++row) {
      const std::string_view id = check_info(static_cast<CheckId>(row)).id;
      unsigned first = 0;
      while (id != check_info(static_cast<CheckId>(first)).id) ++first;
      table[row] = static_cast<CheckId>(first);
    }
    return table;
  }();
  const auto row = static_cast<unsigned>(check);
  return row < check_count ? first_with_id[row] : check;
}

void Summary::add_frame(std::uint64_t captured_octets, TimeNs time_ns, bool has_time) noexcept {
  ++frames;
  octets += captured_octets;
  if (!has_time) return;
  first_time_ns = timed ? std::min(first_time_ns, time_ns) : time_ns;
  last_time_ns = timed ? std::max(last_time_ns, time_ns) : time_ns;
  timed = true;
}

namespace {

std::uint16_t asked_port(const ConnectionState& connection) noexcept {
  const auto port = [&](Side side) { return connection.endpoints[index(side)].port; };
  if (connection.role_basis != RoleBasis::assumed) return port(connection.side_of(Role::responder));
  return std::min(port(Side::a), port(Side::b));
}

}  // namespace

std::string busiest_other_ports(const Summary& summary) {
  constexpr std::size_t most = 6;
  std::vector<std::pair<std::uint64_t, std::uint16_t>> ports;
  for (const auto& [port, count] : summary.other_ports) ports.emplace_back(count, port);
  std::ranges::sort(ports, [](const auto& one, const auto& another) {
    return one.first != another.first ? one.first > another.first : one.second < another.second;
  });
  std::string text;
  for (std::size_t at = 0; at < std::min(most, ports.size()); ++at) {
    const auto& [count, port] = ports[at];
    text += (text.empty() ? "" : ", ") + std::to_string(port) + " (" + count_text(count, "stream") + ")";
  }
  if (ports.size() > most) text += ", " + count_text(ports.size() - most, "other port");
  return text;
}

void Summary::merge(const Summary& other) {
  frames += other.frames;
  octets += other.octets;
  if (other.timed) {
    first_time_ns = timed ? std::min(first_time_ns, other.first_time_ns) : other.first_time_ns;
    last_time_ns = timed ? std::max(last_time_ns, other.last_time_ns) : other.last_time_ns;
    timed = true;
  }
  streams += other.streams;
  other_streams += other.other_streams;
  let_go_streams += other.let_go_streams;
  for (const auto& [port, count] : other.other_ports) other_ports[port] += count;
  let_go_iwarp_streams += other.let_go_iwarp_streams;
  for (std::size_t opcode = 0; opcode < messages.size(); ++opcode) messages[opcode] += other.messages[opcode];
  for (std::size_t severity = 0; severity < findings.size(); ++severity)
    findings[severity] += other.findings[severity];
  for (const auto& [check, reasons] : other.undecidable) {
    auto& own = undecidable[check];
    for (std::size_t reason = 0; reason < own.size(); ++reason) own[reason] += reasons[reason];
  }
  for (const auto& [reason, count] : other.skipped) skipped[reason] += count;
}

void Summary::add(const Event& event, const ConnectionState* connection) {
  switch (event.kind) {
    case EventKind::message:
      if (event.message.end == MessageEnd::complete) {
        ++messages[static_cast<unsigned>(event.message.opcode) % wire::opcode_count];
      }
      break;
    case EventKind::finding: ++findings[static_cast<unsigned>(event.finding.severity) & 3U]; break;
    case EventKind::closed:
      if (connection == nullptr) break;
      ++(connection->iwarp ? streams : other_streams);
      if (!connection->iwarp) ++other_ports[asked_port(*connection)];
      if (event.closed.cause == CloseCause::evicted)
        ++(connection->iwarp ? let_go_iwarp_streams : let_go_streams);
      break;
    default: break;
  }
}

}  // namespace iwarp
