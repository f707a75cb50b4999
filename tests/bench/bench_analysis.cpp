// Framing, header parsing and the fold, each by itself, on RDMA Writes in FPDUs of one 1448-octet segment and
// on 64-octet Sends.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <benchmark/benchmark.h>

#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/wire/crc32c.hpp>
#include <iwarp/wire/ddp.hpp>
#include <iwarp/wire/mpa.hpp>

#include "mpa/framer.hpp"

namespace {

using namespace iwarp;

Bytes fpdu(const wire::DdpHeader& ddp, std::size_t payload) {
  Bytes octets(2);
  wire::encode(ddp, octets);
  octets.resize(octets.size() + payload, Byte{0x5a});
  const auto ulpdu = static_cast<std::uint16_t>(octets.size() - 2);
  store_be16(octets.data(), ulpdu);
  octets.resize(octets.size() + wire::pad_size(ulpdu));
  const std::uint32_t crc = wire::crc32c(octets);
  octets.resize(octets.size() + wire::crc_size);
  store_le32(octets.data() + octets.size() - wire::crc_size, crc);
  return octets;
}

Bytes write_fpdu(std::uint64_t to) {
  wire::DdpHeader ddp;
  ddp.ddp_control = 0xc1;
  ddp.rdmap_control = 0x40;
  ddp.stag = 0x1234ab01;
  ddp.to = to;
  return fpdu(ddp, 1428);
}

Bytes send_fpdu(std::uint32_t msn) {
  wire::DdpHeader ddp;
  ddp.ddp_control = 0x41;
  ddp.rdmap_control = 0x43;
  ddp.msn = msn;
  return fpdu(ddp, 64);
}

// Segments of one direction: 512 FPDUs, each in one piece.
std::vector<Bytes> segments(bool large) {
  std::vector<Bytes> made;
  for (std::uint32_t i = 0; i < 512; ++i) made.push_back(large ? write_fpdu(i * 1428U) : send_fpdu(i + 1));
  return made;
}

void frame(benchmark::State& state) {
  const std::vector<Bytes> stream = segments(state.range(0) != 0);
  mpa::FramerParameters parameters;
  parameters.crc = Mode::on;
  std::int64_t octets = 0;
  std::int64_t fpdus = 0;
  for (auto _ : state) {
    mpa::Framer framer;
    framer.begin(parameters, 0);
    for (const Bytes& segment : stream) {
      framer.push(segment, true);
      while (framer.poll() == mpa::Framer::Output::fpdu) ++fpdus;
      octets += static_cast<std::int64_t>(segment.size());
    }
  }
  state.SetBytesProcessed(octets);
  state.SetItemsProcessed(fpdus);
}
BENCHMARK(frame)->ArgName("large")->Arg(0)->Arg(1);

void parse(benchmark::State& state) {
  const Bytes octets = write_fpdu(0x7f0000001000);
  const ByteView ulpdu = ByteView(octets).subspan(wire::length_field_size);
  for (auto _ : state) benchmark::DoNotOptimize(wire::parse_ddp(ulpdu));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(parse);

// The log of one connection with a handshake, a start-up and these segments.
std::vector<Event> log_of(bool large) {
  Analyzer analyzer;
  std::vector<Event> log;
  TcpSegment segment;
  segment.source.port = 40000;
  segment.destination.port = 18515;
  const auto add = [&](const Bytes& payload, std::uint8_t flags) {
    ++segment.frame;
    segment.time_ns += 10'000;
    segment.flags = flags;
    segment.payload = payload;
    segment.wire_length = static_cast<std::uint32_t>(payload.size());
    const Events events = analyzer.add(segment);
    log.insert(log.end(), events.begin(), events.end());
    segment.sequence += segment.wire_length + ((flags & tcp::syn) != 0 ? 1U : 0U);
  };
  add({}, tcp::syn);
  wire::StartupFrame request;
  request.crc = true;
  request.revision = 1;
  Bytes octets;
  wire::encode(request, octets);
  add(octets, tcp::psh);
  for (const Bytes& each : segments(large)) add(each, tcp::psh);
  return log;
}

void fold(benchmark::State& state) {
  const std::vector<Event> log = log_of(state.range(0) != 0);
  for (auto _ : state) {
    ConnectionState folded;
    for (const Event& event : log) apply(folded, event);
    benchmark::DoNotOptimize(folded);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(log.size()));
}
BENCHMARK(fold)->ArgName("large")->Arg(0)->Arg(1);

}  // namespace
