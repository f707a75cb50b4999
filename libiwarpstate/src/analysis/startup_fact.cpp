// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/startup_fact.hpp"

#include <memory>

namespace iwarp {
namespace {

// MS-SMBD: SMB Direct's port, where revision 1 Private Data begins with IRD and ORD in 32 bits each.
constexpr std::uint16_t smbd_port = 5445;

bool has_smbd_words(const ConnectionState& state, const wire::StartupFrame& frame) noexcept {
  const bool smbd = state.endpoints[0].port == smbd_port || state.endpoints[1].port == smbd_port;
  return smbd && frame.revision == 1 && !frame.enhanced && frame.private_data.size() >= 8;
}

}  // namespace

void record_startup(ConnectionLog& log, Side side, const mpa::StartupScanner& scanner, const SpanMap& spans,
                    std::uint32_t early_octets, PrivateDataStore& private_data) {
  const wire::StartupFrame frame = scanner.frame();
  const StreamSpan* first = spans.find(scanner.begin());
  Event event = log.make(EventKind::startup, side, scanner.begin(), first ? first->ack : 0);
  StartupFact fact;
  fact.kind = frame.kind;
  fact.revision = frame.revision;
  fact.markers = frame.markers;
  fact.crc = frame.crc;
  fact.rejected = frame.rejected;
  fact.enhanced = frame.enhanced;
  fact.reserved_flags = frame.reserved_flags;
  fact.delayed = !scanner.expected();
  fact.private_data_length = frame.private_data_length;
  fact.private_data_received = static_cast<std::uint16_t>(scanner.private_data_received());
  fact.private_data_captured = static_cast<std::uint16_t>(frame.private_data.size());
  fact.early_octets = early_octets;
  fact.first_frame = first ? first->frame : log.frame();
  const StreamOffset received = scanner.begin() + wire::startup_header_size + scanner.private_data_received();
  fact.placed = spans.placement(scanner.begin(), received);
  if (fact.placed.frame == 0) fact.placed = log.own_placement();
  if (const auto word = frame.enhanced_word()) {
    fact.has_word = true;
    fact.word = *word;
  }
  if (has_smbd_words(log.state(), frame)) {
    fact.has_smbd = true;
    fact.smbd_ird = load_be32(frame.private_data.data());
    fact.smbd_ord = load_be32(frame.private_data.data() + 4);
  }
  fact.private_data_id = private_data.add(frame.private_data);
  fact.pieces = log.pieces(spans, scanner.begin(), received);
  std::construct_at(&event.startup, fact);
  log.fact(event);
}

}  // namespace iwarp
