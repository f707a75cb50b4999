// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/throughput_view.hpp"

#include <algorithm>
#include <cmath>

#include "models/message_model.hpp"
#include "scale/text.hpp"
#include "views/raster.hpp"
#include "views/wait_bands.hpp"

namespace iwarp::gui {
namespace {

constexpr std::array<const char*, 4> titles{"octets from the initiator", "octets from the responder",
                                            "messages from the initiator", "messages from the responder"};
constexpr std::array<const char*, traffic_kinds> traffic_letters{"W", "S", "R", "Q", "o"};
constexpr double ns_per_second = 1e9;

}  // namespace

ThroughputView::ThroughputView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : PlotView(workspace, theme, tr("Throughput and message rate"), new MessageModel(workspace), parent) {}

void ThroughputView::showEvent(QShowEvent* event) {
  builder().want_traffic();
  PlotView::showEvent(event);
}

QColor ThroughputView::color_of(TrafficKind kind) const {
  switch (kind) {
    case TrafficKind::write: return theme().of(OperationKind::write);
    case TrafficKind::send: return theme().of(OperationKind::send);
    case TrafficKind::read_response: return theme().of(OperationKind::read);
    case TrafficKind::read_request: return theme().of(OperationKind::immediate);
    case TrafficKind::other: return theme().of(OperationKind::atomic);
  }
  return theme().muted;
}

QRect ThroughputView::lane(const QRect& plot, int number) {
  constexpr int title = 20;
  const int height = plot.height() / lanes;
  return {plot.left(), plot.top() + number * height + title, plot.width(), std::max(4, height - title)};
}

Work ThroughputView::paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  if (!data().with_traffic) return {};  // it comes
  if (data().traffic->messages() == 0) {
    return paint_empty(painter, plot,
                       tr("Octets and messages a second would be here. No message counts: none was "
                          "captured, or the filter leaves none."));
  }
  Work work;
  const int steps = (scale.columns() + step - 1) / step;
  std::vector<std::array<std::array<double, traffic_kinds>, lanes>> rates(static_cast<std::size_t>(steps));
  most_.fill(0);
  for (int at = 0; at < steps; ++at) {
    auto& here = rates[static_cast<std::size_t>(at)];
    const TimeSpan span{scale.column(at * step).from,
                        scale.column(std::min(at * step + step, scale.columns()) - 1).upto};
    const double seconds = static_cast<double>(std::max<std::uint64_t>(1, span.length())) / ns_per_second;
    for (std::size_t role = 0; role < 2; ++role) {
      double octets = 0;
      double messages = 0;
      for (std::size_t kind = 0; kind < traffic_kinds; ++kind) {
        const Traffic::Sum sum =
            data().traffic->over(static_cast<Role>(role), static_cast<TrafficKind>(kind), span, work);
        octets += here[role][kind] = static_cast<double>(sum.octets) / seconds;
        messages += here[role + 2][kind] = static_cast<double>(sum.messages) / seconds;
      }
      most_[role] = std::max(most_[role], octets);
      most_[role + 2] = std::max(most_[role + 2], messages);
    }
  }
  // One scale for both directions, so that they can be compared.
  most_[0] = most_[1] = std::max({most_[0], most_[1], 1.0}) * 1.05;
  most_[2] = most_[3] = std::max({most_[2], most_[3], 1.0}) * 1.05;
  std::array<QRgb, traffic_kinds> colors;
  for (std::size_t kind = 0; kind < traffic_kinds; ++kind) {
    colors[kind] = color_of(static_cast<TrafficKind>(kind)).rgb();
  }
  for (int number = 0; number < lanes; ++number) {
    const QRect where = lane(plot, number);
    if (number % 2 == 0) {  // behind both directions
      const QRect both(where.topLeft(), lane(plot, number + 1).bottomRight());
      work += paint_wait_bands(painter, theme(), *data().together, stood_still, scale, both);
    }
    Raster raster(where.size());
    for (int column = 0; column < scale.columns(); ++column) {
      const auto& here = rates[static_cast<std::size_t>(column / step)][static_cast<std::size_t>(number)];
      double sum = 0;
      for (std::size_t kind = 0; kind < traffic_kinds; ++kind) {
        const auto y = [&] {
          return static_cast<int>(
              std::ceil(sum / most_[static_cast<std::size_t>(number)] * (where.height() - 1)));
        };
        const int from = y();
        sum += here[kind];
        raster.fill(column, where.height() - y(), where.height() - from, colors[kind]);
      }
    }
    raster.paint(painter, where.topLeft());
    ++work.primitives;
  }
  return work;
}

Legend ThroughputView::legend() const {
  Legend legend;
  for (std::size_t kind = 0; kind < traffic_kinds; ++kind) {
    legend.push_back(box_entry(theme(), color_of(static_cast<TrafficKind>(kind)),
                               tr(traffic_name(static_cast<TrafficKind>(kind))),
                               QString::fromLatin1(traffic_letters[kind])));
  }
  add_wait_bands(legend, theme(), *data().together, stood_still);
  return legend;
}

Work ThroughputView::paint_frame(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  Work work;
  if (data().traffic->messages() == 0) return work;
  for (int number = 0; number < lanes; ++number) {
    const QRect where = lane(plot, number);
    const bool octets = number < 2;
    work += paint_values(painter, where, most_[static_cast<std::size_t>(number)], [octets](double value) {
      return octets ? QString::fromStdString(rate_text(value))
                    : QStringLiteral("%1 /s").arg(
                          QString::fromStdString(count_text(static_cast<std::uint64_t>(value))));
    });
    // The line that the bars stand on: the title of the next lane follows closely.
    painter.setPen(theme().border);
    painter.drawLine(QPointF(where.left(), where.bottom() + 1.5),
                     QPointF(where.right(), where.bottom() + 1.5));
    painter.setPen(theme().text);
    painter.drawText(QPointF(where.left() + 6, where.top() - 5),
                     tr(titles[static_cast<std::size_t>(number)]));
    work.primitives += 2;
  }
  const TimeSpan range = measured(scale);
  const double seconds = static_cast<double>(std::max<std::uint64_t>(1, range.length())) / ns_per_second;
  QStringList lines{range_words(scale), tr("\tA message counts where its last"),
                    tr("\toctet came; bars are mean rates.")};
  for (const Role role : {Role::initiator, Role::responder}) {
    lines << QString() << (role == Role::initiator ? tr("From the initiator") : tr("From the responder"));
    for (std::size_t kind = 0; kind < traffic_kinds; ++kind) {
      const Traffic::Sum sum = data().traffic->over(role, static_cast<TrafficKind>(kind), range, work);
      if (sum.messages == 0) continue;
      lines << tr("%1: %2").arg(tr(traffic_name(static_cast<TrafficKind>(kind))),
                                QString::fromStdString(count_text(sum.messages)))
            << tr("\t%1, %2")
                   .arg(QString::fromStdString(octets_text(sum.octets)),
                        QString::fromStdString(rate_text(static_cast<double>(sum.octets) / seconds)));
    }
  }
  return work += paint_panel(painter, plot, lines);
}

}  // namespace iwarp::gui
