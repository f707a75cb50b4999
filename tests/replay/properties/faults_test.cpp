// Random work in which one thing is illegal (state.md B1, B3, B4, B5): exactly the Terminate that belongs to
// it, the status of the Work Request it is about, every other one flushed, one asynchronous event at each
// end, both QPs in Error - and everything before it as if nothing had happened, other QPs untouched, and the
// QPs as good as new when they come back to Idle.
//
// IWARP_SEEDS: how many seeds of each test (100).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "replay/properties/fault_scene.hpp"
#include "replay/properties/seeds.hpp"

namespace iwarp::rnic::test {
namespace {

using C = CompletionStatus;
using E = AsyncEventKind;
using Op = Operation;

constexpr std::uint64_t top_of_space = 0xfffffffffffffff0;

enum class Who : std::uint8_t {
  culprit,       // its own Work Request fails: Terminate 0000
  peer,          // the peer's RNIC finds it, an event tells
  peer_request,  // … in a Read or Atomic Request, which the Terminate names
  peer_receive,  // … and a receive completion tells
};

struct Case {
  const char* name;
  Who who;
  int code;
  E event;
  C status;
  std::function<void(FaultScene&)> make;
};

Sge source(FaultScene& s, std::uint32_t length) {
  return {s.own.all_own.stag, length, s.own.all_own.to(0)};
}
WorkRequest request(Op operation, Sgl sgl, std::uint32_t stag = 0, std::uint64_t to = 0) {
  return {.operation = operation, .sgl = sgl, .stag = stag, .to = to};
}
void bad_send(FaultScene& s, const Sge& element) {
  s.post(request(static_cast<Op>(s.dice().below(2)), {element}));
}
void bad_write(FaultScene& s, std::uint32_t stag, std::uint64_t to) {
  s.post(request(Op::rdma_write, {source(s, 50)}, stag, to));
}
void bad_read(FaultScene& s, std::uint32_t stag, std::uint64_t to) {
  s.post(request(s.dice().one_in(2) ? Op::rdma_read : Op::rdma_read, {source(s, 50)}, stag, to));
}
void bad_atomic(FaultScene& s, std::uint32_t stag, std::uint64_t to) {
  s.post(request(s.dice().one_in(2) ? Op::fetch_add : Op::cmp_swap, {}, stag, to));
}
// A Send with Invalidate and the buffer for it.
void bad_invalidate(FaultScene& s, std::uint32_t stag) {
  s.program->make_buffers(0);
  s.peer.make_buffer(s.dice(), 20);
  s.post(request(s.dice().one_in(2) ? Op::send_inv : Op::send_se_inv, {source(s, 20)}, stag));
}

// Where the Send is the first one without a buffer, or with a wrong one.
void send_into(FaultScene& s, std::optional<ReceiveRequest> buffer) {
  s.program->make_buffers(0);
  if (buffer) {
    buffer->id = s.peer.pool.next_id++;
    s.peer.to_receive.push_back(*buffer);
    ++s.peer.buffers_made;
  }
  s.post(request(static_cast<Op>(s.dice().below(2)), {source(s, 100)}));
}

const Case cases[] = {
    // --- local: B3 ---
    {"SendFromUnknownStag", Who::culprit, 0, E::none, C::invalid_stag,
     [](FaultScene& s) {
       bad_send(s, {unknown_stag, 4, 0});
     }},
    {"SendFromStagZero", Who::culprit, 0, E::none, C::invalid_stag,
     [](FaultScene& s) {
       bad_send(s, {0, 4, 0});
     }},
    {"SendBeyondTheRegion", Who::culprit, 0, E::none, C::base_bounds,
     [](FaultScene& s) {
       bad_send(s, {s.own.all_own.stag, 4, s.own.all_own.base + side_memory - 3});
     }},
    {"SendWithoutLocalRead", Who::culprit, 0, E::none, C::access_violation,
     [](FaultScene& s) {
       bad_send(s, {s.region(s.own, access::local_write, s.own.pd, 0x1000), 4, 0x1000});
     }},
    {"SendFromAnotherPd", Who::culprit, 0, E::none, C::invalid_pd,
     [](FaultScene& s) {
       bad_send(s, {s.region(s.own, access::local, s.other_pd(s.own), 0x1000), 4, 0x1000});
     }},
    {"SendThatWraps", Who::culprit, 0, E::none, C::wrap,
     [](FaultScene& s) {
       bad_send(s, {s.region(s.own, access::local, s.own.pd, top_of_space, 16), 17, top_of_space});
     }},
    {"WriteFromUnknownStag", Who::culprit, 0, E::none, C::invalid_stag,
     [](FaultScene& s) {
       s.post(
           request(Op::rdma_write, {{unknown_stag, 4, 0}}, s.peer.all_target.stag, s.peer.all_target.base));
     }},
    {"WriteThatWrapsAtHome", Who::culprit, 0, E::none, C::wrap,
     [](FaultScene& s) { s.post(request(Op::rdma_write, {source(s, 50)}, unknown_stag, ~0ULL - 20)); }},
    {"ReadIntoUnknownStag", Who::culprit, 0, E::none, C::invalid_stag,
     [](FaultScene& s) {
       s.post(request(Op::rdma_read, {{unknown_stag, 4, 0}}, s.peer.all_target.stag));
     }},
    {"ReadIntoWhatPeersMayNotWrite", Who::culprit, 0, E::none, C::access_violation,
     [](FaultScene& s) {
       const std::uint32_t stag = s.region(s.own, access::local | access::remote_read, s.own.pd, 0x1000);
       s.post(request(Op::rdma_read, {{stag, 4, 0x1000}}, s.peer.all_target.stag, s.peer.all_target.base));
     }},
    {"AtomicIntoUnknownStag", Who::culprit, 0, E::none, C::invalid_stag,
     [](FaultScene& s) {
       s.post(request(Op::fetch_add, {{unknown_stag, 8, 0}}, s.peer.all_words.stag, s.peer.all_words.base));
     }},
    {"InvalidateUnknownStag", Who::culprit, 0, E::none, C::invalid_stag,
     [](FaultScene& s) { s.post(request(Op::local_invalidate, {}, unknown_stag)); }},
    {"BindUnknownWindow", Who::culprit, 0, E::none, C::invalid_window,
     [](FaultScene& s) {
       WorkRequest bind = request(Op::bind_window, {});
       bind.binding.window = unknown_stag;
       bind.binding.region = s.own.all_own.stag;
       s.post(bind);
     }},
    {"BindBeyondTheRegion", Who::culprit, 0, E::none, C::base_bounds,
     [](FaultScene& s) {
       WorkRequest bind = request(Op::bind_window, {});
       bind.binding = {.window = make_stag(s.own.rnic.allocate_window(s.own.pd).value, 1),
                       .region = s.own.all_own.stag,
                       .virtual_address = s.own.all_own.base,
                       .length = side_memory + 1,
                       .rights = access::remote};
       s.post(bind);
     }},
    {"FastRegisterWhatIsValid", Who::culprit, 0, E::none, C::stag_not_invalid,
     [](FaultScene& s) {
       WorkRequest fast = request(Op::fast_register, {});
       fast.region = s.own.all_own.stag;
       fast.mapping = std::make_shared<Mapping>();
       s.post(fast);
     }},
    // --- tagged: B5 5 to 10 ---
    {"WriteToUnknownStag", Who::peer, 0x1100, E::tagged_stag, C::success,
     [](FaultScene& s) { bad_write(s, unknown_stag, 0); }},
    {"WriteToStagZero", Who::peer, 0x1100, E::tagged_stag, C::success,
     [](FaultScene& s) { bad_write(s, 0, 0); }},
    {"WriteWithOtherKey", Who::peer, 0x1100, E::tagged_stag, C::success,
     [](FaultScene& s) { bad_write(s, s.peer.all_target.stag ^ 0x40, s.peer.all_target.base); }},
    {"WriteWithoutTheRight", Who::peer, 0x1100, E::tagged_access, C::success,
     [](FaultScene& s) {
       const AccessRights rights = access::local | access::remote_read;
       bad_write(s, s.region(s.peer, rights, s.peer.pd, 0x1000), 0x1000);
     }},
    {"WriteBeyondTheRegion", Who::peer, 0x1101, E::tagged_bounds, C::success,
     [](FaultScene& s) { bad_write(s, s.peer.all_target.stag, s.peer.all_own.base + side_memory - 49); }},
    {"WriteBeforeTheRegion", Who::peer, 0x1101, E::tagged_bounds, C::success,
     [](FaultScene& s) { bad_write(s, s.peer.all_target.stag, s.peer.all_own.base - 1); }},
    {"WriteToAnotherPd", Who::peer, 0x1102, E::tagged_pd, C::success,
     [](FaultScene& s) {
       const AccessRights rights = access::local | access::remote;
       bad_write(s, s.region(s.peer, rights, s.other_pd(s.peer), 0x1000), 0x1000);
     }},
    {"WriteThroughAnotherQpsWindow", Who::peer, 0x1102, E::tagged_pd, C::success,
     [](FaultScene& s) {
       const std::uint32_t window = s.window_of_other_qp(s.peer, *s.laboratory.pairs[1]->sides[1 - s.which]);
       // It must be bound before it is used.
       s.program->make_buffers(0);
       ASSERT_TRUE(s.laboratory.run([&] { return s.peer.rnic.query_stag(stag_index(window)).value.valid; }));
       bad_write(s, window, s.peer.all_target.base);
     }},
    // --- sources: B5 Read Request ---
    {"ReadOfUnknownStag", Who::peer_request, 0x0100, E::irrq_stag, C::remote_termination,
     [](FaultScene& s) { bad_read(s, unknown_stag, 0); }},
    {"ReadBeyondTheRegion", Who::peer_request, 0x0101, E::irrq_bounds, C::remote_termination,
     [](FaultScene& s) { bad_read(s, s.peer.all_target.stag, s.peer.all_own.base + side_memory - 49); }},
    {"ReadWithoutTheRight", Who::peer_request, 0x0102, E::irrq_access, C::remote_termination,
     [](FaultScene& s) {
       const AccessRights rights = access::local | access::remote_write;
       bad_read(s, s.region(s.peer, rights, s.peer.pd, 0x1000), 0x1000);
     }},
    {"ReadOfAnotherPd", Who::peer_request, 0x0103, E::irrq_pd, C::remote_termination,
     [](FaultScene& s) {
       const AccessRights rights = access::local | access::remote;
       bad_read(s, s.region(s.peer, rights, s.other_pd(s.peer), 0x1000), 0x1000);
     }},
    {"ReadThatWraps", Who::peer_request, 0x0104, E::irrq_wrap, C::remote_termination,
     [](FaultScene& s) {
       bad_read(s, s.region(s.peer, access::local | access::remote, s.peer.pd, top_of_space, 16),
                top_of_space);
     }},
    {"AtomicOnUnknownStag", Who::peer_request, 0x0100, E::irrq_stag, C::remote_termination,
     [](FaultScene& s) { bad_atomic(s, unknown_stag, 0); }},
    {"AtomicWithoutTheRight", Who::peer_request, 0x0102, E::irrq_access, C::remote_termination,
     [](FaultScene& s) {
       const AccessRights rights = access::local | access::remote_read;
       bad_atomic(s, s.region(s.peer, rights, s.peer.pd, 0x1000), 0x1000);
     }},
    {"AtomicBeyondTheRegion", Who::peer_request, 0x0101, E::irrq_bounds, C::remote_termination,
     [](FaultScene& s) { bad_atomic(s, s.peer.all_words.stag, s.peer.all_own.base + side_memory); }},
    {"AtomicUnaligned", Who::peer_request, 0x0207, E::irrq_access, C::remote_termination,
     [](FaultScene& s) { bad_atomic(s, s.peer.all_words.stag, s.peer.all_words.base + 4); }},
    // --- untagged: B5 6 to 9 ---
    {"NoReceiveBuffer", Who::peer, 0x1202, E::rq_msn_range, C::success,
     [](FaultScene& s) { send_into(s, std::nullopt); }},
    {"NoBufferForImmediateData", Who::peer, 0x1202, E::rq_msn_range, C::success,
     [](FaultScene& s) {
       s.program->make_buffers(0);
       s.post(request(Op::immediate, {}));
     }},
    {"SendLongerThanItsBuffer", Who::peer_receive, 0x1205, E::none, C::base_bounds,
     [](FaultScene& s) { send_into(s, s.peer.pool.make(s.dice(), 99)); }},
    {"SendToNoOctets", Who::peer_receive, 0x1205, E::none, C::base_bounds,
     [](FaultScene& s) { send_into(s, ReceiveRequest{}); }},
    {"BufferOfUnknownStag", Who::peer_receive, 0, E::none, C::invalid_stag,
     [](FaultScene& s) {
       send_into(s, ReceiveRequest{.sgl = {{unknown_stag, 200, 0}}});
     }},
    {"BufferBeyondItsRegion", Who::peer_receive, 0, E::none, C::base_bounds,
     [](FaultScene& s) {
       const std::uint64_t end = s.peer.all_own.base + side_memory;
       send_into(s, ReceiveRequest{.sgl = {{s.peer.all_own.stag, 200, end}}});
     }},
    {"BufferWithoutLocalWrite", Who::peer_receive, 0, E::none, C::access_violation,
     [](FaultScene& s) {
       const std::uint32_t stag = s.region(s.peer, access::local_read, s.peer.pd, 0x1000);
       send_into(s, ReceiveRequest{.sgl = {{stag, 200, 0x1000}}});
     }},
    {"BufferOfAnotherPd", Who::peer_receive, 0, E::none, C::invalid_pd,
     [](FaultScene& s) {
       const std::uint32_t stag = s.region(s.peer, access::local, s.other_pd(s.peer), 0x1000);
       send_into(s, ReceiveRequest{.sgl = {{stag, 200, 0x1000}}});
     }},
    // --- Send with Invalidate ---
    {"InvalidateStagZeroOfThePeer", Who::peer_receive, 0x0100, E::none, C::invalid_stag,
     [](FaultScene& s) { bad_invalidate(s, 0); }},
    {"InvalidateOtherKey", Who::peer_receive, 0x0100, E::none, C::invalid_stag,
     [](FaultScene& s) { bad_invalidate(s, s.peer.all_own.stag ^ 2); }},
    {"InvalidateWithoutRemoteRight", Who::peer_receive, 0x0102, E::none, C::invalidate_rights,
     [](FaultScene& s) { bad_invalidate(s, s.region(s.peer, access::local, s.peer.pd, 0x1000)); }},
    {"InvalidateAnotherPd", Who::peer_receive, 0x0103, E::none, C::invalidate_rights,
     [](FaultScene& s) {
       const AccessRights rights = access::local | access::remote;
       bad_invalidate(s, s.region(s.peer, rights, s.other_pd(s.peer), 0x1000));
     }},
    {"InvalidateDeallocated", Who::peer_receive, 0x0209, E::none, C::invalid_stag,
     [](FaultScene& s) { bad_invalidate(s, unknown_stag); }},
};

void run_case(std::uint64_t seed) {
  const Case& fault = cases[seed % std::size(cases)];
  SCOPED_TRACE(fault.name);
  FaultScene scene(seed, {.plain = true});
  if (testing::Test::HasFailure()) return;
  scene.work_before();
  scene.note();
  fault.make(scene);
  if (testing::Test::HasFailure()) return;
  // A buffer that is missing must stay so.
  const bool no_buffer = fault.code == 0x1202;
  if (!no_buffer) scene.work_behind();
  scene.run();
  if (testing::Test::HasFailure()) return;
  Aftermath culprit{.code = fault.code, .events = {E::terminate_received}};
  Aftermath peer = culprit;
  if (fault.who == Who::culprit) {
    culprit = {.code = 0, .local = true, .send_status = fault.status};
  } else {
    peer = {.code = fault.code, .local = true};
    if (fault.event != E::none) peer.events = {fault.event};
    if (fault.who == Who::peer_request) culprit.send_status = fault.status;
    if (fault.who == Who::peer_receive) peer.receive_status = fault.status;
  }
  scene.check(culprit, peer, true);
  if (testing::Test::HasFailure()) return;
  scene.check_use_again();
}

TEST(H10_Faults, OneIllegalWorkRequest) {
  for_each_seed(2 * std::size(cases), run_case);
}

}  // namespace
}  // namespace iwarp::rnic::test
