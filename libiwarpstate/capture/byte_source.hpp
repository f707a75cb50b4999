// Where octets come from: a file or pipe, memory, or the decompressed contents of another source.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <iwarp/bytes.hpp>

namespace iwarp::capture {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Writes at most `room` octets to `to` and returns how many; fewer than `room` does not mean the end.
  // 0: the end, or failure() says why nothing more can be had. REQUIRES: room > 0.
  [[nodiscard]] virtual std::size_t read(Byte* to, std::size_t room) = 0;

  // What ended the octets early, without the file's name: "gzip data damaged at 0x1f40: ...".
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

  // Octets taken from the file so far, compressed or not.
  [[nodiscard]] virtual std::uint64_t consumed() const noexcept = 0;
  // The size of the file where it is known, looked up afresh because files may grow.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const noexcept = 0;
  // Whether the octets are the file's own, so that offsets in them are offsets in the file.
  [[nodiscard]] virtual bool is_compressed() const noexcept { return false; }

  // Makes a source of the same file that goes on so many octets `behind` where this one stands now.
  struct Resume {
    std::uint64_t behind = 0;
    std::function<std::unique_ptr<ByteSource>(const std::string& path, std::string& error)> make;
  };
  // Nothing to make it: that needs all that came before. Only decompressors have one: a file is opened at any
  // offset.
  [[nodiscard]] virtual Resume resume() const { return {}; }

 protected:
  void fail(std::string failure) { failure_ = std::move(failure); }

 private:
  std::string failure_;
};

// Opens `path` for reading from the octet `from` on, "-" being standard input, which has only its next octet.
// On failure returns nothing and sets `error`, without the file's name. `cancelled`, if any, is asked ten
// times a second, and when a signal came, while there is nothing to read: true ends the octets, with a
// failure. The writer of a FIFO is waited for by the first read().
//
// Reads with read(2) into one buffer and never maps the file: a file that is cut short while mapped would
// kill the process by SIGBUS. Mapping a cached file window by window was measured to read it 1.5 times as
// fast, which saves 25 of the 170 ns that a full-size frame takes up to its TCP segment.
[[nodiscard]] std::unique_ptr<ByteSource> open_file(const std::string& path, std::string& error,
                                                    std::function<bool()> cancelled = {},
                                                    std::uint64_t from = 0);

// Tells a file from another one under the same name, or from what was written over it: captures differ in the
// time of their first frame. Nothing: there is none, or no regular one.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  std::size_t begun = 0;  // octets of `beginning`: all, or those of a file that has fewer
  std::array<Byte, 64> beginning = {};

  // Whether it may be that one at a later time: it may have grown, or have been cut.
  [[nodiscard]] bool may_be(const FileIdentity& later) const noexcept {
    return device == later.device && number == later.number &&
           std::equal(beginning.begin(),
                      beginning.begin() + static_cast<std::ptrdiff_t>(std::min(begun, later.begun)),
                      later.beginning.begin());
  }
};
[[nodiscard]] std::optional<FileIdentity> identify_file(const std::string& path) noexcept;

// "0x1f40"
[[nodiscard]] std::string hex_offset(std::uint64_t offset);

}  // namespace iwarp::capture
