// The way from what is selected to Wireshark.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include "models/selection.hpp"

namespace iwarp::gui {

struct WiresharkCall {
  QString program;
  QStringList arguments;  // -r FILE -g FRAME
  QString why_not;        // a sentence; empty: it can be started
};

// Without a frame in the selection Wireshark opens the file at its beginning. `capture`: the document's name;
// `program`: where Wireshark is, empty: nowhere.
[[nodiscard]] WiresharkCall wireshark_call(const QString& capture, const Selection& selection,
                                           const QString& program);

// The display filter that shows what is selected: an operation from its request to its response, else the
// frame, else the stream. Empty: nothing is selected that has one.
[[nodiscard]] QString display_filter(const Metrics& metrics, const Selection& selection);

}  // namespace iwarp::gui
