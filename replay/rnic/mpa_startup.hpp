// MPA start-up: Request and Reply, rev 1 (RFC 5044 §7.1) and rev 2 (RFC 6581), for either role. Octets in, a
// decision out; who sends what when is the stream's affair.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>
#include <iwarp/wire/mpa.hpp>

#include "rnic/fpdu_sender.hpp"

namespace iwarp::rnic {

// What one end brings to the start-up. Its own word of IRD and ORD: the initiator's Request carries them, the
// responder's Reply carries those of its QP.
struct MpaParameters {
  std::uint8_t revision = 2;  // 1 or 2: the Request's, or the highest a responder answers
  bool markers = false;       // M: the peer shall put markers in its FPDUs
  bool crc = true;            // C
  bool enhanced = true;       // S, with revision 2: IRD and ORD are negotiated
  bool peer_to_peer = false;  // A, initiator: the first FPDU is an RTR
  bool rtr_send = true;       // B, C, D: kinds of RTR this end can do
  bool rtr_write = true;
  bool rtr_read = true;
  std::uint16_t ird = 8;  // initiator's offer; wire::depth_not_negotiated leaves it to the ULP
  std::uint16_t ord = 8;
  Bytes private_data = {};  // of the own start-up frame, without the IRD/ORD word, for which it leaves room
};

// What the own start-up frame holds, before the peer's has come: a responder may be asked for IRD and ORD.
[[nodiscard]] constexpr std::size_t private_data_room(Role role, const MpaParameters& parameters) noexcept {
  return wire::private_data_room(parameters.revision >= 2 &&
                                 (parameters.enhanced || role == Role::responder));
}

enum class Rtr : std::uint8_t {
  none,
  send,
  write,
  read
};

// What both start-up frames say.
struct Negotiated {
  std::uint8_t revision = 1;
  FpduModes sending;
  FpduModes receiving;
  bool enhanced = false;
  bool peer_to_peer = false;
  bool rtr_send = false;  // kinds both ends named
  bool rtr_write = false;
  bool rtr_read = false;
  // The peer's word; nothing where it was not negotiated.
  std::optional<std::uint16_t> peer_ird;
  std::optional<std::uint16_t> peer_ord;
};

class MpaStartup {
 public:
  enum class Outcome : std::uint8_t {
    more,       // the frame is not complete
    arrived,    // a good Request (responder), an accepting Reply (initiator)
    rejected,   // a Reply with R
    malformed,  // no start-up frame, or one that cannot be answered: close TCP (RFC 5044 §7.1.2)
  };

  void start(Role role, const MpaParameters& parameters);

  // Initiator.
  void encode_request(Bytes& out) const;
  // Takes octets of the peer's frame, none behind it.
  [[nodiscard]] Outcome take(ByteView& octets);

  // After `arrived` or `rejected`: the peer's private data without the IRD/ORD word, valid until start().
  [[nodiscard]] ByteView peer_private_data() const noexcept;
  [[nodiscard]] const Negotiated& negotiated() const noexcept { return negotiated_; }

  // Responder, after `arrived`: of the kinds of RTR that both ends named it agrees to that one alone.
  void accept_rtr(Rtr kind) noexcept;
  // Responder, after `arrived`. IRD and ORD are those its QP will have. REQUIRES: the private data has room.
  void encode_reply(Bytes& out, std::uint16_t ird, std::uint16_t ord, ByteView private_data, bool reject);

  [[nodiscard]] Role role() const noexcept { return role_; }
  [[nodiscard]] const MpaParameters& parameters() const noexcept { return parameters_; }
  // The RTR the initiator sends; none: no kind is common.
  [[nodiscard]] Rtr choose_rtr() const noexcept;

 private:
  [[nodiscard]] Outcome judge();
  [[nodiscard]] Outcome judge_request(const wire::StartupFrame& request);
  [[nodiscard]] Outcome judge_reply(const wire::StartupFrame& reply);
  [[nodiscard]] wire::EnhancedWord supported_rtr() const noexcept;
  void note_word(const wire::EnhancedWord& word);

  Role role_ = Role::initiator;
  MpaParameters parameters_;
  Bytes received_;
  std::size_t peer_word_size_ = 0;
  Negotiated negotiated_;
};

}  // namespace iwarp::rnic
