// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/notes.hpp"

#include <algorithm>

namespace iwarp {

void Notes::once(Side side, StreamOffset offset, CheckId check, std::uint64_t first, std::uint64_t second) {
  std::vector<CheckId>& said = said_[index(side)];
  if (std::find(said.begin(), said.end(), check) != said.end()) return;
  said.push_back(check);
  if (log_.state().iwarp) {
    log_.finding(side, offset, check, {first, second});
  } else {
    waiting_.push_back({side, check, {first, second}});
  }
}

void Notes::tell_waiting() {
  for (const Note& note : waiting_)
    log_.finding(note.side, 0, note.check, {note.arguments[0], note.arguments[1]});
  waiting_.clear();
}

}  // namespace iwarp
