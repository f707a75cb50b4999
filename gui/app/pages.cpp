// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/pages.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

#include "scale/text.hpp"
#include "views/glyphs.hpp"

namespace iwarp::gui {
namespace {

constexpr std::size_t most_reasons = 5;
constexpr int widest_text = 620;

QString counted(std::uint64_t count, const QString& one, const QString& many) {
  return QString::fromStdString(count_text(count)) + QLatin1Char(' ') + (count == 1 ? one : many);
}

}  // namespace

PageText empty_page() {
  return {QObject::tr("No capture is open"),
          QObject::tr("Open a pcap or pcapng file, also in gzip or zstd, or drop one here.")};
}

PageText unreadable_page(const QString&, const LoadResult& result) {
  return {QObject::tr("The capture cannot be read"), QString::fromStdString(result.sentence)};
}

PageText no_iwarp_page(const QString& name, const LoadResult& result) {
  const Summary& summary = result.summary;
  QStringList lines;
  lines << QObject::tr("%1 holds %2, with %3.")
               .arg(name, counted(summary.frames, QObject::tr("frame"), QObject::tr("frames")),
                    counted(summary.other_streams, QObject::tr("TCP connection"),
                            QObject::tr("TCP connections")));
  if (summary.other_streams > 0) {
    lines << QObject::tr(
        "On none of these an MPA start-up frame or FPDUs were found. iWARP begins with one, in the "
        "first octets of a connection: a capture that begins later is searched for framing, and needs "
        "whole frames for that.");
  }
  std::vector<std::pair<std::uint64_t, std::string>> reasons;
  for (const auto& [reason, count] : summary.skipped) reasons.emplace_back(count, reason);
  std::sort(reasons.rbegin(), reasons.rend());
  if (reasons.size() > most_reasons) reasons.resize(most_reasons);
  QStringList others;
  for (const auto& [count, reason] : reasons) {
    others << QStringLiteral("%1: %2").arg(QString::fromStdString(reason),
                                           QString::fromStdString(count_text(count)));
  }
  if (!others.isEmpty())
    lines << QObject::tr("Frames that are no TCP segments: %1.").arg(others.join(QStringLiteral(", ")));
  return {QObject::tr("There is no iWARP in this capture"), lines.join(QStringLiteral("\n\n"))};
}

QString notice_of(const LoadResult& result) {
  switch (result.end) {
    case LoadEnd::damaged: {
      QString text = QString::fromStdString(result.sentence);
      if (result.offset) text += QObject::tr(" (at octet %1).").arg(*result.offset);
      return text + QObject::tr(" What is shown covers the %1 before.")
                        .arg(counted(result.summary.frames, QObject::tr("frame"), QObject::tr("frames")));
    }
    case LoadEnd::memory_cap:
      return QString::fromStdString(result.sentence) +
             QObject::tr(". Leave streams or times out with a capture filter, or raise --max-memory.");
    case LoadEnd::cancelled:
      return QObject::tr("Reading was cancelled: what is shown covers the first %1.")
          .arg(counted(result.summary.frames, QObject::tr("frame"), QObject::tr("frames")));
    default: return {};
  }
}

Page::Page(QWidget* parent) : QWidget(parent), title_(new QLabel(this)), text_(new QLabel(this)) {
  QFont large = text_font();
  large.setPixelSize(20);
  title_->setFont(large);
  title_->setWordWrap(true);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* const open = new QPushButton(tr("Open a capture…"), this);
  connect(open, &QPushButton::clicked, this, &Page::open_asked);
  auto* const column = new QWidget(this);
  column->setMaximumWidth(widest_text);
  auto* const inside = new QVBoxLayout(column);
  inside->setSpacing(14);
  inside->addWidget(title_);
  inside->addWidget(text_);
  inside->addWidget(open, 0, Qt::AlignLeft);
  auto* const across = new QHBoxLayout();
  across->addStretch(1);
  across->addWidget(column, 4);
  across->addStretch(1);
  auto* const all = new QVBoxLayout(this);
  all->addStretch(2);
  all->addLayout(across);
  all->addStretch(3);
}

void Page::show_text(const PageText& text) {
  title_->setText(text.title);
  text_->setText(text.text);
}

PageText Page::shown() const {
  return {title_->text(), text_->text()};
}

Notice::Notice(const Theme& theme, QWidget* parent)
    : QFrame(parent), theme_(&theme), text_(new QLabel(this)) {
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(32, 6, 12, 6);
  layout->addWidget(text_);
  hide();
}

void Notice::show_text(const QString& text) {
  text_->setText(text);
  setVisible(!text.isEmpty());
}

void Notice::set_theme(const Theme& theme) {
  theme_ = &theme;
  update();
}

void Notice::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme_->raised);
  painter.fillRect(QRect(0, 0, 4, height()), theme_->of(Severity::warning));
  draw_glyph(painter, *theme_, Severity::warning, QPointF(18, height() / 2.0), 12);
}

}  // namespace iwarp::gui
