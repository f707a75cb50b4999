// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/header_facts.hpp"

#include <iwarp/wire/rdmap.hpp>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

QString hex(std::uint64_t value, unsigned digits) {
  return QString::fromStdString(hex_text(value, digits));
}

QString place(std::uint32_t stag, std::uint64_t to) {
  return hex(stag, 8) + QStringLiteral(" TO ") + hex(to, 16);
}

Fact fact(const char* name, const QString& value) {
  return {QString::fromLatin1(name), {value}};
}

// RFC 5040 §4.4
std::vector<Fact> facts_of(const wire::ReadRequest& request) {
  return {fact("Sink", place(request.sink_stag, request.sink_to)),
          fact("Source", place(request.source_stag, request.source_to)),
          fact("Read size", QString::number(request.size))};
}

// RFC 7306 §5.2.1
std::vector<Fact> facts_of(const wire::AtomicRequest& request) {
  const auto operation = static_cast<wire::AtomicOperation>(request.operation);
  std::vector<Fact> facts{
      fact("Operation", operation == wire::AtomicOperation::fetch_add ? QStringLiteral("FetchAdd")
                        : operation == wire::AtomicOperation::cmp_swap
                            ? QStringLiteral("CmpSwap")
                            : QStringLiteral("code %1").arg(request.operation)),
      fact("Request identifier", QString::number(request.request_id)),
      fact("Remote", place(request.remote_stag, request.remote_to)),
      fact(operation == wire::AtomicOperation::fetch_add ? "Add data" : "Swap data",
           hex(request.add_swap_data, 16)),
      fact(operation == wire::AtomicOperation::fetch_add ? "Add mask" : "Swap mask",
           hex(request.add_swap_mask, 16))};
  if (operation != wire::AtomicOperation::fetch_add) {
    facts.push_back(fact("Compare data", hex(request.compare_data, 16)));
    facts.push_back(fact("Compare mask", hex(request.compare_mask, 16)));
  }
  return facts;
}

Fact quoted_header(const wire::DdpHeader& header) {
  Fact quoted = fact("Quoted header", QString::fromLatin1(wire::opcode_title(header.opcode())));
  if (header.tagged()) {
    quoted.children.push_back(fact("STag", hex(header.stag, 8)));
    quoted.children.push_back(fact("TO", hex(header.to, 16)));
  } else {
    quoted.children.push_back(fact("QN", QString::number(header.queue)));
    quoted.children.push_back(fact("MSN", QString::number(header.msn)));
    quoted.children.push_back(fact("MO", QString::number(header.mo)));
  }
  return quoted;
}

// RFC 5040 §4.8
std::vector<Fact> facts_of(const wire::Terminate& terminate) {
  static constexpr const char* layers[] = {"RDMAP", "DDP", "LLP (MPA)"};
  const wire::TerminateCode code = terminate.meant;
  Fact error = fact("Error", hex(code.value(), 4) + QStringLiteral(": ") +
                                 QString::fromLatin1(wire::describe_terminate(code.value()).name));
  error.children = {
      fact("Layer", code.layer < 3 ? QString::fromLatin1(layers[code.layer]) : QString::number(code.layer)),
      fact("Error type", QString::number(code.etype)), fact("Error code", hex(code.code, 2)),
      fact("Order of bits", terminate.bit_order == wire::BitOrder::siw
                                ? QStringLiteral("that of siw, not the RFC's")
                                : QStringLiteral("RFC 5040"))};
  std::vector<Fact> facts{std::move(error)};
  if (terminate.ddp_segment_length)
    facts.push_back(fact("Quoted length", QString::number(*terminate.ddp_segment_length)));
  if (terminate.ddp_header) facts.push_back(quoted_header(*terminate.ddp_header));
  if (terminate.read_request) {
    Fact request = fact("Quoted request", QStringLiteral("Read Request"));
    request.children = facts_of(*terminate.read_request);
    facts.push_back(std::move(request));
  }
  return facts;
}

}  // namespace

std::vector<Fact> header_facts(const MessageConclusion& message) {
  const ByteView octets(message.rdmap.data(), message.rdmap_octets);
  switch (message.opcode) {
    case wire::Opcode::read_request:
      if (const auto request = wire::parse_read_request(octets)) return facts_of(*request);
      break;
    case wire::Opcode::atomic_request:
      if (const auto request = wire::parse_atomic_request(octets)) return facts_of(*request);
      break;
    case wire::Opcode::atomic_response:
      if (const auto response = wire::parse_atomic_response(octets)) {
        return {fact("Request identifier", QString::number(response->original_request_id)),
                fact("Original data", hex(response->original_remote_data, 16))};
      }
      break;
    case wire::Opcode::immediate:
    case wire::Opcode::immediate_se:
      if (const auto data = wire::parse_immediate(octets)) return {fact("Immediate data", hex(*data, 16))};
      break;
    case wire::Opcode::terminate:
      if (const auto terminate = wire::parse_terminate(octets, message.bit_order, message.length))
        return facts_of(*terminate);
      break;
    default: break;
  }
  if (wire::invalidates(message.opcode)) return {fact("Invalidates STag", hex(message.stag, 8))};
  return {};
}

}  // namespace iwarp::gui
