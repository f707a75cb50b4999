// Results of several captures come out in order, within bounded memory.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "ordered_output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "cli/program.hpp"
#include "progress.hpp"

namespace iwarp::cli {
namespace {

class OrderedOutputTest : public ::testing::Test {
 protected:
  OrderedOutputTest() : descriptor_(::open(file_.path().c_str(), O_WRONLY | O_APPEND)) {}
  ~OrderedOutputTest() override { ::close(descriptor_); }

  std::string written() const { return test::read_file(file_.path()); }

  test::TemporaryFile file_{"out", ""};
  int descriptor_;
  Progress progress_{false, 1};
};

TEST_F(OrderedOutputTest, TheFirstSlotWritesThroughTheOthersWait) {
  OrderedOutput output(descriptor_, 3, progress_);
  output.write(2, "c1 ");
  output.write(1, "b1 ");
  EXPECT_EQ(written(), "");
  output.write(0, "a1 ");
  EXPECT_EQ(written(), "a1 ");
  output.finish(2);
  output.write(0, "a2 ");
  output.finish(0);
  EXPECT_EQ(written(), "a1 a2 b1 ");
  output.write(1, "b2 ");
  EXPECT_EQ(written(), "a1 a2 b1 b2 ");
  output.finish(1);
  EXPECT_EQ(written(), "a1 a2 b1 b2 c1 ");
}

TEST_F(OrderedOutputTest, WhoHoldsBackTooMuchWaitsForItsTurn) {
  OrderedOutput output(descriptor_, 2, progress_, 10);
  std::atomic<bool> passed{false};
  std::thread second([&] {
    output.write(1, "12345678");
    output.write(1, "abcdefgh");  // 16 octets: more than may be held back
    passed = true;
    output.finish(1);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(passed);
  output.write(0, "first ");
  output.finish(0);
  second.join();
  EXPECT_EQ(written(), "first 12345678abcdefgh");
}

TEST_F(OrderedOutputTest, ManyWritersGiveOneOrder) {
  constexpr std::size_t slots = 16;
  OrderedOutput output(descriptor_, slots, progress_, 100);
  std::atomic<std::size_t> next{0};
  std::string expected;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (int line = 0; line < 50; ++line)
      expected += std::to_string(slot) + "." + std::to_string(line) + "\n";
  }
  const auto work = [&] {
    for (std::size_t slot = next++; slot < slots; slot = next++) {
      for (int line = 0; line < 50; ++line)
        output.write(slot, std::to_string(slot) + "." + std::to_string(line) + "\n");
      output.finish(slot);
    }
  };
  std::thread helpers[] = {std::thread(work), std::thread(work), std::thread(work)};
  work();
  for (std::thread& helper : helpers) helper.join();
  EXPECT_EQ(written(), expected);
}

TEST_F(OrderedOutputTest, AReaderThatWentAwayStopsEverybody) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  OrderedOutput output(ends[1], 2, progress_, 10);
  EXPECT_TRUE(output.usable());
  output.write(0, "text");
  EXPECT_FALSE(output.usable());
  EXPECT_EQ(output.failure(), "");
  output.write(1, std::string(100, 'x'));  // does not wait for a turn that is of no use
  ::close(ends[1]);
}

}  // namespace
}  // namespace iwarp::cli
