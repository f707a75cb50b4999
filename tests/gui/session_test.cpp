// The way through zoom, filter and selection, and its file.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QSignalSpy>

#include <gtest/gtest.h>

#include "models/session.hpp"

namespace iwarp::gui {
namespace {

TEST(Session, WalksBackThroughZoomFilterAndSelection) {
  Session session;
  QSignalSpy filters(&session, &Session::filter_changed);
  QString error;
  ASSERT_TRUE(session.set_filter("op == read", error));
  session.set_range(TimeSpan{10, 20});
  Selection selection;
  selection.stream = 3;
  session.select(selection);
  session.go_back();
  EXPECT_FALSE(session.selection().stream);
  EXPECT_EQ(session.range(), (TimeSpan{10, 20}));
  session.go_back();
  EXPECT_FALSE(session.range());
  session.go_back();
  EXPECT_EQ(session.filter(), "");
  EXPECT_FALSE(session.can_go_back());
  session.go_forward();
  EXPECT_EQ(session.filter(), "op == read");
  EXPECT_EQ(filters.count(), 3);
}

TEST(Session, AGestureIsOneStepAndTakesNoOtherAway) {
  Session session;
  session.set_range(TimeSpan{0, 100});
  session.set_range(TimeSpan{0, 90}, Session::Step::gesture);
  session.set_range(TimeSpan{0, 80}, Session::Step::gesture);
  session.go_back();
  EXPECT_EQ(session.range(), (TimeSpan{0, 100}));
}

TEST(Session, AWrongFilterChangesNothing) {
  Session session;
  QString error;
  EXPECT_FALSE(session.set_filter("op ==", error));
  EXPECT_FALSE(error.isEmpty());
  EXPECT_EQ(session.filter(), "");
  EXPECT_FALSE(session.can_go_back());
}

TEST(Session, ComesBackFromItsFile) {
  Session session;
  QString error;
  session.set_filter("latency_ns > 1ms", error);
  session.set_range(TimeSpan{1'700'000'000'123'456'789, 1'700'000'000'123'456'999});
  Selection selection;
  selection.operation = 17;
  selection.stag = StagName{{{10, 0, 0, 1}, 4}, 0xabcd};
  selection.time = -5;
  session.select(selection);
  session.add_bookmark(QStringLiteral("slow"));
  Session other;
  ASSERT_TRUE(other.from_json(session.to_json(), error)) << error.toStdString();
  EXPECT_EQ(other.place(), session.place());
  EXPECT_EQ(other.bookmarks(), session.bookmarks());
}

TEST(Session, OtherOctetsAreRefused) {
  Session session;
  QString error;
  for (const char* const octets : {"", "[]", "{", "{\"iwarp_view_session\": 2}",
                                   "{\"iwarp_view_session\": 1, \"place\": {\"filter\": \"(\"}}"}) {
    EXPECT_FALSE(session.from_json(octets, error)) << octets;
    EXPECT_FALSE(session.can_go_back());
  }
}

}  // namespace
}  // namespace iwarp::gui
