// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/pump.hpp"

#include <algorithm>
#include <utility>

namespace iwarp::replay {
namespace {

constexpr std::size_t longest_packed = 4096;                     // FPDU
constexpr std::uint64_t most_at_once = std::uint64_t{1} << 20U;  // of a link, before others have their turn

}  // namespace

Pump::~Pump() {
  for (const std::unique_ptr<Link>& link : links_) {
    if (!link->over_ && !link->fin_sent_) link->transport_->close(Close::graceful);
  }
}

Link& Pump::add(std::unique_ptr<Transport> transport, LinkUser& user) {
  links_.push_back(std::make_unique<Link>(std::move(transport), user, timers_));
  Link& link = *links_.back();
  by_transport_[&link.transport_->original()] = &link;
  link.unread_ = true;
  touch(link);
  return link;
}

void Pump::touch(Link& link) {
  if (std::exchange(link.due_, true)) return;
  due_.push_back(&link);
}

void Pump::note_unread(Link& link) {
  link.unread_ = true;
  touch(link);
}

void Pump::run(TimeNs now) {
  for (Link* due = first_timer(); due != nullptr && due->timer_.at() <= now; due = first_timer()) {
    rnic::LlpStream* const stream = due->rnic_->stream(due->stream_);
    due->timer_.set(never);
    if (stream == nullptr || stream->next_timeout() > now) {
      note_timeout(*due);
      continue;
    }
    stream->handle_timeout(now);
    due->user_.on_activity(*due);
    touch(*due);
  }
  paused_ = false;
  while (!due_.empty() && !paused_) {
    round_.swap(due_);
    for (Link* const link : round_) {
      link->due_ = false;
      service(*link, now);
    }
    round_.clear();
  }
}

void Pump::service(Link& link, TimeNs now) {
  link.is_served_ = true;
  exchange(link, now);
  const std::uint64_t enough = octets_moved_ + most_at_once;
  while (!link.over_ && octets_moved_ < enough && receive(link, now)) exchange(link, now);
  if (!link.over_ && octets_moved_ >= enough && link.unread_) {
    touch(link);
    paused_ = true;
  }
  exchange(link, now);
  link.is_served_ = false;
  if (link.tells_ && !link.busy()) {
    link.tells_ = false;
    link.user_.on_activity(link);
  }
  note_timeout(link);
  settle(link);
}

// Sends. That takes up what came before, too, and was more than receives were posted: as long as it does
// there are completions, and room for more receives.
void Pump::exchange(Link& link, TimeNs now) {
  const auto held = [&link]() -> std::size_t {
    const bool gone = link.over_ || link.rnic_ == nullptr;
    const rnic::LlpStream* const stream = gone ? nullptr : link.rnic_->stream(link.stream_);
    return stream == nullptr ? 0 : stream->held_octets();
  };
  for (;;) {
    const std::size_t before = held();
    send(link, now);
    if (held() >= before) return;
    link.user_.on_activity(link);
  }
}

bool Pump::receive(Link& link, TimeNs now) {
  if (!link.unread_ || link.over_ || link.held_) return false;  // behind a FIN a RST may come
  if (link.rnic_ != nullptr) {
    // What nobody can take stays in TCP, whose window closes.
    const rnic::LlpStream* const stream = link.rnic_->stream(link.stream_);
    if (stream != nullptr && !stream->accepts_input() && !link.puts_by_) return false;
  }
  if (!link.puts_by_ && take_what_was_put_by(link, now)) return true;
  if (link.end_put_by_) return false;
  const Received received = link.transport_->receive();
  if (received.arrival == Arrival::nothing) {
    link.unread_ = false;
    return false;
  }
  if (received.arrival == Arrival::octets) link.octets_heard_ += received.octets.size();
  if (link.puts_by_) {
    put_by(link, received);
  } else {
    take(link, received, now);
  }
  return true;
}

void Pump::put_by(Link& link, const Received& received) {
  octets_moved_ += received.octets.size();
  link.put_by_.insert(link.put_by_.end(), received.octets.begin(), received.octets.end());
  if (received.arrival != Arrival::octets) link.end_put_by_ = received.arrival;
  link.user_.on_activity(link);
}

bool Pump::take_what_was_put_by(Link& link, TimeNs now) {
  if (!link.put_by_.empty()) {
    const Bytes octets = std::exchange(link.put_by_, {});
    take(link, {Arrival::octets, octets}, now);
    return true;
  }
  if (!link.end_put_by_) return false;
  const Arrival end = *std::exchange(link.end_put_by_, std::nullopt);
  take(link, {end}, now);
  return true;
}

void Pump::take(Link& link, const Received& received, TimeNs now) {
  switch (received.arrival) {
    case Arrival::nothing: return;
    case Arrival::established:
      link.max_segment_ = received.max_segment;
      return link.user_.on_established(link, received.max_segment);
    case Arrival::octets:
      octets_moved_ += received.octets.size();
      if (link.rnic_ != nullptr) link.rnic_->handle_input(link.stream_, received.octets, now);
      return link.user_.on_activity(link);
    case Arrival::closed: return end_peer(link, rnic::StreamClose::graceful, now);
    case Arrival::reset: return end_peer(link, rnic::StreamClose::reset, now);
    case Arrival::lost: return end_peer(link, rnic::StreamClose::lost, now);
  }
}

void Pump::end_peer(Link& link, rnic::StreamClose how, TimeNs now) {
  const bool heard_before = std::exchange(link.peer_done_, true);
  if (how != rnic::StreamClose::graceful) link.over_ = true;
  if (link.rnic_ != nullptr) link.rnic_->handle_close(link.stream_, how, now);
  link.user_.on_activity(link);
  if (!heard_before) link.user_.on_peer_closed(link);
  if (link.over_) link.user_.on_over(link);
}

// FPDUs that are ready together go in one segment, whole ones, as many as it holds (RFC 5044 §5): a call of
// the transport, and of the system, for all of them. A long one goes alone, without being copied.
void Pump::add_octets(Link& link, ByteView octets) {
  if (packed_.size() + octets.size() > link.max_segment_) flush(link);
  if (octets.size() > longest_packed || !link.unsent_.empty()) {
    flush(link);
    const std::size_t taken = link.unsent_.empty() ? link.transport_->send(octets) : 0;
    const ByteView rest = octets.subspan(taken);
    link.unsent_.insert(link.unsent_.end(), rest.begin(), rest.end());
    return;
  }
  packed_.insert(packed_.end(), octets.begin(), octets.end());
}

void Pump::flush(Link& link) {
  if (packed_.empty()) return;
  const std::size_t taken = link.transport_->send(packed_);
  link.unsent_.insert(link.unsent_.end(), packed_.begin() + static_cast<std::ptrdiff_t>(taken),
                      packed_.end());
  packed_.clear();
}

void Pump::send(Link& link, TimeNs now) {
  if (link.rnic_ == nullptr || link.over_) return;
  if (!link.unsent_.empty()) {
    const std::size_t taken = link.transport_->send(link.unsent_);
    link.unsent_.erase(link.unsent_.begin(), link.unsent_.begin() + static_cast<std::ptrdiff_t>(taken));
    // Behind a peer that takes nothing there is nothing to ask for, but for the RST that drops all of it.
    if (!link.unsent_.empty() && !reset_pending(link)) return;
    if (link.unsent_.empty() && link.fin_due_) finish(link, now);
    if (link.over_) return;
  }
  for (;;) {
    const rnic::Output output = link.rnic_->poll_output(link.stream_, now);
    switch (output.kind) {
      case rnic::OutputKind::none: return flush(link);
      case rnic::OutputKind::octets:
        octets_moved_ += output.octets.size();
        link.octets_said_ += output.octets.size();
        add_octets(link, output.octets);
        if (output.alone) flush(link);  // wherever it counts what comes in which segment
        link.user_.on_activity(link);
        if (!link.unsent_.empty()) return flush(link);
        break;
      case rnic::OutputKind::close_graceful:
        flush(link);
        link.fin_due_ = true;
        if (!link.unsent_.empty()) return;  // it goes behind what waits
        finish(link, now);
        if (link.over_) return;
        break;
      case rnic::OutputKind::reset:
        flush(link);
        link.unsent_.clear();
        link.transport_->close(Close::reset);
        link.reset_sent_ = link.over_ = true;
        link.user_.on_activity(link);
        return link.user_.on_over(link);
    }
  }
}

// Sends FIN, or RST where that was recorded.
void Pump::finish(Link& link, TimeNs now) {
  link.fin_due_ = false;
  if (link.reset_instead_) {
    link.transport_->close(Close::reset);
    link.reset_sent_ = link.over_ = true;
    link.rnic_->handle_close(link.stream_, rnic::StreamClose::reset, now);
    link.user_.on_activity(link);
    return link.user_.on_over(link);
  }
  link.transport_->close(Close::graceful);
  link.fin_sent_ = true;
  link.user_.on_activity(link);
}

bool Pump::reset_pending(const Link& link) {
  const rnic::LlpStream* const stream = link.rnic_->stream(link.stream_);
  return stream != nullptr && stream->reset_pending();
}

void Pump::settle(Link& link) {
  if (link.over_ || !link.fin_sent_ || !link.peer_done_) return;
  link.over_ = true;
  link.user_.on_over(link);
}

void Pump::note_timeout(Link& link) {
  if (link.rnic_ == nullptr) return;
  const rnic::LlpStream* const stream = link.rnic_->stream(link.stream_);
  link.timer_.set(stream == nullptr ? never : stream->next_timeout());
}

// The link whose timer is due first; nullptr: none ever is.
Link* Pump::first_timer() {
  while (!timers_.empty()) {
    const auto& first = timers_.front();
    if (first.what->timer_.stands(first.at)) return first.what;
    timers_.pop_front();
  }
  return nullptr;
}

TimeNs Pump::next_timeout() {
  const Link* const first = first_timer();
  return first == nullptr ? never : first->timer_.at();
}

}  // namespace iwarp::replay
