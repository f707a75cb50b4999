// SPDX-License-Identifier: GPL-2.0-or-later
#include "format_reader.hpp"

namespace iwarp::capture {

bool FormatReader::damaged(std::string_view unit, std::uint64_t number, std::uint64_t offset,
                           std::string_view what) {
  Damage damage;
  damage.offset = offset;
  damage.text = name_ + ": ";
  damage.text.append(unit);
  if (number != 0) damage.text += ' ' + std::to_string(number);
  damage.text += " at " + hex_offset(offset);
  if (input_.is_compressed()) damage.text += " of the uncompressed data";
  damage.text += ' ';
  damage.text.append(what);
  damage_ = std::move(damage);
  return false;
}

bool FormatReader::cut_short(std::string_view unit, std::uint64_t number, std::uint64_t offset) {
  const std::string failure = input_.failure();
  if (failure.empty()) return damaged(unit, number, offset, "is longer than the file");
  damage_ = Damage{name_ + ": " + failure, offset};
  return false;
}

bool FormatReader::too_long(std::string_view unit, std::uint64_t number, std::uint64_t offset,
                            std::uint64_t claimed) {
  const auto remaining = input_.remaining();
  if (remaining && *remaining < claimed) return damaged(unit, number, offset, "is longer than the file");
  return damaged(unit, number, offset,
                 "claims " + std::to_string(claimed) + " octets, more than any capture tool writes");
}

}  // namespace iwarp::capture
