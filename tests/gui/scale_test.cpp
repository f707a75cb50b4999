// Pixels and times, to the nanosecond at both ends of long captures.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "models/filter_parts.hpp"
#include "models/filter_words.hpp"
#include "models/time_bins.hpp"
#include "scale/text.hpp"
#include "scale/ticks.hpp"
#include "scale/time_scale.hpp"

namespace iwarp::gui {
namespace {

constexpr TimeNs day = 86'400'000'000'000;
constexpr TimeNs now = 1'700'000'000'000'000'000;

TEST(TimeScale, ColumnsAreTheSpanWithoutHolesAtBothEnds) {
  for (const TimeSpan span :
       {TimeSpan{now, now + 1279}, TimeSpan{now, now + 30 * day}, TimeSpan{-day, now},
        TimeSpan{std::numeric_limits<TimeNs>::min(), std::numeric_limits<TimeNs>::max()}}) {
    const TimeScale scale(span, 10, 1280);
    TimeNs border = span.from;
    for (int column = 0; column < 1280; ++column) {
      const TimeSpan part = scale.column(column);
      ASSERT_EQ(part.from, border);
      if (!part.empty()) {
        ASSERT_EQ(scale.column_of(part.from), column);
        ASSERT_EQ(scale.column_of(part.upto - 1), column);
      }
      border = part.upto;
    }
    EXPECT_EQ(border, span.upto);
  }
}

TEST(TimeScale, ZoomKeepsWhatIsUnderTheMouse) {
  const TimeSpan all{now, now + 30 * day};
  TimeSpan seen = all;
  const TimeNs anchor = now + 29 * day + 12'345;
  for (int notch = 0; notch < 200; ++notch) {
    const double before = TimeScale(seen, 0, 1000).x(anchor);
    const TimeSpan next = zoomed(seen, anchor, 0.8, all);
    if (next.length() == TimeScale::least_length) break;
    EXPECT_NEAR(TimeScale(next, 0, 1000).x(anchor), before, 70);
    seen = next;
  }
  EXPECT_TRUE(seen.contains(anchor));
  EXPECT_EQ(zoomed(seen, anchor, 1e30, all), all);
}

TEST(TimeScale, PanStaysInsideWithItsLength) {
  const TimeSpan all{now, now + 1000};
  EXPECT_EQ(panned({now + 100, now + 200}, 50, all), (TimeSpan{now + 150, now + 250}));
  EXPECT_EQ(panned({now + 100, now + 200}, std::numeric_limits<TimeNs>::max(), all),
            (TimeSpan{now + 900, now + 1000}));
  EXPECT_EQ(panned({now + 100, now + 200}, std::numeric_limits<TimeNs>::min(), all),
            (TimeSpan{now, now + 100}));
}

TEST(Ticks, AreRoundAndHaveRoom) {
  const TimeTicks ticks = time_ticks(TimeScale({now, now + 3'850'000'000}, 0, 1250), now, 110);
  EXPECT_EQ(ticks.step_ns, 500'000'000U);
  ASSERT_EQ(ticks.ticks.size(), 8U);
  EXPECT_EQ(ticks.ticks[0].label, "0 s");
  EXPECT_EQ(ticks.ticks[3].label, "1.5 s");
}

TEST(Ticks, FarFromTheOriginCountFromABase) {
  const TimeNs from = now + day + 1'000'000'000;
  const TimeTicks ticks = time_ticks(TimeScale({from, from + 10'000}, 0, 1000), now, 100);
  EXPECT_FALSE(ticks.base.empty());
  ASSERT_FALSE(ticks.ticks.empty());
  for (const TimeTick& tick : ticks.ticks) EXPECT_LT(tick.label.size(), 14U) << tick.label;
}

TEST(Ticks, OfValues) {
  EXPECT_EQ(linear_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(log_ticks(1e3, 1e6), (std::vector<double>{1e3, 1e4, 1e5, 1e6}));
  EXPECT_EQ(log_ticks(150, 3000), (std::vector<double>{200, 500, 1000, 2000}));
  EXPECT_EQ(log_ticks(9.5, 38), (std::vector<double>{10, 20, 30}));  // less than tenfold
  EXPECT_TRUE(linear_ticks(1, 1, 5).empty());
}

TEST(Text, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(374'200), "374 µs");
  EXPECT_EQ(duration_text(20'449'000), "20.4 ms");
  EXPECT_EQ(duration_text(999'600), "1.00 ms");
  EXPECT_EQ(duration_text(192'000'000'000), "3 min 12 s");
  EXPECT_EQ(duration_text(-5), "−5 ns");
  EXPECT_EQ(octets_text(512), "512 B");
  EXPECT_EQ(octets_text(1460), "1.46 kB");
  EXPECT_EQ(count_text(1'234'567), "1\u202f234\u202f567");
  EXPECT_EQ(hex_text(0xabcd, 8), "0x0000abcd");
}

struct Count {
  int count = 0;
  Count& operator+=(const Count& more) {
    count += more.count;
    return *this;
  }
};

TEST(TimeBins, StayBoundedAndLoseNothing) {
  TimeBins<Count> bins(64);
  for (const TimeNs time : {now, now + 1, now - day, now + 100 * day, TimeNs{0},
                            std::numeric_limits<TimeNs>::max(), std::numeric_limits<TimeNs>::min()}) {
    bins.add(time, {1});
    ASSERT_LE(bins.size(), 64U);
  }
  int total = 0;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) total += bins[bin].count;
  EXPECT_EQ(total, 7);
}

TEST(FilterWords, AreThoseThatMayStandThere) {
  EXPECT_TRUE(filter_words({}).contains("latency_ns"));
  EXPECT_TRUE(filter_words("op == read and ").contains("latency_ns"));
  EXPECT_FALSE(filter_words({}).contains("read")) << "no field";
  EXPECT_EQ(filter_words("op == "), (QStringList{"atomic", "immediate", "read", "send", "write"}));
  EXPECT_EQ(filter_words("not (from!="), (QStringList{"initiator", "responder"}));
  EXPECT_TRUE(filter_words("op == read and id == ").contains("DDP-MOSEQ"));
  EXPECT_EQ(filter_words("latency_ns > "), QStringList{}) << "a number";
  EXPECT_EQ(filter_words("op == read "), (QStringList{"and", "or"}));
  EXPECT_EQ(filter_words("complete "), (QStringList{"and", "or"}));
  EXPECT_TRUE(ends_with_operator("text =~"));
  EXPECT_FALSE(ends_with_operator("text =~ \"and == \""));
}

TEST(FilterParts, AreWhatAllMustHold) {
  EXPECT_EQ(filter_parts("op == read and (a or b) && text =~ \"x and y\""),
            (std::vector<std::string>{"op == read", "(a or b)", "text =~ \"x and y\""}));
  EXPECT_EQ(filter_parts("a and b or c"), (std::vector<std::string>{"a and b or c"}));
  EXPECT_TRUE(filter_parts("").empty());
  EXPECT_EQ(joined({"a or b", "c"}), "(a or b) and c");
  EXPECT_EQ(joined({"a or b"}), "a or b");
  EXPECT_EQ(joined({}), "");
}

}  // namespace
}  // namespace iwarp::gui
