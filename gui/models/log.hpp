// Log: what a question about a capture may look at, in the document's thread.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <iwarp/analyzer.hpp>
#include <iwarp/export/summary.hpp>
#include <iwarp/metrics.hpp>
#include <iwarp/timeline.hpp>

#include "models/hosts.hpp"
#include "models/record_source.hpp"
#include "models/stag_story.hpp"
#include "models/wait_spans.hpp"

namespace iwarp::gui {

struct Log {
  const Analysis& analysis;
  Timeline& timeline;
  const Metrics& metrics;
  const Summary& summary;
  const WaitSpans& wait_spans;
  const StagRecords& stag_records;  // of lives that are over; where the capture has ended, of all
  const Hosts& hosts;
  RecordSource* source;  // nothing: it could not be opened

  // A frame as it stands in the file, or as it was kept. Its octets are valid until the next call. False:
  // `error` says why in one sentence.
  [[nodiscard]] bool frame(FrameNumber number, capture::Record& record, std::string& error) const;
};

}  // namespace iwarp::gui
