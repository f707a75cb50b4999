// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/capture_writer.hpp"

#include <algorithm>
#include <array>

#include "transport/recording_comment.hpp"

namespace iwarp::replay {
namespace {

constexpr std::uint32_t ethernet = 1;             // LINKTYPE_ETHERNET
constexpr std::uint32_t usual_snapshot = 262144;  // what tcpdump states for "all"
constexpr std::uint32_t pcap_nanoseconds = 0xa1b23c4d;
constexpr std::uint32_t section_header = 0x0a0d0d0a;
constexpr std::uint32_t interface_description = 1;
constexpr std::uint32_t enhanced_packet = 6;
constexpr std::uint32_t end_of_options = 0;
constexpr std::uint32_t comment_option = 1;
constexpr TimeNs second = 1'000'000'000;

// 32-bit words, little-endian.
template <std::size_t Count>
std::array<Byte, 4 * Count> words(const std::uint32_t (&values)[Count]) noexcept {
  std::array<Byte, 4 * Count> octets{};
  for (std::size_t i = 0; i < Count; ++i) store_le32(&octets[4 * i], values[i]);
  return octets;
}

}  // namespace

CaptureWriter::CaptureWriter(std::ostream& out, CaptureFormat format, std::uint32_t snapshot_length)
    : out_(out), format_(format), snapshot_length_(snapshot_length) {
  if (format_ == CaptureFormat::pcapng) {
    write_pcapng_header();
    return;
  }
  const std::uint32_t snapshot = snapshot_length_ == 0 ? usual_snapshot : snapshot_length_;
  write_octets(words({pcap_nanoseconds, 4U << 16U | 2U, 0, 0, snapshot, ethernet}));  // version 2.4
}

void CaptureWriter::write_pcapng_header() {
  constexpr std::uint32_t byte_order = 0x1a2b3c4d, unknown = 0xffffffff;
  constexpr std::uint32_t resolution_option = 1U << 16U | 9, nanoseconds = 9;
  constexpr auto name_length = static_cast<std::uint32_t>(recording_application.size());
  constexpr std::uint32_t application_option = name_length << 16U | 4;
  static_assert(name_length % 4 == 0, "needs no padding");
  constexpr std::uint32_t length = 28 + 4 + name_length + 4;
  write_octets(words({section_header, length, byte_order, 1, unknown, unknown, application_option}));  // 1.0
  out_ << recording_application;
  write_octets(words({end_of_options, length}));
  write_octets(words({interface_description, 32, ethernet, snapshot_length_, resolution_option, nanoseconds,
                      end_of_options, 32}));
}

bool CaptureWriter::write(TimeNs time_ns, ByteView frame, std::string_view comment) {
  if (!out_) return false;
  const ByteView captured =
      snapshot_length_ == 0 ? frame : frame.first(std::min<std::size_t>(frame.size(), snapshot_length_));
  if (format_ == CaptureFormat::pcap) {
    write_pcap(time_ns, captured, frame.size());
  } else {
    write_pcapng(time_ns, captured, frame.size(), comment);
  }
  if (!out_) return false;
  ++frames_;
  return true;
}

void CaptureWriter::write_pcap(TimeNs time_ns, ByteView captured, std::size_t wire_length) {
  write_octets(
      words({static_cast<std::uint32_t>(time_ns / second), static_cast<std::uint32_t>(time_ns % second),
             static_cast<std::uint32_t>(captured.size()), static_cast<std::uint32_t>(wire_length)}));
  write_octets(captured);
}

void CaptureWriter::write_pcapng(TimeNs time_ns, ByteView captured, std::size_t wire_length,
                                 std::string_view comment) {
  const auto padding_of = [](std::size_t length) { return (4 - length % 4) % 4; };
  const auto length = static_cast<std::uint32_t>(captured.size());
  const std::size_t options = comment.empty() ? 0 : 4 + comment.size() + padding_of(comment.size()) + 4;
  const auto total = static_cast<std::uint32_t>(32 + length + padding_of(length) + options);
  const auto time = static_cast<std::uint64_t>(time_ns);
  constexpr std::array<Byte, 4> zeros{};
  write_octets(words({enhanced_packet, total, 0, static_cast<std::uint32_t>(time >> 32U),
                      static_cast<std::uint32_t>(time), length, static_cast<std::uint32_t>(wire_length)}));
  write_octets(captured);
  write_octets(ByteView(zeros).first(padding_of(length)));
  if (!comment.empty()) {
    write_octets(words({static_cast<std::uint32_t>(comment.size()) << 16U | comment_option}));
    out_ << comment;
    write_octets(ByteView(zeros).first(padding_of(comment.size())));
    write_octets(words({end_of_options}));
  }
  write_octets(words({total}));
}

void CaptureWriter::write_octets(ByteView octets) {
  // char and Byte are both octets; iostreams know only the one.
  out_.write(reinterpret_cast<const char*>(octets.data()), static_cast<std::streamsize>(octets.size()));
}

}  // namespace iwarp::replay
