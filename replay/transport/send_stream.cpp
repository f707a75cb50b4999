// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/send_stream.hpp"

#include <algorithm>

namespace iwarp::replay {

std::size_t SendStream::write(ByteView octets) {
  if (finished_ || octets.empty()) return 0;
  const auto room = static_cast<std::size_t>(buffer_.limit() - end_);
  std::size_t length = octets.size();
  if (length > room) {
    if (length <= buffer_.capacity()) return 0;
    length = room;
    if (length == 0) return 0;
  }
  buffer_.write(end_, octets.first(length));
  starts_.push_back(end_);
  end_ += length;
  return length;
}

SendStream::Piece SendStream::piece(std::uint64_t position, std::uint64_t end,
                                    std::size_t max_segment) const {
  Piece result{.position = position};
  if (position > end_) return result;  // the FIN was sent
  const auto next_start = std::upper_bound(starts_.begin(), starts_.end(), position);
  const std::uint64_t behind_call = next_start == starts_.end() ? end_ : std::min(*next_start, end_);
  const std::uint64_t until = std::min({behind_call, end, position + max_segment});
  result.length = static_cast<std::size_t>(until - position);
  result.push = result.length > 0 && until == behind_call;
  result.fin = finished_ && until == end_;
  return result;
}

SendStream::Piece SendStream::oldest_piece(std::size_t max_segment) const {
  Piece result = piece(acknowledged_, std::min(next_, end_), max_segment);
  if (result.behind() > next_) result.fin = false;
  return result;
}

void SendStream::acknowledge(std::uint64_t position) {
  acknowledged_ = position;
  const std::uint64_t octets = std::min(position, end_);
  buffer_.release(octets);
  while (starts_.size() > 1 && starts_[1] <= octets) starts_.pop_front();
}

void SendStream::drop() noexcept {
  buffer_.clear();
  starts_.clear();
  finished_ = true;
}

}  // namespace iwarp::replay
