// Nothing vanishes: whatever the header of an FPDU says, every octet of its direction is an FPDU's, a
// start-up frame's, never captured, or reported by MPA-SYNC; and what stands behind it is read soon.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/analysed.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;

struct Stream {
  bool marked = true;
  bool crc = true;
  bool joined = false;  // handshake and start-up were not captured
  std::size_t cut = 0;  // TCP segments of so many octets; 0: one for each FPDU
};

std::string name_of(const Stream& stream) {
  return std::string(stream.marked ? "marked" : "unmarked") + (stream.crc ? ", CRC" : ", no CRC") +
         (stream.joined ? ", joined" : "") + ", cut at " + std::to_string(stream.cut);
}

// What is wrong in one FPDU.
struct Wrong {
  std::size_t fpdu = 0;
  std::size_t octet = 0;  // of its ULPDU
  Byte value = 0;
  std::optional<unsigned> length = {};  // ULPDU_Length instead
  bool crc_right = true;
  std::optional<Byte> rdmap = {};  // the RDMAP control octet, too
};

std::string name_of(const Wrong& wrong) {
  return "FPDU " + std::to_string(wrong.fpdu) +
         (wrong.length ? ", ULPDU_Length " + std::to_string(*wrong.length)
                       : ", octet " + std::to_string(wrong.octet) + " = " + std::to_string(wrong.value)) +
         (wrong.rdmap ? ", octet 1 = " + std::to_string(*wrong.rdmap) : "") +
         (wrong.crc_right ? ", CRC right" : ", CRC wrong");
}

// Messages of many lengths: short ones between two markers, long ones over several.
std::vector<Bytes> ulpdus() {
  std::vector<Bytes> all;
  std::uint32_t msn = 0;
  for (unsigned round = 0; round < 2; ++round) {
    for (const std::size_t size : {40U, 7U, 600U, 1400U}) {
      all.push_back(send(++msn, pattern(size + round, round)));
      all.push_back(write(0x1234, 0x10000 * msn, pattern(1400 - size, round)));
    }
    const Bytes long_one = pattern(3000, round);
    for (Bytes& each : send_segments(++msn, long_one, 1300)) all.push_back(std::move(each));
  }
  return all;
}

struct Played {
  Conversation c;
  StreamOffset begin = 0;  // of Full Operation, as the capture counts octets
  StreamOffset end = 0;
};

Played play(const Stream& stream, const std::vector<Bytes>& fpdus, const std::optional<Wrong>& wrong) {
  Played played;
  Conversation& c = played.c;
  const Startup request{.crc = stream.crc};
  const Startup reply{.markers = stream.marked, .crc = stream.crc};
  const auto start = [&] {
    c.handshake();
    c.startup(request, reply);
  };
  stream.joined ? c.unseen(start) : start();
  const StreamOffset unseen = stream.joined ? c.sent(a) : 0;
  played.begin = c.sent(a) - unseen;
  Bytes octets;
  for (std::size_t i = 0; i < fpdus.size(); ++i) {
    Framing framing;
    if (!stream.crc) framing.crc = Crc::unused;
    Bytes ulpdu = fpdus[i];
    if (wrong && wrong->fpdu == i) {
      framing.length = wrong->length;
      if (!wrong->length) ulpdu[wrong->octet] = wrong->value;
      if (wrong->rdmap) ulpdu[1] = *wrong->rdmap;
      if (!wrong->crc_right) framing.crc = Crc::wrong;
    }
    const Bytes one = c.frame(a, ulpdu, framing);
    if (stream.cut == 0) {
      c.send(a, one);
    } else {
      octets.insert(octets.end(), one.begin(), one.end());
    }
  }
  if (stream.cut != 0) c.send(a, octets, Cuts::every(stream.cut));
  played.end = c.sent(a) - unseen;
  c.ack(b);
  c.close();
  return played;
}

struct Range {
  StreamOffset begin = 0;
  StreamOffset end = 0;
};

// Octets of `side` that no event tells of, in [from, to).
std::vector<Range> unreported(const Analysed& result, Side side, StreamOffset from, StreamOffset to,
                              bool joined) {
  std::set<StreamOffset> sync;  // where MPA-SYNC is broken, or undecidable
  bool cut = false;             // MPA-CUT is: the end lies inside an FPDU
  std::vector<Range> told;
  for (const Event& event : result.events()) {
    if (event.side != side) continue;
    if (event.kind != EventKind::finding && event.kind != EventKind::undecidable) continue;
    const CheckId check = event.kind == EventKind::finding ? event.finding.check : event.undecidable.check;
    if (check == CheckId::mpa_sync) sync.insert(event.offset);
    if (check == CheckId::mpa_cut) cut = true;
  }
  for (const Event& event : result.events()) {
    if (event.side != side) continue;
    const StreamOffset at = event.offset;
    switch (event.kind) {
      case EventKind::fpdu: told.push_back({at, at + event.fpdu.wire_size}); break;
      case EventKind::gap: told.push_back({at, at + event.gap.length}); break;
      case EventKind::sync_lost:
        if (!event.sync_lost.doubted && sync.contains(at)) told.push_back({at, at + event.sync_lost.length});
        break;
      case EventKind::locked:
        if (joined && event.locked.first) told.push_back({at - event.locked.skipped, at});
        break;
      default: break;
    }
  }
  std::sort(told.begin(), told.end(), [](const Range& x, const Range& y) { return x.begin < y.begin; });
  std::vector<Range> missing;
  for (const Range& each : told) {
    if (each.begin > from) missing.push_back({from, std::min(each.begin, to)});
    from = std::max(from, each.end);
    if (from >= to) return missing;
  }
  constexpr StreamOffset largest_header = 24;  // so many octets of an FPDU may not show yet what it is
  if (!cut || to - from >= largest_header) missing.push_back({from, to});
  return missing;
}

// Every value of the two control octets, some of the other header fields.
std::vector<Wrong> wrongs(const std::vector<Bytes>& fpdus, std::size_t fpdu) {
  std::vector<Wrong> all;
  const Bytes& ulpdu = fpdus[fpdu];
  for (const bool crc_right : {true, false}) {
    for (unsigned value = 0; value < 256; ++value) {
      for (const std::size_t octet : {0U, 1U}) {
        if (ulpdu[octet] != value) all.push_back({fpdu, octet, static_cast<Byte>(value), {}, crc_right});
      }
    }
    for (unsigned versions = 0; versions < 16; ++versions) {  // DV and RV
      const auto ddp = static_cast<Byte>((ulpdu[0] & ~3U) | (versions & 3U));
      all.push_back(
          {fpdu, 0, ddp, {}, crc_right, static_cast<Byte>((ulpdu[1] & 0x3fU) | versions >> 2U << 6U)});
    }
    const std::size_t header = (ulpdu[0] & 0x80U) != 0 ? 14 : 18;
    for (std::size_t octet = 2; octet < header; ++octet) {
      for (const unsigned flip : {0x01U, 0x80U, 0xffU})
        all.push_back({fpdu, octet, static_cast<Byte>(ulpdu[octet] ^ flip), {}, crc_right});
    }
    const auto length = static_cast<unsigned>(ulpdu.size());
    for (const unsigned other : {0U, 1U, 13U, 17U, length - 1, length + 1, length - 4, length + 4,
                                 length + 40, length + 1000, 2000U, 20000U, 65535U})
      all.push_back({fpdu, 0, 0, other, crc_right});
  }
  return all;
}

class UnreadOctets : public testing::TestWithParam<Stream> {};

// Whether the FPDU twelve behind the wrong one is reported when it comes, or little later: framing is found
// again within a few segments. A ULPDU_Length that swallows FPDUs is believed until it ends
// (docs/architecture.md, "Finding the framing").
bool reads_on(const Analysed& result, const std::vector<Event>& healthy, const Wrong& wrong,
              const std::vector<Bytes>& fpdus) {
  if (wrong.fpdu + 12 >= fpdus.size()) return true;
  if (wrong.length && *wrong.length > fpdus[wrong.fpdu].size() + 4) return true;
  const Event& due = healthy[wrong.fpdu + 12];
  const std::vector<Event> found = result.fpdus();
  return std::any_of(found.begin(), found.end(), [&due](const Event& event) {
    return event.side == due.side && event.offset == due.offset &&
           event.fpdu.wire_size == due.fpdu.wire_size && event.frame <= due.frame + 4;
  });
}

TEST_P(UnreadOctets, BehindOneWrongHeader) {
  const std::vector<Bytes> fpdus = ulpdus();
  const Stream& stream = GetParam();
  const std::vector<Event> healthy = Analysed(play(stream, fpdus, std::nullopt).c).fpdus();
  unsigned failures = 0;
  for (std::size_t at = 0; at < fpdus.size(); ++at) {
    const std::vector<Wrong> all = wrongs(fpdus, at);
    // All values at two places, one here and there at every other.
    const std::size_t step = at == 1 || at == 4 ? 1 : 13;
    for (std::size_t i = at % step; i < all.size() && failures < 10; i += step) {
      const Played played = play(stream, fpdus, all[i]);
      const Analysed result(played.c);
      const auto missing = unreported(result, a, played.begin, played.end, stream.joined);
      const bool on = reads_on(result, healthy, all[i], fpdus);
      if (missing.empty() && on) continue;
      ++failures;
      ADD_FAILURE() << name_of(stream) << ": " << name_of(all[i])
                    << (on ? "" : ": those behind it are not read soon") << '\n'
                    << (missing.empty() ? ""
                                        : "nothing tells of octets from " + std::to_string(missing[0].begin))
                    << '\n'
                    << result.told();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Streams, UnreadOctets,
                         testing::Values(Stream{true, true, false, 0}, Stream{true, true, false, 1448},
                                         Stream{true, false, false, 0}, Stream{true, false, false, 1448},
                                         Stream{true, true, true, 0}, Stream{true, true, true, 700},
                                         Stream{true, false, true, 0}, Stream{true, false, true, 1448},
                                         Stream{false, true, false, 0}, Stream{false, true, false, 1448},
                                         Stream{false, false, false, 0}, Stream{false, false, false, 1448},
                                         Stream{false, true, true, 1448}, Stream{false, false, true, 0}));

}  // namespace
}  // namespace iwarp::test
