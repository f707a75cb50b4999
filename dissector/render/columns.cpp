// The columns Protocol and Info.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <bitset>
#include <cstring>

#include <iwarp/export/names.hpp>

#include "host/preferences.hpp"
#include "render/expert.hpp"
#include "render/operations.hpp"
#include "render/rdmap_header.hpp"
#include "render/render.hpp"
#include "render/session.hpp"

namespace iwarp::dissector {
namespace {

constexpr unsigned max_listed = 4;  // FPDUs told one by one

// What the events behind an FPDU conclude from it.
struct Conclusions {
  const Event* message = nullptr;    // that it ends
  const Event* operation = nullptr;  // a Read or atomic that it completes
};

struct Octets {
  std::uint64_t value;
  const char* unit;
};

// 1048576 as 1 MiB; what is no round number stays in octets.
Octets in_units(std::uint64_t octets) noexcept {
  if (octets != 0 && octets % (1U << 20U) == 0) return {octets >> 20U, "MiB"};
  if (octets != 0 && octets % (1U << 10U) == 0) return {octets >> 10U, "KiB"};
  return {octets, octets == 1 ? "octet" : "octets"};
}

// Whether what is appended would run into the text.
bool is_word_end(const char* text) noexcept {
  const std::size_t length = std::strlen(text);
  return length != 0 && text[length - 1] != ' ';
}

void begin_item(const Frame& frame, bool& first) {
  if (!first) col_append_str(frame.pinfo->cinfo, COL_INFO, "; ");
  first = false;
}

void tell_startup(const Frame& frame, const StartupFact& startup) {
  column_info* const columns = frame.pinfo->cinfo;
  const bool is_request = startup.kind == wire::StartupKind::request;
  col_append_fstr(columns, COL_INFO, "MPA %s revision %u%s%s%s", is_request ? "Request" : "Reply",
                  startup.revision,
                  !startup.rejected ? ""
                  : is_request      ? ", R set"
                                    : ", rejected",
                  startup.markers ? ", markers" : "", startup.crc ? ", CRC" : "");
  if (startup.has_word)
    col_append_fstr(columns, COL_INFO, ", IRD %u ORD %u", startup.word.ird, startup.word.ord);
  if (startup.has_smbd)
    col_append_fstr(columns, COL_INFO, ", IRD %u ORD %u", startup.smbd_ird, startup.smbd_ord);
}

// "DDP Session Enhanced Initiate, IRD 4 ORD 2"
void tell_session_control(const Frame& frame, const Event& event) {
  column_info* const columns = frame.pinfo->cinfo;
  col_append_fstr(columns, COL_INFO, "DDP Session %s", session_function_title(event));
  if (event.kind == EventKind::startup && event.startup.has_word)
    col_append_fstr(columns, COL_INFO, ", IRD %u ORD %u", event.startup.word.ird, event.startup.word.ord);
}

// ", outstanding 3/8"
void tell_outstanding(const Frame& frame, const Event* message) {
  if (message == nullptr) return;
  column_info* const columns = frame.pinfo->cinfo;
  const auto outstanding = outstanding_at(frame, *message);
  if (!outstanding) return;
  col_append_fstr(columns, COL_INFO, ", outstanding %u", *outstanding);
  const ConnectionState* const state = frame.bridge->state_after(message->connection, frame.number);
  if (state == nullptr) return;
  const Depth& ord = state->mpa.ord[static_cast<std::size_t>(state->role_of(message->side))];
  if (ord.effective) col_append_fstr(columns, COL_INFO, "/%u", *ord.effective);
}

// "RDMA Read Request 1 MiB, source 0x00001234:0x0000000000001000, outstanding 3/8"
void tell_read_request(const Frame& frame, const wire::ReadRequest& request, const Event* message) {
  const Octets size = in_units(request.size);
  col_append_fstr(frame.pinfo->cinfo, COL_INFO,
                  "RDMA Read Request %" PRIu64 " %s, source 0x%08x:0x%016" PRIx64, size.value, size.unit,
                  request.source_stag, request.source_to);
  tell_outstanding(frame, message);
}

void tell_atomic_request(const Frame& frame, const wire::AtomicRequest& request, const Event* message) {
  const auto operation = static_cast<wire::AtomicOperation>(request.operation);
  const char* const name = operation == wire::AtomicOperation::fetch_add  ? "FetchAdd"
                           : operation == wire::AtomicOperation::cmp_swap ? "CmpSwap"
                                                                          : "of unknown kind";
  col_append_fstr(frame.pinfo->cinfo, COL_INFO, "Atomic Request %s, 0x%08x:0x%016" PRIx64, name,
                  request.remote_stag, request.remote_to);
  tell_outstanding(frame, message);
}

// True when the opcode's own header told it all.
bool tell_header(const Frame& frame, const FpduFact& fpdu, const Event* message) {
  const ByteView octets = ByteView(fpdu.rdmap).first(fpdu.rdmap_octets);
  if (fpdu.ddp.tagged() || fpdu.ddp.mo != 0) return false;
  if (fpdu.ddp.opcode() == wire::Opcode::read_request) {
    const auto request = wire::parse_read_request(octets);
    if (request) tell_read_request(frame, *request, message);
    return static_cast<bool>(request);
  }
  if (fpdu.ddp.opcode() == wire::Opcode::atomic_request) {
    const auto request = wire::parse_atomic_request(octets);
    if (request) tell_atomic_request(frame, *request, message);
    return static_cast<bool>(request);
  }
  if (fpdu.ddp.opcode() == wire::Opcode::atomic_response) {
    const auto response = wire::parse_atomic_response(octets);
    if (response) {
      col_append_fstr(frame.pinfo->cinfo, COL_INFO, "Atomic Response, value was 0x%" PRIx64,
                      response->original_remote_data);
    }
    return static_cast<bool>(response);
  }
  if (wire::is_immediate(fpdu.ddp.opcode())) {
    const auto immediate = wire::parse_immediate(octets);
    if (immediate) {
      col_append_fstr(frame.pinfo->cinfo, COL_INFO, "%s 0x%016" PRIx64 ", MSN %u",
                      wire::opcode_title(fpdu.ddp.opcode()), *immediate, fpdu.ddp.msn);
    }
    return static_cast<bool>(immediate);
  }
  if (fpdu.ddp.opcode() != wire::Opcode::terminate) return false;
  const auto terminate = message != nullptr ? wire::parse_terminate(octets, message->message.bit_order)
                                            : wire::parse_terminate(octets);
  if (!terminate) return false;
  const std::uint16_t value = terminate->meant.value();
  col_append_fstr(frame.pinfo->cinfo, COL_INFO, "Terminate 0x%04x: %s", value,
                  wire::describe_terminate(value).name);
  return true;
}

// Of a message of several segments: that more come, or how long it was.
void tell_segment(const Frame& frame, const FpduFact& fpdu, const Event* message) {
  column_info* const columns = frame.pinfo->cinfo;
  if (!fpdu.ddp.last()) {
    col_append_str(columns, COL_INFO, " (more follows)");
  } else if (message != nullptr && message->message.end == MessageEnd::complete &&
             message->message.segments > 1) {
    const Octets length = in_units(message->message.length);
    col_append_fstr(columns, COL_INFO, " (last of %" PRIu64 " %s)", length.value, length.unit);
  }
}

// "answers 9 in 0.568 ms"
void tell_answer(const Frame& frame, const OperationConclusion& operation) {
  if (operation.request.frame == 0 || operation.response.frame == 0) return;
  column_info* const columns = frame.pinfo->cinfo;
  if (const std::uint32_t request = frame.bridge->numbers().shown(operation.request.frame); request != 0) {
    col_append_fstr(columns, COL_INFO, ", answers %u", request);
  } else {
    col_append_str(columns, COL_INFO, ", answers a frame not read");
  }
  if (const auto latency = operation.latency())
    col_append_fstr(columns, COL_INFO, " in %.3f ms", in_ms(*latency));
}

// All that begins Info begins with a capital letter.
void tell_opcode(const Frame& frame, wire::Opcode opcode) {
  const char* const title = wire::opcode_title(opcode);
  const int first = g_ascii_toupper(title[0]);
  col_append_fstr(frame.pinfo->cinfo, COL_INFO, "%c%s", first, title + 1);
}

void tell_fpdu(const Frame& frame, const FpduFact& fpdu, const Conclusions& conclusions) {
  column_info* const columns = frame.pinfo->cinfo;
  if (fpdu.header_octets < 2) {
    col_append_fstr(columns, COL_INFO, "FPDU of %u octets", fpdu.ulpdu_length);
    return;
  }
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (!tell_header(frame, fpdu, conclusions.message)) {
    tell_opcode(frame, ddp.opcode());
    tell_segment(frame, fpdu, conclusions.message);
    if (is_rdmap_header_cut(fpdu)) {  // its length is no payload's
      col_append_str(columns, COL_INFO, ", header cut");
    } else {
      const Octets size = in_units(fpdu.payload_length);
      col_append_fstr(columns, COL_INFO, " %" PRIu64 " %s", size.value, size.unit);
    }
    if (fpdu.header_octets >= ddp.size()) {
      if (ddp.tagged()) {
        col_append_fstr(columns, COL_INFO, ", 0x%08x:0x%016" PRIx64, ddp.stag, ddp.to);
      } else {
        col_append_fstr(columns, COL_INFO, ", MSN %u", ddp.msn);
        if (ddp.mo != 0) col_append_fstr(columns, COL_INFO, " MO %u", ddp.mo);
        if (wire::invalidates(ddp.opcode()))
          col_append_fstr(columns, COL_INFO, ", invalidates 0x%08x", ddp.stag);
      }
    }
  }
  if (conclusions.operation != nullptr) tell_answer(frame, conclusions.operation->operation);
  if (fpdu.unfinished) col_append_str(columns, COL_INFO, ", unfinished");
  if (fpdu.crc == CrcStatus::bad) col_append_str(columns, COL_INFO, " [CRC bad]");
}

// In a later pass: the FPDU that ends in another frame, and octets of this one belong to.
const Event* fpdu_of_part(const Frame& frame) noexcept {
  if (!frame.later_pass || frame.facts->reassembled_in == 0) return nullptr;
  for (const Event& event : frame.bridge->events_elsewhere(frame.facts->reassembled_in)) {
    if (event.kind != EventKind::fpdu || event.connection != frame.facts->connection ||
        event.side != frame.facts->side)
      continue;
    for (const Slice& slice : frame.bridge->analysis().slices(event)) {
      if (slice.frame == frame.number) return &event;
    }
  }
  return nullptr;
}

// Whether its DDP header stands in this frame.
bool has_header(const Frame& frame, const Event& event) noexcept {
  const std::span<const Slice> slices = frame.bridge->analysis().slices(event);
  const FpduFact& fpdu = event.fpdu;
  return fpdu.header_octets >= fpdu.ddp.size() && slices.front().frame == frame.number &&
         slices.front().length >= wire::length_field_size + fpdu.ddp.size();
}

// "RDMA Write 4 KiB, 0x00001234:0x0000000000001000, ends in 41", or how many octets of an FPDU there are. In
// the first pass it is not known where it ends.
void tell_part(const Frame& frame) {
  column_info* const columns = frame.pinfo->cinfo;
  const Event* const event = fpdu_of_part(frame);
  const auto begun = frame.later_pass ? std::nullopt : frame.bridge->begun_in(frame.number);
  if (event != nullptr && has_header(frame, *event)) {
    tell_fpdu(frame, event->fpdu, {});
  } else if (begun && !is_rdmap_header_cut(*begun)) {
    tell_fpdu(frame, *begun, {});
  } else {
    const std::uint32_t octets = frame.facts->payload_length;
    col_append_fstr(columns, COL_INFO, "Part of an FPDU, %u octet%s", octets, octets == 1 ? "" : "s");
  }
  if (event == nullptr) return;
  if (const std::uint32_t shown = frame.bridge->numbers().shown(event->fpdu.placed.frame); shown != 0)
    col_append_fstr(columns, COL_INFO, ", ends in %u", shown);
}

// "Part of a DDP message, ends in 17"
void tell_sctp_part(const Frame& frame, FrameNumber rest_in) {
  column_info* const columns = frame.pinfo->cinfo;
  col_append_str(columns, COL_INFO, "Part of a DDP message");
  if (const std::uint32_t shown = frame.bridge->numbers().shown(rest_in); shown != 0)
    col_append_fstr(columns, COL_INFO, ", ends in %u", shown);
}

bool is_answered(OperationKind kind) noexcept {
  return kind == OperationKind::read || kind == OperationKind::atomic;
}

Conclusions conclusions_of(Events events, std::size_t at) noexcept {
  Conclusions found;
  for (++at; at < events.size(); ++at) {
    const Event& event = events[at];
    if (event.kind == EventKind::fpdu || event.kind == EventKind::placed) break;
    if (event.kind == EventKind::message && found.message == nullptr) found.message = &event;
    if (event.kind == EventKind::operation && found.operation == nullptr &&
        is_answered(event.operation.kind) && event.operation.status == OperationStatus::complete)
      found.operation = &event;
  }
  return found;
}

// "MPA Request again (frame 4)", or what has come of a start-up frame.
void tell_begun(const Frame& frame) {
  column_info* const columns = frame.pinfo->cinfo;
  if (!frame.facts->retransmission) {
    col_append_str(columns, COL_INFO, "Begins as an MPA start-up frame does");
    return;
  }
  col_append_fstr(columns, COL_INFO, "MPA %s again", frame.facts->request ? "Request" : "Reply");
  const FrameNumber first = frame.bridge->first_copy_of(frame.number);
  if (const std::uint32_t shown = frame.bridge->numbers().shown(first); first != 0 && shown != 0)
    col_append_fstr(columns, COL_INFO, " (frame %u)", shown);
}

// Columns tell what the frame's own connection says, or its own sessions; one that merely ends with the frame
// is in the tree.
bool is_listed(const Frame& frame, const Event& event) noexcept {
  if (frame.sctp != nullptr) return is_sctp_message(frame, event);
  return (event.kind == EventKind::fpdu || event.kind == EventKind::startup) && frame.facts != nullptr &&
         event.connection == frame.facts->connection;
}

}  // namespace

void render_columns(const Frame& frame) {
  column_info* const columns = frame.pinfo->cinfo;
  if (columns == nullptr ||
      (!col_get_writable(columns, COL_INFO) && !col_get_writable(columns, COL_PROTOCOL)))
    return;
  unsigned things = 0;
  for (const Event& event : frame.events) {
    if (is_listed(frame, event)) ++things;
  }
  const StartupPieces* const startup = things == 0 ? startup_of_part(frame) : nullptr;
  const bool is_no_fpdu = things == 0 && startup == nullptr && is_skipped(frame, 0);
  const bool is_part = things == 0 && (startup != nullptr || is_no_fpdu || has_part(frame, 0));
  const FrameNumber sctp_rest = things == 0 ? sctp_rest_in(frame) : 0;
  const bool is_begun = things == 0 && frame.facts != nullptr && frame.facts->key && !is_part;
  // What a bare RST or ACK brings to an end stands behind what TCP says of it.
  const bool is_tcps = frame.sctp == nullptr && (frame.facts == nullptr || frame.facts->payload_length == 0);
  if (is_tcps && things != 0) {
    col_append_str(columns, COL_INFO, " | iWARP: ");
  } else if (things != 0 || is_part || is_begun || sctp_rest != 0) {
    col_set_str(columns, COL_PROTOCOL, "iWARP");
    col_clear(columns, COL_INFO);
    // What another dissector keeps there stays: of a port's protocol, in the first frame known as iWARP.
    const char* const kept = col_get_text(columns, COL_INFO);
    if (kept != nullptr && is_word_end(kept)) col_append_str(columns, COL_INFO, " | ");
  }
  if (is_part && startup == nullptr && !is_no_fpdu) {
    tell_part(frame);
  } else if (is_part) {
    const std::uint32_t octets = frame.facts->payload_length;
    const char* const what = is_no_fpdu                                    ? "No FPDU"
                             : startup->kind == wire::StartupKind::request ? "Part of an MPA Request"
                                                                           : "Part of an MPA Reply";
    col_append_fstr(columns, COL_INFO, "%s, %u octet%s", what, octets, octets == 1 ? "" : "s");
  }
  if (is_begun) tell_begun(frame);
  if (sctp_rest != 0) tell_sctp_part(frame, sctp_rest);
  bool first = true;
  unsigned listed = 0;
  for (std::size_t at = 0; at < frame.events.size() && listed < max_listed; ++at) {
    const Event& event = frame.events[at];
    if (!is_listed(frame, event)) continue;
    begin_item(frame, first);
    if (event.kind == EventKind::fpdu) {
      tell_fpdu(frame, event.fpdu, conclusions_of(frame.events, at));
    } else if (frame.sctp != nullptr) {
      tell_session_control(frame, event);
    } else {
      tell_startup(frame, event.startup);
    }
    ++listed;
  }
  if (things > listed && listed != 0) col_append_fstr(columns, COL_INFO, "; and %u more", things - listed);
}

void render_findings_column(const Frame& frame) {
  column_info* const columns = frame.pinfo->cinfo;
  if (columns == nullptr || !col_get_writable(columns, COL_INFO)) return;
  std::bitset<check_count> listed;
  for (const Event& event : frame.events) {
    if (event.kind != EventKind::finding || event.finding.severity == Severity::information) continue;
    const auto check = static_cast<std::size_t>(event.finding.check);
    if (listed.test(check)) continue;
    listed.set(check);
    const char* const words = words_of(frame.pinfo->pool, event.finding);
    if (preferences().ids_in_info) {
      col_append_fstr(columns, COL_INFO, " [%s: %s]", check_info(event.finding.check).id, words);
    } else {
      col_append_fstr(columns, COL_INFO, " [%s]", words);
    }
  }
}

}  // namespace iwarp::dissector
