// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpa/malformed_startup.hpp"

#include <algorithm>
#include <cstring>

namespace iwarp::mpa {
namespace {

bool has_key(const Bytes& octets) noexcept {
  return std::memcmp(octets.data(), wire::request_key, wire::startup_key_size) == 0 ||
         std::memcmp(octets.data(), wire::reply_key, wire::startup_key_size) == 0;
}

}  // namespace

bool is_sound_header(const Byte* header) noexcept {
  const Byte revision = header[17];
  return (revision <= 2 || revision == 129) && load_be16(header + 18) <= wire::max_private_data;
}

void MalformedStartup::give_up() noexcept {
  *this = MalformedStartup();
}

void MalformedStartup::push(ByteView octets) {
  if (!watching_) return;
  if (frame_size_ == 0) {
    const std::size_t missing = wire::startup_header_size - octets_.size();
    const std::size_t count = std::min(missing, octets.size());
    octets_.insert(octets_.end(), octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(count));
    octets = octets.subspan(count);
    if (octets_.size() < wire::startup_header_size) return;
    if (has_key(octets_) || !is_sound_header(octets_.data())) return give_up();
    frame_size_ = looked_ = wire::startup_header_size + load_be16(octets_.data() + 18);
    parameters_.origin = frame_size_;
  }
  if (octets_.size() + octets.size() > max_held) return give_up();
  octets_.insert(octets_.end(), octets.begin(), octets.end());
  if (!proven_) look_behind();
}

void MalformedStartup::look_behind() {
  while (octets_.size() > looked_) {
    const ByteView behind = ByteView(octets_).subspan(looked_);
    if (looked_ == frame_size_) {
      // A marked direction begins with the marker 0000 0000; an unmarked one never does.
      if (behind.size() < wire::marker_size) return;
      parameters_.markers = load_be32(behind.data()) == 0 ? Mode::on : Mode::off;
    }
    std::uint16_t length = 0;
    const bool known = read_ulpdu_length(parameters_, looked_, behind, length);
    const std::size_t size = known ? wire_size(parameters_, looked_, length) : 0;
    if (!known || !plausible_at(parameters_, looked_, behind)) {
      constexpr std::size_t look =
          2 * wire::marker_size + wire::length_field_size + wire::untagged_header_size;
      if (behind.size() >= look || (known && behind.size() >= size)) give_up();
      return;
    }
    if (headers_ + 1 == enough_headers) {
      proven_ = true;
      return;
    }
    if (behind.size() < size) return;
    FramedFpdu fpdu;
    examine(parameters_, looked_, behind.first(size), length, fpdu);
    if (fpdu.crc == CrcStatus::good) {
      proven_ = true;
      return;
    }
    ++headers_;
    looked_ += size;
  }
}

}  // namespace iwarp::mpa
