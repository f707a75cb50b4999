// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "ulp/advertisements.hpp"
#include "ulp/credits.hpp"
#include "ulp/octet_reader.hpp"

namespace iwarp::ulp {
namespace {

constexpr std::uint32_t version = 1;
constexpr std::uint32_t rpc_version = 2;

enum Procedure : std::uint32_t {
  message = 0,
  no_message = 1,
  message_padded = 2,
  done = 3,
  error = 4
};

// xdr's optional-data: 1 where an item follows.
bool next_item(OctetReader& reader) noexcept {
  const std::uint32_t follows = reader.be32();
  if (follows > 1) reader.fail();
  return follows == 1 && reader.good();
}

// Segments of chunks, appended to a list where one is wanted.
struct Segments {
  Mentions* list = nullptr;
  std::size_t count = 0;
};

void read_segment(OctetReader& reader, Segments& out) {
  StagMention segment;
  segment.layout = StagLayout::rpc_rdma;
  segment.offset = reader.at();
  segment.stag = reader.be32();
  segment.length_offset = reader.at();
  segment.length_size = 4;
  segment.length = reader.be32();
  segment.to_offset = reader.at();
  segment.to = reader.be64();
  if (!reader.good()) return;
  ++out.count;
  if (out.list != nullptr) out.list->push_back(segment);
}

// True: there is one. Only a Call has (§3.4.5).
bool read_read_list(OctetReader& reader, Segments& out) {
  bool any = false;
  for (; next_item(reader); any = true) {
    (void)reader.be32();  // position
    read_segment(reader, out);
  }
  return any;
}

void read_segments(OctetReader& reader, Segments& out) {
  constexpr std::size_t segment_size = 16;
  const std::uint32_t count = reader.be32();
  if (count > reader.left() / segment_size) return reader.fail();
  for (std::uint32_t each = 0; each < count; ++each) read_segment(reader, out);
}

// What the chunk lists advertise is appended, those of a Reply, too.
std::optional<RpcRdmaCall> read_call(ByteView send, Segments out) {
  OctetReader reader(send);
  RpcRdmaCall header;
  header.transaction = reader.be32();
  if (reader.be32() != version) return std::nullopt;
  header.credits = reader.be32();
  const std::uint32_t procedure = reader.be32();
  if (procedure != message && procedure != no_message && procedure != message_padded) return std::nullopt;
  if (procedure == message_padded) {
    (void)reader.be32();  // alignment
    (void)reader.be32();  // threshold
  }
  header.is_call = read_read_list(reader, out);
  while (next_item(reader)) read_segments(reader, out);  // write list
  if (next_item(reader)) read_segments(reader, out);     // reply chunk
  if (!reader.good()) return std::nullopt;
  if (procedure == no_message) {
    // What it is about is in the first read chunk, or in the reply chunk.
    return out.count > 0 && reader.left() == 0 ? std::optional(header) : std::nullopt;
  }
  constexpr std::uint32_t call = 0;
  constexpr std::uint32_t reply = 1;
  const bool same = reader.be32() == header.transaction;
  const std::uint32_t type = reader.be32();
  header.is_call = type == call;
  const bool is_rpc =
      same && reader.good() && (type == reply || (header.is_call && reader.be32() == rpc_version));
  return is_rpc ? std::optional(header) : std::nullopt;
}

}  // namespace

bool is_empty_rpc_rdma(ByteView send) noexcept {
  OctetReader reader(send);
  (void)reader.be32();  // xid
  const bool is_version = reader.be32() == version;
  (void)reader.be32();  // credits
  const std::uint32_t procedure = reader.be32();
  return is_version && reader.good() && (procedure == done || procedure == error);
}

bool read_rpc_rdma(ByteView send, Mentions& out) {
  const std::size_t before = out.size();
  const auto header = read_call(send, {&out});
  if (!header) out.resize(before);
  for (std::size_t each = before; each < out.size(); ++each) out[each].by_owner = header->is_call;
  return header.has_value();
}

std::optional<RpcRdmaCall> read_rpc_rdma_call(ByteView send) {
  if (const auto header = read_call(send, {})) return header;
  OctetReader reader(send);
  RpcRdmaCall failed;
  failed.transaction = reader.be32();
  const bool is_version = reader.be32() == version;
  failed.credits = reader.be32();
  return is_version && reader.be32() == error && reader.good() ? std::optional(failed) : std::nullopt;
}

}  // namespace iwarp::ulp
