// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/answer.hpp"

namespace iwarp {

Answer answer_of(const FpduFact& fpdu) noexcept {
  Answer answer;
  if (fpdu.ddp.opcode() == wire::Opcode::atomic_response) {
    constexpr std::size_t identifier_end = 4;  // RFC 7306 §5.2.2
    const auto response = wire::parse_cut_atomic_response(rdmap_view(fpdu));
    answer.kind = RequestKind::atomic;
    answer.confirmed = is_long_enough(fpdu) && response.has(identifier_end);
    answer.request_id = response.header.original_request_id;
    return answer;
  }
  answer.stag = fpdu.ddp.stag;
  answer.to = fpdu.ddp.to;
  answer.payload = payload_of(fpdu);
  return answer;
}

std::optional<RequestKey> key_of(const Answer& answer) noexcept {
  if (answer.kind == RequestKind::atomic) {
    if (!answer.confirmed) return std::nullopt;
    return RequestKey{RequestKey::Kind::atomic, answer.request_id, 0};
  }
  if (answer.payload == 0) return RequestKey{RequestKey::Kind::empty_read, 0, 0};
  return RequestKey{RequestKey::Kind::read, answer.stag, answer.to};
}

bool fits(const Request& request, const Answer& answer) noexcept {
  const auto key = key_of(request);
  return key && key == key_of(answer);
}

bool may_fit(const Request& request, const Answer& answer) noexcept {
  if (request.unseen) return true;
  if (request.kind != answer.kind) return false;
  return !key_of(request) || !answer.confirmed || fits(request, answer);
}

RequestList::Place find_fitting(RequestList& requests, const Answer& answer, bool behind_front) noexcept {
  const auto key = key_of(answer);
  return key ? requests.find(*key, behind_front) : RequestList::none;
}

}  // namespace iwarp
