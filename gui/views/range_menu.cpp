// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/range_menu.hpp"

#include <QMenu>

#include <algorithm>
#include <cstdint>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

QString length_text(TimeSpan span) {
  return QString::fromStdString(
      duration_text(static_cast<TimeNs>(std::min<std::uint64_t>(span.length(), INT64_MAX))));
}

}  // namespace

std::string filter_of_span(TimeSpan span) {
  return "time_ns >= " + std::to_string(span.from) + " and time_ns < " + std::to_string(span.upto);
}

void offer_range(QWidget& view, Session& session, TimeSpan brushed, QPoint where,
                 const std::function<void()>& closed) {
  auto* const menu = new QMenu(&view);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const QString length = length_text(brushed);
  menu->addAction(QObject::tr("Zoom: see these %1").arg(length), &session,
                  [&session, brushed] { session.set_range(brushed); });
  menu->addAction(QObject::tr("Filter: let only these %1 count").arg(length), &session, [&session, brushed] {
    const std::string before = session.filter();
    const std::string part = filter_of_span(brushed);
    QString error;
    session.set_filter(before.empty() ? part : "(" + before + ") and " + part, error);
  });
  menu->addSeparator();
  if (const auto marked = session.marked()) {
    menu->addAction(QObject::tr("Compare: the marked %1 with these %2").arg(length_text(*marked), length),
                    &session, [&session, brushed] { session.compare_with_marked(brushed); });
  }
  menu->addAction(QObject::tr("Mark these %1, to compare others with them").arg(length), &session,
                  [&session, brushed] { session.mark(brushed); });
  QObject::connect(menu, &QMenu::aboutToHide, &view, closed);
  menu->popup(where);
}

}  // namespace iwarp::gui
