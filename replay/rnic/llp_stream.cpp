// LLP Streams.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/llp_stream.hpp"

#include <algorithm>
#include <utility>

#include <iwarp/wire/rdmap.hpp>

namespace iwarp::rnic {
namespace {

constexpr std::size_t max_waiting = std::size_t{16} << 20;
constexpr std::size_t max_frames = 4096;

void append(Bytes& out, ByteView octets) {
  out.insert(out.end(), octets.begin(), octets.end());
}

}  // namespace

LlpStream::LlpStream(StreamId id, const StreamParameters& parameters, EventQueue<StreamEvent>& events,
                     Mutator* mutator, TimerHeap<StreamId>& timers, TimeNs now)
    : id_(id),
      parameters_(parameters),
      events_(events),
      mutator_(parameters.mutator != nullptr ? parameters.mutator : mutator),
      now_(now),
      deadline_(timers, id) {
  if (!parameters_.delayed) (void)start_mpa(now);
}

void LlpStream::tell(StreamEventKind kind) {
  events_.add({kind, id_});
}

void LlpStream::queue_frame(Bytes frame) {
  if (mutator_ != nullptr) mutator_->startup(id_, frame);
  frames_.push_back(std::move(frame));
}

// --- the Consumer -----------------------------------------------------------------------------------------

bool LlpStream::send_streaming(ByteView octets) {
  if (phase_ != StreamPhase::streaming || closing_ || reset_due_ || frames_.size() >= max_frames)
    return false;
  queue_frame(Bytes(octets.begin(), octets.end()));
  return true;
}

Bytes LlpStream::read_streaming() {
  return std::exchange(streaming_in_, {});
}

bool LlpStream::start_mpa(TimeNs now) {
  if (phase_ != StreamPhase::streaming || closing_ || reset_due_) return false;
  startup_.start(parameters_.role, parameters_.mpa);
  phase_ = StreamPhase::waiting;
  deadline_.set(now + parameters_.startup_timeout);
  if (parameters_.role == Role::initiator) {
    Bytes frame;
    startup_.encode_request(frame);
    queue_frame(std::move(frame));
  }
  // Octets that came while the Consumer thought of it are the peer's start-up.
  append(waiting_, streaming_in_);
  streaming_in_.clear();
  return true;
}

std::size_t LlpStream::private_data_room() const noexcept {
  if (phase_ == StreamPhase::request_arrived) return wire::private_data_room(startup_.negotiated().enhanced);
  return rnic::private_data_room(parameters_.role, parameters_.mpa);
}

bool LlpStream::set_private_data(ByteView octets) {
  const bool sent = phase_ == StreamPhase::full_operation || phase_ == StreamPhase::closed ||
                    (parameters_.role == Role::initiator && phase_ != StreamPhase::streaming);
  if (sent || octets.size() > private_data_room()) return false;
  parameters_.mpa.private_data.assign(octets.begin(), octets.end());
  return true;
}

bool LlpStream::reject(ByteView private_data) {
  if (phase_ != StreamPhase::request_arrived || closing_) return false;
  if (private_data.size() > private_data_room()) return false;
  Bytes frame;
  startup_.encode_reply(frame, parameters_.mpa.ird, parameters_.mpa.ord, private_data, true);
  queue_frame(std::move(frame));
  parameters_.mpa.private_data.clear();  // it was for this Reply; another one may have less room
  phase_ = StreamPhase::streaming;       // RFC 5044 §7.1.2 (2): TCP stays open
  deadline_.set(never);
  return true;
}

void LlpStream::close(bool gracefully, TimeNs now) {
  now_ = now;
  if (!gracefully) {
    reset();
  } else {
    begin_close();
  }
}

bool LlpStream::can_associate(ByteView stream_message) const noexcept {
  if (qp_ != nullptr || closing_ || reset_due_ || peer_closed_) return false;
  switch (phase_) {
    case StreamPhase::streaming: return true;
    case StreamPhase::waiting:
    case StreamPhase::request_arrived:
    case StreamPhase::reply_arrived: return stream_message.empty();  // no streaming mode any more
    default: return false;
  }
}

void LlpStream::associate(QueuePair& qp, ByteView stream_message, TimeNs now) {
  now_ = now;
  qp_ = &qp;
  if (phase_ == StreamPhase::streaming) {
    // The last streaming-mode message, then MPA; whatever the peer answers is start-up (Verbs 1.0 §6.2.1.2).
    if (!stream_message.empty()) (void)send_streaming(stream_message);
    (void)start_mpa(now);
  } else if (phase_ == StreamPhase::request_arrived) {
    accept();
  } else if (phase_ == StreamPhase::reply_arrived) {
    take_up_reply();
  }
  run(now);
}

void LlpStream::inject(ByteView ulpdu, const Framing& framing) {
  injected_.push_back({Bytes(ulpdu.begin(), ulpdu.end()), framing});
}

// --- start-up ---------------------------------------------------------------------------------------------

void LlpStream::accept() {
  if (!waiting_.empty()) {  // they belong to no FPDU yet (RFC 5044 §7.1.2 (9))
    waiting_.clear();
    phase_ = StreamPhase::closed;
    return fail_startup();
  }
  const Negotiated& agreed = startup_.negotiated();
  std::uint32_t ird = qp_->attributes().ird;
  std::uint32_t ord = qp_->attributes().ord;
  // An RTR Read needs a place (RFC 6581 §9.1).
  if (agreed.peer_to_peer && agreed.rtr_read && ird == 0) ird = 1;
  if (agreed.peer_ird) ord = std::min<std::uint32_t>(ord, *agreed.peer_ird);
  constexpr std::uint32_t largest = wire::depth_not_negotiated - 1;
  Bytes frame;
  startup_.encode_reply(frame, static_cast<std::uint16_t>(std::min(ird, largest)),
                        static_cast<std::uint16_t>(std::min(ord, largest)), parameters_.mpa.private_data,
                        false);
  queue_frame(std::move(frame));
  enter_full_operation();
  qp_->start(ird, ord, Rtr::none);
}

void LlpStream::take_up_reply() {
  const Negotiated& agreed = startup_.negotiated();
  const std::uint32_t ird = qp_->attributes().ird;
  std::uint32_t ord = qp_->attributes().ord;
  if (agreed.peer_ird) ord = std::min<std::uint32_t>(ord, *agreed.peer_ird);
  enter_full_operation();
  const Rtr rtr = agreed.peer_to_peer ? startup_.choose_rtr() : Rtr::none;
  qp_->start(ird, ord, rtr);
  if (agreed.peer_ord && *agreed.peer_ord > ird) {
    qp_->take_llp_error(code::insufficient_ird, AsyncEventKind::local_qp_catastrophic);
  } else if (agreed.peer_to_peer && rtr == Rtr::none) {
    qp_->take_llp_error(code::no_common_rtr, AsyncEventKind::local_qp_catastrophic);
  }
}

void LlpStream::enter_full_operation() {
  phase_ = StreamPhase::full_operation;
  deadline_.set(never);
  const Negotiated& agreed = startup_.negotiated();
  sender_.start(agreed.sending);
  receiver_.start(agreed.receiving);
  heard_ = parameters_.role == Role::initiator;
  first_fpdu_ = true;
  max_ulpdu_ = mulpdu(parameters_.emss, agreed.sending.markers);
  if (parameters_.max_ulpdu != 0)
    max_ulpdu_ = std::clamp(parameters_.max_ulpdu, wire::min_mulpdu, wire::max_ulpdu_length);
}

void LlpStream::fail_startup() {
  tell(StreamEventKind::failed);
  if (qp_ != nullptr) {
    qp_->take_llp_event(QpEvent::llp_lost);
  } else {
    begin_close();  // RFC 5044 §7.1.2: close the TCP connection
  }
}

// What initiator and responder agreed to, without payload (RFC 6581 §9.2); or a Terminate instead of it.
bool LlpStream::acceptable_rtr(ByteView ulpdu) const {
  const Result<wire::DdpHeader> header = wire::parse_ddp(ulpdu);
  if (!header) return true;  // a segment with other faults: they are reported
  const ByteView payload = ulpdu.subspan(header->size());
  const Negotiated& agreed = startup_.negotiated();
  const bool any = !agreed.rtr_send && !agreed.rtr_write && !agreed.rtr_read;
  switch (header->opcode()) {
    case wire::Opcode::terminate: return true;
    case wire::Opcode::send: return (agreed.rtr_send || any) && payload.empty();
    case wire::Opcode::rdma_write: return (agreed.rtr_write || any) && payload.empty();
    case wire::Opcode::read_request: {
      const Result<wire::ReadRequest> read = wire::parse_read_request(payload);
      return (agreed.rtr_read || any) && (!read || read->size == 0);
    }
    default: return false;
  }
}

// --- input ------------------------------------------------------------------------------------------------

void LlpStream::handle_input(ByteView octets, TimeNs now) {
  now_ = now;
  if (peer_closed_ || peer_close_due_ || reset_due_) return;
  run(now);
  if (waiting_.empty()) take(octets, now);
  if (octets.empty()) return;
  append(waiting_, octets);
  if (waiting_.size() <= max_waiting) return;
  // The LLP was asked to wait and did not.
  waiting_.clear();
  handle_close(StreamClose::lost, now);
}

// What could not be taken before.
void LlpStream::run(TimeNs now) {
  if (holding_ && qp_ != nullptr && deliver(held_)) {
    holding_ = false;
    held_.clear();
  }
  if (!waiting_.empty() && !stalled()) {
    Bytes octets = std::move(waiting_);
    waiting_.clear();
    ByteView left = octets;
    take(left, now);
    if (!left.empty()) waiting_.assign(left.begin(), left.end());
  }
  if (peer_close_due_ && waiting_.empty() && !holding_) take_peer_close();
}

void LlpStream::take(ByteView& octets, TimeNs now) {
  while (!octets.empty() && !stalled()) {
    switch (phase_) {
      case StreamPhase::streaming: {
        const std::size_t piece = std::min(octets.size(), max_streaming - streaming_in_.size());
        if (streaming_in_.empty()) tell(StreamEventKind::streaming_octets);
        append(streaming_in_, octets.first(piece));
        octets = octets.subspan(piece);
        break;
      }
      case StreamPhase::waiting:
        // Behind our FIN nothing can be answered.
        if (closing_) {
          octets = {};
        } else {
          take_startup(octets, now);
        }
        break;
      case StreamPhase::full_operation: take_fpdus(octets); break;
      default: octets = {}; break;
    }
  }
}

void LlpStream::take_startup(ByteView& octets, TimeNs now) {
  switch (startup_.take(octets)) {
    case MpaStartup::Outcome::more: return;
    case MpaStartup::Outcome::arrived:
      deadline_.set(now + parameters_.startup_timeout);
      if (parameters_.role == Role::responder) {
        if (!octets.empty()) {  // more than PD_Length announced (RFC 5044 §7.1.2 (9))
          octets = {};
          phase_ = StreamPhase::closed;
          return fail_startup();
        }
        phase_ = StreamPhase::request_arrived;
        tell(StreamEventKind::request_arrived);
        if (qp_ != nullptr) accept();
      } else {
        phase_ = StreamPhase::reply_arrived;
        tell(StreamEventKind::reply_arrived);
        if (qp_ != nullptr) take_up_reply();
      }
      return;
    case MpaStartup::Outcome::rejected:
      phase_ = StreamPhase::streaming;
      deadline_.set(never);
      tell(StreamEventKind::rejected);
      if (qp_ != nullptr) qp_->take_llp_event(QpEvent::startup_rejected);
      return;
    case MpaStartup::Outcome::malformed:
      octets = {};
      phase_ = StreamPhase::closed;
      fail_startup();
      return;
  }
}

void LlpStream::take_fpdus(ByteView& octets) {
  while (!octets.empty() && !holding_) {
    if (qp_ == nullptr || receiver_.failed()) {  // nothing is delivered any more
      octets = {};
      return;
    }
    const FpduReceiver::Result result = receiver_.take(octets);
    if (result == FpduReceiver::Result::more) return;
    heard_ = true;
    switch (result) {
      case FpduReceiver::Result::crc_error:
        qp_->take_llp_error(code::mpa_crc, AsyncEventKind::llp_crc);
        break;
      case FpduReceiver::Result::marker_error:
        qp_->take_llp_error(code::mpa_marker, AsyncEventKind::llp_bad_fpdu);
        break;
      default:
        if (!deliver(receiver_.ulpdu())) {
          const ByteView ulpdu = receiver_.ulpdu();
          held_.assign(ulpdu.begin(), ulpdu.end());
          holding_ = true;
        }
        break;
    }
  }
}

bool LlpStream::deliver(ByteView ulpdu) {
  last_segment_.length = static_cast<std::uint16_t>(ulpdu.size());
  std::copy_n(ulpdu.begin(), std::min(ulpdu.size(), last_segment_.header.size()),
              last_segment_.header.begin());
  if (std::exchange(first_fpdu_, false) && parameters_.role == Role::responder &&
      startup_.negotiated().peer_to_peer && !acceptable_rtr(ulpdu)) {
    qp_->take_llp_error(code::no_common_rtr, AsyncEventKind::local_qp_catastrophic);
    return true;
  }
  return qp_->take_segment(ulpdu);
}

// --- close ------------------------------------------------------------------------------------------------

void LlpStream::handle_close(StreamClose how, TimeNs now) {
  now_ = now;
  if (how == StreamClose::graceful) {
    peer_close_due_ = true;
    run(now);
    return;
  }
  waiting_.clear();
  peer_closed_ = true;
  if (how == StreamClose::reset) {
    gone_ = fin_sent_ = true;  // there is nothing to close any more
    closing_ = false;
  }
  const bool known = phase_ != StreamPhase::closed;
  phase_ = StreamPhase::closed;
  deadline_.set(never);
  if (qp_ != nullptr) {
    qp_->take_llp_event(how == StreamClose::reset ? QpEvent::llp_reset : QpEvent::llp_lost);
  } else if (known) {
    tell(StreamEventKind::closed);
  }
}

void LlpStream::take_peer_close() {
  peer_close_due_ = false;
  peer_closed_ = true;
  if (phase_ == StreamPhase::full_operation && qp_ != nullptr) {
    qp_->take_llp_event(QpEvent::llp_close, receiver_.inside_fpdu());
  } else if (phase_ == StreamPhase::streaming) {
    tell(StreamEventKind::peer_closed);
  } else if (phase_ != StreamPhase::closed && !closing_) {
    fail_startup();
  }
  finish_if_closed();
}

void LlpStream::begin_close() {
  if (closing_ || fin_sent_) return;
  closing_ = true;
  close_timed_ = false;
  deadline_.set(now_ + parameters_.close_timeout);
}

// A Verb tells no time: what it began counts from the first one that is told.
void LlpStream::time_close() {
  if (!closing_ || fin_sent_ || std::exchange(close_timed_, true)) return;
  deadline_.set(now_ + parameters_.close_timeout);
}

void LlpStream::reset() {
  if (gone_) return;
  reset_due_ = true;
  phase_ = StreamPhase::closed;
  frames_.clear();
  injected_.clear();
  deadline_.set(never);
}

void LlpStream::disassociate() {
  qp_ = nullptr;
  holding_ = false;
}

void LlpStream::finish_if_closed() {
  if (!peer_closed_ || !fin_sent_) return;
  deadline_.set(never);
  const bool known = phase_ != StreamPhase::closed;
  phase_ = StreamPhase::closed;
  if (qp_ != nullptr) {
    qp_->take_llp_event(QpEvent::llp_close_done);
  } else if (known) {
    tell(StreamEventKind::closed);
  }
}

void LlpStream::handle_timeout(TimeNs now) {
  now_ = now;
  time_close();
  if (now < deadline_.at()) return;
  deadline_.set(never);
  if (closing_) {
    if (qp_ != nullptr) {
      qp_->take_llp_event(QpEvent::llp_timeout);
    } else {
      reset();
      tell(StreamEventKind::closed);
    }
  } else if (phase_ != StreamPhase::full_operation && phase_ != StreamPhase::closed) {
    phase_ = StreamPhase::closed;
    fail_startup();
  }
}

// --- output -----------------------------------------------------------------------------------------------

// What a Mutator sends besides.
void LlpStream::make(const std::vector<Extra>& extras) {
  for (const Extra& each : extras) {
    if (each.raw) {
      made_.push_back(each.octets);
      continue;
    }
    append(sender_.begin(), each.octets);
    const ByteView fpdu = sender_.end();
    made_.push_back(Bytes(fpdu.begin(), fpdu.end()));
  }
}

bool LlpStream::next_made() {
  if (made_.empty()) return false;
  frame_ = std::move(made_.front());
  made_.pop_front();
  fpdu_ = frame_;
  return true;
}

void LlpStream::cut_off(Cutoff how) {
  cutoff_ = Cutoff::none;
  cut_off_ = true;
  quiet_ = how == Cutoff::silence;
  if (quiet_) return;
  if (how == Cutoff::fin) return begin_close();
  if (qp_ != nullptr) qp_->take_llp_event(QpEvent::llp_reset);
  reset();
}

bool LlpStream::next_fpdu() {
  if (repeats_ != 0) {
    --repeats_;
    return true;
  }
  if (next_made()) return true;
  if (cutoff_ != Cutoff::none) cut_off(cutoff_);
  if (cut_off_) return false;
  if (phase_ != StreamPhase::full_operation) return false;
  // A responder that heard nothing says nothing, not even why (RFC 5044 §7.1.2 (4)).
  if (!heard_) return false;
  for (;;) {
    Bytes& ulpdu = sender_.begin();
    Framing framing;
    if (!injected_.empty()) {
      append(ulpdu, injected_.front().ulpdu);
      framing = injected_.front().framing;
      injected_.pop_front();
    } else {
      if (qp_ == nullptr || !qp_->next_segment(ulpdu, max_ulpdu_)) return false;
      framing.markers = sender_.modes().markers;
      if (mutator_ != nullptr) mutator_->fpdu(id_, ulpdu, framing);
    }
    cutoff_ = framing.cutoff;
    if (framing.before.empty() && framing.behind.empty()) {
      if (framing.copies == 0 && cutoff_ == Cutoff::none) continue;
      if (framing.copies == 0) return next_fpdu();
      repeats_ = framing.copies - 1;
      fpdu_ = sender_.end(framing);
      if (framing.octets) fpdu_ = fpdu_.first(std::min(*framing.octets, fpdu_.size()));
      return true;
    }
    const Bytes own = ulpdu;
    make(framing.before);
    if (framing.copies != 0) {
      append(sender_.begin(), own);
      const ByteView fpdu = sender_.end(framing);
      for (unsigned i = 0; i < framing.copies; ++i) made_.push_back(Bytes(fpdu.begin(), fpdu.end()));
    }
    make(framing.behind);
    if (next_made()) return true;
  }
}

Output LlpStream::poll_output(TimeNs now) {
  now_ = now;
  time_close();
  run(now);
  if (reset_due_) {
    reset_due_ = closing_ = false;
    gone_ = fin_sent_ = peer_closed_ = true;
    return {OutputKind::reset, {}};
  }
  if (!frames_.empty()) {
    frame_ = std::move(frames_.front());
    frames_.pop_front();
    return {OutputKind::octets, frame_};
  }
  if (!fin_sent_ && next_fpdu()) return {OutputKind::octets, fpdu_, mutator_ != nullptr};
  if (reset_due_) return poll_output(now);  // making a segment failed for good
  const bool listens_on = mutator_ != nullptr && mutator_->listens_on(id_);
  if (closing_ && !fin_sent_ && (peer_closed_ || !(quiet_ || listens_on))) {
    if (mutator_ != nullptr && !std::exchange(asked_at_end_, true)) {
      std::vector<Extra> last;
      mutator_->closing(id_, last);
      make(last);
      if (next_made()) return {OutputKind::octets, fpdu_, true};
    }
    if (listens_on) return {};
    fin_sent_ = true;
    finish_if_closed();
    return {OutputKind::close_graceful, {}};
  }
  return {};
}

}  // namespace iwarp::rnic
