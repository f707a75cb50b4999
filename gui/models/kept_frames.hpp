// KeptFrames: frames that come once, of an interface or a pipe, kept in a file that nobody else sees, so that
// their octets can be looked at. Of many the newest are kept.
//
// The file has no name: it is gone when this is, and when the program ends in whatever way. Used by one
// thread.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <iwarp/capture/record.hpp>

#include "models/record_source.hpp"

namespace iwarp::gui {

class KeptFrames {
 public:
  // As much of the disk as one capture may take; less where less than twice that is free.
  static constexpr std::uint64_t most_octets = std::uint64_t{1} << 30U;

  // In TMPDIR, else /var/tmp: /tmp is memory on many machines. Where no file can be made, nothing is kept,
  // and read() says why.
  explicit KeptFrames(std::uint64_t most = most_octets);
  ~KeptFrames();
  KeptFrames(const KeptFrames&) = delete;
  KeptFrames& operator=(const KeptFrames&) = delete;

  // REQUIRES: frames come in the order of their numbers.
  void add(const capture::Record& record);
  // Its octets are valid until the next call. False: `error` says why in one sentence.
  [[nodiscard]] bool read(FrameNumber number, capture::Record& record, std::string& error);

 private:
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  void stop(const std::string& what, int reason);
  void flush();
  [[nodiscard]] bool copy(std::uint64_t from, void* to, std::size_t size);

  std::string folder_;
  int file_ = -1;
  std::uint64_t most_ = 0;             // the file's size: where it ends it begins again
  std::vector<std::uint64_t> places_;  // by frame from 1: octets that were added before it
  std::vector<Byte> pending_;          // the newest, not written yet
  std::uint64_t written_ = 0;          // octets before these
  std::vector<Byte> octets_;           // that read() gave
  std::string why_not_;                // nothing more is kept
};

// The frames of another source, kept.
[[nodiscard]] OpenSource kept_source(OpenSource inner, std::uint64_t most = KeptFrames::most_octets);

}  // namespace iwarp::gui
