// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/overlaps.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <iwarp/wire/crc32c.hpp>

namespace iwarp {

namespace {

// The octets of an FPDU with copies laid over them, and their CRC, which follows from that of what a copy
// changes: the FPDU may be long, and the copies short and many.
class Overlay {
 public:
  explicit Overlay(const mpa::FramedFpdu& fpdu)
      : fpdu_(fpdu), covered_(fpdu.wire.size() - wire::crc_size), crc_(fpdu.crc_computed) {
    std::copy_n(fpdu.wire.end() - wire::crc_size, wire::crc_size, field_.begin());
  }

  void lay(const stream::Alternate& alternate) {
    const StreamOffset begin = std::max(alternate.offset, fpdu_.begin);
    const StreamOffset end = std::min<StreamOffset>(alternate.offset + alternate.octets.size(), fpdu_.end);
    if (begin >= end) return;
    const Layer layer{static_cast<std::size_t>(begin - fpdu_.begin),
                      ByteView(alternate.octets)
                          .subspan(static_cast<std::size_t>(begin - alternate.offset),
                                   static_cast<std::size_t>(end - begin)),
                      &alternate};
    before_.assign(fpdu_.wire.begin() + static_cast<std::ptrdiff_t>(layer.at),
                   fpdu_.wire.begin() + static_cast<std::ptrdiff_t>(layer.end()));
    for (const Layer& each : layers_) put(each, before_, layer.at);
    if (layer.at < covered_) {
      const std::size_t count = std::min(layer.end(), covered_) - layer.at;
      const std::uint32_t change =
          wire::crc32c(layer.octets.first(count)) ^ wire::crc32c(ByteView(before_).first(count));
      crc_ ^= wire::crc32c_of_last(0, change, static_cast<std::uint32_t>(covered_ - layer.at - count));
    }
    put(layer, field_, covered_);
    layers_.push_back(layer);
  }

  [[nodiscard]] bool is_right() const noexcept {
    return !layers_.empty() && crc_ == load_le32(field_.data());
  }
  [[nodiscard]] Bytes octets() const {
    Bytes all(fpdu_.wire.begin(), fpdu_.wire.end());
    for (const Layer& each : layers_) put(each, all, 0);
    return all;
  }
  // The frames that brought these octets, where `first` brought those below the copies.
  [[nodiscard]] SpanMap spans(const SpanMap& first) const {
    SpanMap all;
    all.assign_part(first, fpdu_.begin, fpdu_.end);
    for (const Layer& each : layers_) {
      StreamSpan span;
      span.begin = each.copy->offset;
      span.length = static_cast<std::uint32_t>(each.copy->octets.size());
      span.payload_offset = each.copy->payload_offset;
      span.frame = each.copy->frame;
      span.time_ns = each.copy->time_ns;
      span.segment_start = each.copy->payload_offset == 0;
      all.lay_over(span);
    }
    return all;
  }

 private:
  struct Layer {
    std::size_t at = 0;  // behind the FPDU's first octet
    ByteView octets;
    const stream::Alternate* copy = nullptr;
    [[nodiscard]] std::size_t end() const noexcept { return at + octets.size(); }
  };

  // Lays over `octets`, which stand at `from` in the FPDU, what the layer has of them.
  template <typename Octets>
  static void put(const Layer& layer, Octets& octets, std::size_t from) noexcept {
    const std::size_t begin = std::max(layer.at, from);
    const std::size_t end = std::min(layer.end(), from + octets.size());
    if (begin >= end) return;
    std::copy_n(layer.octets.begin() + static_cast<std::ptrdiff_t>(begin - layer.at), end - begin,
                octets.begin() + static_cast<std::ptrdiff_t>(begin - from));
  }

  const mpa::FramedFpdu& fpdu_;
  std::size_t covered_;  // by the CRC
  std::uint32_t crc_;
  std::array<Byte, wire::crc_size> field_{};
  std::vector<Layer> layers_;
  Bytes before_;  // what a layer replaces
};

}  // namespace

std::optional<Overlaps::Better> Overlaps::better(const mpa::FramedFpdu& fpdu,
                                                 const mpa::FramerParameters& parameters,
                                                 const SpanMap& spans, Alternates alternates) {
  if (fpdu.wire.empty() || alternates.empty()) return std::nullopt;
  // Each copy is laid over those before it: the right octets may be spread over several.
  Overlay overlay(fpdu);
  for (const stream::Alternate& alternate : alternates) {
    overlay.lay(alternate);
    if (!overlay.is_right()) continue;
    Better better{overlay.octets(), {}, overlay.spans(spans)};
    mpa::examine(parameters, fpdu.begin, better.octets, fpdu.ulpdu_length, better.fpdu);
    return better;
  }
  return std::nullopt;
}

void Overlaps::keep_bad(const mpa::FramedFpdu& fpdu, const mpa::FramerParameters& parameters,
                        const SpanMap& spans) {
  std::unique_ptr<BadFpdu> kept;
  if (bad_.size() < max_bad) {
    kept = std::make_unique<BadFpdu>();
  } else {  // the oldest gives way, and leaves its memory
    kept = std::move(bad_.front());
    bad_.erase(bad_.begin());
  }
  BadFpdu& bad = *kept;
  bad.begin = fpdu.begin;
  bad.parameters = parameters;
  bad.ulpdu_length = fpdu.ulpdu_length;
  bad.crc_computed = fpdu.crc_computed;
  bad.octets.assign(fpdu.wire.begin(), fpdu.wire.end());
  bad.spans.assign_part(spans, fpdu.begin, fpdu.end);
  bad_.push_back(std::move(kept));
}

std::optional<Overlaps::Better> Overlaps::recover(Alternates alternates) {
  for (auto at = bad_.begin(); at != bad_.end(); ++at) {
    const BadFpdu& bad = **at;
    mpa::FramedFpdu fpdu;
    fpdu.begin = bad.begin;
    fpdu.end = bad.begin + bad.octets.size();
    fpdu.ulpdu_length = bad.ulpdu_length;
    fpdu.crc_computed = bad.crc_computed;
    fpdu.wire = bad.octets;
    std::optional<Better> right = better(fpdu, bad.parameters, bad.spans, alternates);
    if (!right) continue;
    bad_.erase(at);
    return right;
  }
  return std::nullopt;
}

void Overlaps::settle(ConnectionLog& log, Side side, StreamOffset origin, StreamOffset from,
                      StreamOffset upto, bool crc_decided) {
  std::erase_if(conflicts_, [&](const OpenConflict& conflict) {
    const stream::Conflict& octets = conflict.octets;
    if (octets.offset >= upto || octets.offset + octets.length <= from) return false;
    if (!log.state().iwarp) return true;
    const Phrase used = crc_decided          ? Phrase::good_copy_used
                        : octets.second_used ? Phrase::later_copy_used
                                             : Phrase::first_copy_used;
    // Those of a start-up frame count from the connection's first octet.
    const StreamOffset at = octets.offset < origin ? octets.offset : octets.offset - origin;
    log.finding(side, octets.offset, CheckId::cap_conflict,
                {octets.length, at, static_cast<std::uint64_t>(used)}, {conflict.frame});
    return true;
  });
}

}  // namespace iwarp
