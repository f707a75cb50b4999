// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/state_dump.hpp"

#include <sstream>

namespace iwarp::testing {
namespace {

// 0: none.
int reason_number(const std::optional<Reason>& reason) {
  return reason ? 1 + static_cast<int>(*reason) : 0;
}

class Printer {
 public:
  template <typename T>
  void field(const char* name, const T& value) {
    text_ << prefix_ << name << '=' << +value << '\n';
  }
  template <typename E>
  void named(const char* name, E value) {
    field(name, static_cast<unsigned>(value));
  }
  template <typename T>
  void maybe(const char* name, const std::optional<T>& value) {
    text_ << prefix_ << name << '=';
    if (value) {
      text_ << +*value << '\n';
    } else {
      text_ << "none\n";
    }
  }
  template <typename Body>
  void group(const std::string& name, Body body) {
    const std::string before = prefix_;
    prefix_ += name + ".";
    body();
    prefix_ = before;
  }
  [[nodiscard]] std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::string prefix_;
};

void print(Printer& out, const wire::DdpHeader& ddp) {
  out.field("ddp_control", ddp.ddp_control);
  out.field("rdmap_control", ddp.rdmap_control);
  out.field("stag", ddp.stag);
  out.field("queue", ddp.queue);
  out.field("msn", ddp.msn);
  out.field("mo", ddp.mo);
  out.field("to", ddp.to);
}

template <typename Number>
void print(Printer& out, const AlsoDue<Number>& also) {
  out.field("resumed", also.resumed);
  out.field("counted", also.counted);
  out.field("aside", also.aside);
  out.field("strayed", also.strayed);
  out.field("vouched", also.vouched);
}

void print(Printer& out, const char* name, const Placement& placed) {
  out.field(name, placed.frame);
  out.field(name, placed.time_ns);
}

void print(Printer& out, const OpenMessage& open) {
  out.field("active", open.active);
  out.field("holed", open.holed);
  out.named("hole_reason", open.hole_reason);
  out.field("adrift", open.adrift);
  out.field("start_seen", open.start_seen);
  out.field("last_seen", open.last_seen);
  out.named("opcode", open.opcode);
  out.field("queue", open.queue);
  out.field("msn", open.msn);
  out.field("also_msn", open.also_msn);
  out.named("first_opcode", open.first_opcode);
  out.field("first_stag", open.first_stag);
  out.field("stag", open.stag);
  out.field("to", open.to);
  out.field("next", open.next);
  out.field("length", open.length);
  out.field("end", open.end);
  print(out, open.also_due);
  for (const JumpedOver& jump : open.jumps) {
    out.field("jump.due", jump.due);
    out.field("jump.mo", jump.mo);
    out.field("jump.left", jump.left);
    print(out, "jump", jump.placed);
    out.field("jump.fpdu", jump.fpdu);
  }
  out.field("segments", open.segments);
  out.field("number", open.number);
  out.field("first_frame", open.first_frame);
  print(out, "begun", open.begun);
  print(out, "placed", open.placed);
  out.field("rdmap_octets", open.rdmap_octets);
  for (const Byte octet : open.rdmap) out.field("octet", octet);
}

void print(Printer& out, const Request& request) {
  out.named("kind", request.kind);
  out.field("retransmitted", request.retransmitted);
  out.field("response_begun", request.response_begun);
  out.field("partial", request.partial);
  out.field("header_octets", request.header_octets);
  out.field("holes", request.holes);
  out.field("unseen", request.unseen);
  out.field("ambiguous", request.ambiguous);
  print(out, "request", request.placed);
  out.field("end_offset", request.end_offset);
  out.field("message", request.message);
  out.field("response_message", request.response_message);
  out.field("msn", request.msn);
  out.field("size", request.size);
  out.field("sink_stag", request.sink_stag);
  out.field("sink_to", request.sink_to);
  out.field("source_stag", request.source_stag);
  out.field("source_to", request.source_to);
  out.field("request_id", request.request_id);
  out.field("outstanding", request.outstanding);
  out.field("received", request.received);
  print(out, "first_response", request.first_response);
  out.field("first_response_segment", request.first_response_segment);
  out.field("overtaken_by", request.overtaken_by);
  out.field("response_start_seen", request.response_start_seen);
}

void print(Printer& out, const StartupFact& frame) {
  out.named("kind", frame.kind);
  out.field("revision", frame.revision);
  out.field("flags", frame.markers | frame.crc << 1 | frame.rejected << 2 | frame.enhanced << 3);
  out.field("reserved_flags", frame.reserved_flags);
  out.field("has_word", frame.has_word);
  out.field("word", frame.word.ird << 16 | frame.word.ord);
  out.field("has_smbd", frame.has_smbd);
  out.field("private_data_length", frame.private_data_length);
  out.field("private_data_received", frame.private_data_received);
}

void print(Printer& out, const MpaState& mpa) {
  for (std::size_t i = 0; i < 2; ++i) {
    out.group("frame" + std::to_string(i), [&] {
      out.field("present", mpa.frames[i].has_value());
      if (mpa.frames[i]) print(out, *mpa.frames[i]);
      out.field("number", mpa.frame_numbers[i]);
      out.field("time", mpa.frame_times[i]);
      out.field("end", mpa.frame_ends[i]);
      out.maybe("ird.offered", mpa.ird[i].offered);
      out.maybe("ird.effective", mpa.ird[i].effective);
      out.maybe("ord.offered", mpa.ord[i].offered);
      out.maybe("ord.effective", mpa.ord[i].effective);
    });
  }
  out.field("startups", mpa.startups);
  out.field("crossed", mpa.crossed);
  out.field("accepted", mpa.accepted);
  out.field("rejected", mpa.rejected);
  out.field("peer_to_peer", mpa.peer_to_peer);
  out.named("rtr", mpa.rtr);
  out.named("limits_source", mpa.limits_source);
}

void print_messages(Printer& out, const SideState& side) {
  for (std::size_t i = 0; i < side.queues.size(); ++i) {
    out.group("queue" + std::to_string(i), [&] {
      const QueueState& queue = side.queues[i];
      out.field("known", queue.known);
      out.field("baseline", queue.baseline);
      out.named("baseline_reason", queue.baseline_reason);
      out.field("next_msn", queue.next_msn);
      print(out, queue.also_due);
      out.field("messages", queue.messages);
      out.group("open", [&] { print(out, queue.open); });
    });
  }
  out.group("write", [&] { print(out, *side.write); });
  out.group("interrupted_write", [&] { print(out, *side.interrupted_write); });
  out.group("read_response", [&] { print(out, *side.read_response); });
  out.group("short_response", [&] {
    out.field("stag", side.short_response->stag);
    out.field("left", side.short_response->left);
    out.field("next", side.short_response->next);
  });
}

void print_requests(Printer& out, const SideState& side) {
  out.field("requests", side.requests.size());
  for (const Request& request : side.requests) out.group("request", [&] { print(out, request); });
  out.field("max_outstanding", side.max_outstanding);
  out.field("requests_doubt", reason_number(side.requests_doubt));
  out.field("alike_requests", side.alike_requests->count);
  out.field("mistaken_requests", side.mistaken_requests->all.size());
  out.field("answered_last", side.answered_last ? side.answered_last->name : 0);
  out.field("strays", side.strays);
  out.field("early_strays", side.early_strays);
  out.field("unseen_requests", side.unseen_requests);
  out.field("broken_requests", side.broken_requests);
  out.field("hole_end", side.hole_end);
  out.field("responses_doubt", reason_number(side.responses_doubt));
}

void print_counters(Printer& out, const SideState& side) {
  out.field("fpdus", side.fpdus);
  out.field("crc.good", side.crc_counts.good);
  out.field("crc.bad", side.crc_counts.bad);
  out.field("crc.unchecked", side.crc_counts.unchecked);
  for (const std::uint64_t count : side.messages) out.field("messages", count);
  out.field("payload_octets", side.payload_octets);
  out.field("gaps", side.gaps);
  out.field("gap_octets", side.gap_octets);
  out.field("holes", side.holes);
  out.named("missing_reason", side.missing_reason);
  out.field("retransmitted_octets", side.retransmitted_octets);
  out.field("repeated_offset", side.repeated_offset);
  out.field("repeats", side.repeats);
  out.field("duplicate_frames", side.duplicate_frames);
  out.field("placed_ahead", side.placed_ahead);
  out.field("rq_consumed", side.rq_consumed);
}

void print_end(Printer& out, const SideState& side) {
  for (const TerminateSeen& terminate : side.terminates) {
    out.group("terminate", [&] {
      out.field("frame", terminate.frame);
      out.field("end_offset", terminate.end_offset);
      out.field("meant", terminate.meant.value());
      out.named("bit_order", terminate.bit_order);
      out.field("raw", terminate.raw);
      out.field("time_ns", terminate.time_ns);
      out.field("quoted_frame", terminate.quoted_frame);
      out.field("quoted_opcode", static_cast<unsigned>(terminate.quoted_opcode));
      out.field("acknowledged_frame", terminate.acknowledged_frame);
      out.field("acknowledged_time_ns", terminate.acknowledged_time_ns);
      out.field("crossing_octets", terminate.crossing_octets);
    });
  }
  out.maybe("fin_frame", side.fin_frame);
  out.field("fin_offset", side.fin_offset);
  out.field("fin_ack", side.fin_ack);
  out.field("fin_acknowledged", side.fin_acknowledged);
  out.field("fin_acknowledged_frame", side.fin_acknowledged_frame);
  out.maybe("rst_frame", side.rst_frame);
  out.field("acknowledged", side.acknowledged);
  for (const StreamOffset offset : side.watched) out.field("watched", offset);
  out.field("suspect.frame", side.suspect.frame);
  out.field("suspect.end_offset", side.suspect.end_offset);
  out.field("suspect.acknowledged_frame", side.suspect.acknowledged_frame);
  out.field("suspect.acknowledged_time_ns", side.suspect.acknowledged_time_ns);
  out.field("window_closed", side.window_closed);
}

void print(Printer& out, const SideState& side) {
  out.named("phase", side.phase);
  out.named("markers", side.markers);
  out.named("crc", side.crc);
  out.field("inferred", side.inferred);
  out.field("unmarked", side.unmarked);
  out.field("unmarked_since", side.unmarked_since);
  out.field("captured", side.captured);
  out.field("mss", side.mss);
  out.field("first_fpdu_frame", side.first_fpdu_frame);
  out.field("first_fpdu_end", side.first_fpdu_end);
  print(out, "last_fpdu", side.last_fpdu);
  print_counters(out, side);
  print_messages(out, side);
  print_requests(out, side);
  print_end(out, side);
  for (const RecentSegment& segment : side.recent) {
    out.group("recent", [&] {
      out.field("frame", segment.frame);
      print(out, segment.ddp);
    });
  }
  out.field("recent_count", side.recent_count);
  for (std::size_t i = 0; i < check_count; ++i) {
    if (!side.violated.test(i)) continue;
    out.field(check_info(static_cast<CheckId>(i)).id, side.violated_frame[i]);
  }
  out.named("qp.value", side.qp.value);
  out.named("qp.evidence", side.qp.evidence);
  out.named("qp.confidence", side.qp.confidence);
  out.field("qp.frame", side.qp.frame);
}

}  // namespace

std::string dump(const ConnectionState& state) {
  Printer out;
  out.field("id", state.id);
  for (const Endpoint& end : state.endpoints) {
    for (const Byte octet : end.address.octets) out.field("octet", octet);
    out.field("version", end.address.version);
    out.field("port", end.port);
  }
  out.field("messages", state.messages);
  out.field("fpdu_message", state.fpdu_message);
  out.field("first_frame", state.first_frame);
  out.field("last_frame", state.last_frame);
  out.field("first_time_ns", state.first_time_ns);
  out.field("last_time_ns", state.last_time_ns);
  out.named("llp", state.llp);
  out.field("sctp.id", state.sctp.id);
  out.field("sctp.session", state.sctp.session);
  out.named("opened_by", state.opened_by);
  out.field("iwarp", state.iwarp);
  out.named("initiator", state.initiator);
  out.named("role_basis", state.role_basis);
  out.group("mpa", [&] { print(out, state.mpa); });
  for (std::size_t i = 0; i < 2; ++i) {
    out.group(i == 0 ? "a" : "b", [&] { print(out, state.sides[i]); });
  }
  if (state.reset) {
    print(out, "reset", state.reset->segment);
    out.field("reset.side", static_cast<unsigned>(state.reset->side));
    out.field("reset.abortive", state.reset->abortive);
    out.field("reset.doubt", reason_number(state.reset->doubt));
    for (const CutEnd& end : state.reset->ends) {
      out.field("reset.inside_fpdu", end.inside_fpdu);
      out.field("reset.inside_message", end.inside_message);
      out.field("reset.end_doubt", reason_number(end.doubt));
      out.field("reset.behind", end.behind);
    }
  }
  out.field("closed", state.closed.has_value() ? 1 + static_cast<int>(*state.closed) : 0);
  for (const std::uint64_t count : state.findings) out.field("findings", count);
  return out.text();
}

}  // namespace iwarp::testing
