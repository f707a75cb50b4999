// WaitingStore: octets of one direction that cannot be delivered yet, by stream offset.
//
// Pieces never overlap. A piece has octets, or stands for a length whose octets the snapshot length cut off.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>

namespace iwarp::stream {

// Why octets of a stream have no content.
enum class Absence : std::uint8_t {
  uncaptured,  // no captured segment carries them
  snaplen,     // the snapshot length cut them off
};

// Where octets came from.
struct Origin {
  FrameNumber frame = 0;
  TimeNs time_ns = 0;
  StreamOffset ack = 0;
  std::uint32_t payload_offset = 0;
  bool bad = false;      // TCP checksum bad
  bool suspect = false;  // and to be held back therefore
  bool fin = false;      // of a suspect segment: its last octet is followed by a FIN
  bool cut = false;      // the snapshot length cut the segment: nobody can tell whether its checksum is right

  [[nodiscard]] Placement placement() const noexcept { return {frame, time_ns}; }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    codec(frame, time_ns, ack, payload_offset, bad, suspect, fin, cut);
  }
};

// Octets that parts of them share, as long as these are not much fewer: a segment may be cut up octet by
// octet. A few need no memory of their own.
class SharedOctets {
 public:
  SharedOctets() = default;
  explicit SharedOctets(ByteView octets);

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // Until it is moved.
  [[nodiscard]] ByteView view() const noexcept { return {all_ ? all_.get() + from_ : few_.data(), size_}; }
  [[nodiscard]] SharedOctets part(std::size_t from, std::size_t length) const;

  // See base/packing.hpp. What they share with others is not packed.
  template <typename Codec>
  void pack(Codec& codec) {
    Bytes octets(view().begin(), view().end());
    codec(octets);
    if (empty()) *this = SharedOctets(octets);
  }

 private:
  std::shared_ptr<Byte[]> all_;  // none: they are in few_
  std::size_t all_size_ = 0;     // at most twice size_
  std::size_t from_ = 0;         // in all_
  std::size_t size_ = 0;
  std::array<Byte, 32> few_{};
};

struct Piece {
  SharedOctets octets;
  std::uint64_t absent = 0;  // length when octets is empty, otherwise 0
  Origin origin;

  [[nodiscard]] std::uint64_t length() const noexcept { return octets.empty() ? absent : octets.size(); }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    codec(octets, absent, origin);
  }
};

class WaitingStore {
 public:
  using Pieces = std::map<StreamOffset, Piece>;
  static constexpr std::size_t piece_cost = 128;

  [[nodiscard]] bool empty() const noexcept { return pieces_.empty(); }
  [[nodiscard]] std::size_t octets() const noexcept { return octets_; }
  // Memory held, about.
  [[nodiscard]] std::size_t cost() const noexcept { return octets_ + pieces_.size() * piece_cost; }
  // REQUIRES: !empty().
  [[nodiscard]] StreamOffset front_offset() const noexcept { return pieces_.begin()->first; }
  [[nodiscard]] const Piece& front() const noexcept { return pieces_.begin()->second; }

  // The first piece that ends behind `offset`.
  [[nodiscard]] Pieces::iterator first_behind(StreamOffset offset);
  [[nodiscard]] Pieces::iterator end() noexcept { return pieces_.end(); }

  // REQUIRES: the range is free and not empty; `behind` is the first piece behind it.
  void insert(Pieces::iterator behind, StreamOffset offset, Piece piece);
  // Puts another piece in the place of that at `at`. REQUIRES: they are equally long.
  void replace(Pieces::iterator at, Piece piece);
  // What the piece at `at` has of [begin, end).
  // REQUIRES: begin < end, both inside the piece.
  [[nodiscard]] static Piece part_of(Pieces::const_iterator at, StreamOffset begin, StreamOffset end);
  // Takes that out of the piece, leaving what lies before and behind it; returns the first piece behind it.
  // REQUIRES: the same.
  Pieces::iterator clear(Pieces::iterator at, StreamOffset begin, StreamOffset end);
  // REQUIRES: !empty().
  Piece pop_front();

  // The first piece is suspect no longer, or from now on. REQUIRES: !empty().
  void release_front();
  void suspect_front();

  // End of the contiguous run of pieces, none of them suspect, that begins at `offset`; `offset` when none
  // does.
  [[nodiscard]] StreamOffset run_end(StreamOffset offset) const;

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    codec(pieces_, octets_);
  }

 private:
  Pieces pieces_;
  std::size_t octets_ = 0;
};

}  // namespace iwarp::stream
