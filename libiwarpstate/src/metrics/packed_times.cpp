// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/metrics/packed_times.hpp>

#include <algorithm>

namespace iwarp {

std::size_t PackedTimes::search(std::size_t begin, TimeNs time, bool behind) const noexcept {
  const auto before = [time, behind](TimeNs each) { return behind ? each <= time : each < time; };
  const auto first =
      landmarks_.begin() + static_cast<std::ptrdiff_t>(std::min(begin / width, landmarks_.size()));
  const auto passed =
      static_cast<std::size_t>(std::partition_point(first, landmarks_.end(), before) - landmarks_.begin());
  std::size_t end = std::min(passed * width, size());
  begin = std::max(begin, passed == 0 ? 0 : (passed - 1) * width);
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (before((*this)[middle])) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

}  // namespace iwarp
