// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/capture/live_capture.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <limits>
#include <system_error>
#include <utility>

#include "live_device.hpp"

namespace iwarp::capture {
namespace {

constexpr TimeNs second_ns = 1'000'000'000;
constexpr TimeNs millisecond_ns = 1'000'000;
// A block that was begun before the end is handed over by then, and a busy machine has some time, too.
constexpr TimeNs last_wait_ns = 2 * block_wait_ms * millisecond_ns;
// So many packets, or octets of them, at a time.
constexpr int most_packets = 4096;
constexpr std::size_t most_octets = std::size_t{1} << 20U;

// Clocks of the system, which need neither a lock nor memory.
TimeNs now_ns(clockid_t clock) noexcept {
  timespec now{};
  ::clock_gettime(clock, &now);
  return TimeNs{now.tv_sec} * second_ns + now.tv_nsec;
}

// The end of a capture, which any thread or signal's handler may ask for.
class EndSignal {
 public:
  EndSignal() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~EndSignal() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  EndSignal(const EndSignal&) = delete;
  EndSignal& operator=(const EndSignal&) = delete;

  void send() noexcept {
    TimeNs none = 0;
    if (!time_ns_.compare_exchange_strong(none, now_ns(CLOCK_REALTIME))) return;
    const std::uint64_t one = 1;
    const int before = errno;
    static_cast<void>(!::write(descriptor_, &one, sizeof one));
    errno = before;
  }
  // Readable once it was sent.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  // When it was sent, as packets' times are told; 0: it was not.
  [[nodiscard]] TimeNs time_ns() const noexcept { return time_ns_.load(); }

 private:
  const int descriptor_;
  std::atomic<TimeNs> time_ns_{0};
  static_assert(std::atomic<TimeNs>::is_always_lock_free);
};

}  // namespace

class LiveCapture::Implementation {
 public:
  Implementation(PcapDevice device, const LiveOptions& options)
      : device_(std::move(device)),
        interface_(options.interface),
        snap_octets_(static_cast<std::uint32_t>(pcap_snapshot(device_.get()))),
        link_type_(link_type_of(pcap_datalink(device_.get()))),
        octets_(new Byte[most_octets + snap_octets_]) {
    packets_.reserve(most_packets);
  }

  [[nodiscard]] bool wait(std::chrono::milliseconds at_most) {
    packets_.clear();
    next_ = 0;
    used_ = 0;
    take();
    if (packets_.empty() && !ended_) {
      wait_for_packets(at_most);
      take();
    }
    return !ended_ || !packets_.empty();
  }

  [[nodiscard]] bool next(Record& record) {
    if (next_ == packets_.size()) return false;
    const Packet& packet = packets_[next_++];
    record.number = ++number_;
    record.time_ns = packet.time_ns;
    record.has_time = true;
    record.link_type = link_type_;
    record.interface = 0;
    record.octets = {octets_.get() + packet.at, packet.octets};
    record.wire_length = std::max(packet.octets, packet.wire_length);
    record.comment = {};
    return true;
  }

  void stop() noexcept { end_.send(); }

  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  [[nodiscard]] std::uint32_t link_type() const noexcept { return link_type_; }
  [[nodiscard]] std::uint32_t snap_octets() const noexcept { return snap_octets_; }

  [[nodiscard]] LiveLosses losses() {
    pcap_stat counts{};
    if (pcap_stats(device_.get(), &counts) == 0) {
      // They have 32 bits.
      losses_.kernel += counts.ps_drop - static_cast<std::uint32_t>(losses_.kernel);
      losses_.interface += counts.ps_ifdrop - static_cast<std::uint32_t>(losses_.interface);
    }
    return losses_;
  }

 private:
  struct Packet {
    TimeNs time_ns = 0;
    std::size_t at = 0;  // in octets_
    std::uint32_t octets = 0;
    std::uint32_t wire_length = 0;
  };

  // What is there, without waiting. Copied: libpcap may give the last packet's block back to the kernel
  // before it returns.
  void take() {
    if (ended_) return;
    const int taken = pcap_dispatch(device_.get(), most_packets, take_packet, reinterpret_cast<Byte*>(this));
    if (taken < 0 && taken != PCAP_ERROR_BREAK) {
      failure_ = interface_ + ": the capture ended: " + pcap_geterr(device_.get());
      ended_ = true;
    }
    const TimeNs end = end_.time_ns();
    if (end == 0) return;
    const auto behind = std::find_if(packets_.begin(), packets_.end(),
                                     [&](const Packet& packet) { return packet.time_ns > end; });
    const bool silent = packets_.empty() && last_look_ != 0 && now_ns(CLOCK_MONOTONIC) >= last_look_;
    ended_ = ended_ || silent || behind != packets_.end();
    packets_.erase(behind, packets_.end());
  }

  static void take_packet(Byte* self, const pcap_pkthdr* header, const Byte* octets) {
    reinterpret_cast<Implementation*>(self)->take_packet(*header, octets);
  }
  void take_packet(const pcap_pkthdr& header, const Byte* octets) {
    const std::uint32_t length = std::min(header.caplen, snap_octets_);
    // With this precision tv_usec has nanoseconds.
    const TimeNs time_ns = TimeNs{header.ts.tv_sec} * second_ns + header.ts.tv_usec;
    packets_.push_back({time_ns, used_, length, header.len});
    std::memcpy(octets_.get() + used_, octets, length);
    used_ += length;
    if (used_ >= most_octets) pcap_breakloop(device_.get());
  }

  void wait_for_packets(std::chrono::milliseconds at_most) {
    const bool ending = end_.time_ns() != 0;
    if (ending && last_look_ == 0) last_look_ = now_ns(CLOCK_MONOTONIC) + last_wait_ns;
    pollfd waited[] = {
        {.fd = pcap_get_selectable_fd(device_.get()), .events = POLLIN, .revents = 0},
        {.fd = end_.descriptor(), .events = POLLIN, .revents = 0},
    };
    const auto longest = ending ? std::min<std::int64_t>(at_most.count(), block_wait_ms) : at_most.count();
    const auto timeout = std::min<std::int64_t>(longest, std::numeric_limits<int>::max());
    static_cast<void>(::poll(waited, ending ? 1 : 2, static_cast<int>(timeout)));
  }

  const PcapDevice device_;
  const std::string interface_;
  const std::uint32_t snap_octets_;
  const std::uint32_t link_type_;
  EndSignal end_;
  TimeNs last_look_ = 0;  // monotonic; by then all that was captured before the end has come
  bool ended_ = false;
  std::string failure_;
  LiveLosses losses_;
  FrameNumber number_ = 0;
  // What the last wait() took.
  std::unique_ptr<Byte[]> octets_;
  std::size_t used_ = 0;
  std::vector<Packet> packets_;
  std::size_t next_ = 0;
};

LiveCapture::LiveCapture(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

LiveCapture::~LiveCapture() = default;

std::unique_ptr<LiveCapture> LiveCapture::open(const LiveOptions& options, std::string& error) {
  PcapDevice device = open_device(options, error);
  if (!device) return nullptr;
  auto implementation = std::make_unique<Implementation>(std::move(device), options);
  return std::unique_ptr<LiveCapture>(new LiveCapture(std::move(implementation)));
}

bool LiveCapture::wait(std::chrono::milliseconds at_most) {
  return implementation_->wait(at_most);
}

bool LiveCapture::next(Record& record) {
  return implementation_->next(record);
}

void LiveCapture::stop() noexcept {
  implementation_->stop();
}

const std::string& LiveCapture::failure() const noexcept {
  return implementation_->failure();
}

LiveLosses LiveCapture::losses() const {
  return implementation_->losses();
}

std::uint32_t LiveCapture::link_type() const noexcept {
  return implementation_->link_type();
}

std::uint32_t LiveCapture::snap_octets() const noexcept {
  return implementation_->snap_octets();
}

}  // namespace iwarp::capture
