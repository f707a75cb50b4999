// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/scene.hpp"

#include <algorithm>
#include <memory>

#include "state/advance.hpp"
#include "support/state_dump.hpp"

namespace iwarp::testing {
namespace {

void put32(Bytes& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<Byte>(value >> shift));
}

void put64(Bytes& out, std::uint64_t value) {
  put32(out, static_cast<std::uint32_t>(value >> 32));
  put32(out, static_cast<std::uint32_t>(value));
}

FpduFact framed(std::uint32_t ulpdu_length) {
  FpduFact fact;
  fact.ulpdu_length = static_cast<std::uint16_t>(ulpdu_length);
  fact.wire_size = 2 + ulpdu_length + (0U - (2 + ulpdu_length)) % 4 + 4;
  fact.crc = CrcStatus::good;
  fact.aligned = true;
  return fact;
}

}  // namespace

Scene::~Scene() {
  EXPECT_EQ(dump(state), dump(replica_)) << "apply() and advance() disagree";
}

void Scene::play(EventKind kind, Side side, StreamOffset length, const std::function<void(Event&)>& fill) {
  ++frame;
  time += milliseconds;
  Event event;
  event.frame = frame;
  event.time_ns = time;
  event.kind = kind;
  event.side = side;
  event.offset = end[index(side)];
  event.ack = ack_.value_or(end[index(other(side))]);
  ack_.reset();
  fill(event);
  end[index(side)] += length;
  fact(event);
}

void Scene::fact(Event event) {
  log.push_back(event);
  const std::size_t conclusions = log.size();
  check::judge(state, event, limits, *this);
  advance(state, event, *this);
  for (std::size_t i = conclusions; i < log.size(); ++i) {
    if (log[i].kind == EventKind::finding) apply(state, log[i]);
  }
  for (std::size_t i = conclusions - 1; i < log.size(); ++i) {
    if (log[i].kind == EventKind::message) messages.push_back(log[i].message);
    if (log[i].kind == EventKind::operation) operations.push_back(log[i].operation);
    apply(replica_, log[i]);
  }
}

void Scene::raw(Event event) {
  event.frame = ++frame;
  event.time_ns = time += milliseconds;
  fact(event);
}

void Scene::open(OpenedBy by, Side first) {
  play(EventKind::opened, first, 0, [by](Event& event) {
    std::construct_at(&event.opened, OpenedFact{{}, by});
  });
  if (by != OpenedBy::handshake) return;
  for (const Side side : {a, b}) {
    play(EventKind::syn, side, 0, [](Event& event) { std::construct_at(&event.syn, SynFact{1460}); });
  }
}

void Scene::startup(Side side, StartupFact fact) {
  play(EventKind::startup, side, 20U + fact.private_data_length,
       [&](Event& event) { std::construct_at(&event.startup, fact); });
}

void Scene::request(Side side, StartupFact fact) {
  fact.kind = wire::StartupKind::request;
  if (fact.revision == 0) fact.revision = fact.enhanced ? 2 : 1;
  startup(side, fact);
}

void Scene::reply(Side side, StartupFact fact) {
  fact.kind = wire::StartupKind::reply;
  if (fact.revision == 0) fact.revision = fact.enhanced ? 2 : 1;
  startup(side, fact);
}

void Scene::negotiate(wire::EnhancedWord asked, wire::EnhancedWord given) {
  StartupFact fact;
  fact.enhanced = fact.has_word = fact.crc = true;
  fact.private_data_length = fact.private_data_received = 4;
  fact.word = asked;
  request(a, fact);
  fact.word = given;
  reply(b, fact);
}

void Scene::start() {
  open();
  StartupFact fact;
  fact.crc = true;
  request(a, fact);
  reply(b, fact);
}

void Scene::converse() {
  start();
  send(a, 1);
  send(b, 1);
}

FpduFact Scene::make(const Untagged& segment) {
  FpduFact fact = framed(18 + segment.payload);
  fact.ddp.ddp_control = static_cast<std::uint8_t>(0x01 | (segment.last ? 0x40 : 0));
  fact.ddp.rdmap_control = static_cast<std::uint8_t>(0x40 | static_cast<unsigned>(segment.opcode));
  fact.ddp.stag = segment.stag;
  fact.ddp.queue = segment.queue == ~0U ? wire::queue_of(segment.opcode) : segment.queue;
  fact.ddp.msn = segment.msn;
  fact.ddp.mo = segment.mo;
  fact.payload_length = segment.payload;
  fact.rdmap_octets = static_cast<std::uint8_t>(std::min<std::size_t>(segment.payload, max_rdmap_header));
  std::copy_n(segment.header.begin(), std::min<std::size_t>(segment.header.size(), max_rdmap_header),
              fact.rdmap.begin());
  fact.header_octets = static_cast<std::uint8_t>(18 + fact.rdmap_octets);
  return fact;
}

FpduFact Scene::make(const Tagged& segment) {
  FpduFact fact = framed(14 + segment.payload);
  fact.ddp.ddp_control = static_cast<std::uint8_t>(0x81 | (segment.last ? 0x40 : 0));
  fact.ddp.rdmap_control = static_cast<std::uint8_t>(0x40 | static_cast<unsigned>(segment.opcode));
  fact.ddp.stag = segment.stag;
  fact.ddp.to = segment.to;
  fact.payload_length = segment.payload;
  fact.header_octets = 14;
  return fact;
}

void Scene::fpdu(Side side, FpduFact fact) {
  play(EventKind::fpdu, side, fact.wire_size, [&](Event& event) {
    if (fact.first_frame == 0) fact.first_frame = event.frame;
    std::construct_at(&event.fpdu, fact);
    event.fpdu.placed = {event.frame, event.time_ns};
  });
}

void Scene::untagged(Side side, const Untagged& segment) {
  fpdu(side, make(segment));
}

void Scene::tagged(Side side, const Tagged& segment) {
  fpdu(side, make(segment));
}

void Scene::send(Side side, std::uint32_t msn, std::uint32_t payload, bool last, std::uint32_t mo) {
  untagged(side, {wire::Opcode::send, msn, payload, last, mo});
}

Bytes Scene::read_header(std::uint32_t size, std::uint32_t sink_stag, std::uint64_t sink_to,
                         std::uint32_t source_stag, std::uint64_t source_to) {
  Bytes header;
  put32(header, sink_stag);
  put64(header, sink_to);
  put32(header, size);
  put32(header, source_stag);
  put64(header, source_to);
  return header;
}

void Scene::read_request(Side side, std::uint32_t msn, std::uint32_t size, std::uint32_t sink_stag,
                         std::uint64_t sink_to, std::uint32_t source_stag, std::uint64_t source_to) {
  Untagged segment{wire::Opcode::read_request, msn, 28};
  segment.header = read_header(size, sink_stag, sink_to, source_stag, source_to);
  untagged(side, segment);
}

void Scene::read_response(Side side, std::uint32_t payload, std::uint32_t stag, std::uint64_t to, bool last) {
  tagged(side, {wire::Opcode::read_response, stag, to, payload, last});
}

void Scene::atomic_request(Side side, std::uint32_t msn, std::uint32_t id, std::uint64_t remote_to,
                           std::uint32_t operation) {
  Untagged segment{wire::Opcode::atomic_request, msn, 52};
  put32(segment.header, operation);
  put32(segment.header, id);
  put32(segment.header, 0x4000);
  put64(segment.header, remote_to);
  put64(segment.header, 1);
  put64(segment.header, 0);
  put64(segment.header, 0);
  put64(segment.header, ~std::uint64_t{0});
  untagged(side, segment);
}

void Scene::atomic_response(Side side, std::uint32_t msn, std::uint32_t id) {
  Untagged segment{wire::Opcode::atomic_response, msn, 12};
  put32(segment.header, id);
  put64(segment.header, 42);
  untagged(side, segment);
}

void Scene::terminate(Side side, const Bytes& octets, std::uint32_t msn) {
  untagged(side, {wire::Opcode::terminate, msn, static_cast<std::uint32_t>(octets.size()), true, 0, 0, ~0U,
                  octets});
}

void Scene::gap(Side side, std::uint64_t length, bool framing_kept, GapCause cause) {
  play(EventKind::gap, side, framing_kept ? 0 : length, [&](Event& event) {
    std::construct_at(&event.gap, GapFact{length, cause, framing_kept});
  });
}

void Scene::sync_lost(Side side, std::uint64_t length) {
  play(EventKind::sync_lost, side, length, [&](Event& event) {
    std::construct_at(&event.sync_lost, SyncLostFact{length, false, {}});
  });
}

void Scene::locked(Side side, LockedFact fact) {
  play(EventKind::locked, side, 0, [&](Event& event) { std::construct_at(&event.locked, fact); });
}

void Scene::acknowledged(Side side) {
  const SideState& peer = state.side(other(side));
  const StreamOffset reached = end[index(other(side))] + (peer.fin_frame ? 1U : 0U);
  play(EventKind::acknowledged, side, 0, [&](Event& event) {
    event.ack = reached;
    std::construct_at(&event.acknowledged, AcknowledgedFact{{event.frame, event.time_ns}, event.offset});
  });
}

void Scene::retransmitted(Side side, StreamOffset offset, std::uint64_t length, bool duplicate) {
  play(EventKind::retransmitted, side, 0, [&](Event& event) {
    event.offset = offset;
    std::construct_at(&event.retransmitted, RetransmittedFact{length, duplicate});
  });
}

void Scene::window(Side side, bool closed) {
  play(EventKind::window, side, 0,
       [&](Event& event) { std::construct_at(&event.window, WindowFact{closed}); });
}

void Scene::fin(Side side, EndFact fact) {
  play(EventKind::fin, side, 0, [&](Event& event) { std::construct_at(&event.end, fact); });
}

void Scene::rst(Side side, EndFact fact) {
  play(EventKind::rst, side, 0, [&](Event& event) { std::construct_at(&event.end, fact); });
}

void Scene::close(CloseCause cause) {
  play(EventKind::closed, a, 0, [&](Event& event) { std::construct_at(&event.closed, ClosedFact{cause}); });
}

void Scene::part() {
  fin(a);
  acknowledged(b);
  fin(b);
  acknowledged(a);
  close(CloseCause::fin);
}

std::size_t Scene::count(CheckId check) const {
  return count(check, a) + count(check, b);
}

std::size_t Scene::count(CheckId check, Side side) const {
  return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(), [=](const Found& found) {
    return found.check == check && found.side == side;
  }));
}

std::size_t Scene::undecided(CheckId check) const {
  return static_cast<std::size_t>(
      std::count_if(undecidables.begin(), undecidables.end(),
                    [=](const Undecidable& each) { return each.check == check; }));
}

std::size_t Scene::undecided(CheckId check, Reason reason) const {
  return static_cast<std::size_t>(
      std::count_if(undecidables.begin(), undecidables.end(),
                    [=](const Undecidable& each) { return each.check == check && each.reason == reason; }));
}

const Found& Scene::only(CheckId check) const {
  static const Found nothing{a, CheckId::count, {}};
  EXPECT_EQ(count(check), 1U) << check_info(check).id;
  const auto found =
      std::find_if(findings.begin(), findings.end(), [=](const Found& each) { return each.check == check; });
  return found == findings.end() ? nothing : *found;
}

bool Scene::equals(const ConnectionState& other) const {
  return dump(state) == dump(other);
}

std::string Scene::verdict() const {
  std::string ids;
  for (const Found& found : findings) {
    const CheckInfo& info = check_info(found.check);
    if (info.strict_severity < Severity::warning) continue;
    if (!ids.empty()) ids += ' ';
    ids += info.id;
  }
  return ids;
}

Event& Scene::conclude(EventKind kind, Side side) {
  Event event;
  event.frame = frame;
  event.time_ns = time;
  event.kind = kind;
  event.side = side;
  log.push_back(event);
  return log.back();
}

MessageConclusion& Scene::message(Side side) {
  return *std::construct_at(&conclude(EventKind::message, side).message);
}

OperationConclusion& Scene::operation(Side side) {
  return *std::construct_at(&conclude(EventKind::operation, side).operation);
}

void Scene::violated(Side side, CheckId check, std::initializer_list<std::uint64_t> arguments,
                     std::initializer_list<FrameNumber> evidence, const Culprit& culprit) {
  findings.push_back({side, check, arguments, culprit.placed.frame != 0 ? culprit.placed.frame : frame});
  Finding finding;
  finding.check = check;
  finding.severity = severity_of(check, true);
  std::copy_n(arguments.begin(), std::min(arguments.size(), finding.arguments.size()),
              finding.arguments.begin());
  if (culprit.placed.frame != 0) finding.evidence[finding.evidence_count++] = culprit.placed.frame;
  for (const FrameNumber each : evidence) {
    if (each != 0 && finding.evidence_count < max_evidence) finding.evidence[finding.evidence_count++] = each;
  }
  std::construct_at(&conclude(EventKind::finding, side).finding, finding);
}

void Scene::undecidable(Side side, CheckId check, Reason reason) {
  undecidables.push_back({check, reason});
  std::construct_at(&conclude(EventKind::undecidable, side).undecidable, Undecidable{check, reason});
}

}  // namespace iwarp::testing
