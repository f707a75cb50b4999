// Summary: what the analysis could not decide.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/export/summary.hpp>

namespace iwarp {

namespace {

// `from`: what has counted.
void add_counts(Summary& summary, const auto& from) {
  for (unsigned check = 0; check < check_count; ++check) {
    for (std::size_t reason = 0; reason < static_cast<std::size_t>(Reason::count); ++reason) {
      const std::uint64_t count = from.undecidable(static_cast<CheckId>(check), static_cast<Reason>(reason));
      if (count != 0) summary.undecidable[same_id_check(static_cast<CheckId>(check))][reason] += count;
    }
  }
}

}  // namespace

void Summary::add_undecidable(const StagTable& stags) {
  add_counts(*this, stags);
}

void Summary::add_undecidable(const Analysis& analysis) {
  add_counts(*this, analysis);
  if (const std::uint64_t late = analysis.late_segments(); late != 0)
    skipped["TCP segments of connections that had ended"] += late;
  if (const std::uint64_t early = analysis.early_segments(); early != 0)
    skipped["TCP segments with octets from before the first one captured of their stream"] += early;
  if (const std::uint64_t behind = analysis.segments_behind_fin(); behind != 0)
    skipped["TCP segments with octets behind the FIN of their stream"] += behind;
}

}  // namespace iwarp
