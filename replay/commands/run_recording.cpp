// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/run_recording.hpp"

#include "transport/recording_comment.hpp"

namespace iwarp::replay {

// Packets wait in the buffer until somebody answered: a run without any connection leaves the file as it was.
class RunRecording::Point final : public CapturePoint {
 public:
  Point(CaptureWriter& writer, TimeNs epoch, ResultBuffer& buffer) : sink_(writer, epoch), buffer_(buffer) {
    buffer_.hold(true);
  }
  void captured(const Packet& packet, TimeNs now) override {
    sink_.captured(packet, now);
    if (connected_ || !packet.has(tcp::syn) || !packet.has(tcp::ack)) return;
    connected_ = true;
    buffer_.hold(false);
  }
  [[nodiscard]] bool connected() const noexcept { return connected_; }
  void annotate(const PlannedStream& stream, const std::array<Endpoint, 2>& ends) {
    const auto name = [](const std::array<Endpoint, 2>& of) {
      return to_string(of[0]) + " to " + to_string(of[1]);
    };
    sink_.annotate(ends, comment_of({stream.number, name(stream.endpoints), name(ends)}));
  }

 private:
  PcapSink sink_;
  ResultBuffer& buffer_;
  bool connected_ = false;
};

RunRecording::RunRecording() = default;
RunRecording::~RunRecording() = default;

void RunRecording::begin(TimeNs epoch) {
  writer_ = std::make_unique<CaptureWriter>(stream_);
  point_ = std::make_unique<Point>(*writer_, epoch, buffer_);
}

CapturePoint* RunRecording::point() noexcept {
  return point_.get();
}

void RunRecording::annotate(const PlannedStream& stream, const std::array<Endpoint, 2>& ends) {
  point_->annotate(stream, ends);
}

bool RunRecording::connected() const noexcept {
  return point_ && point_->connected();
}

void RunRecording::show() {
  constexpr std::chrono::milliseconds pause(200);
  if (!connected()) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + pause;
  stream_.flush();
}

std::string RunRecording::end() {
  if (!begun()) return {};
  stream_.flush();
  return file_.failure();
}

}  // namespace iwarp::replay
