// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "ulp/advertisements.hpp"
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

void read_segment(OctetReader& reader, Advertisements& out) {
  Advertisement segment;
  segment.stag = reader.be32();
  segment.length = reader.be32();
  segment.to = reader.be64();
  if (reader.good()) out.push_back(segment);
}

// True: there is one. Only a Call has (§3.4.5).
bool read_read_list(OctetReader& reader, Advertisements& out) {
  bool any = false;
  for (; next_item(reader); any = true) {
    (void)reader.be32();  // position
    read_segment(reader, out);
  }
  return any;
}

void read_segments(OctetReader& reader, Advertisements& out) {
  constexpr std::size_t segment_size = 16;
  const std::uint32_t count = reader.be32();
  if (count > reader.left() / segment_size) return reader.fail();
  for (std::uint32_t each = 0; each < count; ++each) read_segment(reader, out);
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

bool read_rpc_rdma(ByteView send, Advertisements& out) {
  OctetReader reader(send);
  const std::uint32_t transaction = reader.be32();
  if (reader.be32() != version) return false;
  (void)reader.be32();  // credits
  std::uint32_t procedure = reader.be32();
  if (procedure != message && procedure != no_message && procedure != message_padded) return false;
  const std::size_t before = out.size();
  if (procedure == message_padded) {
    (void)reader.be32();  // alignment
    (void)reader.be32();  // threshold
  }
  bool is_call = read_read_list(reader, out);
  while (next_item(reader)) read_segments(reader, out);  // write list
  if (next_item(reader)) read_segments(reader, out);     // reply chunk
  bool is_rpc = reader.good();
  if (procedure == no_message) {
    // What it is about is in the first read chunk, or in the reply chunk.
    is_rpc = is_rpc && out.size() > before && reader.left() == 0;
  } else {
    constexpr std::uint32_t call = 0;
    constexpr std::uint32_t reply = 1;
    const bool same = reader.be32() == transaction;
    const std::uint32_t type = reader.be32();
    is_rpc =
        is_rpc && same && reader.good() && (type == reply || (type == call && reader.be32() == rpc_version));
    is_call = type == call;
  }
  if (!is_rpc || !is_call) out.resize(before);
  return is_rpc;
}

}  // namespace iwarp::ulp
