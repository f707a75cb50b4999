// What iwarp-view shows of an interface: what two soft-RNICs do over loopback, while they do it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <thread>

#include "live/own_network.hpp"
#include "models/live_source.hpp"
#include "models/loader.hpp"
#include "support/places.hpp"

namespace iwarp::gui {
namespace {

using namespace std::chrono_literals;

class LiveViewTest : public test::OwnNetworkTest {
 protected:
  // Begins to capture. Its packets are those behind began().
  void open(const std::string& filter = {}) {
    loader_.emplace(live_source("lo", filter), LoadOptions(),
                    [this](const LoadResult& result) { ended_.set_value(result); });
  }
  // Questions are answered once the source is open.
  void wait_until_begun() {
    std::promise<bool> begun;
    loader_->ask([&begun](const Log& log) { begun.set_value(log.source != nullptr); });
    ASSERT_TRUE(begun.get_future().get());
  }
  LoadResult stop() {
    loader_->cancel();
    return ended_.get_future().get();
  }
  // Looks at the tables, as a window does, until it is so; false: not in a long time.
  template <typename Condition>
  static bool comes(const Condition& condition) {
    for (int look = 0; look < 400; ++look) {
      if (condition()) return true;
      std::this_thread::sleep_for(50ms);
    }
    return false;
  }

  std::promise<LoadResult> ended_;
  std::optional<Loader> loader_;
};

TEST_F(LiveViewTest, ShowsConnectionsWhileTheyAreThere) {
  if (test::places::replay().empty()) GTEST_SKIP() << "without iwarp-replay";
  open();
  wait_until_begun();
  const std::string command = "'" + test::places::replay() + "' run " + test::places::captures() +
                              "/real/03d-burst-readmany.pcap --loopback >/dev/null 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  // The capture goes on, and all of it is there.
  const OperationTable& operations = loader_->metrics().operations();
  EXPECT_TRUE(comes([&] { return loader_->metrics().streams().size() > 0 && operations.size() > 0; }));
  const LoadResult result = stop();
  EXPECT_EQ(result.end, LoadEnd::cancelled);
  EXPECT_TRUE(result.lost.empty());
  EXPECT_GT(result.summary.frames, 0U);
}

TEST_F(LiveViewTest, AFilterLeavesPacketsOut) {
  open("udp port 9");
  wait_until_begun();
  test::Datagrams datagrams;  // to another port
  datagrams.send(100, 100);
  std::this_thread::sleep_for(300ms);  // longer than the kernel keeps a block
  EXPECT_EQ(stop().summary.frames, 0U);
}

TEST_F(LiveViewTest, AWrongFilterIsNamed) {
  open("not a filter");
  const LoadResult result = ended_.get_future().get();
  EXPECT_EQ(result.end, LoadEnd::unreadable);
  EXPECT_NE(result.sentence.find("not a filter"), std::string::npos) << result.sentence;
}

}  // namespace
}  // namespace iwarp::gui
