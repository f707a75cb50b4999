// Throughput of CRC32c over the sizes that matter: headers, one FPDU in a 1500-octet or jumbo segment, the
// longest FPDU. Fast choice and portable table.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <benchmark/benchmark.h>

#include <iwarp/wire/crc32c.hpp>

namespace {

using Crc = std::uint32_t (*)(iwarp::ByteView, std::uint32_t) noexcept;

void run(benchmark::State& state, Crc crc) {
  const auto size = static_cast<std::size_t>(state.range(0));
  iwarp::Bytes octets(size);
  for (std::size_t i = 0; i < size; ++i) octets[i] = static_cast<iwarp::Byte>(i * 131 + (i >> 8));
  std::uint32_t value = 0;
  for (auto _ : state) {
    // Each CRC goes on from the last: its latency counts, as it does for the pieces of a marked FPDU.
    value = crc(octets, value);
    benchmark::DoNotOptimize(value);
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const long size : {16, 64, 128, 256, 508, 1436, 1448, 4096, 8948, 64776}) bench->Arg(size);
}

void fast(benchmark::State& state) {
  run(state, iwarp::wire::crc32c);
}
void portable(benchmark::State& state) {
  run(state, iwarp::wire::crc32c_portable);
}

BENCHMARK(fast)->Apply(sizes);
BENCHMARK(portable)->Apply(sizes);

}  // namespace
