// H10: for every Terminate code one stimulus that yields exactly it, and of several faults the first one in
// the order of checking: MPA CRC, marker, ULPDU minimum, versions, opcode, then QP, STag, association,
// rights, wrap, bounds, or QN, MSN, MO, length, L (RFC 5041 §7.1, RFC 5040 §7, Verbs 1.0 §8.3; codes of RFC
// 6580).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "replay/rnic/two_rnics.hpp"

namespace iwarp::rnic::test {
namespace {

constexpr std::uint32_t unknown_stag = 0xdeadbe00;
constexpr std::uint64_t bottom_of_last_page = 0xfffffffffffffff0;

struct Stimulus {
  const char* name;
  int code;
  AsyncEventKind event;  // none: a completion tells, or nobody
  std::function<void(Bench&)> act;
  Role role = Role::responder;
  std::function<void(EndOptions&)> options = [](EndOptions&) {};
};

// gtest prints the name.
void PrintTo(const Stimulus& stimulus, std::ostream* out) {
  *out << stimulus.name;
}

void post_receives(Bench& bench, std::uint32_t count, std::uint32_t size) {
  for (std::uint32_t id = 1; id <= count; ++id) {
    ASSERT_EQ(bench.end.rnic.post_receive(bench.end.qp, {.id = id, .sgl = {bench.end.at(0, size)}}).status,
              Status::ok);
  }
}

std::uint32_t stag_with(Bench& bench, AccessRights rights) {
  Mapping mapping;
  mapping.buffers = contiguous(bench.end.memory.data(), bench.end.memory.size());
  mapping.length = bench.end.memory.size();
  mapping.virtual_address = region_base;
  mapping.rights = rights;
  return bench.end.rnic.register_region(bench.end.pd, 1, true, mapping).value;
}

std::uint32_t stag_of_other_pd(Bench& bench) {
  Mapping mapping;
  mapping.buffers = contiguous(bench.end.memory.data(), bench.end.memory.size());
  mapping.length = bench.end.memory.size();
  mapping.virtual_address = region_base;
  mapping.rights = access::local | access::remote;
  return bench.end.rnic.register_region(bench.end.rnic.allocate_pd().value, 1, true, mapping).value;
}

// A region that reaches the top of the address space, so that what wraps is not out of bounds before.
std::uint32_t stag_at_the_top(Bench& bench) {
  Mapping mapping;
  mapping.buffers = contiguous(bench.end.memory.data(), bench.end.memory.size());
  mapping.length = 16;
  mapping.virtual_address = bottom_of_last_page;
  mapping.rights = access::local | access::remote;
  return bench.end.rnic.register_region(bench.end.pd, 1, true, mapping).value;
}

// A read of 16 octets is outstanding.
void read_sixteen(Bench& bench) {
  ASSERT_EQ(bench.end.rnic
                .post_send(bench.end.qp, {.id = 1,
                                          .operation = Operation::rdma_read,
                                          .sgl = {bench.end.at(0, 16)},
                                          .stag = 0x01020304,
                                          .to = 0})
                .status,
            Status::ok);
  ASSERT_EQ(bench.output().size(), 1U);
}

using E = AsyncEventKind;

const Stimulus stimuli[] = {
    // --- RDMAP ---
    {"ModifyToTerminate", 0x0000, E::none,
     [](Bench& b) {
       b.send(write(b.end.stag, b.end.to(0), pattern(4)));
       ASSERT_EQ(b.end.move(QpState::terminate), Status::ok);
     }},
    {"BadSourceOfASend", 0x0000, E::none,
     [](Bench& b) {
       b.send(write(b.end.stag, b.end.to(0), pattern(4)));
       ASSERT_EQ(b.end.rnic.post_send(b.end.qp, {.id = 1, .sgl = {Sge{unknown_stag, 4, 0}}}).status,
                 Status::ok);
     }},
    {"BadReceiveBuffer", 0x0000, E::none,
     [](Bench& b) {
       ASSERT_EQ(b.end.rnic.post_receive(b.end.qp, {.id = 1, .sgl = {Sge{unknown_stag, 4, 0}}}).status,
                 Status::ok);
       b.send(send(1, pattern(4)));
     }},
    {"ReadOfUnknownStag", 0x0100, E::irrq_stag,
     [](Bench& b) { b.send(read_request(1, {.size = 4, .source_stag = unknown_stag})); }},
    {"ReadOfStagZero", 0x0100, E::irrq_stag, [](Bench& b) { b.send(read_request(1, {.size = 4})); }},
    {"ReadBeyondTheRegion", 0x0101, E::irrq_bounds,
     [](Bench& b) {
       b.send(read_request(1, {.size = 4, .source_stag = b.end.stag, .source_to = b.end.to(65536 - 3)}));
     }},
    {"ReadWithoutTheRight", 0x0102, E::irrq_access,
     [](Bench& b) {
       const std::uint32_t stag = stag_with(b, access::local | access::remote_write);
       b.send(read_request(1, {.size = 4, .source_stag = stag, .source_to = region_base}));
     }},
    {"ReadOfAnotherPd", 0x0103, E::irrq_pd,
     [](Bench& b) {
       b.send(read_request(1, {.size = 4, .source_stag = stag_of_other_pd(b), .source_to = region_base}));
     }},
    {"ReadThatWraps", 0x0104, E::irrq_wrap,
     [](Bench& b) {
       b.send(read_request(
           1, {.size = 17, .source_stag = stag_at_the_top(b), .source_to = bottom_of_last_page}));
     }},
    {"InvalidateStagZero", 0x0100, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       b.send(send_inv(1, 0));
     }},
    {"InvalidateOtherKey", 0x0100, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       b.send(send_inv(1, b.end.stag + 1));
     }},
    {"InvalidateWithoutRemoteRight", 0x0102, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       b.send(send_inv(1, stag_with(b, access::local)));
     }},
    // Both the QP and the STag must have a remote right (Verbs 1.0 §7.8).
    {"InvalidateOnQpWithoutRemoteRights", 0x0102, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       b.send(send_inv(1, b.end.stag));
     },
     Role::responder,
     [](EndOptions& options) { options.qp.read_enabled = options.qp.write_enabled = false; }},
    {"InvalidateOfAnotherPd", 0x0103, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       b.send(send_inv(1, stag_of_other_pd(b)));
     }},
    {"InvalidateRegionWithWindow", 0x0109, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       const std::uint32_t window = make_stag(b.end.rnic.allocate_window(b.end.pd).value, 9);
       WorkRequest bind{.id = 1, .operation = Operation::bind_window};
       bind.binding = {.window = window,
                       .region = b.end.stag,
                       .virtual_address = region_base,
                       .length = 16,
                       .rights = access::remote_read};
       ASSERT_EQ(b.end.rnic.post_send(b.end.qp, bind).status, Status::ok);
       b.send(write(b.end.stag, b.end.to(0)));
       ASSERT_TRUE(b.output().empty());
       b.send(send_inv(1, b.end.stag));
     }},
    {"InvalidateDeallocated", 0x0209, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       b.send(send_inv(1, unknown_stag));
     }},
    {"RdmapVersion", 0x0205, E::rdmap_version,
     [](Bench& b) { b.send(write(b.end.stag, b.end.to(0), pattern(4), {.rdmap_version = 2})); }},
    {"UnknownOpcode", 0x0206, E::unexpected_opcode,
     [](Bench& b) { b.send(send(1, pattern(4), {.opcode = 12})); }},
    {"SendAsTagged", 0x0206, E::unexpected_opcode,
     [](Bench& b) { b.send(tagged_segment(3, b.end.stag, b.end.to(0), pattern(4))); }},
    {"ReadResponseNobodyAskedFor", 0x0206, E::unexpected_opcode,
     [](Bench& b) { b.send(read_response(b.end.stag, b.end.to(0), pattern(4))); }},
    {"AtomicOperationOne", 0x0206, E::unexpected_opcode,
     [](Bench& b) { b.send(atomic_request(1, 1, {.stag = b.end.stag, .to = b.end.to(0)})); }},
    {"ReadRequestWithoutLast", 0x0207, E::missing_last,
     [](Bench& b) { b.send(read_request(1, {}, {.last = false})); }},
    {"ReadRequestTooShort", 0x0207, E::read_request_malformed,
     [](Bench& b) { b.send(part(read_request(1, {}), 0, 45)); }},
    {"SendWithoutItsLast", 0x0207, E::missing_last,
     [](Bench& b) {
       post_receives(b, 2, 16);
       b.send(send(1, pattern(4), {.last = false}));
       b.send(send(2, pattern(4)));
     }},
    {"ImmediateOfSeven", 0x0207, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       b.send(untagged_segment(8, 0, 1, pattern(7)));
     }},
    {"AtomicUnaligned", 0x0207, E::irrq_access,
     [](Bench& b) { b.send(fetch_add(1, {.stag = b.end.stag, .to = b.end.to(4)})); }},
    {"ReadResponseTooShort", 0x0207, E::missing_last,
     [](Bench& b) {
       read_sixteen(b);
       b.send(read_response(b.end.stag, b.end.to(0), pattern(8)));
     },
     Role::initiator},
    {"ReadResponseWithoutLast", 0x0207, E::missing_last,
     [](Bench& b) {
       read_sixteen(b);
       b.send(read_response(b.end.stag, b.end.to(0), pattern(8), {.last = false}));
       b.send(read_response(b.end.stag, b.end.to(8), pattern(8), {.last = false}));
     },
     Role::initiator},
    {"EmptyReadResponseWithoutLast", 0x0207, E::missing_last,
     [](Bench& b) {
       EXPECT_EQ(b.end.rnic.post_send(b.end.qp, {.id = 1, .operation = Operation::rdma_read}).status, Status::ok);
       EXPECT_EQ(b.output().size(), 1U);
       b.send(read_response(0, 0, {}, {.last = false}));
     },
     Role::initiator},
    {"AtomicResponseOfAnother", 0x0207, E::unexpected_opcode,
     [](Bench& b) {
       ASSERT_EQ(
           b.end.rnic
               .post_send(b.end.qp, {.id = 1, .operation = Operation::fetch_add, .stag = 0x1234, .to = 8})
               .status,
           Status::ok);
       ASSERT_EQ(b.output().size(), 1U);
       b.send(atomic_response(1, 99, 0));
     },
     Role::initiator},
    {"CloseWithWorkLeft", 0x0207, E::bad_llp_close,
     [](Bench& b) {
       read_sixteen(b);
       b.end.rnic.handle_close(b.end.stream, StreamClose::graceful, 1);
     },
     Role::initiator},
    {"CompletionQueueOverflow", 0x0207, E::cq_overflow,
     [](Bench& b) {
       post_receives(b, 2, 16);
       b.send(send(1));
       b.send(send(2));
     },
     Role::responder, [](EndOptions& options) { options.cqes = 1; }},
    // --- DDP ---
    {"UlpduTooShort", 0x1000, E::llp_segment_size, [](Bench& b) { b.send(part(send(1), 0, 17)); }},
    {"EmptyUlpdu", 0x1000, E::llp_segment_size, [](Bench& b) { b.send({}); }},
    {"WriteToUnknownStag", 0x1100, E::tagged_stag,
     [](Bench& b) { b.send(write(unknown_stag, 0, pattern(4))); }},
    {"WriteToStagZero", 0x1100, E::tagged_stag, [](Bench& b) { b.send(write(0, 0, pattern(4))); }},
    {"WriteWithOtherKey", 0x1100, E::tagged_stag,
     [](Bench& b) { b.send(write(b.end.stag ^ 1, b.end.to(0), pattern(4))); }},
    {"WriteWithoutTheRight", 0x1100, E::tagged_access,
     [](Bench& b) {
       b.send(write(stag_with(b, access::local | access::remote_read), region_base, pattern(4)));
     }},
    {"WriteToQpThatTakesNone", 0x1100, E::write_not_enabled,
     [](Bench& b) { b.send(write(b.end.stag, b.end.to(0), pattern(4))); }, Role::responder,
     [](EndOptions& options) { options.qp.write_enabled = false; }},
    {"ReadResponseToQpThatTakesNone", 0x1100, E::write_not_enabled,
     [](Bench& b) {
       read_sixteen(b);
       b.send(read_response(b.end.stag, b.end.to(0), pattern(16)));
     },
     Role::initiator, [](EndOptions& options) { options.qp.write_enabled = false; }},
    {"ReadResponseToOtherStag", 0x1100, E::tagged_stag,
     [](Bench& b) {
       read_sixteen(b);
       b.send(read_response(stag_with(b, access::local | access::remote), region_base, pattern(16)));
     },
     Role::initiator},
    {"WriteBeyondTheRegion", 0x1101, E::tagged_bounds,
     [](Bench& b) { b.send(write(b.end.stag, b.end.to(65536 - 3), pattern(4))); }},
    {"WriteBeforeTheRegion", 0x1101, E::tagged_bounds,
     [](Bench& b) { b.send(write(b.end.stag, region_base - 1, pattern(4))); }},
    {"ReadResponseTooLong", 0x1101, E::tagged_bounds,
     [](Bench& b) {
       read_sixteen(b);
       b.send(read_response(b.end.stag, b.end.to(0), pattern(17)));
     },
     Role::initiator},
    {"ReadResponseElsewhere", 0x1101, E::tagged_bounds,
     [](Bench& b) {
       read_sixteen(b);
       b.send(read_response(b.end.stag, b.end.to(1), pattern(16)));
     },
     Role::initiator},
    {"WriteToAnotherPd", 0x1102, E::tagged_pd,
     [](Bench& b) { b.send(write(stag_of_other_pd(b), region_base, pattern(4))); }},
    {"WriteThatWraps", 0x1103, E::tagged_wrap,
     [](Bench& b) { b.send(write(stag_at_the_top(b), bottom_of_last_page, pattern(17))); }},
    {"TaggedVersion", 0x1104, E::ddp_version,
     [](Bench& b) { b.send(write(b.end.stag, b.end.to(0), pattern(4), {.ddp_version = 2})); }},
    {"SendOnQueueOne", 0x1201, E::queue_number, [](Bench& b) { b.send(send(1, pattern(4), {.queue = 1})); }},
    {"QueueFour", 0x1201, E::queue_number, [](Bench& b) { b.send(send(1, pattern(4), {.queue = 4})); }},
    {"ReadFromQpThatAllowsNone", 0x1201, E::read_not_enabled,
     [](Bench& b) {
       b.send(read_request(1, {.size = 4, .source_stag = b.end.stag, .source_to = region_base}));
     },
     Role::responder, [](EndOptions& options) { options.qp.read_enabled = false; }},
    {"NoReceiveBuffer", 0x1202, E::rq_msn_range, [](Bench& b) { b.send(send(1, pattern(4))); }},
    {"AtomicResponseNobodyAskedFor", 0x1202, E::irrq_msn_range,
     [](Bench& b) { b.send(atomic_response(1, 1, 0)); }},
    {"GapInMsn", 0x1203, E::rq_msn_gap,
     [](Bench& b) {
       post_receives(b, 4, 16);
       b.send(send(2, pattern(4)));
     }},
    {"MsnFarAway", 0x1203, E::rq_msn_range,
     [](Bench& b) {
       post_receives(b, 4, 16);
       b.send(send(0x7fffffff, pattern(4)));
     }},
    {"MsnAgain", 0x1203, E::rq_msn_range,
     [](Bench& b) {
       post_receives(b, 4, 16);
       b.send(send(1, pattern(4)));
       b.send(send(1, pattern(4)));
     }},
    {"ReadRequestMsn", 0x1203, E::irrq_msn_gap, [](Bench& b) { b.send(read_request(2, {})); }},
    {"MoreReadsThanIrd", 0x1203, E::irrq_too_many,
     [](Bench& b) {
       b.send(read_request(1, {}));
       b.send(read_request(2, {}));
     },
     Role::responder, [](EndOptions& options) { options.qp.ird = 1; }},
    {"FirstMoNotZero", 0x1204, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       b.send(send(1, pattern(4), {.mo = 4}));
     }},
    {"MoSkips", 0x1204, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       b.send(send(1, pattern(4), {.last = false}));
       b.send(send(1, pattern(4), {.mo = 5}));
     }},
    {"AtomicRequestMo", 0x1204, E::read_request_malformed,
     [](Bench& b) { b.send(fetch_add(1, {.stag = b.end.stag, .to = b.end.to(0)}, {.mo = 4})); }},
    {"ReadRequestMo", 0x1204, E::read_request_malformed,
     [](Bench& b) { b.send(read_request(1, {}, {.mo = 4})); }},
    {"SendTooLong", 0x1205, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       b.send(send(1, pattern(17)));
     }},
    {"SendGrowsTooLong", 0x1205, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       b.send(send(1, pattern(16), {.last = false}));
       b.send(send(1, pattern(1), {.mo = 16}));
     }},
    {"ReadRequestTooLong", 0x1205, E::read_request_malformed,
     [](Bench& b) { b.send(untagged_segment(1, 1, 1, zeros(29))); }},
    {"ImmediateOfNine", 0x1205, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       b.send(untagged_segment(8, 0, 1, pattern(9)));
     }},
    {"UntaggedVersion", 0x1206, E::ddp_version, [](Bench& b) { b.send(send(1, {}, {.ddp_version = 0})); }},
    // --- MPA ---
    {"Crc", 0x2002, E::llp_crc,
     [](Bench& b) {
       b.input(b.peer().add(write(b.end.stag, b.end.to(0), pattern(4)), {.crc = Crc::wrong}));
     }},
    {"FirstFpduIsNoRtr", 0x2007, E::local_qp_catastrophic,
     [](Bench& b) { b.send(write(b.end.stag, b.end.to(0), pattern(4))); }, Role::responder,
     [](EndOptions& options) { options.stream.mpa.peer_to_peer = true; }},
    // --- several faults: the first in the order counts ---
    {"CrcBeforeAnything", 0x2002, E::llp_crc,
     [](Bench& b) {
       b.input(b.peer().add(part(send(1, {}, {.ddp_version = 0}), 0, 15), {.crc = Crc::wrong}));
     }},
    {"MinimumBeforeVersion", 0x1000, E::llp_segment_size,
     [](Bench& b) { b.send(part(send(1, {}, {.ddp_version = 0, .rdmap_version = 0}), 0, 17)); }},
    {"DdpVersionBeforeRdmapVersion", 0x1206, E::ddp_version,
     [](Bench& b) { b.send(send(9, {}, {.queue = 7, .opcode = 13, .ddp_version = 3, .rdmap_version = 3})); }},
    {"RdmapVersionBeforeOpcode", 0x0205, E::rdmap_version,
     [](Bench& b) { b.send(send(9, {}, {.queue = 7, .opcode = 13, .rdmap_version = 3})); }},
    {"OpcodeBeforeQueue", 0x0206, E::unexpected_opcode,
     [](Bench& b) { b.send(send(9, {}, {.queue = 7, .opcode = 13})); }},
    {"QueueBeforeMsn", 0x1201, E::queue_number,
     [](Bench& b) { b.send(send(9, pattern(99), {.last = false, .mo = 9, .queue = 7})); }},
    {"MsnBeforeMo", 0x1203, E::rq_msn_gap,
     [](Bench& b) {
       post_receives(b, 4, 16);
       b.send(send(3, pattern(99), {.mo = 9}));
     }},
    {"BufferBeforeMo", 0x1202, E::rq_msn_range, [](Bench& b) { b.send(send(1, pattern(99), {.mo = 9})); }},
    {"MoBeforeLength", 0x1204, E::none,
     [](Bench& b) {
       post_receives(b, 1, 16);
       b.send(send(1, pattern(99), {.mo = 9}));
     }},
    {"LengthBeforeLocalBuffer", 0x1205, E::none,
     [](Bench& b) {
       ASSERT_EQ(b.end.rnic.post_receive(b.end.qp, {.id = 1, .sgl = {Sge{unknown_stag, 4, 0}}}).status,
                 Status::ok);
       b.send(send(1, pattern(5)));
     }},
    {"LocalBufferBeforeInvalidate", 0x0000, E::none,
     [](Bench& b) {
       ASSERT_EQ(b.end.rnic.post_receive(b.end.qp, {.id = 1, .sgl = {Sge{unknown_stag, 4, 0}}}).status,
                 Status::ok);
       b.send(send_inv(1, unknown_stag, pattern(4)));
     }},
    {"QpBeforeStag", 0x1100, E::write_not_enabled,
     [](Bench& b) { b.send(write(unknown_stag, 0, pattern(4))); }, Role::responder,
     [](EndOptions& options) { options.qp.write_enabled = false; }},
    {"StagBeforePd", 0x1100, E::tagged_stag,
     [](Bench& b) { b.send(write(stag_of_other_pd(b) ^ 1, 0, pattern(4))); }},
    {"PdBeforeRights", 0x1102, E::tagged_pd,
     [](Bench& b) {
       Mapping mapping;
       mapping.buffers = contiguous(b.end.memory.data(), 16);
       mapping.length = 16;
       mapping.rights = access::local_read;
       const PdId other = b.end.rnic.allocate_pd().value;
       b.send(
           write(b.end.rnic.register_region(other, 1, false, mapping).value, ~std::uint64_t{0}, pattern(4)));
     }},
    {"RightsBeforeWrap", 0x1100, E::tagged_access,
     [](Bench& b) {
       b.send(write(stag_with(b, access::local | access::remote_read), ~std::uint64_t{0}, pattern(4)));
     }},
    {"WrapBeforeBounds", 0x1103, E::tagged_wrap,
     [](Bench& b) { b.send(write(b.end.stag, ~std::uint64_t{0}, pattern(4))); }},
    {"IrdBeforeSource", 0x1203, E::irrq_too_many,
     [](Bench& b) {
       b.send(read_request(1, {}));
       b.send(read_request(2, {.size = 4, .source_stag = unknown_stag}));
     },
     Role::responder, [](EndOptions& options) { options.qp.ird = 1; }},
    {"SourceStagBeforeAlignment", 0x0100, E::irrq_stag,
     [](Bench& b) { b.send(fetch_add(1, {.stag = unknown_stag, .to = 4})); }},
    {"AlignmentBeforeBounds", 0x0207, E::irrq_access,
     [](Bench& b) { b.send(fetch_add(1, {.stag = b.end.stag, .to = b.end.to(65536 - 4)})); }},
    {"StagBeforeMissingRequest", 0x1100, E::tagged_stag,
     [](Bench& b) { b.send(read_response(unknown_stag, 0, pattern(4))); }},
};

class H10 : public ::testing::TestWithParam<Stimulus> {};

TEST_P(H10, StimulusYieldsExactlyThisTerminate) {
  const Stimulus& stimulus = GetParam();
  EndOptions options;
  stimulus.options(options);
  Bench bench(stimulus.role, options);
  const Bytes before = bench.end.memory;
  stimulus.act(bench);
  const int code = bench.terminate_code();
  EXPECT_EQ(code & 0xffff, stimulus.code);
  EXPECT_NE(code, 0) << "no Terminate";
  EXPECT_NE(code, -1) << "more than one";
  // Where the peer's FIN came first, ours ends it.
  const bool peer_closed = std::string(stimulus.name) == "CloseWithWorkLeft";
  EXPECT_EQ(bench.end.state(), peer_closed ? QpState::error : QpState::terminate);
  EXPECT_TRUE(bench.closed);
  EXPECT_FALSE(bench.reset);
  const auto events = bench.end.events();
  if (stimulus.event == E::none) {
    EXPECT_TRUE(events.empty());
  } else {
    EXPECT_EQ(std::count(events.begin(), events.end(), stimulus.event), 1) << name_of(stimulus.event);
  }
  // Nothing is delivered any more, and nothing more is said.
  bench.send(write(bench.end.stag, bench.end.to(1000), pattern(64)));
  EXPECT_TRUE(bench.output().empty());
  EXPECT_EQ(part(bench.end.memory, 1000, 64), part(before, 1000, 64));
  // The peer's FIN ends it.
  bench.end.rnic.handle_close(bench.end.stream, StreamClose::graceful, 2);
  EXPECT_EQ(bench.end.state(), QpState::error);
  const auto query = bench.end.rnic.query_qp(bench.end.qp);
  ASSERT_TRUE(query.value.terminate);
  EXPECT_TRUE(query.value.terminate->local);
  EXPECT_EQ(query.value.terminate->message.meant.value(), stimulus.code);
}

INSTANTIATE_TEST_SUITE_P(Codes, H10, ::testing::ValuesIn(stimuli),
                         [](const auto& test) { return std::string(test.param.name); });

// What a Terminate carries (RFC 5040 §4.8; wire.md's table of header control): octets written by hand.
TEST(H10_Carries, HeadersOfTheOffendingSegment) {
  const auto answer = [](const Bytes& ulpdu) {
    Bench bench;
    bench.send(ulpdu);
    (void)bench.terminate_code();
    return to_hex(part(bench.last_terminate, 18));
  };
  const Bytes request = read_request(
      1, {.sink_stag = 0xa1b202, .sink_to = 0x7f0000002000, .size = 64, .source_stag = 0xdeadbe00});
  EXPECT_EQ(answer(request), to_hex(cat(hex("0100e000 002e"), request)));
  const Bytes tagged = write(0xbad00001, 0, pattern(8));
  EXPECT_EQ(answer(tagged), to_hex(cat(hex("1100c000 0016"), part(tagged, 0, 14))));
  const Bytes untagged = send(1, pattern(16));
  EXPECT_EQ(answer(untagged), to_hex(cat(hex("1202c000 0022"), part(untagged, 0, 18))));
  const Bytes unknown = send(1, {}, {.opcode = 12});
  EXPECT_EQ(answer(unknown), to_hex(cat(hex("0206c000 0012"), part(unknown, 0, 18))));
  // Atomics have no R (RFC 7306 §8.1).
  const Bytes atomic = fetch_add(1, {.stag = 0xdeadbe00});
  EXPECT_EQ(answer(atomic), to_hex(cat(hex("0100c000 0046"), part(atomic, 0, 18))));
  EXPECT_EQ(answer(part(send(1), 0, 17)), to_hex(hex("10008000 0011")));
}

TEST(H10_Carries, NothingForCrcAndLocalErrors) {
  Bench bench;
  bench.input(bench.peer().add(send(1), {.crc = Crc::wrong}));
  EXPECT_EQ(bench.terminate_code(), 0x2002);
  EXPECT_EQ(to_hex(part(bench.last_terminate, 18)), to_hex(hex("20020000")));
}

TEST(H10_Marker, MarkerThatDoesNotAgreeIs2003) {
  EndOptions options;
  options.stream.mpa.markers = true;
  Bench bench(Role::responder, options);
  bench.peer().break_marker({.pointer_delta = 4});
  bench.send(write(bench.end.stag, bench.end.to(0), pattern(600)));
  EXPECT_EQ(bench.terminate_code(), 0x2003);
  EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::llp_bad_fpdu});
}

TEST(H10_Ird, ResponderWithMoreOrdThanOurIrdIs2006) {
  EndOptions options;
  options.stream.mpa.ird = 4;
  options.qp.ird = 4;
  End end(options);
  end.open();
  ASSERT_EQ(end.ready(), Status::ok);
  ASSERT_EQ(end.rnic.poll_output(end.stream, 0).kind, OutputKind::octets);
  end.rnic.handle_input(end.stream, reply_frame({.word = Depths{.ird = 8, .ord = 5}}), 0);
  const Output output = end.rnic.poll_output(end.stream, 0);
  EXPECT_EQ(to_hex(output.octets), to_hex(fpdu(terminate(0x2006))));
  EXPECT_EQ(end.state(), QpState::terminate);
}

TEST(H10_Rtr, NoCommonKindIs2007) {
  EndOptions options;
  options.stream.mpa.peer_to_peer = true;
  options.stream.mpa.rtr_send = options.stream.mpa.rtr_write = false;
  End end(options);
  end.open();
  ASSERT_EQ(end.ready(), Status::ok);
  ASSERT_EQ(end.rnic.poll_output(end.stream, 0).kind, OutputKind::octets);
  end.rnic.handle_input(
      end.stream, reply_frame({.word = Depths{.peer_to_peer = true, .rtr_write = true, .ird = 8, .ord = 8}}),
      0);
  const Output output = end.rnic.poll_output(end.stream, 0);
  EXPECT_EQ(to_hex(output.octets), to_hex(fpdu(terminate(0x2007))));
}

// Length 0: STag, TO and source are not looked at (RFC 5040 §5.2.1, RFC 5041 §5.2).
TEST(H10_Zero, ZeroLengthSkipsTheChecks) {
  Bench bench;
  bench.send(write(unknown_stag, ~std::uint64_t{0}));
  bench.send(read_request(1, {.sink_stag = 7, .sink_to = 9, .source_stag = unknown_stag}));
  const auto output = bench.output();
  ASSERT_EQ(output.size(), 1U);
  EXPECT_EQ(to_hex(output[0]), to_hex(read_response(7, 9)));
  EXPECT_EQ(bench.end.state(), QpState::rts);
}

}  // namespace
}  // namespace iwarp::rnic::test
