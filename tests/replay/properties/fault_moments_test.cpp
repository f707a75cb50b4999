// Random work that something ends at a random moment: octets that break a rule, a verb, the connection, a CQ
// that nobody empties, more Reads than IRD (state.md B1, B4, B5). Both ends are left as they must be,
// whatever the moment was; other QPs are untouched, and these are as good as new when they come back to Idle.
//
// IWARP_SEEDS: how many seeds of each test (100).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "replay/properties/fault_scene.hpp"
#include "replay/properties/seeds.hpp"

namespace iwarp::rnic::test {
namespace {

using E = AsyncEventKind;

// --- octets that break a rule --------------------------------------------------------------------------

struct BadOctets {
  const char* name;
  int code;
  E event;
  Bytes ulpdu;
  Framing framing = {};
};

std::vector<BadOctets> bad_octets(bool markers) {
  std::vector<BadOctets> all = {
      {"UlpduTooShort", 0x1000, E::llp_segment_size, part(send(1), 0, 17)},
      {"EmptyUlpdu", 0x1000, E::llp_segment_size, {}},
      {"TaggedVersion", 0x1104, E::ddp_version, write(1, 0, {}, {.ddp_version = 2})},
      {"UntaggedVersion", 0x1206, E::ddp_version, send(1, {}, {.ddp_version = 0})},
      {"RdmapVersion", 0x0205, E::rdmap_version, send(1, {}, {.rdmap_version = 2})},
      {"UnknownOpcode", 0x0206, E::unexpected_opcode, send(1, {}, {.opcode = 13})},
      {"SendAsTagged", 0x0206, E::unexpected_opcode, tagged_segment(3, 1, 0, pattern(4))},
      {"QueueFour", 0x1201, E::queue_number, send(1, {}, {.queue = 4})},
      {"MsnFarAway", 0x1203, E::rq_msn_range, send(0x70000000, pattern(4))},
      {"RequestMsnFarAway", 0x1203, E::irrq_msn_range, read_request(0x70000000, {})},
      {"AtomicResponseMsnFarAway", 0x1203, E::irrq_msn_range, atomic_response(0x70000000, 1, 0)},
      {"WriteToUnknownStag", 0x1100, E::tagged_stag, write(unknown_stag, 0, pattern(4))},
      {"ReadResponseToUnknownStag", 0x1100, E::tagged_stag, read_response(unknown_stag, 0, pattern(4))},
      {"Crc", 0x2002, E::llp_crc, send(1, pattern(50)), {.crc_xor = 0x00100000}},
  };
  if (markers) {
    all.push_back({"Marker", 0x2003, E::llp_bad_fpdu, write(1, 0, pattern(600)), {.pointer_delta = 4}});
  }
  return all;
}

void run_bad_octets(std::uint64_t seed) {
  FaultScene scene(seed, {.plain = true});
  if (testing::Test::HasFailure()) return;
  const std::vector<BadOctets> all = bad_octets(scene.link_of(scene.peer).parameters.mpa.markers);
  const BadOctets& bad = all[seed % all.size()];
  SCOPED_TRACE(bad.name);
  scene.work_before();
  scene.work_behind();
  scene.do_sometime([&] { scene.own.rnic.stream(scene.own.stream)->inject(bad.ulpdu, bad.framing); });
  scene.run();
  if (testing::Test::HasFailure()) return;
  scene.check({.code = bad.code, .events = {E::terminate_received}},
              {.code = bad.code, .local = true, .events = {bad.event}}, false);
  if (testing::Test::HasFailure()) return;
  scene.check_use_again();
}

TEST(H10_Faults, OctetsThatBreakARule) {
  for_each_seed(100, run_bad_octets);
}

// --- verbs and the connection --------------------------------------------------------------------------

struct Ending {
  const char* name;
  std::function<void(FaultScene&)> act;
  Aftermath culprit = {};
  Aftermath peer = {};
};

void go(FaultScene& scene, QpState next) {
  ASSERT_EQ(scene.laboratory.modify(scene.own, {.next = next}), Status::ok);
}

const Ending endings[] = {
    {"B1_ModifyToTerminate",
     [](FaultScene& s) { go(s, QpState::terminate); },
     {.code = 0, .local = true},
     {.code = 0, .events = {E::terminate_received}}},
    {"B1_ModifyToError",
     [](FaultScene& s) { go(s, QpState::error); },
     {},
     {.events = {E::llp_connection_reset}}},
    {"B1_ClosingWithWork",
     [](FaultScene& s) {
       // Whatever else there is to do: this one is not sent any more.
       const std::size_t place = s.own.posted;
       ASSERT_EQ(s.laboratory.modify(s.own, {.next = QpState::rts, .max_send_wrs = 200}), Status::ok);
       while (s.own.posted != s.own.work.size()) {
         const PostResult result = s.own.rnic.post_send(s.own.qp, s.own.work[s.own.posted]);
         if (result.status != Status::ok) break;
         ++s.own.posted;
       }
       ASSERT_NE(s.own.posted, place);
       go(s, QpState::closing);
     },
     {.events = {E::bad_close}},
     {.events = {E::llp_connection_reset}}},
    {"B1_ResetFromTheNetwork",
     [](FaultScene& s) {
       Link& link = s.link_of(s.own);
       link.transport->close(replay::Close::reset);
       link.over = true;
       s.own.rnic.handle_close(s.own.stream, StreamClose::reset, s.laboratory.now());
     },
     {.events = {E::llp_connection_reset}},
     {.events = {E::llp_connection_reset}}},
    {"B1_LlpLost",
     [](FaultScene& s) { s.own.rnic.handle_close(s.own.stream, StreamClose::lost, s.laboratory.now()); },
     {.events = {E::llp_connection_lost}},
     {.events = {E::llp_connection_reset}}},
};

void run_ending(std::uint64_t seed) {
  const Ending& ending = endings[seed % std::size(endings)];
  SCOPED_TRACE(ending.name);
  // A RST that is lost is not sent again.
  FaultScene scene(seed, {.bad_network = std::string(ending.name) == "B1_ModifyToTerminate"});
  if (testing::Test::HasFailure()) return;
  scene.work_before();
  scene.work_behind();
  scene.program->add_last();
  scene.program->make_buffers(0);
  scene.own.kept = 1;
  scene.do_sometime([&] { ending.act(scene); });
  scene.run();
  if (testing::Test::HasFailure()) return;
  scene.check(ending.culprit, ending.peer, false);
  if (testing::Test::HasFailure()) return;
  scene.own.kept = 0;
  scene.check_use_again();
}

TEST(H9_Faults, VerbsAndTheConnection) {
  for_each_seed(100, run_ending);
}

// The culprit closes while the peer still has work: the peer says so (0207), and the Terminate meets a QP in
// Closing.
void run_early_close(std::uint64_t seed) {
  FaultScene scene(seed, {});
  if (testing::Test::HasFailure()) return;
  Pair& pair = scene.pair();
  pair.hurt = true;
  Program(scene.dice(), scene.peer, scene.own, false).add_last();
  Link& silent = scene.link_of(scene.peer);
  silent.mute = true;
  scene.own.make_buffer(scene.dice(), max_message);
  bool closed = false;
  scene.meanwhile = [&] {
    if (!closed && scene.peer.posted == 1 && scene.own.to_receive.empty()) {
      closed = true;
      go(scene, QpState::closing);
    }
    if (scene.peer.state() != QpState::rts) silent.mute = false;
  };
  scene.run();
  if (testing::Test::HasFailure()) return;
  scene.check({.code = 0x0207, .events = {E::bad_close}},
              {.code = 0x0207, .local = true, .events = {E::bad_llp_close}}, false);
  if (testing::Test::HasFailure()) return;
  scene.check_use_again();
}

TEST(H9_Faults, CloseWhileThePeerHasWork) {
  for_each_seed(50, run_early_close);
}

// The culprit closes while it has yet to answer a Read, nothing of it or the rest: that is no clean close.
void run_close_with_inbound_read(std::uint64_t seed) {
  constexpr std::uint32_t most = 1000;  // of a segment of the answer
  FaultScene scene(seed, {.attributes = [](QpAttributes& made) { made.response_payload = most; },
                          .bad_network = false,
                          .plain = true});
  if (testing::Test::HasFailure()) return;
  scene.pair().hurt = true;
  Program program(scene.dice(), scene.peer, scene.own, false);
  for (std::uint32_t count = scene.dice().below(8); count != 0; --count) program.add();
  program.add_request({.operation = Operation::rdma_read,
                       .sgl = {{scene.peer.all_own.stag, own_size, scene.peer.all_own.base}},
                       .stag = scene.own.all_target.stag,
                       .to = scene.own.all_target.base});
  program.make_buffers(scene.dice().below(4));
  const std::uint32_t answered = scene.dice().below(target_size / most);
  Link& link = scene.link_of(scene.own);
  link.mute = true;
  scene.meanwhile = [&] {
    const PeerProgress& progress = scene.own.rnic.find_qp(scene.own.qp)->peer_progress();
    if (!link.mute || progress.requests_arrived == progress.requests_answered) return;
    for (std::uint32_t count = 0; count != answered; ++count) {
      const Output segment = scene.own.rnic.poll_output(scene.own.stream, scene.laboratory.now());
      ASSERT_EQ(segment.kind, OutputKind::octets);
      link.unsent.insert(link.unsent.end(), segment.octets.begin(), segment.octets.end());
    }
    go(scene, QpState::closing);
    link.mute = false;
    scene.laboratory.call(scene.own);
  };
  scene.run();
  if (testing::Test::HasFailure()) return;
  scene.check({.events = {E::bad_close}}, {.events = {E::llp_connection_reset}}, false);
  if (testing::Test::HasFailure()) return;
  scene.check_use_again();
}

TEST(H9_Faults, CloseWhileAReadIsToBeAnswered) {
  for_each_seed(50, run_close_with_inbound_read);
}

// --- a CQ that nobody empties --------------------------------------------------------------------------

void run_overflow(std::uint64_t seed) {
  FaultScene scene(seed, {});
  if (testing::Test::HasFailure()) return;
  const bool of_sends = seed % 2 == 0;
  const std::uint32_t entries = scene.dice().below(3);
  Side& full = of_sends ? scene.own : scene.peer;
  scene.work_before();
  // More signaled Work Requests than entries, and as many messages.
  for (std::uint32_t count = 0; count < 4; ++count) scene.program->add_last();
  scene.program->make_buffers(0);
  ASSERT_EQ(full.rnic.modify_cq(of_sends ? full.send_cq : full.receive_cq, entries), Status::ok);
  // An SQ with fewer places than that would hold everything up.
  ASSERT_EQ(scene.laboratory.modify(full, {.next = QpState::rts, .max_send_wrs = 200}), Status::ok);
  (of_sends ? full.reaps_sends : full.reaps_receives) = false;
  scene.run();
  if (testing::Test::HasFailure()) return;
  const Aftermath hurt = {
      .code = 0x0207, .local = true, .events = {of_sends ? E::cq_sq_error : E::cq_rq_error}, .lossy = true};
  const Aftermath told = {.code = 0x0207, .events = {E::terminate_received}};
  scene.check(of_sends ? hurt : told, of_sends ? told : hurt, false);
  if (testing::Test::HasFailure()) return;
  // What was there is there, in order.
  const auto& log = of_sends ? full.send_log : full.receive_log;
  ASSERT_EQ(log.size(), entries);
  for (const WorkCompletion& completion : log) ASSERT_EQ(completion.status, CompletionStatus::success);
  // Of the CQ it is told once, however many completions it loses.
  const auto& events = scene.laboratory.host_events[&full == &scene.own ? scene.which : 1 - scene.which];
  ASSERT_EQ(events, std::vector{E::cq_overflow});
  ASSERT_EQ(full.rnic.modify_cq(of_sends ? full.send_cq : full.receive_cq, 256), Status::ok);
  scene.check_use_again();
}

TEST(B3_Faults, CompletionQueueOverflow) {
  for_each_seed(60, run_overflow);
}

// --- more Reads than IRD -------------------------------------------------------------------------------

void run_too_many_reads(std::uint64_t seed) {
  FaultScene scene(seed, {.plain = true});
  if (testing::Test::HasFailure()) return;
  const std::uint32_t ird = scene.peer.rnic.query_qp(scene.peer.qp).value.attributes.ird;
  ASSERT_EQ(scene.laboratory.modify(scene.own, {.next = QpState::rts, .ord = ird + 2, .max_send_wrs = 200}),
            Status::ok);
  // Nothing is answered, so that they are all open.
  Link& silent = scene.link_of(scene.peer);
  silent.mute = true;
  scene.meanwhile = [&] {
    if (scene.peer.state() != QpState::rts) silent.mute = false;
  };
  scene.work_before(false);
  for (std::uint32_t count = 0; count <= ird; ++count) {
    if (count == ird) scene.note();
    const bool atomic = scene.dice().one_in(3);
    scene.post(atomic ? WorkRequest{.operation = Operation::fetch_add,
                                    .stag = scene.peer.all_words.stag,
                                    .to = scene.peer.all_words.base}
                      : WorkRequest{.operation = Operation::rdma_read,
                                    .sgl = {{scene.own.all_own.stag, 50, scene.own.all_own.base}},
                                    .stag = scene.peer.all_target.stag,
                                    .to = scene.peer.all_target.base});
  }
  scene.work_behind();
  scene.run();
  if (testing::Test::HasFailure()) return;
  scene.check({.code = 0x1203,
               .events = {E::terminate_received},
               .send_status = CompletionStatus::remote_termination},
              {.code = 0x1203, .local = true, .events = {E::irrq_too_many}}, true);
  if (testing::Test::HasFailure()) return;
  scene.check_use_again();
}

TEST(H10_Faults, MoreReadsThanIrd) {
  for_each_seed(50, run_too_many_reads);
}

}  // namespace
}  // namespace iwarp::rnic::test
