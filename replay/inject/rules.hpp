// The table of breaches: one row for each check that a sender alone can break - how its octets, or their
// order, are changed, what that needs, and what a conforming peer does about it - and one for each that it
// cannot, saying why.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <iwarp/finding.hpp>

#include "inject/edit.hpp"

namespace iwarp::replay {

// What a message and its stream must be, beside its kind.
struct Needs {
  std::uint32_t payload = 0;   // octets, at least, in the segment that is changed
  std::uint32_t messages = 1;  // of its kind that follow each other without waiting
  bool single = false;         // one segment
  bool several = false;        // at least two
  bool opening = false;        // the first FPDU that its side sends, whatever it is
  bool initiator = false;      // no other role
  bool first = false;          // on its queue
  bool later = false;          // not that
  bool idle = false;           // its side waits for no answer
  bool pad = false;            // PAD octets behind it
  bool empty = false;          // no octets: of a Read Response, none asked for
  bool markers = false;        // in what its side sends
  bool no_markers = false;
  bool crc = false;
  bool enhanced = false;  // revision 2 with IRD and ORD
  bool peer_to_peer = false;
  bool not_peer_to_peer = false;
  bool peer_closes = false;      // the peer's FIN comes first
  bool peer_terminates = false;  // … its Terminate
};

// Which FPDUs of a side a breach changes.
enum class Reach : std::uint8_t {
  one,
  two_fpdus,     // this one and the next one of its message
  two_messages,  // this one and the next one of its kind
  all            // this one and everything behind it
};

// What a conforming peer does.
enum class Answer : std::uint8_t {
  terminates,  // with one of `codes`
  carries_on,  // as if nothing were wrong
  closes,      // TCP, without a Terminate
  leaves_mpa,  // sends no FPDU; closing TCP is left to it
  resets,      // RST
  nothing      // it is past answering
};
[[nodiscard]] const char* answer_name(Answer answer) noexcept;

struct Oracle {
  Answer answer = Answer::carries_on;
  std::array<std::uint16_t, 4> codes{};  // the usual one first; 0: none. 0000 is nobody's answer
  const char* reference = "";
};

struct Breach {
  CheckId check = CheckId::mpa_key;
  const char* variant = "";  // of several rows of one ID: "low-bits"
  unsigned subjects = 0;     // bits of Subject
  Needs needs = {};
  Reach reach = Reach::one;
  bool silent = false;  // nothing is sent behind it: what follows would break rules, too
  void (*frame)(Bytes& frame) = nullptr;
  void (*fpdu)(Edit& edit) = nullptr;
  void (*last)(std::vector<rnic::Extra>& last) = nullptr;  // before FIN
  Oracle oracle = {};
  const char* what = "";  // what is done

  [[nodiscard]] std::string name() const;  // "MPA-MKPTR:low-bits"
};

struct NoBreach {
  CheckId check;
  const char* why;
};

[[nodiscard]] std::span<const Breach> startup_breaches() noexcept;
[[nodiscard]] std::span<const Breach> fpdu_breaches() noexcept;
[[nodiscard]] std::span<const Breach> ddp_breaches() noexcept;
[[nodiscard]] std::span<const Breach> rdmap_breaches() noexcept;
[[nodiscard]] std::span<const Breach> close_breaches() noexcept;
// All of them, in the order of the checks' table.
[[nodiscard]] std::vector<const Breach*> all_breaches();
[[nodiscard]] std::span<const NoBreach> no_breaches() noexcept;
// nullptr: there is none of that name.
[[nodiscard]] const Breach* find_breach(std::string_view name);

// "initiator", "responder"; what the breach is called in messages.
[[nodiscard]] std::string subjects_of(const Breach& breach);

}  // namespace iwarp::replay
