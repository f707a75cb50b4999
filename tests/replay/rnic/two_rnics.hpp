// Two soft-RNICs joined by a pipe in memory, and one with hand-made octets at the other end.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "rnic/soft_rnic.hpp"
#include "support/octets.hpp"

namespace iwarp::rnic::test {

using namespace iwarp::test;

inline constexpr std::uint64_t region_base = 0x7f0000000000;
inline constexpr Byte region_key = 0x5a;

struct EndOptions {
  RnicOptions rnic = {};
  StreamParameters stream = {};
  QpAttributes qp = {};
  std::size_t memory = 65536;
  std::uint32_t cqes = 4096;
  AccessRights rights = access::local | access::remote | access::bind;
};

// An RNIC with a PD, two CQs, a QP and a registered region; no stream yet.
struct End {
  explicit End(const EndOptions& options = {});

  // TO of an octet of `memory`, and a scatter/gather element over it.
  [[nodiscard]] std::uint64_t to(std::size_t offset) const { return region_base + offset; }
  [[nodiscard]] Sge at(std::size_t offset, std::uint32_t length) const { return {stag, length, to(offset)}; }

  void open(TimeNs now = 0);
  // To RTS with the stream.
  Status ready();
  Status move(QpState next) { return rnic.modify_qp(qp, {.next = next}); }
  [[nodiscard]] QpState state() const { return rnic.query_qp(qp).value.state; }
  std::vector<WorkCompletion> sends();     // everything in the send CQ
  std::vector<WorkCompletion> receives();  // … the receive CQ
  std::vector<AsyncEventKind> events();
  std::vector<StreamEventKind> stream_events();

  EndOptions options;
  SoftRnic rnic;
  PdId pd;
  CqId send_cq;
  CqId receive_cq;
  QpId qp = QpId::none;
  StreamId stream = StreamId::none;
  Bytes memory;
  std::uint32_t stag = 0;
};

// Moves octets and closes between two ends, in virtual time, cut as `cut` says: given the number of octets
// that are there it returns how many are handed over at once.
class Wire {
 public:
  Wire(End& a, End& b) : ends_{&a, &b} {}

  // Until neither end has anything to say.
  void run();
  // One step: some octets or a close, one way. False: nothing to do.
  bool step(unsigned from);

  std::function<std::size_t(std::size_t)> cut = [](std::size_t there) { return there; };
  // Told of everything that is handed over.
  std::function<void(unsigned from, const Bytes& octets)> on_octets = [](unsigned, const Bytes&) {};
  std::function<void(unsigned from, OutputKind close)> on_close = [](unsigned, OutputKind) {};
  TimeNs now = 0;
  Bytes sent[2];  // everything an end put on the wire
  std::vector<OutputKind> closes[2];

 private:
  struct Way {
    Bytes octets;
    std::vector<OutputKind> closes;
    bool over = false;
  };
  void fetch(unsigned from);
  End* ends_[2];
  Way ways_[2];
};

// Both ends opened, started and run until they are in RTS: a is the initiator.
void connect(End& a, End& b, Wire& wire);

// One RNIC whose peer is the test: it takes ULPDUs made by tests/support and shows what comes back.
class Bench {
 public:
  // `role`: of the RNIC. Rev 1, CRC on, no markers, unless `options` say otherwise.
  explicit Bench(Role role = Role::responder, EndOptions options = {});

  // As an FPDU, complete.
  void send(const Bytes& ulpdu) { input(peer_.add(ulpdu)); }
  void input(const Bytes& octets) { end.rnic.handle_input(end.stream, octets, now); }
  // Everything the RNIC says now: ULPDUs of its FPDUs; CRC and framing are checked on the way.
  std::vector<Bytes> output();
  // The value of the only Terminate in what comes now; 0: none. -1: several.
  int terminate_code();
  Bytes last_terminate;  // its ULPDU

  End end;
  TimeNs now = 0;
  bool closed = false;  // it said FIN
  bool reset = false;   // it said RST
  [[nodiscard]] FpduStream& peer() { return peer_; }

 private:
  FpduStream peer_;
};

[[nodiscard]] EndOptions rev1(Role role, EndOptions options = {});

}  // namespace iwarp::rnic::test
