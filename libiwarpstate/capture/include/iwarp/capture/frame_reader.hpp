// FrameReader: single frames of a capture file by number, in any order, as they stand in the file.
//
//   const auto index = std::make_shared<FrameIndex>();
//   const auto records = RecordReader::open(path, error, {}, index);    // read them, in one thread
//   …
//   const auto frames = FrameReader::open(path, index, error);          // look some up, in another
//   if (frames->read(8123, record, error)) show(record.octets);
//
// A file is read from the place noted last before the frame, at most 8 MiB of contents in files up to 2 GB.
// zstd can go on at the beginning of its frames alone: most files are one, and what lies behind is read each
// time.
//
// Threads: an index may be used by any number at once; a FrameReader by one at a time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <iwarp/capture/record_reader.hpp>

#pragma GCC visibility push(default)
namespace iwarp::capture {

// Places in one capture file, noted while it is read from its beginning (RecordReader::open). Memory: at most
// 512 places, of 40 KiB each in gzip.
class FrameIndex {
 public:
  FrameIndex();
  ~FrameIndex();
  FrameIndex(const FrameIndex&) = delete;
  FrameIndex& operator=(const FrameIndex&) = delete;

  // Places noted so far.
  [[nodiscard]] std::size_t size() const;

  class [[gnu::visibility("hidden")]] Implementation;
  [[nodiscard]] Implementation& implementation() const noexcept { return *implementation_; }

 private:
  std::unique_ptr<Implementation> implementation_;
};

class FrameReader {
 public:
  // `index`: of that file; one without places, as of a file that nobody read yet, does as well. On failure
  // returns nothing and sets `error` to one sentence that names the file.
  [[nodiscard]] static std::unique_ptr<FrameReader> open(const std::string& path,
                                                         std::shared_ptr<const FrameIndex> index,
                                                         std::string& error);
  ~FrameReader();
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  // Delivers a frame; its octets are valid until the next call. False: `error` says in one sentence why it
  // can't be had: there are fewer, the file is damaged before it, or is another one by now.
  [[nodiscard]] bool read(FrameNumber frame, Record& record, std::string& error);

 private:
  class [[gnu::visibility("hidden")]] Implementation;
  explicit FrameReader(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace iwarp::capture
#pragma GCC visibility pop
