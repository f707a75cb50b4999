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
    case EventKind::acknowledged:
    case EventKind::fin:
      if (connection == nullptr) break;
      if (StagStream* const stream = streams_->of(event)) {
        stream->add(event, analysis, *connection, streams_->uses);
      }
      break;
    case EventKind::closed: streams_->close(event.connection); break;
    default: break;
  }
  return streams_->uses;
}

// A connection has one from its first FPDU on.
StagStream* StagStreams::of(const Event& event) {
  if (latest_stream_ != nullptr && latest_ == event.connection) return latest_stream_;
  const auto found = streams_.find(event.connection);
  if (found == streams_.end() && event.kind != EventKind::fpdu) return nullptr;
  latest_ = event.connection;
  latest_stream_ = found == streams_.end() ? &streams_[event.connection] : &found->second;
  return latest_stream_;
}

void StagStreams::close(ConnectionId connection) {
  if (latest_ == connection) latest_stream_ = nullptr;
  if (streams_.erase(connection) == 0) return;
  StagUse use;
  use.kind = StagUse::Kind::closed;
  use.stream = connection;
  uses.push_back(use);
}

}  // namespace iwarp
