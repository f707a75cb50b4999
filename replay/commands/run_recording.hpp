// RunRecording: the packets of a run in a file of their own (--record), as they pass.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <ostream>
#include <string>

#include "commands/result_file.hpp"
#include "plan/plan.hpp"
#include "transport/capture_writer.hpp"
#include "transport/pcap_sink.hpp"

namespace iwarp::replay {

class RunRecording {
 public:
  RunRecording();
  ~RunRecording();

  // Opened before the run, so that nobody waits for what cannot be written. False: `error` says why not.
  [[nodiscard]] bool open(const std::string& path, std::string& error) { return file_.open(path, error); }
  // REQUIRES: open. The network's time 0 is `epoch` in the file.
  void begin(TimeNs epoch);
  [[nodiscard]] bool begun() const noexcept { return point_ != nullptr; }
  // Where packets go; nullptr: nothing is recorded.
  [[nodiscard]] CapturePoint* point() noexcept;
  // The stream has a connection between these ends: a comment in the file says so. REQUIRES: begun().
  void annotate(const PlannedStream& stream, const std::array<Endpoint, 2>& ends);
  // Somebody answered. Without that the file is left as it was.
  [[nodiscard]] bool connected() const noexcept;
  // Who follows the file sees the present, not what was 64 KiB ago. Costs little between times.
  void show();
  // What there is to say against it; empty: all is written, or nothing was to be.
  [[nodiscard]] std::string end();

 private:
  class Point;

  ResultFile file_;
  ResultBuffer buffer_{file_};
  std::ostream stream_{&buffer_};
  std::unique_ptr<CaptureWriter> writer_;
  std::unique_ptr<Point> point_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::time_point::min();  // of show()
};

}  // namespace iwarp::replay
