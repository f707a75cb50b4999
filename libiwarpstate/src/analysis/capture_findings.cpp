// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/capture_findings.hpp"

#include <algorithm>

namespace iwarp {

void CaptureFindings::once(const Placement& placed, Side side, StreamOffset offset, CheckId check,
                           std::uint64_t first, std::uint64_t second) {
  std::vector<CheckId>& said = said_[index(side)];
  if (std::find(said.begin(), said.end(), check) != said.end()) return;
  said.push_back(check);
  each(placed, side, offset, check, first, second);
}

void CaptureFindings::each(const Placement& placed, Side side, StreamOffset offset, CheckId check,
                           std::uint64_t first, std::uint64_t second) {
  const Note note{side, check, offset, {first, second}, placed};
  if (log_.state().iwarp) {
    tell(note);
  } else if (waiting_.size() < max_waiting) {
    waiting_.push_back(note);
  }
}

void CaptureFindings::tell(const Note& note) {
  log_.finding_at(note.placed, note.side, note.offset, note.check,
                  {note.arguments[0], note.arguments[1], note.placed.frame});
}

void CaptureFindings::tell_waiting() {
  for (const Note& note : waiting_) tell(note);
  waiting_.clear();
}

}  // namespace iwarp
