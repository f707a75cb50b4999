// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/event_log.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <type_traits>
#include <utility>

#include "analysis/event_fields.hpp"
#include "base/folding.hpp"
#include "base/octet_packer.hpp"

namespace iwarp {
namespace {

constexpr std::uint32_t chunk_size = 1U << 16U;
// A run has at least so many, but for the last one: a question about one frame unpacks those before it, too.
constexpr std::uint64_t events_of_run = 32;
// Of one event, or of the head of a group: generously more than any of them has.
constexpr std::size_t max_numbers = 48;
constexpr std::size_t max_record = (max_numbers + 1) * 9 + max_rdmap_header + 1;
static_assert(max_numbers < 64, "a mask tells which are packed");
static_assert(max_record + packer_slack < chunk_size);

// The first octet of an event: its kind, and what of the event before it in the run holds for it, too.
constexpr unsigned kind_bits = 0x1fU;
constexpr unsigned side_bit = 0x20U;
constexpr unsigned same_place_bit = 0x40U;
static_assert(static_cast<unsigned>(EventKind::undecidable) <= kind_bits);

// How many bits of a number that holds several such fields.
template <typename T>
constexpr unsigned flag_bits = std::is_same_v<std::remove_const_t<T>, bool> ? 1 : 8;

template <typename T>
constexpr std::uint64_t as_number(T value) noexcept {
  return static_cast<std::uint64_t>(value);
}

// The numbers of the last event of each kind in the present run. Of the next one those are packed that
// differ, told by a mask: few among FPDUs alike.
class Example {
 public:
  using Row = std::array<std::uint64_t, max_numbers>;

  // Nothing is known at the beginning of a run: as if all had been 0.
  void forget() noexcept { known_ = {}; }

  [[nodiscard]] Row& row(EventKind kind) noexcept {
    const auto at = static_cast<std::size_t>(kind);
    if (!std::exchange(known_[at], true)) numbers_[at] = {};
    return numbers_[at];
  }

 private:
  static constexpr std::size_t kinds = kind_bits + 1;

  std::array<bool, kinds> known_{};
  std::array<Row, kinds> numbers_;  // not initialised where not known
};

// See event_fields.hpp.
class Writer {
 public:
  static constexpr bool writes = true;

  Writer(OctetPacker packer, const Event& event, Example::Row& example, const RepeatedFields& fpdu) noexcept
      : packer_(packer),
        example_(example),
        fpdu_(fpdu),
        frame_(event.frame),
        time_(as_number(event.time_ns)),
        offset_(event.offset) {}

  [[nodiscard]] const RepeatedFields& fpdu() const noexcept { return fpdu_; }

  template <typename... T>
  void number(const T&... values) noexcept {
    (put(as_number(values)), ...);
  }
  template <typename... T>
  void flags(const T&... values) noexcept {
    static_assert((flag_bits<T> + ...) <= 64);
    std::uint64_t all = 0;
    unsigned at = 0;
    ((all |= as_number(values) << at, at += flag_bits<T>), ...);
    put(all);
  }
  void frame(FrameNumber value) noexcept { put(folded(frame_ - value)); }
  void time(TimeNs value) noexcept { put(folded(time_ - static_cast<std::uint64_t>(value))); }
  void frame_or_none(FrameNumber value) noexcept { put(code_or_zero(value, frame_)); }
  void time_or_none(TimeNs value) noexcept { put(code_or_zero(static_cast<std::uint64_t>(value), time_)); }
  void placement(const Placement& value) noexcept {
    frame(value.frame);
    time(value.time_ns);
  }
  void placement_or_none(const Placement& value) noexcept {
    frame_or_none(value.frame);
    time_or_none(value.time_ns);
  }
  void same(std::uint64_t value, std::uint64_t as) noexcept { put(value ^ as); }
  void stream_offset(StreamOffset value) noexcept { put(offset_ - value); }
  template <std::size_t size>
  void octets(const std::array<Byte, size>& values, std::size_t count,
              const std::array<Byte, size>& as) noexcept {
    count = std::min(count, size);
    const bool differ =
        !std::equal(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), as.begin());
    put(as_number(differ));
    put_numbers();
    if (differ) packer_.put(values.data(), count);
  }

  [[nodiscard]] Byte* end() noexcept {
    put_numbers();
    return packer_.end();
  }

 private:
  void put(std::uint64_t number) noexcept {
    const std::uint64_t difference = number ^ example_[count_];
    example_[count_] = number;
    differences_[count_] = difference;
    differs_ |= as_number(difference != 0) << count_;
    ++count_;
  }

  void put_numbers() noexcept {
    if (count_ == 0) return;
    packer_.put(differs_);
    for (; differs_ != 0; differs_ &= differs_ - 1) {
      packer_.put(differences_[static_cast<unsigned>(std::countr_zero(differs_))]);
    }
    count_ = 0;
  }

  OctetPacker packer_;
  Example::Row& example_;
  const RepeatedFields& fpdu_;
  Example::Row differences_;  // of the first count_ numbers
  std::uint64_t differs_ = 0;
  unsigned count_ = 0;
  std::uint64_t frame_;
  std::uint64_t time_;
  std::uint64_t offset_;
};

class Reader {
 public:
  static constexpr bool writes = false;

  Reader(OctetUnpacker packed, const Event& event, Example::Row& example, const RepeatedFields& fpdu) noexcept
      : packed_(packed),
        example_(example),
        fpdu_(fpdu),
        frame_(event.frame),
        time_(as_number(event.time_ns)),
        offset_(event.offset) {}

  [[nodiscard]] const RepeatedFields& fpdu() const noexcept { return fpdu_; }

  template <typename... T>
  void number(T&... values) noexcept {
    ((values = static_cast<T>(take())), ...);
  }
  template <typename... T>
  void flags(T&... values) noexcept {
    const std::uint64_t all = take();
    unsigned at = 0;
    ((values = static_cast<T>(all >> at & ((1U << flag_bits<T>)-1U)), at += flag_bits<T>), ...);
  }
  void frame(FrameNumber& value) noexcept { value = frame_ - unfolded(take()); }
  void time(TimeNs& value) noexcept { value = static_cast<TimeNs>(time_ - unfolded(take())); }
  void frame_or_none(FrameNumber& value) noexcept { value = value_or_zero(take(), frame_); }
  void time_or_none(TimeNs& value) noexcept { value = static_cast<TimeNs>(value_or_zero(take(), time_)); }
  void placement(Placement& value) noexcept {
    frame(value.frame);
    time(value.time_ns);
  }
  void placement_or_none(Placement& value) noexcept {
    frame_or_none(value.frame);
    time_or_none(value.time_ns);
  }
  void stream_offset(StreamOffset& value) noexcept { value = offset_ - take(); }
  template <typename T>
  void same(T& value, std::uint64_t as) noexcept {
    value = static_cast<T>(take() ^ as);
  }
  template <std::size_t size>
  void octets(std::array<Byte, size>& values, std::size_t count, const std::array<Byte, size>& as) noexcept {
    count = std::min(count, size);
    if (take() != 0) {
      packed_.take(values.data(), count);
    } else {
      std::copy_n(as.begin(), count, values.begin());
    }
  }

  [[nodiscard]] const Byte* end() const noexcept { return packed_.end(); }

 private:
  [[nodiscard]] std::uint64_t take() noexcept {
    if (count_ == 0) differs_ = packed_.take();
    std::uint64_t& number = example_[count_];
    if ((differs_ >> count_ & 1U) != 0) number ^= packed_.take();
    ++count_;
    return number;
  }

  OctetUnpacker packed_;
  Example::Row& example_;
  const RepeatedFields& fpdu_;
  std::uint64_t differs_ = 0;
  unsigned count_ = 0;
  std::uint64_t frame_;
  std::uint64_t time_;
  std::uint64_t offset_;
};

// The member of the union that belongs to the event's kind.
template <typename AnyEvent, typename Visitor>
void visit_fact(AnyEvent& event, Visitor&& visit) {
  switch (event.kind) {
    case EventKind::opened: return visit(event.opened);
    case EventKind::syn: return visit(event.syn);
    case EventKind::startup: return visit(event.startup);
    case EventKind::fpdu:
    case EventKind::placed: return visit(event.fpdu);
    case EventKind::gap: return visit(event.gap);
    case EventKind::sync_lost: return visit(event.sync_lost);
    case EventKind::locked: return visit(event.locked);
    case EventKind::acknowledged: return visit(event.acknowledged);
    case EventKind::retransmitted: return visit(event.retransmitted);
    case EventKind::window: return visit(event.window);
    case EventKind::window_full: return visit(event.window_full);
    case EventKind::fin:
    case EventKind::rst: return visit(event.end);
    case EventKind::closed: return visit(event.closed);
    case EventKind::revoked: return visit(event.revoked);
    case EventKind::received: return visit(event.received);
    case EventKind::message: return visit(event.message);
    case EventKind::operation: return visit(event.operation);
    case EventKind::finding: return visit(event.finding);
    case EventKind::undecidable: return visit(event.undecidable);
  }
}

}  // namespace

// What of the events before holds for the next one of a run.
struct EventLog::Run {
  // At its beginning: groups tell their frame and time by the difference.
  void begin(const Chunk& chunk) noexcept {
    example.forget();
    fpdu = {};
    frame = chunk.frame;
    time_ns = chunk.time_ns;
    connection = 0;
    offset = 0;
    ack = 0;
    events = 0;
  }

  [[nodiscard]] bool is_same_place(const Event& event) const noexcept {
    return event.connection == connection && event.offset == offset && event.ack == ack;
  }
  void note_place(const Event& event) noexcept {
    connection = event.connection;
    offset = event.offset;
    ack = event.ack;
  }

  Example example;
  RepeatedFields fpdu;
  FrameNumber frame = 0;
  TimeNs time_ns = 0;
  ConnectionId connection = 0;
  std::uint64_t offset = 0;
  std::uint64_t ack = 0;
  std::uint64_t events = events_of_run;  // of its groups, the present one included
};

Byte* EventLog::write_event(Byte* to, const Event& event, Run& run) noexcept {
  const bool same = run.is_same_place(event);
  *to = static_cast<Byte>(static_cast<unsigned>(event.kind) | (event.side == Side::b ? side_bit : 0U) |
                          (same ? same_place_bit : 0U));
  OctetPacker packer(to + 1);
  if (!same) {
    packer.put(event.connection ^ run.connection);
    packer.put(event.offset ^ run.offset);
    packer.put(event.ack ^ run.ack);
    run.note_place(event);
  }
  Writer writer(packer, event, run.example.row(event.kind), run.fpdu);
  visit_fact(event, [&](const auto& fact) { event_fields(writer, fact); });
  if (event.kind == EventKind::fpdu) run.fpdu.note(event.fpdu);
  return writer.end();
}

const Byte* EventLog::read_event(const Byte* from, Event& event, Run& run) noexcept {
  const unsigned first = *from;
  event.kind = static_cast<EventKind>(first & kind_bits);
  event.side = (first & side_bit) != 0 ? Side::b : Side::a;
  event.frame = run.frame;
  event.time_ns = run.time_ns;
  OctetUnpacker packed(from + 1);
  if ((first & same_place_bit) == 0) {
    run.connection ^= static_cast<ConnectionId>(packed.take());
    run.offset ^= packed.take();
    run.ack ^= packed.take();
  }
  event.connection = run.connection;
  event.offset = run.offset;
  event.ack = run.ack;
  Reader reader(packed, event, run.example.row(event.kind), run.fpdu);
  visit_fact(event, [&]<typename Fact>(Fact& fact) { event_fields(reader, *std::construct_at(&fact)); });
  if (event.kind == EventKind::fpdu) run.fpdu.note(event.fpdu);
  return reader.end();
}

EventLog::EventLog() : run_(std::make_unique<Run>()) {}
EventLog::~EventLog() = default;
EventLog::EventLog(EventLog&&) noexcept = default;
EventLog& EventLog::operator=(EventLog&&) noexcept = default;

void EventLog::append(Events events) {
  if (events.empty()) return;
  const FrameNumber frame = events.front().frame;
  while (places_.size() < frame) places_.push_back(no_place);
  if (run_->events >= events_of_run) begin_run(events.front());
  if (places_.size() == frame) places_.push_back(run_place_);  // else it follows the frame's first group
  write(events);
  note_connections(events, frame);
}

void EventLog::append_end(Events events) {
  if (events.empty()) return;
  begin_run(events.front());
  end_ = run_place_;
  write(events);
  note_connections(events, end_of_capture);
}

void EventLog::note_connections(Events events, FrameNumber frame) {
  for (const Event& event : events) {
    if (noted_ == nullptr || noted_->first != event.connection)
      noted_ = &*frames_.try_emplace(event.connection).first;
    ConnectionFrames& noted = noted_->second;
    if (noted.last != frame || noted.frames.empty()) noted.frames.push_back(frame);
    noted.last = frame;
  }
}

std::span<const FrameNumber> EventLog::frames_of(ConnectionId connection) const noexcept {
  const auto found = frames_.find(connection);
  if (found == frames_.end()) return {};
  return found->second.frames;
}

Byte* EventLog::room(const Event& next) {
  if (chunks_.empty() || chunks_.back().used + max_record + packer_slack > chunk_size) {
    Chunk& chunk = chunks_.emplace_back();
    chunk.octets = pages_.take(chunk_size);
    chunk.frame = next.frame;
    chunk.time_ns = next.time_ns;
  }
  return chunks_.back().octets + chunks_.back().used;
}

void EventLog::begin_run(const Event& first) {
  (void)room(first);
  run_place_ = end_of_log();
  run_->begin(chunks_.back());
}

void EventLog::write(Events events) {
  const Event& first = events.front();
  const auto used_up_to = [this](const Byte* end) {
    chunks_.back().used = static_cast<std::uint32_t>(end - chunks_.back().octets);
  };
  Run& run = *run_;
  OctetPacker head(room(first));
  head.put(first.frame - std::exchange(run.frame, first.frame));
  head.put(folded(as_number(first.time_ns) - as_number(std::exchange(run.time_ns, first.time_ns))));
  head.put(events.size());
  used_up_to(head.end());
  run.events += events.size();
  for (const Event& event : events) used_up_to(write_event(room(first), event, run));
}

EventLog::Place EventLog::end_of_log() const noexcept {
  return chunks_.empty() ? 1 : (chunks_.size() - 1) * chunk_size + chunks_.back().used + 1;
}

class EventLog::Cursor {
 public:
  // REQUIRES: `place` is that of a run.
  Cursor(const EventLog& log, Place place) noexcept
      : log_(log),
        chunk_(&log.chunks_[(place - 1) / chunk_size]),
        at_(chunk_->octets + (place - 1) % chunk_size) {}

  // Where it stands: at a group, or at the end of the log.
  [[nodiscard]] Place place() noexcept {
    skip_end_of_chunk();
    return static_cast<Place>(chunk_ - log_.chunks_.data()) * chunk_size +
           static_cast<Place>(at_ - chunk_->octets) + 1;
  }

  // Starts a group: its frame. REQUIRES: not at the end of the log; the group before was read or skipped.
  [[nodiscard]] FrameNumber begin_group() noexcept {
    skip_end_of_chunk();
    if (run_.events >= events_of_run) run_.begin(*chunk_);
    OctetUnpacker head(at_);
    run_.frame += head.take();
    run_.time_ns = static_cast<TimeNs>(as_number(run_.time_ns) + unfolded(head.take()));
    count_ = head.take();
    run_.events += count_;
    at_ = head.end();
    return run_.frame;
  }

  void read_group(EventBuffer& buffer) {
    buffer.reserve(buffer.size() + count_);
    for (; count_ != 0; --count_) read(buffer.emplace_back());
  }

  void skip_group() noexcept {
    Event skipped;
    for (; count_ != 0; --count_) read(skipped);
  }

 private:
  void read(Event& event) noexcept {
    skip_end_of_chunk();
    at_ = read_event(at_, event, run_);
  }

  void skip_end_of_chunk() noexcept {
    if (at_ != chunk_->octets + chunk_->used || chunk_ == &log_.chunks_.back()) return;
    ++chunk_;
    at_ = chunk_->octets;
  }

  const EventLog& log_;
  const Chunk* chunk_;
  const Byte* at_;
  std::uint64_t count_ = 0;  // events of the group that were not read yet
  Run run_;
};

Events EventLog::of(FrameNumber frame, EventBuffer& buffer) const {
  buffer.clear();
  if (frame == end_of_capture) return events_at_end(buffer);
  if (frame >= places_.size() || places_[frame] == no_place) return {};
  Cursor cursor(*this, places_[frame]);
  const Place end = end_ != no_place ? end_ : end_of_log();
  while (cursor.place() != end) {
    const FrameNumber present = cursor.begin_group();
    if (present > frame) break;
    if (present == frame) {
      cursor.read_group(buffer);
    } else {
      cursor.skip_group();
    }
  }
  return buffer;
}

Events EventLog::events_at_end(EventBuffer& buffer) const {
  if (end_ == no_place) return {};
  Cursor cursor(*this, end_);
  (void)cursor.begin_group();
  cursor.read_group(buffer);
  return buffer;
}

std::size_t EventLog::octets() const noexcept {
  return pages_.octets() + chunks_.size() * sizeof(Chunk) + places_.octets();
}

}  // namespace iwarp
