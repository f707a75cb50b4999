// StagStory: from when to when an STag named the same memory, who told whom of it, and what it allowed: what
// the library's StagTable says of each life that ended, or was left when the capture was.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QStringList>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <iwarp/stags.hpp>

#include "models/hosts.hpp"
#include "models/selection.hpp"
#include "scale/time_scale.hpp"

namespace iwarp::gui {

struct StagLife {
  StagRecord record;
  // Of the frames that the record names; nothing where it names none.
  std::optional<TimeNs> advertised_ns;
  std::optional<TimeNs> first_use_ns;
  std::optional<TimeNs> last_use_ns;
  std::optional<TimeNs> invalidated_ns;

  // From what shows it first to what shows it last.
  [[nodiscard]] TimeSpan span() const noexcept;
};

// "RPC-over-RDMA"; empty of an unknown one.
[[nodiscard]] const char* ulp_words(Ulp ulp) noexcept;

// What is known of a life, a line each: by whom it was advertised, with which range, what was allowed, what
// ended it.
[[nodiscard]] QStringList life_lines(const StagLife& life);

// The log's own: takes records in the thread that reads.
class StagRecords {
 public:
  // More are counted: what they are of is still in the map of uses.
  static constexpr std::size_t most = std::size_t{1} << 17U;

  void add(std::span<const StagRecord> ended);
  [[nodiscard]] const std::vector<StagRecord>& records() const noexcept { return records_; }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

 private:
  std::vector<StagRecord> records_;
  std::uint64_t dropped_ = 0;
};

// By host, as StagRecord::host names it, and STag: its lives in the order in which they began. Never changed.
class StagStory {
 public:
  using Name = std::pair<std::string, std::uint32_t>;

  StagStory() = default;
  StagStory(const StagRecords& records, const Analysis& analysis, Hosts hosts);

  // Empty: none is known.
  [[nodiscard]] std::span<const StagLife> of(const StagName& name) const;
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

 private:
  std::map<Name, std::vector<StagLife>> lives_;
  Hosts hosts_;
  std::uint64_t dropped_ = 0;
};

}  // namespace iwarp::gui
