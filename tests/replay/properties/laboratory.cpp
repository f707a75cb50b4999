// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/properties/laboratory.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace iwarp::rnic::test {
namespace {

using replay::Fault;

replay::SimulatedOptions network_of_dice(Dice& dice, bool bad) {
  replay::SimulatedOptions options;
  options.seed = dice.word();
  if (dice.one_in(2)) options.bits_per_second = dice.between(10, 2000) * 1'000'000ULL;
  options.faults.delay = dice.between(1, 3000) * 1000;
  if (!bad) return options;
  options.faults.jitter = dice.below(200) * 1000;
  const auto rule = [&](Fault fault, unsigned percent) {
    if (dice.one_in(2))
      options.faults.rules.push_back({.fault = fault, .probability = dice.below(percent) / 100.0});
  };
  rule(Fault::loss, 5);
  rule(Fault::duplication, 10);
  rule(Fault::reordering, 15);
  rule(Fault::corruption, 3);
  rule(Fault::splitting, 40);
  rule(Fault::coalescing, 40);
  options.tcp.retransmission.max = 2 * second;
  return options;
}

replay::SimulatedOptions network_options(Dice& dice, const LaboratoryOptions& wanted) {
  replay::SimulatedOptions options = network_of_dice(dice, wanted.bad_network);
  wanted.network(options);
  return options;
}

RnicOptions rnic_options(Dice& dice) {
  RnicOptions options;
  options.seed = dice.word();
  options.flush_batch = dice.one_in(3) ? dice.between(1, 5) : 0;
  return options;
}

}  // namespace

IpAddress address_of_host(unsigned which) {
  IpAddress made;
  made.octets[0] = 192;
  made.octets[2] = 2;
  made.octets[3] = static_cast<Byte>(which + 1);
  return made;
}

Host::Host(const RnicOptions& rnic_options, replay::Network& net, Dice& dice)
    : rnic(rnic_options), network(net), pd(rnic.allocate_pd().value) {
  pool.base = dice.word() >> 8;
  Mapping mapping;
  mapping.buffers = contiguous(pool.memory.data(), pool.memory.size());
  mapping.length = pool.memory.size();
  mapping.virtual_address = pool.base;
  mapping.rights = access::local;
  pool.stag = rnic.register_region(pd, 7, false, mapping).value;
  shared_cq = rnic.create_cq(4096).value;
}

Laboratory::Laboratory(std::uint64_t seed, const LaboratoryOptions& wanted)
    : dice(seed), options(wanted), network(network_options(dice, wanted)) {
  for (unsigned which : {0U, 1U}) {
    replay::TcpOptions tcp;
    tcp.retransmission.max = 2 * second;
    if (dice.one_in(2)) tcp.max_segment = static_cast<std::uint16_t>(dice.between(256, 9000));
    if (dice.one_in(3)) tcp.receive_buffer = dice.between(16384, 100000);
    if (dice.one_in(3)) tcp.send_buffer = dice.between(16384, 100000);
    replay::Network& net = network.host(address_of_host(which), tcp);
    hosts[which] = std::make_unique<Host>(rnic_options(dice), net, dice);
    if (!options.own_queues && dice.one_in(3)) {
      hosts[which]->srq =
          hosts[which]->rnic.create_srq({.pd = hosts[which]->pd, .max_wrs = 4096, .max_sges = 4}).value;
    }
  }
  for (std::uint32_t count = 0; count < options.pairs; ++count) add_pair();
}

void Laboratory::add_pair() {
  auto pair = std::make_unique<Pair>();
  for (unsigned which : {0U, 1U}) {
    Host& host = *hosts[which];
    auto side = std::make_unique<Side>(host.rnic, host.pd, host.pool, dice);
    QpAttributes attributes;
    attributes.pd = host.pd;
    attributes.privileged = true;
    attributes.max_send_wrs = dice.between(4, 30);
    attributes.max_receive_wrs = 200;
    const bool shared = !options.own_queues && dice.one_in(2);
    side->send_cq = shared ? host.shared_cq : host.rnic.create_cq(256).value;
    side->receive_cq = shared && dice.one_in(2) ? host.shared_cq : host.rnic.create_cq(4096).value;
    attributes.send_cq = side->send_cq;
    attributes.receive_cq = side->receive_cq;
    if (host.srq != SrqId::none && dice.one_in(2)) side->srq = attributes.srq = host.srq;
    side->hold_off = attributes.hold_off = !options.own_queues && dice.one_in(2);
    if (side->srq != SrqId::none) side->hold_off = attributes.hold_off = true;
    attributes.response_payload = dice.one_in(3) ? dice.between(1, 3000) : 0;
    options.attributes(attributes);
    const auto made = host.rnic.create_qp(attributes);
    EXPECT_EQ(made.status, Status::ok);
    side->qp = made.value;
    pair->sides[which] = std::move(side);
  }
  pairs.push_back(std::move(pair));
}

void Laboratory::connect(Pair& pair) {
  const bool enhanced = !options.plain && dice.one_in(2);
  const unsigned first = dice.below(2);  // the initiator
  std::array<std::uint32_t, 2> ird;
  std::array<std::uint32_t, 2> ord;
  for (unsigned which : {0U, 1U}) {
    const std::uint32_t least = options.plain || !dice.one_in(8) ? 1 : 0;
    ird[which] = dice.between(least, 5);
    ord[which] = dice.between(least, 5);
  }
  // Where nobody negotiates, the Consumers agree (Verbs 1.0 §6.5).
  if (!enhanced) {
    for (unsigned which : {0U, 1U}) ord[which] = std::min(ord[which], ird[1 - which]);
  }
  const bool peer_to_peer = enhanced && dice.one_in(2);
  const std::uint32_t kind = dice.below(3);
  for (unsigned which : {0U, 1U}) {
    Link& link = pair.links[which];
    link = {};
    MpaParameters& mpa = link.parameters.mpa;
    link.parameters.role = which == first ? Role::initiator : Role::responder;
    // The responder answers the highest revision that both know.
    mpa.revision = enhanced || (which != first && dice.one_in(2)) ? 2 : 1;
    mpa.markers = dice.one_in(2);
    mpa.crc = options.plain || dice.one_in(2);
    mpa.peer_to_peer = peer_to_peer && which == first;
    mpa.ird = static_cast<std::uint16_t>(ird[which]);
    mpa.ord = static_cast<std::uint16_t>(ord[which]);
    if (peer_to_peer && which != first) {
      mpa.rtr_send = kind == 0;
      mpa.rtr_write = kind == 1;
      mpa.rtr_read = kind == 2;
    }
    if (dice.one_in(3)) mpa.private_data = pattern(dice.below(300), which);
    if (dice.one_in(4)) link.parameters.max_ulpdu = dice.between(128, 9000);
    link.early = dice.one_in(2);
    link.change = {.next = QpState::rts, .ord = ord[which], .ird = ird[which]};
    pair.reads[which] = std::min(ord[which], ird[1 - which]) != 0;
  }
  // The RTR Read takes a place that IRD 0 does not have (RFC 6581 §9.1).
  if (peer_to_peer && kind == 2 && ird[1 - first] == 0) pair.reads[first] = ord[first] != 0;
  if (peer_to_peer && kind == 0) {  // the RTR Send
    Side& responder = *pair.sides[1 - first];
    responder.messages.push_back({});
    responder.make_buffer(dice, max_message);
  }

  Host& from = *hosts[first];
  Host& at = *hosts[1 - first];
  const auto listener = at.network.listen({address_of_host(1 - first), 0});
  pair.links[first].transport = from.network.connect(listener->local());
  ASSERT_TRUE(run([&] {
    Link& answering = pair.links[1 - first];
    if (!answering.transport) answering.transport = listener->accept();
    return pair.links[0].established && pair.links[1].established;
  })) << "no connection";
}

void Laboratory::new_round() {
  for (const auto& host : hosts) host->pool.reset();
  for (const auto& pair : pairs) {
    for (const auto& side : pair->sides) side->new_round(dice);
  }
}

void Laboratory::make_work(Pair& pair) {
  for (unsigned which : {0U, 1U}) {
    Side& own = *pair.sides[which];
    Side& peer = *pair.sides[1 - which];
    Program program(dice, own, peer, pair.reads[which]);
    for (std::uint32_t count = dice.between(2, 25); count != 0; --count) program.add();
    program.add_last();
    program.make_buffers(0);
  }
}

// --- one step ---------------------------------------------------------------------------------------------

void Laboratory::receive(Host& host, Side& side, Link& link) {
  while (!link.over) {
    const LlpStream* const stream = host.rnic.stream(side.stream);
    if (link.established && stream != nullptr && !stream->accepts_input()) return;
    const replay::Received received = link.transport->receive();
    link.due = link.due || received.arrival != replay::Arrival::nothing;
    switch (received.arrival) {
      case replay::Arrival::nothing: return;
      case replay::Arrival::established:
        link.established = true;
        link.parameters.emss = static_cast<std::uint32_t>(received.max_segment);
        side.stream = host.rnic.open_stream(link.parameters, now());
        link.change.stream = side.stream;
        if (link.early) {
          EXPECT_EQ(host.rnic.modify_qp(side.qp, link.change), Status::ok);
        }
        break;
      case replay::Arrival::octets:
        octets += received.octets.size();
        for (ByteView left = received.octets; !left.empty();) {
          const std::size_t piece = dice.one_in(3) ? left.size() : 1 + dice.below(left.size());
          const Bytes copy(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(piece));
          host.rnic.handle_input(side.stream, copy, now());
          left = left.subspan(piece);
        }
        break;
      case replay::Arrival::closed: host.rnic.handle_close(side.stream, StreamClose::graceful, now()); break;
      case replay::Arrival::reset:
        link.over = true;
        host.rnic.handle_close(side.stream, StreamClose::reset, now());
        break;
      case replay::Arrival::lost:
        link.over = true;
        host.rnic.handle_close(side.stream, StreamClose::lost, now());
        break;
    }
  }
}

void Laboratory::send(Host& host, Side& side, Link& link) {
  while (!link.over && link.established && !link.mute) {
    if (!link.unsent.empty()) {
      const std::size_t taken = link.transport->send(link.unsent);
      link.unsent.erase(link.unsent.begin(), link.unsent.begin() + static_cast<std::ptrdiff_t>(taken));
      if (!link.unsent.empty()) return;
    }
    if (!link.due) return;
    const Output output = host.rnic.poll_output(side.stream, now());
    switch (output.kind) {
      case OutputKind::none: link.due = false; return;
      case OutputKind::octets: link.unsent.assign(output.octets.begin(), output.octets.end()); break;
      case OutputKind::close_graceful: link.transport->close(replay::Close::graceful); break;
      case OutputKind::reset:
        link.transport->close(replay::Close::reset);
        link.over = true;
        break;
    }
  }
}

void Laboratory::service(Host& host, Side& side, Link& link) {
  if (!link.transport) return;
  receive(host, side, link);
  send(host, side, link);
  // What waited for room may be accepted now.
  receive(host, side, link);
  send(host, side, link);
}

void Laboratory::reap(unsigned which) {
  SoftRnic& rnic = hosts[which]->rnic;
  const auto side_of = [&](QpId qp) -> Side* {
    for (const auto& pair : pairs) {
      if (pair->sides[which]->qp == qp) return pair->sides[which].get();
    }
    return nullptr;
  };
  const auto drain = [&](CqId cq) {
    while (const auto next = rnic.poll_cq(cq)) {
      Side* const side = side_of(next.value.qp);
      ASSERT_NE(side, nullptr);
      const bool receives = next.value.operation == Operation::receive;
      ASSERT_EQ(cq, receives ? side->receive_cq : side->send_cq);
      (receives ? side->receive_log : side->send_log).push_back(next.value);
    }
  };
  for (const auto& pair : pairs) {
    const Side& side = *pair->sides[which];
    if (side.reaps_sends) drain(side.send_cq);
    if (side.reaps_receives) drain(side.receive_cq);
  }
  while (const auto event = rnic.poll_event()) {
    if (Side* const side = side_of(event->qp)) {
      side->events.push_back(event->kind);
    } else {
      host_events[which].push_back(event->kind);
    }
  }
  while (const auto event = rnic.poll_stream_event()) {
    if (event->kind != StreamEventKind::request_arrived && event->kind != StreamEventKind::reply_arrived)
      continue;
    for (const auto& pair : pairs) {
      Link& link = pair->links[which];
      if (pair->sides[which]->stream != event->stream || link.early) continue;
      EXPECT_EQ(rnic.modify_qp(pair->sides[which]->qp, link.change), Status::ok);
      link.due = true;
    }
  }
}

void Laboratory::call(const Side& side) {
  for (const auto& pair : pairs) {
    for (unsigned which : {0U, 1U}) {
      const Side& other = *pair->sides[which];
      const bool shares = &other.rnic == &side.rnic && other.srq != SrqId::none && other.srq == side.srq;
      if (&other == &side || shares) pair->links[which].due = true;
    }
  }
}

Status Laboratory::modify(Side& side, const QpChange& change) {
  call(side);
  return side.rnic.modify_qp(side.qp, change);
}

void Laboratory::post(Host& host, Side& side, bool eager) {
  const bool all_receives = eager || !side.hold_off;
  for (std::size_t left = all_receives ? side.to_receive.size() : dice.below(3); left != 0; --left) {
    if (side.to_receive.empty()) break;
    const ReceiveRequest& request = side.to_receive.front();
    const PostResult result = side.srq == SrqId::none ? host.rnic.post_receive(side.qp, request)
                                                      : host.rnic.post_srq(side.srq, {&request, 1});
    if (result.status != Status::ok) {
      EXPECT_EQ(result.status, Status::invalid_qp_state);
      break;
    }
    call(side);
    if (side.srq == SrqId::none) side.receive_ids.push_back(request.id);
    side.to_receive.pop_front();
  }
  const std::size_t left = side.work.size() - std::min(side.work.size(), side.posted + side.kept);
  const std::size_t count = eager ? left : std::min<std::size_t>(left, dice.below(6));
  if (count == 0) return;
  const PostResult result = side.rnic.post_send(side.qp, std::span(side.work).subspan(side.posted, count));
  side.posted += result.posted;
  if (result.posted != 0) call(side);
  if (result.status == Status::invalid_qp_state) return;  // hurt
  EXPECT_TRUE(result.status == Status::ok || result.status == Status::too_many_posted)
      << name_of(result.status);
}

void Laboratory::act(bool eager) {
  for (unsigned which : {0U, 1U}) {
    Host& host = *hosts[which];
    if (now() >= host.rnic.next_timeout()) {
      host.rnic.handle_timeout(now());
      for (const auto& pair : pairs) pair->links[which].due = true;
    }
    if (eager || dice.one_in(3)) reap(which);
    for (const auto& pair : pairs) {
      Side& side = *pair->sides[which];
      if (side.state() == QpState::idle || side.state() == QpState::rts) post(host, side, eager);
      service(host, side, pair->links[which]);
    }
  }
}

bool Laboratory::run(const std::function<bool()>& done) {
  const TimeNs limit = now() + 1000 * second;
  for (unsigned quiet = 0; now() < limit;) {
    act(quiet != 0);
    if (done()) return true;
    if (::testing::Test::HasFatalFailure()) return false;
    const TimeNs timeout = std::min(hosts[0]->rnic.next_timeout(), hosts[1]->rnic.next_timeout());
    const TimeNs step = quiet < 20 ? 200'000 : second;
    const bool moved = hosts[0]->network.wait(std::min(timeout, now() + step));
    // TCP repeats what is lost after 2 s at the latest: what has not moved in so many steps never will.
    quiet = moved ? 0 : quiet + 1;
    if (quiet > 100) return false;
  }
  return false;
}

bool Laboratory::run_to_the_end() {
  return run([this] {
    return std::all_of(pairs.begin(), pairs.end(), [](const auto& pair) {
      return pair->hurt || (pair->sides[0]->done() && pair->sides[1]->done());
    });
  });
}

std::string Laboratory::state_of_things() const {
  std::string text;
  for (const auto& pair : pairs) {
    for (unsigned which : {0U, 1U}) {
      const Side& side = *pair->sides[which];
      text += std::string(name_of(side.state())) + ": " + std::to_string(side.posted) + " of " +
              std::to_string(side.work.size()) + " posted, " + std::to_string(side.send_log.size()) +
              " completions, " + std::to_string(side.receive_log.size()) + " of " +
              std::to_string(side.messages.size()) + " messages, " + std::to_string(side.to_receive.size()) +
              " buffers left;";
      for (const AsyncEventKind event : side.events) text += std::string(" ") + name_of(event);
      text += pair->links[which].over ? " over" : "";
      text += pair->links[which].due ? " due " : " ";
      text += std::to_string(pair->links[which].unsent.size()) + " unsent\n";
    }
  }
  return text;
}

// --- what must have come of it -------------------------------------------------------------------------

void check_receipt(const Side& side, const WorkCompletion& completion, const Receipt& expected) {
  ASSERT_EQ(completion.status, CompletionStatus::success) << name_of(completion.status);
  ASSERT_EQ(completion.solicited, expected.solicited);
  ASSERT_EQ(completion.invalidated, expected.invalidated);
  ASSERT_EQ(completion.invalidated_stag, expected.invalidated_stag);
  ASSERT_EQ(completion.has_immediate, expected.has_immediate);
  ASSERT_EQ(completion.immediate, expected.immediate);
  const auto length = static_cast<std::uint32_t>(expected.content.size());
  ASSERT_EQ(completion.length, expected.has_immediate ? 8 : length);
  ASSERT_TRUE(side.pool.content(completion.id, length) == expected.content);
  ASSERT_TRUE(side.pool.rest_untouched(completion.id, length));
}

void check_round(Pair& pair) {
  for (const auto& each : pair.sides) {
    const Side& side = *each;
    std::size_t next = 0;
    for (const WorkCompletion& completion : side.send_log) {
      while (next < side.expected.size() && !side.expected[next].signaled) ++next;
      ASSERT_LT(next, side.expected.size());
      const Expected& expected = side.expected[next++];
      ASSERT_EQ(completion.id, expected.id);
      ASSERT_EQ(completion.status, CompletionStatus::success)
          << name_of(completion.status) << " of " << name_of(expected.operation);
      ASSERT_EQ(completion.operation, expected.operation);
      ASSERT_EQ(completion.original, expected.original);
    }
    ASSERT_EQ(next, side.expected.size());
    ASSERT_EQ(side.receive_log.size(), side.messages.size());
    for (std::size_t at = 0; at < side.messages.size(); ++at) {
      if (side.srq == SrqId::none) {
        ASSERT_EQ(side.receive_log[at].id, side.receive_ids[at]);
      }
      check_receipt(side, side.receive_log[at], side.messages[at]);
      if (::testing::Test::HasFatalFailure()) return;
    }
    ASSERT_TRUE(side.memory == side.model);
    ASSERT_TRUE(side.events.empty()) << name_of(side.events.front());
    ASSERT_EQ(side.state(), QpState::rts);
  }
}

}  // namespace iwarp::rnic::test
