// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpa/startup_scanner.hpp"

#include <algorithm>
#include <cstring>

namespace iwarp::mpa {
namespace {

// Common to both keys: "MPA ID Re".
constexpr std::size_t key_prefix = 9;

bool is_key(const Byte* octets) noexcept {
  return std::memcmp(octets, wire::request_key, wire::startup_key_size) == 0 ||
         std::memcmp(octets, wire::reply_key, wire::startup_key_size) == 0;
}

// Offset of the first place in `octets` where a key stands or may begin; octets.size() when none.
std::size_t find_key(ByteView octets) noexcept {
  for (std::size_t at = 0; at < octets.size();) {
    const void* found = std::memchr(octets.data() + at, wire::request_key[0], octets.size() - at);
    if (found == nullptr) return octets.size();
    at = static_cast<std::size_t>(static_cast<const Byte*>(found) - octets.data());
    const std::size_t left = octets.size() - at;
    if (std::memcmp(octets.data() + at, wire::request_key, std::min(left, key_prefix)) == 0 &&
        (left < wire::startup_key_size || is_key(octets.data() + at))) {
      return at;
    }
    ++at;
  }
  return octets.size();
}

// Text that quotes the key goes on with anything.
bool is_quote(ByteView octets) noexcept {
  return octets.size() >= wire::startup_header_size && !is_sound_header(octets.data());
}

}  // namespace

void StartupScanner::start(StreamOffset at, bool expected) noexcept {
  *this = StartupScanner();
  start_ = at_ = at;
  may_be_expected_ = from_start_ = expected;
  if (expected) malformed_.watch();
}

void StartupScanner::forget_settled() noexcept {
  if (!settled_) return;
  settled_ = candidate_ = false;
  held_.clear();
}

void StartupScanner::push(ByteView octets, bool segment_start) {
  forget_settled();
  for (std::size_t i = 0; i < octets.size() && seen() + i < 4; ++i)
    first_word_ = first_word_ << 8U | octets[i];
  at_ += octets.size();
  malformed_.push(octets);
  if (candidate_) {
    // A key at the start of a segment comes before one that stood inside text.
    const bool new_key = segment_start && (complete() || !segment_start_) &&
                         octets.size() >= wire::startup_key_size && is_key(octets.data());
    if (!new_key && held_.size() + octets.size() <= max_held) {
      const bool had_header = header_complete();
      held_.insert(held_.end(), octets.begin(), octets.end());
      if (!had_header && !expected_ && is_quote(held_)) search(1, false, held_.size());
      return;
    }
    candidate_ = false;
    held_.clear();
  }
  absent_ = false;
  if (held_.empty()) {
    // The usual case, other protocols' octets: searched where they are, only what may begin a key is kept.
    const std::size_t found = find_key(octets);
    if (found == octets.size()) return;
    held_.assign(octets.begin() + static_cast<std::ptrdiff_t>(found), octets.end());
    search(0, segment_start && found == 0, 0);
    return;
  }
  const std::size_t segment_at = held_.size();
  held_.insert(held_.end(), octets.begin(), octets.end());
  search(0, segment_start, segment_at);
}

// Looks for a key in held_ from index `from` on; a TCP segment starts at index `segment_at` if
// `segment_start`.
void StartupScanner::search(std::size_t from, bool segment_start, std::size_t segment_at) {
  candidate_ = false;
  std::size_t found = from;
  for (;; found += 1) {
    found += find_key(ByteView(held_).subspan(found));
    expected_ = may_be_expected_ && at_ - held_.size() + found == start_;
    if (expected_ || !is_quote(ByteView(held_).subspan(found))) break;
  }
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(found));
  if (held_.size() < wire::startup_key_size) {
    // May begin a key: remember whether it stood at a segment's start for when the rest comes.
    segment_start_ =
        held_.empty() ? false : (segment_start && found == segment_at) || (segment_start_ && found == 0);
    return;
  }
  candidate_ = true;
  begin_ = at_ - held_.size();
  segment_start_ = (segment_start && found == segment_at) || (segment_start_ && found == 0);
}

void StartupScanner::expect_nothing() {
  may_be_expected_ = false;
  if (!expected_) return;
  expected_ = false;
  if (candidate_ && is_quote(held_)) search(1, false, held_.size());
}

void StartupScanner::expect_answer() {
  may_be_expected_ = from_start_;
  if (at_start()) expected_ = true;
}

void StartupScanner::take_as_request() {
  wrong_key_ = expected_ = true;
  if (candidate_) return;  // of a Reply
  held_.assign(malformed_.octets().begin(), malformed_.octets().end());
  malformed_.give_up();
  candidate_ = segment_start_ = true;
  begin_ = start_;
}

void StartupScanner::settle() {
  if (settled_) return;
  candidate_ = complete();
  held_.resize(candidate_ ? wire::startup_header_size : 0);
  held_.shrink_to_fit();
  settled_ = true;
}

void StartupScanner::push_absent(std::uint64_t length) {
  forget_settled();
  at_ += length;
  malformed_.give_up();
  may_be_expected_ = false;
  const bool inside =
      candidate_ && header_complete() && length <= max_held &&
      held_.size() + length <=
          std::max<std::size_t>(wire::startup_header_size + private_data_length(), held_.size());
  if (!inside) {
    candidate_ = false;
    segment_start_ = false;
    held_.clear();
    return;
  }
  if (!absent_) absent_from_ = held_.size();
  absent_ = true;
  held_.resize(held_.size() + static_cast<std::size_t>(length));
}

bool StartupScanner::header_complete() const noexcept {
  return candidate_ && held_.size() >= wire::startup_header_size;
}

bool StartupScanner::complete() const noexcept {
  return header_complete() && (settled_ || held_.size() >= wire::startup_header_size + private_data_length());
}

wire::StartupKind StartupScanner::kind() const noexcept {
  if (wrong_key_) return wire::StartupKind::request;
  return std::memcmp(held_.data(), wire::reply_key, wire::startup_key_size) == 0 ? wire::StartupKind::reply
                                                                                 : wire::StartupKind::request;
}

std::uint16_t StartupScanner::private_data_length() const noexcept {
  return load_be16(held_.data() + 18);
}

std::size_t StartupScanner::private_data_received() const noexcept {
  return std::min<std::size_t>(held_.size() - wire::startup_header_size, private_data_length());
}

wire::StartupFrame StartupScanner::frame() const noexcept {
  wire::StartupFrame frame;
  const Byte flags = held_[16];
  frame.kind = kind();
  frame.markers = (flags & 0x80U) != 0;
  frame.crc = (flags & 0x40U) != 0;
  frame.rejected = (flags & 0x20U) != 0;
  frame.enhanced = (flags & 0x10U) != 0;
  frame.reserved_flags = flags & 0x0fU;
  frame.revision = held_[17];
  frame.private_data_length = private_data_length();
  const std::size_t received = private_data_received();
  const std::size_t captured = absent_ ? absent_from_ - wire::startup_header_size : received;
  frame.private_data = ByteView(held_).subspan(wire::startup_header_size, std::min(received, captured));
  return frame;
}

bool StartupScanner::sound() const noexcept {
  return is_sound_header(held_.data());
}

ByteView StartupScanner::octets_from(StreamOffset at) const noexcept {
  return at >= begin_ && at < at_ && !settled_
             ? ByteView(held_).subspan(static_cast<std::size_t>(at - begin_))
             : ByteView();
}

}  // namespace iwarp::mpa
