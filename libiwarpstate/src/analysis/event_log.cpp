// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/event_log.hpp"

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
// Of one event, or of the head of a group: generously more than any of them has.
constexpr std::size_t max_numbers = 48;
constexpr std::size_t max_record = (max_numbers + 1) * 9 + max_rdmap_header + 1;
static_assert(max_numbers < 64, "a mask tells which are packed");
static_assert(max_record + packer_slack < chunk_size);

// The first octet of an event: its kind, and what of the event before it in the group holds for it, too.
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

// The numbers of the last event of each kind in the present group. Of the next one those are packed that
// differ, told by a mask: few among FPDUs of one frame.
class Example {
 public:
  using Row = std::array<std::uint64_t, max_numbers>;

  // Nothing is known at the beginning of a group: as if all had been 0.
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

  Writer(OctetPacker packer, const Event& event, Example::Row& example) noexcept
      : packer_(packer), example_(example), frame_(event.frame), time_(as_number(event.time_ns)) {}

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
  void same(std::uint32_t value, std::uint32_t as) noexcept { put(value ^ as); }
  template <std::size_t size>
  void octets(const std::array<Byte, size>& values, std::size_t count) noexcept {
    put_numbers();
    packer_.put(values.data(), count < size ? count : size);
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
  Example::Row differences_;  // of the first count_ numbers
  std::uint64_t differs_ = 0;
  unsigned count_ = 0;
  std::uint64_t frame_;
  std::uint64_t time_;
};

class Reader {
 public:
  static constexpr bool writes = false;

  Reader(OctetUnpacker packed, const Event& event, Example::Row& example) noexcept
      : packed_(packed), example_(example), frame_(event.frame), time_(as_number(event.time_ns)) {}

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
  void same(std::uint32_t& value, std::uint32_t as) noexcept {
    value = static_cast<std::uint32_t>(take()) ^ as;
  }
  template <std::size_t size>
  void octets(std::array<Byte, size>& values, std::size_t count) noexcept {
    packed_.take(values.data(), count < size ? count : size);
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
  std::uint64_t differs_ = 0;
  unsigned count_ = 0;
  std::uint64_t frame_;
  std::uint64_t time_;
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
    case EventKind::fin:
    case EventKind::rst: return visit(event.end);
    case EventKind::closed: return visit(event.closed);
    case EventKind::revoked: return visit(event.revoked);
    case EventKind::message: return visit(event.message);
    case EventKind::operation: return visit(event.operation);
    case EventKind::finding: return visit(event.finding);
    case EventKind::undecidable: return visit(event.undecidable);
  }
}

bool is_same_place(const Event& one, const Event& other) noexcept {
  return one.connection == other.connection && one.offset == other.offset && one.ack == other.ack;
}

// `before`: the one before it in the group, or one of zeros.
Byte* write_event(Byte* to, const Event& event, const Event& before, Example& example) noexcept {
  const bool same = is_same_place(before, event);
  *to = static_cast<Byte>(static_cast<unsigned>(event.kind) | (event.side == Side::b ? side_bit : 0U) |
                          (same ? same_place_bit : 0U));
  OctetPacker packer(to + 1);
  if (!same) {
    packer.put(event.connection ^ before.connection);
    packer.put(event.offset ^ before.offset);
    packer.put(event.ack ^ before.ack);
  }
  Writer writer(packer, event, example.row(event.kind));
  visit_fact(event, [&](const auto& fact) { event_fields(writer, fact); });
  return writer.end();
}

// `event` has its frame and time, and the place of the event before it.
const Byte* read_event(const Byte* from, Event& event, Example& example) noexcept {
  const unsigned first = *from;
  event.kind = static_cast<EventKind>(first & kind_bits);
  event.side = (first & side_bit) != 0 ? Side::b : Side::a;
  OctetUnpacker packed(from + 1);
  if ((first & same_place_bit) == 0) {
    event.connection ^= static_cast<ConnectionId>(packed.take());
    event.offset ^= packed.take();
    event.ack ^= packed.take();
  }
  Reader reader(packed, event, example.row(event.kind));
  visit_fact(event, [&]<typename Fact>(Fact& fact) { event_fields(reader, *std::construct_at(&fact)); });
  return reader.end();
}

}  // namespace

void EventLog::append(Events events) {
  if (events.empty()) return;
  const FrameNumber frame = events.front().frame;
  // Of frames without events: where the next group begins, which is another frame's.
  while (places_.size() < frame) places_.push_back(end_of_log());
  const Place place = write(events);
  if (places_.size() == frame) places_.push_back(place);  // else it follows the frame's first group
  note_connections(events, frame);
}

void EventLog::append_end(Events events) {
  if (events.empty()) return;
  end_ = write(events);
  note_connections(events, end_of_capture);
}

void EventLog::note_connections(Events events, FrameNumber frame) {
  for (const Event& event : events) {
    if (noted_ == nullptr || noted_->first != event.connection)
      noted_ = &*frames_.try_emplace(event.connection).first;
    std::vector<FrameNumber>& frames = noted_->second;
    if (frames.empty() || frames.back() != frame) frames.push_back(frame);
  }
}

std::span<const FrameNumber> EventLog::frames_of(ConnectionId connection) const noexcept {
  const auto found = frames_.find(connection);
  if (found == frames_.end()) return {};
  return found->second;
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

EventLog::Place EventLog::write(Events events) {
  const Event& first = events.front();
  const auto used_up_to = [this](const Byte* end) {
    chunks_.back().used = static_cast<std::uint32_t>(end - chunks_.back().octets);
  };
  OctetPacker head(room(first));
  const Place place = end_of_log();
  const Chunk& chunk = chunks_.back();
  head.put(first.frame - chunk.frame);
  head.put(folded(as_number(first.time_ns) - as_number(chunk.time_ns)));
  head.put(events.size());
  used_up_to(head.end());
  Example example;
  const Event none;
  const Event* before = &none;
  for (const Event& event : events) {
    used_up_to(write_event(room(first), event, *before, example));
    before = &event;
  }
  return place;
}

EventLog::Place EventLog::end_of_log() const noexcept {
  return chunks_.empty() ? 1 : (chunks_.size() - 1) * chunk_size + chunks_.back().used + 1;
}

class EventLog::Cursor {
 public:
  // REQUIRES: `place` is that of a group.
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

  // Starts a group: its frame. REQUIRES: not at the end of the log.
  [[nodiscard]] FrameNumber begin_group() noexcept {
    skip_end_of_chunk();
    OctetUnpacker head(at_);
    example_.forget();
    next_ = Event();
    next_.frame = chunk_->frame + head.take();
    next_.time_ns = static_cast<TimeNs>(as_number(chunk_->time_ns) + unfolded(head.take()));
    count_ = head.take();
    at_ = head.end();
    return next_.frame;
  }

  void read_group(EventBuffer& buffer) {
    buffer.reserve(buffer.size() + count_);
    for (; count_ != 0; --count_) {
      skip_end_of_chunk();
      Event& event = buffer.emplace_back();
      event.frame = next_.frame;
      event.time_ns = next_.time_ns;
      event.connection = next_.connection;
      event.offset = next_.offset;
      event.ack = next_.ack;
      at_ = read_event(at_, event, example_);
      next_.connection = event.connection;
      next_.offset = event.offset;
      next_.ack = event.ack;
    }
  }

 private:
  void skip_end_of_chunk() noexcept {
    if (at_ != chunk_->octets + chunk_->used || chunk_ == &log_.chunks_.back()) return;
    ++chunk_;
    at_ = chunk_->octets;
  }

  const EventLog& log_;
  const Chunk* chunk_;
  const Byte* at_;
  Event next_;  // what of the events before holds for the next one
  std::uint64_t count_ = 0;
  Example example_;
};

Events EventLog::of(FrameNumber frame, EventBuffer& buffer) const {
  buffer.clear();
  if (frame == end_of_capture) return events_at_end(buffer);
  if (frame >= places_.size()) return {};
  Cursor cursor(*this, places_[frame]);
  const Place end = end_ != 0 ? end_ : end_of_log();
  while (cursor.place() != end && cursor.begin_group() == frame) cursor.read_group(buffer);
  return buffer;
}

Events EventLog::events_at_end(EventBuffer& buffer) const {
  if (end_ == 0) return {};
  Cursor cursor(*this, end_);
  (void)cursor.begin_group();
  cursor.read_group(buffer);
  return buffer;
}

std::size_t EventLog::octets() const noexcept {
  return pages_.octets() + chunks_.size() * sizeof(Chunk) + places_.octets();
}

}  // namespace iwarp
