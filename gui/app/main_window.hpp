// MainWindow: one capture: the filter and the minimap on top, the views below, inspectors around them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QMainWindow>
#include <QTimer>

#include <map>
#include <memory>
#include <string>

#include "app/bookmarks_panel.hpp"
#include "app/compare_window.hpp"
#include "app/filter_bar.hpp"
#include "app/minimap.hpp"
#include "app/pages.hpp"
#include "app/replay_panel.hpp"
#include "app/wireshark.hpp"
#include "models/workspace.hpp"
#include "views/registry.hpp"

class QAction;
class QLabel;
class QProgressBar;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace iwarp::gui {

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  enum class Memory {
    none,      // every window is the same: for pictures and tests
    settings,  // where docks were, recent files, sessions
  };

  // REQUIRES: workspace outlives the window.
  MainWindow(Workspace& workspace, const Theme& theme, Memory memory, QWidget* parent = nullptr);
  ~MainWindow() override;

  // A window with a workspace of its own, shown; both go when it is closed.
  static MainWindow& open_window(const Theme& theme);
  // The one chosen in a window before, else the one that goes with the desktop.
  [[nodiscard]] static const Theme& remembered_theme();

  [[nodiscard]] Workspace& workspace() const noexcept { return workspace_; }
  // Brings it to the front; an empty or unknown name: nothing.
  void show_view(const std::string& name);
  [[nodiscard]] View* view(const std::string& name) const;
  void set_theme(const Theme& theme);
  // In this window where nothing is open in it, else in another one.
  void open_capture(const QString& path);
  // Likewise, the packets of an interface from now on. `filter`: pcap-filter(7); empty: all.
  void open_interface(const QString& name, const QString& filter);
  // Opens a window that compares the capture with that one.
  CompareWindow& compare_with(const QString& path);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  void make_bars();
  void make_views();
  void make_replay();
  void make_bookmarks();
  void make_menus();
  void choose_theme(const char* name);
  // The shape of the window, and from now on the session is saved while one works.
  void restore_window();
  // What was saved of the capture when it was open before.
  void recall_session();
  void save_own_session();
  void save_session(const QString& path);
  void load_session(const QString& path);
  void show_state();
  void show_end();
  void ask_for_capture();
  void ask_for_interface();
  void show_recent();
  void ask_for_comparison();
  void compare_ranges(TimeSpan a, TimeSpan b);
  CompareWindow& show_comparison(CompareWindow* window);
  void show_replay();
  // `shown_ms`: how long; 0: until something else is said or selected.
  void say(const QString& sentence, int shown_ms = 0);
  void show_keys();
  // Selects it, sees it and says why it took so long.
  void go_to_slowest(OperationKind kind);
  void go_to_first(OperationKind kind);
  // The one `by` rows further in the table of findings; around its ends. Where none is selected, the first of
  // those that are seen, else of all.
  void go_to_finding(int by);
  [[nodiscard]] int first_finding(const TableModel& table, int by) const;
  void say_selection();
  [[nodiscard]] WiresharkCall call_of_wireshark() const;
  void open_in_wireshark();
  [[nodiscard]] QString filter_of_selection() const;
  void copy_display_filter();
  [[nodiscard]] QString name_of_file(const View& view, const QString& ending) const;
  [[nodiscard]] QString name_of_file(const QString& what) const;
  void save_picture();
  void show_table();
  void save_table(bool csv);
  [[nodiscard]] View* current_view() const;
  [[nodiscard]] QString session_path() const;

  Workspace& workspace_;
  const Theme* theme_;
  const Memory memory_;
  FilterBar* filter_;
  Minimap* minimap_;
  Notice* notice_;
  Page* page_;
  QStackedWidget* middle_;
  QTabWidget* tabs_;
  std::map<std::string, View*> views_;
  ReplayPanel* replay_ = nullptr;
  BookmarksPanel* bookmarks_panel_ = nullptr;
  QTimer autosave_{this};
  QAction* back_ = nullptr;
  QAction* forward_ = nullptr;
  QMenu* recent_ = nullptr;
  QMenu* bookmarks_ = nullptr;
  QLabel* state_ = nullptr;
  QLabel* counts_ = nullptr;
  QString said_;  // all of what the status bar shows some of; empty: nothing
  QProgressBar* progress_ = nullptr;
  QToolButton* cancel_ = nullptr;
};

}  // namespace iwarp::gui
