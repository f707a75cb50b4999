// Memory Regions and Windows: states, rights, addressing, and every rule of binding and invalidating
// (Verbs 1.0 §7, §9.2.6; state.md B5).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "replay/rnic/two_rnics.hpp"

namespace iwarp::rnic::test {
namespace {

Mapping mapping_of(End& end, std::uint64_t length = 4096,
                   AccessRights rights = access::local | access::remote) {
  Mapping mapping;
  mapping.buffers = contiguous(end.memory.data(), end.memory.size());
  mapping.length = length;
  mapping.virtual_address = region_base;
  mapping.rights = rights;
  return mapping;
}

TEST(B5_Region, StagsAreSparseAndNotSequential) {
  End end;
  std::set<std::uint32_t> indices;
  std::uint32_t near = 0;
  std::uint32_t last = 0;
  for (int count = 0; count < 1000; ++count) {
    const auto stag = end.rnic.register_region(end.pd, 7, true, mapping_of(end)).value;
    EXPECT_EQ(stag_key(stag), 7);
    const std::uint32_t index = stag_index(stag);
    EXPECT_NE(index, 0U);
    if (index - last + 256 < 512) ++near;
    last = index;
    EXPECT_TRUE(indices.insert(index).second);
  }
  EXPECT_LT(near, 5U);
  EXPECT_GT(*indices.rbegin() - *indices.begin(), 0xf00000U);
  // Another seed, other STags; the same seed, the same.
  EndOptions other;
  other.rnic.seed = 1;
  EXPECT_NE(End(other).stag, End().stag);
  EXPECT_EQ(End(other).stag, End(other).stag);
}

TEST(B5_Region, ARecordedStagCanBeKept) {
  End end;
  const auto kept = end.rnic.register_region(end.pd, 0xcd, true, mapping_of(end), 0x1234ab);
  EXPECT_EQ(kept.value, 0x1234abcdU);
  EXPECT_EQ(end.rnic.register_region(end.pd, 1, true, mapping_of(end), 0x1234ab).status,
            Status::invalid_stag_index);
  EXPECT_EQ(end.rnic.register_region(end.pd, 1, true, mapping_of(end), 0).status, Status::invalid_stag_index);
}

TEST(B5_Region, RegisterRefusesWhatIsIllegal) {
  End end;
  const auto with = [&end](auto set, bool remote = true) {
    Mapping mapping = mapping_of(end);
    set(mapping);
    return end.rnic.register_region(end.pd, 1, remote, mapping).status;
  };
  EXPECT_EQ(with([](Mapping&) {}), Status::ok);
  EXPECT_EQ(end.rnic.register_region(PdId{99}, 1, true, mapping_of(end)).status, Status::invalid_pd);
  EXPECT_EQ(with([](Mapping& m) { m.length = 0; }), Status::invalid_length);
  EXPECT_EQ(with([](Mapping& m) { m.length = 65537; }), Status::invalid_length);
  EXPECT_EQ(with([](Mapping& m) { m.buffers.first_byte_offset = 65536; }), Status::invalid_fbo);
  EXPECT_EQ(with([](Mapping& m) { m.buffers.first_byte_offset = 61441; }), Status::invalid_length);
  // However large the buffers are said to be: a region never reaches beyond the last one.
  EXPECT_EQ(with([](Mapping& m) {
              m.buffers.size = std::uint64_t{1} << 60U;
              m.buffers.first_byte_offset = m.buffers.size - 10;
            }),
            Status::invalid_length);
  EXPECT_EQ(with([](Mapping& m) { m.buffers.size = 0; }), Status::invalid_physical_buffer_size);
  EXPECT_EQ(with([](Mapping& m) { m.buffers.list.clear(); }), Status::invalid_pbl_entry);
  EXPECT_EQ(with([](Mapping& m) { m.buffers.list[0] = nullptr; }), Status::invalid_pbl_entry);
  EXPECT_EQ(with([](Mapping& m) { m.virtual_address = ~std::uint64_t{0}; }), Status::invalid_virtual_address);
  EXPECT_EQ(with([](Mapping& m) { m.rights = access::remote_read; }), Status::invalid_access_rights);
  EXPECT_EQ(with([](Mapping& m) { m.rights = access::local_read | access::remote_write; }),
            Status::invalid_access_rights);
  EXPECT_EQ(with([](Mapping& m) { m.rights = 0; }), Status::invalid_access_rights);
  EXPECT_EQ(with([](Mapping&) {}, false), Status::invalid_access_rights);  // remote rights without the flag
}

TEST(B5_Region, PageListsMustFitTheirPages) {
  EndOptions options;
  options.rnic.memory.block_lists = false;
  options.memory = 0;
  SoftRnic rnic(options.rnic);
  const PdId pd = rnic.allocate_pd().value;
  alignas(4096) static Byte pages[8192];
  Mapping mapping;
  mapping.buffers = {.list = {pages + 4096, pages}, .size = 4096, .first_byte_offset = 16};
  mapping.length = 8000;
  mapping.virtual_address = 0x10000010;
  mapping.rights = access::local;
  EXPECT_EQ(rnic.register_region(pd, 1, true, mapping).status, Status::ok);
  mapping.virtual_address = 0x10000000;  // not consistent with the FBO
  EXPECT_EQ(rnic.register_region(pd, 1, true, mapping).status, Status::invalid_virtual_address);
  mapping.buffers.size = 4095;
  EXPECT_EQ(rnic.register_region(pd, 1, true, mapping).status, Status::invalid_physical_buffer_size);
  mapping.buffers.size = 4096;
  mapping.buffers.list[0] = pages + 1;
  EXPECT_EQ(rnic.register_region(pd, 1, true, mapping).status, Status::invalid_pbl_entry);
}

TEST(B5_Region, BuffersAreConcatenatedFromTheFirstByteOffset) {
  Bench bench;
  Bytes& memory = bench.end.memory;
  Mapping mapping;
  mapping.buffers = {.list = {memory.data() + 300, memory.data() + 100, memory.data() + 200},
                     .size = 10,
                     .first_byte_offset = 7};
  mapping.length = 20;
  mapping.addressing = Addressing::zero_based;
  mapping.rights = access::local | access::remote;
  const std::uint32_t stag = bench.end.rnic.register_region(bench.end.pd, 1, true, mapping).value;
  bench.send(write(stag, 0, text("abcdefghijklmnopqrst")));
  EXPECT_EQ(part(memory, 307, 3), text("abc"));
  EXPECT_EQ(part(memory, 100, 10), text("defghijklm"));
  EXPECT_EQ(part(memory, 200, 7), text("nopqrst"));
  EXPECT_EQ(memory[310], 0);
  bench.send(read_request(1, {.sink_stag = 1, .size = 5, .source_stag = stag, .source_to = 1}));
  const auto sent = bench.output();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(part(sent[0], 14), text("bcdef"));
  bench.send(write(stag, 1, pattern(20)));
  EXPECT_EQ(bench.terminate_code(), 0x1101);
}

TEST(B5_Region, LifeOfAnStag) {
  Bench bench(Role::initiator, [] {
    EndOptions options;
    options.qp.privileged = true;
    return options;
  }());
  End& end = bench.end;
  const std::uint32_t index = end.rnic.allocate_region(end.pd, 4, true).value;
  EXPECT_FALSE(end.rnic.query_stag(index).value.valid);
  const std::uint32_t stag = make_stag(index, 0x42);
  const auto mapping = std::make_shared<Mapping>(mapping_of(end));
  std::uint64_t id = 0;
  const auto done = [&](WorkRequest request) {
    request.id = ++id;
    EXPECT_EQ(end.rnic.post_send(end.qp, request).status, Status::ok);
    EXPECT_TRUE(bench.output().empty());
    const auto completions = end.sends();
    return completions.size() == 1 && completions[0].status == CompletionStatus::success;
  };
  const WorkRequest fast{.operation = Operation::fast_register, .region = stag, .mapping = mapping};
  const WorkRequest invalidate{.operation = Operation::local_invalidate, .stag = stag};
  EXPECT_TRUE(done(fast));
  EXPECT_TRUE(end.rnic.query_stag(index).value.valid);
  EXPECT_TRUE(done(invalidate));
  EXPECT_FALSE(end.rnic.query_stag(index).value.valid);
  EXPECT_TRUE(done(invalidate));  // an Invalid one is invalidated again without error
  EXPECT_TRUE(done(fast));
  EXPECT_EQ(end.rnic.deallocate_stag(index), Status::ok);
  EXPECT_EQ(end.rnic.deallocate_stag(index), Status::invalid_stag_index);
  EXPECT_EQ(end.rnic.query_stag(index).status, Status::invalid_stag_index);
}

// Each way in which a Fast-Register, Bind or Invalidate can fail: status, Terminate 0000, nothing changed.
struct Failure {
  const char* name;
  CompletionStatus status;
  std::function<WorkRequest(Bench&)> make;
  bool privileged = true;
  bool bind_enabled = true;
};
void PrintTo(const Failure& failure, std::ostream* out) {
  *out << failure.name;
}

WorkRequest fast(Bench& bench, const std::function<void(Mapping&)>& set, std::size_t buffers = 4,
                 bool remote_access = true) {
  auto mapping = std::make_shared<Mapping>(mapping_of(bench.end));
  set(*mapping);
  const std::uint32_t index = bench.end.rnic.allocate_region(bench.end.pd, buffers, remote_access).value;
  return {.id = 1, .operation = Operation::fast_register, .region = make_stag(index, 1), .mapping = mapping};
}

WorkRequest bind(Bench& bench, const std::function<void(WindowBinding&)>& set) {
  WorkRequest request{.id = 1, .operation = Operation::bind_window};
  request.binding = {.window = make_stag(bench.end.rnic.allocate_window(bench.end.pd).value, 3),
                     .region = bench.end.stag,
                     .virtual_address = region_base,
                     .length = 100,
                     .rights = access::remote};
  set(request.binding);
  return request;
}

std::uint32_t region(Bench& bench, AccessRights rights, PdId pd,
                     Addressing addressing = Addressing::virtual_address) {
  Mapping mapping = mapping_of(bench.end, 4096, rights);
  mapping.addressing = addressing;
  return bench.end.rnic.register_region(pd, 1, true, mapping).value;
}

WorkRequest invalidate(std::uint32_t stag) {
  return {.id = 1, .operation = Operation::local_invalidate, .stag = stag};
}

using C = CompletionStatus;
constexpr AccessRights bindable = access::local | access::bind;

const Failure failures[] = {
    {"FastRegisterUnprivileged", C::not_privileged, [](Bench& b) { return fast(b, [](Mapping&) {}); }, false},
    {"FastRegisterUnknown", C::invalid_stag,
     [](Bench& b) {
       WorkRequest request = fast(b, [](Mapping&) {});
       request.region = 0xdeadbe00;
       return request;
     }},
    {"FastRegisterWindow", C::invalid_stag,
     [](Bench& b) {
       WorkRequest request = fast(b, [](Mapping&) {});
       request.region = make_stag(b.end.rnic.allocate_window(b.end.pd).value, 1);
       return request;
     }},
    {"FastRegisterValid", C::stag_not_invalid,
     [](Bench& b) {
       WorkRequest request = fast(b, [](Mapping&) {});
       request.region = b.end.stag;
       return request;
     }},
    {"FastRegisterOtherPd", C::invalid_pd,
     [](Bench& b) {
       WorkRequest request = fast(b, [](Mapping&) {});
       request.region =
           make_stag(b.end.rnic.allocate_region(b.end.rnic.allocate_pd().value, 4, true).value, 1);
       return request;
     }},
    {"FastRegisterBufferSize", C::invalid_physical_buffer_size,
     [](Bench& b) { return fast(b, [](Mapping& m) { m.buffers.size = 0; }); }},
    {"FastRegisterListTooLong", C::pbl_too_long,
     [](Bench& b) { return fast(b, [](Mapping& m) { m.buffers.list.resize(5, m.buffers.list[0]); }); }},
    {"FastRegisterEntry", C::invalid_pbl_entry,
     [](Bench& b) { return fast(b, [](Mapping& m) { m.buffers.list[0] = nullptr; }); }},
    {"FastRegisterFbo", C::invalid_fbo,
     [](Bench& b) { return fast(b, [](Mapping& m) { m.buffers.first_byte_offset = 65536; }); }},
    {"FastRegisterLength", C::invalid_register_length,
     [](Bench& b) { return fast(b, [](Mapping& m) { m.length = 65537; }); }},
    {"FastRegisterAddress", C::invalid_virtual_address,
     [](Bench& b) { return fast(b, [](Mapping& m) { m.virtual_address = ~std::uint64_t{0}; }); }},
    {"FastRegisterRights", C::invalid_access_rights,
     [](Bench& b) {
       return fast(
           b, [](Mapping&) {}, 4, false);
     }},
    {"BindRegionAsWindow", C::invalid_window,
     [](Bench& b) { return bind(b, [&](WindowBinding& w) { w.window = b.end.stag; }); }},
    {"BindBoundWindow", C::stag_not_invalid,
     [](Bench& b) {
       const WorkRequest first = bind(b, [](WindowBinding&) {});
       EXPECT_EQ(b.end.rnic.post_send(b.end.qp, first).status, Status::ok);
       EXPECT_TRUE(b.output().empty());
       EXPECT_EQ(b.end.sends().size(), 1U);
       return first;
     }},
    {"BindNotEnabledOnQp", C::access_violation, [](Bench& b) { return bind(b, [](WindowBinding&) {}); }, true,
     false},
    {"BindOtherKey", C::invalid_region,
     [](Bench& b) { return bind(b, [](WindowBinding& w) { w.region ^= 1; }); }},
    {"BindToWindow", C::invalid_region,
     [](Bench& b) {
       return bind(
           b, [&](WindowBinding& w) { w.region = make_stag(b.end.rnic.allocate_window(b.end.pd).value, 0); });
     }},
    {"BindToInvalidRegion", C::invalid_region,
     [](Bench& b) {
       return bind(b, [&](WindowBinding& w) {
         w.region = make_stag(b.end.rnic.allocate_region(b.end.pd, 4, true).value, 0);
       });
     }},
    {"BindRegionOfOtherPd", C::invalid_pd,
     [](Bench& b) {
       return bind(b,
                   [&](WindowBinding& w) { w.region = region(b, bindable, b.end.rnic.allocate_pd().value); });
     }},
    {"BindWindowOfOtherPd", C::invalid_pd,
     [](Bench& b) {
       return bind(b, [&](WindowBinding& w) {
         w.window = make_stag(b.end.rnic.allocate_window(b.end.rnic.allocate_pd().value).value, 1);
       });
     }},
    {"BindNotEnabledOnRegion", C::access_violation,
     [](Bench& b) {
       return bind(b, [&](WindowBinding& w) { w.region = region(b, access::local, b.end.pd); });
     }},
    {"BindWriteOverReadOnly", C::access_violation,
     [](Bench& b) {
       return bind(
           b, [&](WindowBinding& w) { w.region = region(b, access::local_read | access::bind, b.end.pd); });
     }},
    {"BindReadOverWriteOnly", C::access_violation,
     [](Bench& b) {
       return bind(
           b, [&](WindowBinding& w) { w.region = region(b, access::local_write | access::bind, b.end.pd); });
     }},
    {"BindToZeroBasedRegion", C::invalid_region,
     [](Bench& b) {
       return bind(b, [&](WindowBinding& w) {
         w.region = region(b, bindable, b.end.pd, Addressing::zero_based);
         w.virtual_address = 0;
       });
     }},
    {"BindBeyondTheRegion", C::base_bounds,
     [](Bench& b) { return bind(b, [](WindowBinding& w) { w.length = 65537; }); }},
    {"BindBeforeTheRegion", C::base_bounds,
     [](Bench& b) { return bind(b, [](WindowBinding& w) { --w.virtual_address; }); }},
    {"BindWraps", C::wrap,
     [](Bench& b) { return bind(b, [](WindowBinding& w) { w.virtual_address = ~std::uint64_t{0}; }); }},
    {"InvalidateIndexZero", C::invalid_stag, [](Bench&) { return invalidate(5); }},
    {"InvalidateUnknown", C::invalid_stag, [](Bench&) { return invalidate(0xdeadbe00); }},
    {"InvalidateOtherKey", C::invalid_stag, [](Bench& b) { return invalidate(b.end.stag ^ 1); }},
    {"InvalidateShared", C::invalid_stag,
     [](Bench& b) {
       EXPECT_EQ(
           b.end.rnic.register_shared(stag_index(b.end.stag), b.end.pd, 1, true, mapping_of(b.end)).status,
           Status::ok);
       return invalidate(b.end.stag);  // the source is shared now, too
     }},
    {"InvalidateOtherPd", C::invalid_pd,
     [](Bench& b) { return invalidate(region(b, access::local, b.end.rnic.allocate_pd().value)); }},
    {"InvalidateRegionWithWindow", C::access_violation,
     [](Bench& b) {
       EXPECT_EQ(b.end.rnic.post_send(b.end.qp, bind(b, [](WindowBinding&) {})).status, Status::ok);
       EXPECT_TRUE(b.output().empty());
       EXPECT_EQ(b.end.sends().size(), 1U);
       return invalidate(b.end.stag);
     }},
};

class B5_MemoryWork : public ::testing::TestWithParam<Failure> {};

TEST_P(B5_MemoryWork, FailsWithItsStatus) {
  EndOptions options;
  options.qp.privileged = GetParam().privileged;
  options.qp.bind_enabled = GetParam().bind_enabled;
  Bench bench(Role::initiator, options);
  const WorkRequest request = GetParam().make(bench);
  ASSERT_EQ(bench.end.rnic.post_send(bench.end.qp, request).status, Status::ok);
  EXPECT_EQ(bench.terminate_code(), 0x10000);
  const auto done = bench.end.sends();
  ASSERT_EQ(done.size(), 1U);
  EXPECT_STREQ(name_of(done[0].status), name_of(GetParam().status));
  EXPECT_TRUE(bench.end.events().empty());
}

// Verbs 1.0 §7.2.1 (6): an Immediate Error, and nothing was posted.
TEST(B5_StagZero, IsNoStagToBindToRegisterOrInvalidate) {
  EndOptions options;
  options.qp.privileged = true;
  Bench bench(Role::initiator, options);
  WorkRequest fast_register = fast(bench, [](Mapping&) {});
  for (const std::uint32_t stag : {0U, 5U}) {  // whatever key it is to have
    const auto windowless = bind(bench, [stag](WindowBinding& w) { w.window = stag; });
    EXPECT_EQ(bench.end.rnic.post_send(bench.end.qp, windowless).status, Status::invalid_modifier);
    fast_register.region = stag;
    EXPECT_EQ(bench.end.rnic.post_send(bench.end.qp, fast_register).status, Status::invalid_modifier);
  }
  const auto regionless = bind(bench, [](WindowBinding& w) { w.region = 0; });
  EXPECT_EQ(bench.end.rnic.post_send(bench.end.qp, regionless).status, Status::invalid_modifier);
  EXPECT_EQ(bench.end.rnic.post_send(bench.end.qp, invalidate(0)).status, Status::invalid_modifier);
  EXPECT_TRUE(bench.output().empty());
  EXPECT_TRUE(bench.end.sends().empty());
  EXPECT_EQ(bench.end.state(), QpState::rts);
}

INSTANTIATE_TEST_SUITE_P(Work, B5_MemoryWork, ::testing::ValuesIn(failures),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(B5_Window, BelongsToItsQpAndHasItsOwnBounds) {
  Bench bench;
  End& end = bench.end;
  // The region gives no remote right of its own.
  const std::uint32_t stag = region(bench, bindable, end.pd);
  WorkRequest request = bind(bench, [&](WindowBinding& w) {
    w.region = stag;
    w.virtual_address = region_base + 50;
    w.length = 10;
    w.addressing = Addressing::zero_based;
    w.rights = access::remote_write;
  });
  const std::uint32_t window = request.binding.window;
  ASSERT_EQ(end.rnic.post_send(end.qp, request).status, Status::ok);
  bench.send(write(end.stag, end.to(0)));
  (void)bench.output();
  ASSERT_EQ(end.sends().size(), 1U);
  bench.send(write(window, 0, text("window")));
  EXPECT_EQ(part(end.memory, 50, 6), text("window"));
  EXPECT_EQ(end.rnic.deallocate_stag(stag_index(stag)), Status::windows_bound);
  EXPECT_EQ(end.rnic.reregister_region(stag_index(stag), end.pd, 1, true, mapping_of(end)).status,
            Status::windows_bound);
  EXPECT_EQ(end.rnic.destroy_qp(end.qp), Status::windows_bound);
  bench.send(write(window, 5, pattern(6)));
  EXPECT_EQ(bench.terminate_code(), 0x1101);
  EXPECT_EQ(end.rnic.deallocate_stag(stag_index(window)), Status::ok);
  EXPECT_EQ(end.rnic.deallocate_stag(stag_index(stag)), Status::ok);
  EXPECT_EQ(end.rnic.destroy_qp(end.qp), Status::ok);
}

TEST(B5_Window, AnotherQpMayNotUseIt) {
  Bench bench;
  End& end = bench.end;
  const QpId owner = end.rnic.create_qp(end.options.qp).value;
  // The owner binds it over its own connection.
  const StreamId stream = end.rnic.open_stream(rev1(Role::initiator).stream, 0);
  ASSERT_EQ(end.rnic.modify_qp(owner, {.next = QpState::rts, .stream = stream}), Status::ok);
  (void)end.rnic.poll_output(stream, 0);
  end.rnic.handle_input(stream, reply_frame(), 0);
  const WorkRequest request = bind(bench, [](WindowBinding&) {});
  ASSERT_EQ(end.rnic.post_send(owner, request).status, Status::ok);
  EXPECT_EQ(end.rnic.poll_output(stream, 0).kind, OutputKind::none);
  ASSERT_EQ(end.sends().size(), 1U);
  bench.send(write(request.binding.window, end.to(0), pattern(4)));
  EXPECT_EQ(bench.terminate_code(), 0x1102);
  EXPECT_EQ(end.events(), std::vector{AsyncEventKind::tagged_pd});
}

TEST(B5_Window, InvalidatedByThePeerItReturnsToThePd) {
  Bench bench;
  End& end = bench.end;
  const WorkRequest request = bind(bench, [](WindowBinding&) {});
  ASSERT_EQ(end.rnic.post_send(end.qp, request).status, Status::ok);
  ASSERT_EQ(end.rnic.post_receive(end.qp, {.id = 1}).status, Status::ok);
  bench.send(write(end.stag, end.to(0)));
  (void)bench.output();
  bench.send(send_inv(1, request.binding.window));
  const auto received = end.receives();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_TRUE(received[0].invalidated);
  const StagEntry entry = end.rnic.query_stag(stag_index(request.binding.window)).value;
  EXPECT_FALSE(entry.valid);
  EXPECT_EQ(entry.pd, end.pd);
  EXPECT_EQ(entry.qp, QpId::none);
  EXPECT_EQ(end.rnic.deallocate_stag(stag_index(end.stag)), Status::ok);  // nothing is bound to it any more
}

TEST(B5_Region, ReregisterFailureDeallocates) {
  End end;
  const auto good =
      end.rnic.reregister_region(stag_index(end.stag), end.pd, 0x66, true, mapping_of(end, 100));
  ASSERT_EQ(good.status, Status::ok);
  EXPECT_EQ(stag_key(good.value), 0x66);
  EXPECT_EQ(end.rnic.query_stag(stag_index(good.value)).value.length, 100U);
  EXPECT_EQ(end.rnic.reregister_region(1, end.pd, 1, true, mapping_of(end)).status,
            Status::invalid_stag_index);
  EXPECT_EQ(end.rnic.reregister_region(stag_index(good.value), end.pd, 1, true, mapping_of(end, 0)).status,
            Status::invalid_length);
  EXPECT_EQ(end.rnic.query_stag(stag_index(good.value)).status, Status::invalid_stag_index);
}

TEST(B5_Region, SharedForEver) {
  Bench bench;
  End& end = bench.end;
  Mapping mapping = mapping_of(end);
  mapping.addressing = Addressing::zero_based;
  mapping.rights = access::local | access::remote_write;
  const auto shared = end.rnic.register_shared(stag_index(end.stag), end.pd, 9, true, mapping);
  ASSERT_EQ(shared.status, Status::ok);
  EXPECT_TRUE(end.rnic.query_stag(stag_index(end.stag)).value.shared);
  bench.send(write(shared.value, 3, text("both")));
  EXPECT_EQ(part(end.memory, 3, 4), text("both"));
  EXPECT_EQ(end.rnic.reregister_region(stag_index(shared.value), end.pd, 1, true, mapping).status,
            Status::invalid_stag_index);
  mapping.rights = access::remote_write;
  EXPECT_EQ(end.rnic.register_shared(stag_index(end.stag), end.pd, 9, true, mapping).status,
            Status::invalid_access_rights);
  EXPECT_EQ(end.rnic.register_shared(1, end.pd, 9, true, mapping).status, Status::invalid_stag_index);
  EXPECT_EQ(end.rnic.deallocate_stag(stag_index(end.stag)), Status::ok);
  bench.send(write(shared.value, 3, text("mine")));  // the other one lives on
  EXPECT_EQ(part(end.memory, 3, 4), text("mine"));
}

// RFC 7306 §5.2.1: the TO is arbitrary, the address that it stands for is not. `make` gives an STag whose TO
// `good` is aligned; TO `bad` is not.
void expect_aligned_by_address(std::uint32_t (*make)(Bench&), std::uint64_t good, std::uint64_t bad) {
  Bench bench;
  Bytes& memory = bench.end.memory;
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 8, 0U);
  bench.send(write(bench.end.stag, bench.end.to(0)));  // the initiator has spoken
  const std::uint32_t stag = make(bench);
  (void)bench.output();
  constexpr std::uint64_t added = 0x1122334455667788;
  bench.send(fetch_add(1, {.id = 1, .stag = stag, .to = good, .data = added}));
  const auto answers = bench.output();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(to_hex(answers[0]), to_hex(atomic_response(1, 1, 0)));
  Bytes changed = zeros(memory.size());
  std::memcpy(changed.data() + 8, &added, sizeof added);
  EXPECT_TRUE(memory == changed);
  bench.send(fetch_add(2, {.id = 2, .stag = stag, .to = bad, .data = added}));
  EXPECT_EQ(bench.terminate_code(), 0x0207);
  EXPECT_TRUE(memory == changed);
  EXPECT_EQ(bench.end.events(), std::vector{AsyncEventKind::irrq_access});
}

// Through a window whose first octet is the fifth of the region.
template <Addressing addressing>
std::uint32_t window_at_four(Bench& b) {
  const WorkRequest request = bind(b, [&](WindowBinding& w) {
    w.virtual_address = b.end.to(4);
    w.addressing = addressing;
  });
  EXPECT_EQ(b.end.rnic.post_send(b.end.qp, request).status, Status::ok);
  return request.binding.window;
}

TEST(B5_Window, AtomicsAreAlignedByTheirAddress) {
  expect_aligned_by_address(window_at_four<Addressing::zero_based>, 4, 0);
  expect_aligned_by_address(window_at_four<Addressing::virtual_address>, region_base + 8, region_base + 4);
}

// A zero-based region that begins in the middle of a word.
std::uint32_t region_at_four(Bench& b) {
  Mapping mapping = mapping_of(b.end, 64);
  mapping.addressing = Addressing::zero_based;
  mapping.buffers = contiguous(b.end.memory.data() + 4, 64);
  return b.end.rnic.register_region(b.end.pd, 1, true, mapping).value;
}
std::uint32_t region_from_offset_four(Bench& b) {
  Mapping mapping = mapping_of(b.end, 64);
  mapping.addressing = Addressing::zero_based;
  mapping.buffers.first_byte_offset = 4;
  return b.end.rnic.register_region(b.end.pd, 1, true, mapping).value;
}
std::uint32_t whole_region(Bench& b) {
  return b.end.stag;
}
template <std::uint32_t (*source)(Bench&)>
std::uint32_t shared_with(Bench& b) {
  Mapping mapping = mapping_of(b.end);
  mapping.addressing = Addressing::zero_based;
  return b.end.rnic.register_shared(stag_index(source(b)), b.end.pd, 1, true, mapping).value;
}

TEST(B5_Region, AtomicsAreAlignedByTheirAddress) {
  expect_aligned_by_address(region_at_four, 4, 0);
  expect_aligned_by_address(region_from_offset_four, 4, 8);
  expect_aligned_by_address(shared_with<region_from_offset_four>, 4, 0);
  expect_aligned_by_address(whole_region, region_base + 8, region_base + 4);
  expect_aligned_by_address(shared_with<whole_region>, 8, 12);
}

TEST(B5_MemoryWork, FastRegisterInPageMode) {
  EndOptions options;
  options.rnic.memory.block_lists = false;
  options.memory = 0;
  SoftRnic rnic(options.rnic);
  const PdId pd = rnic.allocate_pd().value;
  const CqId cq = rnic.create_cq(10).value;
  const QpId qp = rnic.create_qp({.pd = pd, .send_cq = cq, .receive_cq = cq, .privileged = true}).value;
  StreamParameters parameters{.role = Role::responder};
  const StreamId stream = rnic.open_stream(parameters, 0);
  ASSERT_EQ(rnic.modify_qp(qp, {.next = QpState::rts, .stream = stream}), Status::ok);
  rnic.handle_input(stream, request_frame(), 0);
  ASSERT_EQ(rnic.poll_output(stream, 0).kind, OutputKind::octets);
  rnic.handle_input(stream, fpdu(write(1, 0)), 0);
  alignas(4096) static Byte page[4096];
  auto mapping = std::make_shared<Mapping>();
  mapping->buffers = {.list = {page}, .size = 4095, .first_byte_offset = 0};
  mapping->length = 100;
  mapping->rights = access::local;
  const std::uint32_t index = rnic.allocate_region(pd, 4, true).value;
  ASSERT_EQ(rnic.post_send(qp, {.id = 1,
                                .operation = Operation::fast_register,
                                .region = make_stag(index, 1),
                                .mapping = mapping})
                .status,
            Status::ok);
  while (rnic.poll_output(stream, 0).kind != OutputKind::none) {
  }
  EXPECT_EQ(rnic.poll_cq(cq).value.status, C::invalid_page_size);
}

TEST(B5_StagZero, PhysicalMemoryForPrivilegedQpsOnly) {
  for (const bool privileged : {false, true}) {
    EndOptions options;
    options.qp.privileged = privileged;
    Bench bench(Role::initiator, options);
    Bytes physical = text("physical");
    bench.end.rnic.set_physical_memory(physical);
    ASSERT_EQ(bench.end.rnic.post_send(bench.end.qp, {.id = 1, .sgl = {Sge{0, 8, 0}}}).status, Status::ok);
    const auto sent = bench.output();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(to_hex(sent[0]), to_hex(privileged ? send(1, physical) : terminate(0x0000)));
    EXPECT_EQ(bench.end.sends().at(0).status, privileged ? C::success : C::invalid_stag);
  }
}

TEST(B5_Limits, TableIsBounded) {
  EndOptions options;
  options.rnic.memory.max_stags = 2;
  End end(options);
  EXPECT_EQ(end.rnic.allocate_window(end.pd).status, Status::ok);
  EXPECT_EQ(end.rnic.allocate_window(end.pd).status, Status::insufficient_resources);
  EXPECT_EQ(end.rnic.allocate_region(PdId{99}, 1, true).status, Status::invalid_pd);
}

}  // namespace
}  // namespace iwarp::rnic::test
