// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

#include <algorithm>
#include <sstream>

#include <iwarp/wire/ddp.hpp>

namespace iwarp::test {
namespace {

const char* letter(Side side) {
  return side == Side::a ? "a " : "b ";
}

const char* word(CrcStatus crc) {
  switch (crc) {
    case CrcStatus::good: return "good";
    case CrcStatus::bad: return "bad";
    case CrcStatus::unused: return "unused";
    default: return "undecidable";
  }
}

std::string fpdu_line(const Event& event, Compare compare) {
  const FpduFact& fpdu = event.fpdu;
  std::ostringstream line;
  line << letter(event.side) << "fpdu " << std::dec << fpdu.ulpdu_length << " crc " << word(fpdu.crc)
       << " pad " << fpdu.pad << std::hex << " control " << unsigned{fpdu.ddp.ddp_control} << '/'
       << unsigned{fpdu.ddp.rdmap_control} << " stag " << fpdu.ddp.stag << " to " << fpdu.ddp.to << std::dec
       << " qn " << fpdu.ddp.queue << " msn " << fpdu.ddp.msn << " mo " << fpdu.ddp.mo << " payload "
       << fpdu.payload_length << " header " << unsigned{fpdu.header_octets} << ' '
       << to_hex(ByteView(fpdu.rdmap).first(fpdu.rdmap_octets)) << (fpdu.malformed ? " malformed" : "")
       << (fpdu.cut ? " cut" : "") << (fpdu.recovered ? " recovered" : "");
  if (compare == Compare::contents) return line.str();
  line << " at " << fpdu.stream_offset << '/' << event.offset << " wire " << fpdu.wire_size << " markers "
       << unsigned{fpdu.markers} << " faults " << unsigned{fpdu.marker_faults} << std::hex << " crc "
       << fpdu.crc_field;
  return line.str();
}

std::string message_line(const Event& event) {
  const MessageConclusion& message = event.message;
  std::ostringstream line;
  line << letter(event.side) << "message " << wire::opcode_name(message.opcode) << ' ' << message.length
       << " in " << message.segments << (message.end == MessageEnd::complete ? " complete" : " incomplete")
       << std::hex << " stag " << message.stag << " to " << message.to << std::dec << " qn " << message.queue
       << " msn " << message.msn << (message.rtr ? " rtr" : "");
  return line.str();
}

std::string operation_line(const Event& event) {
  const OperationConclusion& operation = event.operation;
  std::ostringstream line;
  line << letter(event.side) << "operation " << static_cast<unsigned>(operation.kind) << " status "
       << static_cast<unsigned>(operation.status) << " length " << operation.length << " outstanding "
       << operation.outstanding;
  return line.str();
}

}  // namespace

std::vector<std::string> log_of(const Analysed& result, Compare compare) {
  std::vector<std::string> lines;
  for (const Event& event : result.events()) {
    switch (event.kind) {
      case EventKind::fpdu: lines.push_back(fpdu_line(event, compare)); break;
      case EventKind::message: lines.push_back(message_line(event)); break;
      case EventKind::operation: lines.push_back(operation_line(event)); break;
      case EventKind::finding:
        if (event.finding.severity < Severity::note) break;
        lines.push_back(std::string(letter(event.side)) + "finding " + check_info(event.finding.check).id);
        break;
      default: break;
    }
  }
  return lines;
}

std::vector<std::string> fpdus_of(const Analysed& result, Side side, Compare compare) {
  std::vector<std::string> lines;
  for (const Event& event : fpdu_events(result, side)) lines.push_back(fpdu_line(event, compare));
  return lines;
}

Bytes octets_of(const Analysed& result, const std::vector<OwnedSegment>& segments, const Event& fpdu) {
  Bytes octets;
  for (const Slice& slice : result.analysis().slices(fpdu)) {
    const auto frame = std::ranges::find_if(
        segments, [&](const OwnedSegment& segment) { return segment.meta.frame == slice.frame; });
    if (frame == segments.end()) continue;
    octets = cat(octets, part(frame->octets, slice.payload_offset, slice.length));
  }
  return octets;
}

Bytes without_markers(const Bytes& octets, std::uint64_t stream_offset) {
  Bytes rest;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    if ((stream_offset + i) % 512 >= 4) rest.push_back(octets[i]);
  }
  return rest;
}

Conversation operating(const Startup& request, const Startup& reply, const Handshake& handshake) {
  Conversation conversation;
  conversation.handshake(handshake);
  conversation.startup(request, reply);
  return conversation;
}

ConnectionState state_so_far(const Conversation& conversation) {
  const std::vector<OwnedSegment> segments = conversation.segments();
  Analyzer analyzer;
  for (const OwnedSegment& each : segments) analyzer.add(each.segment());
  return *analyzer.analysis().connection(0);
}

}  // namespace iwarp::test
