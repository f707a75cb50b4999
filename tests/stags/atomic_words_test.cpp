// What words hold where it is forgotten while Atomics are under way.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "stags/atomic_words.hpp"

namespace iwarp::test {
namespace {

StagUse use_of(ConnectionId stream, std::optional<StagUse::Word> word = std::nullopt) {
  StagUse use;
  use.stream = stream;
  use.stag = 0x1100;
  use.to = 0x80000008;
  use.length = 8;
  use.word = word;
  return use;
}

TEST(AtomicWords, OneStreamAfterTheOther) {
  AtomicWords words;
  words.note_request(0, use_of(1));
  EXPECT_FALSE(words.note_response(0, use_of(1, StagUse::Word{37, 42})));
  words.note_request(0, use_of(2));
  const auto left = words.note_response(0, use_of(2, StagUse::Word{43, 44}));
  ASSERT_TRUE(left);
  EXPECT_EQ(left->value, 42U);
}

// Of two streams under way the request of one is forgotten: whose came first is as little known as before.
TEST(AtomicWords, ARequestThatIsForgottenContendsAllTheSame) {
  AtomicWords words;
  words.note_request(0, use_of(1));
  words.forget();
  words.note_request(0, use_of(2));
  EXPECT_FALSE(words.note_response(0, use_of(1, StagUse::Word{42, 47})));
  EXPECT_FALSE(words.note_response(0, use_of(2, StagUse::Word{37, 42})));
}

TEST(AtomicWords, OfAnotherHostOrLifeNothingIsKnown) {
  AtomicWords words;
  words.note_request(0, use_of(1));
  EXPECT_FALSE(words.note_response(0, use_of(1, StagUse::Word{37, 42})));
  words.note_request(1, use_of(1));
  EXPECT_FALSE(words.note_response(1, use_of(1, StagUse::Word{1, 2})));
  words.forget(0, 0x1100);
  words.note_request(0, use_of(1));
  EXPECT_FALSE(words.note_response(0, use_of(1, StagUse::Word{7, 8})));
}

}  // namespace
}  // namespace iwarp::test
