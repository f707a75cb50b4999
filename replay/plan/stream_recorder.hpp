// StreamRecorder: the events of one TCP connection become planned streams: work requests in the order of
// posting, and what each had waited for.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "plan/message_slot.hpp"
#include "plan/recording.hpp"

namespace iwarp::replay {

class StreamRecorder {
 public:
  StreamRecorder(Recording& recording, ConnectionId number, const std::array<Endpoint, 2>& endpoints)
      : recording_(recording), number_(number), endpoints_(endpoints) {}

  // REQUIRES: all events of the connection, in order, and `analysis` is where they are from.
  void add(const Event& event, const Analysis& analysis);

 private:
  // Of what one side sent, what its peer's later requests may have waited for.
  struct Arrival {
    StreamOffset end = 0;
    WaitFor what = WaitFor::received;
    std::uint32_t work = 0;  // completed: the peer's own request
  };
  struct Posted {
    std::uint32_t work = 0;
    StreamOffset offset = 0;
    StreamOffset ack = 0;  // so many of the peer's octets had come
  };
  struct Deduced {
    std::uint32_t work = 0;
    std::size_t arrival = 0;  // of its Response, among the peer's
  };
  struct SideRecord {
    bool captured = false;
    bool midstream = false;
    std::uint16_t mss = 0;
    Mode crc = Mode::unknown;
    Mode markers = Mode::unknown;
    Reason gap_reason = Reason::gap;
    // Under way, by MessageConclusion::number; responses, until their operation is concluded.
    std::map<std::uint32_t, MessageSlot> messages;
    std::map<std::uint32_t, std::uint32_t> requests;  // works of Reads and Atomics under way, by message
    std::deque<std::uint32_t> unanswered;  // Reads of which it is not known whether they were answered
    std::deque<Deduced> deduced;           // Reads known from their Responses alone
    std::vector<Arrival> arrivals;         // of what this side sends
    std::vector<Posted> posted;
    std::map<Reason, std::size_t> unread;  // place in PlannedStream::missing: FPDUs that nobody can read
    std::optional<std::uint32_t> last_work;
    std::uint32_t last_message = 0;  // that last_work is, 0: none
    bool terminated = false;         // it sent a Terminate
  };

  void take_startup(const Event& event, const Analysis& analysis);
  void take_fpdu(const Event& event, ByteView payload);
  void take_message(const Event& event);
  void take_operation(const Event& event);
  void take_gap(const Event& event);
  void take_close(const Event& event, const Analysis& analysis, WorkKind kind);
  void take_finding(const Event& event);
  void finish(const Event& closed);

  void take_unread(const Event& event, Reason reason);
  void keep_fpdu(const Event& event, ByteView payload);
  void keep_unread(const Event& event, ByteView payload);
  [[nodiscard]] bool is_asked_for(const Event& event);
  void settle_kept(std::uint32_t work, const MessageSlot& slot);
  void keep_unasked(const Event& event);
  void stand_in(const Event& event, KeptFpdu& kept);
  void drop_kept_of_healthy();
  void take_segment(const Event& event, ByteView captured);
  MessageSlot& begin_message(const Event& event);
  void take_request(const Event& event);
  void take_immediate(const Event& event);
  void take_terminate(const Event& event);
  void conclude_single(const Event& event);
  void deduce_read(const Event& event);
  [[nodiscard]] std::optional<std::uint32_t> asked_before(Side requester, const MessageSlot& response);
  [[nodiscard]] bool is_told_by_response(Side requester, std::uint32_t read);
  void drop_what_is_told_again();
  void find_quoted(PlannedWork& terminate, const wire::Terminate& fields);

  void begin_stream(Side initiator, RoleBasis basis);
  void ensure_stream();
  std::uint32_t begin_work(const Event& event, WorkKind kind);
  void note_waits(Side side);
  [[nodiscard]] static bool answers(const SideRecord& peer, std::uint32_t work, const Posted& posted);
  void finish_transfer(Side side, MessageSlot& slot, Reason reason);
  void fill_response(Side responder, std::uint32_t read, MessageSlot& slot);
  void note_effect(Effect::Kind kind, std::uint32_t work);
  void arrive(Side side, StreamOffset end, WaitFor what, std::uint32_t work);
  void note_seeded(Role role, std::uint32_t work);
  void find_unagreed_rtr();
  void finish_stream();

  [[nodiscard]] PlannedStream& stream() { return recording_.plan.streams[*stream_]; }
  [[nodiscard]] PlannedWork& work(std::uint32_t index) { return stream().work[index]; }
  [[nodiscard]] SideRecord& side(Side which) { return sides_[index(which)]; }
  [[nodiscard]] Role role_of(Side which) const noexcept {
    return which == initiator_ ? Role::initiator : Role::responder;
  }

  Recording& recording_;
  ConnectionId number_;
  std::array<Endpoint, 2> endpoints_;  // by Side
  std::array<SideRecord, 2> sides_;
  Side initiator_ = Side::a;
  std::optional<std::uint32_t> stream_;                // place in the plan
  std::map<std::uint32_t, std::uint32_t> told_again_;  // deduced Reads, by the Reads that they were
  std::vector<std::size_t> effects_;                   // of the stream, among the recording's
  std::uint32_t attempts_ = 0;
};

}  // namespace iwarp::replay
