// Inspectors: one operation, one message, one state, one finding, taken apart.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QAbstractItemModelTester>
#include <QFile>
#include <QImage>
#include <QTableView>
#include <QTest>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <vector>

#include <iwarp/diagnosis.hpp>

#include "app/begin.hpp"
#include "many_reads.hpp"
#include "models/finding_facts.hpp"
#include "models/finding_model.hpp"
#include "models/sought.hpp"
#include "pictures.hpp"
#include "support/places.hpp"
#include "test_folder.hpp"
#include "views/findings_view.hpp"
#include "views/message_view.hpp"
#include "views/operation_view.hpp"
#include "views/picture.hpp"
#include "views/state_view.hpp"

namespace iwarp::gui {
namespace {

const std::string folder = test::places::captures() + "/real/";
const std::string nvme = folder + "05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst";
const std::string loss = folder + "08a-rping-loss2-notso-S20000.pcap.gz";

void read(Workspace& workspace, const std::string& path) {
  workspace.document().open(QString::fromStdString(path), file_source(path));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
}

void settle(const View& view) {
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.settled(); }, 10'000));
}

TEST(FactModel, KeepsQtsRulesAndMarksChanges) {
  FactModel model({QStringLiteral("Name"), QStringLiteral("Value")});
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  std::vector<Fact> before{{QStringLiteral("a"), {QStringLiteral("1")}},
                           {QStringLiteral("b"), {QStringLiteral("2")}}};
  std::vector<Fact> after = before;
  after[1].values[0] = QStringLiteral("3");
  mark_changes(after, before);
  model.set(before);
  const QPersistentModelIndex kept = model.index(1, 1);
  model.set(after);
  EXPECT_TRUE(kept.isValid());  // the same shape
  EXPECT_EQ(kept.data().toString().toStdString(), "3");
  EXPECT_TRUE(kept.data(FactModel::changed_role).toBool());
  EXPECT_FALSE(model.index(0, 1).data(FactModel::changed_role).toBool());
  after.push_back({QStringLiteral("c"), {}, {}, 7, {}, {{QStringLiteral("d"), {QStringLiteral("4")}}}});
  model.set(after);
  EXPECT_FALSE(kept.isValid());
  EXPECT_EQ(model.as_text().toStdString(), "a: 1\nb: 3\nc\n  d: 4\n");
}

// A Send is not answered: it has no request, and no latency, but it was delivered.
TEST(Operation, ASendWasDeliveredAndHasNoLatency) {
  Workspace workspace;
  OperationView view(workspace, light_theme(), nullptr);
  read(workspace, folder + "08e-send_bw-5000B-loss-dup-reorder-notso.pcap.gz");
  const OperationTable& table = workspace.document().metrics().operations();
  for (const bool waited : {false, true}) {
    OperationParts parts;
    for (std::uint32_t row = 0; row < table.size() && parts.parts.empty(); ++row) {
      if (table.kind(row) != OperationKind::send) continue;
      workspace.document().ask<OperationParts>(
          &workspace, "parts",
          [row, levels = workspace.levels().levels()](const Log& log) {
            return operation_parts(log, row, *levels);
          },
          [&](OperationParts answer) {
            if (answer.arrival() && (*answer.arrival() > 0) == waited) parts = std::move(answer);
          });
      ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.document().waiting() == 0; }, 5000));
    }
    ASSERT_FALSE(parts.parts.empty()) << waited;
    EXPECT_FALSE(parts.has_answer());
    FactModel model({QStringLiteral("Operation"), QStringLiteral("Value")});
    model.set(operation_facts(parts, 0));
    const QString words = model.as_text();
    EXPECT_TRUE(words.contains(QLatin1String("Latency: none: nothing answers it"))) << words.toStdString();
    EXPECT_EQ(words.contains(QLatin1String("Delivered: at once")), !waited) << words.toStdString();
    EXPECT_TRUE(words.contains(QLatin1String("\n  Delivery: frame "))) << words.toStdString();
    EXPECT_TRUE(words.contains(QLatin1String("\n  Send: frame "))) << words.toStdString();
    EXPECT_FALSE(words.contains(QLatin1String("Request"))) << words.toStdString();
    EXPECT_FALSE(words.contains(QLatin1String("not known"))) << words.toStdString();
    EXPECT_FALSE(time_spent(parts).isEmpty());
    EXPECT_GE(parts.span().length(), 1000U);  // an axis for one moment
  }
}

// Nobody answers a Send: TCP acknowledges it, and a later Read Response may prove that it was delivered.
TEST(Operation, ASendSaysWhenItWasAcknowledged) {
  Workspace workspace;
  OperationView view(workspace, light_theme(), nullptr);
  read(workspace, folder + "05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst");
  const OperationTable& table = workspace.document().metrics().operations();
  std::uint32_t row = 0;
  while (table.event(row).operation.request.frame != 8) ++row;
  OperationParts parts;
  workspace.document().ask<OperationParts>(
      &workspace, "parts",
      [row, levels = workspace.levels().levels()](const Log& log) {
        return operation_parts(log, row, *levels);
      },
      [&](OperationParts answer) { parts = std::move(answer); });
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.document().waiting() == 0; }, 5000));
  FactModel model({QStringLiteral("Operation"), QStringLiteral("Value")});
  model.set(operation_facts(parts, 0));
  const QString words = model.as_text();
  EXPECT_TRUE(words.contains(QLatin1String("Acknowledged: 7.70 ms, frame 9"))) << words.toStdString();
  EXPECT_TRUE(words.contains(QLatin1String("Proven delivered: by nothing on the wire")))
      << words.toStdString();
  EXPECT_TRUE(time_spent(parts).contains(QLatin1String("acknowledged after 7.70 ms (frame 9)")))
      << time_spent(parts).toStdString();
}

// As the library's STag records have it: the slowest Read of 05a, advertised in frame 358, invalidated in
// 422.
TEST(Operation, NamesItsStagsAndWhoToldOfThem) {
  Workspace workspace;
  OperationView view(workspace, light_theme(), nullptr);
  read(workspace, nvme);
  go_to_frame(workspace, 361);
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.session().selection().operation.has_value(); }, 5000));
  EXPECT_EQ(workspace.session().selection().frame, 361U);
  const OperationTable& table = workspace.document().metrics().operations();
  EXPECT_EQ(table.event(*workspace.session().selection().operation).operation.request.frame, 361U);
  settle(view);
  const QString words = view.facts().as_text();
  EXPECT_TRUE(words.contains(
      QLatin1String("Source STag: 0xe1a90504 of 10.2.2.2: Advertised in frame 358 by NVMe-oF")))
      << words.toStdString();
  EXPECT_TRUE(words.contains(QLatin1String("Invalidated in frame 422, which was delivered")))
      << words.toStdString();
  EXPECT_TRUE(words.contains(QLatin1String("Sink STag: "))) << words.toStdString();
}

// Of equal latencies the first is the slowest, wherever one asks.
TEST(Operation, OfEqualLatenciesTheFirstIsTheSlowest) {
  Workspace workspace;
  OperationView view(workspace, light_theme(), nullptr);
  workspace.document().open(QStringLiteral("many Reads"), source_of({.reads = 2000, .outliers = 4}));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
  const auto slowest = slowest_operation(*workspace.levels().levels(), std::nullopt);
  ASSERT_TRUE(slowest);
  OperationParts parts;
  workspace.document().ask<OperationParts>(
      &workspace, "parts",
      [row = *slowest, levels = workspace.levels().levels()](const Log& log) {
        return operation_parts(log, row, *levels);
      },
      [&](OperationParts answer) { parts = std::move(answer); });
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.document().waiting() == 0; }, 5000));
  EXPECT_EQ(parts.rank, 0U);
  EXPECT_FALSE(parts.slower);
  EXPECT_EQ(parts.among, 2000U);
}

TEST(Operation, SaysWhyThereIsNoLatency) {
  Workspace workspace;
  read(workspace, folder + "03e-term-read_oob.pcap");
  OperationParts parts;
  workspace.document().ask<OperationParts>(
      &workspace, "parts",
      [levels = workspace.levels().levels()](const Log& log) { return operation_parts(log, 0, *levels); },
      [&](OperationParts answer) { parts = std::move(answer); });
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.document().waiting() == 0; }, 5000));
  FactModel model({QStringLiteral("Operation"), QStringLiteral("Value")});
  model.set(operation_facts(parts, 0));
  const QString words = model.as_text();
  EXPECT_TRUE(words.contains(QLatin1String("Latency: none: a Terminate ended it"))) << words.toStdString();
  EXPECT_TRUE(words.contains(QLatin1String("Ended by: a Terminate, frame 9"))) << words.toStdString();
}

// The last 1280 octets of the slowest response wait for a delayed acknowledgement: the parts of its latency
// have no word for that, so the pause is said.
TEST(Operation, SaysTheLongestPauseOfItsResponse) {
  Workspace workspace;
  OperationView view(workspace, light_theme(), nullptr);
  read(workspace, folder + "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst");
  settle(view);
  ASSERT_TRUE(view.shown());
  OperationParts parts;
  workspace.document().ask<OperationParts>(
      &workspace, "parts",
      [row = *view.shown(), levels = workspace.levels().levels()](const Log& log) {
        return operation_parts(log, row, *levels);
      },
      [&](OperationParts answer) { parts = std::move(answer); });
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.document().waiting() == 0; }, 5000));
  const std::string words = time_spent(parts).toStdString();
  EXPECT_NE(words.find("47.0 ms without a segment before frame 2097"), std::string::npos) << words;
}

// Of what breaks no rule nobody broke one.
TEST(Findings, AboutTimeAreSeenAndNotBroken) {
  for (const auto& [check, title] :
       {std::pair(CheckId::perf_loss, "Seen from"), std::pair(CheckId::rdmap_termwhy, "Seen from"),
        std::pair(CheckId::mpa_res, "Broken by")}) {
    Finding finding;
    finding.check = check;
    FactModel model({QStringLiteral("Finding"), QStringLiteral("Explanation")});
    model.set(finding_facts(finding, 0, Role::initiator));
    EXPECT_TRUE(model.as_text().contains(QLatin1String(title))) << model.as_text().toStdString();
  }
}

TEST(Operation, IsTakenApartAndItsNeighboursAreNext) {
  Workspace workspace;
  OperationView view(workspace, light_theme(), nullptr);
  EXPECT_FALSE(view.placeholder().isEmpty());
  read(workspace, loss);
  settle(view);
  ASSERT_TRUE(view.shown());
  OperationParts parts;
  const auto levels = workspace.levels().levels();
  workspace.document().ask<OperationParts>(
      &workspace, "parts", [&](const Log& log) { return operation_parts(log, *view.shown(), *levels); },
      [&](OperationParts answer) { parts = std::move(answer); });
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.document().waiting() == 0; }, 5000));
  EXPECT_EQ(parts.rank, 0U);  // nothing is selected: the slowest
  EXPECT_FALSE(parts.slower);
  ASSERT_TRUE(parts.faster);
  std::uint64_t octets = 0;
  for (const OperationPart& part : parts.parts)
    octets += part.kind == OperationPart::response ? part.octets : 0;
  EXPECT_EQ(octets, parts.event.operation.length);  // every segment of the Read Response is there, once
  ASSERT_FALSE(parts.parts.empty());
  EXPECT_EQ(parts.parts.front().kind, OperationPart::request);
  EXPECT_EQ(parts.parts.front().frame, parts.event.operation.request.frame);
  // Frame 14 came at 4.05 ms, the last octets before those of frame 26 with frame 30 at 11.88 ms; the ACK of
  // the SYN-ACK was 1.93 ms behind that: as iwarp-analyze --why says it.
  EXPECT_EQ(
      time_spent(parts).toStdString(),
      "7.83 ms until lost or late octets of the response came (frames 14 to 30); 1.93 ms on the network "
      "to the peer that answers, and back, at most (frames 9 to 11); 1.62 ms while the response was sent "
      "(frames 27 to 37); 1.44 ms in the peer that answers, at most (frames 9 to 11)");
  ASSERT_TRUE(parts.time);
  EXPECT_EQ(parts.time->total(), parts.event.operation.delivery(parts.event.time_ns));

  view.resize(900, 500);
  view.show();
  // First all of the operation, then of the capture.
  workspace.session().set_range(workspace.visible());
  QTest::keyClick(view.focusProxy(), Qt::Key_W);
  QTest::keyClick(view.focusProxy(), Qt::Key_Home);
  EXPECT_TRUE(workspace.session().range());
  QTest::keyClick(view.focusProxy(), Qt::Key_Home);
  EXPECT_FALSE(workspace.session().range());
  QTest::keyClick(view.focusProxy(), Qt::Key_Down);
  EXPECT_EQ(workspace.session().selection().operation, parts.faster);
  settle(view);
  EXPECT_TRUE(QTest::qWaitFor([&] { return view.shown() == parts.faster; }, 5000));
}

TEST(State, IsScrubbedByKeysAndFollowsTheSelection) {
  Workspace workspace;
  StateView view(workspace, light_theme(), nullptr);
  EXPECT_FALSE(view.placeholder().isEmpty());
  read(workspace, nvme);
  Selection selection;
  selection.stream = 3;
  selection.frame = 416;
  workspace.session().select(selection);
  settle(view);
  ASSERT_TRUE(view.shown());
  EXPECT_EQ(view.shown()->frame, 416U);
  const auto& initiator = view.shown()->walked[0];
  ASSERT_FALSE(initiator.empty());
  EXPECT_EQ(initiator.back().state.value, QpValue::rts);
  EXPECT_EQ(initiator.front().state.value, QpValue::idle);
  const std::size_t at = view.shown()->at;
  view.resize(900, 600);
  view.show();
  QTest::keyClick(view.focusProxy(), Qt::Key_Left);
  settle(view);
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.shown()->at + 1 == at; }, 5000));
  EXPECT_LT(*workspace.session().selection().frame, 416U);
  EXPECT_EQ(*workspace.session().selection().frame, view.shown()->frame);
}

// The capture ends before the last response does: that is the state of its last frame, as iwarp-analyze
// --state-at 316 has it, and not one in which all is over.
TEST(State, EndsWithTheLastFrameAndNotWithTheCapture) {
  Workspace workspace;
  StateView view(workspace, light_theme(), nullptr);
  read(workspace, folder + "08a-rping-loss2-notso-S20000.pcap.gz");
  settle(view);
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.shown().has_value(); }, 5000));
  EXPECT_EQ(view.shown()->frame, 316U);
  const std::string text = view.facts().as_text().toStdString();
  EXPECT_NE(text.find("Outstanding requests: 0 | 1"), std::string::npos) << text;
  EXPECT_EQ(text.find("Phase: closed"), std::string::npos) << text;
}

// The way that was walked is lit: more of it after a Terminate than before.
TEST(State, LightsTheWayThatWasWalked) {
  Workspace workspace;
  StateView view(workspace, light_theme(), nullptr);
  read(workspace, folder + "03e-term-read_badrkey.pcap");
  const auto lit_at = [&](FrameNumber frame) {
    Selection selection;
    selection.stream = 0;
    selection.frame = frame;
    workspace.session().select(selection);
    settle(view);
    EXPECT_TRUE(QTest::qWaitFor([&] { return view.shown() && view.shown()->frame <= frame; }, 5000));
    const QImage picture = picture_of_view(view, {900, 600});
    int lit = 0;
    for (int y = 0; y < picture.height(); ++y) {
      for (int x = 0; x < picture.width(); ++x)
        lit += picture.pixelColor(x, y).rgb() == light_theme().accent.rgb() ? 1 : 0;
    }
    return std::pair(lit, view.shown()->walked[0].size());
  };
  const auto [begun, states_begun] = lit_at(6);
  const auto [ended, states_ended] = lit_at(1000);
  EXPECT_GT(states_ended, states_begun);
  EXPECT_GT(ended, begun);
}

TEST(Message, HasItsOctetsFromTheFileOrASentence) {
  test_files::Folder own;
  const std::string path = own.of("message.pcap");
  std::filesystem::copy_file(folder + "03d-burst-readmany.pcap", path,
                             std::filesystem::copy_options::overwrite_existing);
  Workspace workspace;
  MessageView view(workspace, light_theme(), nullptr);
  EXPECT_FALSE(view.placeholder().isEmpty());
  read(workspace, path);
  workspace.session().select(select_message(workspace.document().metrics(), 1));
  settle(view);
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.shown() && view.shown()->row == 1; }, 5000));
  EXPECT_EQ(view.shown()->error.toStdString(), "");
  ASSERT_EQ(static_cast<std::size_t>(view.shown()->octets.size()), view.shown()->fields.size());
  std::uint64_t behind_ddp = 0;
  for (const auto field : view.shown()->fields) {
    behind_ddp += field == MessageOctets::payload || field == MessageOctets::rdmap;
  }
  EXPECT_EQ(behind_ddp, workspace.document().metrics().messages().length(1));

  std::filesystem::remove(path);
  Workspace gone;
  MessageView other(gone, light_theme(), nullptr);
  std::filesystem::copy_file(folder + "03d-burst-readmany.pcap", path,
                             std::filesystem::copy_options::overwrite_existing);
  gone.document().open(QString::fromStdString(path), file_source(path));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !gone.document().loading(); }, 5000));
  const std::string other_file = own.of("other.pcap");  // cut, it could still be in a buffer
  std::filesystem::copy_file(folder + "03d-burst-readmany.pcap", other_file);
  std::filesystem::rename(other_file, path);
  gone.session().select(select_message(gone.document().metrics(), 2));
  ASSERT_TRUE(QTest::qWaitFor([&] { return other.shown() && other.shown()->row == 2; }, 5000));
  EXPECT_FALSE(other.shown()->error.isEmpty());
}

// What the capture's README says of it: an RDMA Write to an STag that had been deregistered.
TEST(Message, TerminateIsReadInWords) {
  Workspace workspace;
  MessageView view(workspace, light_theme(), nullptr);
  read(workspace, folder + "03e-term-write_dereg.pcap");
  const MessageTable& messages = workspace.document().metrics().messages();
  std::uint32_t terminate = 0;
  while (terminate < messages.size() && messages.opcode(terminate) != wire::Opcode::terminate) ++terminate;
  ASSERT_LT(terminate, messages.size());
  workspace.session().select(select_message(workspace.document().metrics(), terminate));
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.shown() && view.shown()->row == terminate; }, 5000));
  const std::string text = view.facts().as_text().toStdString();
  EXPECT_NE(text.find("Error: 0x1100: tagged: invalid STag\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Layer: DDP"), std::string::npos) << text;
  EXPECT_NE(text.find("Quoted header: RDMA Write\n"), std::string::npos) << text;
  EXPECT_NE(text.find("About: frame "), std::string::npos) << text;
}

TEST(Findings, AreExplained) {
  Workspace workspace;
  FindingsView view(workspace, light_theme(), nullptr);
  EXPECT_FALSE(view.placeholder().isEmpty());
  read(workspace, folder + "09a-50-parallel-rping-crc-terminate.pcap");
  settle(view);
  const FindingTable& table = workspace.document().metrics().findings();
  ASSERT_GT(table.size(), 0U);
  workspace.session().select(select_finding(workspace.document().metrics(), 0));
  const std::string text = view.facts().as_text().toStdString();
  EXPECT_NE(text.find(check_info(table.finding(0).check).rule), std::string::npos) << text;
  EXPECT_NE(text.find(check_info(table.finding(0).check).reference), std::string::npos);
  EXPECT_NE(text.find("Not decidable"), std::string::npos);
}

// Of one severity the diagnoses that cost the most time come first.
TEST(Findings, StandByTheTimeTheyCost) {
  Workspace workspace;
  FindingsView view(workspace, light_theme(), nullptr);
  read(workspace, folder + "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst");
  settle(view);
  const TableModel* const table = view.table();
  ASSERT_NE(table, nullptr);
  std::vector<std::uint64_t> lost;
  for (int at = 0; at < table->rowCount(); ++at) {
    const Finding& finding = workspace.document().metrics().findings().finding(table->row_at(at));
    if (is_diagnosis(finding.check)) lost.push_back(finding.arguments[0]);
  }
  ASSERT_GE(lost.size(), 2U);
  EXPECT_TRUE(std::ranges::is_sorted(lost, std::greater<>()));
  EXPECT_GT(lost.front(), lost.back());
}

// What was found has room to be read, whatever else has to go for it.
TEST(Findings, LeaveRoomForTheirWords) {
  Workspace workspace;
  FindingsView view(workspace, light_theme(), nullptr);
  read(workspace, folder + "09a-50-parallel-rping-crc-terminate.pcap");
  settle(view);
  const auto* const table = view.findChild<QTableView*>();
  ASSERT_NE(table, nullptr);
  for (const int width : {1400, 640, 1400}) {
    view.resize(width, 300);
    static_cast<void>(picture_of_view(view, {width, 300}));
    EXPECT_GE(table->columnWidth(FindingModel::words), 150) << width;
    EXPECT_EQ(table->isColumnHidden(FindingModel::from), width < 1000) << width;
    EXPECT_FALSE(table->isColumnHidden(FindingModel::id)) << width;
  }
}

// 96 octets of each frame: of its 106 the first message's CRC is not among them.
TEST(Message, InventsNoCrc) {
  Workspace workspace;
  MessageView view(workspace, light_theme(), nullptr);
  read(workspace, folder + "08l-snap96-rping-crc-S5000.pcap");
  workspace.session().select(select_message(workspace.document().metrics(), 0));
  settle(view);
  const std::string words = view.facts().as_text().toStdString();
  EXPECT_NE(words.find("CRC: not captured"), std::string::npos) << words;
  EXPECT_EQ(words.find("CRC: 0x00000000"), std::string::npos);
}

TEST(Findings, OfACaptureWithoutIwarpPraiseNothing) {
  Workspace workspace;
  FindingsView view(workspace, light_theme(), nullptr);
  read(workspace, folder + "07a-negative-plain-tcp-rstream.pcap");
  settle(view);
  EXPECT_TRUE(view.placeholder().startsWith(QLatin1String("There is no iWARP")))
      << view.placeholder().toStdString();
}

TEST(Findings, AreNoneSoFarWhileACleanCaptureIsRead) {
  Workspace workspace;
  FindingsView view(workspace, light_theme(), nullptr);
  workspace.document().open(QStringLiteral("Reads"), source_of({300'000, 1, 0}));
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return view.placeholder().contains(QLatin1String("None so far")); }, 20'000));
  EXPECT_TRUE(workspace.document().loading());
}

TEST(Inspectors, PaintTheSameTwice) {
  Workspace workspace;
  OperationView view(workspace, dark_theme(), nullptr);
  read(workspace, nvme);
  settle(view);
  const auto paint = [&](QPainter& painter, QSize size) { return view.paint(painter, size); };
  Work work;
  const QImage once = picture_of(paint, {1000, 600}, 1, &work);
  EXPECT_EQ(once, picture_of(paint, {1000, 600}, 1));
  EXPECT_LE(work.primitives, 8U * 1000);
}

}  // namespace
}  // namespace iwarp::gui
