// Each view as docs/pictures/view shows it: what iwarp-view paints now looks the same. Letters and curves
// differ a little with the versions of Qt and of the fonts, so squares of 8 by 8 pixels are compared by their
// mean: they differ where it is more than 24 of 255 in one of the colours. With the version of Qt that
// painted the kept ones at most one in two thousand may, which is less than any axis' numbers; with later
// ones one in fifty. IWARP_UPDATE_PICTURES=1 writes those anew that do not look the same: ./dev pictures.
// Then they are looked at.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QDir>
#include <QImage>
#include <QProcess>

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <set>

#include "processes.hpp"
#include "support/places.hpp"
#include "test_folder.hpp"
#include "views/registry.hpp"

namespace iwarp::gui {
namespace {

struct Picture {
  const char* name;
  const char* capture;
  std::vector<const char*> options;
};

constexpr const char* nfs = "04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz";
constexpr const char* nvme = "05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst";
constexpr const char* iser = "06a-iser-mtu9000-tso-nocrc.pcap.zst";
constexpr const char* loss = "08a-rping-loss2-notso-S20000.pcap.gz";
constexpr const char* reordering = "08c-rping-reorder-notso-S20000.pcap.gz";
constexpr const char* reads = "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst";
constexpr const char* parallel = "09d-50-parallel-rping-crc-S1000-ok.pcap.gz";
constexpr const char* terminates = "09a-50-parallel-rping-crc-terminate.pcap";
constexpr const char* terminate = "03e-term-write_big_oob.pcap";
constexpr const char* breaker = "10b-evilpeer-cases.pcap";

// A view of three captures: light, dark, and at twice the scale.
struct Three {
  const char* view;
  std::array<const char*, 3> captures;
  std::array<const char*, 3> frames{};  // the one that is selected; nullptr: none
};
constexpr std::array<Three, 14> threes{{
    {"flows", {parallel, terminates, nvme}},
    {"ladder", {nvme, terminate, loss}},
    {"outstanding", {reads, nvme, parallel}},
    {"latency", {parallel, nvme, loss}},
    {"throughput", {iser, nfs, parallel}},
    {"time", {nvme, loss, nfs}},
    {"tcp", {reordering, loss, terminate}},
    {"stags", {nvme, nfs, terminate}},
    {"operations", {reads, loss, nfs}},
    {"messages", {nvme, iser, terminate}},
    {"operation", {loss, nvme, nfs}, {"30", "300", "60"}},
    {"state", {terminate, loss, nvme}},
    {"message", {nfs, nvme, terminate}, {"20", "9", nullptr}},
    {"findings", {terminates, breaker, terminate}},
}};

const std::vector<Picture>& pictures() {
  static const std::vector<Picture> all = [] {
    std::vector<Picture> made;
    static std::vector<std::string> names;
    names.reserve(3 * threes.size());
    for (const Three& three : threes) {
      for (std::size_t which = 0; which < 3; ++which) {
        constexpr const char* endings[] = {"", "-dark", "-twice"};
        names.push_back(std::string(three.view) + endings[which]);
        Picture picture{names.back().c_str(), three.captures[which], {"--view", three.view}};
        const auto give = [&picture](const char* option, const char* value) {
          picture.options.push_back(option);
          picture.options.push_back(value);
        };
        if (which == 1) give("--theme", "dark");
        if (which == 2) give("--scale", "2");
        if (three.frames[which] != nullptr) give("--frame", three.frames[which]);
        made.push_back(std::move(picture));
      }
    }
    made.push_back({"window", nfs, {}});
    made.push_back({"window-dark", loss, {"--theme", "dark"}});
    return made;
  }();
  return all;
}

QString kept(const Picture& picture) {
  return QString::fromStdString(test::places::source()) + QStringLiteral("/docs/pictures/view/") +
         QLatin1String(picture.name) + QStringLiteral(".png");
}

int run_view(const Picture& picture, const QString& path) {
  QStringList arguments{QString::fromStdString(test::places::captures()) + QStringLiteral("/real/") +
                            QLatin1String(picture.capture),
                        QStringLiteral("--screenshot"), path};
  for (const char* const option : picture.options) arguments << QLatin1String(option);
  QProcess process;
  process.start(QStringLiteral(IWARP_VIEW_PROGRAM), arguments);
  process.waitForFinished(120'000);
  return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
}

// The share of squares that differ, 1 where the sizes do.
double difference(const QImage& one, const QImage& other) {
  if (one.isNull() || one.size() != other.size()) return 1;
  constexpr int side = 8;
  constexpr int much = 24;
  const auto sums_of = [](const QImage& image, int left, int top) {
    std::array<int, 3> sums{};
    for (int y = top; y < std::min(top + side, image.height()); ++y) {
      for (int x = left; x < std::min(left + side, image.width()); ++x) {
        const QRgb color = image.pixel(x, y);
        sums[0] += qRed(color);
        sums[1] += qGreen(color);
        sums[2] += qBlue(color);
      }
    }
    return sums;
  };
  int squares = 0;
  int different = 0;
  for (int top = 0; top < one.height(); top += side) {
    for (int left = 0; left < one.width(); left += side) {
      const auto first = sums_of(one, left, top);
      const auto second = sums_of(other, left, top);
      bool differs = false;
      for (std::size_t color = 0; color < 3; ++color)
        differs = differs || std::abs(first[color] - second[color]) > much * side * side;
      ++squares;
      different += differs ? 1 : 0;
    }
  }
  return static_cast<double>(different) / squares;
}

// Kept as Qt 6.4 paints them; later ones draw the borders of their own widgets a little differently.
constexpr double fewest_seen = 0.0005;
constexpr double most_differing = QT_VERSION < QT_VERSION_CHECK(6, 5, 0) ? fewest_seen : 0.02;

class Pictures : public ::testing::TestWithParam<Picture> {};

TEST_P(Pictures, LookAsInTheDocumentation) {
  IWARP_NEEDS_PROCESSES();
  const Picture& picture = GetParam();
  const test_files::Folder folder;
  const QString painted = folder.of(QStringLiteral("picture.png"));
  ASSERT_EQ(run_view(picture, painted), 0);
  double differs = difference(QImage(painted), QImage(kept(picture)));
  if (differs > 0 && std::getenv("IWARP_UPDATE_PICTURES") != nullptr) {
    QDir().mkpath(QFileInfo(kept(picture)).path());
    QFile::remove(kept(picture));
    ASSERT_TRUE(QFile::copy(painted, kept(picture)));
    differs = 0;
  }
  if (differs > most_differing) {
    const QString beside = QDir::current().filePath(QLatin1String(picture.name) + QStringLiteral("-now.png"));
    QFile::remove(beside);
    QFile::copy(painted, beside);
    ADD_FAILURE() << 100 * differs << " % of " << kept(picture).toStdString()
                  << " differ; what is painted now: " << beside.toStdString();
  }
}

INSTANTIATE_TEST_SUITE_P(Kept, Pictures, ::testing::ValuesIn(pictures()),
                         [](const ::testing::TestParamInfo<Picture>& tested) {
                           std::string name;
                           for (const char letter : std::string(tested.param.name))
                             name += letter == '-' ? '_' : letter;
                           return name;
                         });

TEST(PicturesOfDocumentation, AreOfEachView) {
  std::set<std::string> shown;
  for (const Three& three : threes) shown.insert(three.view);
  for (const ViewKind& kind : view_kinds()) EXPECT_TRUE(shown.contains(kind.name)) << kind.name;
}

// Two letters in other places, and a curve somewhere else, are no matter of fonts.
TEST(PicturesOfDocumentation, ADifferenceThatPeopleSeeIsOne) {
  QImage one(800, 400, QImage::Format_RGB32);
  one.fill(Qt::white);
  QImage other = one;
  EXPECT_EQ(difference(one, other), 0);
  for (int x = 0; x < 800; ++x) {
    for (int y = 100; y < 106; ++y) other.setPixel(x, y, qRgb(0, 0, 0));
  }
  EXPECT_GT(difference(one, other), 0.01);
  EXPECT_EQ(difference(one, QImage()), 1);
}

TEST(PicturesOfDocumentation, AnAxisWithoutNumbersIsSeen) {
  for (const Picture& picture : pictures()) {
    if (!QLatin1String(picture.name).startsWith(QLatin1String("latency"))) continue;
    const QImage whole(kept(picture));
    ASSERT_FALSE(whole.isNull());
    QImage erased = whole.convertToFormat(QImage::Format_RGB32);
    for (int y = 0; y < erased.height(); ++y) {
      for (int x = 0; x < 60; ++x) erased.setPixel(x, y, erased.pixel(2, erased.height() / 2));
    }
    EXPECT_GT(difference(whole, erased), fewest_seen) << picture.name;
  }
}

}  // namespace
}  // namespace iwarp::gui
