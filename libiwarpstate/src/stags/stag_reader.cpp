// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/stags.hpp>

#include "stags/stag_stream.hpp"

namespace iwarp {

StagReader::StagReader() : streams_(std::make_unique<StagStreams>()) {}
StagReader::~StagReader() = default;
StagReader::StagReader(StagReader&&) noexcept = default;
StagReader& StagReader::operator=(StagReader&&) noexcept = default;

std::span<const StagUse> StagReader::add(const Event& event, const ConnectionState* connection,
                                         const Analysis& analysis) {
  streams_->uses.clear();
  switch (event.kind) {
    case EventKind::fpdu:
    case EventKind::message:
    case EventKind::operation:
    case EventKind::gap:
    case EventKind::sync_lost:
    case EventKind::acknowledged:
    case EventKind::fin:
      if (connection == nullptr) break;
      if (StagStream* const stream = streams_->of(event)) {
        stream->add(event, analysis, *connection, streams_->uses);
      }
      break;
    case EventKind::closed: streams_->drop(event.connection); break;
    default: break;
  }
  return streams_->uses;
}

// A connection has one from its first FPDU on.
StagStream* StagStreams::of(const Event& event) {
  if (StagStream* const stream = streams_.find(event.connection)) return stream;
  return event.kind == EventKind::fpdu ? &streams_.add(event.connection) : nullptr;
}

}  // namespace iwarp
