// Fuzzes what is read of SCTP: any octets as the chunks of up to four associations, and the fold of what is
// said of them; twice, with the log kept and in streaming mode, which differ in nothing that was seen.
//
// Input: a sequence of packets, each a header of four octets (association, side and tag; time that passes;
// length; octets that the snapshot length cut off) and its chunks. Checked besides the sanitizers: every
// event carries the frame being added, bounds are kept, and folding the log anew gives the same counters.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/export/writers.hpp>

#include "support/all_events.hpp"

namespace {

using namespace iwarp;

void require(bool holds) {
  if (!holds) std::abort();
}

constexpr std::size_t most_connections = 3;

AnalyzerOptions small(bool keep_log) {
  AnalyzerOptions options;
  options.keep_log = keep_log;
  options.keep_payload = KeepPayload::all;
  options.max_connections = most_connections;
  options.max_buffered_octets = 1U << 12U;
  options.max_total_buffered = 1U << 13U;
  return options;
}

// Counts what it is told, but for what only the log has, and asks for all that events name.
std::uint64_t read(Events events, FrameNumber frame, const Analysis& analysis) {
  std::uint64_t seen = 0;
  for (const Event& event : events) {
    require(event.frame == frame);
    for (const Slice& slice : analysis.slices(event)) seen += slice.length;
    if (event.kind == EventKind::fpdu) seen += analysis.payload(event).size();
    if (event.kind == EventKind::startup) {
      seen += analysis.private_data(event.connection, event.startup).size();
    }
    if (const auto record = record_of(analysis, event)) {
      TextBuffer text;
      write_json(text, *record);
      seen += text.size();
    }
    if (event.kind != EventKind::undecidable) ++seen;
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Analyzer log(small(true));
  Analyzer streaming(small(false));
  std::uint64_t of_log = 0;
  std::uint64_t of_stream = 0;
  SctpPacket packet;
  for (std::size_t at = 0; size - at >= 4;) {
    const unsigned first = data[at];
    const std::size_t length = std::min<std::size_t>(data[at + 2], size - at - 4);
    ++packet.frame;
    packet.time_ns += TimeNs{data[at + 1]} * 1'000'000;
    Bytes octets(SctpPacket::header_size);
    const bool from_a = (first & 4U) != 0;
    Endpoint a;
    a.port = static_cast<std::uint16_t>(1 + (first & 3U));
    Endpoint b;
    b.port = 9;
    packet.source = from_a ? a : b;
    packet.destination = from_a ? b : a;
    store_be32(octets.data() + 4, first >> 3U & 7U);  // tags; the checksum is left to a NIC
    octets.insert(octets.end(), data + at + 4, data + at + 4 + length);
    packet.wire_length = static_cast<std::uint32_t>(octets.size());
    packet.octets = ByteView(octets).first(octets.size() - std::min<std::size_t>(data[at + 3], length));
    of_log += read(log.add(packet), packet.frame, log.analysis());
    of_stream += read(streaming.add(packet), packet.frame, streaming.analysis());
    require(of_log == of_stream);
    require(streaming.analysis().followed() <= most_connections);
    at += 4 + length;
  }
  log.finish();
  for (Events some = streaming.finish_some(); !some.empty(); some = streaming.finish_some())
    read(some, packet.frame, streaming.analysis());
  require(streaming.analysis().followed() == 0);
  for (ConnectionId id = 0; id < log.analysis().connection_count(); ++id) {
    ConnectionState state;
    for (const Event& event : test::all_events(log.analysis())) {
      if (event.connection == id) apply(state, event);
    }
    const ConnectionState& known = *log.analysis().connection(id);
    require(state.findings == known.findings);
    for (const Side side : {Side::a, Side::b}) {
      require(state.side(side).fpdus == known.side(side).fpdus);
      require(state.side(side).consumed_to == known.side(side).consumed_to);
    }
  }
  return 0;
}
