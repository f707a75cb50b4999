// Captures that are read while others look on: rows, levels, questions, and every way in which it ends.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "many_reads.hpp"
#include "models/finding_model.hpp"
#include "models/message_model.hpp"
#include "models/operation_model.hpp"
#include "models/stream_model.hpp"
#include "models/table_export.hpp"
#include "support/places.hpp"
#include "test_folder.hpp"

namespace iwarp::gui {
namespace {

const std::string nvme = test::places::captures() + "/real/05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst";

void read(Workspace& workspace, const std::string& path) {
  workspace.document().open(QString::fromStdString(path), file_source(path));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
}

TEST(Document, HasWhatIwarpAnalyzeReports) {
  Workspace workspace;
  read(workspace, nvme);
  EXPECT_EQ(workspace.document().result().end, LoadEnd::complete);
  const Metrics& metrics = workspace.document().metrics();
  EXPECT_EQ(metrics.streams().size(), 4U);  // README's first screen
  EXPECT_EQ(workspace.document().result().summary.frames, 708U);
  EXPECT_EQ(workspace.levels().levels()->operation_rows.size(), metrics.operations().size());
}

TEST(Document, AFilterSaysWhatCounts) {
  Workspace workspace;
  read(workspace, nvme);
  QString error;
  ASSERT_TRUE(workspace.session().set_filter("op == read", error));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 5000));
  const Levels& levels = *workspace.levels().levels();
  EXPECT_EQ(levels.operation_rows.size(), 6U);  // 6 Reads
  EXPECT_EQ(levels.operations.latency().size(), 6U);
  EXPECT_EQ(levels.stream_rows.size(), 3U);  // stream 2 has none
}

TEST(Document, QuestionsAreAnsweredTheNewestWins) {
  Workspace workspace;
  read(workspace, nvme);
  QObject asker;
  std::vector<int> answers;
  for (int number = 0; number < 100; ++number) {
    workspace.document().ask<int>(
        &asker, "number", [number](const Log&) { return number; },
        [&](int answer) { answers.push_back(answer); });
  }
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.document().waiting() == 0; }, 5000));
  EXPECT_EQ(answers, std::vector<int>{99});
  Snapshot state;
  workspace.document().ask<Snapshot>(
      &asker, "state", [](const Log& log) { return log.timeline.state_after(0, 10); },
      [&](const Snapshot& answer) { state = answer; });
  std::size_t octets = 0;
  workspace.document().ask<std::size_t>(
      &asker, "frame",
      [](const Log& log) {
        capture::Record record;
        std::string error;
        return log.frame(708, record, error) ? record.octets.size() : 0;
      },
      [&](std::size_t answer) { octets = answer; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.document().waiting() == 0; }, 5000));
  ASSERT_NE(state, nullptr);
  EXPECT_EQ(state->id, 0U);
  EXPECT_GT(octets, 0U);
}

TEST(Document, UnreadableFilesSayWhy) {
  for (const std::string& path : {std::string("/nonexistent/a.pcap"), test::places::captures()}) {
    CaptureDocument document;
    QSignalSpy ended(&document, &CaptureDocument::ended);
    document.open(QString::fromStdString(path), file_source(path));
    ASSERT_TRUE(ended.wait());
    EXPECT_EQ(document.result().end, LoadEnd::unreadable);
    EXPECT_TRUE(document.result().sentence.starts_with(path)) << document.result().sentence;
  }
}

// Frames of one file, again and again.
class Endless final : public RecordSource {
 public:
  explicit Endless(std::unique_ptr<RecordSource> inner) : inner_(std::move(inner)) {}
  Next next(capture::Record& record) override {
    if (inner_ != nullptr && inner_->next(record) == Next::record) {
      octets_.assign(record.octets.begin(), record.octets.end());
      last_ = record;
      last_.octets = octets_;
      return Next::record;
    }
    ++last_.number;
    last_.time_ns += 1000;
    record = last_;
    return Next::record;
  }
  const std::optional<capture::Damage>& damage() const noexcept override { return none_; }
  capture::Progress progress() const noexcept override { return {}; }
  bool frame(FrameNumber, capture::Record&, std::string&) override { return false; }

 private:
  std::unique_ptr<RecordSource> inner_;
  std::vector<Byte> octets_;
  capture::Record last_;
  std::optional<capture::Damage> none_;
};

OpenSource endless() {
  return [](std::string& error, std::function<bool()> cancelled) -> std::unique_ptr<RecordSource> {
    return std::make_unique<Endless>(file_source(nvme)(error, std::move(cancelled)));
  };
}

TEST(Document, RowsAreThereWhileItIsReadAndCancelKeepsThem) {
  Workspace workspace;
  QSignalSpy grew(&workspace.document(), &CaptureDocument::grew);
  workspace.document().open(QStringLiteral("endless"), endless());
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return workspace.document().metrics().operations().size() > 0 && grew.count() > 0; }, 5000));
  EXPECT_TRUE(workspace.document().loading());
  QElapsedTimer clock;
  clock.start();
  workspace.document().cancel();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !workspace.document().loading(); }, 10'000));
#ifndef IWARP_SANITIZED
  EXPECT_LT(clock.elapsed(), 200);
#endif
  EXPECT_EQ(workspace.document().result().end, LoadEnd::cancelled);
  EXPECT_GT(workspace.document().metrics().operations().size(), 0U);
}

TEST(Document, MayBeClosedWhileItIsRead) {
  for (int round = 0; round < 5; ++round) {
    Workspace workspace;
    StreamModel streams(workspace);
    workspace.document().open(QStringLiteral("endless"), endless());
    QTest::qWait(round * 20);
    workspace.document().ask<int>(
        &workspace, "late", [](const Log&) { return 1; }, [](int) { FAIL(); });
  }
}

TEST(Document, AFileThatIsCutKeepsWhatWasRead) {
  const std::string source = test::places::captures() + "/real/03d-burst-readmany.pcap";
  test_files::Folder folder;
  const std::string path = folder.of("cut.pcap");
  std::filesystem::copy_file(source, path, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 10);
  Workspace workspace;
  read(workspace, path);
  EXPECT_EQ(workspace.document().result().end, LoadEnd::damaged);
  EXPECT_TRUE(workspace.document().result().offset);
  EXPECT_GT(workspace.document().metrics().operations().size(), 0U);
}

// Counts how often it is asked how far it is: of a file that is a call of the system.
class Asked final : public RecordSource {
 public:
  Asked(std::unique_ptr<RecordSource> inner, std::atomic<std::size_t>& asked)
      : inner_(std::move(inner)), asked_(asked) {}
  Next next(capture::Record& record) override { return inner_->next(record); }
  const std::optional<capture::Damage>& damage() const noexcept override { return inner_->damage(); }
  capture::Progress progress() const noexcept override {
    ++asked_;
    return inner_->progress();
  }
  bool frame(FrameNumber number, capture::Record& record, std::string& error) override {
    return inner_->frame(number, record, error);
  }

 private:
  const std::unique_ptr<RecordSource> inner_;
  std::atomic<std::size_t>& asked_;
};

TEST(Document, ItsSourceIsNotAskedForEachFrameHowFarItIs) {
  std::atomic<std::size_t> asked = 0;
  Workspace workspace;
  workspace.document().open(
      QStringLiteral("asked"), [&](std::string& error, std::function<bool()> cancelled) {
        return std::make_unique<Asked>(file_source(nvme)(error, std::move(cancelled)), asked);
      });
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
  EXPECT_GT(workspace.document().result().summary.frames, 512U);
  EXPECT_LT(asked, 16U);
}

TEST(Models, AStreamSaysHowItEnded) {
  const std::string real = test::places::captures() + "/real/";
  for (const auto& [capture, end] : {std::pair("03e-term-write_big_oob.pcap", "terminated"),
                                     {"01a-rping-v4-mtu1500-tso.pcap", "closed"},
                                     {"03g-reject.pcap", "rejected"},
                                     {"08a-rping-loss2-notso-S20000.pcap.gz", "open"}}) {
    Workspace workspace;
    StreamModel streams(workspace);
    read(workspace, real + capture);
    const int last = streams.rowCount() - 1;
    ASSERT_GE(last, 0);
    EXPECT_EQ(streams.index(last, StreamModel::end).data().toString().toStdString(), end) << capture;
  }
}

TEST(Models, KeepQtsRulesWhileTheyGrowSortAndFilter) {
  Workspace workspace;
  StreamModel streams(workspace);
  OperationModel operations(workspace);
  MessageModel messages(workspace);
  FindingModel findings(workspace);
  const std::vector<TableModel*> models{&streams, &operations, &messages, &findings};
  std::vector<std::unique_ptr<QAbstractItemModelTester>> testers;
  for (TableModel* const model : models) {
    testers.push_back(std::make_unique<QAbstractItemModelTester>(
        model, QAbstractItemModelTester::FailureReportingMode::Fatal));
    model->sort(3, Qt::DescendingOrder);
  }
  read(workspace, nvme);
  EXPECT_EQ(operations.rowCount(), static_cast<int>(workspace.document().metrics().operations().size()));
  for (TableModel* const model : models) {
    for (int column = 0; column < model->columnCount(); ++column) {
      model->sort(column, column % 2 == 0 ? Qt::AscendingOrder : Qt::DescendingOrder);
    }
  }
  operations.sort(OperationModel::latency, Qt::DescendingOrder);
  EXPECT_EQ(operations.index(0, OperationModel::latency).data().toString().toStdString(), "20.7 ms");
  QString error;
  workspace.session().set_filter("op == read", error);
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 5000));
  EXPECT_EQ(operations.rowCount(), 6);
}

// More rows than are sorted at once: a thread does it, and the model shows what it had meanwhile.
TEST(Models, SortManyRowsElsewhere) {
  Workspace workspace;
  OperationModel operations(workspace);
  const QAbstractItemModelTester tester(&operations, QAbstractItemModelTester::FailureReportingMode::Fatal);
  operations.sort(OperationModel::latency, Qt::DescendingOrder);
  constexpr std::uint32_t reads = 3 * TableModel::sorted_at_once;
  workspace.document().open(QStringLiteral("many Reads"), source_of({reads, 3, 10}));
  ASSERT_TRUE(QTest::qWaitFor([&] { return operations.settled(); }, 20'000));
  const OperationTable& table = workspace.document().metrics().operations();
  const auto expect_sorted = [&](auto&& value) {
    ASSERT_EQ(operations.rowCount(), static_cast<int>(table.size()));
    for (int at = 0; at + 1 < operations.rowCount(); ++at) {
      const std::uint32_t one = operations.row_at(at);
      const std::uint32_t next = operations.row_at(at + 1);
      ASSERT_TRUE(value(one) != value(next) ? value(one) < value(next) : one < next) << at;
      ASSERT_EQ(operations.place_of(one), at);
    }
  };
  expect_sorted([&](std::uint32_t row) { return -table.latency_ns(row); });
  const QPersistentModelIndex kept(operations.index(7, 0));
  const std::uint32_t row = operations.row_at(7);
  // The last one asked for is what comes.
  operations.sort(OperationModel::time, Qt::DescendingOrder);
  operations.sort(OperationModel::stream, Qt::AscendingOrder);
  EXPECT_FALSE(operations.settled());
  EXPECT_EQ(operations.row_at(7), row);
  ASSERT_TRUE(QTest::qWaitFor([&] { return operations.settled(); }, 20'000));
  expect_sorted([&](std::uint32_t each) { return table.connection(each); });
  EXPECT_EQ(operations.row_at(kept.row()), row);
  // As the table is, at once.
  operations.sort(-1, Qt::AscendingOrder);
  EXPECT_TRUE(operations.settled());
  expect_sorted([](std::uint32_t each) { return each; });
  EXPECT_EQ(operations.row_at(kept.row()), row);
  QString error;
  operations.sort(OperationModel::latency, Qt::AscendingOrder);
  workspace.session().set_filter("stream == 1", error);
  ASSERT_TRUE(QTest::qWaitFor([&] { return operations.settled(); }, 20'000));
  EXPECT_EQ(operations.rowCount(), static_cast<int>(reads / 3));
  EXPECT_EQ(operations.place_of(0), std::nullopt);
  // Closed while a thread sorts.
  workspace.session().set_filter("", error);
  operations.sort(OperationModel::length, Qt::DescendingOrder);
}

TEST(Models, AreWrittenByTheLibrarysWriters) {
  Workspace workspace;
  read(workspace, nvme);
  StreamModel streams(workspace);
  test_files::Folder folder;
  const QString path = folder.of(QStringLiteral("streams.csv"));
  bool done = false;
  export_table(streams, path, TableFormat::csv, &workspace, [&](const QString& error) {
    EXPECT_EQ(error.toStdString(), "");
    done = true;
  });
  ASSERT_TRUE(QTest::qWaitFor([&] { return done; }, 5000));
  std::ifstream file(path.toStdString());
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  EXPECT_TRUE(line.starts_with("type,stream,initiator,")) << line;
  int rows = 0;
  while (std::getline(file, line)) ++rows;
  EXPECT_EQ(rows, 4);
  std::filesystem::remove(path.toStdString());
}

}  // namespace
}  // namespace iwarp::gui
