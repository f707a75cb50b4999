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

constexpr Key everywhere[] = {
    {"Ctrl+R", "The slowest Read, and why it was slow"},
    {"Alt+Left, Alt+Right", "Back and forward through zoom, filter and selection"},
    {"W, S", "Zoom in and out (the wheel does it where the mouse is)"},
    {"A, D", "Earlier, later (Shift and the wheel)"},
    {"Home, Ctrl+0", "See all of the capture"},
    {"Ctrl+F", "Write a filter; Up and Down are those from before"},
    {"Ctrl+Shift+F", "Take the filter off: everything counts again"},
    {"F8, Shift+F8", "The next finding from where you are, the one before"},
    {"Ctrl+1 … Ctrl+9", "The views, in the order of their tabs"},
    {"Alt+1 … Alt+5", "Messages, Operation, State, Message, Findings"},
    {"Ctrl+L", "The table of what the view is made of"},
    {"Tab, Shift+Tab", "From one part of the window to the next"},
    {"Ctrl+B, Ctrl+Shift+B", "Add a bookmark; edit bookmarks (F2: note, Delete: remove)"},
    {"Ctrl+Shift+W, Ctrl+Shift+C", "Open the frame in Wireshark; copy a display filter for it"},
    {"Ctrl+Shift+R", "Replay the stream on this machine, beside its recording"},
    {"Ctrl+D", "Compare with another capture"},
    {"Ctrl+M, Ctrl+Shift+M", "Mark the time that is seen; compare another one with it"},
    {"Ctrl+I", "Capture from a network interface"},
    {"Ctrl+P", "Save the view as a picture"},
    {"Ctrl+T", "Light or dark"},
    {"Ctrl+O, Ctrl+W, Ctrl+Q", "Open, close the window, quit"},
    {"?", "This table"},
};

constexpr Key of_views[] = {
    {"Flows: Enter", "The stream's slowest operation"},
    {"Flows: G", "Streams below their pairs of hosts"},
    {"Ladder: Up, Down", "The message before, the next one"},
    {"Ladder: O, F", "By order or by time; equal ones folded or not"},
    {"Ladder: double click", "The octets of the message"},
    {"Latency: Left, Right", "The operation before, the next one"},
    {"Latency: M", "The slowest one that is seen"},
    {"Outstanding: M", "The moment with the most outstanding that is seen"},
    {"TCP: 1, 2, 0", "From the initiator, from the responder, both"},
    {"STags: Up, Down", "Other STags, where not all fit"},
    {"Operations: Enter", "Zoom to the operation"},
    {"Operation: Up, Down", "The next slower, the next faster one"},
    {"Operation: Left, Right", "Its pieces"},
    {"State: Left, Right", "The frame before, the next one (Page Up and Down: 100)"},
    {"State: Home, End", "The first, the last one"},
    {"Message: Up, Down", "Its octets"},
    {"Message: Ctrl+S", "Save its payload"},
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
  const auto add = [&](const Key& key, int row, int column) {
    auto* const name = new QLabel(tr(key.keys), this);
    QFont bold = name->font();
    bold.setBold(true);
    name->setFont(bold);
    grid->addWidget(name, row, column);
    grid->addWidget(new QLabel(tr(key.what), this), row, column + 1);
  };
  int row = 0;
  for (const Key& key : everywhere) add(key, row++, 0);
  row = 0;
  for (const Key& key : of_views) add(key, row++, 2);
}

}  // namespace iwarp::gui
