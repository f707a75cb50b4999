// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/capture_document.hpp"

namespace iwarp::gui {
namespace {

constexpr int between_looks_ms = 50;

}  // namespace

CaptureDocument::CaptureDocument(QObject* parent) : QObject(parent), overview_(std::make_shared<Overview>()) {
  looks_.setInterval(between_looks_ms);
  connect(&looks_, &QTimer::timeout, this, &CaptureDocument::look);
}

CaptureDocument::~CaptureDocument() {
  loader_.reset();
}

void CaptureDocument::open(QString name, OpenSource source, LoadOptions options, Origin origin) {
  name_ = std::move(name);
  origin_ = origin;
  hosts_ = Hosts(options.hosts);
  clock_.start();
  looks_.start();
  loader_ = std::make_unique<Loader>(std::move(source), std::move(options), [this](LoadResult result) {
    queue_.post([this, result = std::move(result)] {
      looks_.stop();
      took_ms_ = clock_.elapsed();
      result_ = result;
      overview_ = loader_->overview();
      emit grew();
      emit ended();
    });
  });
}

void CaptureDocument::cancel() {
  if (opened()) loader_->cancel();
}

LoadProgress CaptureDocument::progress() const {
  return opened() ? loader_->progress() : LoadProgress();
}

double CaptureDocument::rate() const {
  const qint64 ms = loading() ? clock_.elapsed() : took_ms_;
  return static_cast<double>(progress().octets) * 1000 / static_cast<double>(std::max<qint64>(ms, 1));
}

TimeSpan CaptureDocument::span() const noexcept {
  return overview_->span.empty() ? TimeSpan{0, 1} : overview_->span;
}

void CaptureDocument::look() {
  const Metrics& tables = metrics();
  const std::size_t rows = tables.streams().size() + tables.messages().size() + tables.operations().size() +
                           tables.findings().size();
  const std::uint64_t frames = progress().frames;
  if (rows == rows_ && frames == frames_) return;
  rows_ = rows;
  frames_ = frames;
  overview_ = loader_->overview();
  emit grew();
}

void CaptureDocument::ask_any(QObject* asker, const std::string& topic, Question question) {
  if (!opened()) return;
  auto current = std::make_shared<std::atomic<bool>>(true);
  auto& newest = newest_[{asker, topic}];
  if (newest != nullptr) newest->store(false, std::memory_order_relaxed);
  newest = current;
  ++waiting_;
  loader_->ask([this, current, alive = QPointer<QObject>(asker), key = std::pair(asker, topic),
                question = std::move(question)](const Log& log) mutable {
    std::function<void()> answer;
    if (current->load(std::memory_order_relaxed)) answer = question(log);
    queue_.post([this, current, alive = std::move(alive), key, answer = std::move(answer)] {
      --waiting_;
      const bool wanted = current->load(std::memory_order_relaxed);
      if (wanted) newest_.erase(key);
      if (wanted && alive && answer) answer();
      if (waiting_ == 0) emit answered();
    });
  });
}

}  // namespace iwarp::gui
