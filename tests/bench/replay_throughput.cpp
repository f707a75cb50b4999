// Throughput of two soft-RNICs over TCP on 127.0.0.1, a thread each: RDMA Writes and Reads of 64 KiB, Sends
// of 64 octets, with CRC and without. One JSON line for each.
//
//   replay_throughput [SECONDS]
//
// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "engine/pump.hpp"
#include "transport/socket_network.hpp"

namespace {

using namespace iwarp;
using namespace iwarp::replay;

enum class Case : std::uint8_t {
  write,
  read,
  send
};

struct Task {
  Case what = Case::write;
  bool crc = true;
  double seconds = 2;
};

constexpr std::uint32_t large = 65536;
constexpr std::uint32_t small = 64;
constexpr std::uint32_t depth = 64;
constexpr std::uint32_t receives = 4096;
constexpr std::uint32_t stag_index = 0x1234;

std::uint32_t size_of(Case what) {
  return what == Case::send ? small : large;
}

// One end: an RNIC with one QP, and a region of which everything is part.
class End final : public LinkUser {
 public:
  End(const Task& task, Role role)
      : task_(task), role_(role), rnic_({.seed = 1}), memory_(std::size_t{large} * 2) {
    pd_ = rnic_.allocate_pd().value;
    rnic::Mapping mapping;
    mapping.buffers = rnic::contiguous(memory_.data(), memory_.size());
    mapping.length = memory_.size();
    mapping.addressing = rnic::Addressing::zero_based;
    mapping.rights = rnic::access::local | rnic::access::remote_read | rnic::access::remote_write;
    stag_ = rnic_.register_region(pd_, 0, true, mapping, stag_index).value;
  }

  [[nodiscard]] Endpoint listen() {
    IpAddress loopback;
    loopback.octets = {127, 0, 0, 1};
    listener_ = network_.listen({loopback, 0});
    return listener_->local();
  }
  void connect(const Endpoint& peer) { link_ = &pump_.add(network_.connect(peer), *this); }

  // Until the connection is over.
  void run() {
    while (!over_) {
      if (listener_) {
        if (auto transport = listener_->accept()) {
          link_ = &pump_.add(std::move(transport), *this);
          listener_.reset();
        }
      }
      // Of the others there is but the listener, which is asked each time.
      pump_.collect(network_, [](const Transport&) {});
      pump_.run(network_.now());
      while (const auto event = rnic_.poll_stream_event()) take(event->kind);
      if (link_ != nullptr) {
        work();
        pump_.run(network_.now());
      }
      if (!over_) (void)network_.wait(std::min(pump_.next_timeout(), network_.now() + 100'000'000));
    }
  }

  [[nodiscard]] std::uint64_t completed() const { return completed_; }
  [[nodiscard]] std::uint64_t placed() const { return placed_; }

  void on_established(Link& link, std::size_t max_segment) override {
    rnic::StreamParameters parameters;
    parameters.role = role_;
    parameters.emss = static_cast<std::uint32_t>(std::min<std::size_t>(max_segment, 65535));
    parameters.mpa.crc = task_.crc;
    rnic::QpAttributes attributes;
    attributes.pd = pd_;
    attributes.max_send_wrs = depth;
    attributes.max_receive_wrs = receives;
    attributes.ird = attributes.ord = depth;
    attributes.send_cq = send_cq_ = rnic_.create_cq(depth + 1).value;
    attributes.receive_cq = receive_cq_ = rnic_.create_cq(receives + 1).value;
    qp_ = rnic_.create_qp(attributes).value;
    if (role_ == Role::responder && task_.what == Case::send) {
      for (std::uint32_t i = 0; i < receives; ++i) post_receive();
    }
    stream_ = rnic_.open_stream(parameters, network_.now());
    link.start(rnic_, stream_);
    pump_.touch(link);
  }
  void on_activity(Link&) override { work(); }
  void on_peer_closed(Link&) override {}
  void on_over(Link&) override { over_ = true; }

 private:
  void take(rnic::StreamEventKind event) {
    if (event != rnic::StreamEventKind::request_arrived && event != rnic::StreamEventKind::reply_arrived)
      return;
    rnic::QpChange change;
    change.next = rnic::QpState::rts;
    change.stream = stream_;
    if (rnic_.modify_qp(qp_, change) != rnic::Status::ok) std::abort();
    running_ = true;
    ends_ = network_.now() + static_cast<TimeNs>(task_.seconds * 1e9);
    pump_.touch(*link_);
  }

  void work() {
    if (!running_) return;
    for (auto done = rnic_.poll_cq(send_cq_); done; done = rnic_.poll_cq(send_cq_)) {
      --in_flight_;
      if (done.value.status == rnic::CompletionStatus::success) ++completed_;
    }
    for (auto done = rnic_.poll_cq(receive_cq_); done; done = rnic_.poll_cq(receive_cq_)) {
      if (done.value.status != rnic::CompletionStatus::success) continue;
      ++placed_;
      post_receive();
    }
    if (role_ != Role::initiator || closing_) return;
    if (network_.now() < ends_) {
      bool any = false;
      for (; in_flight_ < depth; ++in_flight_, any = true) post();
      if (any) pump_.touch(*link_);
    } else if (in_flight_ == 0) {
      closing_ = true;
      rnic::QpChange change;
      change.next = rnic::QpState::closing;
      if (rnic_.modify_qp(qp_, change) != rnic::Status::ok) std::abort();
      pump_.touch(*link_);
    }
  }

  void post() {
    rnic::WorkRequest request;
    request.operation = task_.what == Case::write  ? rnic::Operation::rdma_write
                        : task_.what == Case::read ? rnic::Operation::rdma_read
                                                   : rnic::Operation::send;
    if (task_.what != Case::send) request.stag = stag_;  // both ends' is the same
    request.sgl.add({stag_, size_of(task_.what), 0});
    if (rnic_.post_send(qp_, request).posted != 1) std::abort();
  }
  void post_receive() {
    rnic::ReceiveRequest request;
    request.sgl.add({stag_, small, 0});
    (void)rnic_.post_receive(qp_, request);
  }

  Task task_;
  Role role_;
  SocketNetwork network_;
  rnic::SoftRnic rnic_;
  Bytes memory_;
  Pump pump_;
  std::unique_ptr<Listener> listener_;
  Link* link_ = nullptr;
  rnic::PdId pd_ = rnic::PdId::none;
  rnic::CqId send_cq_ = rnic::CqId::none;
  rnic::CqId receive_cq_ = rnic::CqId::none;
  rnic::QpId qp_ = rnic::QpId::none;
  rnic::StreamId stream_ = rnic::StreamId::none;
  std::uint32_t stag_ = 0;
  std::uint32_t in_flight_ = 0;
  bool running_ = false;
  bool closing_ = false;
  bool over_ = false;
  TimeNs ends_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t placed_ = 0;
};

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void measure(const Task& task, const char* name) {
  const double before = processor_seconds();
  End responder(task, Role::responder);
  const Endpoint at = responder.listen();
  std::thread other([&] { responder.run(); });
  End initiator(task, Role::initiator);
  initiator.connect(at);
  const auto begun = std::chrono::steady_clock::now();
  initiator.run();
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  other.join();
  const double used = processor_seconds() - before;
  const auto messages = static_cast<double>(initiator.completed());
  const double octets = messages * size_of(task.what);
  std::printf(
      "{\"case\": \"%s\", \"crc\": %s, \"messages\": %.0f, \"messages_per_second\": %.0f, "
      "\"gbit_per_second\": %.3f, "
      "\"processor_seconds_per_gib\": %.3f}\n",
      name, task.crc ? "true" : "false", messages, messages / took, octets * 8 / took / 1e9,
      octets == 0 ? 0 : used / octets * (1 << 30));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  for (const bool crc : {true, false}) {
    measure({Case::write, crc, seconds}, "write 64 KiB");
    measure({Case::read, crc, seconds}, "read 64 KiB");
    measure({Case::send, crc, seconds}, "send 64");
  }
  return 0;
}
