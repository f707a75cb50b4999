// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/message_view.hpp"

#include <QFileDialog>
#include <QKeyEvent>
#include <QSaveFile>
#include <QShortcut>
#include <QToolTip>

#include <algorithm>

namespace iwarp::gui {
namespace {

constexpr int line_height = 17;
constexpr int octets_top = 46;
constexpr qsizetype a_line = 16;

}  // namespace

MessageView::MessageView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : InspectorView(workspace, theme, tr("Message"), {tr("Field"), tr("Value")}, parent),
      hex_(add_picture(
          tr("Octets of the message"),
          [this](QPainter& painter, QSize size) { return paint_hex(painter, size); },
          octets_top + 8 * line_height)) {
  hex_.on_wheel = [this](QWheelEvent& event) { scroll(event.angleDelta().y() > 0 ? -3 : 3); };
  hex_.on_key = [this](QKeyEvent& event) {
    switch (event.key()) {
      case Qt::Key_Up: scroll(-1); return true;
      case Qt::Key_Down: scroll(1); return true;
      case Qt::Key_PageUp: scroll(-page()); return true;
      case Qt::Key_PageDown: scroll(page()); return true;
      default: return false;
    }
  };
  auto* const save = new QShortcut(QKeySequence::Save, this);
  save->setContext(Qt::WidgetWithChildrenShortcut);
  connect(save, &QShortcut::activated, this, &MessageView::ask_where_to_save);
  setFocusProxy(&hex_);
  connect(&session(), &Session::selection_changed, this, &MessageView::update_message);
  connect(&workspace.levels(), &LevelsBuilder::changed, this, &MessageView::update_message);
  connect(&document(), &CaptureDocument::ended, this, &MessageView::update_message);
  update_message();
}

void MessageView::update_message() {
  const Selection& selection = session().selection();
  const auto levels = workspace().levels().levels();
  std::optional<std::uint32_t> row;
  if (document().opened()) {
    const bool named = selection.message && *selection.message < document().metrics().messages().size();
    row = named ? selection.message : first_message(*levels, workspace().stream());
    if (row && !named && selection.frame) return find_message(*row, levels);
  }
  sought_.reset();
  if (!row) {
    message_.reset();
    return show_placeholder(
        tr("Here the octets of a message are shown, field by field.\n\nNo message counts so far: "
           "select another stream, or take something off the filter."));
  }
  if (message_ && message_->row == *row) return;
  ask<MessageOctets>([row = *row](const Log& log) { return message_octets(log, row); },
                     [this](MessageOctets message) { show_message(std::move(message)); });
}

// Of the selected frame; `otherwise`: where that has none.
void MessageView::find_message(std::uint32_t otherwise, const std::shared_ptr<const Levels>& levels) {
  const Selection& selection = session().selection();
  const Sought sought{selection.stream, *selection.frame, levels->scope, levels->message_rows.taken()};
  if (sought_ == sought) return;
  sought_ = sought;
  ask<MessageOctets>(
      [sought, otherwise, levels](const Log& log) {
        const auto found =
            message_of_frame(log.metrics.messages(), levels->message_rows, sought.stream, sought.frame);
        return message_octets(log, found.value_or(otherwise));
      },
      [this](MessageOctets message) { show_message(std::move(message)); });
}

void MessageView::show_message(MessageOctets message) {
  if (message_ && message_->row == message.row) return;
  message_ = std::move(message);
  first_line_ = 0;
  show_facts(message_->facts);
}

qsizetype MessageView::page() const {
  return std::max(1, (hex_.height() - octets_top) / line_height - 1);
}

void MessageView::scroll(qsizetype lines) {
  if (!message_) return;
  const qsizetype last = std::max<qsizetype>(0, (message_->octets.size() - 1) / a_line);
  first_line_ = std::clamp<qsizetype>(first_line_ + lines, 0, last);
  hex_.update();
}

void MessageView::ask_where_to_save() {
  if (!message_) return;
  auto* const dialog = new QFileDialog(this, tr("Save payload as"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    save_payload(path, [this](const QString& error) {
      if (!error.isEmpty()) QToolTip::showText(mapToGlobal(QPoint(20, 20)), error, this);
    });
  });
  dialog->open();
}

void MessageView::save_payload(const QString& path, std::function<void(QString error)> done) {
  if (!message_) return;
  document().ask<MessageOctets>(
      this, "payload",
      [row = message_->row](const Log& log) { return message_octets(log, row, PTRDIFF_MAX); },
      [path, done = std::move(done)](MessageOctets message) {
        if (!message.error.isEmpty()) return done(message.error);
        QByteArray payload;
        for (qsizetype at = 0; at < message.octets.size(); ++at) {
          if (message.fields[static_cast<std::size_t>(at)] == MessageOctets::payload)
            payload += message.octets[at];
        }
        QSaveFile file(path);
        const bool written =
            file.open(QIODevice::WriteOnly) && file.write(payload) == payload.size() && file.commit();
        done(written ? QString() : path + QStringLiteral(": could not be written: ") + file.errorString());
      });
}

QColor MessageView::color_of(MessageOctets::Field field) const {
  switch (field) {
    case MessageOctets::length: return theme().muted;
    case MessageOctets::ddp: return theme().of(OperationKind::read);
    case MessageOctets::rdmap: return theme().of(OperationKind::atomic);
    case MessageOctets::payload: return theme().text;
    case MessageOctets::trailer: return theme().of(OperationKind::write);
    case MessageOctets::marker: return theme().hole;
  }
  return theme().text;
}

Work MessageView::paint_hex(QPainter& painter, QSize size) {
  painter.fillRect(QRect(QPoint(), size), theme().surface);
  if (!message_) return {1, 0};
  Work work;
  // The legend: fields are underlined each in its own way, and coloured beside that.
  painter.setFont(small_font());
  const QFontMetricsF small(small_font());
  double legend = 12;
  constexpr Qt::PenStyle styles[] = {Qt::DotLine, Qt::SolidLine,   Qt::DashLine,
                                     Qt::NoPen,   Qt::DashDotLine, Qt::DashDotDotLine};
  for (int field = 0; field < MessageOctets::field_count; ++field) {
    const auto of = static_cast<MessageOctets::Field>(field);
    const QString name = field_name(of);
    painter.setPen(color_of(of));
    painter.drawText(QPointF(legend, 16), name);
    painter.setPen(QPen(color_of(of), 1.5, styles[field]));
    painter.drawLine(QPointF(legend, 20.5), QPointF(legend + small.horizontalAdvance(name), 20.5));
    legend += small.horizontalAdvance(name) + 18;
  }
  painter.setPen(theme().muted);
  painter.drawText(QPointF(12, 36),
                   message_->error.isEmpty()
                       ? (message_->cut ? tr("The first octets; Ctrl+S saves all of the payload")
                                        : (document().file().isEmpty()
                                               ? tr("%1 octets, as they came; Ctrl+S saves the payload")
                                               : tr("%1 octets, from the file; Ctrl+S saves the payload"))
                                              .arg(message_->octets.size()))
                       : message_->error);
  painter.setFont(fixed_font());
  const double wide = QFontMetricsF(fixed_font()).horizontalAdvance(QLatin1Char('0'));
  const double octets_left = 12 + 10 * wide;
  const double text_left = octets_left + (3 * a_line + 2) * wide;
  const qsizetype lines = (size.height() - octets_top) / line_height;
  for (qsizetype line = 0; line < lines; ++line) {
    const qsizetype begin = (first_line_ + line) * a_line;
    if (begin >= message_->octets.size()) break;
    const double y = octets_top + static_cast<double>(line) * line_height + 12;
    painter.setPen(theme().muted);
    painter.drawText(QPointF(12, y), QStringLiteral("%1").arg(begin, 8, 16, QLatin1Char('0')));
    for (qsizetype at = begin; at < std::min(begin + a_line, message_->octets.size()); ++at) {
      const MessageOctets::Field field = message_->fields[static_cast<std::size_t>(at)];
      const auto octet = static_cast<unsigned char>(message_->octets[at]);
      const double x = octets_left + static_cast<double>(3 * (at - begin)) * wide;
      painter.setPen(color_of(field));
      painter.drawText(QPointF(x, y), QStringLiteral("%1").arg(octet, 2, 16, QLatin1Char('0')));
      painter.drawText(QPointF(text_left + static_cast<double>(at - begin) * wide, y),
                       octet >= 0x20 && octet < 0x7f ? QString(QLatin1Char(static_cast<char>(octet)))
                                                     : QStringLiteral("·"));
      if (styles[field] != Qt::NoPen) {
        painter.setPen(QPen(color_of(field), 1.5, styles[field]));
        painter.drawLine(QPointF(x, y + 3.5), QPointF(x + 2.4 * wide, y + 3.5));
      }
      work.primitives += 3;
    }
  }
  return work;
}

}  // namespace iwarp::gui
