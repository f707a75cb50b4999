// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/keys_window.hpp"

#include <QGridLayout>
#include <QLabel>

namespace iwarp::gui {
namespace {

struct Key {
  const char* keys;
  const char* what;
};

constexpr Key keys[] = {
    {"Enter", "In Flows: go to the stream's slowest operation"},
    {"Double click", "In Ladder: the octets of the message"},
    {"G", "In Flows: streams below their pairs of hosts"},
    {"Alt+Left, Alt+Right", "Back and forward through zoom, filter and selection"},
    {"W, S", "Zoom in and out (the wheel does it where the mouse is)"},
    {"A, D", "Earlier, later (Shift and the wheel)"},
    {"Home, Ctrl+0", "See all of the capture"},
    {"Ctrl+R", "The slowest Read, and why it was slow"},
    {"Ctrl+Shift+W, Ctrl+Shift+C", "Open the selected frame in Wireshark; copy a display filter for it"},
    {"Ctrl+F", "Write a filter; Up and Down are those from before"},
    {"Ctrl+B, Ctrl+Shift+B", "Add a bookmark; edit bookmarks (Enter: go there, F2: note, Delete: remove)"},
    {"Ctrl+1 … Ctrl+9, Alt+1 …", "The views, in their order"},
    {"F8, Shift+F8", "The next finding, the one before"},
    {"Ctrl+L", "What the view shows, as a table (Enter in Operations: zoom to it)"},
    {"Tab, Shift+Tab", "From one part of the window to the next"},
    {"Ctrl+P", "Save the view as a picture"},
    {"Ctrl+T", "Light or dark"},
    {"Ctrl+O, Ctrl+W, Ctrl+Q", "Open, close the window, quit"},
    {"Ctrl+Shift+R", "Replay the stream on this machine, beside its recording"},
    {"Ctrl+D", "Compare with another capture"},
    {"Ctrl+M, Ctrl+Shift+M", "Mark the time that is seen; compare another one with it"},
    {"Ctrl+I", "Capture from a network interface"},
    {"?", "This table"},
};

}  // namespace

KeysWindow::KeysWindow(const Theme& theme, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Keys"));
  setAccessibleName(tr("Keys"));
  setPalette(theme.palette());
  auto* const grid = new QGridLayout(this);
  grid->setContentsMargins(24, 20, 24, 20);
  grid->setHorizontalSpacing(28);
  grid->setVerticalSpacing(8);
  int row = 0;
  for (const Key& key : keys) {
    auto* const name = new QLabel(tr(key.keys), this);
    QFont bold = name->font();
    bold.setBold(true);
    name->setFont(bold);
    grid->addWidget(name, row, 0);
    grid->addWidget(new QLabel(tr(key.what), this), row, 1);
    ++row;
  }
}

}  // namespace iwarp::gui
