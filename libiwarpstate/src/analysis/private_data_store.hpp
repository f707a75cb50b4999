// PrivateDataStore: the Private Data of a connection's start-up frames, found again by the id in StartupFact.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include <iwarp/bytes.hpp>

namespace iwarp {

class PrivateDataStore {
 public:
  // Start-ups beyond these do not keep theirs: a connection that starts up so often is hostile.
  static constexpr std::size_t max_kept = 64;

  // 0 for none: empty, or too many are kept.
  std::uint32_t add(ByteView octets) {
    if (octets.empty() || kept_.size() == max_kept) return 0;
    kept_.emplace_back(octets.begin(), octets.end());
    return static_cast<std::uint32_t>(kept_.size());
  }

  [[nodiscard]] ByteView find(std::uint32_t id) const noexcept {
    return id == 0 || id > kept_.size() ? ByteView() : ByteView(kept_[id - 1]);
  }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [kept] = *this;
    codec(kept);
  }

 private:
  std::vector<Bytes> kept_;
};

}  // namespace iwarp
