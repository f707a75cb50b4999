// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/stags.hpp>

namespace iwarp {

void StagLives::take_over() {
  findings_.insert(findings_.end(), table_.findings().begin(), table_.findings().end());
  ended_.insert(ended_.end(), table_.ended().begin(), table_.ended().end());
}

void StagLives::add(const Event& event, const ConnectionState* connection, const Analysis& analysis) {
  findings_.clear();
  ended_.clear();
  for (const StagUse& use : reader_.add(event, connection, analysis)) {
    table_.add(use);
    take_over();
  }
}

void StagLives::finish() {
  findings_.clear();
  ended_.clear();
  table_.finish();
  take_over();
}

}  // namespace iwarp
