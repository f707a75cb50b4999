// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpa/open_fpdu.hpp"

namespace iwarp::mpa {

void OpenFpdu::add(ByteView octets, bool segment_start) {
  if (segment_start && !octets.empty()) borders_.push_back(octets_.size());
  octets_.insert(octets_.end(), octets.begin(), octets.end());
}

void OpenFpdu::add_absent(std::size_t length) {
  if (!cut_) present_ = octets_.size();
  cut_ = true;
  octets_.resize(octets_.size() + length);
}

void OpenFpdu::clear() noexcept {
  octets_.clear();
  borders_.clear();
  cut_ = doubted_ = false;
  inner_ = 0;
  look_at_ = first_look_inside;
}

Bytes OpenFpdu::split(std::size_t size) {
  Bytes rest(octets_.begin() + static_cast<std::ptrdiff_t>(size), octets_.end());
  octets_.resize(size);
  while (!borders_.empty() && borders_.back() >= size) borders_.pop_back();
  return rest;
}

void OpenFpdu::push_to(Synchronizer& synchronizer) const {
  std::size_t from = 0;  // an FPDU is due here, wherever its segment began
  for (const std::size_t border : borders_) {
    if (border == 0) continue;
    synchronizer.push(ByteView(octets_).subspan(from, border - from), true);
    from = border;
  }
  synchronizer.push(ByteView(octets_).subspan(from), true);
}

bool OpenFpdu::worth_a_look() noexcept {
  if (inner_ < look_at_) return false;
  look_at_ *= 2;  // however often a hostile stream makes it look, it costs no more than its octets
  return true;
}

}  // namespace iwarp::mpa
