// What the window says where there is no picture to show, or not all of one.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QFrame>
#include <QString>

#include "models/capture_document.hpp"
#include "views/theme.hpp"

class QLabel;
class QPushButton;

namespace iwarp::gui {

struct PageText {
  QString title;
  QString text;
};

// Where nothing is open.
[[nodiscard]] PageText empty_page();
// While it is read, and no iWARP stream was found yet.
[[nodiscard]] PageText reading_page(const CaptureDocument& document);
// Of a capture that cannot be read, and of an interface that cannot be captured from: what can be done.
[[nodiscard]] PageText unreadable_page(const CaptureDocument& document);
// Of one that ended and holds no iWARP: what is there instead.
[[nodiscard]] PageText no_iwarp_page(const QString& name, const LoadResult& result);
// What stands above the views, of a capture that was not read to its end; empty of others.
[[nodiscard]] QString notice_of(const LoadResult& result, bool live = false);

// A title, some sentences and the way to another capture.
class Page : public QWidget {
  Q_OBJECT
 public:
  explicit Page(QWidget* parent);
  void show_text(const PageText& text);
  [[nodiscard]] PageText shown() const;

 signals:
  void open_asked();

 private:
  QLabel* title_;
  QLabel* text_;
};

// One sentence across the window, with its severity's shape.
class Notice : public QFrame {
  Q_OBJECT
 public:
  Notice(const Theme& theme, QWidget* parent);
  // Hides itself for an empty one.
  void show_text(const QString& text);
  void set_theme(const Theme& theme);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme* theme_;
  QLabel* text_;
};

}  // namespace iwarp::gui
