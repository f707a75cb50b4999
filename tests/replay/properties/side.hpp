// One end of a Queue Pair under random work: its memory, the STags over it, what it still has to do, and the
// model of all that, which knows nothing of the soft-RNIC but the words of its interface.
//
// The model is sequential: what an end asks for is done at once, in post order, on plain octets. That is
// right because each part of memory belongs to one direction of work, and the generator sets a fence wherever
// the ordering rules (RFC 5040 §5.5, RFC 7306 §7) leave an order open.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "replay/properties/dice.hpp"
#include "rnic/soft_rnic.hpp"
#include "support/octets.hpp"

namespace iwarp::rnic::test {

using namespace iwarp::test;

// Memory of an end: `own` is changed by its own Reads and Atomics alone and is what it sends from; `target`
// is written and read by the peer, `words` are the peer's Atomics'.
inline constexpr std::size_t own_size = 8192;
inline constexpr std::size_t target_start = own_size;
inline constexpr std::size_t target_size = 8192;
inline constexpr std::size_t words_start = target_start + target_size;
inline constexpr std::size_t word_count = 8;
inline constexpr std::size_t side_memory = words_start + word_count * 8;
inline constexpr std::uint32_t max_message = 6000;

// An STag over a part of an end's memory.
struct Door {
  enum class Kind : std::uint8_t {
    fixed,  // registered for good
    fast,   // by Fast-Register
    window  // by Bind
  };
  Kind kind = Kind::fixed;
  std::uint32_t stag = 0;
  std::size_t start = 0;   // in the end's memory
  std::size_t length = 0;  // octets
  std::uint64_t base = 0;  // TO of the first
  bool valid = false;
  bool offered = false;    // in this round: the peer may use it, and nobody else
  bool withdrawn = false;  // in this round: it is invalidated by its owner
  bool doubtful = false;   // it may be Valid or not: it is invalidated before anything else

  [[nodiscard]] std::uint64_t to(std::size_t place) const { return base + (place - start); }
};

struct Expected {
  std::uint64_t id = 0;
  Operation operation = Operation::send;
  bool signaled = true;
  std::uint64_t original = 0;
};

// A message that is to arrive.
struct Receipt {
  Bytes content;
  bool solicited = false;
  bool invalidated = false;
  std::uint32_t invalidated_stag = 0;
  bool has_immediate = false;
  std::uint64_t immediate = 0;
};

// Memory for receive buffers, of all QPs of a host.
struct ReceivePool {
  struct Piece {
    std::size_t start = 0;
    std::uint32_t length = 0;
  };
  static constexpr Byte fill = 0xee;

  Bytes memory = Bytes(std::size_t{1} << 20, fill);
  std::uint32_t stag = 0;
  std::uint64_t base = 0;
  std::size_t used = 0;
  std::uint64_t next_id = 1;
  std::map<std::uint64_t, std::vector<Piece>> buffers;  // by Work Request

  // A Work Request with a buffer of so many octets, in a random number of elements.
  ReceiveRequest make(Dice& dice, std::uint32_t capacity);
  [[nodiscard]] Bytes content(std::uint64_t id, std::uint32_t length) const;
  // Whether what lies behind `length` octets of the buffer is as it was.
  [[nodiscard]] bool rest_untouched(std::uint64_t id, std::uint32_t length) const;
  void reset();
};

struct Side {
  Side(SoftRnic& owner, PdId domain, ReceivePool& receive_pool, Dice& dice);
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  [[nodiscard]] QpState state() const { return rnic.query_qp(qp).value.state; }
  [[nodiscard]] bool done() const {
    return posted == work.size() && to_receive.empty() && receive_log.size() >= messages.size() &&
           (work.empty() || (!send_log.empty() && send_log.back().id == work.back().id));
  }
  void make_buffer(Dice& dice, std::uint32_t capacity);
  // What has been done is forgotten.
  void new_round(Dice& dice);

  SoftRnic& rnic;
  ReceivePool& pool;
  PdId pd;
  QpId qp = QpId::none;
  StreamId stream = StreamId::none;
  SrqId srq = SrqId::none;
  CqId send_cq = CqId::none;
  CqId receive_cq = CqId::none;
  bool hold_off = false;
  std::size_t kept = 0;     // Work Requests at the end that are not posted yet
  bool reaps_sends = true;  // else completions stay in the CQ
  bool reaps_receives = true;

  Bytes memory;
  Bytes model;
  Door all_own;             // over `own`
  Door all_target;          // over `target`
  Door all_words;           // over `words`
  std::vector<Door> outer;  // over `target`, come and go
  std::vector<Door> inner;  // over `own`, come and go

  std::uint64_t next_id = 1;
  std::vector<WorkRequest> work;
  std::size_t posted = 0;
  std::vector<Expected> expected;
  std::deque<ReceiveRequest> to_receive;
  std::size_t buffers_made = 0;
  std::vector<std::uint64_t> receive_ids;  // posted on the own RQ, in order
  std::vector<Receipt> messages;
  std::vector<WorkCompletion> send_log;
  std::vector<WorkCompletion> receive_log;
  std::vector<AsyncEventKind> events;
};

}  // namespace iwarp::rnic::test
