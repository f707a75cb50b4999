// The first signal ends both programs, whatever they wait for: with what is known, and exit status 2.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "support/child.hpp"
#include "support/places.hpp"

namespace iwarp::test {
namespace {

using Words = std::vector<std::string>;

constexpr int could_not = 2;  // exit status

class InterruptTest : public testing::TestWithParam<int> {
 protected:
  InterruptTest() {
    std::string name = (std::filesystem::temp_directory_path() / "iwarp-program-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    EXPECT_EQ(::mkfifo(fifo().c_str(), 0600), 0);
  }
  ~InterruptTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string fifo() const { return folder_ + "/fifo"; }
  [[nodiscard]] static std::string capture() {
    return places::captures() + "/real/01a-rping-v4-mtu1500-tso.pcap";
  }

  // Whatever reads the FIFO.
  [[nodiscard]] std::vector<Words> readers() const {
    std::vector<Words> all = {
        {places::analyze(), fifo()},
        {places::analyze(), "--jobs", "3", fifo(), fifo(), fifo()},
    };
    if (const std::string replay = places::replay(); !replay.empty()) {
      all.push_back({replay, "plan", fifo(), "-o", folder_ + "/plan"});
      all.push_back({replay, "compare", capture(), fifo()});
      all.push_back({replay, "run", fifo(), "--in-memory"});
    }
    return all;
  }

  // The signal comes behind its handler's installation: before, in or behind the first wait.
  void expect_end(const Words& words) const {
    SCOPED_TRACE(words[0] + " " + words[1]);
    Pipe err;
    Child child(words, {.err = err.writer()});
    ASSERT_TRUE(child.waits_for(GetParam()));
    child.send(GetParam());
    ASSERT_EQ(child.end(), could_not);
    EXPECT_NE(err.read_all().find("nterrupted"), std::string::npos);
  }

  std::string folder_;
};

INSTANTIATE_TEST_SUITE_P(
    Signals, InterruptTest, testing::Values(SIGINT, SIGTERM, SIGHUP), [](const auto& signal) {
      return std::string(signal.param == SIGINT ? "Int" : signal.param == SIGTERM ? "Term" : "Hup");
    });

TEST_P(InterruptTest, EndsTheWaitForTheWriterOfAFifo) {
  for (const Words& words : readers()) expect_end(words);
}

TEST_P(InterruptTest, EndsTheWaitForAWriterThatIsSilent) {
  const int writer = ::open(fifo().c_str(), O_RDWR | O_CLOEXEC);
  for (const Words& words : readers()) expect_end(words);
  ::close(writer);
}

TEST_P(InterruptTest, EndsTheWaitForTheReaderOfAFifo) {
  if (places::replay().empty()) GTEST_SKIP() << "without iwarp-replay";
  expect_end({places::replay(), "run", capture(), "--in-memory", "--report", fifo()});
}

TEST_P(InterruptTest, EndsTheWaitForAFullPipeThatNobodyReads) {
  std::vector<Words> writers = {
      {places::analyze(), "--format", "jsonl", "--records", "fpdus,summary", capture()},
      {places::analyze(), "--jobs", "2", "--format", "jsonl", "--records", "fpdus", capture(), capture()},
  };
  if (!places::replay().empty()) writers.push_back({places::replay(), "run", "--list-injections=markdown"});
  for (const Words& words : writers) {
    SCOPED_TRACE(words[0] + " " + words[1]);
    Pipe out;
    out.shrink();
    Pipe err;
    Child child(words, {.out = out.writer(), .err = err.writer()});
    ASSERT_TRUE(out.fills());
    child.send(GetParam());
    ASSERT_EQ(child.end(), could_not);
    EXPECT_NE(err.read_all().find("interrupted, and nobody reads standard output"), std::string::npos);
  }
}

// It is not known beforehand whether somebody will.
TEST_P(InterruptTest, GivesAReaderThatReadsOnAllThatIsKnown) {
  Pipe out;
  out.shrink();
  Child child({places::analyze(), "--format", "jsonl", "--records", "fpdus,summary", capture()},
              {.out = out.writer()});
  ASSERT_TRUE(out.fills());
  child.send(GetParam());
  const std::string text = out.read_all();
  EXPECT_EQ(child.end(), could_not);
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  EXPECT_EQ(text.substr(last, 18), R"({"type":"summary",)") << text.substr(last);
}

TEST(HangupTest, NohupKeepsItAway) {
  Pipe out;
  out.shrink();
  const Child child({"nohup", places::analyze(), "--format", "jsonl", "--records", "fpdus",
                     places::captures() + "/real/01a-rping-v4-mtu1500-tso.pcap"},
                    {.out = out.writer()});
  ASSERT_TRUE(out.fills());
  EXPECT_TRUE(child.waits_for(SIGTERM));
  EXPECT_TRUE(child.ignores(SIGHUP));
}

}  // namespace
}  // namespace iwarp::test
