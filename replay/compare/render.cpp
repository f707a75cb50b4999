// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/render.hpp"

#include <algorithm>
#include <cstdio>
#include <iwarp/export/names.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "compare/cause.hpp"
#include "compare/entry_lines.hpp"
#include "compare/tables.hpp"

namespace iwarp::replay {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<LogEntry>& entries_of(const StreamLog& log, Role role) {
  return log.entries[static_cast<std::size_t>(role)];
}

// A run that was stopped is the same where nothing was kept back.
const char* verdict_of(const Comparison& comparison, const RenderOptions& options) {
  if (!comparison.same()) return "diverged";
  if (options.unfinished && std::ranges::find(comparison.differences, std::optional(Reason::limit),
                                              &Difference::reason) != comparison.differences.end())
    return "unfinished";
  return comparison.nothing_compared ? "undecidable" : "same";
}

const char* verdict_of(const StreamsComparison& comparison, const RenderOptions& options) {
  if (!comparison.same()) return "diverged";
  for (const StreamsComparison::Each& each : comparison.streams) {
    if (verdict_of(each.comparison, options) == std::string_view("unfinished")) return "unfinished";
  }
  return comparison.nothing_compared() ? "undecidable" : "same";
}

bool is_same(const std::string& verdict) {
  return verdict == "same";
}

std::string place_of(const LogEntry& entry) {
  return entry.frame == 0 ? "" : " (frame " + std::to_string(entry.frame) + ")";
}

std::string fields_text(const Difference& difference) {
  std::string text;
  for (const LogField field : difference.fields)
    text += (text.empty() ? "" : ", ") + std::string(log_field_name(field));
  return text;
}

// The start-up itself, or what was put into its frames.
std::string startup_text(const Difference& difference, const StreamLog& recorded, const StreamLog& live) {
  if (!difference.payload_at) {
    const auto told = [](const StreamLog& log) {
      return std::string("the start-up is ") + startup_end_name(log.startup);
    };
    return " recorded: " + told(recorded) + "; live: " + told(live);
  }
  const auto role = static_cast<std::size_t>(difference.role);
  const auto told = [&](const StreamLog& log) {
    const Bytes& octets = log.private_data[role]->octets;
    const auto at = static_cast<std::size_t>(std::min<std::uint64_t>(*difference.payload_at, octets.size()));
    return std::to_string(octets.size()) + " octets," + first_octets(ByteView(octets).subspan(at));
  };
  return " they differ from octet " + std::to_string(*difference.payload_at) + " on: recorded " +
         told(recorded) + "; live " + told(live);
}

std::string difference_text(const Difference& difference, LinedLogs& logs) {
  std::string text = std::string(role_name(difference.role)) + ", " + difference_class_name(difference.what);
  if (!difference.fields.empty()) text += " in " + fields_text(difference);
  if (difference.reason) text += std::string(" (") + reason_name(*difference.reason) + ")";
  text += ":";
  if (difference.of_startup()) return text + startup_text(difference, logs.recorded, logs.live);
  if (difference.recorded) {
    text += " recorded " + logs.recorded_lines.of(difference.role, *difference.recorded) +
            place_of(entries_of(logs.recorded, difference.role)[*difference.recorded]);
  }
  if (difference.recorded && difference.live) text += ";";
  if (difference.live) {
    text += " live " + logs.live_lines.of(difference.role, *difference.live) +
            place_of(entries_of(logs.live, difference.role)[*difference.live]);
  }
  if (difference.advertised && difference.live) {
    const LogEntry& entry = entries_of(logs.live, difference.role)[*difference.live];
    const bool source = std::ranges::any_of(difference.fields, [](LogField field) {
      return field == LogField::source_stag || field == LogField::source_to;
    });
    text += " at STag " + hexadecimal(source ? entry.source_stag : entry.stag, 8) + ", TO " +
            hexadecimal(source ? entry.source_to : entry.to, 16) + ", where STag " +
            hexadecimal(difference.advertised->stag, 8) + ", TO " +
            hexadecimal(difference.advertised->to, 16) + " was advertised";
  }
  return text;
}

// A stream that only one of the two has.
std::string lone_stream_text(const StreamsComparison::Each& each, const std::vector<StreamLog>& recorded,
                             const std::vector<StreamLog>& live) {
  std::string text = each.recorded ? "missing stream" : "extra stream";
  if (each.undecidable) text += std::string(", undecidable (") + reason_name(*each.undecidable) + ")";
  const StreamLog& log = each.recorded ? recorded[*each.recorded] : live[*each.live];
  text += ": " + log.name;
  if (each.recorded && !log.refused.empty()) text += "; " + log.refused + ": a replay leaves it out";
  return text;
}

// How far a log had come, role by role, when the first divergence came to pass.
std::array<std::size_t, 2> upto(const StreamLog& log, const Difference& first, bool is_recorded) {
  std::array<std::size_t, 2> ends{};
  if (first.of_startup()) return ends;
  const auto& own = is_recorded ? first.recorded : first.live;
  const auto& entries = entries_of(log, first.role);
  const auto at = static_cast<std::size_t>(first.role);
  const std::size_t there =
      is_recorded ? first.live.value_or(entries.size()) : first.recorded.value_or(entries.size());
  ends[at] = own ? *own : std::min(there, entries.size());
  const std::optional<TimeNs> time =
      ends[at] < entries.size() ? std::optional(entries[ends[at]].time_ns) : std::nullopt;
  const auto& peer = entries_of(log, other(first.role));
  ends[1 - at] = peer.size();
  if (time) {
    const auto later =
        std::ranges::find_if(peer, [&](const LogEntry& each) { return each.time_ns >= *time; });
    ends[1 - at] = static_cast<std::size_t>(later - peer.begin());
  }
  return ends;
}

std::string reference_of(const std::string& check) {
  for (std::size_t i = 0; i < check_count; ++i) {
    const CheckInfo& info = check_info(static_cast<CheckId>(i));
    if (check == info.id && info.reference[0] != '\0') return std::string(" (") + info.reference + ")";
  }
  return "";
}

// What came first, why, how it was answered, and what both sides had done before.
std::string cause_text(const Cause& cause, const Comparison& comparison, LinedLogs& logs,
                       const RenderOptions& options) {
  const Difference& first = *cause.difference;
  std::string text = "first divergence: ";
  const auto rule_in = [&](const std::string& place) {
    const PlannedViolation& broken = *cause.broken;
    return broken.check + reference_of(broken.check) + place + ": " + broken.text + "\n";
  };
  if (cause.broken != nullptr && !cause.breaks_it) {
    text += std::string(role_name(cause.broken->role)) + " breaks " +
            rule_in(" in live frame " + std::to_string(cause.broken->frame));
  } else {
    text += difference_text(first, logs) + "\n" + payload_text(first, logs.recorded, logs.live);
    if (cause.breaks_it) text += "  which breaks " + rule_in("");
  }
  const auto line_of = [&](const LiveEntry& entry) {
    return std::string(role_name(entry.role)) + " " + logs.live_lines.of(entry.role, entry.place) +
           place_of(entries_of(logs.live, entry.role)[entry.place]) + "\n";
  };
  if (cause.instead) text += "  instead came " + line_of(*cause.instead);
  if (cause.answer) text += "  answered by " + line_of(*cause.answer);
  if (cause.broken != nullptr && !cause.breaks_it) {
    if (!cause.differs_in_answer_alone()) text += "  so " + difference_text(first, logs) + "\n";
  }
  if (first.of_startup()) return text;
  return text + context_table(cause, comparison, logs, upto(logs.recorded, first, true),
                              upto(logs.live, first, false), options);
}

Json entry_json(const StreamLog& log, Role role, std::size_t at, const std::string& line) {
  const LogEntry& entry = entries_of(log, role)[at];
  Json json;
  json["kind"] = work_kind_name(entry.kind);
  json["text"] = line;
  json["length"] = entry.cut ? Json() : Json(entry.length);
  json["msn"] = entry.msn != 0 ? Json(entry.msn) : Json();
  const bool told = !entry.cut && !entry.deduced;
  const bool tagged = told && (entry.kind == WorkKind::write || entry.kind == WorkKind::read ||
                               entry.kind == WorkKind::atomic);
  json["stag"] = tagged || invalidates(entry.kind) ? Json(hexadecimal(entry.stag, 8)) : Json();
  json["to"] = tagged ? Json(hexadecimal(entry.to, 16)) : Json();
  const bool read = told && entry.kind == WorkKind::read;
  json["source_stag"] = read ? Json(hexadecimal(entry.source_stag, 8)) : Json();
  json["source_to"] = read ? Json(hexadecimal(entry.source_to, 16)) : Json();
  json["outcome"] = operation_status_name(entry.outcome);
  json["code"] = entry.kind == WorkKind::terminate ? Json(hexadecimal(entry.code, 4)) : Json();
  json["frame"] = entry.frame != 0 ? Json(entry.frame) : Json();
  json["time_ns"] = entry.time_ns;
  json["latency_ns"] = entry.latency_ns ? Json(*entry.latency_ns) : Json();
  return json;
}

Json entry_json(const StreamLog& log, EntryLines& lines, Role role, std::size_t at) {
  return entry_json(log, role, at, lines.of(role, at));
}

Json difference_json(const Difference& difference, LinedLogs& logs) {
  Json json;
  json["class"] = difference_class_name(difference.what);
  json["from"] = role_name(difference.role);
  json["fields"] = Json::array();
  for (const LogField field : difference.fields) json["fields"].push_back(log_field_name(field));
  json["reason"] = difference.reason ? Json(reason_name(*difference.reason)) : Json();
  json["payload_at"] = difference.payload_at ? Json(*difference.payload_at) : Json();
  json["advertised"] = Json();
  if (difference.advertised) {
    json["advertised"]["stag"] = hexadecimal(difference.advertised->stag, 8);
    json["advertised"]["to"] = hexadecimal(difference.advertised->to, 16);
  }
  json["recorded"] = difference.recorded ? entry_json(logs.recorded, logs.recorded_lines, difference.role,
                                                      *difference.recorded)
                                         : Json();
  json["live"] =
      difference.live ? entry_json(logs.live, logs.live_lines, difference.role, *difference.live) : Json();
  return json;
}

Json context_json(const StreamLog& log, EntryLines& lines, const std::array<std::size_t, 2>& ends,
                  std::size_t context) {
  Json json;
  for (const Role role : {Role::initiator, Role::responder}) {
    const std::size_t end = ends[static_cast<std::size_t>(role)];
    Json& list = json[role_name(role)] = Json::array();
    for (std::size_t i = end > context ? end - context : 0; i < end; ++i)
      list.push_back(entry_json(log, lines, role, i));
  }
  return json;
}

// All requests of both logs, one after the other: what was recorded, what came of it, and whether it is the
// same.
Json messages_json(const Comparison& comparison, LinedLogs& logs) {
  struct Row {
    Role role;
    std::size_t place;  // of the recorded one, or of the one it comes behind
    const Match* match;
    const Difference* difference;
  };
  std::vector<Row> rows;
  for (const Match& each : comparison.matches) rows.push_back({each.role, each.recorded, &each, nullptr});
  for (const Difference& each : comparison.differences) {
    if (each.of_startup()) continue;
    const std::size_t place = each.recorded ? *each.recorded : each.live.value_or(0);
    rows.push_back({each.role, place, nullptr, &each});
  }
  std::ranges::stable_sort(
      rows, {}, [](const Row& row) { return std::pair(static_cast<std::size_t>(row.role), row.place); });
  Json all = Json::array();
  for (const Row& row : rows) {
    Json json;
    std::optional<std::size_t> was;
    std::optional<std::size_t> is;
    if (row.match != nullptr) {
      was = row.match->recorded;
      is = row.match->live;
    } else {
      was = row.difference->recorded;
      is = row.difference->live;
    }
    const bool differs = row.difference != nullptr && row.difference->payload_at.has_value();
    json["from"] = role_name(row.role);
    json["verdict"] = row.match != nullptr ? "same" : difference_class_name(row.difference->what);
    json["fields"] = Json::array();
    if (row.difference != nullptr) {
      for (const LogField field : row.difference->fields) json["fields"].push_back(log_field_name(field));
    }
    json["payload"] = differs                                      ? "different"
                      : row.match != nullptr && row.match->payload ? "same"
                                                                   : "not_compared";
    json["payload_at"] = differs ? Json(*row.difference->payload_at) : Json();
    json["recorded"] = was ? entry_json(logs.recorded, logs.recorded_lines, row.role, *was) : Json();
    json["live"] = is ? entry_json(logs.live, logs.live_lines, row.role, *is) : Json();
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace

std::string to_text(const Comparison& comparison, const StreamLog& recorded, const StreamLog& live,
                    const RenderOptions& options) {
  std::string text =
      options.recorded_name + ": " + recorded.name + "\n" + options.live_name + ": " + live.name + "\n";
  std::string counts;
  for (std::size_t i = 0; i < comparison.counts.size(); ++i) {
    if (comparison.counts[i] == 0) continue;
    counts += ", " + std::to_string(comparison.counts[i]) + " " +
              difference_class_name(static_cast<DifferenceClass>(i));
  }
  const Cause cause = cause_of(comparison, recorded, live);
  LinedLogs logs{recorded, live};
  const std::string verdict = verdict_of(comparison, options);
  text += (verdict == "unfinished" ? "not all was run" : verdict) + ": ";
  text += (verdict == "undecidable" ? "nothing could be compared"
                                    : std::to_string(comparison.matched) + " requests are the same") +
          counts + "\n";
  if (cause.difference != nullptr) text += cause_text(cause, comparison, logs, options);
  std::size_t listed = 0;
  for (const Difference& each : comparison.differences) {
    if (&each == cause.difference) continue;
    if (listed++ == options.max_listed) {
      text += "…\n";
      break;
    }
    text += difference_text(each, logs) + "\n";
  }
  text += kinds_table(comparison, recorded, live) + latency_table(comparison);
  return text;
}

std::string to_text(const StreamsComparison& comparison, const std::vector<StreamLog>& recorded,
                    const std::vector<StreamLog>& live, const RenderOptions& options) {
  const auto same = std::ranges::count_if(comparison.streams, [](const StreamsComparison::Each& each) {
    return each.recorded && each.live && each.comparison.same();
  });
  const std::string verdict = verdict_of(comparison, options);
  std::string text = verdict + ": " +
                     (verdict == "undecidable" ? "nothing of " : std::to_string(same) + " of ") +
                     std::to_string(comparison.streams.size()) +
                     (verdict == "undecidable" ? " streams could be compared\n" : " streams are the same\n");
  for (const StreamsComparison::Each& each : comparison.streams) {
    if (each.recorded && each.live) {
      text += to_text(each.comparison, recorded[*each.recorded], live[*each.live], options);
    } else {
      text += lone_stream_text(each, recorded, live) + "\n";
    }
  }
  return text;
}

Json to_json(const Comparison& comparison, const StreamLog& recorded, const StreamLog& live,
             const RenderOptions& options) {
  Json json;
  json["verdict"] = verdict_of(comparison, options);
  json["same"] = is_same(json["verdict"]);
  json["recorded"] = recorded.name;
  json["live"] = live.name;
  json["startup"] = {{"recorded", startup_end_name(recorded.startup)},
                     {"live", startup_end_name(live.startup)}};
  json["matched"] = comparison.matched;
  for (std::size_t i = 0; i < comparison.counts.size(); ++i) {
    json["counts"][difference_class_name(static_cast<DifferenceClass>(i))] = comparison.counts[i];
  }
  json["first"] = Json();
  json["broken"] = Json();
  json["answer"] = Json();
  LinedLogs logs{recorded, live};
  const Cause cause = cause_of(comparison, recorded, live);
  if (const Difference* const first = cause.difference) {
    json["first"] = difference_json(*first, logs);
    json["first"]["before"]["recorded"] =
        context_json(recorded, logs.recorded_lines, upto(recorded, *first, true), options.context);
    json["first"]["before"]["live"] =
        context_json(live, logs.live_lines, upto(live, *first, false), options.context);
    if (cause.broken != nullptr) {
      json["broken"] = {{"id", cause.broken->check},
                        {"from", role_name(cause.broken->role)},
                        {"frame", cause.broken->frame},
                        {"text", cause.broken->text}};
    }
    if (cause.answer)
      json["answer"] = entry_json(live, logs.live_lines, cause.answer->role, cause.answer->place);
  }
  json["differences"] = Json::array();
  for (const Difference& each : comparison.differences) {
    json["differences"].push_back(difference_json(each, logs));
  }
  if (options.messages) json["messages"] = messages_json(comparison, logs);
  json["latency"] = Json::array();
  for (const LatencyPair& each : comparison.latencies) {
    json["latency"].push_back({{"kind", work_kind_name(each.kind)},
                               {"count", each.count},
                               {"recorded_median_ns", each.recorded_median_ns},
                               {"live_median_ns", each.live_median_ns},
                               {"recorded_p99_ns", each.recorded_p99_ns},
                               {"live_p99_ns", each.live_p99_ns}});
  }
  return json;
}

Json to_json(const StreamsComparison& comparison, const std::vector<StreamLog>& recorded,
             const std::vector<StreamLog>& live, const RenderOptions& options) {
  Json json;
  json["verdict"] = verdict_of(comparison, options);
  json["same"] = is_same(json["verdict"]);
  json["streams"] = Json::array();
  for (const StreamsComparison::Each& each : comparison.streams) {
    if (each.recorded && each.live) {
      json["streams"].push_back(
          to_json(each.comparison, recorded[*each.recorded], live[*each.live], options));
      continue;
    }
    json["streams"].push_back({{"verdict", each.undecidable ? "undecidable" : "diverged"},
                               {"same", each.undecidable.has_value()},
                               {"reason", each.undecidable ? Json(reason_name(*each.undecidable)) : Json()},
                               {"recorded", each.recorded ? Json(recorded[*each.recorded].name) : Json()},
                               {"live", each.live ? Json(live[*each.live].name) : Json()}});
  }
  return json;
}

}  // namespace iwarp::replay
