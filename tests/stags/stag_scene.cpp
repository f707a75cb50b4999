// SPDX-License-Identifier: GPL-2.0-or-later
#include "stags/stag_scene.hpp"

#include <iwarp/analyzer.hpp>

namespace iwarp::test {

Found follow(const std::vector<OwnedSegment>& segments, StagOptions stag_options) {
  AnalyzerOptions options;
  options.keep_payload = KeepPayload::beginnings;
  Analyzer analyzer(options);
  StagLives lives(std::move(stag_options));
  Found found;
  const auto take_lives = [&] {
    for (const auto& each : lives.findings()) {
      const Finding& finding = each.event.finding;
      found.texts.push_back(std::string(check_info(finding.check).id) + " " +
                            std::to_string(finding.evidence[0]) + " " + describe(finding));
    }
    found.records.insert(found.records.end(), lives.ended().begin(), lives.ended().end());
  };
  const auto take = [&](Events events) {
    for (const Event& event : events) {
      lives.add(event, analyzer.analysis().connection(event.connection), analyzer.analysis());
      take_lives();
    }
  };
  for (const OwnedSegment& each : segments) take(analyzer.add(each.segment()));
  take(analyzer.finish());
  lives.finish();
  take_lives();
  for (const CheckId check : {CheckId::rdmap_invuse, CheckId::rdmap_invunk, CheckId::rdmap_bounds}) {
    for (unsigned reason = 0; reason < static_cast<unsigned>(Reason::count); ++reason)
      found.undecided += lives.table().undecidable(check, static_cast<Reason>(reason));
  }
  return found;
}

std::vector<OwnedSegment> on_port(const Conversation& conversation, std::uint16_t port) {
  std::vector<OwnedSegment> segments = conversation.segments();
  const Endpoint opener = segments.front().meta.source;
  for (OwnedSegment& each : segments)
    (each.meta.source == opener ? each.meta.source : each.meta.destination).port = port;
  return segments;
}

std::vector<OwnedSegment> together(const std::vector<std::vector<OwnedSegment>>& all) {
  std::vector<OwnedSegment> together;
  for (const auto& each : all) together.insert(together.end(), each.begin(), each.end());
  FrameNumber frame = 0;
  for (OwnedSegment& each : together) each.meta.frame = ++frame;
  return together;
}

std::vector<OwnedSegment> piece(const Conversation& conversation, std::uint16_t port, std::size_t begin,
                                std::size_t end) {
  const std::vector<OwnedSegment> all = on_port(conversation, port);
  return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace iwarp::test
