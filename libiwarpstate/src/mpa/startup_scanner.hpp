// StartupScanner: looks for an MPA start-up frame in the streaming octets of one direction (RFC 5044 §7.1).
//
// A start-up may begin after any amount of another protocol, and text may quote the key. So the scanner only
// offers a candidate and the octets behind it; Negotiation decides by what the other side does.
// A frame whose key is broken is no candidate: see MalformedStartup.
// Memory: nothing but 15 octets without a candidate, at most `max_held` with one until it is settled; beside
// that, MalformedStartup's.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>
#include <iwarp/wire/mpa.hpp>

#include "mpa/malformed_startup.hpp"

namespace iwarp::mpa {

class StartupScanner {
 public:
  static constexpr std::size_t max_held = 256U << 10U;

  // Begins at `at`. `expected`: a start-up frame may stand right there (the connection's first octet).
  void start(StreamOffset at, bool expected) noexcept;

  void push(ByteView octets, bool segment_start);
  void push_absent(std::uint64_t length);
  // The other side talks another protocol: a key right at the start may be a quote as anywhere else.
  void expect_nothing();
  // … and that was wrong: what it said was a Request with a broken key.
  void expect_answer();

  // The direction's first octets, if they are a frame but for their key.
  [[nodiscard]] const MalformedStartup& malformed() const noexcept { return malformed_; }
  void forget_malformed() noexcept { malformed_.give_up(); }
  // The first octets of the direction are a Request whose key is broken, or a Reply's: from now on the
  // candidate. REQUIRES: at_start(), or malformed().complete() and no candidate.
  void take_as_request();
  [[nodiscard]] bool wrong_key() const noexcept { return wrong_key_; }

  // A key was found; how much of its frame is there, header() and complete() tell.
  [[nodiscard]] bool has_candidate() const noexcept { return candidate_; }
  [[nodiscard]] bool header_complete() const noexcept;
  [[nodiscard]] bool complete() const noexcept;
  // REQUIRES for these five: header_complete().
  [[nodiscard]] wire::StartupKind kind() const noexcept;
  [[nodiscard]] std::uint16_t private_data_length() const noexcept;
  // The frame, its Private Data as far as it was captured without a hole. The view lives until the next push.
  [[nodiscard]] wire::StartupFrame frame() const noexcept;
  // Octets of Private Data that came, captured or not.
  [[nodiscard]] std::size_t private_data_received() const noexcept;
  // Its revision and PD_Length are of those that exist.
  [[nodiscard]] bool sound() const noexcept;

  [[nodiscard]] StreamOffset begin() const noexcept { return begin_; }
  [[nodiscard]] StreamOffset end() const noexcept {
    return begin_ + wire::startup_header_size + private_data_length();
  }
  // Where the connection, or the answer, was expected to start; or at least at the start of a TCP segment.
  [[nodiscard]] bool expected() const noexcept { return expected_; }
  [[nodiscard]] bool at_segment_start() const noexcept { return segment_start_; }
  // The candidate is the first that was captured of this side …
  [[nodiscard]] bool at_first_octet() const noexcept { return candidate_ && begin_ == start_; }
  // … and the first that it said, whatever the other one did.
  [[nodiscard]] bool at_start() const noexcept { return at_first_octet() && from_start_; }
  // Nobody will ask for octets again until start(): none but those of a whole frame's header are kept.
  void settle();
  // Octets behind the complete frame; those from `at` on as far as they are held. Until the next push.
  [[nodiscard]] ByteView behind() const noexcept { return octets_from(end()); }
  [[nodiscard]] ByteView octets_from(StreamOffset at) const noexcept;
  [[nodiscard]] StreamOffset position() const noexcept { return at_; }
  // Octets since start(), and the first of them, to tell what stands where a frame was expected.
  [[nodiscard]] std::uint64_t seen() const noexcept { return at_ - start_; }
  [[nodiscard]] std::uint32_t first_word() const noexcept { return first_word_; }
  // Where octets are still needed from: the candidate, or the tail that may begin a key.
  [[nodiscard]] StreamOffset held_from() const noexcept { return at_ - held_.size(); }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [from_start, may_be_expected, wrong_key, candidate, expected, segment_start, start, begin, at,
           first_word, absent_from, absent, settled, malformed, held] = *this;
    codec(from_start, may_be_expected, wrong_key, candidate, expected, segment_start, start, begin, at,
          first_word, absent_from, absent, settled, malformed, held);
  }

 private:
  // Octets follow all the same: they begin anew.
  void forget_settled() noexcept;
  void search(std::size_t from, bool segment_start, std::size_t segment_at);

  bool from_start_ = false;  // start() was told that a frame may stand right there
  bool may_be_expected_ = false;
  bool wrong_key_ = false;
  bool candidate_ = false;
  bool expected_ = false;
  bool segment_start_ = false;
  StreamOffset start_ = 0;
  StreamOffset begin_ = 0;
  StreamOffset at_ = 0;
  std::uint32_t first_word_ = 0;
  std::size_t absent_from_ = 0;  // index into held_ of the first absent octet
  bool absent_ = false;
  bool settled_ = false;
  MalformedStartup malformed_;
  Bytes held_;  // the candidate and what follows, or the last octets
};

}  // namespace iwarp::mpa
