// ManyReads: a source of RDMA Reads, as many as one likes, made as they are read: no file is needed.
//
// Each Read is two frames. They take turns over the streams, one after the other in time: a Read begins when
// the one before has ended. Most take some 10 µs; every so many take a thousand times as long.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/record_source.hpp"

namespace iwarp::gui {

struct ManyReads {
  std::uint32_t reads = 1'000'000;
  std::uint32_t streams = 1;
  std::uint32_t outliers = 0;  // of the Reads, evenly spread

  // Whether that Read, from 0, is one.
  [[nodiscard]] bool is_outlier(std::uint32_t read) const noexcept {
    return outliers > 0 && read % (reads / outliers) == reads / outliers / 2;
  }
};

[[nodiscard]] OpenSource source_of(const ManyReads& reads);

}  // namespace iwarp::gui
