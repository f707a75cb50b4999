// Responses find their requests by order (RFC 5040 §5.5 (20), RFC 7306 §7): a response has no identifier of
// its own, sink STag and TO, or an atomic's request identifier, only confirm it.
//
// The request being answered is always the oldest in the requester's list: one that is answered out of turn
// is moved there, so that one finding tells of it and the others go on undisturbed.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "state/fold.hpp"

namespace iwarp {

// Reports a Read Response's segment that no request asked for (RDMAP-RRNONE). False, and nothing reported:
// one did, or may have.
[[nodiscard]] bool report_unasked(const Fold& fold);
// The event's segment begins a Read Response of its side. `after_hole`: octets are missing before it. Returns
// whether it is certain that this is the response's first segment.
bool begin_answer(const Fold& fold, bool after_hole);
// The segment's octets are counted; `last`: the response is over. `holed`: octets of it are missing.
void advance_answer(const Fold& fold, bool last, bool holed);
// The response being received will not be completed, or nobody saw that; `holed`: octets of it are missing.
void abandon_answer(const Fold& fold, bool holed);

// The request that the response in progress answers; nullptr: none that is known.
[[nodiscard]] Request* answered_request(const Fold& fold) noexcept;
// Whether the response in progress answers a request that is known.
[[nodiscard]] bool is_answering(const Fold& fold) noexcept;
// Whether the segment, behind a hole, may still belong to that response: it lies behind what came of it, and
// ends with it if it is the last. If so skip_answer_to counts what lay in the hole.
[[nodiscard]] bool lies_in_answer(const Fold& fold, const OpenMessage& open) noexcept;
void skip_answer_to(const Fold& fold) noexcept;
// The segment may belong to another response than it is taken for: from here on nobody knows which request is
// the oldest.
void doubt_pairing(const Fold& fold, Reason reason) noexcept;
// Segments of the response in progress, behind a hole, disagree on where it stands.
void dispute_answer(const Fold& fold) noexcept;
// The segment goes on where the response in progress stopped, but octets are missing between: that may have
// ended there, if another request asked for these octets as well.
void doubt_answer(const Fold& fold) noexcept;
// A message that cannot be read may be a response of the event's side.
void doubt_responses(const Fold& fold) noexcept;
// The response in progress has all octets that were asked for, and the segment begins the one that is due
// after it: the last segment lacked its L (DDP-LMISS). False: it is not so.
bool end_without_last(const Fold& fold);
// Whether the segment is the beginning of the response that is due after the one in progress.
[[nodiscard]] bool begins_next_answer(const Fold& fold) noexcept;

void take_atomic_response(const Fold& fold);

}  // namespace iwarp
