// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/capture_read.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "support/places.hpp"

namespace iwarp::test {
namespace {

CaptureRead read(std::unique_ptr<capture::RecordReader> records, const std::string& error) {
  CaptureRead result;
  result.error = error;
  if (!records) return result;
  capture::SegmentReader reader(*records);
  for (TcpSegment segment; reader.next(segment);) {
    OwnedSegment& owned = result.segments.emplace_back();
    owned.octets.assign(segment.payload.begin(), segment.payload.end());
    owned.captured = owned.octets.size();
    owned.octets.resize(segment.wire_length);
    owned.meta = segment;
    owned.meta.payload = {};
  }
  result.skipped = reader.skipped();
  result.damage = records->damage();
  return result;
}

}  // namespace

CaptureRead read_capture(const Bytes& file) {
  std::string error;
  auto records = capture::RecordReader::open_memory(file, "a.pcap", error);
  return read(std::move(records), error);
}

CaptureRead read_capture(const std::string& path) {
  std::string error;
  auto records = capture::RecordReader::open(path, error);
  return read(std::move(records), error);
}

std::vector<std::string> captures_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(places::captures() + "/" + folder)) {
    const std::string path = entry.path().string();
    if (path.find(".pcap") != std::string::npos) paths.push_back(path);
  }
  // A loop over none would pass without an expectation.
  if (paths.empty()) throw std::runtime_error("no captures in captures/" + folder);
  std::ranges::sort(paths);
  return paths;
}

}  // namespace iwarp::test
