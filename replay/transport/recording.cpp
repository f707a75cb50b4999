// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/recording.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <iwarp/bytes.hpp>
#include <optional>
#include <sstream>

#include "transport/capture_writer.hpp"

namespace iwarp::replay {
namespace {

constexpr std::string_view head = "stream ";
constexpr std::string_view between = ": ";
constexpr std::string_view here = ", replayed by ";

std::optional<ReplayedStream> parse(std::string_view comment) {
  const std::size_t recorded = comment.find(between);
  const std::size_t live = comment.rfind(here);
  if (!comment.starts_with(head) || recorded == std::string_view::npos || live == std::string_view::npos ||
      live < recorded + between.size())
    return std::nullopt;
  ReplayedStream stream;
  const char* const end = comment.data() + recorded;
  const auto number = std::from_chars(comment.data() + head.size(), end, stream.number);
  if (number.ec != std::errc() || number.ptr != end) return std::nullopt;
  stream.recorded = comment.substr(recorded + between.size(), live - recorded - between.size());
  stream.live = comment.substr(live + here.size());
  return stream;
}

// Octets of a file, from a place on.
class Octets {
 public:
  explicit Octets(const std::string& path) : file_(path, std::ios::binary) {}

  // A 32-bit word, little-endian, as CaptureWriter writes them.
  [[nodiscard]] std::optional<std::uint32_t> word(std::uint64_t at) {
    std::array<Byte, 4> octets{};
    if (!read(at, octets.data(), octets.size())) return std::nullopt;
    return load_le32(octets.data());
  }
  [[nodiscard]] std::optional<std::string> text(std::uint64_t at, std::size_t length) {
    std::string octets(length, '\0');
    if (!read(at, octets.data(), length)) return std::nullopt;
    return octets;
  }

 private:
  bool read(std::uint64_t at, void* to, std::size_t length) {
    file_.seekg(static_cast<std::streamoff>(at));
    return static_cast<bool>(file_.read(static_cast<char*>(to), static_cast<std::streamsize>(length)));
  }

  std::ifstream file_;
};

}  // namespace

bool is_recording(const std::string& path) {
  std::ostringstream out;
  const CaptureWriter writer(out);
  const std::string header = out.str();
  std::ifstream file(path, std::ios::binary);
  std::string beginning(header.size(), '\0');
  return file.read(beginning.data(), static_cast<std::streamsize>(beginning.size())) && beginning == header;
}

std::string comment_of(const ReplayedStream& stream) {
  return std::string(head) + std::to_string(stream.number) + std::string(between) + stream.recorded +
         std::string(here) + stream.live;
}

std::vector<ReplayedStream> replayed_streams(const std::string& path) {
  std::vector<ReplayedStream> streams;
  if (!is_recording(path)) return streams;
  Octets octets(path);
  std::uint64_t at = 0;
  for (auto length = octets.word(4); length && *length >= 12; length = octets.word(at + 4)) {
    const auto type = octets.word(at);
    const auto captured = octets.word(at + 20);
    // Block, 28 octets of header, the frame, padded; the one option that CaptureWriter writes; the length.
    const std::uint64_t option = at + 28 + (std::uint64_t{captured.value_or(0)} + 3) / 4 * 4;
    if (type == pcapng::enhanced_packet && option + 8 <= at + *length) {
      const std::uint32_t code = octets.word(option).value_or(0);
      const std::uint32_t size = code >> 16U;
      if ((code & 0xffffU) == pcapng::comment_option && option + 4 + size <= at + *length) {
        const auto stream = parse(octets.text(option + 4, size).value_or(""));
        if (stream) streams.push_back(*stream);
      }
    }
    at += *length;
  }
  return streams;
}

}  // namespace iwarp::replay
