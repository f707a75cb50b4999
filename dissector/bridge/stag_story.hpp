// StagStory: what was known of an STag when a message named it, and what messages tell of STags, kept by the
// frames in which these messages end. Knows nothing of epan.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <iwarp/stags.hpp>

namespace iwarp::dissector {

class StagStory {
 public:
  // A message of a frame names an STag, or tells of it.
  struct Named {
    std::uint32_t stag = 0;
    ConnectionId stream = 0;
    Side owner = Side::a;
    bool told = false;  // by this message: of `length` octets at `to`
    Ulp ulp = Ulp::unknown;
    Confidence confidence = Confidence::high;
    FrameNumber advertised = 0;   // 0: nothing that was captured before advertises it
    FrameNumber invalidated = 0;  // before; 0: it was not
    std::uint64_t to = 0;         // of what was advertised
    std::optional<std::uint64_t> length;
  };

  // REQUIRES: the table took the use just now.
  void note(const StagUse& use, const StagTable& table);
  // Of messages that end in the frame, in their order.
  [[nodiscard]] std::span<const Named> of(FrameNumber frame) const noexcept;

 private:
  static constexpr std::size_t most_of_a_frame = 32;

  std::unordered_map<FrameNumber, std::vector<Named>> by_frame_;
};

}  // namespace iwarp::dissector
