// Passing: what an outgoing FPDU is, in the plan's words: the how-manieth message of its side, the
// how-manieth FPDU of that. Told from the order of posting alone: each queue sends in it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include <iwarp/wire/ddp.hpp>

#include "engine/options.hpp"
#include "plan/plan.hpp"

namespace iwarp::replay {

// What an end sends, as bits.
enum Subject : std::uint16_t {
  request_frame = 1,
  reply_frame = 2,
  rtr_message = 4,
  send_message = 8,
  write_message = 16,
  read_message = 32,
  atomic_message = 64,
  immediate_message = 128,
  read_response = 256,
  atomic_response = 512,
  terminate_message = 1024,
  end_of_stream = 2048  // just before FIN
};
inline constexpr unsigned any_message = send_message | write_message | read_message | atomic_message |
                                        immediate_message | read_response | atomic_response;
// "Send", "RDMA Write" …
[[nodiscard]] const char* subject_name(Subject subject) noexcept;

// A message that a plan makes one side send.
struct PlannedMessage {
  Subject subject = send_message;
  std::uint32_t number = 0;  // from 1: among the side's messages; of responses among these
  std::uint64_t length = 0;
  bool first_of_queue = false;
  bool parallel = false;   // the next one of its kind does not wait for an answer to it
  bool idle = false;       // its side waits for no answer when it is sent
  std::uint32_t work = 0;  // of the stream: that makes it, or that it answers
};
// In the order of posting, then the responses. The ready-to-receive message is not among them.
[[nodiscard]] std::vector<PlannedMessage> messages_of(const PlannedStream& stream, Role role,
                                                      const ReplayOptions& options);

struct Passing {
  wire::DdpHeader header;
  Subject subject = send_message;
  std::uint32_t number = 0;   // 0: none of the plan's
  std::uint32_t fpdu = 1;     // of its message, from 1
  std::uint32_t answers = 0;  // of a response: MSN of the request
};

// Follows one side of one stream.
class PassingTracker {
 public:
  PassingTracker(const PlannedStream& stream, Role role, const ReplayOptions& options);
  // REQUIRES: the ULPDUs come in the order of sending, none is left out.
  [[nodiscard]] Passing take(ByteView ulpdu);

 private:
  // Messages of one queue, or tagged ones of one kind: no two of them are under way at once.
  struct Lane {
    std::vector<std::uint32_t> numbers;
    std::size_t next = 0;
    std::uint32_t number = 0;
    std::uint32_t fpdu = 0;
    bool open = false;
  };
  void step(Lane& lane, Passing& passing);

  Lane receives_;
  Lane requests_;
  Lane writes_;
  Lane responses_;
  std::uint32_t answered_ = 0;
  bool rtr_due_ = false;
};

}  // namespace iwarp::replay
