// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpa/negotiation.hpp"

#include <algorithm>
#include <utility>

namespace iwarp::mpa {
namespace {

constexpr std::uint32_t key_word = 0x4d504120;  // "MPA "
constexpr Side sides[] = {Side::a, Side::b};

// Whether the first octets of Full Operation, markers in them or not, are an FPDU: one that a rule is broken
// by shows it by its CRC, when it stands alone.
bool begins_with_fpdu(ByteView octets) noexcept {
  FramerParameters parameters;
  const bool marked = octets.size() >= wire::marker_size && load_be32(octets.data()) == 0;
  parameters.markers = marked ? Mode::on : Mode::off;
  parameters.crc = Mode::unknown;
  if (plausible_at(parameters, 0, octets)) return true;
  std::uint16_t length = 0;
  if (!read_ulpdu_length(parameters, 0, octets, length) || octets.size() != wire_size(parameters, 0, length))
    return false;
  FramedFpdu fpdu;
  examine(parameters, 0, octets, length, fpdu);
  return fpdu.crc == CrcStatus::good;
}

}  // namespace

void Negotiation::open(Side side, StreamOffset at, bool from_start) noexcept {
  scanners_[index(side)].start(at, from_start);
  start_missing_[index(side)] = !from_start;
}

void Negotiation::reopen(Side side, StreamOffset at) noexcept {
  scanners_[index(side)].start(at, true);
  agreed_[index(side)] = false;
  taken_[index(side)].reset();
  if (stage_ == Stage::agreed || stage_ == Stage::over || side == requester_) {
    stage_ = Stage::idle;
    has_request_ = has_reply_ = crossed_ = reply_broken_ = false;
    cut_short_at_.reset();
    reached_ = {};
    excess_ = {};
    early_fpdus_ = 0;
    first_speaker_.reset();
  }
}

bool Negotiation::start_missing(Side side) const noexcept {
  return start_missing_[index(side)] || !captured_[index(side)];
}

// Whether `side` holds a frame that no start-up before this one was made of.
bool Negotiation::is_fresh(Side side) const noexcept {
  const StartupScanner& scanner = scanners_[index(side)];
  return scanner.header_complete() && used_[index(side)] != scanner.begin();
}

// Whether the candidate of `side` is taken for a start-up frame without the other side's word.
bool Negotiation::counts(Side side) const noexcept {
  const StartupScanner& scanner = scanners_[index(side)];
  if (!scanner.header_complete()) return false;
  if (scanner.expected()) {
    // Cut short by the peer's answer, or by the end: it counts as far as it came.
    return scanner.complete() || final_ || scanners_[index(other(side))].has_candidate();
  }
  // One that stands somewhere in a stream must at least look sound to be more than quoted text.
  return scanner.complete() && scanner.sound() && scanner.at_segment_start() && scanner.behind().empty();
}

bool Negotiation::is_new_request(Side side) const noexcept {
  const StartupScanner& scanner = scanners_[index(side)];
  return is_fresh(side) && scanner.kind() == wire::StartupKind::request && counts(side) &&
         taken_[index(side)] != scanner.begin();
}

Decision Negotiation::take_request(Side side) noexcept {
  const StartupScanner& scanner = scanners_[index(side)];
  requester_ = side;
  request_ = scanner.frame();
  request_.private_data = {};
  taken_[index(side)] = scanner.begin();
  request_end_ = scanner.end();
  has_request_ = true;
  stage_ = Stage::requested;
  Decision decision;
  decision.kind = Decision::Kind::startup;
  decision.side = side;
  decision.wrong_key = scanner.wrong_key();
  return decision;
}

Decision Negotiation::take_reply(Side side) noexcept {
  const StartupScanner& scanner = scanners_[index(side)];
  reply_ = scanner.frame();
  reply_.private_data = {};
  reply_end_ = scanner.end();
  has_reply_ = true;
  requester_ = other(side);
  stage_ = Stage::agreed;
  for (const Side each : sides) {
    if (scanners_[index(each)].has_candidate()) used_[index(each)] = scanners_[index(each)].begin();
  }
  Decision decision;
  decision.kind = Decision::Kind::startup;
  decision.side = side;
  const StartupScanner& requests = scanners_[index(requester_)];
  reached_[index(side)] = scanner.position();
  if (has_request_ && requests.complete()) {
    decision.early_octets = static_cast<std::uint32_t>(requests.behind().size());
    reached_[index(requester_)] = requests.position();
    const bool now = reply_.rejected || agreed_[index(requester_)];
    if (now && settle_excess(requester_, false)) note_early(requester_, decision);
  } else if (has_request_ && requests.header_complete()) {
    cut_short_at_ = requests.position();
  }
  return decision;
}

// The Reply came before all of the Request's Private Data: whether it is known by now if the rest of it
// follows or FPDUs do. Settles where Full Operation begins.
bool Negotiation::settle_cut_short() noexcept {
  const StartupScanner& scanner = scanners_[index(requester_)];
  if (!cut_short_at_ || !scanner.header_complete()) return true;
  FramerParameters parameters = parameters_of(requester_);
  parameters.origin = *cut_short_at_;
  const ByteView next = scanner.octets_from(*cut_short_at_);
  constexpr std::size_t look = wire::marker_size + wire::length_field_size + wire::untagged_header_size;
  if (next.size() < look && !scanner.complete() && !final_) return false;
  if (plausible_at(parameters, *cut_short_at_, next)) {
    request_end_ = *cut_short_at_;
  } else if (!scanner.complete() && !final_) {
    return false;
  }
  cut_short_at_.reset();
  return true;
}

// Octets that stood behind the frame of `side` when the Reply was there are FPDUs, or Private Data that
// PD_Length does not count: then Full Operation begins behind them. `wait`: for octets that would tell.
bool Negotiation::settle_excess(Side side, bool wait) noexcept {
  const StartupScanner& scanner = scanners_[index(side)];
  if (!reached_[index(side)] || !scanner.complete()) return true;
  const StreamOffset reached = *reached_[index(side)];
  FramerParameters parameters = parameters_of(side);
  const StreamOffset end = parameters.origin;
  constexpr std::size_t look = wire::marker_size + wire::length_field_size + wire::untagged_header_size;
  const auto undecided = [wait](ByteView octets) { return wait && octets.size() < look; };
  if (reached > end) {
    const ByteView behind = scanner.octets_from(end);
    bool fpdus = plausible_at(parameters, end, behind);
    if (!fpdus && parameters.markers == Mode::unknown) {  // the frame that asks for them was not captured
      FramerParameters marked = parameters;
      marked.markers = Mode::on;
      fpdus = plausible_at(marked, end, behind);
    }
    if (!fpdus) {
      parameters.origin = reached;
      const ByteView next = scanner.octets_from(reached);
      const bool begins = plausible_at(parameters, reached, next);
      if (!begins && (undecided(behind) || undecided(next))) return false;
      fpdus = !begins && next.size() >= look;  // what they are framing will tell
    }
    const auto count = static_cast<std::uint32_t>(reached - end);
    if (!fpdus) {
      excess_[index(side)] = count;
      (side == requester_ ? request_end_ : reply_end_) = reached;
    } else if (side == requester_) {
      early_fpdus_ = count;
    }
  }
  reached_[index(side)].reset();
  return true;
}

bool Negotiation::settle_start(Side side) noexcept {
  if (side == requester_ && !settle_cut_short()) return false;
  return settle_excess(side, !final_ && !ended_[index(side)]);
}

// What came too early is told once.
void Negotiation::note_early(Side side, Decision& decision) noexcept {
  decision.excess_octets = std::exchange(excess_[index(side)], 0U);
  if (side == requester_) decision.early_fpdus = std::exchange(early_fpdus_, 0U);
}

FramerParameters Negotiation::parameters_of(Side sender) const noexcept {
  FramerParameters parameters;
  const bool initiator = sender == requester_;
  const bool asked_known = initiator ? has_reply_ : has_request_;
  const bool asked = initiator ? reply_.markers : request_.markers;
  parameters.markers = !asked_known ? Mode::unknown : asked ? Mode::on : Mode::off;
  if ((has_request_ && request_.crc) || (has_reply_ && reply_.crc)) {
    parameters.crc = Mode::on;
  } else {
    parameters.crc = has_request_ && has_reply_ ? Mode::off : Mode::unknown;
  }
  parameters.origin = initiator ? request_end_ : reply_end_;
  parameters.revision_zero =
      has_reply_ ? reply_.revision == 0 && (!has_request_ || request_.revision == 0) : request_.revision == 0;
  return parameters;
}

// Full Operation begins for `side`, if the start of it was captured.
Decision Negotiation::agree(Side side) noexcept {
  agreed_[index(side)] = true;
  const StartupScanner& scanner = scanners_[index(side)];
  const bool start_known = side == requester_ ? has_request_ : has_reply_;
  Decision decision;
  decision.side = side;
  decision.parameters = parameters_of(side);
  note_early(side, decision);
  if (start_known && scanner.header_complete()) {
    decision.kind = Decision::Kind::operate;
    decision.at = decision.parameters.origin;
    decision.behind = scanner.octets_from(decision.at);
  } else {
    decision.kind = Decision::Kind::seek;
    decision.at = scanner.position();
  }
  return decision;
}

// A side that talks something else makes nobody expect a start-up right at the start.
void Negotiation::hear_others() noexcept {
  for (const Side side : sides) {
    const StartupScanner& scanner = scanners_[index(side)];
    const bool key_may_come = scanner.seen() < 4 || scanner.first_word() == key_word;
    if (!key_may_come) scanners_[index(other(side))].expect_nothing();
  }
}

void Negotiation::note_first_speaker() noexcept {
  for (const Side side : sides) {
    if (!first_speaker_ && scanners_[index(side)].seen() > 0) first_speaker_ = side;
  }
}

// A sound Reply is the first that was captured of `side`.
bool Negotiation::is_reply(Side side) const noexcept {
  const StartupScanner& scanner = scanners_[index(side)];
  return scanner.at_first_octet() && scanner.complete() && scanner.sound() &&
         scanner.kind() == wire::StartupKind::reply;
}

// Whether the first octets of `side` are for certain a Request but for their key. Other protocols may begin
// alike; but none is answered by a Reply, or goes on with FPDUs.
bool Negotiation::lacks_key(Side side) const noexcept {
  const bool first = first_speaker_ == side;
  if (start_missing(other(side))) {  // a Request may be among what is missing, though none before a Reply
    return first && !start_missing(side) && scanners_[index(side)].malformed().complete() &&
           is_reply(other(side));
  }
  const MalformedStartup& request = scanners_[index(side)].malformed();
  const MalformedStartup& answer = scanners_[index(other(side))].malformed();
  if (request.complete()) {
    if (!first) return request.proven() && !answer.complete();
    return request.proven() || answer.proven() || is_reply(other(side));
  }
  // A Reply that answers nothing, and is answered by one or by silence.
  if (!first || !is_reply(side)) return false;
  const bool silent = scanners_[index(other(side))].seen() == 0 && (final_ || ended_[index(other(side))]);
  return silent || is_reply(other(side));
}

void Negotiation::take_broken_request() {
  for (const Side side : sides) {
    if (scanners_[index(side)].has_candidate() && !scanners_[index(side)].at_start()) continue;
    if (!lacks_key(side)) continue;
    scanners_[index(side)].take_as_request();
    scanners_[index(other(side))].expect_answer();
    return;
  }
}

Decision Negotiation::take_broken_reply() noexcept {
  Decision decision;
  const Side responder = other(requester_);
  const MalformedStartup& reply = scanners_[index(responder)].malformed();
  if (!reply_broken_ || !reply.complete()) return decision;
  reply_broken_ = false;
  decision.kind = Decision::Kind::broken_reply;
  decision.side = responder;
  decision.at = scanners_[index(responder)].position() - reply.octets().size() + reply.frame_size();
  decision.behind = reply.octets().subspan(reply.frame_size());
  decision.parameters.markers = request_.markers ? Mode::on : Mode::off;
  decision.parameters.origin = decision.at;
  return decision;
}

Decision Negotiation::poll() {
  note_first_speaker();
  if (stage_ == Stage::idle) {
    hear_others();
    if (!has_request_) take_broken_request();
  }
  if (stage_ == Stage::agreed) {
    if (reply_.rejected) {
      stage_ = Stage::over;
      Decision decision;
      decision.kind = Decision::Kind::rejected;
      return decision;
    }
    for (const Side side : sides) {
      if (!agreed_[index(side)] && settle_start(side)) return agree(side);
    }
    if (agreed_[0] && agreed_[1]) {
      for (StartupScanner& scanner : scanners_) scanner.settle();
    }
    return {};
  }
  if (stage_ == Stage::over) return take_broken_reply();

  for (const Side side : sides) {
    if (!is_new_request(side)) continue;
    if (has_request_ && requester_ != side) crossed_ = true;
    return take_request(side);
  }
  if (crossed_) return {};

  for (const Side side : sides) {
    const StartupScanner& scanner = scanners_[index(side)];
    if (!is_fresh(side) || scanner.kind() != wire::StartupKind::reply) continue;
    if (!scanner.complete() && !final_) continue;
    const StartupScanner& peer = scanners_[index(other(side))];
    if (has_request_ && requester_ != side) return take_reply(side);
    // A Request that only the Reply shows to be one.
    const bool held_request =
        is_fresh(other(side)) && peer.complete() && peer.kind() == wire::StartupKind::request;
    if (held_request && !has_request_) return take_request(other(side));
    if (!has_request_ && start_missing(other(side)) && (scanner.expected() || scanner.at_segment_start())) {
      return take_reply(side);
    }
  }

  if (stage_ != Stage::requested) return {};
  const Side responder = other(requester_);
  const StartupScanner& answers = scanners_[index(responder)];
  const StartupScanner& requests = scanners_[index(requester_)];
  const bool holds_request = requests.complete() && taken_[index(requester_)] == requests.begin();
  // The Reply may have been among what is missing.
  if (start_missing(responder) && !holds_request) return {};
  if (start_missing(responder)) {
    // The Reply will not be seen: what follows the Request tells whether there was one.
    if (!agreed_[index(requester_)] && begins_with_fpdu(requests.behind())) {
      Decision decision = agree(requester_);
      if (agreed_[index(responder)]) stage_ = Stage::agreed;
      return decision;
    }
    return {};
  }
  const bool answered = answers.seen() >= 4 && !answers.has_candidate() && requests.expected();
  // Either not even the first word of the key, or more octets than the key has.
  if (answered && (answers.first_word() != key_word || answers.seen() >= wire::startup_key_size)) {
    stage_ = Stage::over;
    reply_broken_ = true;
    Decision decision;
    decision.kind = Decision::Kind::nonsense_answer;
    decision.side = responder;
    return decision;
  }
  return {};
}

}  // namespace iwarp::mpa
