// Fuzzes the whole analyzer: any octets as the segments of up to four connections, and the fold of what it
// says.
//
// Input: a sequence of segments, each a header of eight octets (connection and side, flags, sequence, window
// and acknowledgement deltas, what the capture did to it, length) and its payload. Checked besides the
// sanitizers: every event carries the frame being added, and folding the log anew gives the same counters.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "support/all_events.hpp"

namespace {

using namespace iwarp;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Sender {
  std::uint32_t sequence = 100;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  AnalyzerOptions options;
  options.keep_log = true;
  options.max_connections = 3;
  options.max_buffered_octets = 1U << 16U;
  options.max_total_buffered = 1U << 17U;
  Analyzer analyzer(options);
  std::array<std::array<Sender, 2>, 4> sides{};
  FrameNumber frame = 0;
  TimeNs time = 1'700'000'000'000'000'000;

  constexpr std::size_t header = 8;
  while (size >= header) {
    const unsigned connection = data[0] & 3U;
    const unsigned from = data[0] >> 2U & 1U;
    const std::size_t wanted = data[6] | (data[7] & 0x07U) << 8U;
    Sender& sender = sides[connection][from];
    Sender& peer = sides[connection][1 - from];

    TcpSegment segment;
    segment.frame = ++frame;
    time += static_cast<TimeNs>(data[5]) * data[5] * 1000 - ((data[0] & 0x40U) != 0 ? 500 : 0);
    segment.time_ns = time;
    Endpoint ends[2];
    ends[0].port = static_cast<std::uint16_t>(1000 + connection);
    ends[1].port = connection == 3 ? 5445 : 4420;
    ends[1].address.octets[3] = 1;
    segment.source = ends[from];
    segment.destination = ends[1 - from];
    segment.flags = static_cast<std::uint8_t>((data[1] & 0x27U) | ((data[0] & 0x80U) != 0 ? 0 : tcp::ack));
    // Mostly in sequence; else up to 2^15 ahead or behind.
    const auto skew = static_cast<std::int8_t>(data[2]);
    segment.sequence = sender.sequence + (data[2] < 0xe0U ? 0U : static_cast<std::uint32_t>(skew * 256));
    segment.acknowledgement =
        peer.sequence +
        (data[3] < 0xe0U ? 0U : static_cast<std::uint32_t>(static_cast<std::int8_t>(data[3]) * 64));
    segment.window = data[4] == 0 ? 0 : 1000;
    segment.mss = 1460;
    segment.checksum = static_cast<ChecksumStatus>(data[4] % 4);
    segment.packet_identity = (data[7] & 0x80U) != 0 ? 0 : frame;
    const std::size_t length = wanted < size - header ? wanted : size - header;
    segment.payload = ByteView(data + header, length);
    segment.wire_length = static_cast<std::uint32_t>(length + ((data[7] & 0x40U) != 0 ? data[4] : 0U));
    segment.payload_sum = payload_sum(segment.payload);
    if (data[2] < 0xe0U)
      sender.sequence = segment.sequence + segment.wire_length + ((data[1] & 3U) != 0 ? 1U : 0U);
    data += header + length;
    size -= header + length;

    for (const Event& event : analyzer.add(segment)) require(event.frame == frame);
  }
  for (const Event& event : analyzer.finish()) require(event.frame == frame);

  const Analysis& analysis = analyzer.analysis();
  std::vector<ConnectionState> states(analysis.connection_count());
  for (const Event& event : test::all_events(analysis)) apply(states.at(event.connection), event);
  for (ConnectionId id = 0; id < states.size(); ++id) {
    const ConnectionState* live = analysis.connection(id);
    if (live == nullptr) continue;
    for (const Side side : {Side::a, Side::b}) {
      require(live->side(side).fpdus == states[id].side(side).fpdus);
      require(live->side(side).messages == states[id].side(side).messages);
      require(live->side(side).qp == states[id].side(side).qp);
      require(live->side(side).requests.size() == states[id].side(side).requests.size());
    }
    require(live->findings == states[id].findings);
  }
  return 0;
}
