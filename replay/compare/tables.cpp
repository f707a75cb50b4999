// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/tables.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iwarp/export/names.hpp>
#include <map>
#include <tuple>

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

// A line of the table of what came before: an entry of one log or both.
struct Row {
  Role role;
  std::optional<std::size_t> recorded;
  std::optional<std::size_t> live;
  TimeNs time;  // of its log
};

// The cells of an entry: frame, time since the log's first request, what.
void add_cells(std::vector<std::string>& cells, const StreamLog& log, EntryLines& lines, Role role,
               std::optional<std::size_t> at, TimeNs begin) {
  if (!at) {
    cells.insert(cells.end(), {"", "", ""});
    return;
  }
  const LogEntry& entry = log.entries[place(role)][*at];
  cells.push_back(entry.frame == 0 ? "" : std::to_string(entry.frame));
  cells.push_back(milliseconds(entry.time_ns - begin));
  cells.push_back(std::string(role_name(role)) + " " + lines.of(role, *at));
}

// The last message before `behind` by which `owner` told its peer of an STag.
std::optional<std::size_t> teller_of(const StreamLog& recorded, Role owner, std::uint32_t stag,
                                     FrameNumber behind) {
  std::optional<std::size_t> found;
  const std::vector<LogEntry>& entries = recorded.entries[place(owner)];
  for (std::size_t i = 0; i < entries.size() && (entries[i].frame <= behind || !found); ++i) {
    const bool tells =
        std::ranges::any_of(entries[i].advertised, [stag](const Mention& each) { return each.stag == stag; });
    if (tells) found = i;
  }
  return found;
}

bool private_data_tells(const StreamLog& recorded, Role owner, std::uint32_t stag) {
  const auto& data = recorded.private_data[place(owner)];
  return data &&
         std::ranges::any_of(data->advertised, [stag](const Mention& each) { return each.stag == stag; });
}

// Who told of an STag, and where: " told by the initiator's send 16 octets, msn 1 (frame 8, live frame 10)".
std::string told_by(const Comparison& comparison, LinedLogs& logs, Role owner, std::uint32_t stag,
                    FrameNumber behind) {
  const std::string whose = std::string("; told by the ") + role_name(owner) + "'s ";
  const std::optional<std::size_t> teller = teller_of(logs.recorded, owner, stag, behind);
  if (!teller) return private_data_tells(logs.recorded, owner, stag) ? whose + "Private Data" : "";
  const FrameNumber frame = logs.recorded.entries[place(owner)][*teller].frame;
  std::string text = whose + logs.recorded_lines.of(owner, *teller);
  std::string frames = frame == 0 ? "" : "frame " + std::to_string(frame);
  for (const Match& each : comparison.matches) {
    if (each.role != owner || each.recorded != *teller) continue;
    const FrameNumber live = logs.live.entries[place(owner)][each.live].frame;
    if (live != 0) frames += std::string(frames.empty() ? "" : ", ") + "live frame " + std::to_string(live);
  }
  return text + (frames.empty() ? "" : " (" + frames + ")");
}

// "  responder: own #1 is STag 0x00000001, live 0x00000002; told by ..." for each STag of the rows.
std::string legend(const Comparison& comparison, LinedLogs& logs, const std::vector<Row>& rows) {
  constexpr std::size_t most = 8;
  struct Stags {
    std::optional<std::uint32_t> recorded;
    std::optional<std::uint32_t> live;
    FrameNumber frame = 0;  // recorded, of the last use
  };
  std::map<std::tuple<Role, bool, std::size_t>, Stags> named;
  for (const Row& row : rows) {
    if (row.recorded) {
      for (const EntryLines::Named& each : logs.recorded_lines.names(row.role, *row.recorded)) {
        Stags& stags = named[{row.role, each.own, each.number}];
        stags.recorded = each.stag;
        stags.frame = logs.recorded.entries[place(row.role)][*row.recorded].frame;
      }
    }
    if (!row.live) continue;
    for (const EntryLines::Named& each : logs.live_lines.names(row.role, *row.live))
      named[{row.role, each.own, each.number}].live = each.stag;
  }
  std::string text;
  std::size_t listed = 0;
  for (const auto& [name, stags] : named) {
    if (listed++ == most) break;
    const auto& [role, own, number] = name;
    text += std::string("  ") + role_name(role) + ": " + (own ? "own #" : "peer's #") +
            std::to_string(number) + " is STag ";
    if (stags.recorded) text += hexadecimal(*stags.recorded, 8);
    if (stags.recorded && stags.live) text += ", ";
    if (stags.live) text += "live " + hexadecimal(*stags.live, 8);
    if (stags.recorded && !own) text += told_by(comparison, logs, other(role), *stags.recorded, stags.frame);
    text += "\n";
  }
  return text;
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

std::string context_table(const Cause& cause, const Comparison& comparison, LinedLogs& logs,
                          const std::array<std::size_t, 2>& recorded_upto,
                          const std::array<std::size_t, 2>& live_upto, const RenderOptions& options) {
  const TimeNs recorded_begin = begin_of(logs.recorded);
  const TimeNs live_begin = begin_of(logs.live);
  std::vector<Row> rows;
  for (const Role role : roles) {
    std::map<std::size_t, std::size_t> partners;  // of recorded ones
    std::vector<bool> has_partner(logs.live.entries[place(role)].size());
    for (const Match& each : comparison.matches) {
      if (each.role == role) partners[each.recorded] = each.live;
    }
    const std::size_t recorded_end = recorded_upto[place(role)];
    const std::size_t live_end = live_upto[place(role)];
    const auto first = [&](std::size_t end) { return end > options.context ? end - options.context : 0; };
    for (std::size_t i = first(recorded_end); i < recorded_end; ++i) {
      Row row{role, i, std::nullopt, logs.recorded.entries[place(role)][i].time_ns - recorded_begin};
      const auto partner = partners.find(i);
      if (partner != partners.end() && partner->second < live_end) {
        row.live = partner->second;
        has_partner[partner->second] = true;
      }
      rows.push_back(row);
    }
    for (std::size_t i = first(live_end); i < live_end; ++i) {
      if (has_partner[i]) continue;
      rows.push_back({role, std::nullopt, i, logs.live.entries[place(role)][i].time_ns - live_begin});
    }
  }
  std::ranges::stable_sort(rows, {}, &Row::time);
  const Difference& diverged = *cause.difference;
  const std::size_t before = rows.size();
  rows.push_back({diverged.role, diverged.recorded, diverged.live, 0});
  if (cause.instead) rows.push_back({cause.instead->role, std::nullopt, cause.instead->place, 0});
  if (cause.answer && !cause.differs_in_answer_alone())
    rows.push_back({cause.answer->role, std::nullopt, cause.answer->place, 0});

  Table table({"", "frame", "recorded at", options.recorded_name, "frame", "live at", options.live_name});
  const bool broken_alone = cause.broken != nullptr && !cause.breaks_it;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == before && broken_alone) {
      table.add({">", "", "", "", std::to_string(cause.broken->frame), "",
                 std::string(role_name(cause.broken->role)) + " breaks " + cause.broken->check});
    }
    const Row& row = rows[i];
    std::vector<std::string> cells = {i == before && !broken_alone ? ">" : ""};
    add_cells(cells, logs.recorded, logs.recorded_lines, row.role, row.recorded, recorded_begin);
    add_cells(cells, logs.live, logs.live_lines, row.role, row.live, live_begin);
    table.add(std::move(cells));
  }
  return table.text({true, false, false, true, false, false, true}) + legend(comparison, logs, rows);
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
