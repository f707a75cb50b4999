// Fuzzes MPA framing: Framer with Synchronizer behind it, fed in any cuts, with holes, marked or not.
//
// Input: octet 0 modes and start, octet 1 seed of the cuts, the rest is the stream; a cut whose size octet
// has the high bit set is a hole. Checked besides the sanitizers: FPDUs do not overlap and go forward, none
// reaches beyond the octets given (but for unfinished ones), and the framer comes to rest after each push.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "mpa/framer.hpp"

namespace {

using namespace iwarp;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Watch {
  StreamOffset given = 0;  // octets pushed or declared absent
  StreamOffset last_end = 0;
  std::uint64_t outputs = 0;
};

// False when a start-up key ended Full Operation.
bool run(mpa::Framer& framer, Watch& watch) {
  for (;;) {
    const mpa::Framer::Output output = framer.poll();
    if (output == mpa::Framer::Output::none) return true;
    if (output == mpa::Framer::Output::startup) return false;
    // Every output but `locked` uses up at least one octet.
    require(++watch.outputs <= 2 * watch.given + 16);
    if (output != mpa::Framer::Output::fpdu) continue;
    const mpa::FramedFpdu& fpdu = framer.fpdu();
    if (fpdu.unfinished) {  // its length may be a lie: it reaches beyond what came, or others stand in it
      require(fpdu.begin >= watch.last_end && fpdu.begin < watch.given && fpdu.cut);
      continue;
    }
    require(fpdu.begin >= watch.last_end && fpdu.end > fpdu.begin && fpdu.end <= watch.given);
    require(fpdu.header_octets <= mpa::max_header && fpdu.header_octets <= fpdu.ulpdu_length);
    require(fpdu.cut || fpdu.wire.empty() || fpdu.wire.size() == fpdu.end - fpdu.begin);
    watch.last_end = fpdu.end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const unsigned modes = data[0];
  std::uint32_t random = data[1] + 1U;
  ByteView stream(data + 2, size - 2);

  mpa::FramerParameters parameters;
  parameters.markers = static_cast<Mode>(modes % 3);
  parameters.crc = static_cast<Mode>(modes / 3 % 3);
  parameters.revision_zero = (modes & 0x40U) != 0;
  mpa::Framer framer;
  if ((modes & 0x80U) != 0) {
    framer.seek(parameters, 0,
                (modes & 0x20U) != 0 ? mpa::Framer::Loss::not_agreed : mpa::Framer::Loss::start_missing);
  } else {
    framer.begin(parameters, 0);
  }

  Watch watch;
  bool operating = true;
  while (operating && !stream.empty()) {
    random = random * 1664525U + 1013904223U;
    const std::size_t cut = 1 + (random >> 16U) % 1500;
    if ((random >> 28U) == 0) {
      watch.given += cut;
      framer.push_absent(cut);
    } else {
      const ByteView piece = stream.first(cut < stream.size() ? cut : stream.size());
      stream = stream.subspan(piece.size());
      watch.given += piece.size();
      framer.push(piece, (random & 0x8000U) != 0);
    }
    operating = run(framer, watch);
  }
  framer.finish();
  if (operating) run(framer, watch);
  return 0;
}
