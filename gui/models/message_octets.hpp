// MessageOctets: the octets of one message as they stand in the capture file, and which field each belongs
// to.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QByteArray>

#include <vector>

#include "models/fact_model.hpp"
#include "models/log.hpp"

namespace iwarp::gui {

struct MessageOctets {
  enum Field : std::uint8_t {
    length,  // ULPDU_Length
    ddp,     // DDP header with the RDMAP control octet
    rdmap,   // RDMAP header
    payload,
    trailer,  // PAD and CRC
    marker
  };
  static constexpr int field_count = 6;
  // More octets than these are not shown.
  static constexpr qsizetype most_octets = 256 * 1024;

  std::uint32_t row = 0;
  QByteArray octets;
  std::vector<Field> fields;  // by octet
  std::vector<Fact> facts;
  QString error;  // why octets are missing, a sentence; empty: none are
  bool cut = false;
};

// In the log's thread. REQUIRES: row is below the table's size.
[[nodiscard]] MessageOctets message_octets(const Log& log, std::uint32_t row,
                                           qsizetype most = MessageOctets::most_octets);
[[nodiscard]] QString field_name(MessageOctets::Field field);

}  // namespace iwarp::gui
