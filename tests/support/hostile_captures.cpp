// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/hostile_captures.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/pcap_file.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;
constexpr std::size_t mss = 1448;
constexpr std::size_t packet_overhead = 16 + 54;  // record header, Ethernet, IPv4, TCP

// How many packets of `payload` octets make a capture of `size`.
std::size_t packets(std::size_t size, std::size_t payload) {
  return size / (packet_overhead + payload);
}

const Startup with_crc{.crc = true, .word = Depths{.ird = 16383, .ord = 16383}};
const Startup without_crc{.crc = false, .word = Depths{.ird = 16383, .ord = 16383}};

Conversation started(const Startup& startup = with_crc) {
  Conversation c;
  c.handshake();
  c.startup(startup, startup);
  return c;
}

std::vector<OwnedSegment> of(const Conversation& c) {
  return c.segments();
}

std::vector<OwnedSegment> closed(Conversation& c) {
  c.close();
  return c.segments();
}

// --- open requests ---------------------------------------------------------------------------------------

// Reads of 8 octets, one behind the other in the same buffers.
Read read_of(std::size_t number) {
  Read read;
  read.sink_stag = 0xa100;
  read.sink_to = 0x1000 + 8 * number;
  read.size = 8;
  read.source_stag = 0xb200;
  read.source_to = 0x9000 + 8 * number;
  return read;
}

constexpr std::size_t read_fpdu = 52;
constexpr std::size_t terminate_fpdu = 76;
constexpr std::size_t answer_fpdu = 28;

void ask(Conversation& c, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    c.fpdu(a, read_request(static_cast<std::uint32_t>(i + 1), read_of(i)));
  }
}

std::vector<OwnedSegment> terminates_quote_last_read(std::size_t size) {
  Conversation c = started();
  const std::size_t count = packets(size / 3, read_fpdu);
  ask(c, count);
  const Bytes last = read_request(static_cast<std::uint32_t>(count + 9), read_of(count + 9));
  for (std::size_t i = 0; i < packets(2 * size / 3, terminate_fpdu); ++i)
    c.fpdu(b, terminate(0x0100, about(last, true)));
  return of(c);
}

std::vector<OwnedSegment> terminates_refuse_reads(std::size_t size) {
  Conversation c = started();
  const std::size_t count = packets(size, read_fpdu + terminate_fpdu);
  ask(c, count);
  for (std::size_t i = count; i > 0; --i) {
    const Bytes refused = read_request(static_cast<std::uint32_t>(i), read_of(i - 1));
    c.fpdu(b, terminate(0x0104, about(refused, true)));
  }
  return of(c);
}

std::vector<OwnedSegment> atomics_newest_first(std::size_t size) {
  Conversation c = started();
  const auto count = static_cast<std::uint32_t>(size / (2 * packet_overhead + 78 + 36));
  for (std::uint32_t i = 1; i <= count; ++i)
    c.fpdu(a, fetch_add(i, {.id = i, .stag = 7, .to = 64, .data = 1}));
  for (std::uint32_t i = count; i > 0; --i) c.fpdu(b, atomic_response(count - i + 1, i, 5));
  return closed(c);
}

std::vector<OwnedSegment> reads_newest_first(std::size_t size) {
  Conversation c = started();
  const std::size_t count = size / (2 * packet_overhead + read_fpdu + answer_fpdu);
  ask(c, count);
  for (std::size_t i = count; i > 0; --i) {
    c.fpdu(b, read_response(read_of(i - 1).sink_stag, read_of(i - 1).sink_to, pattern(8)));
  }
  return closed(c);
}

// Every second response is left out; then Reads are asked and answered one by one.
std::vector<OwnedSegment> reads_left_out(std::size_t size) {
  Conversation c = started();
  const std::size_t count = size / (4 * packet_overhead + 2 * (read_fpdu + answer_fpdu));
  const auto answer = [&c](std::size_t read) {
    c.fpdu(b, read_response(read_of(read).sink_stag, read_of(read).sink_to, pattern(8)));
  };
  ask(c, count);
  for (std::size_t i = 1; i < count; i += 2) answer(i);
  for (std::size_t i = count; i < 2 * count; ++i) {
    c.fpdu(a, read_request(static_cast<std::uint32_t>(i + 1), read_of(i)));
    answer(i);
  }
  return closed(c);
}

std::vector<OwnedSegment> answers_of_nothing(std::size_t size) {
  Conversation c = started();
  const std::size_t count = size / (2 * packet_overhead + read_fpdu + answer_fpdu);
  ask(c, count);
  for (std::size_t i = 0; i < count; ++i) c.fpdu(b, read_response(0xdead, 0x77000 + 8 * i, pattern(8)));
  return closed(c);
}

std::vector<OwnedSegment> atomic_answers_to_reads(std::size_t size) {
  Conversation c = started();
  const std::size_t count = size / (2 * packet_overhead + read_fpdu + 36);
  ask(c, count);
  for (std::uint32_t i = 1; i <= count; ++i) c.fpdu(b, atomic_response(i, i, 5));
  return closed(c);
}

// The responses' direction has a hole before them: the requests are looked for by what they asked.
std::vector<OwnedSegment> answers_behind_hole(std::size_t size) {
  Conversation c = started();
  const std::size_t count = size / (2 * packet_overhead + read_fpdu + answer_fpdu);
  ask(c, count);
  c.drop(c.fpdu(b, read_response(read_of(0).sink_stag, read_of(0).sink_to, pattern(8))));
  c.ack(a);
  for (std::size_t i = 0; i < count; ++i) c.fpdu(b, read_response(0xa100, 4 + 8 * i, pattern(8)));
  return closed(c);
}

// All Reads ask for the same, the answers may be to any.
std::vector<OwnedSegment> same_reads_behind_hole(std::size_t size) {
  Conversation c = started();
  const std::size_t count = size / (2 * packet_overhead + read_fpdu + answer_fpdu);
  for (std::uint32_t i = 1; i <= count; ++i) c.fpdu(a, read_request(i, read_of(0)));
  c.drop(c.fpdu(b, read_response(read_of(0).sink_stag, read_of(0).sink_to, pattern(8))));
  c.ack(a);
  for (std::size_t i = 1; i < count; ++i)
    c.fpdu(b, read_response(read_of(0).sink_stag, read_of(0).sink_to, pattern(8)));
  return closed(c);
}

// Reads in holes, shown by MSNs, and in front of all.
std::vector<OwnedSegment> atomics_behind_lost_reads(std::size_t size) {
  Conversation c = started();
  ask(c, 1);
  for (std::uint32_t i = 2; i <= 900; ++i) c.drop(c.fpdu(a, read_request(i, read_of(i))));
  const auto count = static_cast<std::uint32_t>(size / (2 * packet_overhead + 78 + 36));
  for (std::uint32_t i = 901; i <= 901 + count; ++i)
    c.fpdu(a, fetch_add(i, {.id = i, .stag = 7, .to = 64, .data = 1}));
  for (std::uint32_t i = 0; i < count; ++i) c.fpdu(b, atomic_response(i + 1, 900 + count - i, 5));
  return closed(c);
}

std::vector<OwnedSegment> reads_sent_again(std::size_t size) {
  Conversation c = started();
  const std::size_t count = packets(size / 3, read_fpdu);
  const StreamOffset from = c.sent(a);
  ask(c, count);
  for (std::size_t i = 0; i < packets(2 * size / 3, 4); ++i) c.resend(a, from + i % 1000, 4);
  return closed(c);
}

// --- damaged FPDUs and copies ----------------------------------------------------------------------------

std::vector<OwnedSegment> bad_crcs(std::size_t size) {
  Conversation c = started();
  std::uint32_t msn = 0;
  for (std::size_t i = 0; i < packets(size, mss); ++i) {
    Bytes octets;
    while (octets.size() + 40 <= mss) {
      const Bytes next = c.frame(a, send(++msn, pattern(8)), {.crc = Crc::wrong});
      octets.insert(octets.end(), next.begin(), next.end());
    }
    c.send(a, octets);
  }
  return closed(c);
}

// Long FPDUs with wrong CRCs, and their last octets again and again with other content.
std::vector<OwnedSegment> copies_of_bad_fpdus(std::size_t size) {
  Conversation c = started();
  constexpr std::size_t payload = 60000;
  constexpr unsigned copies = 30;  // of a segment that is remembered
  std::uint32_t msn = 0;
  for (std::size_t i = 0; i < size / (payload + (copies + 2) * packet_overhead); ++i) {
    const Bytes octets = c.frame(a, send(++msn, pattern(payload)), {.crc = Crc::wrong});
    c.send(a, part(octets, 0, octets.size() - 2));
    const StreamOffset at = c.sent(a);
    c.send(a, part(octets, octets.size() - 2));
    for (unsigned k = 0; k < copies; ++k) c.inject(a, at, {static_cast<Byte>(k), 0x5a});
  }
  return closed(c);
}

// A long segment with a wrong checksum waits, and right ones replace it two octets at a time.
std::vector<OwnedSegment> waiting_replaced(std::size_t size) {
  Conversation c = started();
  constexpr std::size_t whole = 48000;
  std::uint32_t msn = 0;
  for (std::size_t done = 0; done < size;) {
    for (int i = 0; i < 4; ++i) c.fpdu(a, send(++msn, pattern(8)));
    const Bytes octets = c.frame(a, send(++msn, pattern(whole)));
    const StreamOffset at = c.sent(a);
    const Packets first = c.send(a, octets);
    c.packet(first).meta.checksum = ChecksumStatus::bad;
    for (std::size_t i = 2; i + 2 < octets.size(); i += 4, done += packet_overhead + 2)
      c.resend(a, at + i, 2);
    c.resend(a, at, octets.size());
    done += 2 * whole;
  }
  return closed(c);
}

// --- waiting segments ------------------------------------------------------------------------------------

Packets octet_by_octet(Conversation& c, Side side, const Bytes& octets, std::size_t step) {
  return c.send(side, octets, Cuts::every(step));
}

std::vector<OwnedSegment> single_octets(std::size_t size) {
  Conversation c = started();
  std::uint32_t msn = 0;
  for (std::size_t done = 0; done < packets(size, 1); done += 6024)
    octet_by_octet(c, a, c.frame(a, send(++msn, pattern(6000))), 1);
  return closed(c);
}

// The capture has them backwards, `run` at a time.
std::vector<OwnedSegment> backwards(std::size_t size, std::size_t run, std::size_t step) {
  Conversation c = started();
  std::uint32_t msn = 0;
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for (std::size_t done = 0; done < packets(size, step);) {
    const Packets sent = octet_by_octet(c, a, c.frame(a, send(++msn, pattern(run * step - 24))), step);
    runs.emplace_back(sent.first, sent.count);
    done += sent.count;
  }
  c.close();
  std::vector<OwnedSegment> segments = c.segments();
  for (const auto& [first, count] : runs) {
    const auto begin = segments.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    std::vector<OwnedSegment> turned(std::make_reverse_iterator(end), std::make_reverse_iterator(begin));
    for (std::size_t i = 0; i < turned.size(); ++i) {
      turned[i].meta.frame = (begin + static_cast<std::ptrdiff_t>(i))->meta.frame;
      turned[i].meta.time_ns = (begin + static_cast<std::ptrdiff_t>(i))->meta.time_ns;
    }
    std::move(turned.begin(), turned.end(), begin);
  }
  return segments;
}

std::vector<OwnedSegment> backwards_octets(std::size_t size) {
  return backwards(size, 5000, 1);
}

std::vector<OwnedSegment> backwards_segments(std::size_t size) {
  return backwards(size, 40, mss);
}

// Every other segment was never captured.
std::vector<OwnedSegment> holes(std::size_t size) {
  Conversation c = started();
  std::uint32_t msn = 0;
  for (std::size_t i = 0; i < packets(size, 28); ++i) {
    c.fpdu(a, send(++msn, pattern(4)));
    c.drop(c.fpdu(a, send(++msn, pattern(4))));
  }
  return closed(c);
}

// One direction acknowledges what the capture shows of the other one two hundred segments later.
std::vector<OwnedSegment> directions_out_of_step(std::size_t size) {
  Conversation c = started();
  std::uint32_t msn = 0;
  constexpr std::size_t run = 240;
  const std::size_t runs = packets(size, 28) / (2 * run);
  for (std::size_t i = 0; i < runs; ++i) {
    for (std::size_t k = 1; k <= run; ++k) c.fpdu(a, send(msn + static_cast<std::uint32_t>(k), pattern(4)));
    for (std::size_t k = 1; k <= run; ++k) c.fpdu(b, send(msn + static_cast<std::uint32_t>(k), pattern(4)));
    msn += run;
  }
  c.close();
  std::vector<OwnedSegment> segments = c.segments();
  constexpr std::size_t front = 5;  // handshake and start-up
  for (std::size_t i = 0; i < runs; ++i) {
    const auto begin = segments.begin() + static_cast<std::ptrdiff_t>(front + i * 2 * run);
    const auto middle = begin + run;
    const auto end = middle + run;
    std::vector<OwnedSegment> turned(middle, end);
    turned.insert(turned.end(), begin, middle);
    for (std::size_t k = 0; k < turned.size(); ++k) {
      turned[k].meta.frame = (begin + static_cast<std::ptrdiff_t>(k))->meta.frame;
      turned[k].meta.time_ns = (begin + static_cast<std::ptrdiff_t>(k))->meta.time_ns;
    }
    std::move(turned.begin(), turned.end(), begin);
  }
  return segments;
}

std::vector<OwnedSegment> copies_of_short_segments(std::size_t size) {
  Conversation c = started();
  std::uint32_t msn = 0;
  for (std::size_t i = 0; i < size / (40 * packet_overhead);) {
    const Bytes octets = c.frame(a, send(++msn, pattern(8)));
    const StreamOffset at = c.sent(a);
    octet_by_octet(c, a, octets, 2);
    for (int k = 0; k < 20; ++k) c.resend(a, at, octets.size());
    ++i;
  }
  return closed(c);
}

// --- searches --------------------------------------------------------------------------------------------

// A capture that began mid-stream: nothing tells modes, and `octets` come in segments of `step`.
std::vector<OwnedSegment> midstream(const Bytes& octets, std::size_t step) {
  Conversation c;
  octet_by_octet(c, a, octets, step);
  return of(c);
}

Bytes repeated(std::string_view digits, std::size_t count) {
  const Bytes once = hex(digits);
  Bytes out;
  out.reserve(count + once.size());
  while (out.size() < count) out.insert(out.end(), once.begin(), once.end());
  out.resize(count);
  return out;
}

// A long message behind which the stream is searched without an end: framing known to be in use, lost.
Conversation lost(const Startup& startup = with_crc) {
  Conversation c = started(startup);
  c.fpdu(a, send(1, pattern(100)));
  c.drop(c.fpdu(a, send(2, pattern(4000))));
  c.ack(b);
  return c;
}

// The payload of Writes whose FPDUs are never found: more than 4 MiB of them end a search where nothing
// showed yet that this is iWARP, so framing is known to be in use here.
std::vector<OwnedSegment> lost_in(const Bytes& octets, std::size_t step, const Startup& startup = with_crc) {
  Conversation c = lost(startup);
  octet_by_octet(c, a, octets, step);
  return of(c);
}

std::vector<OwnedSegment> midstream_zeros(std::size_t size) {
  return midstream(zeros(packets(size, mss) * mss), mss);
}

// Connections that are joined in zeros one after the other: 4 MiB of each are searched.
std::vector<OwnedSegment> many_midstream(std::size_t size, const Bytes& each, std::size_t step) {
  std::vector<OwnedSegment> all;
  TimeNs start = 1'700'000'000'000'000'000;
  for (std::uint16_t port = 20000; all.size() < packets(size, step); ++port) {
    Conversation::Options options;
    options.a = endpoint("192.0.2.1", port);
    options.start_ns = start;
    Conversation c(options);
    octet_by_octet(c, a, each, step);
    for (OwnedSegment& segment : c.segments()) {
      segment.meta.frame = all.size() + 1;
      start = segment.meta.time_ns + 10'000;
      all.push_back(std::move(segment));
    }
  }
  return all;
}

std::vector<OwnedSegment> midstream_many_zeros(std::size_t size) {
  return many_midstream(size, zeros(std::size_t{3} << 20U), mss);
}

// Busy for a moment, then idle.
std::vector<OwnedSegment> midstream_many_idle(std::size_t size) {
  return many_midstream(size, zeros(std::size_t{3} * mss), mss);
}

// Captures of so many segments each, one after the other: all at once, a segment of each in turn.
std::vector<OwnedSegment> in_turns(std::vector<OwnedSegment> all, std::size_t each) {
  std::stable_sort(all.begin(), all.end(), [each](const OwnedSegment& one, const OwnedSegment& other) {
    return (one.meta.frame - 1) % each < (other.meta.frame - 1) % each;
  });
  for (std::size_t at = 0; at < all.size(); ++at) {
    all[at].meta.frame = at + 1;
    all[at].meta.time_ns = 1'700'000'000'000'000'000 + static_cast<TimeNs>(at) * 10'000;
  }
  return all;
}

std::vector<OwnedSegment> midstream_at_once(std::size_t size) {
  constexpr std::size_t each = 20;
  return in_turns(many_midstream(size, pattern(each * mss), mss), each);
}

constexpr std::size_t busy_streams = 400;

std::vector<OwnedSegment> midstream_in_turns(std::size_t size) {
  constexpr std::size_t octets = 100;
  const std::size_t each = std::max<std::size_t>(size / busy_streams / (octets + 70), 1);
  return in_turns(many_midstream(size, zeros(each * octets), octets), each);
}

std::vector<OwnedSegment> waiting_in_turns(std::size_t size) {
  Conversation one;
  one.handshake();
  one.startup();
  one.drop(one.fpdu(Side::a, send(1, pattern(8))));
  const std::size_t each = std::max<std::size_t>(size / busy_streams / 100, 1);
  for (std::uint32_t msn = 2; msn < each; ++msn) one.fpdu(Side::a, send(msn, pattern(8)));
  const std::vector<OwnedSegment> stream = one.segments();
  std::vector<OwnedSegment> all;
  all.reserve(busy_streams * stream.size());
  for (std::size_t client = 0; client < busy_streams; ++client) {
    for (OwnedSegment segment : stream) {
      const bool from_client = segment.meta.source == stream.front().meta.source;
      (from_client ? segment.meta.source : segment.meta.destination).port =
          static_cast<std::uint16_t>(1024 + client);
      segment.meta.frame = all.size() + 1;
      all.push_back(std::move(segment));
    }
  }
  return in_turns(std::move(all), stream.size());
}

std::vector<OwnedSegment> midstream_text(std::size_t size) {
  return many_midstream(
      size, repeated("47 45 54 20 2f 20 48 54 54 50 2f 31 2e 31 0d 0a", std::size_t{3} << 20U), mss);
}

std::vector<OwnedSegment> midstream_pattern(std::size_t size) {
  return many_midstream(size, pattern(std::size_t{3} << 20U), mss);
}

// Each second octet begins what looks like an FPDU of 33 kB, or of 49 kB.
std::vector<OwnedSegment> midstream_headers(std::size_t size) {
  return many_midstream(size, repeated("81 40", std::size_t{3} << 20U), mss);
}

std::vector<OwnedSegment> midstream_by_two(std::size_t size) {
  return midstream(repeated("00 01", packets(size, 2) * 2), 2);
}

// Of 60 000 octets 42 were captured, again and again.
std::vector<OwnedSegment> midstream_holes(std::size_t size) {
  constexpr std::uint32_t captured = 42;
  constexpr std::uint32_t sent = 60'000;
  std::vector<OwnedSegment> all = many_midstream(size, zeros(20'000 * captured), captured);
  std::uint32_t first = 0;
  std::uint16_t port = 0;
  for (OwnedSegment& segment : all) {
    if (std::exchange(port, segment.meta.source.port) != segment.meta.source.port)
      first = segment.meta.sequence;
    segment.meta.sequence = first + (segment.meta.sequence - first) / captured * sent;
  }
  return all;
}

std::vector<OwnedSegment> lost_in_zeros(std::size_t size) {
  return lost_in(zeros(packets(size, mss) * mss), mss);
}

std::vector<OwnedSegment> lost_in_headers(std::size_t size) {
  return lost_in(repeated("c1 40", packets(size, mss) * mss), mss);
}

std::vector<OwnedSegment> lost_in_short_headers(std::size_t size) {
  return lost_in(repeated("00 0e c1 40", packets(size, mss) * mss), mss);
}

std::vector<OwnedSegment> lost_in_headers_by_two(std::size_t size) {
  return lost_in(repeated("c1 40", packets(size, 2) * 2), 2);
}

std::vector<OwnedSegment> lost_in_short_chains(std::size_t size) {
  // Headers that lead to each other for 400 octets, and break off.
  Bytes octets = repeated("00 0e c1 40", 400);
  octets.insert(octets.end(), 100, Byte{0xff});
  Bytes all;
  const std::size_t count = packets(size, mss) * mss;
  while (all.size() < count) all.insert(all.end(), octets.begin(), octets.end());
  return lost_in(all, mss, without_crc);
}

std::vector<OwnedSegment> midstream_short_chains(std::size_t size) {
  Bytes octets = repeated("00 0e c1 40", 400);
  octets.insert(octets.end(), 100, Byte{0xff});
  Bytes all;
  while (all.size() < std::size_t{3} << 20U) all.insert(all.end(), octets.begin(), octets.end());
  return many_midstream(size, all, mss);
}

// FPDUs with right CRCs and MSNs that cannot be the stream's next ones.
Bytes stored(std::size_t count, std::size_t payload) {
  Bytes all;
  for (std::uint32_t msn = 0x40000000; all.size() < count; ++msn) {
    const Bytes next = fpdu(send(msn, pattern(payload)));
    all.insert(all.end(), next.begin(), next.end());
  }
  return all;
}

std::vector<OwnedSegment> lost_in_stored_by_two(std::size_t size) {
  Bytes octets;
  while (octets.size() < packets(size, 2) * 2) {
    const Bytes run = stored(40000, 4);
    octets.insert(octets.end(), run.begin(), run.end());
    octets.insert(octets.end(), 300, Byte{0xff});
  }
  octets.resize(packets(size, 2) * 2);
  return lost_in(octets, 2);
}

// Two good FPDUs, then other octets, again and again.
Bytes broken_pairs(std::size_t count) {
  Bytes all;
  for (std::uint64_t to = 0; all.size() < count; to += 16) {
    for (int i = 0; i < 2; ++i) {
      const Bytes next = fpdu(write(0x77, to, pattern(8)));
      all.insert(all.end(), next.begin(), next.end());
    }
    all.insert(all.end(), 44, Byte{0xff});
  }
  return all;
}

std::vector<OwnedSegment> lost_in_broken_pairs(std::size_t size) {
  return lost_in(broken_pairs(packets(size, mss) * mss), mss);
}

std::vector<OwnedSegment> lost_in_broken_pairs_by_four(std::size_t size) {
  return lost_in(broken_pairs(packets(size, 4) * 4), 4);
}

// A ULPDU_Length beyond every ULPDU's, and segments inside that begin as FPDUs do.
std::vector<OwnedSegment> doubted_lengths(std::size_t size) {
  Conversation c = started(without_crc);
  std::uint32_t msn = 0;
  for (std::size_t done = 0; done < size; done += 65000 + packet_overhead * 65000 / 28) {
    Bytes whole = c.frame(a, send(++msn, pattern(4)), {.crc = Crc::unused, .length = 65400});
    while (whole.size() < 65408) {
      const Bytes inner = fpdu(send(0x10000 + msn, pattern(4)), {.crc = Crc::unused});
      whole.insert(whole.end(), inner.begin(), inner.end());
      if (whole.size() % 2800 < 28) whole[whole.size() - 26] ^= 0x3f;
    }
    whole.resize(65408);
    octet_by_octet(c, a, whole, 28);
  }
  return closed(c);
}

// FPDUs that are just too short for a header, packed.
std::vector<OwnedSegment> malformed(std::size_t size) {
  Conversation c = started();
  const Bytes once = fpdu(hex("4140"));
  Bytes octets;
  while (octets.size() + once.size() <= mss) octets.insert(octets.end(), once.begin(), once.end());
  for (std::size_t i = 0; i < packets(size, octets.size()); ++i) c.send(a, octets);
  return closed(c);
}

// Many start-ups on one connection.
std::vector<OwnedSegment> startups(std::size_t size) {
  Conversation c;
  c.handshake();
  for (std::size_t i = 0; i < packets(size, 24) / 2; ++i) c.startup(with_crc, with_crc);
  return closed(c);
}

// Segments of the message in reversed order of MO.
std::vector<OwnedSegment> sends_reversed(std::size_t size) {
  Conversation c = started();
  std::uint32_t msn = 1;
  for (std::size_t i = 0; i < packets(size, 28) / 1000 + 1; ++i, ++msn) {
    for (std::uint32_t k = 1000; k > 0; --k)
      c.fpdu(a, send(msn, pattern(4), {.last = k == 1000, .mo = 4 * (k - 1)}));
  }
  return closed(c);
}

std::vector<OwnedSegment> writes_interleaved(std::size_t size) {
  Conversation c = started();
  for (std::uint32_t i = 0; i < packets(size, 28); ++i)
    c.fpdu(a, write(0x100 + i % 7, 0x1000 + 8 * (i / 7), pattern(8), {.last = false}));
  return closed(c);
}

// Keys of a start-up frame quoted in another protocol's octets.
std::vector<OwnedSegment> quoted_keys(std::size_t size) {
  Conversation c;
  c.handshake();
  c.send(a, text("GET / HTTP/1.1\r\n"));
  c.send(b, text("HTTP/1.1 200 OK\r\n"));
  Bytes octets;
  while (octets.size() < packets(size, mss) * mss) {
    const Bytes key = text("MPA ID Req Frame");
    octets.insert(octets.end(), key.begin(), key.end());
  }
  octet_by_octet(c, b, octets, mss);
  return closed(c);
}

std::vector<OwnedSegment> key_begun(std::size_t size) {
  Conversation c;
  c.handshake();
  c.send(a, text("GET / HTTP/1.1\r\n"));
  c.send(b, text("HTTP/1.1 200 OK\r\n"));
  octet_by_octet(c, b, repeated("4d504120494420526571", packets(size, 2) * 2), 2);
  return closed(c);
}

// --- yardsticks ------------------------------------------------------------------------------------------

// Nothing is wrong: Writes of `payload` octets, back to back, in segments of `step`. What the others cost for
// a segment or an FPDU is to be compared with these.
std::vector<OwnedSegment> healthy(std::size_t size, std::size_t payload, std::size_t step) {
  Conversation c = started();
  c.fpdu(a, send(1, pattern(8)));
  const Bytes once = fpdu(write(0x77, 0x1000, pattern(payload)));
  const std::size_t count = packets(size, step) * step;
  Bytes octets;
  while (octets.size() + once.size() <= count) octets.insert(octets.end(), once.begin(), once.end());
  octet_by_octet(c, a, octets, step);
  return closed(c);
}

std::vector<OwnedSegment> healthy_by_two(std::size_t size) {
  return healthy(size, 4, 2);
}

std::vector<OwnedSegment> healthy_small_segments(std::size_t size) {
  return healthy(size, 8, 28);
}

std::vector<OwnedSegment> healthy_shortest(std::size_t size) {
  return healthy(size, 0, mss);
}

std::vector<OwnedSegment> healthy_short(std::size_t size) {
  return healthy(size, 20, mss);
}

const std::vector<HostileCapture> captures = {
    {"terminates-quote-read", "Terminates that quote a Read behind many open ones",
     terminates_quote_last_read},
    {"terminates-refuse-reads", "Terminates that refuse each of many open Reads, the latest first",
     terminates_refuse_reads},
    {"atomics-newest-first", "Atomics answered newest first", atomics_newest_first},
    {"reads-newest-first", "Reads answered newest first", reads_newest_first},
    {"reads-left-out", "every second of many open Reads never answered, others behind them", reads_left_out},
    {"answers-of-nothing", "Read Responses that no open Read asked for", answers_of_nothing},
    {"atomic-answers-to-reads", "Atomic Responses where only Reads are open", atomic_answers_to_reads},
    {"answers-behind-hole", "Read Responses behind a hole that fit no open Read", answers_behind_hole},
    {"same-reads-behind-hole", "answers behind a hole to Reads that all ask for the same",
     same_reads_behind_hole},
    {"atomics-behind-lost-reads", "Atomics answered newest first behind Reads that lay in a hole",
     atomics_behind_lost_reads},
    {"reads-sent-again", "old octets sent again while many Reads are open", reads_sent_again},
    {"bad-crcs", "short FPDUs with wrong CRCs", bad_crcs},
    {"copies-of-bad-fpdus", "copies that differ, behind long FPDUs with wrong CRCs", copies_of_bad_fpdus},
    {"waiting-replaced", "a long waiting segment replaced piece by piece", waiting_replaced},
    {"single-octets", "segments of one octet", single_octets},
    {"backwards-octets", "segments of one octet, the last one first", backwards_octets},
    {"backwards-segments", "whole segments, the last one first", backwards_segments},
    {"holes", "every other segment never captured", holes},
    {"out-of-step", "one direction captured long behind the other", directions_out_of_step},
    {"copies-of-short-segments", "octets of short segments sent again in one", copies_of_short_segments},
    {"midstream-zeros", "a stream joined in zeros", midstream_zeros},
    {"midstream-many-zeros", "streams joined in zeros, one after the other", midstream_many_zeros},
    {"midstream-many-idle", "streams joined in three segments of zeros, idle afterwards",
     midstream_many_idle},
    {"midstream-at-once", "streams joined in twenty segments, all at once", midstream_at_once},
    {"midstream-in-turns", "400 streams joined in zeros, a short segment of each in turn",
     midstream_in_turns},
    {"waiting-in-turns", "400 streams whose short segments wait behind a hole, in turn", waiting_in_turns},
    {"midstream-text", "streams joined in text", midstream_text},
    {"midstream-pattern", "streams joined in octets without a pattern", midstream_pattern},
    {"midstream-headers", "streams joined in octets that all may begin long FPDUs", midstream_headers},
    {"midstream-by-two", "a stream joined in lengths, in segments of two octets", midstream_by_two},
    {"midstream-holes", "streams joined of which 42 of 60 000 octets were captured", midstream_holes},
    {"midstream-short-chains", "streams joined in headers that lead to each other and break off",
     midstream_short_chains},
    {"lost-in-zeros", "zeros behind a hole", lost_in_zeros},
    {"lost-in-headers", "octets behind a hole that all may begin long FPDUs", lost_in_headers},
    {"lost-in-short-headers", "octets behind a hole that all may begin short FPDUs", lost_in_short_headers},
    {"lost-in-headers-by-two", "the same in segments of two octets", lost_in_headers_by_two},
    {"lost-in-short-chains", "headers behind a hole that lead to each other and break off",
     lost_in_short_chains},
    {"lost-in-stored-by-two", "FPDUs of another stream behind a hole, in segments of two octets",
     lost_in_stored_by_two},
    {"lost-in-broken-pairs", "pairs of right FPDUs behind a hole between other octets", lost_in_broken_pairs},
    {"lost-in-broken-pairs-by-four", "the same in segments of four octets", lost_in_broken_pairs_by_four},
    {"doubted-lengths", "FPDUs longer than any, with others inside", doubted_lengths},
    {"malformed", "FPDUs too short for a header", malformed},
    {"startups", "start-ups one after the other", startups},
    {"sends-reversed", "messages whose segments come in reversed order", sends_reversed},
    {"writes-interleaved", "Writes interleaved with each other", writes_interleaved},
    {"quoted-keys", "keys of start-up frames in another protocol", quoted_keys},
    {"keys-begun", "beginnings of keys, in segments of two octets", key_begun},
    {"healthy-by-two", "nothing: right FPDUs in segments of two octets", healthy_by_two},
    {"healthy-small-segments", "nothing: a right FPDU of 28 octets in each segment", healthy_small_segments},
    {"healthy-shortest", "nothing: right FPDUs of 20 octets, packed", healthy_shortest},
    {"healthy-short", "nothing: right FPDUs of 40 octets, packed", healthy_short},
};

}  // namespace

const std::vector<HostileCapture>& hostile_captures() {
  return captures;
}

std::vector<OwnedSegment> hostile_capture(const char* name, std::size_t size) {
  for (const HostileCapture& each : captures) {
    if (std::strcmp(each.name, name) == 0) return each.make(size);
  }
  std::fprintf(stderr, "hostile_capture: there is none called %s\n", name);
  std::abort();
}

}  // namespace iwarp::test
