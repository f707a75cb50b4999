// B2: Modify QP, every transition with every attribute: what figures 4 and 5 of Verbs 1.0 allow is done, and
// whatever else is in the same call, one modifier that is not allowed or not possible leaves everything as it
// was.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <string>

#include "replay/rnic/two_rnics.hpp"

namespace iwarp::rnic::test {
namespace {

using Q = QpState;

struct Attribute {
  const char* name;
  // Figures 4 and 5: Idle to Idle, Idle to RTS, RTS to RTS.
  bool idle_idle;
  bool idle_rts;
  bool rts_rts;
  int needs_srq;  // 1: yes, 0: no matter, -1: only without
  void (*set)(QpChange&, StreamId stream);
  void (*spoil)(QpChange&);  // a value that cannot be; null: there is none
  Status spoilt = Status::ok;
};

const Bytes message = text("now we talk MPA");

const Attribute attributes[] = {
    {"ord", true, true, true, 0, [](QpChange& c, StreamId) { c.ord = 3; }, [](QpChange& c) { c.ord = 20000; },
     Status::ord_too_large},
    {"ird", true, true, true, 0, [](QpChange& c, StreamId) { c.ird = 4; }, [](QpChange& c) { c.ird = 20000; },
     Status::ird_too_large},
    {"sq_depth", true, true, true, 0, [](QpChange& c, StreamId) { c.max_send_wrs = 21; },
     [](QpChange& c) { c.max_send_wrs = 1U << 30U; }, Status::too_many_wrs},
    {"sq_depth_below_use", true, true, true, 0, [](QpChange& c, StreamId) { c.max_send_wrs = 2; },
     [](QpChange& c) { c.max_send_wrs = 1; }, Status::queue_not_empty_enough},
    {"rq_depth", true, true, true, -1, [](QpChange& c, StreamId) { c.max_receive_wrs = 22; },
     [](QpChange& c) { c.max_receive_wrs = 1U << 30U; }, Status::too_many_wrs},
    {"rq_depth_below_use", true, true, true, -1, [](QpChange& c, StreamId) { c.max_receive_wrs = 2; },
     [](QpChange& c) { c.max_receive_wrs = 1; }, Status::queue_not_empty_enough},
    {"rq_limit", true, true, false, 1, [](QpChange& c, StreamId) { c.rq_limit = 5; },
     [](QpChange& c) { c.rq_limit = 1000; }, Status::rq_limit_out_of_range},
    {"arm_rq_limit", true, true, false, 1, [](QpChange& c, StreamId) { c.arm_rq_limit = true; }, nullptr},
    {"llp_stream", false, true, false, 0, [](QpChange& c, StreamId stream) { c.stream = stream; },
     [](QpChange& c) { c.stream = StreamId{0x7777}; }, Status::invalid_llp_stream},
    {"stream_message", false, true, false, 0,
     [](QpChange& c, StreamId stream) {
       c.stream = stream;
       c.stream_message = message;
     },
     nullptr},
};

std::string told(const QpQuery& query) {
  const QpAttributes& a = query.attributes;
  std::string text;
  for (const std::uint32_t value :
       {static_cast<std::uint32_t>(query.state), static_cast<std::uint32_t>(query.stream), a.ord, a.ird,
        a.max_send_wrs, a.max_receive_wrs, a.rq_limit, static_cast<std::uint32_t>(query.rq_limit_armed),
        a.max_send_sges, a.max_write_sges, a.max_receive_sges}) {
    text += std::to_string(value) + " ";
  }
  return text;
}

// A QP in the state, with two WQEs in each queue it has, and a stream in streaming mode that nobody uses.
struct Subject {
  Subject(QpState state, bool shared) : end(rev1(Role::initiator)) {
    QpAttributes wanted = end.options.qp;
    if (shared) {
      wanted.srq = end.rnic.create_srq({.pd = end.pd, .max_wrs = 100}).value;
      wanted.rq_limit = 1;
    }
    EXPECT_EQ(end.rnic.destroy_qp(end.qp), Status::ok);
    end.qp = end.rnic.create_qp(wanted).value;
    end.options.stream.delayed = false;
    if (state == Q::rts || state == Q::closing || state == Q::terminate) {
      end.open();
      EXPECT_EQ(end.ready(), Status::ok);
      if (state != Q::rts) {
        EXPECT_EQ(end.move(state), Status::ok);
      }
    }
    if (state == Q::error) {
      EXPECT_EQ(end.move(state), Status::ok);
    }
    if (state == Q::idle || state == Q::rts) {
      EXPECT_EQ(end.rnic.post_send(end.qp, std::vector<WorkRequest>(2)).posted, 2U);
      if (!shared) {
        EXPECT_EQ(end.rnic.post_receive(end.qp, std::vector<ReceiveRequest>(2)).posted, 2U);
      }
    }
    EXPECT_EQ(end.state(), state);
    end.options.stream.delayed = true;
    end.open();
  }
  [[nodiscard]] std::string look() const { return told(end.rnic.query_qp(end.qp).value); }
  End end;
};

bool allowed_at_all(QpState from, QpState next) {
  switch (from) {
    case Q::idle: return next == Q::idle || next == Q::rts || next == Q::error;
    case Q::rts: return next != Q::idle;
    case Q::error: return next == Q::idle;
    default: return false;
  }
}

bool allowed(const Attribute& attribute, QpState from, QpState next, bool shared) {
  if ((attribute.needs_srq == 1 && !shared) || (attribute.needs_srq == -1 && shared)) return false;
  if (from == Q::idle && next == Q::idle) return attribute.idle_idle;
  if (from == Q::idle && next == Q::rts) return attribute.idle_rts;
  if (from == Q::rts && next == Q::rts) return attribute.rts_rts;
  return false;
}

template <typename Visit>
void for_each_case(Visit visit) {
  for (const bool shared : {false, true}) {
    for (unsigned from = 0; from < 5; ++from) {
      for (unsigned next = 0; next < 5; ++next) {
        for (const Attribute& attribute : attributes) {
          SCOPED_TRACE(std::string(name_of(static_cast<Q>(from))) + " to " + name_of(static_cast<Q>(next)) +
                       (shared ? " with S-RQ, " : ", ") + attribute.name);
          visit(static_cast<Q>(from), static_cast<Q>(next), shared, attribute);
        }
      }
    }
  }
}

TEST(B2_ModifyQpTable, EachAttributeInEachTransition) {
  for_each_case([](Q from, Q next, bool shared, const Attribute& attribute) {
    Subject subject(from, shared);
    End& end = subject.end;
    const std::string before = subject.look();
    QpChange change{.next = next};
    if (from == Q::idle && next == Q::rts) change.stream = end.stream;  // required
    attribute.set(change, end.stream);
    const Status status = end.rnic.modify_qp(end.qp, change);
    if (!allowed_at_all(from, next)) {
      EXPECT_EQ(name_of(status), name_of(Status::invalid_qp_state));
    } else if (!allowed(attribute, from, next, shared)) {
      EXPECT_EQ(name_of(status), name_of(Status::invalid_modifier));
    } else {
      EXPECT_EQ(name_of(status), name_of(Status::ok));
      const QpQuery now = end.rnic.query_qp(end.qp).value;
      EXPECT_EQ(now.state, next);
      if (change.ord) {
        EXPECT_EQ(now.attributes.ord, *change.ord);
      }
      if (change.ird) {
        EXPECT_EQ(now.attributes.ird, *change.ird);
      }
      if (change.max_send_wrs) {
        EXPECT_EQ(now.attributes.max_send_wrs, *change.max_send_wrs);
      }
      if (change.max_receive_wrs) {
        EXPECT_EQ(now.attributes.max_receive_wrs, *change.max_receive_wrs);
      }
      if (change.rq_limit) {
        EXPECT_EQ(now.attributes.rq_limit, *change.rq_limit);
      }
      if (change.arm_rq_limit) {
        EXPECT_TRUE(now.rq_limit_armed);
      }
      EXPECT_EQ(now.stream == end.stream, from == Q::idle && next == Q::rts);
      if (!change.stream_message.empty()) {
        const Output first = end.rnic.poll_output(end.stream, 0);
        EXPECT_EQ(to_hex(first.octets), to_hex(message));  // before the MPA Request
      }
      return;
    }
    EXPECT_EQ(subject.look(), before);
  });
}

// All that is allowed, and one modifier with a value that cannot be.
TEST(B2_ModifyQpTable, AllOrNothing) {
  unsigned cases = 0;
  for_each_case([&cases](Q from, Q next, bool shared, const Attribute& attribute) {
    if (attribute.spoil == nullptr || !allowed(attribute, from, next, shared)) return;
    ++cases;
    Subject subject(from, shared);
    End& end = subject.end;
    const std::string before = subject.look();
    QpChange change{.next = next};
    for (const Attribute& other : attributes) {
      if (allowed(other, from, next, shared)) other.set(change, end.stream);
    }
    attribute.spoil(change);
    EXPECT_EQ(name_of(end.rnic.modify_qp(end.qp, change)), name_of(attribute.spoilt));
    EXPECT_EQ(subject.look(), before);
    EXPECT_EQ(end.rnic.poll_output(end.stream, 0).kind, OutputKind::none);
  });
  EXPECT_EQ(cases, 34U);
}

// … and everything at once, where nothing is wrong.
TEST(B2_ModifyQpTable, AllAtOnce) {
  for (const bool shared : {false, true}) {
    for (const auto& [from, next] : {std::pair(Q::idle, Q::idle), {Q::idle, Q::rts}, {Q::rts, Q::rts}}) {
      Subject subject(from, shared);
      QpChange change{.next = next};
      for (const Attribute& attribute : attributes) {
        if (allowed(attribute, from, next, shared)) attribute.set(change, subject.end.stream);
      }
      EXPECT_EQ(name_of(subject.end.rnic.modify_qp(subject.end.qp, change)), name_of(Status::ok));
      EXPECT_EQ(subject.end.state(), next);
    }
  }
}

}  // namespace
}  // namespace iwarp::rnic::test
