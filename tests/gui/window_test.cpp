// The window as those use it who have a keyboard alone, or a screen reader.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QStatusBar>
#include <QTest>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/compare_window.hpp"
#include "app/keys_window.hpp"
#include "app/main_window.hpp"
#include "many_reads.hpp"
#include "support/places.hpp"
#include "views/inspector_view.hpp"
#include "views/table_view.hpp"

namespace iwarp::gui {
namespace {

const std::string nvme = test::places::captures() + "/real/05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst";

class Window : public testing::Test {
 protected:
  Window() : window_(workspace_, light_theme(), MainWindow::Memory::none) {
    window_.show();
    window_.activateWindow();
    workspace_.document().open(QString::fromStdString(nvme), file_source(nvme));
    EXPECT_TRUE(QTest::qWaitFor([&] { return workspace_.levels().settled(); }, 20'000));
    QCoreApplication::processEvents();
  }

  Workspace workspace_;
  MainWindow window_;
};

// What a screen reader would have no word for, by its class and the names above it.
void collect_nameless(QAccessibleInterface* place, const QString& above, std::set<QString>& seen, int depth) {
  if (place == nullptr || !place->isValid() || depth > 40) return;
  const QAccessible::Role role = place->role();
  const bool speaks =
      role == QAccessible::PushButton || role == QAccessible::ButtonMenu ||
      role == QAccessible::EditableText || role == QAccessible::Table || role == QAccessible::Tree ||
      role == QAccessible::List || role == QAccessible::ComboBox || role == QAccessible::CheckBox ||
      role == QAccessible::Slider || role == QAccessible::SpinBox || role == QAccessible::ProgressBar ||
      role == QAccessible::PageTab || role == QAccessible::PageTabList || role == QAccessible::MenuItem ||
      role == QAccessible::ColumnHeader;
  const QString name = place->text(QAccessible::Name);
  const QObject* const object = place->object();
  // A separator of a menu is not read aloud, nor is a button that is hidden.
  const bool counts = speaks && !place->state().invisible && !place->state().invalid;
  if (counts && name.isEmpty()) {
    const QString kind = object != nullptr ? QString::fromLatin1(object->metaObject()->className())
                                           : QStringLiteral("part %1").arg(static_cast<int>(role));
    const auto* const action = qobject_cast<const QAction*>(object);
    if (action == nullptr || !action->isSeparator()) seen.insert(above + QStringLiteral(" / ") + kind);
  }
  if (role == QAccessible::Table) return;  // cells have the words that stand in them
  for (int child = 0; child < place->childCount(); ++child) {
    collect_nameless(place->child(child), name.isEmpty() ? above : name, seen, depth + 1);
  }
}

TEST_F(Window, HasNothingNamelessForScreenReaders) {
  std::set<QString> nameless;
  collect_nameless(QAccessible::queryAccessibleInterface(&window_), QStringLiteral("window"), nameless, 0);
  std::string text;
  for (const QString& each : nameless) text += each.toStdString() + "\n";
  EXPECT_EQ(text, "");
  for (const ViewKind& kind : view_kinds()) {
    const View* const view = window_.view(kind.name);
    ASSERT_NE(view, nullptr) << kind.name;
    EXPECT_FALSE(view->accessibleName().isEmpty()) << kind.name;
  }
}

// The parts that come when they are asked for, too.
TEST_F(Window, HasNothingNamelessInItsOtherPartsEither) {
  for (const char* const name : {"bookmarks", "replay"}) {
    auto* const dock = window_.findChild<QDockWidget*>(QString::fromLatin1(name));
    ASSERT_NE(dock, nullptr) << name;
    dock->show();
    dock->raise();
  }
  workspace_.session().add_bookmark(QStringLiteral("here"));
  CompareWindow& compared = window_.compare_with(QString::fromStdString(nvme));
  EXPECT_TRUE(QTest::qWaitFor([&] { return compared.comparison().settled(); }, 20'000));
  KeysWindow keys(light_theme(), &window_);
  keys.show();
  QCoreApplication::processEvents();
  std::set<QString> nameless;
  for (QWidget* const part :
       {static_cast<QWidget*>(&window_), static_cast<QWidget*>(&compared), static_cast<QWidget*>(&keys)}) {
    collect_nameless(QAccessible::queryAccessibleInterface(part), part->windowTitle(), nameless, 0);
  }
  std::string text;
  for (const QString& each : nameless) text += each.toStdString() + "\n";
  EXPECT_EQ(text, "");
}

// Who cannot see a picture reads the table of what it shows.
TEST_F(Window, EachPictureHasItsTable) {
  for (const ViewKind& kind : view_kinds()) {
    if (kind.place == ViewPlace::main) {
      EXPECT_NE(window_.view(kind.name)->table(), nullptr) << kind.name;
    }
  }
  for (const auto& [picture, table] :
       {std::pair("latency", "operations"), {"ladder", "messages"}, {"stags", "messages"}}) {
    window_.show_view(picture);
    QTest::keyClick(&window_, Qt::Key_L, Qt::ControlModifier);
    EXPECT_TRUE(window_.view(table)->isVisible()) << picture;
  }
}

// Words that begin alike are offered meanwhile.
TEST_F(Window, EnterAppliesAFilterAtOnce) {
  for (const char* const filter : {"op == read", "op == wri"}) {
    QTest::keyClick(&window_, Qt::Key_F, Qt::ControlModifier);
    auto* const line = window_.findChild<QLineEdit*>();
    ASSERT_NE(line, nullptr);
    line->clear();
    QTest::keyClicks(line, QString::fromLatin1(filter));
    QWidget* const popup = QApplication::activePopupWidget();
    QTest::keyClick(popup != nullptr ? popup : line, Qt::Key_Return);
    EXPECT_NE(workspace_.session().filter().find(filter), std::string::npos)
        << filter << ", filter: " << workspace_.session().filter();
  }
}

TEST_F(Window, TabAppliesAFilterAndGoesOn) {
  QTest::keyClick(&window_, Qt::Key_F, Qt::ControlModifier);
  auto* const line = window_.findChild<QLineEdit*>();
  ASSERT_NE(line, nullptr);
  QTest::keyClicks(line, QStringLiteral("length > 7"));
  QTest::keyClick(line, Qt::Key_Tab);
  EXPECT_EQ(workspace_.session().filter(), "length > 7");
  EXPECT_EQ(line->text(), QString());
  // Findings have no length.
  const auto says = [&](const QString& words) {
    const auto labels = window_.findChildren<QLabel*>();
    return std::ranges::any_of(
        labels, [&](const QLabel* label) { return label->isVisible() && label->text() == words; });
  };
  EXPECT_TRUE(QTest::qWaitFor([&] { return says(QStringLiteral("holds for operations, messages")); }, 5000));
}

// What was being written belonged to the filter that was: walking back leaves none of it.
TEST_F(Window, TheFilterLineIsEmptyWhereOneWalksBack) {
  QString error;
  ASSERT_TRUE(workspace_.session().set_filter("op == read and length > 5", error));
  QTest::keyClick(&window_, Qt::Key_F, Qt::ControlModifier);
  auto* const line = window_.findChild<QLineEdit*>();
  ASSERT_NE(line, nullptr);
  QTest::keyClick(line, Qt::Key_Backspace);
  QTest::keyClick(line, Qt::Key_Backspace);
  EXPECT_EQ(line->text(), QLatin1String("length > "));
  workspace_.session().go_back();
  EXPECT_EQ(workspace_.session().filter(), "op == read and length > 5");
  EXPECT_EQ(line->text(), QString());
  QTest::keyClicks(line, QStringLiteral("op == "));
  QTest::keyClick(&window_, Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(workspace_.session().filter(), "");
  EXPECT_EQ(line->text(), QString());
}

// A part that Backspace took off to be changed does not stand in the line twice once it is back.
TEST_F(Window, TheFilterLineForgetsWhatIsAppliedAgain) {
  QString error;
  ASSERT_TRUE(workspace_.session().set_filter("op == read and length > 5", error));
  QTest::keyClick(&window_, Qt::Key_F, Qt::ControlModifier);
  auto* const line = window_.findChild<QLineEdit*>();
  ASSERT_NE(line, nullptr);
  QTest::keyClick(line, Qt::Key_Backspace);
  EXPECT_EQ(line->text(), QLatin1String("length > 5"));
  EXPECT_EQ(workspace_.session().filter(), "op == read");
  workspace_.session().go_back();
  EXPECT_EQ(line->text(), QString());
}

TEST_F(Window, LookingAtATableSelectsNothing) {
  for (const char* const name : {"messages", "operations", "flows", "findings"}) {
    window_.show_view(name);
    EXPECT_TRUE(window_.view(name)->focusProxy()->hasFocus()) << name;
    EXPECT_TRUE(workspace_.session().selection() == Selection()) << name;
  }
  window_.show_view("messages");
  QTest::keyClick(window_.view("messages")->focusProxy(), Qt::Key_Down);
  EXPECT_EQ(workspace_.session().selection().message, 0U);
}

TEST_F(Window, WalksThroughFindingsByKey) {
  const auto& findings = *window_.view("findings")->table();
  ASSERT_GT(findings.rowCount(), 2);
  workspace_.session().set_range(TimeSpan{0, 1});
  QTest::keyClick(&window_, Qt::Key_F8);
  EXPECT_EQ(workspace_.session().selection().finding, findings.row_at(0));
  EXPECT_TRUE(workspace_.visible().contains(*workspace_.session().selection().time));
  const FindingTable& table = workspace_.document().metrics().findings();
  EXPECT_EQ(window_.statusBar()->currentMessage().toStdString(),
            "Finding 1 of " + std::to_string(findings.rowCount()) + ": " +
                describe(table.finding(findings.row_at(0))));
  QTest::keyClick(&window_, Qt::Key_F8);
  EXPECT_EQ(workspace_.session().selection().finding, findings.row_at(1));
  QTest::keyClick(&window_, Qt::Key_F8, Qt::ShiftModifier);
  QTest::keyClick(&window_, Qt::Key_F8, Qt::ShiftModifier);
  EXPECT_EQ(workspace_.session().selection().finding, findings.row_at(findings.rowCount() - 1));
  // From where one is: what is seen has one of its own.
  const std::uint32_t last = findings.row_at(findings.rowCount() - 2);
  workspace_.session().select({});
  const TimeNs time = table.finding(last).time_ns;
  workspace_.session().set_range(TimeSpan{time, time + 1});
  QTest::keyClick(&window_, Qt::Key_F8);
  ASSERT_TRUE(workspace_.session().selection().finding);
  EXPECT_EQ(table.finding(*workspace_.session().selection().finding).time_ns, time);
}

// What the session of another capture names is not there.
TEST_F(Window, APlaceOfAnotherCaptureIsFittedToThisOne) {
  Place place;
  place.filter = "op == read";
  place.range = TimeSpan{10, 20};
  place.selection.operation = 1U << 30U;
  const Place fitted = workspace_.fitted_place(place);
  EXPECT_EQ(fitted.filter, "op == read");
  EXPECT_FALSE(fitted.range);
  EXPECT_TRUE(fitted.selection == Selection());
  place.selection = select_operation(workspace_.document().metrics(), 0);
  place.range = TimeSpan{*place.selection.time, *place.selection.time + 10};
  EXPECT_TRUE(workspace_.fitted_place(place) == place);
}

// A row that is selected before the tables have it is current once they do.
TEST_F(Window, RowsThatComeBehindTheirSelectionAreShown) {
  Workspace workspace;
  MainWindow window(workspace, light_theme(), MainWindow::Memory::none);
  window.show();
  const Selection selection = select_operation(workspace_.document().metrics(), 3);
  window.open_capture(QString::fromStdString(nvme));
  workspace.session().select(selection);
  const auto* const table = static_cast<const TableView*>(window.view("operations"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return table->widget().currentIndex().isValid(); }, 20'000));
  EXPECT_EQ(table->table()->row_at(table->widget().currentIndex().row()), 3U);
}

// W, S, A, D and Home are the timeline's in tables, too: Qt would look for rows that begin with these
// letters, and go to the first column.
TEST_F(Window, TablesHaveTheTimelinesKeys) {
  const auto* const table = static_cast<const TableView*>(window_.view("operations"));
  Session& session = workspace_.session();
  const TimeSpan all = workspace_.visible();
  const Selection selected = session.selection();
  QTest::keyClick(&table->widget(), Qt::Key_W);
  const TimeSpan nearer = workspace_.visible();
  EXPECT_LT(nearer.length(), all.length());
  QTest::keyClick(&table->widget(), Qt::Key_D);
  EXPECT_GT(workspace_.visible().from, nearer.from);
  QTest::keyClick(&table->widget(), Qt::Key_A);
  EXPECT_EQ(workspace_.visible().from, nearer.from);
  QTest::keyClick(&table->widget(), Qt::Key_S);
  EXPECT_GT(workspace_.visible().length(), nearer.length());
  QTest::keyClick(&table->widget(), Qt::Key_Home);
  EXPECT_FALSE(session.range());
  EXPECT_TRUE(session.selection() == selected);
}

TEST_F(Window, NothingIsSaidToBeRightOfACaptureThatCannotBeRead) {
  Workspace workspace;
  MainWindow window(workspace, light_theme(), MainWindow::Memory::none);
  window.show();
  window.open_capture(QStringLiteral("/nonexistent.pcap"));
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return workspace.document().result().end == LoadEnd::unreadable; }, 20'000));
  const auto says = [&](const char* words) {
    const auto labels = window.view("findings")->findChildren<QLabel*>();
    return std::ranges::any_of(
        labels, [&](const QLabel* label) { return label->text().contains(QLatin1String(words)); });
  };
  EXPECT_TRUE(QTest::qWaitFor([&] { return says("cannot be read"); }, 5000));
  EXPECT_FALSE(says("No rule was broken"));
}

// Of an operation all its frames; of one of them that was chosen that alone.
TEST_F(Window, TheDisplayFilterOfAnOperationHasItsFrames) {
  const Metrics& metrics = workspace_.document().metrics();
  std::uint32_t row = 0;
  while (metrics.operations().event(row).operation.response.frame == 0) ++row;
  const OperationConclusion operation = metrics.operations().event(row).operation;
  Selection selection = select_operation(metrics, row);
  EXPECT_EQ(display_filter(metrics, selection),
            QStringLiteral("frame.number in {%1 .. %2} and tcp.stream == %3")
                .arg(operation.request.frame)
                .arg(operation.response.frame)
                .arg(metrics.operations().connection(row)));
  selection.frame = operation.response.frame;
  EXPECT_EQ(display_filter(metrics, selection),
            QStringLiteral("frame.number == %1").arg(operation.response.frame));
}

TEST_F(Window, AnEmptyTableSaysWhy) {
  QString error;
  ASSERT_TRUE(workspace_.session().set_filter("op == atomic and length > 5", error));
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_.view("flows")->table()->rowCount() == 0; }, 5000));
  const auto labels = window_.view("flows")->findChildren<QLabel*>();
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
    return label->isVisible() && label->text().contains(QLatin1String("filter"));
  }));
}

// In the lower panel words stand beside the picture; Tab goes from there to them.
TEST_F(Window, TabGoesFromAPictureToItsWords) {
  for (const char* const name : {"operation", "state", "message", "findings"}) {
    window_.show_view(name);
    const auto* const view = qobject_cast<const InspectorView*>(window_.view(name));
    ASSERT_NE(view, nullptr);
    // What a panel shows is asked for in the background, and the keyboard goes to it once it is visible.
    ASSERT_TRUE(QTest::qWaitFor(
        [&] {
          const QWidget* const focus = window_.focusWidget();
          return view->tree().isVisible() && focus != nullptr && focus->isVisible() &&
                 view->isAncestorOf(focus);
        },
        5000))
        << name;
    QCoreApplication::processEvents();
    int presses = 0;
    for (; presses < 3 && window_.focusWidget() != &view->tree(); ++presses)
      QTest::keyClick(window_.focusWidget(), Qt::Key_Tab);
    EXPECT_EQ(window_.focusWidget(), &view->tree()) << name;
    EXPECT_GE(view->tree().height(), 6 * 21) << name;
  }
}

TEST_F(Window, EnterInOperationsZoomsToOne) {
  window_.show_view("operations");
  QTest::keyClick(window_.view("operations")->focusProxy(), Qt::Key_Down);
  QTest::keyClick(window_.view("operations")->focusProxy(), Qt::Key_Return);
  const auto row = workspace_.session().selection().operation;
  ASSERT_TRUE(row);
  ASSERT_TRUE(workspace_.session().range());
  const OperationTable& operations = workspace_.document().metrics().operations();
  EXPECT_TRUE(workspace_.session().range()->contains(operations.time_ns(*row)));
}

// What each view does with keys of its own stands in the table of keys, which fits on a small screen.
TEST(Keys, OfEachViewAreShown) {
  KeysWindow keys(light_theme(), nullptr);
  QString words;
  for (const QLabel* const label : keys.findChildren<QLabel*>()) words += label->text() + QLatin1Char('\n');
  for (const char* const view :
       {"Flows", "Ladder", "Latency", "TCP", "STags", "Operation", "State", "Message"})
    EXPECT_TRUE(words.contains(QLatin1String(view) + QStringLiteral(": "))) << view;
  EXPECT_LE(keys.sizeHint().width(), 1280);
  EXPECT_LE(keys.sizeHint().height(), 720);
}

// Two entries of menus may not listen to the same keys: neither would do anything.
TEST_F(Window, HasNoShortcutTwice) {
  std::set<QString> shortcuts;
  for (const QMenu* const menu : window_.menuBar()->findChildren<QMenu*>()) {
    for (const QAction* const action : menu->actions()) {
      const QString keys = action->shortcut().toString();
      if (keys.isEmpty()) continue;
      EXPECT_TRUE(shortcuts.insert(keys).second) << keys.toStdString();
    }
  }
  EXPECT_GE(shortcuts.size(), 8U);
}

TEST_F(Window, EachViewCanBeReachedByItsKey) {
  int number = 0;
  for (const ViewKind& kind : view_kinds()) {
    ++number;
    const bool first = number <= 9;
    QTest::keyClick(&window_, static_cast<Qt::Key>(Qt::Key_0 + (first ? number : number - 9)),
                    first ? Qt::ControlModifier : Qt::AltModifier);
    EXPECT_TRUE(window_.view(kind.name)->isVisible()) << kind.name;
  }
}

// From the window as it opens to the slowest Read: one key, and the window says why.
TEST_F(Window, TheSlowestReadAndWhyIsOneKeyAway) {
  const OperationTable& operations = workspace_.document().metrics().operations();
  std::optional<std::uint32_t> slowest;
  for (std::uint32_t row = 0; row < operations.size(); ++row) {
    if (operations.kind(row) != OperationKind::read || operations.latency_ns(row) < 0) continue;
    if (!slowest || operations.latency_ns(row) > operations.latency_ns(*slowest)) slowest = row;
  }
  ASSERT_TRUE(slowest);
  QTest::keyClick(&window_, Qt::Key_R, Qt::ControlModifier);
  EXPECT_EQ(workspace_.session().selection().operation, slowest);
  ASSERT_TRUE(workspace_.session().range());
  EXPECT_TRUE(workspace_.session().range()->contains(operations.time_ns(*slowest)));
  EXPECT_TRUE(window_.statusBar()->currentMessage().startsWith(QLatin1String("Selected: read of stream ")));
  const auto why = [&] {
    return window_.statusBar()->currentMessage().startsWith(QLatin1String("read of stream "));
  };
  EXPECT_TRUE(QTest::qWaitFor(why, 5000));
  const QString said = window_.statusBar()->currentMessage();
  EXPECT_TRUE(said.contains(QLatin1String("in the peer that answers, at most"))) << said.toStdString();
  QTest::keyClick(&window_, Qt::Key_Left, Qt::AltModifier);
  EXPECT_FALSE(workspace_.session().selection().operation);
  EXPECT_TRUE(window_.statusBar()->currentMessage().isEmpty());  // it is of what is selected no more
}

// Before everything is counted what is shown is not all that there is.
TEST_F(Window, SaysSoWhileItCounts) {
  const auto says = [this] {
    const QList<QLabel*> labels = window_.statusBar()->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
      return label->text().contains(QLatin1String("counting what is shown"));
    });
  };
  EXPECT_FALSE(says());
  QString error;
  ASSERT_TRUE(workspace_.session().set_filter("op == read", error)) << error.toStdString();
  EXPECT_TRUE(says());
  EXPECT_TRUE(QTest::qWaitFor([&] { return workspace_.levels().settled(); }, 20'000));
  QCoreApplication::processEvents();
  EXPECT_FALSE(says());
}

// What is said never runs into the counts beside it.
TEST_F(Window, ALongSentenceIsElidedBeforeTheCounts) {
  window_.resize(700, 600);
  QTest::keyClick(&window_, Qt::Key_R, Qt::ControlModifier);
  const auto why = [&] {
    return window_.statusBar()->currentMessage().startsWith(QLatin1String("read of stream "));
  };
  EXPECT_TRUE(QTest::qWaitFor(why, 5000));
  const QString said = window_.statusBar()->currentMessage();
  int counts = 0;
  for (const QLabel* const label : window_.statusBar()->findChildren<QLabel*>()) {
    if (label->text().contains(QLatin1String("operation"))) counts = label->x();
  }
  ASSERT_GT(counts, 0);
  EXPECT_LT(window_.statusBar()->fontMetrics().horizontalAdvance(said), counts) << said.toStdString();
  EXPECT_TRUE(said.endsWith(QChar(0x2026))) << said.toStdString();
  // … also where they grow.
  QString error;
  ASSERT_TRUE(workspace_.session().set_filter("op == read and latency_ns > 10ms", error));
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_.statusBar()->currentMessage() != said; }, 5000));
  EXPECT_LT(window_.statusBar()->currentMessage().size(), said.size());
}

// Where no Read has a latency one of them says why.
TEST(Windows, GoToAReadWithoutALatencyWhereNoneHasOne) {
  Workspace workspace;
  MainWindow window(workspace, light_theme(), MainWindow::Memory::none);
  const std::string path = test::places::captures() + "/real/03e-term-read_oob.pcap";
  workspace.document().open(QString::fromStdString(path), file_source(path));
  window.show();
  ASSERT_TRUE(QTest::qWaitFor([&] { return workspace.levels().settled(); }, 20'000));
  QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
  EXPECT_EQ(workspace.session().selection().operation, 0U);
  EXPECT_EQ(window.statusBar()->currentMessage().toStdString(),
            "No latency of a read is known; the first of them: terminated");
}

// Each window has its own threads; one that is closed while it reads is no matter of the other's.
TEST(Windows, OfTenThousandStreamsMayBeTwoAndOneIsClosedWhileItReads) {
  constexpr std::uint32_t streams = 10'000;
  const ManyReads reads{2 * streams, streams, 0};
  Workspace one;
  MainWindow stays(one, light_theme(), MainWindow::Memory::none);
  stays.show();
  {
    Workspace other;
    MainWindow closed(other, dark_theme(), MainWindow::Memory::none);
    closed.show();
    one.document().open(QStringLiteral("many streams"), source_of(reads));
    other.document().open(QStringLiteral("many streams"), source_of(reads));
    ASSERT_TRUE(QTest::qWaitFor([&] { return other.document().metrics().operations().size() > 0; }, 60'000));
    QTest::keyClick(&closed, Qt::Key_R, Qt::ControlModifier);
    closed.close();
  }
  ASSERT_TRUE(QTest::qWaitFor([&] { return one.levels().settled(); }, 120'000));
  EXPECT_EQ(one.document().metrics().streams().size(), streams);
  for (const ViewKind& kind : view_kinds()) {
    stays.show_view(kind.name);
    ASSERT_TRUE(QTest::qWaitFor([&] { return stays.view(kind.name)->settled(); }, 120'000)) << kind.name;
  }
}

TEST(Wireshark, IsCalledWithFileAndFrameOrTheReasonIsTold) {
  Selection frame;
  frame.frame = 17;
  frame.stream = 3;
  const QString file = QString::fromStdString(nvme);
  const WiresharkCall call = wireshark_call(file, frame, QStringLiteral("/bin/wireshark"));
  EXPECT_TRUE(call.why_not.isEmpty());
  EXPECT_EQ(call.arguments, (QStringList{"-r", QFileInfo(file).absoluteFilePath(), "-g", "17"}));
  EXPECT_FALSE(wireshark_call(file, frame, {}).why_not.isEmpty());
  EXPECT_FALSE(wireshark_call("-", frame, "/bin/wireshark").why_not.isEmpty());
  EXPECT_FALSE(wireshark_call("/nonexistent.pcap", frame, "/bin/wireshark").why_not.isEmpty());
  const Metrics nothing;
  EXPECT_EQ(display_filter(nothing, frame), QLatin1String("frame.number == 17"));
  frame.frame.reset();
  EXPECT_EQ(display_filter(nothing, frame), QLatin1String("tcp.stream == 3"));
  EXPECT_EQ(display_filter(nothing, {}), QString());
}

}  // namespace
}  // namespace iwarp::gui
