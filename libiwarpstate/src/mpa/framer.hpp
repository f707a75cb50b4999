// Framer: the octets of one direction in Full Operation, cut into FPDUs (RFC 5044 §4, §6).
//
// A stage: push octets (or absent ones) in stream order, then poll until it returns Output::none. In the usual
// case an FPDU lies within one push and is examined where it is; one that spans pushes is gathered first.
// Framing follows ULPDU_Length. It is given up where an FPDU can neither be believed by its CRC, nor by its
// header, nor by the header behind it; then a Synchronizer looks for the next FPDU.
// Memory: at most one FPDU, or the Synchronizer's window. Not thread-safe.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>

#include <iwarp/bytes.hpp>

#include "mpa/fpdu_view.hpp"
#include "mpa/synchronizer.hpp"

namespace iwarp::mpa {

class Framer {
 public:
  enum class Output {
    none,        // everything pushed is used up or waits for more
    fpdu,        // fpdu() holds one
    locked,      // framing was found (again): lock(), and why() it had been looked for
    marker_use,  // an FPDU shows that markers are used otherwise than parameters said: now parameters()
    startup,     // a start-up key stands where an FPDU should begin: Full Operation is over, rest() is unread
  };

  // Why framing was not known.
  enum class Loss { none, start_missing, gap, nonsense };

  // Full Operation begins at `at` with known modes.
  void begin(const FramerParameters& parameters, StreamOffset at);
  // The start was not captured: framing is to be found from `at` on. `known_stream`: see Synchronizer::start.
  void seek(const FramerParameters& parameters, StreamOffset at, bool known_stream);

  // REQUIRES: poll() returned none since the last push. The octets are read until poll() returns none again.
  void push(ByteView octets, bool segment_start);
  // Octets that were never captured. Returns whether framing survives: they lie in one FPDU whose end is known.
  bool push_absent(std::uint64_t length);
  // Nothing more will come: decide what can be decided.
  void finish() noexcept { final_ = true; }

  [[nodiscard]] Output poll();

  [[nodiscard]] const FramedFpdu& fpdu() const noexcept { return fpdu_; }
  [[nodiscard]] const Synchronizer::Lock& lock() const noexcept { return lock_; }
  [[nodiscard]] Loss why() const noexcept { return loss_; }
  [[nodiscard]] StreamOffset lost_at() const noexcept { return lost_at_; }
  [[nodiscard]] const FramerParameters& parameters() const noexcept { return parameters_; }
  void set_crc(Mode crc) noexcept { parameters_.crc = crc; }

  // Where the next FPDU begins, or the search does.
  [[nodiscard]] StreamOffset position() const noexcept { return at_; }
  [[nodiscard]] bool synchronized() const noexcept { return !lost_; }
  // Octets of an FPDU are there whose end is not.
  [[nodiscard]] bool inside_fpdu() const noexcept { return !lost_ && !carry_.empty() && !carry_done_; }
  // While lost: octets passed over so far.
  [[nodiscard]] std::uint64_t unframed() const noexcept { return lost_ ? synchronizer_->skipped() : 0; }
  // Octets that belong to no FPDU yet, after Output::startup.
  [[nodiscard]] ByteView rest() const noexcept { return carry_.empty() ? input_ : ByteView(carry_); }

 private:
  [[nodiscard]] Output poll_synchronized();
  [[nodiscard]] Output poll_lost();
  [[nodiscard]] Output take(ByteView octets, std::uint16_t length, ByteView behind);
  [[nodiscard]] Output check_first(ByteView octets);
  [[nodiscard]] bool believable(ByteView behind) const noexcept;
  [[nodiscard]] std::uint32_t farthest_marker() const noexcept;
  [[nodiscard]] bool may_be_marked(ByteView octets) const noexcept;
  void note_unmarked() noexcept;
  void gather(std::size_t size);
  void lose(Loss why, StreamOffset at, bool doubted);
  void finish_cut(std::uint16_t length, std::uint32_t size);
  [[nodiscard]] bool feed_replay();

  FramerParameters parameters_;
  StreamOffset at_ = 0;
  ByteView input_;
  bool input_segment_start_ = false;
  Bytes carry_;                 // the FPDU at at_, as far as it came; zeros where octets are absent
  std::size_t carry_present_ = 0;  // octets of carry_ before the first absent one
  bool carry_cut_ = false;
  bool carry_done_ = false;     // carry_ was handed out and goes at the next call
  bool joined_ = false;         // framing was first found by a search: no start-up frame told of it
  bool guessed_ = false;        // … as unmarked, which fewer octets than a marker interval bear out:
  StreamOffset unmarked_from_ = 0;  // the FPDUs from here on were right without a marker in them
  bool first_ = false;          // no FPDU of this Full Operation was taken yet
  bool final_ = false;
  bool lost_ = false;
  bool cut_ready_ = false;      // fpdu_ holds one that push_absent() completed
  bool believed_ = false;       // a search found framing at believed_at_: not to be doubted again
  StreamOffset believed_at_ = 0;
  bool relost_ = false;         // … and framing was lost behind it
  StreamOffset relost_at_ = 0;
  Loss loss_ = Loss::none;
  StreamOffset lost_at_ = 0;
  FramedFpdu fpdu_;
  Synchronizer::Lock lock_;
  std::unique_ptr<Synchronizer> synchronizer_;  // made when first needed
  std::unique_ptr<Synchronizer> replayed_;      // what a search gathered and is framed now
  StreamOffset replay_at_ = 0;
};

}  // namespace iwarp::mpa
