// DDP segments with their RDMAP headers.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/octets.hpp"
#include "support/put.hpp"

namespace iwarp::test {
namespace {

// RDMAP opcodes and the queues of untagged ones, by their numbers in RFC 5040 §4.3 and RFC 7306 §4.
constexpr unsigned op_write = 0;
constexpr unsigned op_read_request = 1;
constexpr unsigned op_read_response = 2;
constexpr unsigned op_send = 3;
constexpr unsigned op_send_inv = 4;
constexpr unsigned op_send_se = 5;
constexpr unsigned op_send_se_inv = 6;
constexpr unsigned op_terminate = 7;
constexpr unsigned op_immediate = 8;
constexpr unsigned op_immediate_se = 9;
constexpr unsigned op_atomic_request = 10;
constexpr unsigned op_atomic_response = 11;

constexpr std::size_t tagged_size = 14;
constexpr std::size_t untagged_size = 18;
constexpr std::size_t read_size = 28;

// Both control octets, and the word behind them that is STag or Invalidate STag.
Bytes segment_start(bool tagged, unsigned opcode, std::uint32_t stag, const Ddp& ddp) {
  Bytes out;
  put8(out, (ddp.tagged.value_or(tagged) ? 0x80U : 0U) | (ddp.last ? 0x40U : 0U) | ddp.ddp_reserved << 2U |
                ddp.ddp_version);
  put8(out, ddp.rdmap_version << 6U | ddp.rdmap_reserved << 4U | ddp.opcode.value_or(opcode));
  put32(out, ddp.stag.value_or(stag));
  return out;
}

template <typename MakeSegment>
std::vector<Bytes> segments(const Bytes& payload, std::size_t size, MakeSegment make) {
  std::vector<Bytes> out;
  std::size_t done = 0;
  do {
    const Bytes piece = part(payload, done, size);
    const bool last = done + piece.size() == payload.size();
    out.push_back(make(done, piece, last));
    done += piece.size();
  } while (done < payload.size());
  return out;
}

}  // namespace

Bytes tagged_segment(unsigned opcode, std::uint32_t stag, std::uint64_t to, const Bytes& payload,
                     const Ddp& ddp) {
  Bytes out = segment_start(true, opcode, stag, ddp);
  put64(out, to);
  return cat(out, payload);
}

Bytes untagged_segment(unsigned opcode, std::uint32_t queue, std::uint32_t msn, const Bytes& payload,
                       const Ddp& ddp) {
  Bytes out = segment_start(false, opcode, 0, ddp);
  put32(out, ddp.queue.value_or(queue));
  put32(out, msn);
  put32(out, ddp.mo);
  return cat(out, payload);
}

Bytes write(std::uint32_t stag, std::uint64_t to, const Bytes& payload, const Ddp& ddp) {
  return tagged_segment(op_write, stag, to, payload, ddp);
}

Bytes read_response(std::uint32_t stag, std::uint64_t to, const Bytes& payload, const Ddp& ddp) {
  return tagged_segment(op_read_response, stag, to, payload, ddp);
}

Bytes send(std::uint32_t msn, const Bytes& payload, const Ddp& ddp) {
  return untagged_segment(op_send, 0, msn, payload, ddp);
}

Bytes send_se(std::uint32_t msn, const Bytes& payload, const Ddp& ddp) {
  return untagged_segment(op_send_se, 0, msn, payload, ddp);
}

Bytes send_inv(std::uint32_t msn, std::uint32_t stag, const Bytes& payload, Ddp ddp) {
  ddp.stag = stag;
  return untagged_segment(op_send_inv, 0, msn, payload, ddp);
}

Bytes send_se_inv(std::uint32_t msn, std::uint32_t stag, const Bytes& payload, Ddp ddp) {
  ddp.stag = stag;
  return untagged_segment(op_send_se_inv, 0, msn, payload, ddp);
}

Bytes immediate(std::uint32_t msn, std::uint64_t data, const Ddp& ddp) {
  Bytes payload;
  put64(payload, data);
  return untagged_segment(op_immediate, 0, msn, payload, ddp);
}

Bytes immediate_se(std::uint32_t msn, std::uint64_t data, const Ddp& ddp) {
  Bytes payload;
  put64(payload, data);
  return untagged_segment(op_immediate_se, 0, msn, payload, ddp);
}

Bytes read_request(std::uint32_t msn, const Read& read, const Ddp& ddp) {
  Bytes header;
  put32(header, read.sink_stag);
  put64(header, read.sink_to);
  put32(header, read.size);
  put32(header, read.source_stag);
  put64(header, read.source_to);
  return untagged_segment(op_read_request, 1, msn, header, ddp);
}

Bytes atomic_request(unsigned operation, std::uint32_t msn, const Atomic& atomic, const Ddp& ddp) {
  Bytes header;
  put32(header, atomic.reserved << 4U | operation);
  put32(header, atomic.id);
  put32(header, atomic.stag);
  put64(header, atomic.to);
  put64(header, atomic.data);
  put64(header, atomic.mask);
  put64(header, atomic.compare);
  put64(header, atomic.compare_mask);
  return untagged_segment(op_atomic_request, 1, msn, header, ddp);
}

Bytes fetch_add(std::uint32_t msn, const Atomic& atomic, const Ddp& ddp) {
  return atomic_request(0, msn, atomic, ddp);
}

Bytes cmp_swap(std::uint32_t msn, const Atomic& atomic, const Ddp& ddp) {
  return atomic_request(2, msn, atomic, ddp);
}

Bytes atomic_response(std::uint32_t msn, std::uint32_t id, std::uint64_t value, const Ddp& ddp) {
  Bytes header;
  put32(header, id);
  put64(header, value);
  return untagged_segment(op_atomic_response, 3, msn, header, ddp);
}

Bytes terminate(unsigned code, const Terminate& fields, const Ddp& ddp) {
  const unsigned layer = code >> 12U & 0x0fU;
  const unsigned etype = code >> 8U & 0x0fU;
  Bytes header;
  if (fields.layout == TerminateLayout::rfc) {
    put8(header, layer << 4U | etype);
    put8(header, code & 0xffU);
    put8(header, (fields.m ? 0x80U : 0U) | (fields.d ? 0x40U : 0U) | (fields.r ? 0x20U : 0U));
  } else {
    put8(header, etype << 4U | layer);
    put8(header, code & 0xffU);
    put8(header, (fields.m ? 0x01U : 0U) | (fields.d ? 0x02U : 0U) | (fields.r ? 0x04U : 0U));
  }
  put8(header, 0);
  if (fields.length) put16(header, *fields.length);
  return untagged_segment(op_terminate, 2, fields.msn, cat(header, fields.headers), ddp);
}

Terminate about(const Bytes& ulpdu, bool rdma_header) {
  const bool tagged = !ulpdu.empty() && (ulpdu[0] & 0x80) != 0;
  const bool read =
      !tagged && ulpdu.size() == untagged_size + read_size && (ulpdu[1] & 0x0f) == op_read_request;
  Terminate fields;
  fields.m = true;
  fields.d = true;
  fields.r = read && rdma_header;
  fields.length = static_cast<unsigned>(ulpdu.size());
  fields.headers = part(ulpdu, 0, (tagged ? tagged_size : untagged_size) + (fields.r ? read_size : 0));
  return fields;
}

std::vector<Bytes> write_segments(std::uint32_t stag, std::uint64_t to, const Bytes& payload,
                                  std::size_t size) {
  return segments(payload, size, [&](std::size_t done, const Bytes& piece, bool last) {
    return write(stag, to + done, piece, {.last = last});
  });
}

std::vector<Bytes> read_response_segments(std::uint32_t stag, std::uint64_t to, const Bytes& payload,
                                          std::size_t size) {
  return segments(payload, size, [&](std::size_t done, const Bytes& piece, bool last) {
    return read_response(stag, to + done, piece, {.last = last});
  });
}

std::vector<Bytes> send_segments(std::uint32_t msn, const Bytes& payload, std::size_t size) {
  return segments(payload, size, [&](std::size_t done, const Bytes& piece, bool last) {
    return send(msn, piece, {.last = last, .mo = static_cast<std::uint32_t>(done)});
  });
}

}  // namespace iwarp::test
