// Loader: the thread that reads one capture, analyses it, and answers questions about its log.
//
// One thread does all of it, since log and timeline belong to one: questions come between two frames, and go
// on to be answered when the capture has ended. Tables (Metrics) are read by any thread at any time. Nothing
// of Qt is here.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <iwarp/diagnosis.hpp>
#include <iwarp/export/summary.hpp>
#include <iwarp/latency_parts.hpp>
#include <iwarp/metrics.hpp>
#include <iwarp/stags.hpp>
#include <iwarp/startup_retries.hpp>

#include "models/late_fpdus.hpp"
#include "models/log.hpp"
#include "models/overview.hpp"
#include "models/record_source.hpp"

namespace iwarp::gui {

enum class LoadEnd {
  loading,
  complete,
  cancelled,   // by who asked for it; what was read stays
  damaged,     // likewise
  memory_cap,  // likewise
  unreadable,  // nothing was read
};

struct LoadOptions {
  bool strict = false;                          // vendor deviations at their full severity
  std::size_t max_memory = 0;                   // octets that the program may hold; 0: half of what there is
  std::map<IpAddress, std::string> hosts = {};  // StagOptions::hosts
};

struct LoadResult {
  LoadEnd end = LoadEnd::loading;
  std::string sentence;  // of an end before the capture's: what happened, with the capture's name
  std::optional<std::uint64_t> offset;  // of damage: octets from the start of the file's contents
  Summary summary;                      // of what was read
  RecordSource::Losses lost;            // frames that an interface did not bring, by reason
};

struct LoadProgress {
  std::uint64_t octets = 0;            // of the file, compressed or not
  std::optional<std::uint64_t> total;  // of these
  std::uint64_t frames = 0;
  std::uint64_t lost = 0;  // that an interface did not bring
};

class Loader {
 public:
  // Starts at once. `ended` is called once, in the loader's thread, unless it is destroyed before.
  Loader(OpenSource open, LoadOptions options, std::function<void(LoadResult)> ended);
  // Waits for the thread, which gives up at its next frame.
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // All of these: any thread.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] const Metrics& metrics() const noexcept { return metrics_; }
  [[nodiscard]] LoadProgress progress() const noexcept;
  // As it was a moment ago: copied twenty times a second.
  [[nodiscard]] std::shared_ptr<const Overview> overview() const;
  // Called in the loader's thread, soon. Dropped where the loader is destroyed before.
  void ask(std::function<void(const Log&)> question);

 private:
  void run(const OpenSource& open);
  void read(RecordSource& source);
  // To be called ten times a second while a source waits. True: give up.
  [[nodiscard]] bool wait();
  void take(Events events);
  void finish();
  void look(const RecordSource& source);
  void publish();
  void answer();
  void answer_until_closed();
  [[nodiscard]] bool stopping() const noexcept {
    return cancelled_.load(std::memory_order_relaxed) || closing_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] Log log() noexcept {
    return {analyzer_.analysis(), timeline_,     metrics_, result_.summary,
            wait_spans_,          stag_records_, hosts_,   source_.get()};
  }

  const LoadOptions options_;
  const Hosts hosts_;
  const std::size_t max_memory_;
  const std::function<void(LoadResult)> ended_;
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> closing_{false};
  std::atomic<std::uint64_t> octets_{0};
  std::atomic<std::uint64_t> total_{0};  // 0: not known
  std::atomic<std::uint64_t> frame_count_{0};
  std::atomic<std::uint64_t> lost_{0};

  // The thread's own.
  Analyzer analyzer_;
  Timeline timeline_;
  LatencyTracker latencies_;
  Diagnosis diagnosis_;
  StartupRetries retries_;
  StagLives stags_;
  StagRecords stag_records_;
  Metrics metrics_;  // … which others may read
  Overview overview_;
  LateFpdus late_;
  WaitSpans wait_spans_;
  std::unique_ptr<RecordSource> source_;
  LoadResult result_;
  FrameNumber next_look_at_memory_ = 0;

  mutable std::mutex mutex_;
  std::shared_ptr<const Overview> published_;              // under the mutex
  std::deque<std::function<void(const Log&)>> questions_;  // under the mutex
  std::atomic<bool> asked_{false};                         // there are some
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace iwarp::gui
