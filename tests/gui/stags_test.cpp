// STags over time: what their uses touch, over any range of them, by the plainest way to find it out; and
// what the view makes of a capture.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QHelpEvent>
#include <QTest>
#include <QToolTip>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "models/stag_track.hpp"
#include "pictures.hpp"
#include "scale/text.hpp"
#include "support/places.hpp"
#include "views/stags_view.hpp"

namespace iwarp::gui {
namespace {

StagUse use_at(TimeNs time, std::uint64_t to, std::uint64_t length, StagUse::Kind kind = StagUse::write) {
  return {time, to, length, 0, kind};
}

// Part by part of each use.
StagTrack::Touched plainly(const StagTrack& track, std::size_t begin, std::size_t end) {
  StagTrack::Touched all{};
  for (std::size_t at = begin; at < end; ++at) {
    const StagUse& use = track.uses()[at];
    const bool none = use.kind == StagUse::invalidation;
    const unsigned from = none ? 0 : track.part_of(use.to);
    const unsigned upto =
        none ? StagTrack::parts - 1 : track.part_of(use.to + std::max<std::uint64_t>(use.length, 1) - 1);
    for (unsigned part = from; part <= upto; ++part) all[use.kind] |= std::uint64_t{1} << part;
  }
  return all;
}

// The same of a track whatever the order in which addresses grow, and with uses that come late.
void expect_ranges(const StagTrack& track, std::mt19937& random) {
  const std::size_t size = track.uses().size();
  const auto by_time = [](const StagUse& a, const StagUse& b) { return a.time_ns < b.time_ns; };
  EXPECT_TRUE(std::is_sorted(track.uses().begin(), track.uses().end(), by_time));
  for (int range = 0; range < 200; ++range) {
    const std::size_t begin = random() % (size + 1);
    const std::size_t end = begin + random() % (size - begin + 1);
    Work work;
    ASSERT_EQ(track.touched(begin, end, work), plainly(track, begin, end)) << begin << " to " << end;
    EXPECT_LE(work.visited, 200U);  // 30 of each level
    const TimeNs time = static_cast<TimeNs>(random() % (10 * size + 20));
    const auto first = std::lower_bound(track.uses().begin() + static_cast<std::ptrdiff_t>(begin),
                                        track.uses().end(), use_at(time, 0, 0), by_time);
    EXPECT_EQ(track.first_at(begin, time, work), static_cast<std::size_t>(first - track.uses().begin()));
  }
}

TEST(StagTrack, TouchesOfAnyRangeAreThoseOfItsUses) {
  std::mt19937 random(1);
  for (const int way : {0, 1, 2}) {
    SCOPED_TRACE(way);
    StagTrack track;
    for (std::uint64_t at = 0; at < 5000; ++at) {
      const std::uint64_t to = way == 0   ? 0x7000'0000'0000 + 4096 * (at % 700)
                               : way == 1 ? 0x7000'0000'0000 - 4096 * at
                                          : random() << (at % 33);
      const auto kind = static_cast<StagUse::Kind>(random() % StagUse::kinds);
      const TimeNs late = at % 97 == 0 ? static_cast<TimeNs>(random() % 300) : 0;
      const bool none = kind == StagUse::invalidation;
      track.add(use_at(static_cast<TimeNs>(10 * at) - late, none ? 0 : to, none ? 0 : random() % 9000, kind));
    }
    expect_ranges(track, random);
  }
}

// A part is no longer than a sixteenth of the addresses used.
TEST(StagTrack, PartsAreAsShortAsTheAddressesAllow) {
  StagTrack up;
  StagTrack down;
  for (std::uint64_t at = 0; at < 1000; ++at) {
    up.add(use_at(0, 4096 * at, 4096));
    down.add(use_at(0, 4096 * (2000 - at), 4096));
  }
  for (const StagTrack& track : {up, down}) {
    EXPECT_GE(track.part_of(track.greatest_to()) - track.part_of(track.least_to()), 15U);
  }
}

TEST(StagTrack, AddressesAtBothEndsOfSixtyFourBits) {
  StagTrack track;
  track.add(use_at(1, 0, 0));
  track.add(use_at(2, ~std::uint64_t{0}, 0xffff'ffff'ffff'ffff));
  EXPECT_EQ(track.least_to(), 0U);
  EXPECT_EQ(track.greatest_to(), ~std::uint64_t{0});
  Work work;
  EXPECT_EQ(track.touched(0, 1, work)[StagUse::write], 1U);
  EXPECT_EQ(track.touched(1, 2, work)[StagUse::write], std::uint64_t{1} << 63U);
}

TEST(StagTrack, OnlyInvalidationsHaveNoAddresses) {
  StagTrack track;
  for (int at = 0; at < 40; ++at) track.add(use_at(at, 0, 0, StagUse::invalidation));
  EXPECT_EQ(track.least_to(), 0U);
  EXPECT_EQ(track.greatest_to(), 0U);
  Work work;
  EXPECT_EQ(track.touched(0, 40, work)[StagUse::invalidation], ~std::uint64_t{0});
  EXPECT_EQ(track.touched(0, 40, work)[StagUse::write], 0U);
}

struct SendVariants : testing::Test {
  SendVariants() {
    const std::string path = test::places::captures() + "/real/03a-send-variants.pcap";
    workspace.document().open(QString::fromStdString(path), file_source(path));
    EXPECT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
  }
  Workspace workspace;
};

// Its ready-to-receive message is a zero-length Write and its answer to a zero-length Read one of the same
// kind: they name no memory (RFC 5041 §5.2).
TEST_F(SendVariants, OnlyWhatNamesMemoryHasALane) {
  const StagsView view(workspace, light_theme(), nullptr);
  ASSERT_EQ(view.map().tracks().size(), 3U);
  for (const auto& [name, track] : view.map().tracks()) {
    EXPECT_EQ(track.count(StagUse::invalidation), 1U) << name.stag;
    EXPECT_EQ(track.uses().size(), 1U);
  }
}

// An invalidation is seen beside the use of the same time, and hides nothing of it.
TEST_F(SendVariants, InvalidationsAreSeenInTheirLanes) {
  StagsView view(workspace, light_theme(), nullptr);
  const QImage picture = picture_of_view(view, {1280, 800});
  const QRgb color = light_theme().of(Severity::error).rgb();
  int columns = 0;
  for (int x = 190; x < picture.width() - 250; ++x) {
    bool lit = false;
    for (int y = 48; y < picture.height() - 40; ++y) lit = lit || picture.pixelColor(x, y).rgb() == color;
    columns += lit ? 1 : 0;
  }
  EXPECT_GE(columns, 3);  // one of each STag
}

// Whatever is selected: the STag itself, or a message that uses it. There is room for one lane.
TEST_F(SendVariants, TheLaneOfWhatIsSelectedIsSeen) {
  StagsView view(workspace, light_theme(), nullptr);
  view.resize(900, 110);
  const auto seen_lane = [&] {
    const QPoint at(20, 40);
    QHelpEvent help(QEvent::ToolTip, at, view.mapToGlobal(at));
    QCoreApplication::sendEvent(&view, &help);
    return QToolTip::text().section(QLatin1Char('\n'), 0, 0).toStdString();
  };
  const std::map<StagName, StagTrack>& tracks = view.map().tracks();
  const Metrics& metrics = workspace.document().metrics();
  const auto words = [](const StagName& name) {
    return "STag " + hex_text(name.stag, 8) + " of " + to_string(name.host);
  };
  for (auto lane = tracks.rbegin(); lane != tracks.rend(); ++lane) {
    const std::uint32_t message = lane->second.uses().front().message;
    workspace.session().select(select_message(metrics, message));
    EXPECT_EQ(seen_lane(), words(lane->first));
    EXPECT_EQ(view.map().stag_of(metrics, workspace.session().selection()), lane->first);
  }
  Selection last;
  last.stag = tracks.rbegin()->first;
  workspace.session().select(last);
  EXPECT_EQ(seen_lane(), words(*last.stag));
}

// --host: both ends are one.
TEST(StagsOfHosts, AddressesOfOneHostShareTheirStags) {
  const std::string capture = test::places::captures() + "/real/05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst";
  Workspace workspace;
  const IpAddress one{{10, 2, 2, 1}, 4};
  const IpAddress other{{10, 2, 2, 2}, 4};
  workspace.document().open(QString::fromStdString(capture), file_source(capture),
                            {.hosts = {{one, "both"}, {other, "both"}}});
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
  StagsView view(workspace, light_theme(), nullptr);
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.settled(); }, 20'000));
  ASSERT_FALSE(view.map().tracks().empty());
  for (const auto& [name, track] : view.map().tracks()) EXPECT_EQ(name.host, one);
  // The STag that frame 358 advertises, by an owner that the records call so.
  std::shared_ptr<const StagStory> story;
  workspace.document().ask<std::shared_ptr<const StagStory>>(
      &workspace, "story",
      [](const Log& log) {
        return std::make_shared<const StagStory>(log.stag_records, log.analysis, log.hosts);
      },
      [&story](const std::shared_ptr<const StagStory>& answer) { story = answer; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return story != nullptr; }, 20'000));
  const std::span<const StagLife> lives = story->of({other, 0xe1a90504});
  ASSERT_FALSE(lives.empty());
  EXPECT_EQ(lives[0].record.host, "both");
  EXPECT_EQ(story->of({one, 0xe1a90504}).size(), lives.size());
}

TEST_F(SendVariants, TheToolTipNamesTheStagAndItsUse) {
  StagsView view(workspace, light_theme(), nullptr);
  view.resize(900, 500);
  const TimeNs time = view.map().tracks().begin()->second.uses().front().time_ns;
  const TimeSpan all = workspace.document().span();
  const double share = static_cast<double>(time - all.from) / static_cast<double>(all.length());
  constexpr int left = 190;  // of the plot, and what is at its right
  constexpr int right = 16;
  const auto tip_at = [&](int x) {
    const QPoint at(x, 40);
    QHelpEvent help(QEvent::ToolTip, at, view.mapToGlobal(at));
    QCoreApplication::sendEvent(&view, &help);
    return QToolTip::text().toStdString();
  };
  EXPECT_EQ(tip_at(left + static_cast<int>(share * (900 - left - right))),
            "STag 0x9d6b8900 of 10.1.1.1\ninvalidation");
  EXPECT_EQ(tip_at(left + 10), "STag 0x9d6b8900 of 10.1.1.1\nnot used just then");
  EXPECT_EQ(tip_at(20), "STag 0x9d6b8900 of 10.1.1.1") << "beside the plot";
}

struct Story : testing::Test {
  void open(const std::string& name) {
    const std::string path = test::places::captures() + "/real/" + name;
    view.reset();
    workspace = std::make_unique<Workspace>();
    workspace->document().open(QString::fromStdString(path), file_source(path));
    ASSERT_TRUE(QTest::qWaitFor([&] { return workspace->levels().settled(); }, 20'000));
    view = std::make_unique<StagsView>(*workspace, light_theme(), nullptr);
    ASSERT_TRUE(QTest::qWaitFor([&] { return view->settled(); }, 20'000));
  }
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<StagsView> view;
};

// A filter of streams leaves the STags that these used.
TEST_F(Story, AFilterLeavesTheLanesOfItsStreams) {
  open("05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst");
  const std::size_t all = view->lane_count();
  EXPECT_EQ(all, view->map().tracks().size());
  std::size_t sum = 0;
  for (const char* const filter : {"stream == 0", "stream == 1", "stream == 2", "stream == 3"}) {
    QString error;
    ASSERT_TRUE(workspace->session().set_filter(filter, error));
    ASSERT_TRUE(QTest::qWaitFor([&] { return workspace->levels().settled(); }, 20'000));
    EXPECT_LT(view->lane_count(), all) << filter;
    sum += view->lane_count();
  }
  EXPECT_EQ(sum, all);  // none is used by two of them
  QString error;
  ASSERT_TRUE(workspace->session().set_filter("", error));
  ASSERT_TRUE(QTest::qWaitFor([&] { return view->lane_count() == all; }, 20'000));
}

// What the map takes from messages and what the library says of lives are of the same uses.
TEST_F(Story, LivesHoldTheUsesOfTheirStag) {
  for (const char* const name : {"04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz",
                                 "06a-iser-mtu9000-tso-nocrc.pcap.zst", "03a-send-variants.pcap"}) {
    SCOPED_TRACE(name);
    open(name);
    ASSERT_FALSE(view->map().tracks().empty());
    std::size_t advertised = 0;
    for (const auto& [stag, track] : view->map().tracks()) {
      const std::span<const StagLife> lives = view->story().of(stag);
      ASSERT_FALSE(lives.empty()) << stag.stag;
      for (const gui::StagUse& use : track.uses()) {
        EXPECT_TRUE(std::ranges::any_of(lives, [&](const StagLife& life) {
          return life.span().contains(use.time_ns);
        })) << stag.stag;
      }
      for (const StagLife& life : lives) {
        if (!life.advertised_ns) continue;
        ++advertised;
        EXPECT_LE(*life.advertised_ns, life.first_use_ns.value_or(*life.advertised_ns));
      }
    }
    EXPECT_EQ(advertised > 0, name[1] != '3');
  }
}

// The STag's owner, who told of it and how, and what ended it: beside the lane, and above it in a line each.
TEST_F(Story, IsToldBesideTheLane) {
  open("04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz");
  view->resize(900, 500);
  const auto words = [&](QPoint at) {
    QHelpEvent help(QEvent::ToolTip, at, view->mapToGlobal(at));
    QCoreApplication::sendEvent(view.get(), &help);
    return QToolTip::text();
  };
  // The second lane: the first is of the server's own memory, which nobody is told of.
  EXPECT_TRUE(words({20, 40}).contains(QStringLiteral("No advertisement was found")));
  const QString told = words({20, 40 + 3 * 30});
  EXPECT_TRUE(told.startsWith(QStringLiteral("STag 0x0b12d404 of 10.2.2.2"))) << told.toStdString();
  EXPECT_TRUE(told.contains(QStringLiteral("by RPC-over-RDMA"))) << told.toStdString();
  EXPECT_TRUE(told.contains(QStringLiteral("Rights: write proven"))) << told.toStdString();
  EXPECT_TRUE(told.contains(QStringLiteral("Invalidated in frame"))) << told.toStdString();
}

}  // namespace
}  // namespace iwarp::gui
