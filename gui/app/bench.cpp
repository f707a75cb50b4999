// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/bench.hpp"

#include <QAbstractItemView>
#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "app/begin.hpp"
#include "app/settle.hpp"
#include "program/exit_status.hpp"
#include "program/memory.hpp"
#include "program/printable.hpp"
#include "program/standard_output.hpp"
#include "views/registry.hpp"

namespace iwarp::gui {
namespace {

constexpr int steps = 200;          // of each of the three movements
constexpr double closest = 1e-6;    // of the capture, that the last step of zooming shows
constexpr double pan_width = 0.01;  // of the capture, that is seen while panning
constexpr double scrub_width = 0.1;

double milliseconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Processor time of the thread of windows, and time on the wall.
class Stopwatch {
 public:
  [[nodiscard]] double processor() const { return milliseconds_of(CLOCK_THREAD_CPUTIME_ID) - processor_; }
  [[nodiscard]] double wall() const { return milliseconds_of(CLOCK_MONOTONIC) - wall_; }

 private:
  double processor_ = milliseconds_of(CLOCK_THREAD_CPUTIME_ID);
  double wall_ = milliseconds_of(CLOCK_MONOTONIC);
};

double rounded(double value) {
  return std::round(value * 1000) / 1000;
}

QJsonObject distribution(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&values](double part) {
    const auto place = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
    return rounded(values[std::min(std::max<std::size_t>(place, 1), values.size()) - 1]);
  };
  return {{"p50", at(0.5)}, {"p99", at(0.99)}, {"max", at(1)}};
}

// What the pictures of one movement cost.
struct Costs {
  std::vector<double> processor, wall, primitives, visited;

  void add(const Costs& more) {
    processor.insert(processor.end(), more.processor.begin(), more.processor.end());
    wall.insert(wall.end(), more.wall.begin(), more.wall.end());
    primitives.insert(primitives.end(), more.primitives.begin(), more.primitives.end());
    visited.insert(visited.end(), more.visited.begin(), more.visited.end());
  }
  [[nodiscard]] QJsonObject json() const {
    return {{"pictures", static_cast<qint64>(processor.size())},
            {"processor_ms", distribution(processor)},
            {"wall_ms", distribution(wall)},
            {"primitives", distribution(primitives)},
            {"visited", distribution(visited)}};
  }
};

// A view, and the three movements.
class Player {
 public:
  Player(Workspace& workspace, View& view, const Options& options)
      : workspace_(workspace),
        view_(view),
        size_(options.size),
        image_((QSizeF(options.size) * options.scale).toSize(), QImage::Format_ARGB32_Premultiplied) {
    image_.setDevicePixelRatio(options.scale);
  }

  // From the whole capture to a millionth of it, at three quarters.
  [[nodiscard]] Costs zoom() {
    return play([this](double done) {
      const TimeSpan all = workspace_.document().span();
      const TimeNs anchor = all.from + static_cast<TimeNs>(static_cast<double>(all.length()) * 0.75);
      workspace_.session().set_range(zoomed(all, anchor, std::pow(closest, done), all), gesture);
    });
  }

  // From the beginning to the end; a table is scrolled.
  [[nodiscard]] Costs pan() {
    return play([this](double done) {
      see(done, pan_width);
      for (QAbstractItemView* const table : view_.findChildren<QAbstractItemView*>()) {
        QScrollBar* const bar = table->verticalScrollBar();
        bar->setValue(static_cast<int>(std::lround(done * bar->maximum())));
      }
    });
  }

  // The linked cursor and the selection go from the first operation to the last one.
  [[nodiscard]] Costs scrub() {
    return play([this](double done) {
      see(done, scrub_width);
      const TimeSpan all = workspace_.document().span();
      workspace_.session().set_hover(all.from +
                                     static_cast<TimeNs>(done * static_cast<double>(all.length() - 1)));
      const Metrics& metrics = workspace_.document().metrics();
      if (const std::size_t rows = metrics.operations().size(); rows > 0) {
        const auto row = static_cast<std::size_t>(done * static_cast<double>(rows - 1));
        workspace_.session().select(select_operation(metrics, row), gesture);
      }
    });
  }

  // One picture as it is; what it cost is added to `costs`.
  void paint(Costs& costs, const Stopwatch& watch) {
    Work work;
    view_.setUpdatesEnabled(true);
    {
      QPainter painter(&image_);
      work = view_.paint(painter, size_);
    }
    view_.setUpdatesEnabled(false);  // what changes is painted here, and not a second time into the window
    costs.processor.push_back(watch.processor());
    costs.wall.push_back(watch.wall());
    costs.primitives.push_back(static_cast<double>(work.primitives));
    costs.visited.push_back(static_cast<double>(work.visited));
  }

 private:
  static constexpr Session::Step gesture = Session::Step::gesture;

  void see(double done, double width) {
    const TimeSpan all = workspace_.document().span();
    const auto length = std::max<std::int64_t>(TimeScale::least_length,
                                               std::llround(static_cast<double>(all.length()) * width));
    const auto from = std::llround(done * static_cast<double>(all.length()));
    workspace_.session().set_range(panned({all.from, all.from + length}, from, all), gesture);
  }

  // What follows from a step (signals, answers, layout) counts as well as the picture.
  [[nodiscard]] Costs play(const std::function<void(double done)>& step) {
    Costs costs;
    for (int number = 0; number < steps; ++number) {
      const Stopwatch watch;
      step(static_cast<double>(number) / (steps - 1));
      QCoreApplication::sendPostedEvents();
      QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
      paint(costs, watch);
    }
    return costs;
  }

  Workspace& workspace_;
  View& view_;
  const QSize size_;
  QImage image_;
};

// How long a table takes to be sorted by each of its columns: the slowest one, from the wish to the rows, and
// the processor time of the thread of windows, where the rest is not.
QJsonObject sort_table(Workspace& workspace, TableModel& model) {
  double slowest = 0;
  double processor = 0;
  int column_of_it = 0;
  for (int column = 0; column < model.columnCount(); ++column) {
    const Stopwatch watch;
    model.sort(column, Qt::DescendingOrder);
    processor = std::max(processor, watch.processor());
    wait_until_settled(workspace, [&model] { return model.settled(); });
    if (watch.wall() <= slowest) continue;
    slowest = watch.wall();
    column_of_it = column;
  }
  model.sort(-1, Qt::AscendingOrder);
  return {{"rows", model.rowCount()},
          {"slowest_sort_ms", rounded(slowest)},
          {"slowest_column",
           QString::fromUtf8(model.table_columns()[static_cast<std::size_t>(column_of_it)].title)},
          {"sort_processor_ms", rounded(processor)}};
}

// From the words to levels and tables that count what they let through: wall time, and the longest while of
// it in which the thread of windows could do nothing else.
QJsonObject filter_all(Workspace& workspace) {
  QString error;
  const std::string before = workspace.session().filter();
  const Stopwatch watch;
  workspace.session().set_filter("op == read", error);
  wait_until_settled(workspace, [] { return true; });
  QJsonObject costs{{"filter", "op == read"},
                    {"wall_ms", rounded(watch.wall())},
                    {"processor_ms", rounded(watch.processor())}};
  workspace.session().set_filter(before, error);
  wait_until_settled(workspace, [] { return true; });
  return costs;
}

QJsonObject bench_view(Workspace& workspace, const ViewKind& kind, const Theme& theme,
                       const Options& options) {
  const Place place = workspace.session().place();
  const std::unique_ptr<View> view(kind.make(workspace, theme, nullptr));
  view->setPalette(theme.palette());
  view->resize(options.size);
  view->show();
  wait_until_settled(workspace, [&view] { return view->settled(); });
  Player player(workspace, *view, options);
  Costs first;
  player.paint(first, Stopwatch());
  Costs all;
  QJsonObject movements;
  const auto keep = [&](const char* name, const Costs& costs) {
    movements[QLatin1String(name)] = costs.json();
    all.add(costs);
  };
  keep("zoom", player.zoom());
  keep("pan", player.pan());
  keep("scrub", player.scrub());
  QJsonObject result = all.json();
  result["view"] = kind.name;
  result["first_picture_ms"] = rounded(first.processor.front());
  result["movements"] = movements;
  if (view->table() != nullptr) result["table"] = sort_table(workspace, *view->table());
  workspace.session().set_hover(std::nullopt);
  workspace.session().go(place);
  return result;
}

int complain(const std::string& sentence) {
  std::fprintf(stderr, "iwarp-view: %s\n", program::printable(sentence).c_str());
  return program::exit_failed;
}

}  // namespace

int run_bench(const Options& options) {
  const Theme& theme = options.theme == ThemeChoice::dark ? dark_theme() : light_theme();
  const std::size_t memory_before = program::memory_in_use();
  Workspace workspace;
  const Stopwatch reading;
  const double processor_before = milliseconds_of(CLOCK_PROCESS_CPUTIME_ID);
  begin(workspace, options.captures.front(), options);
  wait_until_settled(workspace, [] { return true; });
  const double processor = milliseconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor_before;
  const LoadResult& result = workspace.document().result();
  if (result.end == LoadEnd::unreadable) return complain(result.sentence);
  const Metrics& metrics = workspace.document().metrics();
  const std::size_t operations = metrics.operations().size();
  const std::size_t read_memory =
      program::memory_in_use() - std::min(program::memory_in_use(), memory_before);
  QJsonObject load{{"frames", static_cast<qint64>(result.summary.frames)},
                   {"streams", static_cast<qint64>(metrics.streams().size())},
                   {"operations", static_cast<qint64>(operations)},
                   {"wall_ms", rounded(reading.wall())},
                   {"processor_ms", rounded(processor)},
                   {"memory_octets", static_cast<qint64>(read_memory)}};
  if (operations > 0) {
    load["memory_octets_per_operation"] =
        rounded(static_cast<double>(read_memory) / static_cast<double>(operations));
  }

  QJsonArray views;
  for (const ViewKind& kind : view_kinds()) {
    if (!options.view.empty() && options.view != kind.name) continue;
    views.append(bench_view(workspace, kind, theme, options));
  }
  const QJsonObject report{
      {"type", "bench"},
      {"version", IWARP_VERSION},
      {"qt", qVersion()},
      {"capture", workspace.document().name()},
      {"size", QStringLiteral("%1x%2").arg(options.size.width()).arg(options.size.height())},
      {"scale", options.scale},
      {"load", load},
      {"filtering", filter_all(workspace)},
      {"views", views},
      {"memory_octets", static_cast<qint64>(program::memory_in_use())}};
  const std::string failure = program::print(QJsonDocument(report).toJson().toStdString());
  if (!failure.empty()) return complain(failure);
  if (!result.sentence.empty()) complain(result.sentence);
  return result.end == LoadEnd::complete ? program::exit_done : program::exit_failed;
}

}  // namespace iwarp::gui
