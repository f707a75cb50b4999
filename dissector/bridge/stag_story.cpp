// SPDX-License-Identifier: GPL-2.0-or-later
#include "bridge/stag_story.hpp"

#include <algorithm>

namespace iwarp::dissector {
namespace {

bool names(StagUse::Kind kind) noexcept {
  switch (kind) {
    case StagUse::Kind::advertised:
    case StagUse::Kind::written:
    case StagUse::Kind::read:
    case StagUse::Kind::placed:
    case StagUse::Kind::atomic:
    case StagUse::Kind::invalidated: return true;
    default: return false;
  }
}

}  // namespace

void StagStory::note(const StagUse& use, const StagTable& table) {
  if (!names(use.kind)) return;
  // What was looked for is known only when it is used.
  if (use.kind == StagUse::Kind::advertised && use.confidence != Confidence::high) return;
  const StagRecord* const life = table.life_of(use);
  if (life == nullptr) return;
  std::vector<Named>& named = by_frame_[use.where.frame];
  if (named.size() >= most_of_a_frame) return;
  Named one;
  one.stag = use.stag;
  one.stream = use.stream;
  one.owner = use.owner;
  one.told = use.kind == StagUse::Kind::advertised;
  one.invalidated = life->invalidated == use.where.frame ? 0 : life->invalidated;
  if (one.told) {
    one.ulp = use.ulp;
    one.confidence = use.confidence;
    one.to = use.to;
    one.length = use.length;
  } else if (life->advertised) {
    one.ulp = life->advertised->ulp;
    one.confidence = life->advertised->confidence;
    one.advertised = life->advertised->frame;
    one.to = life->advertised->to;
    one.length = life->advertised->length;
  }
  // A message of several segments in one frame names it once.
  const auto same = [&](const Named& each) {
    return each.stag == one.stag && each.told == one.told && each.to == one.to && each.stream == one.stream;
  };
  if (std::none_of(named.begin(), named.end(), same)) named.push_back(one);
}

std::span<const StagStory::Named> StagStory::of(FrameNumber frame) const noexcept {
  const auto found = by_frame_.find(frame);
  return found == by_frame_.end() ? std::span<const Named>() : found->second;
}

}  // namespace iwarp::dissector
