// MPA start-up frames judged and answered.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/mpa_startup.hpp"

#include <algorithm>

namespace iwarp::rnic {
namespace {

constexpr std::size_t word_size = 4;
constexpr std::size_t length_field_offset = 18;

// Puts the word, if any, in front of the private data and encodes the frame.
void encode_frame(wire::StartupFrame frame, const std::optional<wire::EnhancedWord>& word,
                  ByteView private_data, Bytes& out) {
  Bytes all;
  if (word) {
    all.resize(word_size);
    wire::encode(*word, all.data());
  }
  all.insert(all.end(), private_data.begin(), private_data.end());
  frame.private_data = all;
  frame.private_data_length = static_cast<std::uint16_t>(all.size());
  wire::encode(frame, out);
}

}  // namespace

void MpaStartup::start(Role role, const MpaParameters& parameters) {
  role_ = role;
  parameters_ = parameters;
  received_.clear();
  peer_word_size_ = 0;
  negotiated_ = {};
}

wire::EnhancedWord MpaStartup::supported_rtr() const noexcept {
  wire::EnhancedWord word;
  word.rtr_send = parameters_.rtr_send;
  word.rtr_write = parameters_.rtr_write;
  word.rtr_read = parameters_.rtr_read;
  return word;
}

void MpaStartup::encode_request(Bytes& out) const {
  wire::StartupFrame frame;
  frame.kind = wire::StartupKind::request;
  frame.markers = parameters_.markers;
  frame.crc = parameters_.crc;
  frame.revision = parameters_.revision;
  std::optional<wire::EnhancedWord> word;
  if (parameters_.revision >= 2 && parameters_.enhanced) {
    frame.enhanced = true;
    // A=0: B, C and D must be 0 (RFC 6581 §9.2).
    word = parameters_.peer_to_peer ? supported_rtr() : wire::EnhancedWord{};
    word->peer_to_peer = parameters_.peer_to_peer;
    word->ird = parameters_.ird;
    word->ord = parameters_.ord;
  }
  encode_frame(frame, word, parameters_.private_data, out);
}

MpaStartup::Outcome MpaStartup::take(ByteView& octets) {
  const auto move = [&](std::size_t wanted) {
    const std::size_t piece = std::min(wanted - received_.size(), octets.size());
    const ByteView moved = octets.first(piece);
    received_.insert(received_.end(), moved.begin(), moved.end());
    octets = octets.subspan(piece);
    return received_.size() == wanted;
  };
  if (received_.size() < wire::startup_header_size && !move(wire::startup_header_size)) {
    // What cannot become the key need not be waited for.
    const wire::StartupKind expected =
        role_ == Role::initiator ? wire::StartupKind::reply : wire::StartupKind::request;
    const Byte* key = expected == wire::StartupKind::reply ? wire::reply_key : wire::request_key;
    const std::size_t begun = std::min(received_.size(), wire::startup_key_size);
    return std::equal(key, key + begun, received_.begin()) ? Outcome::more : Outcome::malformed;
  }
  const std::size_t length = load_be16(received_.data() + length_field_offset);
  if (length > wire::max_private_data) return Outcome::malformed;
  if (!move(wire::startup_header_size + length)) return Outcome::more;
  return judge();
}

MpaStartup::Outcome MpaStartup::judge() {
  const Result<wire::StartupFrame> frame = wire::parse_startup(received_);
  if (!frame) return Outcome::malformed;
  // Two initiators, or two responders (RFC 5044 §7.1.2 (8)).
  const wire::StartupKind expected =
      role_ == Role::initiator ? wire::StartupKind::reply : wire::StartupKind::request;
  if (frame->kind != expected) return Outcome::malformed;
  negotiated_.sending.markers = frame->markers;  // M is a demand on the other side (RFC 5044 §7.1.1)
  negotiated_.receiving.markers = parameters_.markers;
  negotiated_.sending.crc = negotiated_.receiving.crc = frame->crc || parameters_.crc;
  return role_ == Role::initiator ? judge_reply(*frame) : judge_request(*frame);
}

void MpaStartup::note_word(const wire::EnhancedWord& word) {
  peer_word_size_ = word_size;
  negotiated_.enhanced = true;
  negotiated_.peer_to_peer = word.peer_to_peer;
  if (word.peer_to_peer) {
    negotiated_.rtr_send = word.rtr_send && parameters_.rtr_send;
    negotiated_.rtr_write = word.rtr_write && parameters_.rtr_write;
    negotiated_.rtr_read = word.rtr_read && parameters_.rtr_read;
  }
  if (word.ird != wire::depth_not_negotiated) negotiated_.peer_ird = word.ird;
  if (word.ord != wire::depth_not_negotiated) negotiated_.peer_ord = word.ord;
}

MpaStartup::Outcome MpaStartup::judge_request(const wire::StartupFrame& request) {
  if (request.revision == 0 || request.revision > parameters_.revision) return Outcome::malformed;
  negotiated_.revision = request.revision;
  if (request.enhanced && request.revision >= 2) {
    const auto word = request.enhanced_word();
    if (!word) return Outcome::malformed;
    note_word(*word);
  }
  return Outcome::arrived;
}

MpaStartup::Outcome MpaStartup::judge_reply(const wire::StartupFrame& reply) {
  if (reply.rejected) {
    if (const auto word = reply.enhanced_word()) note_word(*word);
    return Outcome::rejected;
  }
  if (reply.revision != parameters_.revision) return Outcome::malformed;
  negotiated_.revision = reply.revision;
  const bool asked = parameters_.revision >= 2 && parameters_.enhanced;
  if (reply.enhanced != asked) return Outcome::malformed;  // RFC 6581 §10: S=1 is answered by S=1
  if (asked) {
    const auto word = reply.enhanced_word();
    if (!word || word->peer_to_peer != parameters_.peer_to_peer) return Outcome::malformed;
    note_word(*word);
  }
  return Outcome::arrived;
}

ByteView MpaStartup::peer_private_data() const noexcept {
  const std::size_t header = wire::startup_header_size + peer_word_size_;
  return received_.size() < header ? ByteView() : ByteView(received_).subspan(header);
}

void MpaStartup::encode_reply(Bytes& out, std::uint16_t ird, std::uint16_t ord, ByteView private_data,
                              bool reject) {
  wire::StartupFrame frame;
  frame.kind = wire::StartupKind::reply;
  frame.markers = parameters_.markers;
  // C in either frame is enough (RFC 5044 §7.1.1), but siw's initiator looks for its own in the Reply.
  frame.crc = negotiated_.sending.crc;
  frame.rejected = reject;
  frame.revision = negotiated_.revision;
  std::optional<wire::EnhancedWord> word;
  if (negotiated_.enhanced) {
    frame.enhanced = true;
    word.emplace();
    word->peer_to_peer = negotiated_.peer_to_peer;
    if (negotiated_.peer_to_peer) {
      word->rtr_send = negotiated_.rtr_send;
      word->rtr_write = negotiated_.rtr_write;
      word->rtr_read = negotiated_.rtr_read;
      if (!word->rtr_send && !word->rtr_write && !word->rtr_read) {
        // None of the initiator's: name one that is supported all the same (RFC 6581 §9.2).
        const wire::EnhancedWord supported = supported_rtr();
        word->rtr_send = supported.rtr_send;
        word->rtr_write = supported.rtr_write;
        word->rtr_read = supported.rtr_read;
      }
    }
    // What the initiator does not negotiate is answered in kind (RFC 6581 §9.1).
    word->ird = negotiated_.peer_ord ? ird : wire::depth_not_negotiated;
    word->ord = negotiated_.peer_ird ? ord : wire::depth_not_negotiated;
  }
  encode_frame(frame, word, private_data, out);
}

void MpaStartup::accept_rtr(Rtr kind) noexcept {
  negotiated_.rtr_send = negotiated_.rtr_send && kind == Rtr::send;
  negotiated_.rtr_write = negotiated_.rtr_write && kind == Rtr::write;
  negotiated_.rtr_read = negotiated_.rtr_read && kind == Rtr::read;
}

Rtr MpaStartup::choose_rtr() const noexcept {
  if (negotiated_.rtr_read) return Rtr::read;
  if (negotiated_.rtr_write) return Rtr::write;
  return negotiated_.rtr_send ? Rtr::send : Rtr::none;
}

}  // namespace iwarp::rnic
