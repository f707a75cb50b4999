// Implementations by what only one of them does, and what shows nothing.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <iwarp/stack.hpp>

#include "scenarios/established.hpp"
#include "support/analysed.hpp"
#include "support/octets.hpp"

namespace iwarp::test {
namespace {

using established::Established;

constexpr Side a = Side::a;
constexpr Side b = Side::b;

// "siw high" and so on; "" where nothing is known.
std::string stack(const Conversation& conversation, Role role) {
  const Analysed analysed(conversation);
  const auto guess = stack_of(analysed.state(), role);
  if (!guess) return "";
  constexpr const char* confidences[] = {"low", "medium", "high"};
  return std::string(stack_name(guess->stack)) + " " + confidences[static_cast<unsigned>(guess->confidence)];
}

TEST(Stack, SiwByItsFlag) {
  const Established c({.reserved = 8}, {});
  EXPECT_EQ(stack(c, Role::initiator), "siw high");
  EXPECT_EQ(stack(c, Role::responder), "");
}

TEST(Stack, SiwByTheBitOrderOfItsTerminate) {
  Established c;
  c.fpdu(a, send(1));
  const Bytes refused = write(0x1100, 0, pattern(16));
  c.fpdu(a, refused);
  Terminate fields = about(refused);
  fields.layout = TerminateLayout::siw;
  c.terminated(b, 0x1100, fields);
  EXPECT_EQ(stack(c, Role::responder), "siw high");
  EXPECT_EQ(stack(c, Role::initiator), "");
}

TEST(Stack, ErdmaByItsRevision) {
  const Established c({.revision = 129}, {.revision = 129});
  EXPECT_EQ(stack(c, Role::initiator), "erdma high");
}

// cxgb4 and irdma say it.
TEST(Stack, ABadCrcByTheVendorsWordShowsNothing) {
  Established c;
  c.fpdu(a, send(1));
  c.terminated(b, 0x2302);
  EXPECT_EQ(stack(c, Role::responder), "");
}

TEST(Stack, Cxgb4ByItsWordForAStartupThatDoesNotFit) {
  Established c;
  c.fpdu(a, send(1));
  c.terminated(b, 0x2307);
  EXPECT_EQ(stack(c, Role::responder), "cxgb4 medium");
}

TEST(Stack, IrdmaByItsWordForARefusedWrite) {
  Established c;
  c.fpdu(a, send(1));
  const Bytes refused = write(0x1100, 0, pattern(16));
  c.fpdu(a, refused);
  c.terminated(b, 0x0102, about(refused));
  EXPECT_EQ(stack(c, Role::responder), "irdma medium");
}

// All others say 0102 of a Read Request.
TEST(Stack, ARefusedReadShowsNothing) {
  Established c;
  c.fpdu(a, send(1));
  const Bytes refused = read_request(1, {});
  c.fpdu(a, refused);
  c.terminated(b, 0x0102, about(refused));
  EXPECT_EQ(stack(c, Role::responder), "");
}

TEST(Stack, HealthyTrafficShowsNothing) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.close();
  EXPECT_EQ(stack(c, Role::initiator), "");
  EXPECT_EQ(stack(c, Role::responder), "");
}

}  // namespace
}  // namespace iwarp::test
