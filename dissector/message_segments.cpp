// SPDX-License-Identifier: GPL-2.0-or-later
#include "message_segments.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <iwarp/wire/rdmap.hpp>

#include "direction.hpp"

namespace iwarp::dissector {
namespace {

// What is put together apart from all else: the messages of each queue, RDMA Writes, Read Responses.
constexpr unsigned tagged_writes = wire::queue_count;
constexpr unsigned tagged_responses = tagged_writes + 1;
static_assert(tagged_responses < 1U << 3U);

// Room for segments that a direction keeps between messages.
constexpr std::size_t max_idle = 256;

std::uint64_t key_of(const Event& event, unsigned kind) noexcept {
  return Direction{event.connection, event.side}.key() << 3U | kind;
}

unsigned tagged_kind(wire::Opcode opcode) noexcept {
  return opcode == wire::Opcode::read_response ? tagged_responses : tagged_writes;
}

std::optional<unsigned> kind_of(const FpduFact& fpdu) noexcept {
  if (fpdu.unfinished || fpdu.malformed || fpdu.crc == CrcStatus::bad) return std::nullopt;
  if (fpdu.header_octets < 2 || fpdu.header_octets < fpdu.ddp.size()) return std::nullopt;
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (!ddp.tagged()) return ddp.queue < wire::queue_count ? std::optional<unsigned>(ddp.queue) : std::nullopt;
  const bool known = ddp.opcode() == wire::Opcode::rdma_write || ddp.opcode() == wire::Opcode::read_response;
  return known ? std::optional<unsigned>(tagged_kind(ddp.opcode())) : std::nullopt;
}

}  // namespace

void MessageSegments::add(const Event& event) {
  const FpduFact& fpdu = event.fpdu;
  latest_ = fpdu.number;
  if (fpdu.ddp.last() && open_ == 0) return;
  const std::optional<unsigned> kind = kind_of(fpdu);
  if (!kind) return;
  Chain& chain = chains_[key_of(event, *kind)];
  if (chain.empty()) {
    if (fpdu.ddp.last()) return;  // alone
    ++open_;
  }
  Pending& pending = chain.emplace_back();
  pending.number = fpdu.number;
  pending.frame = static_cast<std::uint32_t>(fpdu.placed.frame);
  pending.id = fpdu.ddp.tagged() ? fpdu.ddp.stag : fpdu.ddp.msn;
  pending.position = fpdu.ddp.tagged() ? fpdu.ddp.to : fpdu.ddp.mo;
  if (parts_.empty() || parts_.back().number < fpdu.number) {
    parts_.push_back({fpdu.number, 0});
  } else {
    early_parts_.emplace(fpdu.number, 0);
  }
}

void MessageSegments::conclude(const Event& event) {
  if (open_ == 0) return;
  const MessageConclusion& message = event.message;
  if (!message.tagged && message.queue >= wire::queue_count) return;
  const unsigned kind = message.tagged ? tagged_kind(message.opcode) : message.queue;
  const auto found = chains_.find(key_of(event, kind));
  if (found == chains_.end() || found->second.empty()) return;
  Chain& chain = found->second;
  const auto belongs = [&](const Pending& each) {
    if (!message.tagged) return each.id == message.msn;
    return each.id == message.stag && each.position - message.to < message.length;
  };
  const bool complete = message.end == MessageEnd::complete;
  if (!complete) {
    // What began behind it stays: it stands behind those that have come to nothing.
    if (message.tagged) {
      const std::size_t gone = std::min<std::size_t>(message.segments, chain.size());
      chain.erase(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(gone));
    } else {
      std::erase_if(chain, belongs);
    }
  } else if (chain.size() == message.segments) {
    link(chain, event);
    chain.clear();
  } else {  // among others: of two RDMA Writes that interleave, or what no message took
    const auto first = std::stable_partition(chain.begin(), chain.end(),
                                             [&](const Pending& each) { return !belongs(each); });
    const Chain own(first, chain.end());
    chain.erase(first, chain.end());
    const bool exact = own.size() == message.segments;
    if (exact) link(own, event);
    // Of a queue one message is open at a time.
    if (!exact || !message.tagged) chain.clear();
  }
  if (!chain.empty()) return;
  --open_;
  if (chain.capacity() > max_idle) Chain().swap(chain);
}

void MessageSegments::link(const Chain& chain, const Event& event) {
  if (chain.size() < 2) return;
  messages_.push_back({static_cast<std::uint32_t>(event.message.placed.frame), latest_, frames_.size(),
                       static_cast<std::uint32_t>(chain.size())});
  for (const Pending& each : chain) {
    if (std::uint32_t* const message = message_of(each.number))
      *message = static_cast<std::uint32_t>(messages_.size());
    frames_.push_back(each.frame);
  }
}

// In messages_, counted from 1, of the FPDU with this number; nullptr: it is none of several.
std::uint32_t* MessageSegments::message_of(std::uint32_t number) noexcept {
  const auto part =
      std::lower_bound(parts_.begin(), parts_.end(), number,
                       [](const Part& each, std::uint32_t wanted) { return each.number < wanted; });
  if (part != parts_.end() && part->number == number) return &part->message;
  const auto early = early_parts_.find(number);
  return early == early_parts_.end() ? nullptr : &early->second;
}

SegmentLink MessageSegments::find(const FpduFact& fpdu) noexcept {
  const std::uint32_t* const part = message_of(fpdu.number);
  if (part == nullptr || *part == 0) return {};
  const Message& message = messages_[*part - 1];
  return {message.frame, message.last == fpdu.number,
          std::span<const std::uint32_t>(frames_).subspan(message.begin, message.count)};
}

}  // namespace iwarp::dissector
