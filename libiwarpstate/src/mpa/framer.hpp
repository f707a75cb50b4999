// Framer: the octets of one direction in Full Operation, cut into FPDUs (RFC 5044 §4, §6).
//
// A stage: push octets (or absent ones) in stream order, then poll until it returns Output::none. In the
// usual case an FPDU lies within one push and is examined where it is; one that spans pushes is gathered
// first. Framing follows ULPDU_Length. It is given up where an FPDU can neither be believed by its CRC, nor
// by its header, nor by the header behind it; then a Synchronizer looks for the next FPDU. A ULPDU_Length may
// be wrong although the header is not: where TCP segments inside the FPDU begin with FPDUs that lead to the
// end of what is there, they are believed when it proves to be no FPDU, when its length is beyond every
// ULPDU's, or at the end; and a marker inside that leads to another header is always. Memory: at most one
// FPDU, or the Synchronizer's window. Not thread-safe.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include <iwarp/bytes.hpp>

#include "mpa/fpdu_view.hpp"
#include "mpa/open_fpdu.hpp"
#include "mpa/sequence.hpp"
#include "mpa/synchronizer.hpp"

namespace iwarp::mpa {

class Framer {
 public:
  enum class Output {
    none,        // everything pushed is used up or waits for more
    fpdu,        // fpdu() holds one; also the header of one that is never there in full: unfinished
    hole,        // behind the FPDUs handed out so far hole() is missing: framing is lost
    locked,      // framing was found (again): lock(), and why() it had been looked for
    doubted,     // the FPDU at position() is open, and its ULPDU_Length in doubt
    marker_use,  // an FPDU shows that markers are used otherwise than parameters said: now parameters()
    startup,     // a start-up key stands where an FPDU should begin: Full Operation is over, rest() is unread
  };

  // Why framing was not known.
  enum class Loss {
    none,
    start_missing,  // the start was not captured
    not_agreed,     // the start-up failed, FPDUs (a Terminate) may come all the same
    gap,
    nonsense,  // octets that are no FPDU
  };

  // Full Operation begins at `at`. Where the use of markers is not known, the first FPDU tells.
  void begin(const FramerParameters& parameters, StreamOffset at);
  // Framing is to be found from `at` on, if there is any. `why`: start_missing or not_agreed; the latter is a
  // known stream to the Synchronizer.
  void seek(const FramerParameters& parameters, StreamOffset at, Loss why);

  // While framing is sought: a start-up frame tells after all whether FPDUs carry markers, or a CRC. Markers
  // whose phase is not known are still to be found.
  void learn(Mode markers, Mode crc) noexcept;

  // REQUIRES: poll() returned none since the last push. The octets are read until poll() returns none again.
  void push(ByteView octets, bool segment_start);
  // Octets that were never captured. Returns whether framing survives: they lie in one FPDU whose end is
  // known. If not, Output::hole tells of them only where FPDUs before them are still to be handed out.
  bool push_absent(std::uint64_t length);
  // Nothing more will come: decide what can be decided.
  void finish() noexcept { final_ = true; }
  [[nodiscard]] bool finished() const noexcept { return final_; }

  [[nodiscard]] Output poll();

  [[nodiscard]] const FramedFpdu& fpdu() const noexcept { return fpdu_; }
  [[nodiscard]] const Synchronizer::Lock& lock() const noexcept { return lock_; }
  // Octets that were absent, as far as they belong to no FPDU that is known.
  struct Hole {
    StreamOffset begin = 0;
    std::uint64_t length = 0;
  };
  [[nodiscard]] const Hole& hole() const noexcept { return hole_; }
  [[nodiscard]] Loss why() const noexcept { return loss_; }
  [[nodiscard]] StreamOffset lost_at() const noexcept { return lost_at_; }
  [[nodiscard]] const FramerParameters& parameters() const noexcept { return parameters_; }
  void set_crc(Mode crc) noexcept { parameters_.crc = crc; }

  // Where the next FPDU begins, or the search does.
  [[nodiscard]] StreamOffset position() const noexcept { return at_; }
  [[nodiscard]] bool synchronized() const noexcept { return !lost_; }
  // Octets before it will be in no FPDU.
  [[nodiscard]] StreamOffset next_from() const noexcept {
    return lost_ ? synchronizer_->begin_offset() : at_;
  }
  // Framing was found by a search, and may be that of FPDUs stored in a payload: their MSNs are not those
  // that had been due, or none of them began where a TCP segment does.
  [[nodiscard]] bool doubtful() const noexcept { return !confirmed_ && (misfit_ || torn_ || !aligned_); }
  // … or what is open may end elsewhere: whether markers are in use nothing has shown.
  [[nodiscard]] bool end_doubtful() const noexcept { return guessed_ || doubtful(); }
  // Where markers lie a search found by a word that may be another, such as MSN 12, and no further one bears
  // out; or one that it had found before was none, and FPDUs were read by that.
  [[nodiscard]] bool guesses_markers() const noexcept {
    return parameters_.markers == Mode::on && (markers_refuted_ || markers_open_to_doubt());
  }
  // … and this FPDU may be another: no right CRC covers it, or covers it with another word taken out as well.
  [[nodiscard]] bool guesses(const FramedFpdu& fpdu) const noexcept {
    return guesses_markers() && (markers_refuted_ || fpdu.crc != CrcStatus::good || fpdu.markers > 0);
  }
  // Framing that was lost had been found behind a hole, and nothing had shown yet that it was that of the
  // stream itself.
  [[nodiscard]] bool lost_unconfirmed() const noexcept { return lost_unconfirmed_; }
  // Octets of an FPDU are there whose end is not.
  [[nodiscard]] bool inside_fpdu() const noexcept { return !lost_ && !open_.empty() && !open_done_; }
  // … and may be others.
  [[nodiscard]] bool in_doubt() const noexcept { return inside_fpdu() && open_.doubted(); }
  // Octets of the open FPDU that came, absent ones included.
  [[nodiscard]] std::size_t open_octets() const noexcept { return inside_fpdu() ? open_.size() : 0; }
  // What came of the FPDU at position(); nothing where that is in doubt, or octets of it are absent.
  [[nodiscard]] std::optional<ByteView> open() const noexcept {
    if (!inside_fpdu()) return lost_ ? std::nullopt : std::optional(ByteView());
    return open_.doubted() || open_.cut() ? std::nullopt : std::optional(open_.octets());
  }
  // … as its header tells it; nothing where that has not come, or may be none.
  [[nodiscard]] std::optional<FramedFpdu> open_fpdu() const noexcept;
  // Octets kept: of an FPDU that is open, or in which framing is sought.
  [[nodiscard]] std::size_t held() const noexcept {
    return open_.size() +
           (lost_ ? static_cast<std::size_t>(synchronizer_->end_offset() - synchronizer_->begin_offset())
                  : 0);
  }
  // While lost: octets passed over so far.
  [[nodiscard]] std::uint64_t unframed() const noexcept { return lost_ ? synchronizer_->skipped() : 0; }
  // … which may be FPDUs all the same: nothing contradicts, but not all is there. `absent`: it was not
  // captured.
  [[nodiscard]] bool unframed_undecided(bool& absent) const noexcept;
  // Whether a Reply's key is a start-up frame's, where an FPDU should begin: only if the peer may have sent a
  // Request meanwhile. At first it may.
  void expect_reply(bool may_come) noexcept { reply_may_come_ = may_come; }
  // Octets that belong to no FPDU yet, after Output::startup.
  [[nodiscard]] ByteView rest() const noexcept { return open_.empty() ? input_ : open_.octets(); }

  // See base/packing.hpp. One that has something to say cannot be packed.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [parameters, at, input, input_segment_start, open, open_done, end_reported, joined, guessed,
           unmarked_from, marked_ready, markers_open, markers_sought, markers_refuted, right_markers,
           sequence, tentative, fitting, confirmed, misfit, torn, crosses, lost_unconfirmed, found_at,
           begins_segment, aligned, first, final, lost, cut_ready, lock_ready, believed, believed_at,
           hole_ready, hole, loss, lost_at, lost_crc, fpdu, lock, synchronizer, replayed, replay_at,
           reply_may_come] = *this;
    codec(parameters, at, open, joined, guessed, unmarked_from, markers_open, markers_sought, markers_refuted,
          right_markers, sequence, tentative, fitting, confirmed, misfit, torn, crosses, lost_unconfirmed,
          found_at, begins_segment, aligned, first, final, lost, believed, believed_at, loss, lost_at,
          lost_crc, reply_may_come);
    if (lost) codec(synchronizer);
    codec.absent(input, open_done, end_reported, marked_ready, cut_ready, lock_ready, hole_ready, replayed);
  }

 private:
  static constexpr std::uint32_t enough_markers = 2;  // the one that told, and another
  [[nodiscard]] bool is_startup_key(ByteView octets) const noexcept;
  [[nodiscard]] Output poll_synchronized();
  [[nodiscard]] Output begin_fpdu();
  [[nodiscard]] Output continue_fpdu();
  [[nodiscard]] Output judge_open();
  [[nodiscard]] bool marker_denies(ByteView octets, std::size_t& from) const noexcept;
  [[nodiscard]] Output end_open();
  [[nodiscard]] Output take(ByteView octets, std::uint16_t length, ByteView behind);
  [[nodiscard]] bool header_stands_at(StreamOffset at, ByteView octets) const noexcept;
  void take_back(ByteView octets, ByteView behind);
  [[nodiscard]] Output check_first(ByteView octets);
  [[nodiscard]] bool settle_first_word() noexcept;
  [[nodiscard]] bool believable(ByteView behind) const noexcept;
  [[nodiscard]] std::uint32_t farthest_marker() const noexcept;
  [[nodiscard]] bool may_be_marked(ByteView octets) const noexcept;
  [[nodiscard]] ByteView octets_ahead(StreamOffset at) const noexcept;
  [[nodiscard]] bool header_behind_denies_marker(std::uint32_t at) const noexcept;
  void hide_doubtful(ByteView octets) noexcept;
  void note_unmarked() noexcept;
  void note_right_markers() noexcept;
  [[nodiscard]] bool markers_open_to_doubt() const noexcept {
    return markers_sought_ && right_markers_ < enough_markers;
  }
  [[nodiscard]] bool shows_one_marker() const noexcept;
  void note_sequence() noexcept;
  // A payload in the hole that framing was found behind may reach as far as at_.
  [[nodiscard]] bool may_be_stored() const noexcept {
    return found_at_ && at_ - std::min(at_, *found_at_) <= wire::max_ulpdu_length;
  }
  [[nodiscard]] bool lacks_leading_marker(ByteView octets) const noexcept;
  void take_as_marked() noexcept;
  [[nodiscard]] bool fpdu_stands_at(StreamOffset at, ByteView octets) const noexcept;
  // An FPDU is open, and nothing more will come.
  [[nodiscard]] bool ends_open() const noexcept {
    return final_ && !replayed_ && !end_reported_ && inside_fpdu();
  }
  void use(std::size_t octets) noexcept;
  void gather(std::size_t size);
  void finish_cut(std::uint16_t length, std::uint32_t size);
  void note_markers(std::uint32_t size) noexcept;
  void tell_cut(std::uint16_t length, std::uint32_t size);
  [[nodiscard]] bool tell_unfinished();

  void lose(Loss why, StreamOffset at, bool doubted);
  // `believed`: it may be taken as it is, if it has no marker.
  [[nodiscard]] Output lose_open(bool believed = false);
  [[nodiscard]] Output poll_lost();
  [[nodiscard]] bool look_inside(ByteView behind);
  [[nodiscard]] Output give_up_open();
  void lock_to(Synchronizer::Lock lock);
  [[nodiscard]] bool feed_replay();

  FramerParameters parameters_;
  StreamOffset at_ = 0;
  ByteView input_;
  bool input_segment_start_ = false;  // input_[0] begins a TCP segment
  OpenFpdu open_;                     // the FPDU at at_, as far as it came
  bool open_done_ = false;            // it was handed out and goes at the next call
  bool end_reported_ = false;         // … as unfinished
  bool joined_ = false;               // framing was first found by a search: no start-up frame gave it
  bool guessed_ = false;              // … as unmarked, which fewer octets than a marker interval bear out:
  StreamOffset unmarked_from_ = 0;    // the FPDUs from here on were right without a marker in them
  bool marked_ready_ = false;         // … and the FPDU just handed out shows that it is marked
  bool markers_open_ = false;         // whether markers are in use the first FPDU is to tell
  bool markers_sought_ = false;       // where they lie a search found …
  bool markers_refuted_ = false;      // … elsewhere than before, or in one of two places that are as good
  std::uint32_t right_markers_ = 0;   // … and as many as stood there since
  Sequence sequence_;                 // of MSNs, where framing is certain
  Sequence tentative_;                // … is not confirmed
  std::uint32_t fitting_ = 0;         // FPDUs with an MSN that had been due, in a row
  bool confirmed_ = false;            // framing is that of the stream; not known yet behind a hole
  bool misfit_ = false;               // … and had other MSNs than were due
  bool torn_ = false;              // … or MSNs that do not follow each other, or lay over segments' borders
  bool crosses_ = false;           // the FPDU at at_ lies over one, without beginning a segment itself
  bool lost_unconfirmed_ = false;  // … when it was lost
  std::optional<StreamOffset> found_at_;  // where it was found, if a search had to
  bool begins_segment_ = false;           // the FPDU at at_ begins where a TCP segment does
  bool aligned_ = false;                  // … as one did since framing was found
  bool first_ = false;                    // no FPDU of this Full Operation was taken yet
  bool final_ = false;
  bool lost_ = false;
  bool cut_ready_ = false;   // fpdu_ holds one that push_absent() completed
  bool lock_ready_ = false;  // lock_ was found inside the open FPDU, whose header goes first
  bool believed_ = false;    // a search found framing at believed_at_: not to be doubted again
  StreamOffset believed_at_ = 0;
  bool hole_ready_ = false;  // framing was lost, by hole_
  Hole hole_;
  Loss loss_ = Loss::none;
  StreamOffset lost_at_ = 0;
  Mode lost_crc_ = Mode::unknown;  // as it was taken to be before
  FramedFpdu fpdu_;
  Synchronizer::Lock lock_;
  std::unique_ptr<Synchronizer> synchronizer_;  // made when first needed
  std::unique_ptr<Synchronizer> replayed_;      // what a search gathered and is framed now
  StreamOffset replay_at_ = 0;
  bool reply_may_come_ = true;
};

}  // namespace iwarp::mpa
