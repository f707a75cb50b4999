// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpa/open_fpdu.hpp"

#include <algorithm>

namespace iwarp::mpa {

void OpenFpdu::add(ByteView octets, bool segment_start) {
  if (segment_start && !octets.empty()) borders_.push_back(octets_.size());
  octets_.insert(octets_.end(), octets.begin(), octets.end());
}

void OpenFpdu::add_absent(std::size_t length) {
  const std::size_t begin = octets_.size();
  octets_.resize(begin + length);
  if (absent_.empty() || absent_.back().end < begin) absent_.push_back({begin, begin});
  absent_.back().end = octets_.size();
}

bool OpenFpdu::has(std::size_t at, std::size_t length) const noexcept {
  if (at + length > octets_.size()) return false;
  const auto next = std::partition_point(absent_.begin(), absent_.end(),
                                         [at](const Absent& absent) { return absent.end <= at; });
  return next == absent_.end() || next->begin >= at + length;
}

void OpenFpdu::clear() noexcept {
  octets_.clear();
  borders_.clear();
  absent_.clear();
  markers_from_ = 0;
  doubted_ = false;
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
