// Reassembler: one direction of one TCP connection; segments in, octets in stream order out.
//
// Positions. Offset 0 is the octet behind the SYN or, where no SYN was captured, the first captured octet.
// Sequence numbers are unwrapped by serial arithmetic around the next expected octet: up to 2^30 behind it
// (no window is larger, RFC 7323 §2.3) they are late, everything else is ahead. Octets before offset 0 (a
// capture that began mid-stream, whose first segments came in wrong order) are dropped and counted; offsets
// never go negative. A segment without payload sets a mid-stream origin only provisionally: the first
// octets may still move it back, or by one octet forward (that segment was a keepalive).
//
// Overlap policy. The first copy of an octet wins, except that
//   - a copy with a good, offloaded or unknown TCP checksum replaces a waiting one whose checksum is bad;
//   - captured octets replace waiting ones that the snapshot length had cut off.
// Delivered octets are final. Copies that differ are reported, and the copy not used is kept a while as an
// alternate, for a CRC to decide. What was delivered is not kept: a late copy is compared by payload sums,
// which tells only when its range coincides with one or several of the last 32 segments.
//
// Suspects. A segment with a bad checksum was dropped by its receiver, unless the capture damaged it; in
// neither case its octets are what the receiver got. In a direction where no more checksums were wrong than
// right they are a hole, which a better copy fills; until then they wait, for the checksums may turn out to
// be offloaded: where more are wrong than right when the hole is declared a gap, they are octets after all.
//
// Cost. An in-order segment with nothing waiting is handed on as a view: no copy, no allocation (after the
// first 32 segments). Memory follows the octets that wait, up to a cap. Nothing throws but bad_alloc.
// Not thread-safe; calls nothing back.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>
#include <iwarp/segment.hpp>

#include "stream/overlap.hpp"
#include "stream/recent_segments.hpp"
#include "stream/waiting_store.hpp"

namespace iwarp::stream {

struct ReassemblerOptions {
  // Cap on what early and suspect segments may hold: their octets plus 128 for each piece.
  std::size_t max_waiting = 4U << 20U;
};

// The next octets of the stream, and how many behind them will never come. At least one of the two is not
// empty. Chunks are contiguous: the next one begins at offset + octets.size() + absent.
struct Chunk {
  StreamOffset offset = 0;
  ByteView octets;
  std::uint64_t absent = 0;             // octets behind `octets` without content
  Absence cause = Absence::uncaptured;  // of `absent`
  bool segment_start = false;           // octets[0] was the first octet of its TCP segment
  std::uint32_t payload_offset = 0;     // of octets[0] in the payload of `frame`'s segment
  FrameNumber frame = 0;                // that brought the octets; in a declared gap: that shows it, or 0
  TimeNs time_ns = 0;                   // of `frame`
  StreamOffset ack = 0;  // what the sender had acknowledged when it sent them; in a gap: when last heard
  bool cut = false;      // the snapshot length cut the segment
};

// How far a direction is read while a segment of its peer is still to be read. Octets beyond both are read
// after it. Without values: as far as there are octets.
struct ReadLimit {
  StreamOffset acknowledged = ~StreamOffset{0};  // where the octets end that the peer had received
  FrameNumber frame = 0;                         // of the segment: what was captured before it comes first
};

// What a segment was, beside the chunks it made ready.
struct PushResult {
  std::uint32_t fresh = 0;          // octets not seen before, captured or cut off by the snapshot length
  std::uint32_t retransmitted = 0;  // octets seen before; 0 for keepalives and duplicates
  std::uint32_t too_late = 0;       // octets of a hole already declared a gap; not delivered
  std::uint32_t before_origin = 0;  // octets before offset 0; not delivered
  std::uint32_t beyond_fin = 0;     // octets behind the sender's own FIN; not delivered
  std::uint32_t refused = 0;        // octets not kept because the cap was reached before
  bool duplicate = false;           // a second captured copy of one transmitted packet, no retransmission
  bool keepalive = false;           // at most one octet, just behind the last one sent (RFC 9293 §3.8.4)
  bool suspect = false;             // bad checksum; its octets wait
  // The cap is reached. This segment is kept still unless `refused`; declare the hole a gap to go on.
  bool limit = false;
  // More than 2^30 beyond everything seen: not taken unless the next such segment continues it.
  bool stray = false;
  bool syn_repeated = false;  // a second SYN with the same sequence number
  bool foreign_syn = false;   // a SYN of another connection (other sequence number): nothing was taken
  std::optional<Conflict> conflict;
};

// Where delivery stands still.
struct Hole {
  StreamOffset begin = 0;  // next_offset()
  StreamOffset end = 0;    // the first waiting octet, or the FIN, behind it; end of the suspect octets
  bool suspect = false;    // octets are there, but with a bad checksum, in front at least
};

// A copy of octets that was not used.
struct Alternate {
  StreamOffset offset = 0;
  Bytes octets;  // at most 64 KiB
  FrameNumber frame = 0;
  std::uint32_t payload_offset = 0;  // of octets[0] in the payload of `frame`'s segment
  TimeNs time_ns = 0;                // of `frame`

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    codec(offset, octets, frame, payload_offset, time_ns);
  }
};

// No window is larger (RFC 7323 §2.3), so no segment is longer and none lies further beyond all the others.
inline constexpr std::uint32_t max_window = 1U << 30U;

class Reassembler {
 public:
  Reassembler() = default;
  explicit Reassembler(ReassemblerOptions options) noexcept : options_(options) {}

  // Tells of a segment that was captured, and may be pushed much later: what it shows of the direction's
  // checksums counts at once where suspect octets are judged.
  void captured(ChecksumStatus checksum) noexcept {
    if (checksum != ChecksumStatus::unknown) captured_.add(checksum);
  }

  // Takes a segment of this direction. `ack` is what its sender had acknowledged of the peer's stream (see
  // offset_of), handed back with its octets. Its payload is read until poll() returned nullptr.
  // SYN and FIN are noted, urgent data stay in the stream. A RST takes nothing: what it carries is no
  // stream data (RFC 9293 §3.5.3); ending the connection is the caller's.
  // REQUIRES: poll() returned nullptr since the last push() or declare_gap().
  PushResult push(const TcpSegment& segment, StreamOffset ack) {
    PushResult result;
    if (push_due(segment, ack)) {
      result.fresh = segment.wire_length;
    } else {
      push_other(segment, ack, result);
    }
    return result;
  }
  // Takes a segment as push() does if it is a usual one: just the octets that are due, behind which nothing
  // waits. False: it is not taken.
  [[nodiscard]] bool push_due(const TcpSegment& segment, StreamOffset ack);

  // The next octets in stream order; nullptr: none are ready, or those that waited lie beyond `limit`. The
  // chunk lives until the next poll(), push() or declare_gap(), or a move, and its views not longer than the
  // payload of the segment just pushed.
  [[nodiscard]] const Chunk* poll(const ReadLimit& limit = {}) {
    if (!pending_ready_ && (store_.empty() || !make_ready(limit))) return nullptr;
    pending_ready_ = false;
    last_ack_ = pending_.ack;
    return &pending_;
  }

  // Nothing is ready, and nothing waits to be: neither octets nor a FIN.
  [[nodiscard]] bool idle() const noexcept { return !pending_ready_ && store_.empty() && !fin_; }

  // Octets that wait will not be asked for any more: frees them.
  void forget_waiting() {
    store_ = WaitingStore();
    available_ = next_;
    alternates_ = {};
  }

  // The peer acknowledged everything before `offset`.
  void acknowledged(StreamOffset offset) noexcept {
    if (offset > acknowledged_) acknowledged_ = offset;
  }

  // Gives up the hole in front: everything from next_offset() to the first waiting octet, the FIN or
  // `upto`, whichever is first, becomes a chunk of absent octets. `upto` may lie beyond everything seen
  // (the peer acknowledged what was never captured); more than 2^30 beyond, it means everything seen.
  // Where suspect octets are in front, and most checksums are wrong, they become ready instead. False:
  // nothing was to give up before `upto`. To give up all holes before `upto`: while
  // (stream.declare_gap(upto)) while (… = stream.poll()) … `shown_by` acknowledges them, or is the FIN
  // behind them: where the chunk lies if nothing waits behind it. REQUIRES: poll() returned nullptr since the
  // last push() or declare_gap().
  bool declare_gap(StreamOffset upto, const Placement& shown_by = {});

  // Where delivery stands still although octets or a FIN wait behind.
  [[nodiscard]] std::optional<Hole> hole() const;
  // Octets wait, or may have to be waited for.
  [[nodiscard]] bool may_have_hole() const noexcept { return store_.octets() > 0 || fin_.has_value(); }

  // Segments of this direction were damaged on their way: checksums are wrong, and not offloaded.
  [[nodiscard]] bool damaged() const noexcept {
    return (captured_.bad > 0 || pushed_.bad > 0) && !checksums_are_offloaded();
  }

  // A segment of this direction was seen; before that nothing below means anything.
  [[nodiscard]] bool started() const noexcept { return started_; }
  [[nodiscard]] bool syn_seen() const noexcept { return syn_seen_; }
  // Offset 0 may move still: no octet came yet.
  [[nodiscard]] bool provisional() const noexcept { return provisional_; }
  // Everything before was handed to poll().
  [[nodiscard]] StreamOffset next_offset() const noexcept { return next_; }
  // … as the sequence number of the octet there.
  [[nodiscard]] std::uint32_t next_sequence() const noexcept { return next_sequence_; }
  // Everything before is here without a hole.
  [[nodiscard]] StreamOffset available_offset() const noexcept { return available_; }
  // End of the furthest octet seen.
  [[nodiscard]] StreamOffset highest_offset() const noexcept { return highest_; }
  [[nodiscard]] StreamOffset acknowledged_offset() const noexcept { return acknowledged_; }
  // Octets held: early and suspect ones.
  [[nodiscard]] std::size_t waiting_octets() const noexcept { return store_.octets(); }
  // Offset behind the last octet of the direction. The FIN itself counts no octet here, but the
  // acknowledgement of it is offset_of(ack) == fin + 1.
  [[nodiscard]] std::optional<StreamOffset> fin_offset() const noexcept { return fin_; }
  // As far as sequence numbers were captured: a FIN is one.
  [[nodiscard]] StreamOffset captured_upto() const noexcept { return highest_ + (fin_ ? 1 : 0); }
  [[nodiscard]] bool fin_reached() const noexcept { return fin_.has_value() && next_ >= *fin_; }

  // The offset a sequence number of this direction, or an acknowledgement number of the peer, stands for;
  // 0 for what lies before the origin. Empty before the first segment.
  [[nodiscard]] std::optional<StreamOffset> offset_of(std::uint32_t sequence) const noexcept {
    if (!started_) return std::nullopt;
    const std::int64_t offset = unwrap(sequence);
    return offset < 0 ? 0 : static_cast<StreamOffset>(offset);
  }

  // Whether a SYN of this direction with this sequence number begins another connection: it is not the one
  // that these octets follow. Where an octetless segment set the origin, that may be off by one (a
  // keepalive).
  [[nodiscard]] bool is_foreign_syn(std::uint32_t sequence) const noexcept {
    if (!started_) return false;
    const std::uint32_t origin = next_sequence_ - static_cast<std::uint32_t>(next_);
    const std::uint32_t ahead = sequence + 1 - origin;
    return next_ >= max_syn_distance || (ahead != 0 && !(provisional_ && ahead == 1));
  }

  // Whether a segment is, most likely, a second captured copy of a packet pushed lately.
  [[nodiscard]] bool has_copy_of(const TcpSegment& segment) const noexcept {
    if (!started_ || segment.packet_identity == 0) return false;
    if (segment.wire_length == 0) return recent_.has_empty(segment.packet_identity);
    const std::int64_t offset = unwrap(segment.sequence);
    return offset >= 0 &&
           recent_.has(static_cast<StreamOffset>(offset), segment.wire_length, segment.packet_identity);
  }

  // Copies that were not used, oldest first: at most 8, each kept until 64 KiB behind it were delivered.
  // Valid until the next push().
  [[nodiscard]] std::span<const Alternate> alternates() const noexcept { return alternates_; }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [options, next, available, highest, acknowledged, pushed, captured, next_sequence, started,
           syn_seen, provisional, pending_ready, fin, stray_end, pending, last_ack, current, store, recent,
           alternates, gaps] = *this;
    codec(next, available, highest, acknowledged, pushed, captured, next_sequence, started, syn_seen,
          provisional, fin, stray_end, last_ack, store, recent, alternates, gaps);
    codec.absent(pending_ready);
  }

 private:
  // Octets behind a SYN after which its sequence number may stand for something else.
  static constexpr StreamOffset max_syn_distance = StreamOffset{1} << 30;

  // Where a segment lies in the stream.
  struct Place {
    std::int64_t begin = 0;  // of the whole segment; may lie before the origin
    std::int64_t end = 0;
    ByteView octets;  // captured; from `begin`
    bool suspect = false;
  };
  [[nodiscard]] static bool is_cut(const Place& place) noexcept {
    return static_cast<std::int64_t>(place.octets.size()) < place.end - place.begin;
  }
  struct ChecksumCount {
    std::uint64_t checked = 0;  // good, offloaded or bad
    std::uint64_t bad = 0;

    void add(ChecksumStatus checksum) noexcept {
      ++checked;
      if (checksum == ChecksumStatus::bad) ++bad;
    }
    [[nodiscard]] bool mostly_bad() const noexcept { return bad * 2 > checked; }
    template <typename Codec>
    void pack(Codec& codec) {
      codec(checked, bad);
    }
  };
  struct DeclaredGap {
    StreamOffset begin = 0;
    StreamOffset end = 0;

    template <typename Codec>
    void pack(Codec& codec) {
      codec(begin, end);
    }
  };

  [[nodiscard]] std::int64_t unwrap(std::uint32_t sequence) const noexcept {
    const std::uint32_t distance = sequence - next_sequence_;
    constexpr std::uint32_t late_from = 0xC000'0000U;
    return static_cast<std::int64_t>(next_) + distance - (distance >= late_from ? std::int64_t{1} << 32 : 0);
  }

  bool make_ready(const ReadLimit& limit);
  // In doubt octets are rather unknown than wrong: one or two bad ones beside a right one may be damage.
  [[nodiscard]] bool checksums_are_offloaded() const noexcept {
    const ChecksumCount& count = captured_.checked > pushed_.checked ? captured_ : pushed_;
    return count.mostly_bad() && (count.bad == count.checked || count.bad > 2);
  }
  bool note_checksum(ChecksumStatus checksum) noexcept;
  StreamOffset drop_suspect(StreamOffset upto);
  void push_other(const TcpSegment& segment, StreamOffset ack, PushResult& result);
  [[gnu::cold]] bool settle_origin(const TcpSegment& segment, std::uint32_t sequence, std::uint32_t length,
                                   PushResult& result);
  void move_origin(std::uint32_t sequence, std::int64_t by) noexcept;
  void note_empty(const TcpSegment& segment, const Place& place, PushResult& result);
  bool is_stray(const Place& place, std::uint32_t sequence);
  void note_fin(std::int64_t end) noexcept;
  [[gnu::cold]] void note_late(const TcpSegment& segment, const Place& place, PushResult& result);
  void take(const TcpSegment& segment, const Place& place, StreamOffset begin, StreamOffset ack,
            PushResult& result);
  void wait(const TcpSegment& segment, const Place& place, StreamOffset begin, StreamOffset ack,
            PushResult& result);
  [[nodiscard]] bool is_keepalive(const TcpSegment& segment, const Place& place) const;
  void keep_alternate(Alternate alternate);
  void drop_old_alternates();
  void advance(std::uint64_t octets) noexcept;
  void note_gap(StreamOffset begin, StreamOffset end);

  ReassemblerOptions options_;
  StreamOffset next_ = 0;
  StreamOffset available_ = 0;
  StreamOffset highest_ = 0;
  StreamOffset acknowledged_ = 0;
  ChecksumCount pushed_;
  ChecksumCount captured_;
  std::uint32_t next_sequence_ = 0;  // of offset next_
  bool started_ = false;
  bool syn_seen_ = false;
  bool provisional_ = false;  // the origin comes from a segment without payload
  bool pending_ready_ = false;
  std::optional<StreamOffset> fin_;
  std::optional<std::uint32_t> stray_end_;  // sequence number behind the last stray segment
  Chunk pending_;                           // the next chunk, if pending_ready_
  StreamOffset last_ack_ = 0;               // of the last chunk
  SharedOctets current_;                    // octets of the last chunk from the store
  WaitingStore store_;
  RecentSegments recent_;
  std::vector<Alternate> alternates_;
  std::vector<DeclaredGap> gaps_;  // the last few, oldest first
};

// The two directions of a connection, indexed by index(Side).
using StreamPair = std::array<Reassembler, 2>;

}  // namespace iwarp::stream
