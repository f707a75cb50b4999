// What FrameIndex keeps: places in a file at which reading can go on.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <iwarp/capture/frame_reader.hpp>

#include "byte_source.hpp"
#include "format_reader.hpp"

namespace iwarp::capture {

class FrameIndex::Implementation {
 public:
  // What is needed to go on behind a frame.
  struct Place {
    FrameNumber frame = 0;     // read last
    std::uint64_t offset = 0;  // behind it, in the contents
    FormatReader::Resume format;
    std::uint64_t source_offset = 0;  // where the source stands that is resumed: `offset` or less
    std::function<std::unique_ptr<ByteSource>(const std::string&, std::string&)>
        source;  // nothing: the file itself, at any offset
  };

  void set_file(const std::string& path) {
    const std::lock_guard lock(mutex_);
    file_ = identify_file(path);
  }
  // Called behind each record.
  void note(const FormatReader& reader, FrameNumber frame) {
    if (reader.input().source_offset() >= next_offset_) add(reader, frame);
  }

  // The last place before a frame; nothing: the beginning is the best.
  [[nodiscard]] std::optional<Place> place_before(FrameNumber frame) const;
  [[nodiscard]] std::optional<FileIdentity> file() const;
  [[nodiscard]] std::size_t size() const;

 private:
  void add(const FormatReader& reader, FrameNumber frame);

  mutable std::mutex mutex_;  // of places_ and file_
  std::vector<Place> places_;
  std::optional<FileIdentity> file_;
  // The reading thread's. What its source was when the latest place was noted: the next ones begin there.
  std::uint64_t interval_ = std::uint64_t{4} << 20U;
  std::uint64_t next_offset_ = interval_;
  std::uint64_t source_offset_ = 0;
  decltype(Place::source) source_;
};

}  // namespace iwarp::capture
