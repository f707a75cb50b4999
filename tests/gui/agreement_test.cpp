// What iwarp-view knows of a capture is what iwarp-analyze prints of it: findings, operations, messages,
// streams, states.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QProcess>
#include <QTest>

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <iwarp/export/writers.hpp>

#include "models/finding_model.hpp"
#include "models/message_model.hpp"
#include "models/operation_model.hpp"
#include "models/stream_model.hpp"
#include "models/table_export.hpp"
#include "processes.hpp"
#include "support/places.hpp"
#include "test_folder.hpp"

namespace iwarp::gui {
namespace {

std::vector<std::string> captures() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(test::places::captures() + "/real")) {
    const std::string name = entry.path().filename().string();
    if (name.find(".pcap") != std::string::npos) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Sorted: the tables have their order, and the program prints things as they are decided.
std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> printed(const std::string& capture, const QStringList& options) {
  QProcess process;
  process.start(QString::fromStdString(test::places::analyze()),
                QStringList{QStringLiteral("--format"), QStringLiteral("jsonl")} + options +
                    QStringList{QString::fromStdString(capture)});
  EXPECT_TRUE(process.waitForFinished(120'000));
  return sorted_lines(process.readAllStandardOutput().toStdString());
}

std::vector<std::string> exported(Workspace& workspace, const TableModel& model) {
  test_files::Folder folder;
  const std::string path = folder.of("table.jsonl");
  bool done = false;
  export_table(model, QString::fromStdString(path), TableFormat::json_lines, &workspace,
               [&](const QString& error) {
                 EXPECT_EQ(error.toStdString(), "");
                 done = true;
               });
  EXPECT_TRUE(QTest::qWaitFor([&] { return done; }, 20'000));
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return sorted_lines(text.str());
}

// The states of all streams behind a frame, as the timeline has them.
std::vector<std::string> states_after(Workspace& workspace, FrameNumber frame) {
  std::string text;
  workspace.document().ask<std::string>(
      &workspace, "states",
      [frame](const Log& log) {
        TextBuffer out;
        for (std::size_t row = 0; row < log.metrics.streams().size(); ++row) {
          const Snapshot state =
              log.timeline.state_after(select_stream(log.metrics, row).stream.value(), frame);
          if (state != nullptr) write_json(out, state_record(*state, frame));
        }
        return std::string(out.view());
      },
      [&text](const std::string& answer) { text = answer; });
  EXPECT_TRUE(QTest::qWaitFor([&] { return workspace.document().waiting() == 0; }, 20'000));
  return sorted_lines(text);
}

class Agreement : public testing::TestWithParam<std::string> {};

TEST_P(Agreement, WithIwarpAnalyze) {
  IWARP_NEEDS_PROCESSES();
  const std::string capture = GetParam();
  Workspace workspace;
  const FindingModel findings(workspace);
  const OperationModel operations(workspace);
  const MessageModel messages(workspace);
  const StreamModel streams(workspace);
  workspace.document().open(QString::fromStdString(capture), file_source(capture));
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 60'000));
  EXPECT_EQ(exported(workspace, findings), printed(capture, {"--records", "findings"}));
  EXPECT_EQ(exported(workspace, operations), printed(capture, {"--records", "operations"}));
  EXPECT_EQ(exported(workspace, messages), printed(capture, {"--records", "messages"}));
  EXPECT_EQ(exported(workspace, streams), printed(capture, {"--records", "streams"}));
  const auto middle = static_cast<FrameNumber>(workspace.document().result().summary.frames / 2 + 1);
  const std::vector<std::string> states = states_after(workspace, middle);
  EXPECT_FALSE(states.empty() && workspace.document().metrics().streams().size() == 1);
  EXPECT_EQ(states, printed(capture, {"--records", "states", "--state-at", QString::number(middle)}));
}

std::string test_name(const testing::TestParamInfo<std::string>& capture) {
  std::string name = std::filesystem::path(capture.param).filename().string();
  const auto is_no_part = [](unsigned char letter) { return std::isalnum(letter) == 0; };
  std::replace_if(name.begin(), name.end(), is_no_part, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Bundled, Agreement, testing::ValuesIn(captures()), test_name);

}  // namespace
}  // namespace iwarp::gui
