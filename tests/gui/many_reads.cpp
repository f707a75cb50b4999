// SPDX-License-Identifier: GPL-2.0-or-later
#include "many_reads.hpp"

#include <algorithm>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/segment.hpp>
#include <iwarp/wire/ddp.hpp>
#include <iwarp/wire/mpa.hpp>
#include <iwarp/wire/rdmap.hpp>

namespace iwarp::gui {
namespace {

constexpr std::size_t headers = 14 + 20 + 20;
constexpr std::size_t response_octets = 8;

struct Stream {
  std::uint32_t sequence[2] = {1001, 900'001};
  std::uint32_t requests = 0;
};

// The start-up agrees on no CRC: its field stays zero.
Bytes fpdu(const wire::DdpHeader& ddp, const Bytes& rest) {
  Bytes octets(2);
  wire::encode(ddp, octets);
  octets.insert(octets.end(), rest.begin(), rest.end());
  const auto ulpdu = static_cast<std::uint16_t>(octets.size() - 2);
  store_be16(octets.data(), ulpdu);
  octets.resize(octets.size() + wire::pad_size(ulpdu) + 4);
  return octets;
}

class Source final : public RecordSource {
 public:
  explicit Source(const ManyReads& reads) : reads_(reads), streams_(reads.streams) {}

  Next next(capture::Record& record) override {
    const std::uint64_t step = step_++;
    constexpr std::uint64_t opening = 5;  // frames
    if (step < opening * streams_.size()) {
      open(static_cast<std::uint32_t>(step / opening), step % opening);
    } else {
      const std::uint64_t half = step - opening * streams_.size();
      if (half / 2 >= reads_.reads) return Next::end;
      read(static_cast<std::uint32_t>(half / 2), half % 2 == 1);
    }
    record = {};
    record.octets = frame_;
    record.wire_length = static_cast<std::uint32_t>(frame_.size());
    record.time_ns = time_ns_;
    record.has_time = true;
    record.number = step_;
    record.link_type = 1;  // Ethernet
    return Next::record;
  }
  const std::optional<capture::Damage>& damage() const noexcept override { return none_; }
  capture::Progress progress() const noexcept override { return {step_, 2 * std::uint64_t{reads_.reads}}; }
  bool frame(FrameNumber, capture::Record&, std::string& error) override {
    error = "these frames are nowhere";
    return false;
  }

 private:
  void open(std::uint32_t number, std::uint64_t step) {
    time_ns_ += 1000;
    Stream& stream = streams_[number];
    if (step < 2) --stream.sequence[step];
    const auto flags = static_cast<std::uint8_t>(step == 0   ? tcp::syn
                                                 : step == 1 ? tcp::syn | tcp::ack
                                                 : step == 2 ? tcp::ack
                                                             : tcp::ack | tcp::psh);
    Bytes payload;
    if (step >= 3) {
      wire::StartupFrame frame;
      if (step == 4) frame.kind = wire::StartupKind::reply;
      frame.enhanced = true;
      frame.revision = 2;
      frame.private_data_length = 4;
      Bytes word(4);
      wire::EnhancedWord depths;
      depths.ird = depths.ord = 16;
      wire::encode(depths, word.data());
      frame.private_data = word;
      wire::encode(frame, payload);
    }
    segment(number, step == 0 || step == 2 || step == 3 ? 0 : 1, flags, payload);
    if (step < 2) ++stream.sequence[step];
  }

  void read(std::uint32_t number, bool response) {
    const std::uint32_t of = number % reads_.streams;
    Stream& stream = streams_[of];
    wire::DdpHeader ddp;
    if (!response) {
      time_ns_ += 2000;
      ddp.ddp_control = 0x41;
      ddp.rdmap_control = 0x41;  // Read Request
      ddp.queue = 1;
      ddp.msn = ++stream.requests;
      Bytes request;
      wire::encode(wire::ReadRequest{0x00a1b202, 0x7f00'0000'1000, response_octets, 0x1234'ab01, 0x2000},
                   request);
      segment(of, 0, tcp::ack | tcp::psh, fpdu(ddp, request));
      return;
    }
    const std::uint32_t spread = number * 2'654'435'761U >> 20U;  // up to 4095
    time_ns_ += reads_.is_outlier(number) ? 2'000'000 + TimeNs{spread} * 1000 : 8000 + TimeNs{spread};
    ddp.ddp_control = 0xc1;
    ddp.rdmap_control = 0x42;  // Read Response
    ddp.stag = 0x00a1b202;
    ddp.to = 0x7f00'0000'1000;
    segment(of, 1, tcp::ack | tcp::psh, fpdu(ddp, Bytes(response_octets, Byte{0x77})));
  }

  // Its checksums are left to the NIC.
  void segment(std::uint32_t number, std::size_t from, std::uint8_t flags, const Bytes& payload) {
    frame_.assign(headers, 0);
    frame_[12] = 0x08;
    Byte* const ip = frame_.data() + 14;
    ip[0] = 0x45;
    store_be16(ip + 2, static_cast<std::uint16_t>(headers - 14 + payload.size()));
    ip[8] = 64;
    ip[9] = 6;
    const std::uint32_t ends[2] = {0x0a00'0001 + (number >> 14U << 8U), 0x0a80'0001};
    store_be32(ip + 12, ends[from]);
    store_be32(ip + 16, ends[1 - from]);
    Byte* const tcp = ip + 20;
    const std::uint16_t ports[2] = {static_cast<std::uint16_t>(20'000 + number % 16'384), 18'515};
    store_be16(tcp, ports[from]);
    store_be16(tcp + 2, ports[1 - from]);
    Stream& stream = streams_[number];
    store_be32(tcp + 4, stream.sequence[from]);
    if ((flags & tcp::ack) != 0) store_be32(tcp + 8, stream.sequence[1 - from]);
    tcp[12] = 5U << 4U;
    tcp[13] = flags;
    store_be16(tcp + 14, 0xffff);
    frame_.insert(frame_.end(), payload.begin(), payload.end());
    stream.sequence[from] += static_cast<std::uint32_t>(payload.size());
  }

  const ManyReads reads_;
  std::vector<Stream> streams_;
  std::uint64_t step_ = 0;
  TimeNs time_ns_ = 1'700'000'000'000'000'000;
  Bytes frame_;
  std::optional<capture::Damage> none_;
};

}  // namespace

OpenSource source_of(const ManyReads& reads) {
  return [reads](std::string&, std::function<bool()>) -> std::unique_ptr<RecordSource> {
    return std::make_unique<Source>(reads);
  };
}

}  // namespace iwarp::gui
