// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/pages.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

#include "models/live_source.hpp"
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

PageText reading_page(const CaptureDocument& document) {
  const LoadProgress progress = document.progress();
  const QString frames = counted(progress.frames, QObject::tr("frame"), QObject::tr("frames"));
  if (!document.live()) {
    return {QObject::tr("Reading %1").arg(document.name()),
            QObject::tr("Its iWARP streams appear here as they are found. So far: %1.").arg(frames)};
  }
  return {QObject::tr("Capturing from %1").arg(document.name()),
          QObject::tr("iWARP connections appear here as soon as they exchange messages. So far: %1.\n\n"
                      "A connection that was there before is found, too, once whole frames of it pass.")
              .arg(frames)};
}

PageText unreadable_page(const CaptureDocument& document) {
  const std::string& sentence = document.result().sentence;
  const QString words = QString::fromStdString(sentence);
  if (!document.live()) return {QObject::tr("The capture cannot be read"), words};
  const std::vector<std::string> commands = commands_for_right(document.name().toStdString(), sentence);
  if (commands.empty()) return {QObject::tr("The interface cannot be captured from"), words};
  QString text = QObject::tr(
                     "Capturing from %1 needs a right that you do not have. This command gives it to "
                     "this program, once and for all:\n\n%2\n\nThen capture again.")
                     .arg(document.name(), QString::fromStdString(commands.front()));
  for (std::size_t at = 1; at < commands.size(); ++at) {
    text += QObject::tr("\n\nOr let dumpcap capture, if you may run it:\n\n%1")
                .arg(QString::fromStdString(commands[at]));
  }
  return {QObject::tr("You have no right to capture"), text};
}

PageText no_iwarp_page(const QString& name, const LoadResult& result) {
  const Summary& summary = result.summary;
  QStringList lines;
  lines << QObject::tr("%1 holds %2, with %3.")
               .arg(name, counted(summary.frames, QObject::tr("frame"), QObject::tr("frames")),
                    counted(summary.other_streams, QObject::tr("TCP connection"),
                            QObject::tr("TCP connections")));
  if (summary.other_streams > 0) {
    lines << QObject::tr("Ports: %1.").arg(QString::fromStdString(busiest_other_ports(summary)));
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
  if (!others.isEmpty()) lines << QObject::tr("Not read: %1.").arg(others.join(QStringLiteral(", ")));
  return {QObject::tr("There is no iWARP in this capture"), lines.join(QStringLiteral("\n\n"))};
}

namespace {

QString notice_of_losses(const LoadResult& result) {
  QStringList counts;
  for (const auto& [reason, count] : result.lost) {
    counts << QString::fromStdString(count_text(count) + " " + reason);
  }
  if (counts.isEmpty()) return {};
  return QObject::tr("Packets were lost, and are no frames of the capture: %1. ")
      .arg(counts.join(QStringLiteral(", ")));
}

QString notice_of_end(const LoadResult& result, bool live) {
  switch (result.end) {
    case LoadEnd::damaged: {
      QString text = QString::fromStdString(result.sentence);
      if (result.offset) text += QObject::tr(" (at octet %1)").arg(*result.offset);
      if (!text.endsWith(QLatin1Char('.'))) text += QLatin1Char('.');
      return text + QObject::tr(" What is shown covers the %1 before.")
                        .arg(counted(result.summary.frames, QObject::tr("frame"), QObject::tr("frames")));
    }
    case LoadEnd::memory_cap:
      return QString::fromStdString(result.sentence) +
             QObject::tr(". Leave streams or times out with a capture filter, or raise --max-memory.");
    case LoadEnd::cancelled:
      if (live) return {};  // a live capture has no other end
      return QObject::tr("Reading was cancelled: what is shown covers the first %1.")
          .arg(counted(result.summary.frames, QObject::tr("frame"), QObject::tr("frames")));
    default: return {};
  }
}

}  // namespace

QString notice_of(const LoadResult& result, bool live) {
  return (notice_of_losses(result) + notice_of_end(result, live)).trimmed();
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
