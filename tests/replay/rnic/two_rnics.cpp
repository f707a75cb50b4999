// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/rnic/two_rnics.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <iwarp/wire/mpa.hpp>
#include <iwarp/wire/rdmap.hpp>

namespace iwarp::rnic::test {

End::End(const EndOptions& wanted) : options(wanted), rnic(wanted.rnic), memory(wanted.memory) {
  pd = rnic.allocate_pd().value;
  send_cq = rnic.create_cq(options.cqes).value;
  receive_cq = rnic.create_cq(options.cqes).value;
  options.qp.pd = pd;
  options.qp.send_cq = send_cq;
  options.qp.receive_cq = receive_cq;
  const auto made = rnic.create_qp(options.qp);
  EXPECT_EQ(made.status, Status::ok);
  qp = made.value;
  Mapping mapping;
  mapping.buffers = contiguous(memory.data(), memory.size());
  mapping.length = memory.size();
  mapping.virtual_address = region_base;
  mapping.rights = options.rights;
  const auto region = rnic.register_region(pd, region_key, true, mapping);
  EXPECT_EQ(region.status, Status::ok);
  stag = region.value;
}

void End::open(TimeNs now) {
  stream = rnic.open_stream(options.stream, now);
}
Status End::ready() {
  return rnic.modify_qp(qp, {.next = QpState::rts, .stream = stream});
}

namespace {
std::vector<WorkCompletion> drain(SoftRnic& rnic, CqId cq) {
  std::vector<WorkCompletion> all;
  for (auto next = rnic.poll_cq(cq); next; next = rnic.poll_cq(cq)) all.push_back(next.value);
  return all;
}
}  // namespace

std::vector<WorkCompletion> End::sends() {
  return drain(rnic, send_cq);
}
std::vector<WorkCompletion> End::receives() {
  return drain(rnic, receive_cq);
}

std::vector<AsyncEventKind> End::events() {
  std::vector<AsyncEventKind> all;
  while (const auto event = rnic.poll_event()) all.push_back(event->kind);
  return all;
}

std::vector<StreamEventKind> End::stream_events() {
  std::vector<StreamEventKind> all;
  while (const auto event = rnic.poll_stream_event()) all.push_back(event->kind);
  return all;
}

void Wire::fetch(unsigned from) {
  End& end = *ends_[from];
  for (;;) {
    const Output output = end.rnic.poll_output(end.stream, now);
    if (output.kind == OutputKind::none) return;
    if (output.kind == OutputKind::octets) {
      ways_[from].octets.insert(ways_[from].octets.end(), output.octets.begin(), output.octets.end());
      sent[from].insert(sent[from].end(), output.octets.begin(), output.octets.end());
    } else {
      if (output.kind == OutputKind::reset) ways_[from].octets.clear();
      ways_[from].closes.push_back(output.kind);
      closes[from].push_back(output.kind);
    }
  }
}

bool Wire::step(unsigned from) {
  fetch(from);
  Way& way = ways_[from];
  End& to = *ends_[1 - from];
  now += 1000;
  if (!way.octets.empty()) {
    const std::size_t piece = std::clamp<std::size_t>(cut(way.octets.size()), 1, way.octets.size());
    const Bytes octets(way.octets.begin(), way.octets.begin() + static_cast<std::ptrdiff_t>(piece));
    way.octets.erase(way.octets.begin(), way.octets.begin() + static_cast<std::ptrdiff_t>(piece));
    on_octets(from, octets);
    to.rnic.handle_input(to.stream, octets, now);
    return true;
  }
  if (!way.closes.empty()) {
    const OutputKind kind = way.closes.front();
    way.closes.erase(way.closes.begin());
    on_close(from, kind);
    to.rnic.handle_close(to.stream, kind == OutputKind::reset ? StreamClose::reset : StreamClose::graceful,
                         now);
    return true;
  }
  return false;
}

void Wire::run() {
  for (bool first = true, second = true; first || second;) {
    first = step(0);
    second = step(1);
  }
}

void connect(End& a, End& b, Wire& wire) {
  a.options.stream.role = Role::initiator;
  b.options.stream.role = Role::responder;
  a.open(wire.now);
  b.open(wire.now);
  EXPECT_EQ(b.ready(), Status::ok);
  EXPECT_EQ(a.ready(), Status::ok);
  wire.run();
}

EndOptions rev1(Role role, EndOptions options) {
  options.stream.role = role;
  options.stream.mpa.revision = 1;
  return options;
}

Bench::Bench(Role role, EndOptions options)
    : end([&] {
        options.stream.role = role;
        if (!options.stream.mpa.peer_to_peer) options.stream.mpa.revision = 1;
        return options;
      }()) {
  end.open();
  EXPECT_EQ(end.ready(), Status::ok);
  Startup frame;
  frame.crc = end.options.stream.mpa.crc;
  if (end.options.stream.mpa.peer_to_peer) {
    frame.word = Depths{
        .peer_to_peer = true, .rtr_send = true, .rtr_write = true, .rtr_read = true, .ird = 8, .ord = 8};
  }
  const Output first = end.rnic.poll_output(end.stream, now);
  if (role == Role::initiator) {
    EXPECT_EQ(first.kind, OutputKind::octets);
    input(reply_frame(frame));
  } else {
    EXPECT_EQ(first.kind, OutputKind::none);
    input(request_frame(frame));
    EXPECT_EQ(end.rnic.poll_output(end.stream, now).kind, OutputKind::octets);
  }
  peer_ = FpduStream(end.options.stream.mpa.markers ? Markers::on : Markers::off, 0,
                     {.crc = frame.crc ? Crc::right : Crc::unused});
}

std::vector<Bytes> Bench::output() {
  std::vector<Bytes> all;
  for (;;) {
    const Output output = end.rnic.poll_output(end.stream, now);
    if (output.kind == OutputKind::none) return all;
    closed = closed || output.kind == OutputKind::close_graceful;
    reset = reset || output.kind == OutputKind::reset;
    if (output.kind != OutputKind::octets) continue;
    const std::size_t length = load_be16(output.octets.data());
    const Bytes ulpdu = part(output.octets, 2, length);
    EXPECT_EQ(to_hex(output.octets), to_hex(fpdu(ulpdu)));
    all.push_back(ulpdu);
  }
}

int Bench::terminate_code() {
  int found = 0;
  for (const Bytes& ulpdu : output()) {
    if ((ulpdu[1] & 0x0f) != 7) continue;
    last_terminate = ulpdu;
    found = found == 0 ? load_be16(ulpdu.data() + 18) : -1;
    if (found == 0) found = 0x10000;  // code 0000 is one, too
  }
  return found;
}

}  // namespace iwarp::rnic::test
