// The connection of some addresses: in a network, and the latest in any.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/connection_index.hpp"

#include <gtest/gtest.h>

#include "support/conversation.hpp"

namespace iwarp::test {
namespace {

const Endpoint one = endpoint("192.0.2.1", 1024);
const Endpoint two = endpoint("192.0.2.2", 4420);

void expect_found(const ConnectionIndex& index, std::uint32_t network, std::optional<ConnectionId> own,
                  std::optional<ConnectionId> latest) {
  for (const bool back : {false, true}) {  // whichever sends
    const auto found = index.find(back ? two : one, back ? one : two, network);
    EXPECT_EQ(found.own, own) << network;
    EXPECT_EQ(found.latest, latest) << network;
  }
}

TEST(ConnectionIndex, OneWithoutNetworkIsOwnAndLatest) {
  ConnectionIndex index;
  expect_found(index, 0, {}, {});
  index.add(one, two, 0, 7);
  expect_found(index, 0, 7, 7);
  expect_found(index, 5, {}, 7);
  index.forget(two, one, 0, 7);
  expect_found(index, 0, {}, {});
}

TEST(ConnectionIndex, OneStaysWhenTheLatestGoes) {
  for (const std::uint32_t first : {0U, 5U}) {
    for (const std::uint32_t second : {0U, 6U}) {
      if (first == second) continue;
      ConnectionIndex index;
      index.add(one, two, first, 1);
      index.add(one, two, second, 2);
      expect_found(index, first, 1, 2);
      expect_found(index, second, 2, 2);
      index.forget(one, two, second, 2);
      expect_found(index, first, 1, {});
      expect_found(index, second, {}, {});
      index.forget(one, two, first, 1);
      expect_found(index, first, {}, {});
    }
  }
}

TEST(ConnectionIndex, FurtherNetworksGoWithTheConnection) {
  ConnectionIndex index;
  index.add(one, two, 5, 1);
  index.add_network(one, two, 0, 1);
  index.add_network(one, two, 6, 1);
  for (const std::uint32_t network : {0U, 5U, 6U}) expect_found(index, network, 1, 1);
  expect_found(index, 7, {}, 1);
  index.forget(one, two, 5, 1);
  for (const std::uint32_t network : {0U, 5U, 6U, 7U}) expect_found(index, network, {}, {});
}

}  // namespace
}  // namespace iwarp::test
