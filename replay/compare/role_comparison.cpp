// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/role_comparison.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

namespace iwarp::replay {
namespace {

// The MSNs that an entry takes part in: the queue, or none.
int queue_of(const LogEntry& entry) noexcept {
  if (is_send(entry.kind) || entry.kind == WorkKind::immediate || entry.kind == WorkKind::immediate_se)
    return 0;
  return entry.kind == WorkKind::read || entry.kind == WorkKind::atomic ? 1 : -1;
}

bool is_address(LogField field) noexcept {
  return field == LogField::stag || field == LogField::to || field == LogField::source_stag ||
         field == LogField::source_to;
}

bool same_operands(const LogEntry& a, const LogEntry& b) noexcept {
  if (a.atomic.has_value() != b.atomic.has_value()) return false;
  if (!a.atomic) return true;
  return std::tie(a.atomic->operation, a.atomic->add_swap_data, a.atomic->add_swap_mask,
                  a.atomic->compare_data, a.atomic->compare_mask) ==
         std::tie(b.atomic->operation, b.atomic->add_swap_data, b.atomic->add_swap_mask,
                  b.atomic->compare_data, b.atomic->compare_mask);
}

// The capture says how it ended. Unanswered at the end of a capture may be answered behind it.
bool outcome_known(const LogEntry& entry) noexcept {
  return entry.outcome == OperationStatus::complete || entry.outcome == OperationStatus::terminated;
}

// The first octet of a message that both logs have and that is another one in each. Nothing where they agree,
// or where there is nothing to compare: then `compared` stays false.
std::optional<std::uint64_t> first_difference(const LogEntry& recorded, const LogEntry& live,
                                              bool& compared) {
  const auto end = [](const KnownOctets& each) { return each.offset + each.octets.size(); };
  const std::vector<KnownOctets> there = seen_octets(live);
  auto other = there.begin();
  for (const KnownOctets& each : recorded.known) {
    while (other != there.end() && end(*other) <= each.offset) ++other;
    for (auto at = other; at != there.end() && at->offset < end(each); ++at) {
      const std::uint64_t from = std::max(each.offset, at->offset);
      const auto length = static_cast<std::size_t>(std::min(end(each), end(*at)) - from);
      const ByteView a = each.octets.subspan(static_cast<std::size_t>(from - each.offset), length);
      const ByteView b = at->octets.subspan(static_cast<std::size_t>(from - at->offset), length);
      compared = compared || length != 0;
      // Nearly always they are equal, which the library tells at the speed of memory.
      if (length == 0 || std::memcmp(a.data(), b.data(), length) == 0) continue;
      const auto differ = std::ranges::mismatch(a, b);
      if (differ.in1 != a.end()) return from + static_cast<std::uint64_t>(differ.in1 - a.begin());
    }
  }
  return std::nullopt;
}

bool has(const StreamLog& log, Role role, WorkKind kind) noexcept {
  return std::ranges::any_of(log.entries[static_cast<std::size_t>(role)],
                             [kind](const LogEntry& each) { return each.kind == kind; });
}

bool resets(const StreamLog& log, Role role) noexcept {
  return has(log, role, WorkKind::rst);
}

bool is_terminated(const StreamLog& log) noexcept {
  return has(log, Role::initiator, WorkKind::terminate) || has(log, Role::responder, WorkKind::terminate);
}

bool has_msn(const LogEntry& a, const LogEntry& b) noexcept {
  return a.msn != 0 && b.msn != 0;
}

// A hole makes several of one message.
bool is_piece(const LogEntry& entry, bool holed) noexcept {
  return holed && entry.outcome == OperationStatus::incomplete;
}

// Of a Send or Write a hole has left a piece: which one is not known.
bool piece_of(const LogEntry& a, const LogEntry& b) noexcept {
  return a.length != b.length && (a.kind != WorkKind::read || a.deduced || b.deduced);
}

bool unsure(const LogEntry& entry, bool holed) noexcept {
  return entry.outcome == OperationStatus::unknown || is_piece(entry, holed);
}

// Why the other log may have had it, too.
std::optional<Reason> doubt(std::optional<Reason> lacking, bool behind_end, bool piece) noexcept {
  if (lacking) return lacking;
  if (behind_end) return Reason::capture_end;
  return piece ? std::optional(Reason::gap) : std::nullopt;
}

bool answers(const LogEntry& entry) noexcept {
  return entry.kind == WorkKind::terminate || entry.kind == WorkKind::rst;
}

DifferenceClass class_of(const LogEntry& entry, DifferenceClass otherwise) noexcept {
  if (entry.kind == WorkKind::terminate) return DifferenceClass::terminate;
  return entry.kind == WorkKind::rst ? DifferenceClass::rst : otherwise;
}

}  // namespace

RoleComparison::RoleComparison(const StreamLog& recorded, const StreamLog& live, Role role,
                               const IgnoreRules& ignore, const Advertised& advertised)
    : recorded_(recorded.entries[static_cast<std::size_t>(role)]),
      live_(live.entries[static_cast<std::size_t>(role)]),
      recorded_lacking_(recorded.lacking[static_cast<std::size_t>(role)]),
      recorded_heard_lacking_(recorded.lacking[static_cast<std::size_t>(other(role))]),
      live_lacking_(live.lacking[static_cast<std::size_t>(role)]),
      recorded_left_open_(recorded.left_open),
      live_left_open_(live.left_open),
      recorded_holed_(recorded.holed),
      live_holed_(live.holed),
      peer_resets_(resets(recorded, other(role)) && resets(live, other(role))),
      terminated_(is_terminated(recorded) && is_terminated(live)),
      closes_(has(recorded, role, WorkKind::fin) && has(live, role, WorkKind::fin)),
      peer_closes_(has(recorded, other(role), WorkKind::fin) && has(live, other(role), WorkKind::fin)),
      peer_resets_once_(resets(recorded, other(role)) || resets(live, other(role))),
      timed_out_(live.timed_out),
      role_(role),
      ignore_(ignore),
      renaming_(advertised, role) {}

void RoleComparison::pair() {
  pairing_ = pair_entries({recorded_, recorded_lacking_}, {live_, live_lacking_}, ignore_);
  for (const auto& [i, j] : pairing_.reordered) {
    if (recorded_[i].kind == WorkKind::rst) {  // it overtakes what is lost and sent again
      matches.push_back({role_, i, j, false});
      continue;
    }
    const auto what = pairing_.uncertain ? DifferenceClass::undecidable : DifferenceClass::reordered;
    report({what, role_, i, j, {}, pairing_.uncertain}, recorded_[i].frame);
  }
}

void RoleComparison::tell(Advertised& advertised) const {
  const bool whole = !recorded_lacking_ && !live_lacking_ && !recorded_holed_ && !live_holed_;
  const auto last = std::find_if(pairing_.pairs.rbegin(), pairing_.pairs.rend(),
                                 [this](const auto& pair) { return !is_close(recorded_[pair.first].kind); });
  const std::size_t told_upto = !whole                          ? recorded_.size()
                                : last == pairing_.pairs.rend() ? 0
                                                                : last->first + 1;
  for (std::size_t i = 0; i < told_upto; ++i) {
    const auto pair = pairing_.pairs.find(i);
    for (const Mention& each : recorded_[i].advertised) {
      if (whole && pair != pairing_.pairs.end() && live_[pair->second].kind == recorded_[i].kind &&
          live_[pair->second].payload.size() == live_[pair->second].length) {
        advertised.take(role_, each, live_[pair->second].payload, recorded_[i].length);
      } else {
        advertised.doubt(role_, each.stag);
      }
    }
  }
}

void RoleComparison::judge() {
  for (const auto& [i, j] : pairing_.pairs) {
    const auto told = [](const LogEntry& each) { return !each.cut && !each.deduced; };
    if (told(recorded_[i]) && told(live_[j])) renaming_.vote(recorded_[i], live_[j]);
  }
  renaming_.settle();
  judge_pairs();
  report_rest();
}

void RoleComparison::add_progress(std::vector<std::pair<TimeNs, FrameNumber>>& progress) const {
  for (const auto& [i, j] : pairing_.pairs) progress.emplace_back(live_[j].time_ns, recorded_[i].frame);
}

void RoleComparison::judge_pairs() {
  std::array<std::optional<std::pair<std::size_t, std::size_t>>, 2> previous;  // by queue: the pair before
  std::array<std::optional<std::size_t>, 2> last_recorded;
  std::array<std::optional<std::size_t>, 2> last_live;
  std::size_t upto_recorded = 0;
  std::size_t upto_live = 0;
  const auto note = [](const std::vector<LogEntry>& entries, std::size_t& upto, std::size_t end, auto& last) {
    for (; upto < end; ++upto) {
      const int queue = queue_of(entries[upto]);
      if (queue >= 0) last[static_cast<std::size_t>(queue)] = upto;
    }
  };
  const bool steps_known = !recorded_lacking_ && !live_lacking_;
  for (const auto& [i, j] : pairing_.pairs) {
    note(recorded_, upto_recorded, i, last_recorded);
    note(live_, upto_live, j, last_live);
    const LogEntry& a = recorded_[i];
    const LogEntry& b = live_[j];
    std::vector<LogField> fields;
    const int queue = queue_of(a);
    if (queue >= 0 && queue == queue_of(b)) {
      auto& before = previous[static_cast<std::size_t>(queue)];
      // Only between the same two neighbours a step can be compared, and where none fell into a hole.
      if (steps_known && before && before->first == last_recorded[static_cast<std::size_t>(queue)] &&
          before->second == last_live[static_cast<std::size_t>(queue)] &&
          has_msn(a, recorded_[before->first]) && has_msn(b, live_[before->second]) &&
          a.msn - recorded_[before->first].msn != b.msn - live_[before->second].msn) {
        fields.push_back(LogField::msn);
      }
      before = {i, j};
    }
    std::optional<LiveAddress> advertised = judge(a, b, fields);
    bool payload = false;
    std::optional<std::uint64_t> payload_at;
    if (fields.empty() && !piece_of(a, b) && !ignore_.ignores(LogField::payload, owner_of_payload(a)))
      payload_at = first_difference(a, b, payload);
    if (payload_at) fields.push_back(LogField::payload);
    std::erase_if(fields, [this](LogField field) {
      return field != LogField::payload && ignore_.ignores(field, role_);
    });
    if (a.latency_ns && b.latency_ns) latencies[a.kind].emplace_back(*a.latency_ns, *b.latency_ns);
    if (fields.empty()) {
      matches.push_back({role_, i, j, payload});
      continue;
    }
    const DifferenceClass what = a.kind == WorkKind::terminate && b.kind == WorkKind::terminate
                                     ? DifferenceClass::terminate
                                     : DifferenceClass::different;
    if (std::ranges::none_of(fields, is_address)) advertised.reset();
    Difference difference{what, role_, i, j, std::move(fields), {}, payload_at, advertised};
    // MSNs of a stream that was joined count from where that was.
    if (pairing_.uncertain && (a.msn == 0 || a.msn != b.msn || pairing_.uncertain == Reason::midstream)) {
      difference.what = DifferenceClass::undecidable;
      difference.reason = pairing_.uncertain;
    }
    report(std::move(difference), a.frame);
  }
}

std::optional<LiveAddress> RoleComparison::judge(const LogEntry& a, const LogEntry& b,
                                                 std::vector<LogField>& fields) const {
  if (a.kind != b.kind) {
    fields.push_back(LogField::kind);
    return std::nullopt;
  }
  if (a.cut || b.cut) return std::nullopt;
  const bool partial = a.outcome == OperationStatus::incomplete || b.outcome == OperationStatus::incomplete;
  // The code of a Terminate counts, not how much of what broke a rule it quotes.
  if (a.length != b.length && !partial && a.kind != WorkKind::terminate) fields.push_back(LogField::size);
  std::optional<LiveAddress> advertised = renaming_.judge(a, b, fields);
  // What begins behind a hole begins at another TO.
  if (partial) std::erase(fields, LogField::to);
  if (a.deduced || b.deduced) fields.clear();  // where it read, and how much, is not known
  if (outcome_known(a) && outcome_known(b) && a.outcome != b.outcome) fields.push_back(LogField::outcome);
  // Where the beginning of a Send or Write may have been before the capture's, its end is all that is
  // known.
  const bool as_long = a.length == b.length && a.kind != WorkKind::read && a.kind != WorkKind::atomic;
  if (!outcome_known(a) != !outcome_known(b) && !as_long && !recorded_lacking_ && !live_lacking_ &&
      !unsure(a, recorded_holed_) && !unsure(b, live_holed_)) {
    fields.push_back(LogField::outcome);
  }
  if (a.original && b.original && *a.original != *b.original) fields.push_back(LogField::atomic);
  if (a.code != b.code && a.sent_code != b.sent_code) fields.push_back(LogField::code);
  if (a.immediate != b.immediate) fields.push_back(LogField::immediate);
  if (!same_operands(a, b)) fields.push_back(LogField::atomic);
  return advertised;
}

void RoleComparison::report_rest() {
  std::size_t matched_recorded = 0;  // up to the last of them
  std::size_t matched_live = 0;
  for (const auto& [i, j] : pairing_.pairs) {
    matched_recorded = std::max(matched_recorded, i + 1);
    matched_live = std::max(matched_live, j + 1);
  }
  for (const std::size_t i : pairing_.missing) {
    if (may_cross_rst(recorded_[i])) continue;
    Difference difference{DifferenceClass::missing, role_, i, std::nullopt, {}, {}};
    difference.what =
        class_of(recorded_[i], timed_out_ ? DifferenceClass::timeout : DifferenceClass::missing);
    difference.reason = doubt(live_lacking_, live_left_open_ && i >= matched_recorded,
                              is_piece(recorded_[i], recorded_holed_));
    // What it answered may not have been captured.
    if (!difference.reason && answers(recorded_[i])) difference.reason = recorded_heard_lacking_;
    // One of the requests that were captured may be the one that was known from its response.
    if (!difference.reason && recorded_[i].deduced)
      difference.reason = recorded_lacking_.value_or(Reason::gap);
    if (difference.reason) difference.what = DifferenceClass::undecidable;
    report(std::move(difference), recorded_[i].frame);
  }
  for (const std::size_t j : pairing_.extra) {
    if (may_cross_rst(live_[j])) continue;
    Difference difference{DifferenceClass::extra, role_, std::nullopt, j, {}, {}};
    difference.what = class_of(live_[j], DifferenceClass::extra);
    difference.reason =
        doubt(recorded_lacking_, recorded_left_open_ && j >= matched_live, is_piece(live_[j], live_holed_));
    if (difference.reason) difference.what = DifferenceClass::undecidable;
    report(std::move(difference), 0);
  }
}

bool RoleComparison::may_cross_rst(const LogEntry& entry) const noexcept {
  if (entry.kind == WorkKind::fin) return peer_resets_ || (terminated_ && peer_closes_ && peer_resets_once_);
  return entry.kind == WorkKind::rst && (peer_resets_ || (terminated_ && closes_));
}

Role RoleComparison::owner_of_payload(const LogEntry& entry) const noexcept {
  return entry.kind == WorkKind::read || entry.kind == WorkKind::atomic ? other(role_) : role_;
}

void RoleComparison::report(Difference difference, FrameNumber frame) {
  if (ignore_.ignores(difference.what)) return;
  differences.push_back({std::move(difference), frame});
}

}  // namespace iwarp::replay
