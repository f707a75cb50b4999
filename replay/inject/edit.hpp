// Edit: an outgoing FPDU in the hands of a rule that is to be broken: its header, its payload, and what goes
// before and behind it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <utility>

#include "inject/passing.hpp"
#include "rnic/mutator.hpp"

namespace iwarp::replay {

class Edit {
 public:
  // `turn`: calls before this one for the same injection. `kept`: what earlier ones kept.
  Edit(const Passing& its_passing, Bytes& its_ulpdu, rnic::Framing& its_framing, unsigned its_turn,
       Bytes& its_kept)
      : passing(its_passing),
        header(its_passing.header),
        ulpdu(its_ulpdu),
        framing(its_framing),
        turn(its_turn),
        kept(its_kept) {}

  const Passing& passing;
  wire::DdpHeader header;  // to be changed, then put()
  Bytes& ulpdu;
  rnic::Framing& framing;
  unsigned turn;
  Bytes& kept;

  [[nodiscard]] ByteView payload() const noexcept { return ByteView(ulpdu).subspan(passing.header.size()); }
  // Writes `header` over that of the ULPDU. REQUIRES: it has the same T.
  void put();
  // This segment as two: so many octets of payload, without L, and the rest.
  [[nodiscard]] std::pair<Bytes, Bytes> split(std::size_t at) const;
  void before(Bytes other) { framing.before.push_back({std::move(other), false}); }
  void behind(Bytes other) { framing.behind.push_back({std::move(other), false}); }
  void drop() noexcept { framing.copies = 0; }
};

// A ULPDU.
[[nodiscard]] Bytes segment(const wire::DdpHeader& header, ByteView payload = {});
// Changes the header of a ULPDU that is one.
template <typename Change>
[[nodiscard]] Bytes changed(Bytes ulpdu, Change change) {
  wire::DdpHeader header = *wire::parse_ddp(ulpdu);
  const std::size_t size = header.size();
  change(header);
  return segment(header, ByteView(ulpdu).subspan(size));
}
// A Terminate: its control word and what follows.
[[nodiscard]] Bytes terminate(std::uint16_t code, std::uint8_t header_control = 0, ByteView rest = {});
// A zero-length RDMA Write, which changes nothing wherever it comes.
[[nodiscard]] Bytes empty_write();
// The FPDU of a ULPDU in a stream without markers, for where no FPDU may be yet.
[[nodiscard]] Bytes unmarked_fpdu(ByteView ulpdu);

}  // namespace iwarp::replay
