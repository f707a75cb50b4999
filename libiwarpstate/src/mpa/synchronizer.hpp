// Synchronizer: finds the start of an FPDU in octets whose framing is not known: a capture that began
// mid-stream, octets behind a hole, or garbage between FPDUs.
//
// What counts as found (docs/architecture.md, "Finding the framing"):
// - an FPDU whose CRC is right, and which begins or ends where a TCP segment does, or is followed by others:
//   by eight, or 64 KiB, where nothing showed yet that the stream is iWARP;
// - three plausible headers that lead to each other, where CRC is off or octets are missing;
// - behind a hole of a known stream, a plausible FPDU that fills a TCP segment;
// - for markers of unknown phase: words 0000|FPDUPTR every 512 octets whose pointers lead to such FPDUs, or
//   one of them in an FPDU with a right CRC that begins a TCP segment.
//
// A known stream's MSNs go on behind a hole: FPDUs whose MSNs cannot be its next ones are taken only where
// they follow each other further than any payload reaches, or to the end of everything. So are FPDUs that
// break off, while others may come that do not. Where markers are unknown, headers alone count as unmarked
// only when a marker would have to lie between them. A stored iWARP stream inside a payload does not end
// where segments end, so the outer one wins; where nothing tells yet, it waits for more octets. Bounded:
// keeps at most `window` octets and drops the oldest half when full.
//
// However long candidates wait, and however many there are, each octet is looked at a few times: a candidate
// that waits is followed on from where it ended once what it waits for is there, FPDUs that it leads to are
// looked at again only where it was refused (led_), where one ended in other octets no other goes
// along (dead_), CRCs are told by those of what stands before (WindowCrc), and words that may be markers are
// remembered by phase.
//
// Its parts: the window and the way through the search (synchronizer.cpp), chains of FPDUs (chains.cpp),
// candidates (candidates.cpp), and markers (marker_search.cpp, marked_fpdu.cpp).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/fifo.hpp>
#include <iwarp/on_demand.hpp>

#include "mpa/fpdu_view.hpp"
#include "mpa/offset_set.hpp"
#include "mpa/sequence.hpp"
#include "mpa/window_crc.hpp"

namespace iwarp::mpa {

class Synchronizer {
 public:
  static constexpr std::size_t window = 256U << 10U;

  struct Lock {
    StreamOffset begin = 0;       // of the first FPDU
    FramerParameters parameters;  // modes as known or inferred
    bool inferred = false;        // modes were not known before
    std::uint8_t chained = 0;     // FPDUs seen to follow each other, at most 255
    std::uint8_t good = 0;        // … with the right CRC
    std::uint8_t pointers = 0;    // markers in them that point to these, where no CRC tells
    bool tied = false;            // markers may as well lie elsewhere
    bool absent = false;          // octets searched were not captured
    bool inside = false;          // lock_at_segment() found it
    std::uint64_t skipped = 0;    // octets between start() and `begin`, captured or not
  };

  // Begins at `at`. `parameters` holds what is known; Mode::unknown where nothing is. `known_stream`: this
  // direction was framed before. `doubted`: the octets at `at` themselves may be an FPDU with a strange
  // header.
  void start(StreamOffset at, const FramerParameters& parameters, bool known_stream, bool doubted);

  // What the MSNs in a known stream may be.
  void expect(const Sequence& sequence) noexcept { sequence_ = sequence; }

  // The FPDU at start() is one of a stream that was followed as unmarked, but may be marked: its first marker
  // then stands at most `farthest` octets behind its beginning. `else_unmarked`: if it has none, it is to be
  // taken as it is.
  void expect_marker(std::uint32_t farthest, bool else_unmarked) noexcept;

  // A start-up frame tells after all what was not known.
  void learn(Mode markers, Mode crc) noexcept;

  // Octets in stream order. `segment_start`: the first one begins a TCP segment.
  void push(ByteView octets, bool segment_start);
  void push_absent(std::uint64_t length);

  // Tries with what is there. `final`: nothing more will come, take the best there is.
  [[nodiscard]] std::optional<Lock> try_lock(bool final);

  // FPDUs that begin where a TCP segment behind start() does, and lead to the end of what is there: one with
  // a right CRC, or three where CRC may not be in use.
  [[nodiscard]] std::optional<Lock> lock_at_segment();
  // The final try_lock() found nothing that contradicts the doubted FPDU; or octets that it would need are
  // absent.
  [[nodiscard]] bool undecided() const noexcept { return undecided_; }
  [[nodiscard]] bool has_absent() const noexcept { return !holes_.empty(); }

  // The octets kept, begin_offset() to end_offset().
  [[nodiscard]] StreamOffset begin_offset() const noexcept { return base_; }
  [[nodiscard]] StreamOffset end_offset() const noexcept { return base_ + octets_.size(); }
  // What stands at `at`: octets up to the next hole or TCP segment start, or the length of the hole there.
  struct Piece {
    ByteView octets;
    std::uint64_t absent = 0;
    bool segment_start = false;
  };
  [[nodiscard]] Piece piece_at(StreamOffset at) const noexcept;
  [[nodiscard]] std::uint64_t skipped() const noexcept { return end_offset() - start_; }
  void clear() noexcept;
  // FPDUs, candidates, words and runs of 64 octets looked at since it was made: what time follows. For tests.
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  // It holds little memory, and may be kept for the next search.
  [[nodiscard]] bool small() const noexcept { return octets_.capacity() <= 16U << 10U; }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [steps, parameters, sequence, known_stream, last_resort, doubted, undecided, relapsed, start, base,
           scan, octets, holes, boundaries, borders, pending, waits, doubted_path, new_border, crcs, dead,
           led, succeeded, walked, expects_marker, else_unmarked, farthest_marker, marked_scan, marked_needs,
           searched, phases, words, phases_fitting, unmarked, words_from] = *this;
    codec(steps, parameters, sequence, known_stream, doubted, undecided, relapsed, start, base, scan, octets,
          holes, boundaries, borders, pending, waits, doubted_path, new_border, dead, led);
    codec(expects_marker, else_unmarked, farthest_marker, marked_scan, marked_needs, searched, phases, words,
          phases_fitting, unmarked, words_from);
  }

 private:
  struct Chain {
    std::uint32_t headers = 0;   // plausible ones
    std::uint32_t whole = 0;     // FPDUs that are there in full
    std::uint32_t good = 0;      // of these, with the right CRC
    bool broken = false;         // ended at octets that are no header, or a wrong CRC where CRC is on
    bool on_boundary = false;    // an FPDU of it ends where a segment ends
    std::uint32_t pointers = 0;  // markers inside FPDUs of it that point to these, where no CRC tells
    bool misled = false;         // a marker in a good FPDU of it does not point to that
    std::uint32_t fitting = 0;   // headers whose MSN may come there
    std::uint32_t unfit = 0;     // … may not
    bool crosses = false;        // an FPDU of it lies over the border of two segments
    StreamOffset first_end = 0;  // of the first FPDU
    StreamOffset end = 0;        // of the last FPDU that is there in full

    template <typename Codec>
    void pack(Codec& codec) {
      codec(headers, whole, good, broken, on_boundary, pointers, misled, fitting, unfit, crosses, first_end,
            end);
    }
  };

  enum class Verdict {
    no,
    wait,
    yes
  };

  static constexpr StreamOffset never = ~StreamOffset{0};
  static constexpr std::uint32_t chain_enough = 3;     // headers in a row that count as framing without a CRC
  static constexpr std::uint32_t crossing_enough = 8;  // … where less else speaks for it

  // A candidate, and the FPDUs that follow each other from it on, as far as they were followed.
  struct Path {
    StreamOffset begin = 0;
    StreamOffset at = 0;     // where the next one is due
    Chain chain = {};        // of those before, for certain
    Sequence sequence = {};  // as they have it
    bool followed = false;   // at all
    bool at_border = false;  // begins where a segment does
    bool ended = false;      // no further octets tell more
    bool leads = false;      // a candidate's: those behind its first are not candidates, see led_
    // What may tell more: octets up to here, or a segment that begins.
    StreamOffset needs = 0;
    bool needs_border = false;

    template <typename Codec>
    void pack(Codec& codec) {
      codec(begin, at, chain, sequence, followed, at_border, ended, leads, needs, needs_border);
    }
  };

  // A plausible candidate that waits for more octets, or is inside another one, and has no path yet.
  struct Waiting {
    StreamOffset begin = 0;
    std::unique_ptr<Path> path;
    bool refused = false;

    template <typename Codec>
    void pack(Codec& codec) {
      codec(begin, path, refused);
    }
  };

  // What several wait for.
  struct Waits {
    StreamOffset needs = 0;           // the first of them that can tell more needs octets up to here …
    bool needs_border = false;        // … or a segment that begins
    StreamOffset enclosed_until = 0;  // one that begins a segment comes before those inside it

    void add(const Path& path) noexcept {
      needs = std::min(needs, path.needs);
      needs_border = needs_border || path.needs_border;
      if (path.at_border) enclosed_until = std::max(enclosed_until, path.chain.first_end);
    }
    template <typename Codec>
    void pack(Codec& codec) {
      codec(needs, needs_border, enclosed_until);
    }
  };

  // Words that may be markers, of one of the 512 phases …
  struct Words {
    bool fit = true;             // all of them may be
    bool absent = false;         // one behind the last one was not captured
    std::uint16_t previous = 0;  // FPDUPTR of the last one
    std::uint32_t count = 0;

    template <typename Codec>
    void pack(Codec& codec) {
      codec(fit, absent, previous, count);
    }
  };

  // … and the FPDUs that they point to.
  struct Phase {
    bool refused = false;       // these are no FPDUs
    std::uint32_t starts = 0;   // how many of them were tried
    StreamOffset tried_at = 0;  // the markers before point to nothing that is there; 0: not tried
    StreamOffset begin = 0;     // of the FPDU tried last
    StreamOffset passed = 0;    // those that begin before lead into a hole
    OnDemand<Path> path;        // from there on, while that FPDU may be one

    template <typename Codec>
    void pack(Codec& codec) {
      codec(refused, starts, tried_at, begin, passed, path);
    }
  };

  struct Hole {
    StreamOffset begin = 0;
    StreamOffset end = 0;

    template <typename Codec>
    void pack(Codec& codec) {
      codec(begin, end);
    }
  };

  [[nodiscard]] ByteView octets_from(StreamOffset at) const noexcept {
    return ByteView(octets_).subspan(static_cast<std::size_t>(at - base_));
  }
  // Octets from `at` up to the next hole.
  [[nodiscard]] ByteView present_from(StreamOffset at) const noexcept {
    return holes_.empty() || holes_.back().end <= at ? octets_from(at) : present_before_hole(at);
  }
  [[nodiscard]] ByteView present_before_hole(StreamOffset at) const noexcept;
  // The hole that has the octet at `at`; nullptr: that is there.
  [[nodiscard]] const Hole* hole_at(StreamOffset at) const noexcept;
  [[nodiscard]] bool is_boundary(StreamOffset at) const noexcept {
    return at == end_offset() || (at >= base_ && borders_.has(static_cast<std::size_t>(at - base_)));
  }
  [[nodiscard]] bool boundary_inside(StreamOffset begin, StreamOffset end) const noexcept {
    constexpr StreamOffset few = 512;
    if (end - begin > few) return boundary_between(begin, end);
    return borders_.any(static_cast<std::size_t>(begin + 1 - base_), static_cast<std::size_t>(end - base_));
  }
  [[nodiscard]] bool boundary_between(StreamOffset begin, StreamOffset end) const noexcept;
  void judge_sequence(const FramerParameters& parameters, StreamOffset at, StreamOffset end,
                      Sequence& sequence, Chain& chain) const noexcept;
  [[nodiscard]] bool may_be_stored(StreamOffset at, bool final, const Chain& chain) const noexcept;
  [[nodiscard]] Verdict header_at(const FramerParameters& parameters, StreamOffset at, bool lenient,
                                  std::uint16_t& length) const noexcept;
  [[nodiscard]] bool markers_fit(const FramerParameters& parameters, StreamOffset begin, StreamOffset end,
                                 std::uint32_t& pointers) const noexcept;
  [[nodiscard]] bool may_tell_more(const Path& path) const noexcept {
    return end_offset() >= path.needs || (path.needs_border && new_border_);
  }
  enum class Avoid : bool {
    nothing,
    dead  // the parameters are those of scan()
  };
  void add_to(Chain& chain, Sequence& sequence, const FramerParameters& parameters, StreamOffset at,
              StreamOffset end);
  [[nodiscard]] Chain follow(const FramerParameters& parameters, Path& path, bool lenient, Avoid avoid);
  [[nodiscard]] Chain follow_from(const FramerParameters& parameters, StreamOffset at, bool lenient);
  [[nodiscard]] bool has_right_crc(StreamOffset begin, StreamOffset end);
  [[nodiscard]] Verdict judge(const FramerParameters& parameters, Path& path, bool lenient, bool final,
                              Chain& chain);
  [[nodiscard]] Verdict verdict_of(const FramerParameters& parameters, StreamOffset at, bool lenient,
                                   bool final, const Chain& chain) const noexcept;
  [[nodiscard]] bool leads_to(const FramerParameters& parameters, StreamOffset from, StreamOffset to,
                              bool lenient);
  [[nodiscard]] bool checks_to(const FramerParameters& parameters, StreamOffset from, StreamOffset to);
  [[nodiscard]] bool walk_on(StreamOffset at);
  [[nodiscard]] std::optional<StreamOffset> first_checked(const FramerParameters& parameters,
                                                          StreamOffset to);
  [[nodiscard]] StreamOffset first_at_border(const FramerParameters& parameters, StreamOffset to);
  [[nodiscard]] std::optional<StreamOffset> first_leading(const FramerParameters& parameters,
                                                          StreamOffset to);
  [[nodiscard]] Lock lock_before(StreamOffset at, const FramerParameters& parameters, const Chain& chain);
  [[nodiscard]] std::optional<Lock> scan(const FramerParameters& parameters, bool final);
  [[nodiscard]] StreamOffset next_versions(const FramerParameters& parameters, StreamOffset at,
                                           StreamOffset end) noexcept;
  [[nodiscard]] bool may_be_candidate(const FramerParameters& parameters, StreamOffset at) const noexcept;
  [[nodiscard]] bool is_wrong_by_crc(const FramerParameters& parameters, StreamOffset at,
                                     std::uint16_t length);
  void keep_last_enclosed(const FramerParameters& parameters);
  [[nodiscard]] std::optional<Lock> judge_pending(const FramerParameters& parameters, bool final);
  [[nodiscard]] bool judge_pending_once(const FramerParameters& parameters, bool final,
                                        std::optional<StreamOffset>& found, Chain& chain);
  void add_pending(Waiting waiting);
  void forget_tries() noexcept;
  void wake_all() noexcept;
  [[nodiscard]] std::optional<Lock> search_markers(bool final);
  void note_words();
  void note_words(StreamOffset from, StreamOffset to) noexcept;
  [[nodiscard]] static bool goes_on(const Words& words, const Byte* octets) noexcept;
  [[nodiscard]] Verdict try_phase(Phase& phase, std::uint32_t number, bool final, StreamOffset& begin,
                                  Chain& chain);
  [[nodiscard]] Verdict marked_at(StreamOffset at, std::uint32_t farthest, bool due, bool final, Lock& lock);
  [[nodiscard]] Verdict marked_by_headers(StreamOffset at, std::uint32_t farthest, bool more_may_come,
                                          Lock& lock);
  [[nodiscard]] Verdict look_for_expected(bool final, Lock& lock);
  [[nodiscard]] Verdict marked_at_segment(bool final, Lock& lock);
  [[nodiscard]] static bool fits_better(const Chain& chain, const Chain& than) noexcept;
  [[nodiscard]] Lock make_lock(StreamOffset at, const FramerParameters& parameters,
                               const Chain& chain) const noexcept;
  void trim();

  std::uint64_t steps_ = 0;
  FramerParameters parameters_;
  Sequence sequence_;
  bool known_stream_ = false;
  bool last_resort_ = false;  // FPDUs that break off are better than none
  bool doubted_ = false;
  bool undecided_ = false;
  bool relapsed_ = false;   // framing was found before, but led to octets that are no FPDU
  StreamOffset start_ = 0;  // where the search began
  StreamOffset base_ = 0;   // offset of octets_[0]
  StreamOffset scan_ = 0;   // candidates before this were refused, but for those in pending_
  Bytes octets_;
  std::vector<Hole> holes_;
  std::vector<StreamOffset> boundaries_;  // TCP segment starts, ascending …
  OffsetSet borders_;                     // … and behind base_
  Fifo<Waiting> pending_;                 // ascending
  Waits waits_;                           // of pending_
  Path doubted_path_;                     // of the octets at start_
  bool new_border_ = false;               // a segment began since candidates were last judged
  WindowCrc crcs_;
  // Headers, behind base_, that lead to octets that are no header, no FPDU between with a right CRC.
  OffsetSet dead_;
  OffsetSet led_;                // FPDUs, behind base_, that a candidate leads to: what it is they are
  OffsetSet succeeded_;          // FPDUs that came in the place of refused ones
  OffsetSet walked_;             // what leads_to() and checks_to() passed in vain
  bool expects_marker_ = false;  // see expect_marker()
  bool else_unmarked_ = false;
  std::uint32_t farthest_marker_ = 0;
  StreamOffset marked_scan_ = 0;   // segment starts before this were refused as those of FPDUs with a marker
  StreamOffset marked_needs_ = 0;  // what the one there, or at start_, needs to be judged again
  std::size_t searched_ = 0;       // octets_.size() at the last search for markers
  std::vector<Phase> phases_;  // by offset modulo 512; empty until markers are sought, or when none is there
  std::vector<Words> words_;   // the same
  std::uint32_t phases_fitting_ = 0;
  bool unmarked_ = false;        // words of each phase were found that are no markers
  StreamOffset words_from_ = 0;  // words from here on were not looked at as markers
};

}  // namespace iwarp::mpa
