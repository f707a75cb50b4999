// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/comparison.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "compare/alignment.hpp"
#include "compare/renaming.hpp"
#include "compare/startup_comparison.hpp"
#include "compare/stream_pairs.hpp"

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

// What a request is, by which it is matched: nothing that renaming changes, nor how it ended.
std::uint64_t key_of(const LogEntry& entry) noexcept {
  std::uint64_t key = static_cast<std::uint64_t>(entry.kind) + 1;
  if (is_close(entry.kind) || entry.kind == WorkKind::terminate) return key;
  const auto take = [&key](std::uint64_t value) {
    key = (key ^ value) * 0x9e3779b97f4a7c15U;
    key ^= key >> 29U;
  };
  take(entry.length);
  take(entry.immediate);
  if (entry.atomic) take(entry.atomic->operation);
  return key;
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

struct Keyed {
  std::vector<std::size_t> places;  // in the log, of what is not ignored
  std::vector<std::uint64_t> keys;
};

Keyed keyed(const std::vector<LogEntry>& entries, const IgnoreRules& ignore, bool by_msn = false) {
  Keyed out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (ignore.ignores(entries[i].kind)) continue;
    out.places.push_back(i);
    const std::uint64_t key = key_of(entries[i]);
    out.keys.push_back(by_msn ? key ^ (std::uint64_t{entries[i].msn} << 32U) : key);
  }
  return out;
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

// One role of both logs.
class RoleComparison {
 public:
  // REQUIRES: the logs, `ignore` and `advertised` outlive this object.
  RoleComparison(const StreamLog& recorded, const StreamLog& live, Role role, const IgnoreRules& ignore,
                 const Advertised& advertised)
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

  struct Placed {
    Difference difference;
    FrameNumber frame = 0;  // of the recorded log, about: where it had come
    bool end = false;       // of the live run, which others may explain
  };

  void pair() {
    match();
    find_reordered();
    pair_neighbours();
  }

  // What the side's messages tell of its memory. Behind a hole nobody knows which of them is which; those
  // that the live side did not come to told nothing.
  void tell(Advertised& advertised) const {
    const bool whole = !recorded_lacking_ && !live_lacking_ && !recorded_holed_ && !live_holed_;
    const auto last = std::find_if(pairs_.rbegin(), pairs_.rend(), [this](const auto& pair) {
      return !is_close(recorded_[pair.first].kind);
    });
    const std::size_t told_upto = !whole ? recorded_.size() : last == pairs_.rend() ? 0 : last->first + 1;
    for (std::size_t i = 0; i < told_upto; ++i) {
      const auto pair = pairs_.find(i);
      for (const Mention& each : recorded_[i].advertised) {
        if (whole && pair != pairs_.end() && live_[pair->second].kind == recorded_[i].kind &&
            live_[pair->second].payload.size() == live_[pair->second].length) {
          advertised.take(role_, each, live_[pair->second].payload, recorded_[i].length);
        } else {
          advertised.doubt(role_, each.stag);
        }
      }
    }
  }

  // REQUIRES: pair() and tell() of both sides went before.
  void judge() {
    for (const auto& [i, j] : pairs_) {
      const auto told = [](const LogEntry& each) { return !each.cut && !each.deduced; };
      if (told(recorded_[i]) && told(live_[j])) renaming_.vote(recorded_[i], live_[j]);
    }
    renaming_.settle();
    judge_pairs();
    report_rest();
  }

  // Of each pair: when the live one came to pass, and the frame of the recorded one.
  void add_progress(std::vector<std::pair<TimeNs, FrameNumber>>& progress) const {
    for (const auto& [i, j] : pairs_) progress.emplace_back(live_[j].time_ns, recorded_[i].frame);
  }

  std::vector<Placed> differences;
  std::vector<Match> matches;
  std::map<WorkKind, std::vector<std::pair<TimeNs, TimeNs>>> latencies;

 private:
  [[nodiscard]] Role owner_of_payload(const LogEntry& entry) const noexcept {
    return entry.kind == WorkKind::read || entry.kind == WorkKind::atomic ? other(role_) : role_;
  }

  void match() {
    const Keyed a = keyed(recorded_, ignore_);
    const Keyed b = keyed(live_, ignore_);
    std::vector<bool> in_a(a.places.size());
    std::vector<bool> in_b(b.places.size());
    std::vector<Pair> pairs = align(a.keys, b.keys);
    // Of what looks alike nobody knows what fell into a hole; but MSNs tell.
    const auto hole = [](const std::optional<Reason>& lacking) {
      return lacking == Reason::gap || lacking == Reason::snaplen || lacking == Reason::midstream;
    };
    if ((hole(recorded_lacking_) || hole(live_lacking_)) && a.keys.size() != b.keys.size()) {
      uncertain_ = hole(recorded_lacking_) ? recorded_lacking_ : live_lacking_;
      std::vector<Pair> by_msn =
          align(keyed(recorded_, ignore_, true).keys, keyed(live_, ignore_, true).keys);
      if (by_msn.size() >= pairs.size()) pairs = std::move(by_msn);
    }
    prefer_told(a, b, pairs);
    for (const auto& [i, j] : pairs) {
      pairs_.emplace(a.places[i], b.places[j]);
      in_a[i] = true;
      in_b[j] = true;
    }
    for (std::size_t i = 0; i < in_a.size(); ++i) {
      if (!in_a[i]) missing_.push_back(a.places[i]);
    }
    for (std::size_t j = 0; j < in_b.size(); ++j) {
      if (!in_b[j]) extra_.insert(b.places[j]);
    }
  }

  // A Read that only its response tells of may be one that the live side did not make: the others come first.
  void prefer_told(const Keyed& a, const Keyed& b, std::vector<Pair>& pairs) const {
    if (pairs.size() == a.keys.size()) return;
    Keyed told;
    std::vector<std::size_t> places;  // in `a`
    for (std::size_t i = 0; i < a.keys.size(); ++i) {
      if (recorded_[a.places[i]].deduced) continue;
      places.push_back(i);
      told.keys.push_back(a.keys[i]);
    }
    if (places.size() == a.keys.size()) return;
    const auto matched = std::ranges::count_if(
        pairs, [&](const Pair& each) { return !recorded_[a.places[each.first]].deduced; });
    std::vector<Pair> better = align(told.keys, b.keys);
    if (better.size() <= static_cast<std::size_t>(matched)) return;
    for (Pair& each : better) each.first = places[each.first];
    pairs = std::move(better);
  }

  // What one log has too few and the other too many, of the same kind and size.
  void find_reordered() {
    std::multimap<std::uint64_t, std::size_t> unmatched;
    for (const std::size_t j : extra_) unmatched.emplace(key_of(live_[j]), j);
    std::erase_if(missing_, [&](std::size_t i) {
      const auto found = unmatched.lower_bound(key_of(recorded_[i]));
      if (found == unmatched.end() || found->first != key_of(recorded_[i])) return false;
      const std::size_t j = found->second;
      unmatched.erase(found);
      extra_.erase(j);
      if (recorded_[i].kind == WorkKind::rst) {  // it overtakes what is lost and sent again
        matches.push_back({role_, i, j, false});
        return true;
      }
      const auto what = uncertain_ ? DifferenceClass::undecidable : DifferenceClass::reordered;
      report({what, role_, i, j, {}, uncertain_}, recorded_[i].frame);
      return true;
    });
  }

  // Between the same two matched requests one log has this, the other that: one request that differs.
  void pair_neighbours() {
    std::map<std::size_t, std::vector<std::size_t>> holes;  // by the number of matched pairs before
    std::vector<std::size_t> matched_live;
    for (const auto& [i, j] : pairs_) matched_live.push_back(j);
    const auto hole_of_live = [&](std::size_t j) {
      return static_cast<std::size_t>(std::ranges::lower_bound(matched_live, j) - matched_live.begin());
    };
    for (const std::size_t j : extra_) holes[hole_of_live(j)].push_back(j);
    std::size_t hole = 0;
    auto pair = pairs_.begin();
    std::vector<std::pair<std::size_t, std::size_t>> made;
    std::erase_if(missing_, [&](std::size_t i) {
      for (; pair != pairs_.end() && pair->first < i; ++pair) ++hole;
      std::vector<std::size_t>& candidates = holes[hole];
      const auto same_kind =
          std::ranges::find_if(candidates, [&](std::size_t j) { return live_[j].kind == recorded_[i].kind; });
      const bool doubtful = recorded_lacking_ || live_lacking_;
      const auto chosen = same_kind != candidates.end() || doubtful
                              ? same_kind
                              : std::ranges::find_if(candidates, [&](std::size_t j) {
                                  const bool ends =
                                      is_close(live_[j].kind) || live_[j].kind == WorkKind::terminate;
                                  const bool recorded_ends =
                                      is_close(recorded_[i].kind) || recorded_[i].kind == WorkKind::terminate;
                                  return !ends && !recorded_ends;
                                });
      if (chosen == candidates.end()) return false;
      made.emplace_back(i, *chosen);
      extra_.erase(*chosen);
      candidates.erase(chosen);
      return true;
    });
    pairs_.insert(made.begin(), made.end());
  }

  void judge_pairs() {
    std::array<std::optional<std::pair<std::size_t, std::size_t>>, 2> previous;  // by queue: the pair before
    std::array<std::optional<std::size_t>, 2> last_recorded;
    std::array<std::optional<std::size_t>, 2> last_live;
    std::size_t upto_recorded = 0;
    std::size_t upto_live = 0;
    const auto note = [](const std::vector<LogEntry>& entries, std::size_t& upto, std::size_t end,
                         auto& last) {
      for (; upto < end; ++upto) {
        const int queue = queue_of(entries[upto]);
        if (queue >= 0) last[static_cast<std::size_t>(queue)] = upto;
      }
    };
    const bool steps_known = !recorded_lacking_ && !live_lacking_;
    for (const auto& [i, j] : pairs_) {
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
      if (uncertain_ && (a.msn == 0 || a.msn != b.msn || uncertain_ == Reason::midstream)) {
        difference.what = DifferenceClass::undecidable;
        difference.reason = uncertain_;
      }
      report(std::move(difference), a.frame);
    }
  }

  static bool has_msn(const LogEntry& a, const LogEntry& b) noexcept { return a.msn != 0 && b.msn != 0; }

  // Returns what Renaming::judge() does.
  std::optional<LiveAddress> judge(const LogEntry& a, const LogEntry& b,
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

  // Of a Send or Write a hole has left a piece: which one is not known.
  static bool piece_of(const LogEntry& a, const LogEntry& b) noexcept {
    return a.length != b.length && (a.kind != WorkKind::read || a.deduced || b.deduced);
  }

  static bool unsure(const LogEntry& entry, bool holed) noexcept {
    return entry.outcome == OperationStatus::unknown || is_piece(entry, holed);
  }

  // What comes behind all that both logs have may have come behind the end of the one that was left open.
  void report_rest() {
    std::size_t matched_recorded = 0;  // up to the last of them
    std::size_t matched_live = 0;
    for (const auto& [i, j] : pairs_) {
      matched_recorded = std::max(matched_recorded, i + 1);
      matched_live = std::max(matched_live, j + 1);
    }
    for (const std::size_t i : missing_) {
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
    for (const std::size_t j : extra_) {
      if (may_cross_rst(live_[j])) continue;
      Difference difference{DifferenceClass::extra, role_, std::nullopt, j, {}, {}};
      difference.what = class_of(live_[j], DifferenceClass::extra);
      difference.reason =
          doubt(recorded_lacking_, recorded_left_open_ && j >= matched_live, is_piece(live_[j], live_holed_));
      if (difference.reason) difference.what = DifferenceClass::undecidable;
      report(std::move(difference), 0);
    }
  }

  // Whether a FIN or a RST leaves before the peer's RST comes is TCP's affair. When a Terminate has ended the
  // stream so is a RST behind its sender's FIN, which does not count where the peer's FIN crossed it.
  [[nodiscard]] bool may_cross_rst(const LogEntry& entry) const noexcept {
    if (entry.kind == WorkKind::fin)
      return peer_resets_ || (terminated_ && peer_closes_ && peer_resets_once_);
    return entry.kind == WorkKind::rst && (peer_resets_ || (terminated_ && closes_));
  }

  // A hole makes several of one message.
  static bool is_piece(const LogEntry& entry, bool holed) noexcept {
    return holed && entry.outcome == OperationStatus::incomplete;
  }

  // Why the other log may have had it, too.
  static std::optional<Reason> doubt(std::optional<Reason> lacking, bool behind_end, bool piece) noexcept {
    if (lacking) return lacking;
    if (behind_end) return Reason::capture_end;
    return piece ? std::optional(Reason::gap) : std::nullopt;
  }

  static bool answers(const LogEntry& entry) noexcept {
    return entry.kind == WorkKind::terminate || entry.kind == WorkKind::rst;
  }

  static DifferenceClass class_of(const LogEntry& entry, DifferenceClass otherwise) noexcept {
    if (entry.kind == WorkKind::terminate) return DifferenceClass::terminate;
    return entry.kind == WorkKind::rst ? DifferenceClass::rst : otherwise;
  }

  void report(Difference difference, FrameNumber frame) {
    if (ignore_.ignores(difference.what)) return;
    differences.push_back({std::move(difference), frame});
  }

  const std::vector<LogEntry>& recorded_;
  const std::vector<LogEntry>& live_;
  std::optional<Reason> recorded_lacking_;
  std::optional<Reason> recorded_heard_lacking_;  // of the peer
  std::optional<Reason> live_lacking_;
  bool recorded_left_open_;
  bool live_left_open_;
  bool recorded_holed_;
  bool live_holed_;
  std::optional<Reason> uncertain_;  // why the one of a pair may not be the other one at all
  bool peer_resets_;                 // in both logs, as those that follow
  bool terminated_;                  // by either
  bool closes_;                      // by FIN
  bool peer_closes_;
  bool peer_resets_once_;  // in one of them
  bool timed_out_;
  Role role_;
  const IgnoreRules& ignore_;
  std::map<std::size_t, std::size_t> pairs_;  // recorded to live
  std::vector<std::size_t> missing_;
  std::set<std::size_t> extra_;
  Renaming renaming_;
};

void tell_private_data(const StreamLog& recorded, const StreamLog& live, Role role, Advertised& advertised) {
  const auto& a = recorded.private_data[static_cast<std::size_t>(role)];
  const auto& b = live.private_data[static_cast<std::size_t>(role)];
  if (!a) return;
  for (const Mention& each : a->advertised) {
    if (b) {
      advertised.take(role, each, b->octets, a->octets.size());
    } else {
      advertised.doubt(role, each.stag);
    }
  }
}

// Start-ups and ends alone are a session, too.
bool compared_nothing(const Comparison& comparison, const StreamLog& recorded, const StreamLog& live,
                      const IgnoreRules& ignore) {
  if (comparison.matched != 0 || !comparison.same()) return false;
  const std::vector<Difference>& doubts = comparison.differences;
  const bool limited =
      std::ranges::all_of(doubts, [](const Difference& each) { return each.reason == Reason::limit; });
  if (!doubts.empty() && limited) return false;  // that was asked for
  bool any = !doubts.empty();
  for (const StreamLog* log : {&recorded, &live}) {
    for (const auto& entries : log->entries) {
      any = any || !entries.empty();
      if (std::ranges::any_of(entries, [](const LogEntry& each) { return !is_close(each.kind); }))
        return true;
    }
  }
  const bool startup = recorded.startup == live.startup && live.startup != StartupEnd::unknown &&
                       !ignore.ignores(LogField::startup, Role::responder) &&
                       !ignore.ignores(Role::responder);
  return any && !startup;
}

// Puts what only the live log has where the run had come by then, by the requests of both sides; and an end
// of the stream behind what else there is. An end by which a side gave up waiting explains nothing.
void place_extras(const std::array<RoleComparison, 2>& roles, const StreamLog& live,
                  std::vector<RoleComparison::Placed>& all) {
  std::vector<std::pair<TimeNs, FrameNumber>> progress;
  for (const RoleComparison& each : roles) each.add_progress(progress);
  std::ranges::sort(progress);
  FrameNumber furthest = 0;
  for (auto& [time, frame] : progress) furthest = frame = std::max(furthest, frame);
  for (RoleComparison::Placed& each : all) {
    if (each.difference.recorded || !each.difference.live) continue;
    const LogEntry& entry =
        live.entries[static_cast<std::size_t>(each.difference.role)][*each.difference.live];
    each.end = is_close(entry.kind) || entry.kind == WorkKind::terminate;
    const auto behind =
        std::ranges::upper_bound(progress, entry.time_ns, {}, &std::pair<TimeNs, FrameNumber>::first);
    each.frame = behind == progress.begin() ? 0 : std::prev(behind)->second;
    if (each.end && live.timed_out) each.frame = ~FrameNumber{0};
  }
}

TimeNs quantile(std::vector<TimeNs> values, std::size_t percent) {
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, values.size() * percent / 100)];
}

LatencyPair summary_of(WorkKind kind, const std::vector<std::pair<TimeNs, TimeNs>>& both) {
  std::vector<TimeNs> recorded;
  std::vector<TimeNs> live;
  for (const auto& [a, b] : both) {
    recorded.push_back(a);
    live.push_back(b);
  }
  return {kind,
          both.size(),
          quantile(recorded, 50),
          quantile(live, 50),
          quantile(recorded, 99),
          quantile(live, 99)};
}

}  // namespace

bool Comparison::same() const noexcept {
  return first() == nullptr;
}

const Difference* Comparison::first() const noexcept {
  const auto found = std::ranges::find_if(
      differences, [](const Difference& each) { return each.what != DifferenceClass::undecidable; });
  return found == differences.end() ? nullptr : &*found;
}

bool StreamsComparison::same() const noexcept {
  return std::ranges::all_of(streams, [](const Each& each) {
    return each.undecidable || (each.recorded && each.live && each.comparison.same());
  });
}

bool StreamsComparison::nothing_compared() const noexcept {
  return std::ranges::all_of(streams, [](const Each& each) {
    return each.undecidable || (each.recorded && each.live && each.comparison.nothing_compared);
  });
}

Comparison compare(const StreamLog& recorded, const StreamLog& live, const CompareOptions& options) {
  Comparison comparison;
  std::vector<RoleComparison::Placed> all;
  std::map<WorkKind, std::vector<std::pair<TimeNs, TimeNs>>> latencies;
  Advertised advertised;
  std::array<RoleComparison, 2> roles = {
      RoleComparison(recorded, live, Role::initiator, options.ignore, advertised),
      RoleComparison(recorded, live, Role::responder, options.ignore, advertised)};
  for (RoleComparison& each : roles) {
    each.pair();
    each.tell(advertised);
  }
  for (const Role role : {Role::initiator, Role::responder})
    tell_private_data(recorded, live, role, advertised);
  for (const Role role : {Role::initiator, Role::responder}) {
    if (options.ignore.ignores(role)) continue;
    const auto add = [&](std::optional<Difference> each) {
      if (each && !options.ignore.ignores(each->what)) all.push_back({std::move(*each), 0});
    };
    if (role == Role::responder) add(difference_of_startup(recorded, live, options.ignore));
    add(difference_of_private_data(recorded, live, role, options.ignore));
    RoleComparison& one = roles[static_cast<std::size_t>(role)];
    one.judge();
    comparison.matched += one.matches.size();
    std::ranges::move(one.matches, std::back_inserter(comparison.matches));
    std::ranges::move(one.differences, std::back_inserter(all));
    for (auto& [kind, both] : one.latencies) std::ranges::copy(both, std::back_inserter(latencies[kind]));
  }
  place_extras(roles, live, all);
  std::ranges::stable_sort(all, {}, [](const auto& each) { return std::pair(each.frame, each.end); });
  for (RoleComparison::Placed& each : all) {
    ++comparison.counts[static_cast<std::size_t>(each.difference.what)];
    const bool first = comparison.first() == nullptr && each.difference.what != DifferenceClass::undecidable;
    if (comparison.differences.size() < options.max_differences || first) {
      comparison.differences.push_back(std::move(each.difference));
    }
  }
  for (const auto& [kind, both] : latencies) comparison.latencies.push_back(summary_of(kind, both));
  comparison.nothing_compared = compared_nothing(comparison, recorded, live, options.ignore);
  return comparison;
}

std::vector<PlannedViolation> broken_only_live(const StreamsComparison& comparison,
                                               const std::vector<StreamLog>& recorded,
                                               const std::vector<StreamLog>& live) {
  std::vector<PlannedViolation> out;
  for (const StreamsComparison::Each& each : comparison.streams) {
    if (!each.live) continue;
    for (const PlannedViolation& broken : live[*each.live].violations) {
      const auto same = [&](const PlannedViolation& other) {
        return other.check == broken.check && other.role == broken.role;
      };
      if (!each.recorded || std::ranges::none_of(recorded[*each.recorded].violations, same))
        out.push_back(broken);
    }
  }
  return out;
}

StreamsComparison compare(const std::vector<StreamLog>& recorded, const std::vector<StreamLog>& live,
                          const CompareOptions& options) {
  StreamsComparison out;
  for (const StreamPair& pair : paired_streams(recorded, live)) {
    StreamsComparison::Each& each = out.streams.emplace_back();
    each.recorded = pair.recorded;
    each.live = pair.live;
    if (each.recorded && each.live)
      each.comparison = compare(recorded[*each.recorded], live[*each.live], options);
    const bool cut_away = each.live ? !each.recorded && options.recorded_damaged : options.live_damaged;
    if (cut_away || pair.cut_away) each.undecidable = Reason::capture_end;
  }
  return out;
}

}  // namespace iwarp::replay
