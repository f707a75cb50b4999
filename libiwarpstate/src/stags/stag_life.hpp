// StagLife: one life of an STag while it lasts, and what is kept of it beside its record.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include <iwarp/stags.hpp>

namespace iwarp {

class StagLife {
 public:
  // What was advertised of it. Beyond so many a use outside of these proves nothing.
  struct Region {
    std::uint64_t to = 0;
    std::uint64_t length = 0;
    FrameNumber frame = 0;
  };
  static constexpr std::size_t max_regions = 8;

  StagRecord record;
  std::uint32_t host = 0;
  std::uint64_t begun = 0;        // StagTable::Impl::serial then …
  std::uint64_t before = 0;       // … and when the life of this index before it began; 0: there is none
  std::uint64_t named = 0;        // … when a Send with Invalidate named it last; 0: none did
  std::uint64_t invalidated = 0;  // … and when the one came that was delivered; 0: none was
  FrameNumber delivered_frame = 0;
  FrameNumber told_frame = 0;   // of its latest advertisement that a ULP's reader read; 0: none
  FrameNumber named_frame = 0;  // of the latest Send with Invalidate that named it, delivered or not; 0: none
  // The life of this index before, where it was invalidated; frame 0: none.
  std::uint32_t earlier_stag = 0;
  FrameNumber earlier_invalidated = 0;
  FrameNumber earlier_delivered = 0;
  ConnectionId earlier_on = 0;  // the stream of the Send with Invalidate
  ConnectionId invalidated_on = 0;
  std::size_t streams_before = 0;  // of record.streams: that showed it before it was invalidated
  bool used_lately = true;

  void note_advertised(const StagUse& use);
  void note_use(const StagUse& use);
  void note_stream(ConnectionId stream);
  // By a ULP's reader.
  [[nodiscard]] bool is_certain() const noexcept {
    return record.advertised && record.advertised->confidence == Confidence::high;
  }
  // The stream told of it itself.
  [[nodiscard]] bool was_told_on(ConnectionId stream) const noexcept;
  // Its invalidation holds for what the stream names: it came there, or the stream used the STag before
  // without having been told of it, so its owner is the one that told of it elsewhere. An address alone does
  // not make a host: others may be behind it, each with an STag of that value.
  [[nodiscard]] bool is_invalid_on(ConnectionId stream) const noexcept;
  void note_right(wire::Opcode opcode, StagRight right) noexcept;
  // Octets of an access that lie outside all that was advertised, and the latest region; nothing where no
  // region is known. Certain: all regions are known.
  struct Outside {
    std::uint64_t octets = 0;
    FrameNumber advertised = 0;
    bool certain = false;
  };
  [[nodiscard]] std::optional<Outside> outside(std::uint64_t to, std::uint64_t length) const noexcept;

 private:
  std::vector<ConnectionId> told_on_;  // at most StagRecord::max_streams
  std::vector<Region> regions_;
  bool regions_known_ = true;  // all of them, with their lengths, by a ULP's reader
};

}  // namespace iwarp
