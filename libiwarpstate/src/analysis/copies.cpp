// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/copies.hpp"

#include <algorithm>
#include <utility>

namespace iwarp {

std::optional<Copies::Better> Copies::better(const mpa::FramedFpdu& fpdu,
                                             const mpa::FramerParameters& parameters, Alternates alternates) {
  std::optional<Better> better;
  for (const stream::Alternate& alternate : alternates) {
    const StreamOffset from = std::max(alternate.offset, fpdu.begin);
    const StreamOffset to = std::min<StreamOffset>(alternate.offset + alternate.octets.size(), fpdu.end);
    if (from >= to || fpdu.wire.empty()) continue;
    // Each copy is laid over those before it: the right octets may be spread over several.
    if (!better) better.emplace().octets.assign(fpdu.wire.begin(), fpdu.wire.end());
    std::copy_n(alternate.octets.begin() + static_cast<std::ptrdiff_t>(from - alternate.offset), to - from,
                better->octets.begin() + static_cast<std::ptrdiff_t>(from - fpdu.begin));
    mpa::examine(parameters, fpdu.begin, better->octets, fpdu.ulpdu_length, better->fpdu);
    if (better->fpdu.crc == CrcStatus::good) return better;
  }
  return std::nullopt;
}

void Copies::keep_bad(const mpa::FramedFpdu& fpdu, const mpa::FramerParameters& parameters) {
  if (bad_.size() == max_bad) bad_.erase(bad_.begin());
  bad_.push_back({fpdu.begin, parameters, fpdu.ulpdu_length, Bytes(fpdu.wire.begin(), fpdu.wire.end())});
}

std::optional<Copies::Better> Copies::recover(Alternates alternates) {
  for (auto bad = bad_.begin(); bad != bad_.end(); ++bad) {
    mpa::FramedFpdu fpdu;
    fpdu.begin = bad->begin;
    fpdu.end = bad->begin + bad->octets.size();
    fpdu.ulpdu_length = bad->ulpdu_length;
    fpdu.wire = bad->octets;
    std::optional<Better> right = better(fpdu, bad->parameters, alternates);
    if (!right) continue;
    bad_.erase(bad);
    return right;
  }
  return std::nullopt;
}

void Copies::settle(ConnectionLog& log, Side side, StreamOffset origin, StreamOffset from, StreamOffset upto,
                    bool crc_decided) {
  std::erase_if(conflicts_, [&](const OpenConflict& conflict) {
    const stream::Conflict& octets = conflict.octets;
    if (octets.offset >= upto || octets.offset + octets.length <= from) return false;
    if (!log.state().iwarp) return true;
    const Phrase used = crc_decided          ? Phrase::good_copy_used
                        : octets.second_used ? Phrase::later_copy_used
                                             : Phrase::first_copy_used;
    // Those of a start-up frame count from the connection's first octet.
    const StreamOffset at = octets.offset < origin ? octets.offset : octets.offset - origin;
    log.finding(side, octets.offset, CheckId::cap_conflict,
                {octets.length, at, static_cast<std::uint64_t>(used)}, {conflict.frame});
    return true;
  });
}

}  // namespace iwarp
