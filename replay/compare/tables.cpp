// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/tables.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iwarp/export/names.hpp>
#include <map>

namespace iwarp::replay {
namespace {

constexpr std::size_t role_count = 2;
constexpr std::array<Role, role_count> roles = {Role::initiator, Role::responder};

std::size_t place(Role role) noexcept {
  return static_cast<std::size_t>(role);
}

std::string milliseconds(TimeNs ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f ms", static_cast<double>(ns) / 1e6);
  return text;
}

// Rows of cells as text: columns as wide as their widest cell, numbers to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const noexcept { return rows_.size() == 1; }

  // `left`: columns of words.
  [[nodiscard]] std::string text(const std::vector<bool>& left) const {
    std::vector<std::size_t> widths(rows_[0].size());
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string space(widths[i] - row[i].size(), ' ');
        line += (i == 0 ? "  " : "   ") + (left[i] ? row[i] + space : space + row[i]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

TimeNs begin_of(const StreamLog& log) {
  TimeNs first = INT64_MAX;
  for (const auto& entries : log.entries) {
    for (const LogEntry& each : entries) first = std::min(first, each.time_ns);
  }
  return first;
}

// The cells of an entry: frame, time since the log's first request, what.
void add_cells(std::vector<std::string>& cells, const StreamLog& log, Role role,
               std::optional<std::size_t> at, const std::array<std::vector<std::string>, role_count>& lines,
               TimeNs begin) {
  if (!at) {
    cells.insert(cells.end(), {"", "", ""});
    return;
  }
  const LogEntry& entry = log.entries[place(role)][*at];
  cells.push_back(entry.frame == 0 ? "" : std::to_string(entry.frame));
  cells.push_back(milliseconds(entry.time_ns - begin));
  cells.push_back(std::string(role_name(role)) + " " + lines[place(role)][*at]);
}

}  // namespace

std::string first_octets(ByteView octets) {
  std::string text;
  char digits[4];
  for (std::size_t i = 0; i < std::min<std::size_t>(octets.size(), 8); ++i) {
    std::snprintf(digits, sizeof digits, " %02x", octets[i]);
    text += digits;
  }
  return text + (octets.size() > 8 ? " ..." : "");
}

std::string kinds_table(const Comparison& comparison, const StreamLog& recorded, const StreamLog& live) {
  struct Counts {
    std::size_t recorded = 0;
    std::size_t live = 0;
    std::size_t same = 0;
    std::size_t payload = 0;
    bool compared = false;  // payload of any of them
  };
  std::map<std::pair<Role, WorkKind>, Counts> all;
  for (const Role role : roles) {
    for (const LogEntry& each : recorded.entries[place(role)]) ++all[{role, each.kind}].recorded;
    for (const LogEntry& each : live.entries[place(role)]) ++all[{role, each.kind}].live;
  }
  for (const Match& each : comparison.matches) {
    Counts& counts = all[{each.role, recorded.entries[place(each.role)][each.recorded].kind}];
    ++counts.same;
    if (each.payload) ++counts.payload;
    counts.compared = counts.compared || each.payload;
  }
  for (const Difference& each : comparison.differences) {
    if (each.payload_at && each.recorded)
      all[{each.role, recorded.entries[place(each.role)][*each.recorded].kind}].compared = true;
  }
  Table table({"from", "request", "recorded", "live", "same", "payload the same"});
  for (const auto& [key, counts] : all) {
    const bool carries = is_send(key.second) || key.second == WorkKind::write || key.second == WorkKind::read;
    table.add({role_name(key.first), work_kind_name(key.second), std::to_string(counts.recorded),
               std::to_string(counts.live), std::to_string(counts.same),
               !carries          ? ""
               : counts.compared ? std::to_string(counts.payload)
                                 : "-"});
  }
  return table.empty() ? "" : table.text({true, true, false, false, false, false});
}

std::string latency_table(const Comparison& comparison) {
  Table table({"latency of", "count", "median recorded", "live", "p99 recorded", "live"});
  for (const LatencyPair& each : comparison.latencies) {
    table.add({work_kind_name(each.kind), std::to_string(each.count), milliseconds(each.recorded_median_ns),
               milliseconds(each.live_median_ns), milliseconds(each.recorded_p99_ns),
               milliseconds(each.live_p99_ns)});
  }
  return table.empty() ? "" : table.text({true, false, false, false, false, false});
}

std::string context_table(const Comparison& comparison, const StreamLog& recorded, const StreamLog& live,
                          const std::array<std::size_t, 2>& recorded_upto,
                          const std::array<std::size_t, 2>& live_upto, const RenderOptions& options) {
  std::array<std::vector<std::string>, role_count> recorded_lines;
  std::array<std::vector<std::string>, role_count> live_lines;
  struct Row {
    Role role;
    std::optional<std::size_t> recorded;
    std::optional<std::size_t> live;
    TimeNs time;  // of its log
  };
  const TimeNs recorded_begin = begin_of(recorded);
  const TimeNs live_begin = begin_of(live);
  std::vector<Row> rows;
  for (const Role role : roles) {
    recorded_lines[place(role)] = lines_of(recorded, role, recorded_upto[place(role)] + 1);
    live_lines[place(role)] = lines_of(live, role, live_upto[place(role)] + 1);
    std::map<std::size_t, std::size_t> partners;  // of recorded ones
    std::vector<bool> has_partner(live.entries[place(role)].size());
    for (const Match& each : comparison.matches) {
      if (each.role == role) partners[each.recorded] = each.live;
    }
    const std::size_t recorded_end = recorded_upto[place(role)];
    const std::size_t live_end = live_upto[place(role)];
    const auto first = [&](std::size_t end) { return end > options.context ? end - options.context : 0; };
    for (std::size_t i = first(recorded_end); i < recorded_end; ++i) {
      Row row{role, i, std::nullopt, recorded.entries[place(role)][i].time_ns - recorded_begin};
      const auto partner = partners.find(i);
      if (partner != partners.end() && partner->second < live_end) {
        row.live = partner->second;
        has_partner[partner->second] = true;
      }
      rows.push_back(row);
    }
    for (std::size_t i = first(live_end); i < live_end; ++i) {
      if (has_partner[i]) continue;
      rows.push_back({role, std::nullopt, i, live.entries[place(role)][i].time_ns - live_begin});
    }
  }
  std::ranges::stable_sort(rows, {}, &Row::time);
  const Difference& diverged = *comparison.first();
  rows.push_back({diverged.role, diverged.recorded, diverged.live, 0});
  Table table({"", "frame", "recorded at", options.recorded_name, "frame", "live at", options.live_name});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    std::vector<std::string> cells = {i + 1 == rows.size() ? ">" : ""};
    add_cells(cells, recorded, row.role, row.recorded, recorded_lines, recorded_begin);
    add_cells(cells, live, row.role, row.live, live_lines, live_begin);
    table.add(std::move(cells));
  }
  return table.text({true, false, false, true, false, false, true});
}

std::string payload_text(const Difference& difference, const StreamLog& recorded, const StreamLog& live) {
  if (!difference.payload_at || !difference.recorded || !difference.live) return "";
  const std::uint64_t at = *difference.payload_at;
  const LogEntry& was = recorded.entries[place(difference.role)][*difference.recorded];
  const LogEntry& is = live.entries[place(difference.role)][*difference.live];
  const auto from_there = [at](const std::vector<KnownOctets>& octets) {
    std::string text;
    for (const KnownOctets& each : octets) {
      if (at >= each.offset && at < each.offset + each.octets.size())
        text += first_octets(each.octets.subspan(static_cast<std::size_t>(at - each.offset)));
    }
    return text;
  };
  return "  payload differs from octet " + std::to_string(at) + " on: recorded" + from_there(was.known) +
         ", live" + from_there(seen_octets(is)) + "\n";
}

}  // namespace iwarp::replay
