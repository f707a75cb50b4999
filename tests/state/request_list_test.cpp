// RequestList against a plain list that is looked through: the same requests in the same order, found by the
// same questions; and the index that a long list has finds what a short one finds without.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include <iwarp/request_list.hpp>

namespace iwarp {
namespace {

using Place = RequestList::Place;
using Which = RequestList::Which;
constexpr Place none = RequestList::none;

Request read_of(std::uint32_t msn, std::uint64_t sink_to, std::uint32_t size = 8) {
  Request request;
  request.msn = msn;
  request.sink_stag = 7;
  request.sink_to = sink_to;
  request.size = size;
  request.end_offset = msn;
  return request;
}

Request atomic_of(std::uint32_t msn, std::uint32_t id) {
  Request request;
  request.kind = RequestKind::atomic;
  request.msn = msn;
  request.request_id = id;
  request.size = 8;
  request.end_offset = msn;
  return request;
}

std::vector<std::uint32_t> msns_of(const RequestList& list) {
  std::vector<std::uint32_t> msns;
  for (const Request& request : list) msns.push_back(request.msn);
  return msns;
}

TEST(RequestList, KeepsTheOrderInWhichRequestsCame) {
  RequestList list;
  for (std::uint32_t msn = 1; msn <= 100; ++msn) list.push_back(read_of(msn, 8 * msn));
  EXPECT_EQ(list.size(), 100U);
  EXPECT_EQ(list.front().msn, 1U);
  EXPECT_EQ(list.back().msn, 100U);
  for (std::uint32_t msn = 1; msn <= 100; ++msn) {
    EXPECT_EQ(list.front().msn, msn);
    list.pop_front();
  }
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.begin(), list.end());
}

TEST(RequestList, FindsTheNewestAmongManyAndPutsItFirst) {
  RequestList list;
  for (std::uint32_t id = 1; id <= 5000; ++id) list.push_back(atomic_of(id, id));
  for (std::uint32_t id = 5000; id > 1; --id) {
    const Place found = list.find({RequestKey::Kind::atomic, id, 0}, true);
    ASSERT_NE(found, none);
    list.move_to_front(found);
    EXPECT_EQ(list.front().msn, id);
    list.pop_front();
    EXPECT_EQ(list.front().msn, 1U);
    EXPECT_EQ(list.size(), id - 1);
  }
}

TEST(RequestList, FindsTheFirstOfThoseThatAskForTheSame) {
  RequestList list;
  for (std::uint32_t msn = 1; msn <= 200; ++msn) list.push_back(read_of(msn, msn % 2 == 0 ? 64 : 128));
  const RequestKey even{RequestKey::Kind::read, 7, 64};
  const RequestKey odd{RequestKey::Kind::read, 7, 128};
  EXPECT_EQ(list[list.find(odd)].msn, 1U);
  EXPECT_EQ(list[list.find(odd, true)].msn, 3U);
  EXPECT_EQ(list[list.find(even, true)].msn, 2U);
  list.erase(list.find(even));
  EXPECT_EQ(list[list.find(even)].msn, 4U);
  list.move_to_front(list.find(even));
  EXPECT_EQ(list.front().msn, 4U);
  EXPECT_EQ(list[list.find(even)].msn, 4U);
  EXPECT_EQ(list[list.find(even, true)].msn, 6U);
  EXPECT_EQ(list.find({RequestKey::Kind::read, 8, 64}), none);
  EXPECT_EQ(list.find({RequestKey::Kind::empty_read, 0, 0}), none);
}

TEST(RequestList, FindsWhatContainsOctets) {
  RequestList list;
  for (std::uint32_t msn = 1; msn <= 4; ++msn) list.push_back(read_of(msn, 100 * msn, 100));
  list.push_back(read_of(5, 350, 100));
  const auto found = list.find_containing(7, 360, 8, false);
  EXPECT_EQ(list[found.first].msn, 3U);
  EXPECT_EQ(list[found.second].msn, 5U);
  EXPECT_EQ(list.find_containing(7, 395, 8, false).first,
            list.next(list.next(list.next(list.next(list.front_place())))));
  EXPECT_EQ(list.find_containing(7, 100, 8, true).first, none);
  EXPECT_FALSE(found.more);
  for (std::uint32_t msn = 6; msn <= 1000; ++msn) list.push_back(read_of(msn, 100 * msn, 100));
  EXPECT_EQ(list.find_containing(7, 99000, 8, false).first, none);
  EXPECT_TRUE(list.find_containing(7, 99000, 8, false).more);
}

TEST(RequestList, MarksOnlyThoseWhoseFpdusEndInTheOctets) {
  RequestList list;
  for (std::uint32_t msn = 1; msn <= 300; ++msn) list.push_back(atomic_of(msn, msn));
  list.move_to_front(list.find({RequestKey::Kind::atomic, 200, 0}));
  list.for_each_ended_in(198, 202, [](Request& request) { request.retransmitted = true; });
  std::vector<std::uint32_t> marked;
  for (const Request& request : list) {
    if (request.retransmitted) marked.push_back(request.msn);
  }
  EXPECT_EQ(marked, (std::vector<std::uint32_t>{200, 199, 201, 202}));
}

// A list that does the same, request by request.
class PlainList {
 public:
  std::deque<Request> requests;

  [[nodiscard]] std::size_t find(const RequestKey& key, bool behind_front) const {
    for (std::size_t at = behind_front ? 1 : 0; at < requests.size(); ++at) {
      if (key_of(requests[at]) == key) return at;
    }
    return requests.size();
  }
  [[nodiscard]] std::size_t first(Which which) const {
    const auto found = std::find_if(requests.begin(), requests.end(), [which](const Request& request) {
      switch (which) {
        case Which::seen_read:
          return request.kind == RequestKind::read && !request.unseen && request.overtaken_by == 0;
        case Which::seen_atomic:
          return request.kind == RequestKind::atomic && !request.unseen && request.overtaken_by == 0;
        case Which::unseen: return request.unseen;
        case Which::vague: return !key_of(request);
        case Which::certain: return !request.ambiguous && !request.unseen && request.overtaken_by == 0;
        case Which::in_turn: return request.overtaken_by == 0;
      }
      return false;
    });
    return static_cast<std::size_t>(found - requests.begin());
  }
  void move_to_front(std::size_t at) {
    const Request request = requests[at];
    requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(at));
    requests.push_front(request);
  }
};

void expect_same(RequestList& list, const PlainList& plain, Place place, std::size_t at) {
  if (at >= plain.requests.size()) {
    EXPECT_EQ(place, none);
  } else {
    ASSERT_NE(place, none);
    EXPECT_EQ(list[place].msn, plain.requests[at].msn);
  }
}

TEST(RequestList, DoesWhatAPlainListDoes) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const auto dice = [&](std::uint32_t sides) { return static_cast<std::uint32_t>(random() % sides); };
    RequestList list;
    PlainList plain;
    const std::uint32_t growth = 3 + seed % 7;  // some lists stay short, others have an index soon
    for (std::uint32_t msn = 1; msn <= 2000; ++msn) {
      Request request = dice(2) == 0 ? read_of(msn, 8 * dice(20), 8 * dice(2)) : atomic_of(msn, dice(30));
      request.unseen = request.partial = dice(9) == 0;
      request.partial = request.partial || dice(9) == 0;
      if (dice(10) < growth) {
        list.push_back(request);
        plain.requests.push_back(request);
      }
      if (plain.requests.empty()) continue;
      const RequestKey key = dice(2) == 0 ? RequestKey{RequestKey::Kind::atomic, dice(30), 0}
                                          : RequestKey{RequestKey::Kind::read, 7, 8 * dice(20)};
      const bool behind_front = dice(2) == 0;
      const std::size_t at = plain.find(key, behind_front);
      const Place place = list.find(key, behind_front);
      expect_same(list, plain, place, at);
      if (::testing::Test::HasFatalFailure()) return;
      if (place != none && dice(2) == 0) {
        list.move_to_front(place);
        plain.move_to_front(at);
      } else if (place != none && dice(4) == 0) {
        list.erase(place);
        plain.requests.erase(plain.requests.begin() + static_cast<std::ptrdiff_t>(at));
      }
      if (dice(3) == 0 && !plain.requests.empty()) {
        list.pop_front();
        plain.requests.pop_front();
      }
      if (plain.requests.empty()) continue;
      const auto which = static_cast<Which>(dice(RequestList::which_count));
      const std::size_t first_at = plain.first(which);
      const Place first = list.first(which);
      expect_same(list, plain, first, first_at);
      if (::testing::Test::HasFatalFailure()) return;
      if (first != none && which == Which::unseen && dice(2) == 0) {
        Request known = atomic_of(list[first].msn, dice(30));
        list.fill_in(first, known);
        plain.requests[first_at] = known;
      } else if (first != none && which == Which::certain) {
        list[first].ambiguous = plain.requests[first_at].ambiguous = true;
      } else if (first != none && which == Which::in_turn) {
        list[first].overtaken_by = plain.requests[first_at].overtaken_by = 1;
      }
      ASSERT_EQ(list.size(), plain.requests.size());
      if (msn % 50 == 0) {
        std::vector<std::uint32_t> msns;
        for (const Request& each : plain.requests) msns.push_back(each.msn);
        ASSERT_EQ(msns_of(list), msns) << "seed " << seed;
      }
    }
  }
}

TEST(RequestList, ACopyIsAListOfItsOwn) {
  RequestList list;
  for (std::uint32_t id = 1; id <= 100; ++id) list.push_back(atomic_of(id, id));
  RequestList copy = list;
  copy.erase(copy.find({RequestKey::Kind::atomic, 50, 0}));
  EXPECT_EQ(copy.find({RequestKey::Kind::atomic, 50, 0}), none);
  EXPECT_EQ(list[list.find({RequestKey::Kind::atomic, 50, 0})].msn, 50U);
  EXPECT_EQ(copy.size(), 99U);
}

}  // namespace
}  // namespace iwarp
