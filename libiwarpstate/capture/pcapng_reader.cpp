// The pcapng format: blocks, each with its length in front and behind.
// https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-02.html
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "format_reader.hpp"
#include "time_scale.hpp"

namespace iwarp::capture {
namespace {

enum BlockType : std::uint32_t {
  section_header = 0x0a0d0d0a,  // reads the same in both byte orders
  interface_description = 1,
  packet = 2,  // obsolete
  simple_packet = 3,
  enhanced_packet = 6,
};

// Blocks that Wireshark counts as frames though they hold no packet (tried with 4.0.17): frame numbers are
// its numbers.
constexpr bool is_frame_without_packet(std::uint32_t block_type) noexcept {
  switch (block_type) {
    case 9:           // systemd Journal Export Block
    case 0x00000bad:  // Custom Block, …
    case 0x40000bad:  // … not to be copied
    case 0x00000204:  // Sysdig Event Block, …
    case 0x00000216:  // … version 2, …
    case 0x00000221:  // … large
      return true;
    default: return false;  // those of Sysdig with flags, too (0x208, 0x217, 0x222)
  }
}

enum OptionCode : std::uint16_t {
  end_of_options = 0,
  opt_comment = 1,
  if_tsresol = 9,
  if_tsoffset = 14
};

constexpr std::uint32_t byte_order_magic = 0x1a2b3c4d;
constexpr std::uint16_t major_version = 1;

// Lengths of blocks with an empty variable part.
constexpr std::uint32_t min_block = 12;
constexpr std::uint32_t min_section_header = 28;
constexpr std::uint32_t min_interface_description = 20;
constexpr std::uint32_t min_packet = 32;  // Enhanced and old Packet Blocks alike
constexpr std::uint32_t min_simple_packet = 16;

// A block around the longest record, with any options that make sense.
constexpr std::uint32_t max_block = max_record_octets + (1U << 20);

// Of a section: as many as an old Packet Block can name. Whoever describes millions fills memory.
constexpr std::size_t max_interfaces = std::size_t{1} << 16U;
// Of more the state is not kept.
constexpr std::size_t max_copied_interfaces = 1024;

constexpr std::size_t padded_to_word(std::size_t length) noexcept {
  return (length + 3) / 4 * 4;
}

struct Interface {
  std::uint32_t link_type = 0;
  std::uint32_t snapshot_length = 0;  // 0: no limit
  TimeScale time_scale;
};

class PcapngReader final : public FormatReader {
 public:
  using FormatReader::FormatReader;

  bool start() override {
    if (!begin_block()) return cut_short("block", 1, 0);
    return block_fits(min_section_header) && read_section_header();
  }

  bool next(Record& record) override {
    constexpr std::uint64_t blocks_between_looks = 64;  // each perhaps long
    for (std::uint64_t passed = 0;; ++passed) {
      if (passed % blocks_between_looks == blocks_between_looks - 1 && is_cancelled()) {
        return block_damaged("was not read: reading was cancelled before it");
      }
      if (!begin_block()) return at_clean_end() ? false : no_block();
      switch (block_type_) {
        case section_header:
          if (!block_fits(min_section_header) || !read_section_header()) return false;
          break;
        case interface_description:
          if (!block_fits(min_interface_description) || !read_interface()) return false;
          break;
        case packet:
        case enhanced_packet: return block_fits(min_packet) && read_packet(record);
        case simple_packet: return block_fits(min_simple_packet) && read_simple_packet(record);
        default:
          if (!pass_over()) return false;
          if (is_frame_without_packet(block_type_)) ++state_.number;
      }
    }
  }

  Resume resume() const override {
    if (state_.interfaces.size() > max_copied_interfaces) return {};
    return [copy = state_](InputBuffer input, std::string name) {
      auto reader = std::make_unique<PcapngReader>(std::move(input), std::move(name));
      reader->state_ = copy;
      return reader;
    };
  }

 private:
  struct State {
    bool big_endian = false;
    std::uint64_t block = 0;            // counts from 1
    std::vector<Interface> interfaces;  // of the section
    std::uint32_t earlier_interfaces = 0;
    FrameNumber number = 0;
  };

  [[nodiscard]] std::uint16_t load16(const Byte* at) const noexcept {
    return state_.big_endian ? load_be16(at) : static_cast<std::uint16_t>(at[0] | at[1] << 8);
  }
  [[nodiscard]] std::uint32_t load32(const Byte* at) const noexcept {
    return state_.big_endian ? load_be32(at) : load_le32(at);
  }
  bool block_damaged(std::string_view what) { return damaged("block", state_.block, block_offset_, what); }

  // Reads type and length of the next block. False when the file ends before: see no_block().
  bool begin_block() {
    ++state_.block;
    block_offset_ = input_.offset();
    if (!input_.ensure(min_block)) return false;
    const Byte* const header = input_.at();
    block_type_ = load32(header);
    // A section brings its own byte order, told in front of what is needed to read the length.
    if (block_type_ == section_header) state_.big_endian = load_be32(header + 8) == byte_order_magic;
    block_length_ = load32(header + 4);
    return true;
  }

  // Too few octets for a block are the beginning of one, unless its length tells otherwise.
  bool no_block() {
    constexpr std::size_t head = 8;  // type and length
    const bool readable = input_.available() >= head && load32(input_.at()) != section_header;
    if (readable) block_length_ = load32(input_.at() + 4);
    if (readable && !length_makes_sense(min_block)) return false;
    return cut_short("block", state_.block, block_offset_);
  }

  bool length_makes_sense(std::uint32_t least) {
    if (block_length_ >= least && block_length_ % 4 == 0) return true;
    return block_damaged("has the impossible length " + std::to_string(block_length_));
  }

  bool trailer_agrees(const Byte* trailer) {
    if (load32(trailer) == block_length_) return true;
    return block_damaged("has two different lengths, " + std::to_string(block_length_) + " and " +
                         std::to_string(load32(trailer)));
  }

  // Makes the whole block available.
  bool block_fits(std::uint32_t least) {
    if (block_type_ == section_header && load32(input_.at() + 8) != byte_order_magic) {
      return block_damaged("has an unknown byte order");
    }
    if (!length_makes_sense(least)) return false;
    if (block_length_ > max_block) return too_long("block", state_.block, block_offset_, block_length_);
    if (!input_.ensure(block_length_)) return cut_short("block", state_.block, block_offset_);
    return trailer_agrees(input_.at() + block_length_ - 4);
  }

  bool pass_over() {
    if (!length_makes_sense(min_block)) return false;
    if (!input_.skip(block_length_ - 4) || !input_.ensure(4)) {
      return cut_short("block", state_.block, block_offset_);
    }
    if (!trailer_agrees(input_.at())) return false;
    input_.advance(4);
    return true;
  }

  bool read_section_header() {
    if (load16(input_.at() + 12) != major_version) {
      return block_damaged("is of an unknown version of pcapng");
    }
    state_.earlier_interfaces += static_cast<std::uint32_t>(state_.interfaces.size());
    state_.interfaces.clear();
    input_.advance(block_length_);
    return true;
  }

  bool read_interface() {
    if (state_.interfaces.size() >= max_interfaces) {
      return block_damaged("describes one interface more than the " + std::to_string(max_interfaces) +
                           " of a section that are read");
    }
    const Byte* const block = input_.at();
    Interface interface;
    interface.link_type = load16(block + 8);
    interface.snapshot_length = load32(block + 12);
    interface.time_scale = read_time_options({block + 16, block_length_ - min_interface_description});
    state_.interfaces.push_back(interface);
    input_.advance(block_length_);
    return true;
  }

  // Hands `take` code and value of each. Options behind a malformed one are not looked at.
  template <typename Take>
  void read_options(ByteView options, const Take& take) const noexcept {
    while (options.size() >= 4) {
      const std::uint16_t code = load16(options.data());
      const std::size_t length = load16(options.data() + 2);
      const std::size_t padded = padded_to_word(length);
      if (code == end_of_options || padded > options.size() - 4) break;
      take(code, options.subspan(4, length));
      options = options.subspan(4 + padded);
    }
  }

  [[nodiscard]] TimeScale read_time_options(ByteView options) const noexcept {
    std::uint8_t resolution = 6;
    std::uint64_t offset_seconds = 0;
    read_options(options, [&](std::uint16_t code, ByteView value) {
      if (code == if_tsresol && value.size() == 1) resolution = value[0];
      if (code == if_tsoffset && value.size() == 8) {
        const std::uint64_t first = load32(value.data()), second = load32(value.data() + 4);
        offset_seconds = state_.big_endian ? first << 32 | second : second << 32 | first;
      }
    });
    return TimeScale(resolution, static_cast<std::int64_t>(offset_seconds));
  }

  [[nodiscard]] std::string_view read_comment(ByteView options) const noexcept {
    std::optional<std::string_view> comment;
    read_options(options, [&](std::uint16_t code, ByteView value) {
      if (code == opt_comment && !comment)
        comment = std::string_view(reinterpret_cast<const char*>(value.data()), value.size());
    });
    return comment.value_or(std::string_view());
  }

  bool read_packet(Record& record) {
    const Byte* const block = input_.at();
    const std::uint32_t interface = block_type_ == packet ? load16(block + 8) : load32(block + 8);
    const std::uint32_t captured = load32(block + 20);
    if (captured > block_length_ - min_packet) return block_damaged("is shorter than the packet it holds");
    if (!fill(record, interface)) return false;
    const std::uint64_t ticks = std::uint64_t{load32(block + 12)} << 32 | load32(block + 16);
    record.time_ns = state_.interfaces[interface].time_scale.to_ns(ticks);
    record.has_time = true;
    record.octets = {block + 28, captured};
    record.wire_length = std::max(captured, load32(block + 24));
    const std::size_t options = std::min<std::size_t>(28 + padded_to_word(captured), block_length_ - 4);
    record.comment = read_comment({block + options, block_length_ - 4 - options});
    input_.advance(block_length_);
    return true;
  }

  bool read_simple_packet(Record& record) {
    const Byte* const block = input_.at();
    if (!fill(record, 0)) return false;
    record.time_ns = 0;
    record.has_time = false;
    const std::uint32_t wire_length = load32(block + 8);
    const std::uint32_t limit = state_.interfaces[0].snapshot_length;
    std::uint32_t captured = std::min(wire_length, block_length_ - min_simple_packet);
    if (limit != 0) captured = std::min(captured, limit);
    record.octets = {block + 12, captured};
    record.wire_length = wire_length;
    record.comment = {};
    input_.advance(block_length_);
    return true;
  }

  bool fill(Record& record, std::uint32_t interface) {
    if (interface >= state_.interfaces.size())
      return block_damaged("names an interface that no block describes");
    record.number = ++state_.number;
    record.link_type = state_.interfaces[interface].link_type;
    record.interface = state_.earlier_interfaces + interface;
    return true;
  }

  State state_;
  std::uint64_t block_offset_ = 0;
  std::uint32_t block_type_ = 0;
  std::uint32_t block_length_ = 0;
};

}  // namespace

bool is_pcapng(ByteView start) noexcept {
  return start.size() >= 4 && load_be32(start.data()) == section_header;
}

std::unique_ptr<FormatReader> make_pcapng_reader(InputBuffer input, std::string name) {
  return std::make_unique<PcapngReader>(std::move(input), std::move(name));
}

}  // namespace iwarp::capture
