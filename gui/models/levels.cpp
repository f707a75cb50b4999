// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/levels.hpp"

#include "models/capture_document.hpp"
#include "models/levels_growth.hpp"

namespace iwarp::gui {

// Levels that nobody shows any more come back, to be brought up to date.
struct LevelsBuilder::Returned {
  std::mutex mutex;
  bool wanted = true;
  std::unique_ptr<Levels> levels;
};

LevelsBuilder::LevelsBuilder(CaptureDocument& document, QObject* parent)
    : QObject(parent),
      document_(document),
      levels_(std::make_shared<Levels>()),
      returned_(std::make_shared<Returned>()) {
  connect(&document, &CaptureDocument::grew, this, &LevelsBuilder::poke);
  connect(&document, &CaptureDocument::ended, this, &LevelsBuilder::poke);
  if (document.opened()) poke();
}

LevelsBuilder::~LevelsBuilder() {
  {
    const std::lock_guard lock(mutex_);
    stale_.store(true, std::memory_order_relaxed);
    poked_ = true;
    ended_ = false;
    wanted_.filter = "\n";  // no scope of anybody's: the thread ends
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(returned_->mutex);
  returned_->wanted = false;
}

void LevelsBuilder::set_scope(Scope scope) {
  if (scope == scope_) return;
  scope_ = std::move(scope);
  stale_.store(true, std::memory_order_relaxed);
  if (document_.opened()) poke();
}

bool LevelsBuilder::settled() const noexcept {
  return levels_->complete && levels_->scope == scope_;
}

void LevelsBuilder::poke() {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = scope_;
    ended_ = !document_.loading();
    poked_ = true;
  }
  if (!thread_.joinable()) thread_ = std::thread([this, &metrics = document_.metrics()] { run(metrics); });
  wake_.notify_all();
}

void LevelsBuilder::run(const Metrics& metrics) {
  for (;;) {
    Scope scope;
    bool ended = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return poked_; });
      if (wanted_.filter == "\n") return;
      poked_ = false;
      stale_.store(false, std::memory_order_relaxed);
      scope = wanted_;
      ended = ended_;
    }
    std::string error;
    const auto filter = scope.filter.empty() ? std::nullopt : Filter::parse(scope.filter, error);
    const Filter* const asked = filter ? &*filter : nullptr;
    std::unique_ptr<Levels> levels = to_grow(scope, asked);
    while (!stale_.load(std::memory_order_relaxed) && LevelsGrowth::grow(*levels, metrics, asked)) {
    }
    if (stale_.load(std::memory_order_relaxed)) continue;
    levels->complete = ended;
    publish(std::move(levels));
  }
}

std::unique_ptr<Levels> LevelsBuilder::to_grow(const Scope& scope, const Filter* filter) {
  if (shown_ == nullptr || shown_->scope != scope) return LevelsGrowth::begin(scope, filter, shown_.get());
  std::unique_ptr<Levels> levels;
  {
    const std::lock_guard lock(returned_->mutex);
    levels = std::move(returned_->levels);
  }
  if (levels != nullptr && levels->scope == scope) return levels;
  return std::make_unique<Levels>(*shown_);
}

void LevelsBuilder::publish(std::unique_ptr<Levels> levels) {
  {
    const std::lock_guard lock(returned_->mutex);
    returned_->wanted = !levels->complete;
    if (levels->complete) returned_->levels.reset();
  }
  shown_ = std::shared_ptr<const Levels>(levels.release(), [bin = returned_](Levels* done) {
    std::unique_ptr<Levels> owned(done);
    const std::lock_guard lock(bin->mutex);
    if (bin->wanted) bin->levels.swap(owned);
  });
  queue_.post([this, published = shown_] {
    levels_ = published;
    emit changed();
  });
}

}  // namespace iwarp::gui
