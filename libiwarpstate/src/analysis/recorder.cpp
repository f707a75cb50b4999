// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/recorder.hpp"

#include <algorithm>
#include <memory>

#include "state/advance.hpp"
#include "state/crc_recovery.hpp"

namespace iwarp {

Recorder::Recorder(const AnalyzerOptions& options)
    : keep_log_(options.keep_log),
      keep_payload_(options.keep_payload),
      strict_(options.strict),
      acknowledgements_(options.acknowledgements),
      portion_(options.portion) {
  if (!keep_log_) take_portion_ = options.take_portion;
  limits_.startup_timeout_ns = options.startup_timeout_ns;
  limits_.close_timeout_ns = options.close_timeout_ns;
}

void Recorder::begin_frame(FrameNumber frame, TimeNs time_ns) {
  frame_ = frame;
  own_ = {frame, time_ns};
  time_ns_ = time_ns;
  if (keep_log_) log_.begin_frame(frame, time_ns);
}

void Recorder::stamp(Event& event, EventKind kind, const ConnectionState& state, Side side,
                     StreamOffset offset, StreamOffset ack) const noexcept {
  event.frame = frame_;
  event.time_ns = time_ns_;
  event.offset = offset;
  event.ack = ack;
  event.connection = state.id;
  event.kind = kind;
  event.side = side;
}

Event Recorder::make(EventKind kind, const ConnectionState& state, Side side, StreamOffset offset,
                     StreamOffset ack) const noexcept {
  Event event;
  stamp(event, kind, state, side, offset, ack);
  return event;
}

void Recorder::fact(ConnectionState& state, const Event& fact) {
  Event& recorded = events_.add();
  recorded = fact;
  record(state, recorded);
}

Event& Recorder::draft(EventKind kind, const ConnectionState& state, Side side, StreamOffset offset,
                       StreamOffset ack) {
  Event& event = events_.add();
  stamp(event, kind, state, side, offset, ack);
  return event;
}

void Recorder::record(ConnectionState& state, const Event& draft) {
  const std::size_t conclusions = events_.size();
  const bool closes = draft.kind == EventKind::closed;
  current_ = &draft;
  put_back_known(state, draft);
  check::judge(state, draft, limits_, *this);
  advance(state, draft, *this);
  if (draft.kind == EventKind::fpdu) events_[conclusions - 1].fpdu.message = state.fpdu_message;
  doubt_ = {};
  if (found_) fold_findings(state, conclusions);
  events_.settle();
  // The end of a connection stays, so that what closes connections one after another returns something.
  if (!closes) hand_over();
}

void Recorder::hand_over_portion() {
  take_portion_(events());
  forget();
}

void Recorder::finding(ConnectionState& state, Side side, StreamOffset offset, CheckId check,
                       std::initializer_list<std::uint64_t> arguments,
                       std::initializer_list<FrameNumber> evidence, const Culprit& culprit) {
  const Event there = make(EventKind::finding, state, side, offset);
  current_ = &there;
  const std::size_t from = events_.size();
  violated(side, check, arguments, evidence, culprit);
  fold_findings(state, from);
}

void Recorder::count_undecidable(ConnectionState& state, Side side, StreamOffset offset, CheckId check,
                                 Reason reason) {
  const Event there = make(EventKind::undecidable, state, side, offset);
  current_ = &there;
  undecidable(side, check, reason);
}

void Recorder::fold_findings(ConnectionState& state, std::size_t from) {
  found_ = false;
  for (std::size_t i = from; i < events_.size(); ++i) {
    if (events_[i].kind == EventKind::finding) apply(state, events_[i]);
  }
}

Event& Recorder::conclude(EventKind kind, Side side) {
  Event& event = events_.add();
  event.frame = current_->frame;
  event.time_ns = current_->time_ns;
  event.offset = current_->offset;
  event.ack = current_->ack;
  event.connection = current_->connection;
  event.kind = kind;
  event.side = side;
  return event;
}

MessageConclusion& Recorder::message(Side side) {
  return *::new (static_cast<void*>(&conclude(EventKind::message, side).message)) MessageConclusion;
}

OperationConclusion& Recorder::operation(Side side) {
  return *::new (static_cast<void*>(&conclude(EventKind::operation, side).operation)) OperationConclusion;
}

// Of the fact being judged.
Placement Recorder::current_placement() const noexcept {
  const Placement placed = placement_of(*current_);
  return placed.frame == frame_ ? own_ : placed;
}

void Recorder::violated(Side side, CheckId check, std::initializer_list<std::uint64_t> arguments,
                        std::initializer_list<FrameNumber> evidence, const Culprit& culprit) {
  if (const auto reason = doubt_.of(check)) return undecidable(side, check, *reason);
  Finding finding;
  finding.check = check;
  finding.severity = severity_of(check, strict_);
  std::copy_n(arguments.begin(), std::min(arguments.size(), finding.arguments.size()),
              finding.arguments.begin());
  const auto note = [&finding](FrameNumber frame) {
    const auto end = finding.evidence.begin() + finding.evidence_count;
    if (frame == 0 || finding.evidence_count == max_evidence) return;
    if (std::find(finding.evidence.begin(), end, frame) != end) return;
    finding.evidence[finding.evidence_count++] = frame;
  };
  const bool elsewhere = culprit.placed.frame != 0;
  const Placement placed = elsewhere ? culprit.placed : current_placement();
  const bool is_fpdu = current_->kind == EventKind::fpdu;
  finding.fpdu = elsewhere ? culprit.fpdu : (is_fpdu ? current_->fpdu.number : 0);
  finding.time_ns = placed.time_ns;
  note(placed.frame);
  if (elsewhere) note(current_placement().frame);  // which proves it
  for (const FrameNumber frame : evidence) note(frame);
  std::construct_at(&conclude(EventKind::finding, side).finding, finding);
  found_ = true;
}

void Recorder::undecidable(Side side, CheckId check, Reason reason) {
  ++undecidable_[static_cast<std::size_t>(check)][static_cast<std::size_t>(reason)];
  if (keep_log_)
    std::construct_at(&conclude(EventKind::undecidable, side).undecidable, Undecidable{check, reason});
}

void Recorder::forget() {
  events_.clear();
  if (!keep_log_) slices_.clear();
  if (!keep_log_ || keep_payload_ == KeepPayload::beginnings) payload_.clear();
}

void Recorder::keep() {
  if (keep_log_) log_.append(events());
}

void Recorder::keep_end() {
  if (keep_log_) log_.append_end(events());
}

// One piece stands in the fact itself: so it is with most FPDUs.
void Recorder::add_slice(Pieces& pieces, const Slice& slice) {
  if (++pieces.count == 1) {
    pieces.only = slice;
    return;
  }
  if (pieces.count == 2) {
    pieces.begin = static_cast<std::uint32_t>(slices_.size());
    slices_.push_back(pieces.only);
    pieces.only = {};
  }
  slices_.push_back(slice);
}

std::span<const Slice> Recorder::slices(const Pieces& pieces) const noexcept {
  if (pieces.count == 1) return {&pieces.only, 1};
  if (pieces.begin + std::size_t{pieces.count} > slices_.size()) return {};
  return std::span(slices_).subspan(pieces.begin, pieces.count);
}

std::uint64_t Recorder::undecidable_count(CheckId check, Reason reason) const noexcept {
  return undecidable_[static_cast<std::size_t>(check)][static_cast<std::size_t>(reason)];
}

}  // namespace iwarp
