// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/properties/conforming_traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "engine/live_log.hpp"
#include "replay/properties/laboratory.hpp"

namespace iwarp::rnic::test {
namespace {

constexpr TimeNs epoch = 1'700'000'000'000'000'000;

class Recorder final : public replay::CapturePoint {
 public:
  // `offloads`: the host at which this is leaves checksums to its NIC.
  Recorder(const IpAddress& host, bool offloads) : host_(host), offloads_(offloads) {}

  void captured(const replay::Packet& packet, TimeNs now) override {
    OwnedSegment& owned = segments.emplace_back();
    owned.meta = replay::segment_of(packet, 0, epoch + now);
    owned.meta.payload = {};
    owned.octets = packet.payload;
    owned.ip_id = packet.identification;
    owned.meta.packet_identity = std::uint64_t{1} << 48U | std::uint64_t{packet.identification} << 32U |
                                 (packet.sequence ^ packet.acknowledgement);
    if (offloads_ && packet.source.address == host_) owned.meta.checksum = ChecksumStatus::offloaded;
  }

  Segments segments;

 private:
  IpAddress host_;
  bool offloads_;
};

// --- what is sent: octets that look like something else ------------------------------------------------

constexpr const char* content_names[] = {"any octets", "zeros", "markers", "few octets again and again",
                                         "an iWARP stream"};

Bytes look_alike(Dice& dice, std::size_t content, std::size_t size) {
  Bytes unit;
  switch (content) {
    case 1: unit = zeros(64); break;
    case 2:
      for (std::uint32_t count = 16; count != 0; --count) {
        unit =
            cat(unit, Bytes{0, 0, static_cast<Byte>(dice.below(3)), static_cast<Byte>(4 * dice.below(64))});
      }
      break;
    case 3: unit = pattern(dice.between(1, 20), dice.below(1000)); break;
    default:
      for (std::uint32_t msn = 1; unit.size() < 2000; ++msn) {
        unit = cat(unit, fpdu(send(msn, pattern(dice.below(80), msn))));
      }
      break;
  }
  Bytes octets;
  while (octets.size() < size) octets.insert(octets.end(), unit.begin(), unit.end());
  octets.resize(size);
  return octets;
}

// --- how it ends ---------------------------------------------------------------------------------------

enum class End : std::uint8_t {
  fin,
  two_fins,
  terminate,
  two_terminates,
  terminate_then_reset,  // whoever receives the Terminate
  refused,               // a request that the peer's ULP did not allow: its RNIC says so
  open,                  // the capture's end comes first
  reset,                 // what is on its way then is lost
};
constexpr const char* end_names[] = {
    "FIN", "two FINs", "Terminate", "two Terminates", "Terminate, then RST", "refused", "open", "RST"};

// Nobody breaks a rule; a RST alone is a finding (VERBS-RST).
constexpr End conforming_ends[] = {
    End::fin,     End::two_fins, End::terminate, End::two_terminates, End::terminate_then_reset,
    End::refused, End::open};
// What one end says last crosses what the other one still sends.
constexpr End crossing_ends[] = {End::terminate, End::two_terminates, End::terminate_then_reset, End::refused,
                                 End::reset};

class Play {
 public:
  Play(std::uint64_t seed, std::span<const End> ends)
      : dice_(seed ^ 0xc0f0), end_(ends[dice_.below(ends.size())]), laboratory_(seed, options()) {
    const bool in_the_middle = dice_.one_in(3);
    const IpAddress at = address_of_host(dice_.below(2));
    recorder_ = std::make_unique<Recorder>(at, !in_the_middle && dice_.one_in(3));
    if (in_the_middle) {
      laboratory_.network.capture_in_the_middle(*recorder_);
    } else {
      laboratory_.network.capture_at(at, *recorder_);
    }
    if (dice_.one_in(4)) {
      content_ = dice_.below(std::size(content_names) - 1) + 1;
      for (const auto& pair : laboratory_.pairs) {
        for (const auto& side : pair->sides) {
          side->model = look_alike(dice_, content_, side_memory);
          std::ranges::copy(side->model, side->memory.begin());  // which is registered where it is
        }
      }
    }
  }

  ConformingTraffic run() {
    laboratory_.new_round();
    for (const auto& pair : laboratory_.pairs) laboratory_.connect(*pair);
    // A responder that has heard nothing says nothing, not even in a Terminate.
    const bool by_verb = end_ == End::terminate || end_ == End::two_terminates ||
                         end_ == End::terminate_then_reset || end_ == End::reset;
    std::uint32_t rounds = by_verb ? dice_.between(1, 2) : dice_.below(3);
    for (; rounds != 0 && !testing::Test::HasFatalFailure(); --rounds) {
      work();
      laboratory_.new_round();
    }
    switch (end_) {
      case End::fin:
      case End::two_fins: close(); break;
      case End::open: leave_open(); break;
      default: fall_out();
    }
    return {std::move(recorder_->segments), end_names[static_cast<std::size_t>(end_)],
            content_names[content_]};
  }

 private:
  [[nodiscard]] LaboratoryOptions options() {
    return {
        .pairs = dice_.one_in(5) ? 2U : 1U, .bad_network = !dice_.one_in(4), .own_queues = end_ != End::open};
  }

  void work() {
    for (const auto& pair : laboratory_.pairs) laboratory_.make_work(*pair);
    ASSERT_TRUE(laboratory_.run_to_the_end()) << laboratory_.state_of_things();
  }

  void close() {
    work();
    for (const auto& pair : laboratory_.pairs) {
      const unsigned first = dice_.below(2);
      EXPECT_EQ(laboratory_.modify(*pair->sides[first], {.next = QpState::closing}), Status::ok);
      if (end_ == End::two_fins) {
        EXPECT_EQ(laboratory_.modify(*pair->sides[1 - first], {.next = QpState::closing}), Status::ok);
      }
    }
    run_until_over();
  }

  void leave_open() {
    for (const auto& pair : laboratory_.pairs) laboratory_.make_work(*pair);
    std::uint32_t left = dice_.between(1, 200);
    (void)laboratory_.run([&left] { return --left == 0; });
  }

  // Something ends it while both are at work.
  void fall_out() {
    Pair& pair = *laboratory_.pairs.front();
    const unsigned which = dice_.below(2);
    Side& own = *pair.sides[which];
    Side& peer = *pair.sides[1 - which];
    for (const auto& each : laboratory_.pairs) laboratory_.make_work(*each);
    pair.hurt = true;
    if (end_ == End::refused) {
      const WorkRequest bad = refused_request(own, peer, pair.reads[which]);
      const auto place = static_cast<std::ptrdiff_t>(dice_.below(own.work.size()));
      own.work.insert(own.work.begin() + place, bad);
      run_until_over();
      return;
    }
    std::uint32_t left = dice_.below(60);
    const std::uint32_t between = dice_.below(4);
    bool sent = false;
    run_until_over([&] {
      if (own.state() == QpState::rts && peer.state() == QpState::rts && left != 0) {
        --left;
        return;
      }
      if (!sent) {
        sent = true;
        left = between;
        end_ == End::reset ? reset(own) : terminate(own);
      } else if (end_ == End::two_terminates) {
        if (left != 0) {
          --left;
        } else {
          terminate(peer);
        }
      } else if (end_ == End::terminate_then_reset) {
        reset_if_terminated(peer, pair.links[1 - which]);
      }
    });
  }

  // It is sent at once: whoever waited might have received the peer's in the meantime.
  void terminate(Side& side) {
    if (side.state() != QpState::rts) return;
    EXPECT_EQ(laboratory_.modify(side, {.next = QpState::terminate}), Status::ok);
    laboratory_.act(false);
  }

  void reset(Side& side) {
    if (side.state() != QpState::rts) return;
    EXPECT_EQ(laboratory_.modify(side, {.next = QpState::error}), Status::ok);
    laboratory_.act(false);
  }

  void reset_if_terminated(Side& side, Link& link) {
    const auto record = side.rnic.query_qp(side.qp).value.terminate;
    if (link.over || !record || record->local) return;
    link.transport->close(replay::Close::reset);
    link.over = true;
    side.rnic.handle_close(side.stream, StreamClose::reset, laboratory_.now());
  }

  [[nodiscard]] WorkRequest refused_request(Side& own, Side& peer, bool reads) {
    constexpr std::uint32_t unknown_stag = 0xdeadbe00;
    const bool bounds = dice_.one_in(2);
    const std::uint32_t size = dice_.between(1, 3000);
    WorkRequest request{.id = own.next_id++,
                        .sgl = {{own.all_own.stag, size, own.all_own.base}},
                        .stag = bounds ? peer.all_target.stag : unknown_stag,
                        .to = bounds ? peer.all_target.base + side_memory : dice_.word() >> 8U};
    switch (dice_.below(reads ? 3 : 2)) {
      case 0:  // longer than any receive buffer
        request.operation = Operation::send;
        request.sgl = {{own.all_own.stag, own_size, own.all_own.base}};
        break;
      case 1: request.operation = Operation::rdma_write; break;
      default: request.operation = Operation::rdma_read; break;
    }
    return request;
  }

  // Until neither end waits for anything, but not for ever: a RST that is lost is not sent again.
  void run_until_over(const std::function<void()>& meanwhile = [] {}) {
    const TimeNs limit = laboratory_.now() + 60 * second;
    (void)laboratory_.run([&] {
      meanwhile();
      if (laboratory_.now() > limit) return true;
      return std::ranges::all_of(laboratory_.pairs, [](const auto& pair) {
        return std::ranges::all_of(pair->sides, [](const auto& side) {
          const QpState state = side->state();
          return (state == QpState::error || state == QpState::idle) && side->rnic.next_timeout() == never;
        });
      });
    });
  }

  Dice dice_;
  End end_;
  std::size_t content_ = 0;
  std::unique_ptr<Recorder> recorder_;  // sees what the laboratory sends, even when it goes
  Laboratory laboratory_;
};

}  // namespace

ConformingTraffic conforming_traffic(std::uint64_t seed) {
  return Play(seed, conforming_ends).run();
}

ConformingTraffic crossing_traffic(std::uint64_t seed) {
  return Play(seed, crossing_ends).run();
}

}  // namespace iwarp::rnic::test
