// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <iterator>
#include <iwarp/export/names.hpp>

#include "compare/stream_log.hpp"

namespace iwarp::replay {
namespace {

// Leaves [begin, end) out of what is known.
void leave_out(std::vector<KnownOctets>& known, std::uint64_t begin, std::uint64_t end) {
  std::vector<KnownOctets> rest;
  for (const KnownOctets& each : known) {
    const std::uint64_t last = each.offset + each.octets.size();
    const std::uint64_t upto = std::clamp(begin, each.offset, last);
    const std::uint64_t from = std::clamp(end, each.offset, last);
    const auto piece = [&](std::uint64_t first, std::uint64_t behind) {
      if (first < behind) {
        rest.push_back({first, each.octets.subspan(static_cast<std::size_t>(first - each.offset),
                                                   static_cast<std::size_t>(behind - first))});
      }
    };
    piece(each.offset, upto);
    piece(std::max(from, upto), last);
  }
  known = std::move(rest);
}

// What the capture showed of a message: seeded octets are not known, STags and TOs are others in each run.
std::vector<KnownOctets> known_octets(const Plan& plan, const PlannedWork& work) {
  std::vector<KnownOctets> known;
  std::uint64_t at = 0;
  for (const Piece& piece : work.content) {
    if (!piece.seeded) {
      const ByteView octets = plan.payloads[static_cast<PayloadId>(piece.source)];
      known.push_back({at, octets.subspan(static_cast<std::size_t>(piece.offset),
                                          static_cast<std::size_t>(piece.length))});
    }
    at += piece.length;
  }
  for (const Mention& each : work.mentions) {
    const std::uint64_t width = each.form == StagForm::digits ? 2 : 1;
    leave_out(known, each.offset, each.offset + 4 * width);
    if (each.to_offset) leave_out(known, *each.to_offset, *each.to_offset + 8 * width);
  }
  return known;
}

// Four octets alone may be an STag by chance; with the TO beside them they are not.
std::vector<Mention> advertised_in(const std::vector<Mention>& mentions) {
  std::vector<Mention> advertised;
  std::ranges::copy_if(mentions, std::back_inserter(advertised),
                       [](const Mention& each) { return each.by_owner && each.to_offset; });
  return advertised;
}

StartupEnd end_of_startup(const PlannedStream& stream) noexcept {
  if (stream.startup[1] && stream.startup[1]->rejected) return StartupEnd::rejected;
  return stream.startup[1] || stream.accepted ? StartupEnd::accepted : StartupEnd::unanswered;
}

// The IRD and ORD of MS-SMBD are negotiated; STags and TOs are others in each run.
std::optional<LogPrivateData> known_private_data(const Plan& plan,
                                                 const std::optional<PlannedStartup>& startup) {
  if (!startup || !startup->private_data_known || plan.anonymised) return std::nullopt;
  constexpr std::uint64_t smbd_size = 8;
  LogPrivateData out{startup->private_data, {}, advertised_in(startup->mentions)};
  if (startup->smbd) out.left_out.emplace_back(0, smbd_size);
  for (const Mention& each : startup->mentions) {
    const std::uint64_t width = each.form == StagForm::digits ? 2 : 1;
    out.left_out.emplace_back(each.offset, each.offset + 4 * width);
    if (each.to_offset) out.left_out.emplace_back(*each.to_offset, *each.to_offset + 8 * width);
  }
  return out;
}

std::string told(const PlannedViolation& broken) {
  return std::string("its ") + role_name(broken.role) + " breaks " + broken.check + " in frame " +
         std::to_string(broken.frame) + " (" + broken.text + ")";
}

}  // namespace

StreamLog expected_log(const Plan& plan, std::uint32_t number) {
  const PlannedStream& stream = plan.streams[number];
  StreamLog log;
  log.stream = stream.number;
  log.name = to_string(stream.endpoints[0]) + " to " + to_string(stream.endpoints[1]);
  if (stream.copy != 0) log.name += ", copy " + std::to_string(stream.copy);
  log.left_open = stream.left_open;
  for (const PlannedViolation& each : stream.violations) {
    const bool known = std::ranges::any_of(log.violations, [&](const PlannedViolation& before) {
      return before.check == each.check && before.role == each.role;
    });
    if (each.severity >= Severity::error && !known) log.violations.push_back(each);
  }
  log.startup = end_of_startup(stream);
  for (const std::size_t role : {0U, 1U})
    log.private_data[role] = known_private_data(plan, stream.startup[role]);
  if (const PlannedViolation* const broken = refusal(stream)) log.refused = told(*broken);
  std::array<bool, 2> fins{};
  std::array<std::array<std::uint32_t, wire::queue_count>, 2> next_msn{};
  std::array<std::array<std::uint32_t, wire::queue_count>, 2> rtr_messages{};
  for (std::uint32_t i = 0; i < stream.work.size(); ++i) {
    const PlannedWork& work = stream.work[i];
    const auto role = static_cast<std::size_t>(work.role);
    if (work.rtr) {
      if (const auto queue = queue_of(work.kind)) rtr_messages[role][*queue] = 1;
    }
    if (work.rtr || (work.kind == WorkKind::rst && fins[0] && fins[1])) continue;
    if (work.kind == WorkKind::fin) fins[role] = true;
    if (work.outcome != OperationStatus::complete && is_cut(stream, i)) continue;
    if (work.stands_in) continue;
    LogEntry entry;
    entry.kind = work.kind;
    entry.length = work.length;
    entry.stag = work.stag;
    entry.to = work.to;
    entry.source_stag = work.source_stag;
    entry.source_to = work.source_to;
    entry.outcome = work.outcome;
    entry.code = work.terminate_code;
    if (work.terminate.size() >= 2) entry.sent_code = load_be16(work.terminate.data());
    entry.immediate = work.immediate;
    entry.atomic = work.atomic;
    if (!plan.anonymised) entry.original = work.original;
    entry.frame = work.frame;
    entry.time_ns = plan.start_ns + work.time_ns;
    entry.known = known_octets(plan, work);
    entry.advertised = advertised_in(work.mentions);
    entry.deduced = work.deduced;
    entry.cut = work.deduced && work.content.empty();  // of a request that was not captured whole
    if (const auto queue = queue_of(work.kind)) {
      // One written by hand may have no MSN: then they count on. Of a deduced Read none is known.
      std::uint32_t& next = next_msn[role][*queue];
      entry.msn = work.msn != 0 ? work.msn - rtr_messages[role][*queue] : next + 1;
      next = entry.msn;
      if (work.deduced) entry.msn = 0;
    }
    log.entries[role].push_back(entry);
  }
  for (const Missing& missing : stream.missing) {
    log.holed = log.holed || missing.lack == Lack::octets || missing.lack == Lack::messages ||
                missing.lack == Lack::direction || missing.lack == Lack::startup ||
                missing.lack == Lack::rest;
    const bool whole = missing.lack == Lack::messages || missing.lack == Lack::direction ||
                       missing.lack == Lack::rest || (missing.lack == Lack::startup && stream.midstream);
    auto& lacking = log.lacking[static_cast<std::size_t>(missing.role)];
    // More than a hole a beginning that is lacking leaves in doubt.
    if (whole && (!lacking || missing.lack == Lack::startup)) lacking = missing.reason;
  }
  return log;
}

std::vector<StreamLog> expected_logs(const Plan& plan) {
  std::vector<StreamLog> logs;
  for (std::uint32_t i = 0; i < plan.streams.size(); ++i) logs.push_back(expected_log(plan, i));
  std::ranges::stable_sort(logs, {}, &StreamLog::stream);
  return logs;
}

}  // namespace iwarp::replay
