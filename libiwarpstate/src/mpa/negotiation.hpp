// Negotiation: both directions' start-up frames, weighed against each other (RFC 5044 §7.1, RFC 6581).
//
// Tells when a start-up frame is one, when Full Operation begins and with which modes. M is a demand on the
// peer: the Request's M marks the responder's FPDUs, the Reply's M the initiator's; CRC is in use when either
// frame has C.
// A stage: feed the scanners, then poll until Decision::Kind::none.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <optional>

#include <iwarp/ids.hpp>

#include "mpa/fpdu_view.hpp"
#include "mpa/startup_scanner.hpp"

namespace iwarp::mpa {

struct Decision {
  enum class Kind {
    none,
    startup,  // scanner(side) holds a start-up frame that counts
    operate,  // Full Operation of `side` begins at `at` with `parameters`; `behind` are octets held from
              // there
    seek,  // Full Operation of `side` is under way, its start was not captured: the phase of markers is not
           // known
    rejected,         // back to streaming, both sides
    nonsense_answer,  // `side` sent something else instead of a Reply
    broken_reply,     // … but the rest of a Reply stands behind its key: FPDUs may begin at `at`
  };
  Kind kind = Kind::none;
  Side side = Side::a;
  StreamOffset at = 0;
  FramerParameters parameters;
  ByteView behind;  // until the scanner's next push
  std::uint32_t early_octets =
      0;                   // startup of a Reply: octets the initiator sent behind its Request before it
  bool wrong_key = false;  // startup of a Request: it does not begin with its key
  // operate, or startup of a Reply that nothing follows from: what came too early.
  std::uint32_t early_fpdus = 0;    // octets of FPDUs that the requester sent before the Reply
  std::uint32_t excess_octets = 0;  // of Private Data beyond PD_Length; at startup, the requester's
};

class Negotiation {
 public:
  // The streaming octets of `side` begin at `at`; `from_start`: that is the connection's first octet.
  void open(Side side, StreamOffset at, bool from_start) noexcept;
  // `side` is back to streaming at `at`: an earlier start-up was rejected, or a start-up key stands there.
  void reopen(Side side, StreamOffset at) noexcept;
  // A segment of `side` was captured, with or without octets. `from_start`: its SYN.
  void captured(Side side, bool from_start) noexcept {
    captured_[index(side)] = true;
    if (!from_start) start_missing_[index(side)] = true;
  }
  // No octets of `side` will come any more.
  void ended(Side side) noexcept { ended_[index(side)] = true; }
  // Octets of `side` are missing: its start-up frame may be among them.
  void missing(Side side) noexcept { start_missing_[index(side)] = true; }
  // Nothing more will come: frames that are cut short count as they are.
  void finish() noexcept { final_ = true; }

  [[nodiscard]] StartupScanner& scanner(Side side) noexcept { return scanners_[index(side)]; }
  [[nodiscard]] const StartupScanner& scanner(Side side) const noexcept { return scanners_[index(side)]; }

  [[nodiscard]] Decision poll();

  // Both sides sent a Request: there is no Full Operation.
  [[nodiscard]] bool crossed() const noexcept { return crossed_; }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [scanners, captured, start_missing, ended, agreed, stage, requester, has_request, has_reply,
           crossed, reply_broken, first_speaker, request, reply, taken, used, request_end, reply_end,
           cut_short_at, reached, excess, early_fpdus, final] = *this;
    codec(scanners, captured, start_missing, ended, agreed, stage, requester, has_request, has_reply, crossed,
          reply_broken, first_speaker, taken, used, request_end, reply_end, cut_short_at, reached, excess,
          early_fpdus, final);
    for (wire::StartupFrame* frame : {&request, &reply}) {
      auto& [kind, markers, crc, rejected, enhanced, reserved_flags, revision, private_data_length,
             private_data] = *frame;  // whose Private Data is not kept
      codec(kind, markers, crc, rejected, enhanced, reserved_flags, revision, private_data_length);
    }
  }

 private:
  enum class Stage {
    idle,
    requested,
    agreed,
    over
  };

  [[nodiscard]] bool is_fresh(Side side) const noexcept;
  [[nodiscard]] bool counts(Side side) const noexcept;
  [[nodiscard]] bool is_new_request(Side side) const noexcept;
  [[nodiscard]] bool start_missing(Side side) const noexcept;
  [[nodiscard]] Decision take_request(Side side) noexcept;
  [[nodiscard]] Decision take_reply(Side side) noexcept;
  [[nodiscard]] Decision agree(Side side) noexcept;
  [[nodiscard]] bool settle_start(Side side) noexcept;
  [[nodiscard]] bool settle_cut_short() noexcept;
  [[nodiscard]] bool settle_excess(Side side, bool wait) noexcept;
  void note_early(Side side, Decision& decision) noexcept;
  void hear_others() noexcept;
  [[nodiscard]] bool is_reply(Side side) const noexcept;
  [[nodiscard]] bool lacks_key(Side side) const noexcept;
  void note_first_speaker() noexcept;
  void take_broken_request();
  [[nodiscard]] Decision take_broken_reply() noexcept;
  [[nodiscard]] FramerParameters parameters_of(Side sender) const noexcept;

  std::array<StartupScanner, 2> scanners_;
  std::array<bool, 2> captured_{};
  std::array<bool, 2> start_missing_{};
  std::array<bool, 2> ended_{};
  std::array<bool, 2> agreed_{};  // `operate` or `seek` was said of the side
  Stage stage_ = Stage::idle;
  Side requester_ = Side::a;
  bool has_request_ = false;
  bool has_reply_ = false;
  bool crossed_ = false;       // both sides sent a Request
  bool reply_broken_ = false;  // the requester's peer answered with something else
  std::optional<Side> first_speaker_;
  wire::StartupFrame request_;
  wire::StartupFrame reply_;
  std::array<std::optional<StreamOffset>, 2> taken_;  // where the last Request taken of each side begins
  std::array<std::optional<StreamOffset>, 2>
      used_;  // where the frame begins that an earlier start-up was made of
  StreamOffset request_end_ = 0;
  StreamOffset reply_end_ = 0;
  std::optional<StreamOffset>
      cut_short_at_;  // the Request's Private Data had come so far when the Reply came
  // How far octets of the side had come when the Reply was there: behind its frame, too.
  std::array<std::optional<StreamOffset>, 2> reached_;
  std::array<std::uint32_t, 2> excess_{};  // of those behind the frame: Private Data …
  std::uint32_t early_fpdus_ = 0;          // … or the requester's FPDUs
  bool final_ = false;
};

}  // namespace iwarp::mpa
