// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/filter_bar.hpp"

#include <QAbstractItemView>
#include <QCompleter>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QStringListModel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include <iwarp/export/filter.hpp>

#include "models/filter_parts.hpp"
#include "models/filter_words.hpp"

namespace iwarp::gui {
namespace {

constexpr qsizetype most_history = 50;
constexpr int longest_chip = 320;  // pixels

const QString history_key = QStringLiteral("filters");

}  // namespace

FilterBar::FilterBar(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      session_(session),
      theme_(&theme),
      chips_(new QWidget(this)),
      chips_layout_(new QHBoxLayout(chips_)),
      line_(new QLineEdit(this)),
      scope_(new QLabel(this)),
      error_(new QLabel(this)),
      words_(new QStringListModel(filter_words({}), this)),
      completer_(new QCompleter(words_, this)),
      history_(QSettings().value(history_key).toStringList()) {
  at_ = history_.size();
  line_->setPlaceholderText(tr("Filter, as in: op == read and latency_ns > 1ms"));
  line_->setAccessibleName(tr("Filter"));
  line_->setClearButtonEnabled(true);
  line_->setMinimumWidth(220);
  line_->installEventFilter(this);
  error_->setAccessibleName(tr("What is wrong with the filter"));
  error_->setVisible(false);
  scope_->setForegroundRole(QPalette::PlaceholderText);
  scope_->setToolTip(tr("A filter leaves less of what has its fields; of the rest all counts"));
  scope_->setVisible(false);
  chips_layout_->setContentsMargins(0, 0, 0, 0);
  chips_layout_->setSpacing(4);
  completer_->setWidget(line_);
  completer_->setCaseSensitivity(Qt::CaseInsensitive);
  completer_->popup()->setAccessibleName(tr("Words of filters"));
  completer_->popup()->installEventFilter(this);

  auto* const row = new QHBoxLayout();
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(6);
  row->addWidget(chips_);
  row->addWidget(line_, 1);
  row->addWidget(error_);
  row->addWidget(scope_);
  auto* const all = new QVBoxLayout(this);
  all->setContentsMargins(4, 2, 4, 2);
  all->addLayout(row);

  connect(line_, &QLineEdit::textEdited, this, &FilterBar::check);
  connect(line_, &QLineEdit::textEdited, this, &FilterBar::complete);
  connect(line_, &QLineEdit::textChanged, this, [this](const QString& text) {
    if (text.isEmpty()) error_->setVisible(false);
  });
  connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &FilterBar::insert);
  connect(&session_, &Session::filter_changed, this, [this] {
    if (!changing_) line_->clear();  // it belonged to the filter that was
    show_parts();
  });
  set_theme(theme);
  show_parts();
}

void FilterBar::set_theme(const Theme& theme) {
  theme_ = &theme;
  QPalette wrong = theme.palette();
  wrong.setColor(QPalette::WindowText, theme.of(Severity::error));
  error_->setPalette(wrong);
}

void FilterBar::take_focus() {
  line_->setFocus(Qt::ShortcutFocusReason);
  line_->selectAll();
}

void FilterBar::show_parts() {
  parts_ = filter_parts(session_.filter());
  while (QLayoutItem* const item = chips_layout_->takeAt(0)) {
    if (item->widget() != nullptr) item->widget()->deleteLater();
    delete item;
  }
  for (std::size_t at = 0; at < parts_.size(); ++at) {
    const QString part = QString::fromStdString(parts_[at]);
    if (at > 0) {
      auto* const also = new QLabel(tr("and"), chips_);
      also->setForegroundRole(QPalette::PlaceholderText);
      chips_layout_->addWidget(also);
    }
    auto* const chip = new QPushButton(chips_);
    chip->setText(chip->fontMetrics()
                      .elidedText(part, Qt::ElideMiddle, longest_chip)
                      .replace(QLatin1Char('&'), QStringLiteral("&&")) +
                  QStringLiteral("  ✕"));
    chip->setToolTip(tr("Take off: %1").arg(part));
    chip->setAccessibleName(tr("Filter part %1: press to take it off").arg(part));
    connect(chip, &QPushButton::clicked, this, [this, at] { remove(at); });
    chips_layout_->addWidget(chip);
  }
  chips_->setVisible(!parts_.empty());
}

void FilterBar::check() {
  std::string what;
  const std::string text = line_->text().toStdString();
  const bool wrong = !line_->text().trimmed().isEmpty() && !Filter::parse(text, what);
  error_->setText(wrong ? QStringLiteral("◆ ") + QString::fromStdString(what) : QString());
  error_->setVisible(wrong);
}

void FilterBar::accept() {
  const QString text = line_->text().trimmed();
  if (text.isEmpty()) return;
  check();
  if (error_->isVisible()) return;
  std::vector<std::string> parts = parts_;
  const bool there = std::find(parts.begin(), parts.end(), text.toStdString()) != parts.end();
  if (!there) parts.push_back(text.toStdString());
  if (!set(parts)) return;
  history_.removeAll(text);
  history_.append(text);
  while (history_.size() > most_history) history_.removeFirst();
  at_ = history_.size();
  QSettings().setValue(history_key, history_);
  line_->clear();
}

void FilterBar::remove(std::size_t part) {
  std::vector<std::string> parts = parts_;
  parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(part));
  set(parts);
}

void FilterBar::show_scope(const QStringList& narrowed) {
  scope_->setText(tr("holds for %1").arg(narrowed.join(QStringLiteral(", "))));
  scope_->setVisible(!narrowed.isEmpty());
}

void FilterBar::take_all_off() {
  line_->clear();
  set({});
}

// False, and the error stands in the bar, where the expression is wrong.
bool FilterBar::set(const std::vector<std::string>& parts) {
  QString error;
  changing_ = true;
  const bool right = session_.set_filter(joined(parts), error);
  changing_ = false;
  if (!right) {
    error_->setText(error);
    error_->setVisible(true);
  }
  return right;
}

void FilterBar::edit_last() {
  if (parts_.empty()) return;
  const QString last = QString::fromStdString(parts_.back());
  remove(parts_.size() - 1);
  line_->setText(last);
}

void FilterBar::walk(int by) {
  at_ = std::clamp<qsizetype>(at_ + by, 0, history_.size());
  line_->setText(at_ < history_.size() ? history_[at_] : QString());
  check();
}

QString FilterBar::word_before_cursor() const {
  static const QRegularExpression word(QStringLiteral("[A-Za-z_.][A-Za-z0-9_.-]*$"));
  return word.match(line_->text().left(line_->cursorPosition())).captured();
}

void FilterBar::complete() {
  const QString word = word_before_cursor();
  const QString before = line_->text().left(line_->cursorPosition() - word.size());
  if (const QStringList words = filter_words(before); words != words_->stringList())
    words_->setStringList(words);
  completer_->setCompletionPrefix(word);
  const bool done = completer_->currentCompletion() == word;  // a word as it is; others may begin with it
  // Values may be shown before one is begun: there are few.
  const bool asked = !word.isEmpty() || ends_with_operator(before);
  if (!asked || done || completer_->completionCount() == 0) {
    completer_->popup()->hide();
  } else {
    completer_->complete();
  }
}

void FilterBar::insert(const QString& word) {
  const qsizetype cursor = line_->cursorPosition();
  const qsizetype begin = cursor - word_before_cursor().size();
  QString text = line_->text();
  text.replace(begin, cursor - begin, word + QLatin1Char(' '));
  line_->setText(text);
  line_->setCursorPosition(static_cast<int>(begin + word.size() + 1));
  check();
}

bool FilterBar::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  if (watched == completer_->popup()) {  // Enter without a word chosen is the line's
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool enter = key == Qt::Key_Return || key == Qt::Key_Enter;
    if (!enter || completer_->popup()->currentIndex().isValid()) return QWidget::eventFilter(watched, event);
    completer_->popup()->hide();
    accept();
    return true;
  }
  if (watched != line_) return QWidget::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter: accept(); return true;
    case Qt::Key_Tab: accept(); break;  // who leaves it means what is written to hold
    case Qt::Key_Up: walk(-1); return true;
    case Qt::Key_Down: walk(1); return true;
    case Qt::Key_Backspace:
      if (!line_->text().isEmpty()) break;
      edit_last();
      return true;
    default: break;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace iwarp::gui
