// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/analyzer.hpp>

#include "analysis/association_table.hpp"
#include "analysis/connection_table.hpp"
#include "analysis/recorder.hpp"

namespace iwarp {

struct Analysis::Impl {
  explicit Impl(const AnalyzerOptions& chosen)
      : options(chosen),
        recorder(options),
        table(options, recorder),
        associations(options, recorder, [this] { return table.reserve_id(); }) {}

  // A call of the Analyzer begins.
  void begin() {
    if (!options.keep_log) {
      table.drop_closed();
      associations.drop_closed();
    }
    recorder.forget();
  }
  // Closes some of those below `end`, in order of their ids, whatever carries them; false: none was left.
  [[nodiscard]] bool finish_some(ConnectionId end) {
    const auto session = associations.first();
    const bool lies_below = session && *session < end;
    if (table.finish_some(lies_below ? *session : end)) return true;
    if (!lies_below) return false;
    recorder.begin_portion();
    associations.close_first();
    return true;
  }

  AnalyzerOptions options;
  Recorder recorder;
  ConnectionTable table;
  AssociationTable associations;
  const Connection* last = nullptr;  // of the segment added last
};

const ConnectionState* Analysis::connection(ConnectionId id) const noexcept {
  if (const DdpSession* const session = impl_->associations.find(id)) return &session->state();
  const Connection* found = impl_->table.find(id);
  return found == nullptr ? nullptr : &found->state();
}

const ConnectionState* Analysis::connection_of_last_segment() const noexcept {
  return impl_->last == nullptr ? nullptr : &impl_->last->state();
}

std::size_t Analysis::waiting_octets() const noexcept {
  return impl_->last == nullptr ? 0 : impl_->last->buffered();
}

ConnectionId Analysis::connection_count() const noexcept {
  return impl_->table.count();
}

FrameNumber Analysis::last_frame() const noexcept {
  return impl_->recorder.frame();
}

Events Analysis::events_of(FrameNumber frame, EventBuffer& buffer) const {
  return impl_->recorder.log().of(frame, buffer);
}

std::span<const FrameNumber> Analysis::frames_of(ConnectionId connection) const noexcept {
  return impl_->recorder.log().frames_of(connection);
}

TimeNs Analysis::time_of(FrameNumber frame) const noexcept {
  return impl_->recorder.log().times().of(frame);
}

FrameNumber Analysis::frame_at(TimeNs time_ns) const noexcept {
  return impl_->recorder.log().times().first_at(time_ns);
}

std::span<const Slice> Analysis::slices(const Event& fact) const noexcept {
  switch (fact.kind) {
    case EventKind::fpdu:
    case EventKind::placed: return impl_->recorder.slices(fact.fpdu.pieces);
    case EventKind::startup: return impl_->recorder.slices(fact.startup.pieces);
    case EventKind::sync_lost: return impl_->recorder.slices(fact.sync_lost.pieces);
    default: return {};
  }
}

std::optional<FpduFact> Analysis::begun_in(ConnectionId id, Side side, FrameNumber frame) const noexcept {
  const Connection* found = impl_->table.find(id);
  return found == nullptr ? std::nullopt : found->begun_in(side, frame);
}

StreamOffset Analysis::read_to(ConnectionId id, Side side) const noexcept {
  if (const DdpSession* const session = impl_->associations.find(id)) return session->read_to(side);
  const Connection* found = impl_->table.find(id);
  return found == nullptr ? 0 : found->read_to(side);
}

ByteView Analysis::payload(const Event& fpdu) const noexcept {
  return fpdu.kind == EventKind::fpdu ? impl_->recorder.payload(fpdu.fpdu) : ByteView();
}

ByteView Analysis::private_data(ConnectionId connection, const StartupFact& startup) const noexcept {
  if (const DdpSession* const session = impl_->associations.find(connection))
    return session->private_data(startup.private_data_id);
  const Connection* found = impl_->table.find(connection);
  return found == nullptr ? ByteView() : found->private_data(startup.private_data_id);
}

std::size_t Analysis::followed() const noexcept {
  return impl_->table.followed() + impl_->associations.followed();
}

std::size_t Analysis::remembered() const noexcept {
  return impl_->table.remembered();
}

std::uint64_t Analysis::late_segments() const noexcept {
  return impl_->table.late();
}

std::uint64_t Analysis::early_segments() const noexcept {
  return impl_->recorder.early_segments();
}

std::uint64_t Analysis::segments_behind_fin() const noexcept {
  return impl_->recorder.segments_behind_fin();
}

std::uint64_t Analysis::undecidable(CheckId check, Reason reason) const noexcept {
  return impl_->recorder.undecidable_count(check, reason);
}

Analyzer::Analyzer(AnalyzerOptions options)
    : impl_(std::make_unique<Analysis::Impl>(options)), analysis_(*impl_) {}

Analyzer::~Analyzer() = default;
Analyzer::Analyzer(Analyzer&&) noexcept = default;
Analyzer& Analyzer::operator=(Analyzer&&) noexcept = default;

Events Analyzer::add(const TcpSegment& segment) {
  Recorder& recorder = impl_->recorder;
  impl_->begin();
  recorder.begin_frame(segment.frame, segment.time_ns);
  impl_->last = impl_->table.take(segment);
  recorder.keep();
  return recorder.events();
}

Events Analyzer::add(const SctpPacket& packet) {
  Recorder& recorder = impl_->recorder;
  impl_->begin();
  recorder.begin_frame(packet.frame, packet.time_ns);
  impl_->last = nullptr;
  impl_->associations.take(packet);
  recorder.keep();
  return recorder.events();
}

Events Analyzer::finish() {
  Recorder& recorder = impl_->recorder;
  impl_->begin();
  impl_->last = nullptr;
  while (impl_->finish_some(~ConnectionId{0})) {
  }
  recorder.keep_end();
  return recorder.events();
}

Events Analyzer::finish_some(ConnectionId end) {
  Recorder& recorder = impl_->recorder;
  if (impl_->options.keep_log) return impl_->table.finished() ? Events() : finish();
  impl_->begin();
  impl_->last = nullptr;
  static_cast<void>(impl_->finish_some(end));
  return recorder.events();
}

std::optional<Analyzer::Due> Analyzer::next_due() const noexcept {
  return impl_->table.next_due();
}

TimeNs Analyzer::due_behind(TimeNs ended_ns) noexcept {
  return ConnectionTable::due_behind(ended_ns);
}

void Analyzer::go_on_to(FrameNumber frame, TimeNs time_ns, TimeNs latest_ns) {
  impl_->recorder.begin_frame(frame, time_ns);
  impl_->table.set_latest_time(latest_ns);
}

Events Analyzer::close_due() {
  Recorder& recorder = impl_->recorder;
  impl_->begin();
  impl_->last = nullptr;
  impl_->table.close_first_ended();
  recorder.keep();
  return recorder.events();
}

Events Analyzer::let_go(std::size_t connections) {
  Recorder& recorder = impl_->recorder;
  impl_->begin();
  impl_->last = nullptr;
  const std::size_t before = impl_->table.followed() + impl_->table.remembered();
  impl_->table.evict(connections);
  const std::size_t left = impl_->table.followed() + impl_->table.remembered();
  if (const std::size_t gone = before - left; gone < connections)
    impl_->associations.evict(connections - gone);
  recorder.keep();
  return recorder.events();
}

const Analysis& Analyzer::analysis() const noexcept {
  return analysis_;
}

}  // namespace iwarp
