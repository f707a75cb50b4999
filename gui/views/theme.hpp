// Theme: the colours of windows and pictures, light and dark.
//
// Colours of kinds are those of Okabe and Ito, which people with any kind of colour vision tell apart;
// colour never stands alone: kinds have their letter or place, severities their shape (glyphs.hpp).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

#include <iwarp/event.hpp>
#include <iwarp/finding.hpp>

namespace iwarp::gui {

struct Theme {
  bool dark = false;
  QColor window;   // behind everything
  QColor surface;  // of tables and plots
  QColor raised;   // of headers, chips and buttons
  QColor border;
  QColor grid;  // lines behind curves
  QColor text;
  QColor muted;      // text of less weight
  QColor accent;     // what can be done, the linked cursor
  QColor selection;  // behind what is selected; text on it stays `text`
  QColor traffic;    // octets of any kind
  QColor hole;       // octets that were never captured
  QColor again;      // octets sent again

  [[nodiscard]] QColor of(OperationKind kind) const;
  [[nodiscard]] QColor of(Severity severity) const;
  [[nodiscard]] QColor of(Role role) const;  // of who sent something
  [[nodiscard]] QPalette palette() const;
  // Of tables, in pixels.
  static constexpr int row_height = 24;

  // Of the headers of tables, as a style sheet of Qt's: palettes do not reach them. `beside`: pixels between
  // a title and the borders of its column, as the cells below have them.
  [[nodiscard]] QString header_style(int beside) const;
};

[[nodiscard]] const Theme& light_theme();
[[nodiscard]] const Theme& dark_theme();
// The one that goes with a desktop's palette.
[[nodiscard]] const Theme& theme_for(const QPalette& desktop);

// The font of everything, and one with digits and letters of one width. DejaVu, where it is there.
[[nodiscard]] QFont text_font();
[[nodiscard]] QFont small_font();
[[nodiscard]] QFont fixed_font();

}  // namespace iwarp::gui
