// A capture file read to its end: its TCP segments with their octets, for tests that analyse them in their
// own way.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <iwarp/capture/segment_reader.hpp>

#include "support/conversation.hpp"

namespace iwarp::test {

struct CaptureRead {
  std::vector<OwnedSegment> segments;
  std::map<std::string, std::uint64_t> skipped;
  std::optional<capture::Damage> damage;
  std::string error;  // why it could not be opened
};

[[nodiscard]] CaptureRead read_capture(const Bytes& file);
[[nodiscard]] CaptureRead read_capture(const std::string& path);

// All files with TCP in captures/<folder>, sorted by name; paths. Throws when there are none.
[[nodiscard]] std::vector<std::string> captures_in(const std::string& folder);

}  // namespace iwarp::test
