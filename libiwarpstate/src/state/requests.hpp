// Operations: what one side asks of the other. Requests (reads and atomics together, RFC 7306 §7) wait in the
// order they were issued; Sends, Writes and Immediates are over with their last segment.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "state/fold.hpp"

namespace iwarp {

inline constexpr std::size_t max_requests = std::size_t{1}
                                            << 16U;  // of one side; beyond it they are uncertain

// Why it is not certain which requests of `requester` are unanswered; nothing: it is.
[[nodiscard]] std::optional<Reason> outstanding_unsure(const ConnectionState& state, Side requester) noexcept;

// The event's segment is a Read or Atomic Request.
void take_request(const Fold& fold);
// … that breaks a rule: it does not count, but who knows what the peer makes of it.
void note_broken_request(const Fold& fold) noexcept;
// `lost` requests of the event's side lay in the hole before this segment; `known`: that number is certain.
void settle_unseen_requests(const Fold& fold, std::uint32_t lost, bool known);
// The event is a better copy of a request that was passed over.
void fill_unseen_request(const Fold& fold);
// Octets [begin, end) of this side were sent again.
void mark_retransmitted(SideState& side, StreamOffset begin, StreamOffset end) noexcept;

// A Send, Write or Immediate is over.
void conclude_transfer(const Fold& fold, Side side, const MessageConclusion& message);
// What was seen of a response.
struct AnswerSeen {
  bool whole = false;  // all octets that were sent of it
  bool last = false;   // its last segment is the event's
};
// A request of `requester` is over.
void conclude_request(const Fold& fold, Side requester, const Request& request, OperationStatus status,
                      AnswerSeen seen = {});
// No request of `requester` will be answered any more.
void end_requests(const Fold& fold, Side requester, OperationStatus status);

}  // namespace iwarp
