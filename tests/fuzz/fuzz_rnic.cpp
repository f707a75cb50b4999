// Fuzzes the soft-RNIC with what a peer may send, and with a Consumer that goes on working meanwhile.
//
// Input: octet 0 modes, the rest steps. A step below 0xc0 is an FPDU with a ULPDU of so many of the octets
// that follow, framed rightly; from 0xc0 to 0xdf that many octets as they are, whatever that makes of the
// framing; above that something that the Consumer or the LLP does. Checked besides the sanitizers: memory
// that the peer has no right to is as it was, at most one Terminate is sent and nothing behind it,
// completions are bounded by what was posted, and a QP whose connection is gone comes to rest.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <iwarp/wire/mpa.hpp>

#include "rnic/soft_rnic.hpp"

namespace {

using namespace iwarp;
using namespace iwarp::rnic;

constexpr std::uint32_t index_of_region = 0x1234ab;
constexpr Byte key_of_region = 0xcd;
constexpr std::uint64_t base = 0x1000;
constexpr std::size_t region_size = 4096;
constexpr std::size_t guard = 256;
constexpr Byte guard_octet = 0xa5;

void require(bool holds) {
  if (!holds) std::abort();
}

class Subject {
 public:
  explicit Subject(unsigned modes)
      : responder_((modes & 0x01U) != 0),
        markers_((modes & 0x02U) != 0),
        enhanced_((modes & 0x04U) != 0),
        rnic_(RnicOptions{.seed = 1, .max_cqes = 1024}) {
    pd_ = rnic_.allocate_pd().value;
    cq_ = rnic_.create_cq((modes & 0x40U) != 0 ? 2 : 1024).value;
    QpAttributes attributes;
    attributes.pd = pd_;
    attributes.send_cq = attributes.receive_cq = cq_;
    attributes.privileged = (modes & 0x08U) != 0;
    attributes.ird = attributes.ord = 3;
    attributes.hold_off = (modes & 0x10U) != 0;
    if ((modes & 0x20U) != 0) attributes.srq = srq_ = rnic_.create_srq({.pd = pd_, .limit = 2}).value;
    qp_ = rnic_.create_qp(attributes).value;
    Mapping mapping;
    mapping.buffers = contiguous(memory_.data() + guard, region_size);
    mapping.length = region_size;
    mapping.virtual_address = base;
    mapping.rights = access::local | access::remote | access::bind;
    require(rnic_.register_region(pd_, key_of_region, true, mapping, index_of_region).status == Status::ok);
    mapping.buffers = contiguous(secret_.data(), secret_.size());
    mapping.length = secret_.size();
    mapping.rights = access::local;
    require(rnic_.register_region(pd_, key_of_region, false, mapping, index_of_region + 1).status ==
            Status::ok);
    window_ = make_stag(rnic_.allocate_window(pd_, index_of_region + 2).value, 1);
    StreamParameters parameters;
    parameters.role = responder_ ? Role::responder : Role::initiator;
    parameters.mpa.crc = false;
    parameters.mpa.markers = markers_;
    parameters.mpa.revision = enhanced_ ? 2 : 1;
    parameters.mpa.peer_to_peer = enhanced_;
    if ((modes & 0x80U) != 0) parameters.max_ulpdu = 1;  // too short for any header
    stream_ = rnic_.open_stream(parameters, 0);
    require(rnic_.modify_qp(qp_, {.next = QpState::rts, .stream = stream_}) == Status::ok);
  }

  void start_up() {
    wire::StartupFrame frame;
    frame.kind = responder_ ? wire::StartupKind::request : wire::StartupKind::reply;
    frame.revision = enhanced_ ? 2 : 1;
    Bytes word(4);
    if (enhanced_) {
      frame.enhanced = true;
      wire::encode(wire::EnhancedWord{.peer_to_peer = true,
                                      .rtr_send = true,
                                      .rtr_write = true,
                                      .rtr_read = true,
                                      .ird = 3,
                                      .ord = 3},
                   word.data());
      frame.private_data = word;
      frame.private_data_length = 4;
    }
    Bytes octets;
    wire::encode(frame, octets);
    input(octets);
  }

  void input(ByteView octets) {
    rnic_.handle_input(stream_, octets, ++now_);
    position_ += octets.size();
  }

  // As MPA frames it (RFC 5044 §4), without CRC. `position_` counts octets of Full Operation.
  void fpdu(ByteView ulpdu) {
    Bytes plain(2);
    store_be16(plain.data(), static_cast<std::uint16_t>(ulpdu.size()));
    plain.insert(plain.end(), ulpdu.begin(), ulpdu.end());
    plain.resize((plain.size() + 3) / 4 * 4 + 4);
    if (!markers_) return input(plain);
    Bytes marked;
    for (std::size_t at = 0; at < plain.size(); at += 4) {
      if ((position_ + marked.size()) % 512 == 0) {
        const std::size_t back = marked.size();
        marked.insert(marked.end(), {0, 0, static_cast<Byte>(back >> 8U), static_cast<Byte>(back)});
      }
      marked.insert(marked.end(), plain.begin() + static_cast<std::ptrdiff_t>(at),
                    plain.begin() + static_cast<std::ptrdiff_t>(at + 4));
    }
    input(marked);
  }
  void begin_full_operation() { position_ = 0; }

  void consume(unsigned what) {
    const Sge element{make_stag(index_of_region, key_of_region), 16, base + 64 * (what % 8)};
    WorkRequest request{.id = ++posted_, .sgl = {element}, .stag = 5};
    switch (what % 16) {
      case 0: return post_receive({.id = posted_, .sgl = {element}});
      case 1: return post_receive({.id = posted_});
      case 2: request.operation = Operation::rdma_read; break;
      case 3: request.operation = Operation::rdma_read_inv; break;
      case 4: request.operation = Operation::rdma_write; break;
      case 5:
        request.operation = Operation::fetch_add;
        request.sgl = {Sge{element.stag, 8, element.to}};
        break;
      case 6: request.operation = Operation::immediate; break;
      case 7:
        request.operation = Operation::bind_window;
        request.binding = {.window = window_,
                           .region = element.stag,
                           .virtual_address = base,
                           .length = 64,
                           .rights = access::remote};
        break;
      case 8:
        request.operation = Operation::local_invalidate;
        request.local_fence = true;
        request.stag = window_;
        break;
      case 9: request.sgl = {Sge{0xdeadbe00, 4, 0}}; break;
      case 10: rnic_.handle_timeout(now_ += 20'000'000'000); return;
      case 11: rnic_.handle_close(stream_, StreamClose::graceful, ++now_); return;
      case 12: (void)rnic_.modify_qp(qp_, {.next = QpState::closing}); return;
      case 13: (void)rnic_.modify_qp(qp_, {.next = QpState::terminate}); return;
      case 14: return reap();
      default: break;
    }
    if (rnic_.post_send(qp_, request).status != Status::ok) --posted_;
  }

  void listen() {
    for (;;) {
      const Output output = rnic_.poll_output(stream_, now_);
      if (output.kind == OutputKind::none) return;
      require(!over_);
      if (output.kind == OutputKind::close_graceful || output.kind == OutputKind::reset) {
        finished_ = true;
        over_ = output.kind == OutputKind::reset;
        continue;
      }
      require(!finished_);
      said_ += output.octets.size();
    }
  }

  void reap() {
    for (auto next = rnic_.poll_cq(cq_); next; next = rnic_.poll_cq(cq_)) ++completed_;
    require(completed_ <= posted_);
  }

  void finish() {
    listen();
    rnic_.handle_close(stream_, StreamClose::lost, ++now_);
    listen();
    reap();
    const QpState state = rnic_.query_qp(qp_).value.state;
    require(state == QpState::idle || state == QpState::error);
    require(std::all_of(secret_.begin(), secret_.end(), [](Byte octet) { return octet == guard_octet; }));
    require(std::all_of(memory_.begin(), memory_.begin() + guard,
                        [](Byte octet) { return octet == guard_octet; }));
    require(
        std::all_of(memory_.end() - guard, memory_.end(), [](Byte octet) { return octet == guard_octet; }));
  }

 private:
  void post_receive(const ReceiveRequest& request) {
    const PostResult result =
        srq_ == SrqId::none ? rnic_.post_receive(qp_, request) : rnic_.post_srq(srq_, {&request, 1});
    if (result.status != Status::ok) --posted_;
  }

  bool responder_;
  bool markers_;
  bool enhanced_;
  std::vector<Byte> memory_ = std::vector<Byte>(region_size + 2 * guard, guard_octet);
  std::vector<Byte> secret_ = std::vector<Byte>(64, guard_octet);
  SoftRnic rnic_;
  PdId pd_ = PdId::none;
  CqId cq_ = CqId::none;
  SrqId srq_ = SrqId::none;
  QpId qp_ = QpId::none;
  StreamId stream_ = StreamId::none;
  std::uint32_t window_ = 0;
  TimeNs now_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t posted_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t said_ = 0;
  bool finished_ = false;
  bool over_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  ByteView left(data + 1, size - 1);
  Subject subject(data[0]);
  if ((data[0] & 0x80U) == 0) subject.start_up();
  subject.begin_full_operation();
  while (!left.empty()) {
    const unsigned step = left.front();
    left = left.subspan(1);
    const bool framed = step < 0xc0;
    if (step < 0xe0) {
      const std::size_t count = std::min<std::size_t>(framed ? step : step - 0xc0, left.size());
      framed ? subject.fpdu(left.first(count)) : subject.input(left.first(count));
      left = left.subspan(count);
    } else {
      subject.consume(step);
    }
    if ((step & 1U) == 0) subject.listen();
  }
  subject.finish();
  return 0;
}
