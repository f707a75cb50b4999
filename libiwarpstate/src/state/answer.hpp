// Answer: what a segment that begins a response shows of the request it answers.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "state/fold.hpp"

namespace iwarp {

struct Answer {
  RequestKind kind = RequestKind::read;
  bool confirmed = true;  // STag and TO, or the identifier, are there to compare
  std::uint32_t stag = 0;
  std::uint64_t to = 0;
  std::uint32_t payload = 0;
  std::uint32_t request_id = 0;
};

// REQUIRES: it is a Read or an Atomic Response.
[[nodiscard]] Answer answer_of(const FpduFact& fpdu) noexcept;
// Of an Atomic Response: else RDMAP-ATLEN.
[[nodiscard]] inline bool is_long_enough(const FpduFact& fpdu) noexcept {
  return payload_of(fpdu) >= wire::atomic_response_size;
}

// Nothing where it was cut.
[[nodiscard]] std::optional<RequestKey> key_of(const Answer& answer) noexcept;
// Whether `answer` is what `request` asked for, by what can be compared.
[[nodiscard]] bool fits(const Request& request, const Answer& answer) noexcept;
// The same, where by order it is that request's turn: nothing that could be compared contradicts.
[[nodiscard]] bool may_fit(const Request& request, const Answer& answer) noexcept;
// The first that fits, of all or of those behind the oldest; RequestList::none: no such one.
[[nodiscard]] RequestList::Place find_fitting(RequestList& requests, const Answer& answer,
                                              bool behind_front) noexcept;

}  // namespace iwarp
