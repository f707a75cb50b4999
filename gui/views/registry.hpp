// The views there are, by the names that the command line and sessions know them by.
//
// A new one is a pair of files here and a line in registry.cpp.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <string_view>

#include "views/view.hpp"

namespace iwarp::gui {

enum class ViewPlace {
  main,      // a tab of the middle of the window
  inspector  // a dock beside it, about what is selected
};

struct ViewKind {
  const char* name;   // "flows", for --view
  const char* title;  // "Flows"
  const char* words;  // what it shows, a sentence
  ViewPlace place;
  View* (*make)(Workspace& workspace, const Theme& theme, QWidget* parent);
};

// In the order in which windows show them.
[[nodiscard]] std::span<const ViewKind> view_kinds();
// nullptr where no view has that name.
[[nodiscard]] const ViewKind* find_view(std::string_view name);

}  // namespace iwarp::gui
