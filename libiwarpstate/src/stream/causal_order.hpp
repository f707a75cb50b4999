// CausalOrder: settles the order of the two directions of one connection by acknowledgement.
//
// A capture may show an answer before its question: a mirror merges two links, timestamps tie. What one
// side had received when it sent a segment is told by its acknowledgement number alone. So a segment that
// acknowledges octets not seen yet waits, and with it the later segments of its direction, until
//   - the octets came (in a copy that is not suspect: Reassembler::available_offset), or
//   - `reorder_frames` further segments of the connection, or `reorder_time_ns` of capture time passed, while
//   the
//     other direction is known to have gone beyond them (a segment of it, with or without octets, lies
//     behind), or
//   - `lag_time_ns` passed while it is not: two mirrors may deliver the directions out of step, or
//   - too much waits, or flush() was called:
// then the caller is told that the octets of the other side are missing, before it gets the segment.
// A segment of the same direction wholly before all that waits in front of it, whose own acknowledgement is
// no reason to wait, does not wait. Two segments that wait for each other's octets (one is a retransmission
// whose first copy was not captured) are let go, the later captured one first.
//
// Nothing waits for a direction
//   - that has not been seen at all, or is silent since three gaps in a row, with nothing behind them, were
//   declared in it and nothing of it waits;
//   - for octets more than 16 MiB beyond everything seen of it (a sloppy generator's number);
//   - for octets already given up once;
//   - because of a SYN or a segment without the ACK flag.
// One octet beyond everything seen may be the FIN: it is waited for, and giving it up is a step of its own.
//
// The usual segment, whose acknowledgement is not ahead, is handed on as it is, without a copy.
//
//   order.add(side, segment, streams);           // or order.flush()
//   for (CausalOrder::Step step; order.next(step, streams);) {
//     if (step.kind == CausalOrder::Kind::missing) {
//       drain(step.side);
//       while (streams[index(step.side)].declare_gap(step.upto)) drain(step.side);
//     } else if (step.kind == CausalOrder::Kind::deliver) {
//       streams[index(other(step.side))].acknowledged(step.ack);  drain(other(step.side));
//       streams[index(step.side)].push(*step.segment, step.ack);  drain(step.side);
//     }
//   }
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <iwarp/bytes.hpp>
#include <iwarp/fifo.hpp>
#include <iwarp/ids.hpp>
#include <iwarp/segment.hpp>

#include "base/segment_members.hpp"
#include "stream/reassembler.hpp"

namespace iwarp::stream {

struct CausalOrderOptions {
  std::uint32_t reorder_frames = 16;     // further segments of the connection a segment waits for
  TimeNs reorder_time_ns = 100'000'000;  // capture time a segment waits
  TimeNs lag_time_ns = 1'000'000'000;    // … when the other direction may just lag behind
  std::size_t max_segments = 256;        // waiting in one direction
  std::size_t max_octets = 1U << 20U;    // of payload, waiting in one direction
};

// Not thread-safe; throws nothing but bad_alloc.
class CausalOrder {
 public:
  enum class Kind : std::uint8_t {
    deliver,      // push `segment` into the stream of `side`
    missing,      // octets of `side` before `upto` were not captured: declare them a gap
    missing_end,  // `side` sent its FIN before `upto`, or a single octet, which was not captured
  };

  struct Step {
    Kind kind = Kind::deliver;
    Side side = Side::a;
    bool limit = false;  // missing: given up because too much waited
    // deliver: the caller's segment or a copy of it; until the next call of next(), add() or flush().
    const TcpSegment* segment = nullptr;
    // deliver: what its sender had acknowledged of the other stream, as an offset there, the FIN not
    // counted; 0 when not known (no ACK flag, nothing of the other side seen, a number beyond all
    // plausibility).
    StreamOffset ack = 0;
    StreamOffset upto = 0;  // missing, missing_end
    // deliver: its first copy was not captured, most likely; `ack` may be more than was acknowledged then.
    bool repeated = false;
    // missing, missing_end: the segment that shows it: the one behind them, waiting itself, or the one that
    // acknowledges them.
    Placement shown_by;
  };

  CausalOrder() = default;
  explicit CausalOrder(CausalOrderOptions options) noexcept : options_(options) {}

  // Takes the next captured segment of the connection. It must stay as it is until next() returned false.
  // REQUIRES: next() returned false since the last add() or flush().
  void add(Side side, const TcpSegment& segment, const StreamPair& streams);

  // What to do next; false: nothing until the next add(). The caller does it before asking again:
  // `streams` must show the effect.
  bool next(Step& step, const StreamPair& streams) {
    if (direct_ != nullptr) {
      step = {Kind::deliver, direct_side_, false, direct_, direct_ack_, 0, false, {}};
      direct_ = nullptr;
      return true;
    }
    if (!held_[0].empty() || !held_[1].empty()) return next_held(step, streams);
    flushing_ = false;
    return false;
  }

  // End of the capture, or of the connection: nothing waits any longer. Call next() until it is false.
  void flush() noexcept { flushing_ = true; }

  // How far the stream of `side` is to be read before the segments of its peer that wait: the first of them
  // was captured before the rest, which its sender had not received. Everything where none waits.
  [[nodiscard]] ReadLimit read_limit(Side side, const StreamPair& streams) const noexcept;

  // Segments that wait will not be asked for any more: frees them.
  void forget_waiting() {
    held_ = {};
    octets_ = {};
  }

  // Behind the last octet of `side` that waits, an offset of its stream; 0 where none waits, or the stream
  // did not start.
  [[nodiscard]] StreamOffset waiting_end(Side side, const StreamPair& streams) const noexcept;

  // Something had to wait: a direction was behind the other one, or octets of it are missing.
  [[nodiscard]] bool waited() const noexcept { return waited_; }
  [[nodiscard]] std::size_t waiting_segments() const noexcept { return held_[0].size() + held_[1].size(); }
  [[nodiscard]] std::size_t waiting_octets() const noexcept { return octets_[0] + octets_[1]; }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [options, direct, direct_ack, direct_side, flushing, waited, silent_gaps, added, latest_ns,
           frontier, given_up, held, octets, released] = *this;
    codec(direct_ack, direct_side, flushing, waited, silent_gaps, added, latest_ns, frontier, given_up, held,
          octets);
    codec.absent(direct);
  }

 private:
  // What a segment's acknowledgement number means now.
  struct Need {
    StreamOffset ack = 0;   // to hand on
    StreamOffset upto = 0;  // the offset acknowledged
    bool ahead = false;     // octets before `upto` are to be waited for
    bool fin_only = false;  // all that can be missing is the FIN
  };
  struct Held {
    TcpSegment segment;  // its payload is `payload`
    Bytes payload;
    std::uint64_t arrival = 0;  // value of added_

    template <typename Codec>
    void pack(Codec& codec) {
      codec(segment, payload, arrival);
      segment.payload = payload;
    }
  };
  // Where missing octets end, and the segment that shows it.
  struct HoleEnd {
    StreamOffset upto = ~StreamOffset{0};
    Placement shown_by;
  };
  static constexpr std::size_t none = ~std::size_t{0};

  bool next_held(Step& step, const StreamPair& streams);
  [[nodiscard]] Need need_of(Side side, const TcpSegment& segment, const StreamPair& streams) const noexcept;
  [[nodiscard]] std::size_t first_ready(Side side, const StreamPair& streams) const noexcept;
  [[nodiscard]] std::size_t carrier(Side side, const StreamPair& streams) const noexcept;
  [[nodiscard]] HoleEnd first_held(Side side, const StreamPair& streams) const noexcept;
  [[nodiscard]] bool overdue(Side side, const StreamPair& streams) const noexcept;
  [[nodiscard]] bool lags(Side side, StreamOffset upto, const StreamPair& streams) const noexcept;
  [[nodiscard]] bool overfull(Side side) const noexcept;
  [[nodiscard]] std::uint64_t arrival_of(Side side, std::size_t position) const noexcept;
  void hold(Side side, const TcpSegment& segment);
  void release(Side side, std::size_t position, const StreamPair& streams, Step& step);
  void give_up(Side side, const StreamPair& streams, Step& step);

  CausalOrderOptions options_;
  const TcpSegment* direct_ = nullptr;  // handed on without waiting
  StreamOffset direct_ack_ = 0;
  Side direct_side_ = Side::a;
  bool flushing_ = false;
  bool waited_ = false;
  std::array<std::uint8_t, 2> silent_gaps_{};  // declared since a segment of this direction came, or left
  std::uint64_t added_ = 0;
  TimeNs latest_ns_ = 0;
  std::array<StreamOffset, 2>
      frontier_{};  // of this stream: how far its segments reach, those without octets too
  std::array<StreamOffset, 2> given_up_{};  // of this stream: what ends here is not waited for
  std::array<Fifo<Held>, 2> held_;          // in order of arrival
  std::array<std::size_t, 2> octets_{};     // of payload held
  Held released_;                           // what the last step points to
};

}  // namespace iwarp::stream
