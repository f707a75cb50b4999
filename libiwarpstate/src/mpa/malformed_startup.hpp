// MalformedStartup: the first octets of a direction, which would be an MPA start-up frame if they began with
// a key (RFC 5044 §7.1.1). Other protocols have such octets, too, so alone they mean nothing: FPDUs right
// behind them prove it, or the peer's answer does. Memory: nothing once the octets can be no such frame; else
// the frame, and up to three FPDUs behind it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/bytes.hpp>
#include <iwarp/wire/mpa.hpp>

#include "mpa/fpdu_view.hpp"

namespace iwarp::mpa {

// Whether the header of a start-up frame, its key passed over, can be one: revisions and PD_Lengths that
// exist. REQUIRES: startup_header_size octets.
[[nodiscard]] bool is_sound_header(const Byte* header) noexcept;

class MalformedStartup {
 public:
  // The direction's first octet is pushed next.
  void watch() noexcept { watching_ = true; }
  // The octets are something else, or cannot be told.
  void give_up() noexcept;
  void push(ByteView octets);

  // All of the frame is there, and behind it nothing but what may be FPDUs.
  [[nodiscard]] bool complete() const noexcept {
    return watching_ && frame_size_ != 0 && octets_.size() >= frame_size_;
  }
  // … and FPDUs follow right behind it: one whose CRC is right, or three headers that lead to each other.
  [[nodiscard]] bool proven() const noexcept { return complete() && proven_; }
  // The frame, frame_size() octets, and what follows.
  [[nodiscard]] ByteView octets() const noexcept { return octets_; }
  [[nodiscard]] std::size_t frame_size() const noexcept { return frame_size_; }
  // REQUIRES: complete(). Its M bit: the peer's FPDUs are to carry markers.
  [[nodiscard]] bool asks_for_markers() const noexcept {
    return (octets_[wire::startup_key_size] & 0x80U) != 0;
  }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [watching, proven, frame_size, looked, headers, parameters, octets] = *this;
    codec(watching, proven, frame_size, looked, headers, parameters, octets);
  }

 private:
  static constexpr std::uint32_t enough_headers = 3;
  static constexpr std::size_t max_held = 256U << 10U;

  void look_behind();

  bool watching_ = false;
  bool proven_ = false;
  std::size_t frame_size_ = 0;  // 0: its header is not there yet
  std::size_t looked_ = 0;      // where the next FPDU must begin, from the frame's first octet
  std::uint32_t headers_ = 0;   // FPDUs before
  FramerParameters parameters_;
  Bytes octets_;
};

}  // namespace iwarp::mpa
