// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/live_source.hpp"

#include <algorithm>
#include <chrono>

#include <iwarp/capture/live_capture.hpp>

#include "models/kept_frames.hpp"
#include "program/memory.hpp"

namespace iwarp::gui {
namespace {

// Questions wait no longer than this while nothing passes.
constexpr std::chrono::milliseconds moment{50};

class LiveSource final : public RecordSource {
 public:
  explicit LiveSource(std::unique_ptr<capture::LiveCapture> capture) : capture_(std::move(capture)) {}

  Next next(capture::Record& record) override {
    bool there = capture_->next(record);
    if (!there) {
      if (!capture_->wait(moment)) return end();
      there = capture_->next(record);
    }
    if (!there) return Next::nothing_yet;
    octets_ += record.octets.size();
    return Next::record;
  }
  const std::optional<capture::Damage>& damage() const noexcept override { return damage_; }
  capture::Progress progress() const noexcept override { return {.consumed = octets_, .total = {}}; }
  bool frame(FrameNumber, capture::Record&, std::string& error) override {
    error = "frames of an interface pass but once";  // kept_source() has them
    return false;
  }
  Losses lost() const override {
    const capture::LiveLosses losses = capture_->losses();
    Losses counts;
    if (losses.kernel != 0) counts["dropped by the kernel, as they were not read in time"] = losses.kernel;
    if (losses.interface != 0) counts["dropped by the interface"] = losses.interface;
    return counts;
  }

 private:
  Next end() {
    if (!capture_->failure().empty()) damage_ = capture::Damage{.text = capture_->failure(), .offset = {}};
    return Next::end;
  }

  const std::unique_ptr<capture::LiveCapture> capture_;
  std::uint64_t octets_ = 0;
  std::optional<capture::Damage> damage_;
};

}  // namespace

OpenSource live_source(std::string interface, std::string filter) {
  return kept_source([interface = std::move(interface), filter = std::move(filter)](
                         std::string& error, const std::function<bool()>&) -> std::unique_ptr<RecordSource> {
    capture::LiveOptions options;
    options.interface = interface;
    options.filter = filter;
    options.ring_octets = std::min(options.ring_octets, program::default_memory_limit() / 4);
    auto capture = capture::LiveCapture::open(options, error);
    if (capture == nullptr) return nullptr;
    return std::make_unique<LiveSource>(std::move(capture));
  });
}

std::vector<std::string> live_interfaces() {
  return capture::capture_interfaces();
}

std::vector<std::string> commands_for_right(const std::string& interface, const std::string& sentence) {
  const std::string grant = capture::capture_right_command();
  if (sentence.find(grant) == std::string::npos) return {};
  std::vector<std::string> commands{grant};
  const std::string dumpcap = "dumpcap -q -i " + interface + " -w - | ";
  if (sentence.find(dumpcap) != std::string::npos) commands.push_back(dumpcap + "iwarp-view -");
  return commands;
}

}  // namespace iwarp::gui
