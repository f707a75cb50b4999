// OpenFpdu: the octets of an FPDU that is not complete yet, piece by piece, and what casts doubt on its
// ULPDU_Length: TCP segments inside it that begin as FPDUs do. Memory is kept from one FPDU to the next.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include <iwarp/bytes.hpp>

#include "mpa/synchronizer.hpp"

namespace iwarp::mpa {

class OpenFpdu {
 public:
  [[nodiscard]] bool empty() const noexcept { return octets_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return octets_.size(); }
  // As far as it came; zeros where octets are absent.
  [[nodiscard]] ByteView octets() const noexcept { return octets_; }
  // … before the first absent one.
  [[nodiscard]] ByteView present() const noexcept {
    return cut() ? ByteView(octets_).first(absent_.front().begin) : octets_;
  }
  [[nodiscard]] bool cut() const noexcept { return !absent_.empty(); }
  // Whether `length` octets from `at` on came, and none of them is absent.
  [[nodiscard]] bool has(std::size_t at, std::size_t length) const noexcept;

  // `segment_start`: the octets begin a TCP segment.
  void add(ByteView octets, bool segment_start);
  void add_absent(std::size_t length);
  void clear() noexcept;
  // Parts with what is behind the first `size` octets.
  [[nodiscard]] Bytes split(std::size_t size);
  void push_to(Synchronizer& synchronizer) const;

  // A TCP segment inside begins as an FPDU does.
  void note_inner() noexcept { ++inner_; }
  [[nodiscard]] std::uint32_t inner() const noexcept { return inner_; }
  // Markers in front of that place were looked at; 0: none was.
  [[nodiscard]] std::size_t& markers_from() noexcept { return markers_from_; }
  // Whether there are enough of them to look again what they are.
  [[nodiscard]] bool worth_a_look() noexcept;
  // True once.
  [[nodiscard]] bool begin_doubt() noexcept { return !doubted_ && (doubted_ = true); }
  [[nodiscard]] bool doubted() const noexcept { return doubted_; }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    codec(octets_, borders_, absent_, markers_from_, doubted_, inner_, look_at_);
  }

 private:
  struct Absent {
    std::size_t begin = 0;
    std::size_t end = 0;

    template <typename Codec>
    void pack(Codec& codec) {
      codec(begin, end);
    }
  };

  static constexpr std::uint32_t first_look_inside = 3;

  Bytes octets_;
  std::vector<std::size_t> borders_;  // where TCP segments begin
  std::vector<Absent> absent_;        // in order
  std::size_t markers_from_ = 0;
  bool doubted_ = false;
  std::uint32_t inner_ = 0;
  std::uint32_t look_at_ = first_look_inside;
};

}  // namespace iwarp::mpa
