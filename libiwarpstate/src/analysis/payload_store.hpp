// PayloadStore: the payload of FPDUs, found again by the id in FpduFact, for as long as their events are
// kept.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "mpa/fpdu_view.hpp"

namespace iwarp {

class PayloadStore {
 public:
  // What stands behind the DDP header of `header_size` octets. 0 for none: not all of it was captured.
  std::uint32_t add(const mpa::FramedFpdu& fpdu, std::uint32_t header_size) {
    if (fpdu.wire.empty() || fpdu.ulpdu_length < header_size) return 0;
    const std::size_t begin = octets_.size();
    octets_.resize(begin + fpdu.ulpdu_length);
    mpa::copy_ulpdu(fpdu, octets_.data() + begin);
    places_.push_back({begin + header_size, octets_.size()});
    return forgotten_ + static_cast<std::uint32_t>(places_.size());
  }

  [[nodiscard]] ByteView find(std::uint32_t id) const noexcept {
    const std::uint32_t at = id - forgotten_ - 1;  // one forgotten, or none, wraps
    if (id == 0 || at >= places_.size()) return {};
    const Place& place = places_[at];
    return ByteView(octets_).subspan(place.begin, place.end - place.begin);
  }

  // Forgets all; the memory stays for the next ones.
  void clear() noexcept {
    octets_.clear();
    forgotten_ += static_cast<std::uint32_t>(places_.size());
    places_.clear();
  }

 private:
  struct Place {
    std::size_t begin;
    std::size_t end;
  };

  Bytes octets_;
  std::vector<Place> places_;
  std::uint32_t forgotten_ = 0;  // their ids are no others'
};

}  // namespace iwarp
