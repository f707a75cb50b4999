// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/finding_facts.hpp"

#include <string_view>

#include <iwarp/export/names.hpp>

namespace iwarp::gui {
namespace {

// The others are about the capture, or about where time went, or say why somebody refused something.
bool breaks_a_rule(const CheckInfo& info) {
  const std::string_view id = info.id;
  return !id.starts_with("PERF-") && !id.starts_with("CAP-") && id != "RDMAP-TERMWHY";
}

}  // namespace

std::vector<Fact> finding_facts(const Finding& finding, ConnectionId stream, Role from) {
  const CheckInfo& info = check_info(finding.check);
  const auto text = [](const char* words) { return QString::fromUtf8(words); };
  std::vector<Fact> facts{
      {text("What"), {QString::fromStdString(describe(finding))}},
      {text("Rule"), {text(info.rule)}},
      {text("Clause"), {text(info.reference)}},
      {text("Identifier"), {text(info.id)}},
      {text("Severity"), {text(severity_name(finding.severity))}},
      {text(breaks_a_rule(info) ? "Broken by" : "Seen from"),
       {QStringLiteral("%1 of stream %2").arg(text(role_name(from))).arg(stream)}},
  };
  if (finding.severity != info.strict_severity) {
    facts.push_back({text("Strictly"),
                     {QStringLiteral("%1: products are known to deviate here")
                          .arg(text(severity_name(info.strict_severity)))}});
  }
  Fact evidence{text("Evidence"), {finding.evidence_count == 0 ? text("no single frame") : QString()}};
  for (std::size_t at = 0; at < finding.evidence_count; ++at) {
    evidence.children.push_back({at == 0 ? text("Shown by") : text("Also"),
                                 {QStringLiteral("frame %1").arg(finding.evidence[at])},
                                 text("Enter selects that frame"),
                                 finding.evidence[at]});
  }
  facts.push_back(std::move(evidence));
  return facts;
}

Fact undecidable_fact(const Summary& summary) {
  Fact fact{QStringLiteral("Not decidable"), {}};
  std::uint64_t total = 0;
  for (const auto& [check, counts] : summary.undecidable) {
    QStringList reasons;
    for (std::size_t reason = 0; reason < counts.size(); ++reason) {
      if (counts[reason] == 0) continue;
      total += counts[reason];
      QString name = QString::fromUtf8(reason_name(static_cast<Reason>(reason)));
      name.replace(QLatin1Char('_'), QLatin1Char(' '));
      reasons << QStringLiteral("%1 × %2").arg(counts[reason]).arg(name);
    }
    if (!reasons.isEmpty()) {
      fact.children.push_back({QString::fromUtf8(check_info(check).id),
                               {reasons.join(QStringLiteral(", "))},
                               QString::fromUtf8(check_info(check).rule)});
    }
  }
  fact.values = {total == 0   ? QStringLiteral("nothing")
                 : total == 1 ? QStringLiteral("once; that is no finding")
                              : QStringLiteral("%1 times; these are no findings").arg(total)};
  return fact;
}

}  // namespace iwarp::gui
