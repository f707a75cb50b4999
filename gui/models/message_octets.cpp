// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/message_octets.hpp"

#include <algorithm>

#include <iwarp/capture/packet_decoder.hpp>
#include <iwarp/export/names.hpp>
#include <iwarp/wire/rdmap.hpp>

#include "models/header_facts.hpp"
#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

constexpr std::uint64_t marker_distance = 512;  // RFC 5044 §4.3
constexpr std::uint64_t marker_size = 4;
constexpr std::size_t length_size = 2;

QString hex(std::uint64_t value, unsigned digits) {
  return QString::fromStdString(hex_text(value, digits));
}

// Octets of the pieces, from the file. False: `error` says why.
bool read_pieces(const Log& log, std::span<const Slice> slices, QByteArray& out, QString& error) {
  for (const Slice& slice : slices) {
    capture::Record record;
    std::string why;
    if (!log.frame(slice.frame, record, why)) {
      error = QString::fromStdString(why);
      return false;
    }
    capture::PacketDecoder decoder;
    TcpSegment segment;
    if (!decoder.decode(record, segment) ||
        std::uint64_t{slice.payload_offset} + slice.length > segment.payload.size()) {
      error = QStringLiteral(
                  "frame %1 does not hold these octets by itself: it is a fragment, or the file is another "
                  "one by now")
                  .arg(slice.frame);
      return false;
    }
    const ByteView piece = segment.payload.subspan(slice.payload_offset, slice.length);
    out.append(reinterpret_cast<const char*>(piece.data()), static_cast<qsizetype>(piece.size()));
  }
  return true;
}

void name_octets(const FpduFact& fpdu, std::size_t octets, std::vector<MessageOctets::Field>& fields) {
  const std::size_t ddp_end = length_size + fpdu.ddp.size();
  const std::size_t ulpdu_end = length_size + fpdu.ulpdu_length;
  const std::size_t rdmap_end =
      fpdu.ddp.opcode() == wire::Opcode::terminate
          ? ulpdu_end
          : ddp_end + (fpdu.ddp.mo == 0 ? wire::rdmap_header_size(fpdu.ddp.opcode()) : 0);
  std::size_t at = 0;  // without markers
  for (std::size_t octet = 0; octet < octets; ++octet) {
    if (fpdu.markers > 0 && (fpdu.stream_offset + octet) % marker_distance < marker_size) {
      fields.push_back(MessageOctets::marker);
      continue;
    }
    fields.push_back(at < length_size                      ? MessageOctets::length
                     : at < ddp_end                        ? MessageOctets::ddp
                     : at < std::min(rdmap_end, ulpdu_end) ? MessageOctets::rdmap
                     : at < ulpdu_end                      ? MessageOctets::payload
                                                           : MessageOctets::trailer);
    ++at;
  }
}

Fact segment_fact(const FpduFact& fpdu, std::size_t number) {
  Fact fact{
      QStringLiteral("Segment %1").arg(number),
      {QStringLiteral("frame %1, %2 of payload, CRC %3")
           .arg(QString::number(fpdu.placed.frame), QString::fromStdString(octets_text(fpdu.payload_length)),
                QString::fromLatin1(crc_status_name(fpdu.crc)))},
      {},
      fpdu.placed.frame};
  const auto add = [&](const char* name, const QString& value) {
    fact.children.push_back({QString::fromLatin1(name), {value}});
  };
  add("ULPDU_Length", QString::number(fpdu.ulpdu_length));
  add("Last", fpdu.ddp.last() ? QStringLiteral("yes") : QStringLiteral("no"));
  if (fpdu.ddp.tagged()) {
    add("STag", hex(fpdu.ddp.stag, 8));
    add("TO", hex(fpdu.ddp.to, 16));
  } else {
    add("QN", QString::number(fpdu.ddp.queue));
    add("MSN", QString::number(fpdu.ddp.msn));
    add("MO", QString::number(fpdu.ddp.mo));
  }
  add("Markers", QString::number(fpdu.markers));
  const bool missing = fpdu.crc == CrcStatus::undecidable && fpdu.crc_field == 0;
  add("CRC", missing ? QStringLiteral("not captured") : hex(fpdu.crc_field, 8));
  return fact;
}

// The frame of the segment that the Terminate in `frame` quotes, as the state has it; 0: none is known.
FrameNumber quoted_frame(const Log& log, ConnectionId stream, FrameNumber frame) {
  const Snapshot state = log.timeline.state_after(stream, frame);
  if (state == nullptr) return 0;
  for (const SideState& side : state->sides) {
    for (const TerminateSeen& seen : side.terminates) {
      if (seen.frame == frame) return seen.refers_to();
    }
  }
  return 0;
}

}  // namespace

MessageOctets message_octets(const Log& log, std::uint32_t row, qsizetype most) {
  const MessageTable& table = log.metrics.messages();
  const Event conclusion = table.event(row);
  const MessageConclusion& message = conclusion.message;
  const ConnectionId stream = table.connection(row);
  MessageOctets result;
  result.row = row;
  result.facts = {{QStringLiteral("Message"), {QString::fromLatin1(wire::opcode_title(message.opcode))}},
                  {QStringLiteral("Stream"), {QString::number(stream)}},
                  {QStringLiteral("From"), {QString::fromLatin1(role_name(table.from(row)))}},
                  {QStringLiteral("Length"), {QString::fromStdString(octets_text(message.length))}}};
  for (Fact& fact : header_facts(message)) result.facts.push_back(std::move(fact));
  if (message.opcode == wire::Opcode::terminate) {
    if (const FrameNumber frame = quoted_frame(log, stream, message.placed.frame); frame != 0)
      result.facts.push_back({QStringLiteral("About"), {QStringLiteral("frame %1").arg(frame)}, {}, frame});
  }
  Fact segments{QStringLiteral("Segments"), {QString::number(message.segments)}};
  const auto frames = log.analysis.frames_of(stream);
  EventBuffer buffer;
  for (auto frame = std::lower_bound(frames.begin(), frames.end(), message.first_frame);
       frame != frames.end() && *frame <= conclusion.frame && !result.cut && result.error.isEmpty();
       ++frame) {
    for (const Event& event : log.analysis.events_of(*frame, buffer)) {
      if (event.connection != stream || event.kind != EventKind::fpdu || event.fpdu.message != message.number)
        continue;
      if (result.octets.size() >= most) {
        result.cut = true;
        break;
      }
      segments.children.push_back(segment_fact(event.fpdu, segments.children.size() + 1));
      QByteArray octets;
      if (!read_pieces(log, log.analysis.slices(event), octets, result.error)) break;
      if (event.fpdu.cut) {
        result.error = QStringLiteral("some octets of the segment in frame %1 were not captured")
                           .arg(event.fpdu.placed.frame);
        break;
      }
      name_octets(event.fpdu, static_cast<std::size_t>(octets.size()), result.fields);
      result.octets += octets;
    }
  }
  result.facts.push_back(std::move(segments));
  if (!result.error.isEmpty()) result.facts.push_back({QStringLiteral("Octets"), {result.error}});
  return result;
}

QString field_name(MessageOctets::Field field) {
  switch (field) {
    case MessageOctets::length: return QStringLiteral("ULPDU_Length");
    case MessageOctets::ddp: return QStringLiteral("DDP header");
    case MessageOctets::rdmap: return QStringLiteral("RDMAP header");
    case MessageOctets::payload: return QStringLiteral("payload");
    case MessageOctets::trailer: return QStringLiteral("PAD, CRC");
    case MessageOctets::marker: return QStringLiteral("marker");
  }
  return {};
}

}  // namespace iwarp::gui
