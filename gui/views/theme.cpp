// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/theme.hpp"

namespace iwarp::gui {
namespace {

Theme make_light() {
  Theme theme;
  theme.window = QColor(0xf4, 0xf5, 0xf7);
  theme.surface = QColor(0xff, 0xff, 0xff);
  theme.raised = QColor(0xe9, 0xec, 0xf0);
  theme.border = QColor(0xd0, 0xd5, 0xdc);
  theme.grid = QColor(0xe4, 0xe7, 0xec);
  theme.text = QColor(0x1c, 0x23, 0x2d);
  theme.muted = QColor(0x5c, 0x67, 0x77);
  theme.accent = QColor(0x00, 0x5f, 0x9e);
  theme.selection = QColor(0xcf, 0xe4, 0xf6);
  theme.traffic = QColor(0x7d, 0x93, 0xad);
  theme.hole = QColor(0xd5, 0x5e, 0x00);
  theme.again = QColor(0xb0, 0x7a, 0x00);
  return theme;
}

Theme make_dark() {
  Theme theme;
  theme.dark = true;
  theme.window = QColor(0x1a, 0x1d, 0x22);
  theme.surface = QColor(0x21, 0x25, 0x2b);
  theme.raised = QColor(0x2d, 0x32, 0x3a);
  theme.border = QColor(0x3d, 0x44, 0x4f);
  theme.grid = QColor(0x2f, 0x35, 0x3e);
  theme.text = QColor(0xe6, 0xe9, 0xee);
  theme.muted = QColor(0x9d, 0xa8, 0xb7);
  theme.accent = QColor(0x6c, 0xb8, 0xf0);
  theme.selection = QColor(0x2c, 0x4a, 0x66);
  theme.traffic = QColor(0x7f, 0x97, 0xb5);
  theme.hole = QColor(0xf0, 0x86, 0x3a);
  theme.again = QColor(0xe0, 0xaa, 0x3c);
  return theme;
}

QFont font_of(const char* family, int pixels) {
  QFont font(QString::fromLatin1(family));
  font.setPixelSize(pixels);
  font.setHintingPreference(QFont::PreferNoHinting);
  return font;
}

}  // namespace

QColor Theme::of(OperationKind kind) const {
  switch (kind) {
    case OperationKind::read: return dark ? QColor(0x4d, 0xa6, 0xe0) : QColor(0x00, 0x72, 0xb2);
    case OperationKind::write: return dark ? QColor(0xf0, 0xb0, 0x30) : QColor(0xd0, 0x86, 0x00);
    case OperationKind::send: return dark ? QColor(0x2c, 0xc0, 0x94) : QColor(0x00, 0x8a, 0x64);
    case OperationKind::atomic: return dark ? QColor(0xdc, 0x92, 0xb9) : QColor(0xb4, 0x5c, 0x8c);
    case OperationKind::immediate: return dark ? QColor(0x86, 0xcd, 0xf2) : QColor(0x2f, 0x93, 0xc6);
  }
  return muted;
}

QColor Theme::of(Severity severity) const {
  switch (severity) {
    case Severity::error: return dark ? QColor(0xff, 0x7a, 0x3d) : QColor(0xc4, 0x4a, 0x00);
    case Severity::warning: return dark ? QColor(0xf0, 0xb0, 0x30) : QColor(0xb8, 0x7b, 0x00);
    case Severity::note: return dark ? QColor(0x6c, 0xb8, 0xf0) : QColor(0x00, 0x72, 0xb2);
    case Severity::information: return muted;
  }
  return muted;
}

QColor Theme::of(Role role) const {
  return of(role == Role::initiator ? OperationKind::read : OperationKind::write);
}

QString Theme::header_style(int beside) const {
  return QStringLiteral(
             "QHeaderView { background: %1; border: none; }"
             "QHeaderView::section { background: %1; color: %2; border: none; border-bottom: 1px solid %3;"
             " padding: 5px %4px; }")
      .arg(raised.name(), muted.name(), border.name())
      .arg(beside);
}

QPalette Theme::palette() const {
  QPalette palette;
  const auto set = [&](QPalette::ColorRole role, const QColor& color, const QColor& disabled) {
    palette.setColor(QPalette::All, role, color);
    palette.setColor(QPalette::Disabled, role, disabled);
  };
  // What cannot be pressed is still read.
  const QColor faded((muted.red() * 2 + window.red()) / 3, (muted.green() * 2 + window.green()) / 3,
                     (muted.blue() * 2 + window.blue()) / 3);
  set(QPalette::Window, window, window);
  set(QPalette::Base, surface, surface);
  set(QPalette::AlternateBase, window, window);
  set(QPalette::Button, raised, raised);
  set(QPalette::ToolTipBase, raised, raised);
  for (const auto role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
    set(role, text, faded);
  }
  set(QPalette::PlaceholderText, muted, faded);
  set(QPalette::BrightText, of(Severity::error), border);
  set(QPalette::Highlight, selection, raised);
  set(QPalette::HighlightedText, text, muted);
  set(QPalette::Link, accent, muted);
  set(QPalette::LinkVisited, accent, muted);
  set(QPalette::Light, surface, surface);
  set(QPalette::Midlight, raised, raised);
  set(QPalette::Mid, border, border);
  set(QPalette::Dark, border, border);
  set(QPalette::Shadow, border, border);
  return palette;
}

const Theme& light_theme() {
  static const Theme theme = make_light();
  return theme;
}

const Theme& dark_theme() {
  static const Theme theme = make_dark();
  return theme;
}

const Theme& theme_for(const QPalette& desktop) {
  const bool dark =
      desktop.color(QPalette::Window).lightness() < desktop.color(QPalette::WindowText).lightness();
  return dark ? dark_theme() : light_theme();
}

QFont text_font() {
  return font_of("DejaVu Sans", 12);
}

QFont small_font() {
  return font_of("DejaVu Sans", 11);
}

QFont fixed_font() {
  return font_of("DejaVu Sans Mono", 12);
}

}  // namespace iwarp::gui
