// The program's pictures and sentences, without a display.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

#include <gtest/gtest.h>

#include <filesystem>

#include "processes.hpp"
#include "support/places.hpp"
#include "test_folder.hpp"
#include "views/registry.hpp"

namespace iwarp::gui {
namespace {

struct Outcome {
  int status = -1;
  QString said;
};

Outcome run_view(const QStringList& arguments) {
  QProcess process;
  process.start(QStringLiteral(IWARP_VIEW_PROGRAM), arguments);
  process.waitForFinished(120'000);
  return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
          QString::fromUtf8(process.readAllStandardError())};
}

QByteArray octets_of(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

const QString capture =
    QString::fromStdString(test::places::captures()) + QStringLiteral("/real/03d-burst-readmany.pcap");

TEST(Screenshot, IsTheSameTwiceAndAsLargeAsAsked) {
  IWARP_NEEDS_PROCESSES();
  test_files::Folder folder;
  const QString picture = folder.of(QStringLiteral("picture.png"));
  QByteArray first;
  for (int time = 0; time < 2; ++time) {
    const Outcome result =
        run_view({capture, "--screenshot", picture, "--size", "900x600", "--scale", "2", "--theme", "dark"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.said.toStdString(), "");
    EXPECT_EQ(QImage(picture).size(), QSize(1800, 1200));
    if (time == 0) first = octets_of(picture);
  }
  EXPECT_EQ(octets_of(picture), first);
}

TEST(Screenshot, OfADamagedCaptureComesWithItsSentence) {
  IWARP_NEEDS_PROCESSES();
  test_files::Folder folder;
  const std::string cut = folder.of("damaged.pcap");
  std::filesystem::copy_file(capture.toStdString(), cut, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) - 10);
  const QString picture = folder.of(QStringLiteral("damaged.svg"));
  const Outcome result = run_view({QString::fromStdString(cut), "--view", "flows", "--screenshot", picture});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(result.said.contains(QString::fromStdString(cut))) << result.said.toStdString();
  EXPECT_TRUE(octets_of(picture).contains("<svg"));
}

TEST(Screenshot, OfAHostWithoutAnAddressIsNone) {
  IWARP_NEEDS_PROCESSES();
  test_files::Folder folder;
  const QString picture = folder.of(QStringLiteral("none.png"));
  const Outcome result = run_view({capture, "--host", "target=there", "--screenshot", picture});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(result.said.contains(QLatin1String("--host: \"there\" is no IP address")))
      << result.said.toStdString();
  EXPECT_FALSE(QFile::exists(picture));
}

// As far as it is no matter of clocks: each movement has its pictures, and something was painted.
TEST(Bench, PrintsWhatEachViewCosts) {
  IWARP_NEEDS_PROCESSES();
  QProcess process;
  process.start(QStringLiteral(IWARP_VIEW_PROGRAM), {capture, "--bench", "--size", "640x400"});
  ASSERT_TRUE(process.waitForFinished(120'000));
  EXPECT_EQ(process.exitCode(), 0);
  const QJsonObject report = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
  EXPECT_GT(report["load"].toObject()["operations"].toInt(), 0);
  const QJsonArray views = report["views"].toArray();
  EXPECT_EQ(static_cast<std::size_t>(views.size()), view_kinds().size());
  for (const QJsonValue& each : views) {
    const QJsonObject view = each.toObject();
    EXPECT_EQ(view["pictures"].toInt(), 600);
    EXPECT_GT(view["processor_ms"].toObject()["max"].toDouble(), 0);
    EXPECT_EQ(view["movements"].toObject().keys(), (QStringList{"pan", "scrub", "zoom"}));
  }
}

TEST(Screenshot, WhatCannotBeIsSaidInASentence) {
  IWARP_NEEDS_PROCESSES();
  const std::vector<QStringList> wrong{{"/nonexistent.pcap", "--screenshot", "/tmp/x.png"},
                                       {capture, "--screenshot", "x.gif"},
                                       {capture, "--view", "nothing"},
                                       {capture, "--filter", "op =="},
                                       {capture, "--range", "2..1"},
                                       {capture, "--size", "1x1"},
                                       {capture, "--screenshot", "/tmp/x.png", "--stream", "77"},
                                       {capture, "--screenshot", "/tmp/x.png", "--frame", "99999"},
                                       {capture, "--screenshot", "/tmp/x.png", "--range", "100s..200s"},
                                       {"--bench"},
                                       {"--follow"},
                                       {capture, "--follow", "--bench"},
                                       {"--interface", ""},
                                       {"--interface", "iwarp-none0"},
                                       {"--interface", "lo", capture},
                                       {"--interface", "lo", "--screenshot", "x.png"},
                                       {capture, "--capture-filter", "tcp"},
                                       {"--compare", capture},
                                       {"--no-such-option"}};
  for (const QStringList& arguments : wrong) {
    const Outcome result = run_view(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.said.count(QLatin1Char('\n')), 1) << result.said.toStdString();
    EXPECT_TRUE(result.said.startsWith(QLatin1String("iwarp-view: "))) << result.said.toStdString();
  }
}

// A comparison is as good as the worse of its captures.
TEST(Screenshot, OfAComparisonSaysWhatIsWrongWithTheOtherCapture) {
  IWARP_NEEDS_PROCESSES();
  test_files::Folder folder;
  const QString picture = folder.of(QStringLiteral("picture.png"));
  const auto compare = [&](const QString& other) {
    return run_view({capture, "--compare", other, "--screenshot", picture, "--size", "900x600"});
  };
  EXPECT_EQ(compare(folder.of(QStringLiteral("none.pcap"))).status, 2);
  EXPECT_FALSE(QFile::exists(picture));
  const QString damaged = folder.of(QStringLiteral("damaged.pcap"));
  ASSERT_TRUE(QFile::copy(capture, damaged));
  ASSERT_TRUE(QFile::resize(damaged, 3000));
  const Outcome cut = compare(damaged);
  EXPECT_EQ(cut.status, 2);
  EXPECT_FALSE(cut.said.isEmpty());
  EXPECT_TRUE(QFile::exists(picture));
  EXPECT_EQ(compare(capture).status, 0);
}

}  // namespace
}  // namespace iwarp::gui
