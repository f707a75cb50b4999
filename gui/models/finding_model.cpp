// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/finding_model.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <iwarp/export/names.hpp>
#include <iwarp/export/rows.hpp>

namespace iwarp::gui {
namespace {

Record finding_record(const Log& log, std::uint32_t row, Event& event) {
  return iwarp::record_of(log.metrics.findings(), row, event);
}

// The place of a check's ID among all of them, by their text.
std::uint64_t rank_of_id(CheckId check) {
  static const auto ranks = [] {
    std::array<std::uint64_t, check_count> places{};
    for (unsigned one = 0; one < check_count; ++one) {
      for (unsigned other = 0; other < check_count; ++other) {
        const char* const id = check_info(static_cast<CheckId>(other)).id;
        if (std::strcmp(id, check_info(static_cast<CheckId>(one)).id) < 0) ++places[one];
      }
    }
    return places;
  }();
  return ranks[static_cast<unsigned>(check)];
}

std::uint64_t key_of(const Metrics& metrics, const Levels&, std::uint32_t row, int column) {
  const FindingTable& table = metrics.findings();
  const Finding& of = table.finding(row);
  switch (column) {
    case FindingModel::severity: {  // of diagnoses, the one that cost the most time first
      constexpr unsigned severity_shift = 60;
      const std::uint64_t lost = is_diagnosis(of.check) ? of.arguments[0] : 0;
      return static_cast<std::uint64_t>(of.severity) << severity_shift |
             std::min(lost, (std::uint64_t{1} << severity_shift) - 1);
    }
    case FindingModel::id:
    case FindingModel::words:
    case FindingModel::reference: return rank_of_id(of.check);
    case FindingModel::stream: return table.connection(row);
    case FindingModel::from: return static_cast<std::uint64_t>(table.from(row));
    case FindingModel::frame: return of.evidence_count == 0 ? unknown_key : of.evidence[0];
    case FindingModel::time: return static_cast<std::uint64_t>(of.time_ns) ^ std::uint64_t{1} << 63U;
    default: return row;
  }
}

}  // namespace

FindingModel::FindingModel(Workspace& workspace, QObject* parent)
    : TableModel(
          workspace,
          {{"severity", "Severity", "error, warning, note or info", 10, false},
           {"id", "Rule", "Identifier of the broken rule", 17, false},
           {"stream", "Stream", "Number of the TCP connection, as Wireshark's tcp.stream counts", 7, true},
           {"from", "From", "Who broke it", 10, false},
           {"frame", "Frame", "The frame with the octets that break it", 9, true},
           {"time_ns", "Time", "Seconds from the first frame of the capture to that one", 12, true},
           {"text", "What", "What was found", 56, false},
           {"reference", "Clause", "Where the rule stands", 20, false}},
          parent) {
  begin();
}

TableModel::RecordOf FindingModel::record_of() const noexcept {
  return finding_record;
}

SortKey FindingModel::sort_key() const noexcept {
  return key_of;
}

Selection FindingModel::selection_of(std::uint32_t row) const {
  return select_finding(workspace().document().metrics(), row);
}

QString FindingModel::text(std::uint32_t row, int column) const {
  const Finding& of = finding(row);
  switch (column) {
    case severity: return QString::fromLatin1(severity_name(of.severity));
    case id: return QString::fromUtf8(check_info(of.check).id);
    case stream: return QString::number(table().connection(row));
    case from: return QString::fromLatin1(role_name(table().from(row)));
    case frame: return of.evidence_count == 0 ? QStringLiteral("–") : QString::number(of.evidence[0]);
    case time: return time_text(of.time_ns);
    case words: return QString::fromStdString(describe(of));
    case reference: return QString::fromUtf8(check_info(of.check).reference);
    default: return {};
  }
}

QVariant FindingModel::more(std::uint32_t row, int column, int role) const {
  if (role != Qt::ToolTipRole) return {};
  if (column == words) return text(row, words);
  if (column == id || column == reference) return QString::fromUtf8(check_info(finding(row).check).rule);
  return {};
}

}  // namespace iwarp::gui
