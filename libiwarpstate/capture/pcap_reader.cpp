// The pcap format: a file header, then records of a header and the captured octets.
// https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <utility>

#include "format_reader.hpp"
#include "pcap_magic.hpp"

namespace iwarp::capture {
namespace {

constexpr std::uint32_t magic_modified = 0xa1b2cd34;  // records with an interface index, Linux 2.2's libpcap

constexpr std::size_t file_header_octets = 24;
constexpr std::size_t record_header_octets = 16;
constexpr std::size_t modified_record_header_octets = 24;

// The upper half of the link type field tells of a frame check sequence.
constexpr std::uint32_t link_type_mask = 0xffff;

constexpr bool is_magic(std::uint32_t value) {
  return value == magic_microseconds || value == magic_nanoseconds || value == magic_modified;
}

class PcapReader final : public FormatReader {
 public:
  using FormatReader::FormatReader;

  bool start() override {
    if (!input_.ensure(file_header_octets)) return cut_short("file header", 0, 0);
    const Byte* const header = input_.at();
    state_.big_endian = is_magic(load_be32(header));
    const std::uint32_t magic = load32(header);
    state_.nanoseconds_per_fraction = magic == magic_nanoseconds ? 1 : 1000;
    state_.header_octets = magic == magic_modified ? modified_record_header_octets : record_header_octets;
    state_.link_type = load32(header + 20) & link_type_mask;
    input_.advance(file_header_octets);
    return true;
  }

  bool next(Record& record) override {
    const std::uint64_t offset = input_.offset();
    if (!input_.ensure(state_.header_octets)) {
      return at_clean_end() ? false : cut_short("record", state_.number + 1, offset);
    }
    const std::uint32_t captured = load32(input_.at() + 8);
    if (captured > max_record_octets) return too_long("record", state_.number + 1, offset, captured);
    if (!input_.ensure(state_.header_octets + captured))
      return cut_short("record", state_.number + 1, offset);

    const Byte* const header = input_.at();
    record.number = ++state_.number;
    record.time_ns =
        TimeNs{load32(header)} * 1'000'000'000 + TimeNs{load32(header + 4)} * state_.nanoseconds_per_fraction;
    record.has_time = true;
    record.link_type = state_.link_type;
    record.interface = 0;
    record.octets = {header + state_.header_octets, captured};
    record.wire_length = std::max(captured, load32(header + 12));
    input_.advance(state_.header_octets + captured);
    return true;
  }

  Resume resume() const override {
    return [copy = state_](InputBuffer input, std::string name) {
      auto reader = std::make_unique<PcapReader>(std::move(input), std::move(name));
      reader->state_ = copy;
      return reader;
    };
  }

 private:
  struct State {
    bool big_endian = false;
    std::int64_t nanoseconds_per_fraction = 1000;
    std::size_t header_octets = record_header_octets;
    std::uint32_t link_type = 0;
    FrameNumber number = 0;
  };

  [[nodiscard]] std::uint32_t load32(const Byte* at) const noexcept {
    return state_.big_endian ? load_be32(at) : load_le32(at);
  }

  State state_;
};

}  // namespace

bool is_pcap(ByteView start) noexcept {
  return start.size() >= 4 && (is_magic(load_be32(start.data())) || is_magic(load_le32(start.data())));
}

std::unique_ptr<FormatReader> make_pcap_reader(InputBuffer input, std::string name) {
  return std::make_unique<PcapReader>(std::move(input), std::move(name));
}

}  // namespace iwarp::capture
