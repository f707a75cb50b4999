// Whose turn it is to be answered, where a responder left out, delayed or repeated a whole response: one
// finding says so, and the responses behind it are in turn (RFC 5040 §5.5 (20), RFC 7306 §5.4 (8)).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "state/answer.hpp"

namespace iwarp {

// The oldest that was not overtaken; the oldest of all where all were. REQUIRES: there are requests.
[[nodiscard]] RequestList::Place turn_of(RequestList& requests) noexcept;
// The response answers the one at `place`, which becomes the oldest; others in turn before it are overtaken.
void overtake(const Fold& fold, RequestList::Place place);
// Whether it is a late response, to one that was overtaken, which becomes the oldest. It is in turn, unless
// another that was overtaken with that one is due first: reported.
[[nodiscard]] bool answers_overtaken(const Fold& fold, const Answer& answer);

// The request is taken for answered by what may be no response to it: see MistakenRequests.
void note_mistaken(SideState& requester, const Request& request);
// The response is to that request by what it shows, out of turn. Where the response before was to one that
// asked for the same, it may as well repeat that: nothing about the pair is certain then.
void doubt_repetition(SideState& requester, Request& request);
// A response is in turn: of those mistaken, the ones before its request are over.
void settle_mistaken(SideState& requester, const Request& request) noexcept;
// Whether it is the response to one that was taken for answered so: its request is not due any more.
[[nodiscard]] bool answers_mistaken(SideState& requester, const Answer& answer);

}  // namespace iwarp
