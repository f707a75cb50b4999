// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/entry_lines.hpp"

#include <cstdio>

#include <iwarp/export/names.hpp>
#include <iwarp/wire/rdmap.hpp>

namespace iwarp::replay {
namespace {

struct Use {
  bool own = false;
  std::uint32_t stag = 0;
  std::uint64_t to = 0;
};

// The STags of an entry, in the order in which its line names them.
std::vector<Use> uses_of(const LogEntry& entry) {
  if (entry.cut) return {};
  const bool places = entry.length > 0;
  switch (entry.kind) {
    case WorkKind::write:
      return places ? std::vector<Use>{{false, entry.stag, entry.to}} : std::vector<Use>();
    case WorkKind::atomic: return {{false, entry.stag, entry.to}};
    case WorkKind::read:
      if (!places || entry.deduced) return {};
      return {{false, entry.source_stag, entry.source_to}, {true, entry.stag, entry.to}};
    default: return {};
  }
}

}  // namespace

std::string hexadecimal(std::uint64_t value, int digits) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

// "peer's #1 + 64"
std::string EntryLines::name(Side& side, bool own, std::uint32_t stag, std::uint64_t to) {
  const auto [found, fresh] = side.known.try_emplace({own, stag}, Known{side.counts[own ? 1 : 0] + 1, to});
  if (fresh) ++side.counts[own ? 1 : 0];
  const std::uint64_t distance = to - found->second.to;
  const bool before = distance > ~std::uint64_t{0} / 2;
  return std::string(own ? "own #" : "peer's #") + std::to_string(found->second.number) +
         (before ? " - " : " + ") + std::to_string(before ? 0 - distance : distance);
}

std::string EntryLines::line_of(const LogEntry& entry, Side& side) {
  std::string text = work_kind_name(entry.kind);
  if (entry.kind == WorkKind::terminate)
    return text + " " + hexadecimal(entry.code, 4) + " (" + wire::describe_terminate(entry.code).name + ")";
  if (is_close(entry.kind)) return text;
  if (entry.cut) return text + " of which the capture has no more";
  text += " " + std::to_string(entry.length) + " octets";
  const std::vector<Use> uses = uses_of(entry);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const char* const preposition = i == 1 || entry.kind == WorkKind::write ? " to "
                                    : entry.kind == WorkKind::read          ? " of "
                                                                            : " at ";
    text += preposition + name(side, uses[i].own, uses[i].stag, uses[i].to);
  }
  if (invalidates(entry.kind)) {
    const auto found = side.known.find({false, entry.stag});
    text +=
        " invalidating " + (found == side.known.end() ? hexadecimal(entry.stag, 8)
                                                      : "peer's #" + std::to_string(found->second.number));
  }
  if (entry.kind == WorkKind::immediate || entry.kind == WorkKind::immediate_se) {
    text += " " + hexadecimal(entry.immediate, 16);
  }
  if (entry.msn != 0) text += ", msn " + std::to_string(entry.msn);
  if (entry.outcome != OperationStatus::complete)
    text += std::string(", ") + operation_status_name(entry.outcome);
  return text;
}

const std::string& EntryLines::of(Role role, std::size_t entry) {
  Side& side = sides_[static_cast<std::size_t>(role)];
  const std::vector<LogEntry>& entries = log_.entries[static_cast<std::size_t>(role)];
  while (side.lines.size() <= entry) side.lines.push_back(line_of(entries[side.lines.size()], side));
  return side.lines[entry];
}

std::vector<EntryLines::Named> EntryLines::names(Role role, std::size_t entry) const {
  const Side& side = sides_[static_cast<std::size_t>(role)];
  const LogEntry& named = log_.entries[static_cast<std::size_t>(role)][entry];
  std::vector<Use> uses = uses_of(named);
  if (invalidates(named.kind)) uses.push_back({false, named.stag, 0});
  std::vector<Named> out;
  for (const Use& each : uses) {
    const auto found = side.known.find({each.own, each.stag});
    if (found != side.known.end()) out.push_back({each.own, found->second.number, each.stag});
  }
  return out;
}

}  // namespace iwarp::replay
