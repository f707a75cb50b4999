// Fuzzes the whole analyzer: any octets as the segments of up to four connections, and the fold of what it
// says. It is asked what its users ask, while they walk what add() and finish() return; and twice, with the
// log kept and in streaming mode, which differ in nothing that was seen.
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
#include <iwarp/export/writers.hpp>
#include <iwarp/stags.hpp>
#include <iwarp/timeline.hpp>

#include "support/all_events.hpp"

namespace {

using namespace iwarp;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Sender {
  std::uint32_t sequence = 100;
};

AnalyzerOptions small(bool keep_log) {
  AnalyzerOptions options;
  options.keep_log = keep_log;
  options.keep_payload = KeepPayload::all;
  options.max_connections = 3;
  options.max_buffered_octets = 1U << 16U;
  options.max_total_buffered = 1U << 17U;
  return options;
}

// Reads what it is told, as those do who walk events, and remembers a value of it.
class Reader {
 public:
  // `frame`: what all of them carry.
  void read(Events events, FrameNumber frame, const Analysis& analysis) {
    for (const Event& event : events) {
      require(event.frame == frame);
      const std::uint64_t before = value_;
      ask(event, analysis);
      follow_stags(event, analysis);
      print(event, analysis);
      require(event.frame == frame);  // it is where it was
      take(event.connection * 64 + static_cast<unsigned>(event.kind));
      if (event.kind == EventKind::undecidable) value_ = before;  // in the log only
    }
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  void take(std::uint64_t number) noexcept { value_ = value_ * 31 + number; }
  void take(ByteView octets) noexcept {
    take(octets.size());
    for (const Byte octet : octets) take(octet);
  }
  void ask(const Event& event, const Analysis& analysis) {
    require(event.connection < analysis.connection_count());
    if (const ConnectionState* const connection = analysis.connection(event.connection)) {
      require(connection->id == event.connection);
      take(connection->last_frame);
    }
    if (event.kind == EventKind::startup) take(analysis.private_data(event.connection, event.startup));
    if (event.kind != EventKind::fpdu) return;
    for (const Slice& slice : analysis.slices(event)) {
      require(slice.frame <= event.frame);
      take(slice.payload_offset + slice.length);
    }
    take(analysis.payload(event));
  }
  // STags, of which few are kept.
  void follow_stags(const Event& event, const Analysis& analysis) {
    stags_.add(event, analysis.connection(event.connection), analysis);
    for (const auto& found : stags_.findings()) take(describe(found.event.finding).size());
    for (const StagRecord& ended : stags_.ended()) {
      require(ended.streams.size() <= StagRecord::max_streams);
      printed_.clear();
      write_json(printed_, stag_record(ended));
      take(printed_.size());
    }
  }
  // As iwarp-analyze prints it.
  void print(const Event& event, const Analysis& analysis) {
    const auto record = record_of(analysis, event);
    if (!record) return;
    printed_.clear();
    write_json(printed_, *record);
    write_line(printed_, *record);
    for (const char letter : printed_.view()) take(static_cast<unsigned char>(letter));
  }

  std::uint64_t value_ = 0;
  TextBuffer printed_ = {};
  StagLives stags_ = StagLives({.max_stags = 8});
};

// What the log has of any frame can be asked for at any time.
void look_back(const Analysis& analysis, FrameNumber frame, EventBuffer& buffer) {
  Reader reader;
  for (const FrameNumber asked : {frame, frame / 2 + 1})
    reader.read(analysis.events_of(asked, buffer), asked, analysis);
}

// Folding the log anew gives the states that were followed, and so does asking for them.
void fold_anew(const Analysis& analysis, Timeline& timeline) {
  std::vector<ConnectionState> states(analysis.connection_count());
  for (const Event& event : test::all_events(analysis)) apply(states.at(event.connection), event);
  for (ConnectionId id = 0; id < states.size(); ++id) {
    const Snapshot last = timeline.state_after(id, end_of_capture);
    require(last != nullptr && last->findings == states[id].findings);
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
}

// All that was read of it.
std::uint64_t analyse(const std::uint8_t* data, std::size_t size, bool keep_log) {
  Analyzer analyzer(small(keep_log));
  const Analysis& analysis = analyzer.analysis();
  Reader reader;
  EventBuffer buffer;
  Timeline timeline(analysis, 4, 8);
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

    reader.read(analyzer.add(segment), frame, analysis);
    if (const ConnectionState* const last = analysis.connection_of_last_segment()) {
      const ConnectionId id = last->id;
      require(id < analysis.connection_count());
      for (const Side side : {Side::a, Side::b}) {
        const auto begun = analysis.begun_in(id, side, frame);
        require(!begun || (begun->first_frame == frame && begun->header_octets >= begun->ddp.size()));
      }
    }
    if (keep_log) {
      look_back(analysis, frame, buffer);
      (void)timeline.state_after(connection, frame / 2);
    }
  }
  reader.read(analyzer.finish(), frame, analysis);
  if (keep_log) fold_anew(analysis, timeline);
  return reader.value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  require(analyse(data, size, true) == analyse(data, size, false));
  return 0;
}
