// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/closed_loop.hpp"

#include <numeric>
#include <sstream>

namespace iwarp::replay {

IpAddress host_address(std::uint32_t host) {
  IpAddress address;
  address.octets = {198, 18, static_cast<Byte>(host >> 8U), static_cast<Byte>(host + 1)};
  return address;
}

std::vector<std::uint32_t> conforming(const Plan& plan) {
  std::vector<std::uint32_t> streams;
  for (std::uint32_t i = 0; i < plan.streams.size(); ++i) {
    if (refusal(plan.streams[i]) == nullptr) streams.push_back(i);
  }
  return streams;
}

Plan many_of(const Plan& plan, std::uint32_t count) {
  Plan many = plan;
  many.streams.resize(1);
  for (std::uint32_t i = 1; i < count; ++i) {
    PlannedStream stream = plan.streams.at(0);
    stream.number = i;
    stream.endpoints[0].port = static_cast<std::uint16_t>(stream.endpoints[0].port + i);
    for (PlannedWork& work : stream.work) {
      for (Wait& wait : work.waits) wait.work.stream = i;
    }
    many.streams.push_back(std::move(stream));
  }
  return many;
}

LoopResult closed_loop(const Plan& plan, const LoopOptions& options) {
  LoopResult result;
  std::vector<std::uint32_t> streams = options.streams;
  if (streams.empty()) {
    streams.resize(plan.streams.size());
    std::iota(streams.begin(), streams.end(), 0U);
  }
  std::ostringstream file;
  CaptureWriter writer(file);
  PcapSink sink(writer);
  LiveLog log(&sink, UINT64_MAX);
  SimulatedNetwork network(options.network);
  if (options.made) options.made(network);
  const std::unique_ptr<CapturePoint> middle = options.middle ? options.middle(log) : nullptr;
  network.capture_in_the_middle(middle ? *middle : log);
  Placement placement;
  placement.network = [&](std::uint32_t host) -> Network& { return network.host(host_address(host)); };
  placement.listen_at = [&](std::uint32_t host) { return Endpoint{host_address(host), 0}; };
  {
    Replay replay(plan, streams, options.replay, placement);
    if (!replay.start(result.error)) return result;
    Network& clock = network.host(host_address(0));
    const TimeNs begun = clock.now();
    for (replay.run(); !replay.done(); replay.run()) {
      const TimeNs due = replay.next_due();
      if (!clock.wait(due) && clock.now() < due) replay.starve();
      if (replay.done()) break;
    }
    // What was said last is still on its way.
    const TimeNs end = clock.now() + 1'000'000;
    while (clock.wait(end)) replay.run();
    result.outcome = replay.outcome();
    result.troubles = replay.stage().troubles;
    result.waits = replay.waits();
    result.posted = replay.stage().posted;
    result.punctuality = replay.stage().punctuality;
    result.took = clock.now() - begun;
    result.logs = replay.arrange(log.finish());
  }
  result.found = log.found();
  const std::string octets = file.str();
  result.file.assign(octets.begin(), octets.end());
  return result;
}

}  // namespace iwarp::replay
