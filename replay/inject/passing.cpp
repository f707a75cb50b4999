// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/passing.hpp"

#include <algorithm>

#include "engine/startup_parameters.hpp"

namespace iwarp::replay {
namespace {

std::optional<Subject> subject_of(WorkKind kind) noexcept {
  switch (kind) {
    case WorkKind::write: return write_message;
    case WorkKind::read: return read_message;
    case WorkKind::atomic: return atomic_message;
    case WorkKind::immediate:
    case WorkKind::immediate_se: return immediate_message;
    case WorkKind::terminate: return terminate_message;
    case WorkKind::fin:
    case WorkKind::rst: return std::nullopt;
    default: return send_message;
  }
}

Subject subject_of(wire::Opcode opcode) noexcept {
  switch (opcode) {
    case wire::Opcode::rdma_write: return write_message;
    case wire::Opcode::read_request: return read_message;
    case wire::Opcode::read_response: return read_response;
    case wire::Opcode::terminate: return terminate_message;
    case wire::Opcode::immediate:
    case wire::Opcode::immediate_se: return immediate_message;
    case wire::Opcode::atomic_request: return atomic_message;
    case wire::Opcode::atomic_response: return atomic_response;
    default: return send_message;
  }
}

constexpr unsigned received = send_message | immediate_message;
constexpr unsigned requested = read_message | atomic_message;

bool is_request(WorkKind kind) noexcept {
  return kind == WorkKind::read || kind == WorkKind::atomic;
}

// Work `number` is one that the next of its kind, by the same side, does not wait for.
bool runs_on(const PlannedStream& stream, std::uint32_t number) {
  const PlannedWork& work = stream.work[number];
  for (std::uint32_t i = number + 1; i < stream.work.size(); ++i) {
    const PlannedWork& later = stream.work[i];
    if (later.role != work.role) continue;
    const bool waits = std::ranges::any_of(later.waits, [](const Wait& wait) {
      return wait.what == WaitFor::completed || wait.what == WaitFor::received ||
             wait.what == WaitFor::placed;
    });
    if (waits || is_close(later.kind)) return false;
    if (later.kind == work.kind) return true;
  }
  return false;
}

}  // namespace

const char* subject_name(Subject subject) noexcept {
  switch (subject) {
    case request_frame: return "MPA Request";
    case reply_frame: return "MPA Reply";
    case rtr_message: return "ready-to-receive message";
    case send_message: return "Send";
    case write_message: return "RDMA Write";
    case read_message: return "RDMA Read";
    case atomic_message: return "Atomic";
    case immediate_message: return "Immediate";
    case read_response: return "Read Response";
    case atomic_response: return "Atomic Response";
    case terminate_message: return "Terminate";
    case end_of_stream: return "close";
  }
  return "message";
}

std::vector<PlannedMessage> messages_of(const PlannedStream& stream, Role role,
                                        const ReplayOptions& options) {
  const RtrKind rtr = rtr_kind(stream, options);
  std::vector<PlannedMessage> own;
  std::vector<PlannedMessage> responses;
  std::uint32_t number = 0;
  unsigned begun = 0;  // queues
  constexpr std::uint32_t nothing = UINT32_MAX;
  std::uint32_t asked = nothing;  // the last request of this side that it has not waited for
  const bool rtr_read = role == Role::initiator && rtr == RtrKind::read;
  bool heard = !rtr_read;  // what was asked for at the start was answered
  if (rtr_read) begun = requested;
  if (role == Role::initiator && rtr == RtrKind::send) begun = received;
  for (std::uint32_t i = 0; i < stream.work.size(); ++i) {
    const PlannedWork& work = stream.work[i];
    const auto subject = subject_of(work.kind);
    if (!subject || (work.rtr && rtr != RtrKind::none)) continue;
    PlannedMessage message{*subject, 0, work.length, false, runs_on(stream, i)};
    message.work = i;
    if (work.role == role) {
      message.number = ++number;
      const unsigned queue = (*subject & received) != 0    ? received
                             : (*subject & requested) != 0 ? requested
                                                           : unsigned{*subject};
      message.first_of_queue = (begun & queue) == 0;
      const bool waited = std::ranges::any_of(work.waits, [&](const Wait& wait) {
        return wait.what == WaitFor::completed && wait.work.work == asked;
      });
      if (waited) asked = nothing;
      heard = heard || !work.waits.empty();
      message.idle = heard && asked == nothing;
      if (is_request(work.kind)) asked = i;
      begun |= queue;
      own.push_back(message);
    } else if (is_request(work.kind)) {
      message.subject = work.kind == WorkKind::read ? read_response : atomic_response;
      message.number = static_cast<std::uint32_t>(responses.size() + 1);
      message.first_of_queue = responses.empty();
      responses.push_back(message);
    }
  }
  own.insert(own.end(), responses.begin(), responses.end());
  return own;
}

PassingTracker::PassingTracker(const PlannedStream& stream, Role role, const ReplayOptions& options) {
  for (const PlannedMessage& each : messages_of(stream, role, options)) {
    if ((each.subject & received) != 0) receives_.numbers.push_back(each.number);
    if ((each.subject & requested) != 0) requests_.numbers.push_back(each.number);
    if (each.subject == write_message) writes_.numbers.push_back(each.number);
    if (each.subject == read_response || each.subject == atomic_response)
      responses_.numbers.push_back(each.number);
  }
  const RtrKind rtr = rtr_kind(stream, options);
  if (role == Role::initiator) rtr_due_ = rtr != RtrKind::none;
  // What answers the ready-to-receive message is not one of the plan's either.
  if (role == Role::responder && rtr == RtrKind::read)
    responses_.numbers.insert(responses_.numbers.begin(), 0);
}

void PassingTracker::step(Lane& lane, Passing& passing) {
  if (!lane.open) {
    lane.number = lane.next < lane.numbers.size() ? lane.numbers[lane.next] : 0;
    ++lane.next;
    lane.fpdu = 0;
  }
  passing.number = lane.number;
  passing.fpdu = ++lane.fpdu;
  lane.open = !passing.header.last();
}

Passing PassingTracker::take(ByteView ulpdu) {
  Passing passing;
  const Result<wire::DdpHeader> header = wire::parse_ddp(ulpdu);
  if (!header) return passing;
  passing.header = *header;
  passing.subject = subject_of(header->opcode());
  if (std::exchange(rtr_due_, false) && passing.subject != terminate_message) {
    passing.subject = rtr_message;
    return passing;
  }
  switch (passing.subject) {
    case write_message: step(writes_, passing); break;
    case read_message:
    case atomic_message: step(requests_, passing); break;
    case read_response:
    case atomic_response:
      if (!responses_.open) ++answered_;
      step(responses_, passing);
      passing.answers = answered_;
      break;
    case terminate_message: break;
    default: step(receives_, passing); break;
  }
  return passing;
}

}  // namespace iwarp::replay
