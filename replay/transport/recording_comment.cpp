// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/recording_comment.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iwarp/capture/record_reader.hpp>
#include <optional>
#include <sstream>
#include <utility>

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

}  // namespace

// What comes through a pipe is never one: looking at it would take it away.
bool is_recording(const std::string& path) {
  std::error_code not_there;
  if (!std::filesystem::is_regular_file(path, not_there)) return false;
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
  std::string error;
  const auto records = capture::RecordReader::open(path, error);
  if (!records) return streams;
  for (capture::Record record; records->next(record);) {
    if (record.comment.empty()) continue;
    if (auto stream = parse(record.comment)) streams.push_back(std::move(*stream));
  }
  return streams;
}

}  // namespace iwarp::replay
