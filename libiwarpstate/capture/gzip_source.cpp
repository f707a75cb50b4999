// SPDX-License-Identifier: GPL-2.0-or-later
#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <string>
#include <utility>

#include "compressed_source.hpp"

namespace iwarp::capture {
namespace {

constexpr std::size_t max_chunk = std::size_t{1} << 30;  // zlib counts in unsigned int
constexpr int gzip_window_bits = 15 + 16;                // the largest window, gzip header and CRC

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(InputBuffer input) noexcept : input_(std::move(input)) {
    ready_ = inflateInit2(&stream_, gzip_window_bits) == Z_OK;
  }
  // Goes on as `state` would, whose next octets `input` has.
  GzipSource(InputBuffer input, const GzipSource& state) noexcept
      : input_(std::move(input)), in_member_(state.in_member_), ended_(state.ended_) {
    // zlib's prototype lacks const: the source of a copy stays as it is.
    ready_ = inflateCopy(&stream_, const_cast<z_stream*>(&state.stream_)) == Z_OK;  // NOLINT
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override {
    if (ready_) inflateEnd(&stream_);
  }

  [[nodiscard]] bool is_ready() const noexcept { return ready_; }

  std::size_t read(Byte* to, std::size_t room) override {
    room = std::min(room, max_chunk);
    stream_.next_out = to;
    stream_.avail_out = static_cast<uInt>(room);
    while (!ended_ && stream_.avail_out == room) {
      if (!in_member_ && !start_member()) break;
      inflate_chunk();
    }
    return room - stream_.avail_out;
  }

  std::uint64_t consumed() const noexcept override { return input_.consumed(); }
  std::optional<std::uint64_t> size() const noexcept override { return input_.size(); }
  bool is_compressed() const noexcept override { return true; }

  // Costs some 40 KiB: zlib's state and window.
  Resume resume() const override {
    auto state = std::make_shared<const GzipSource>(InputBuffer(ByteView()), *this);
    if (!state->is_ready()) return {};
    const auto make = [state, from = input_.offset()](const std::string& path,
                                                      std::string& error) -> std::unique_ptr<ByteSource> {
      auto file = open_file(path, error, {}, from);
      if (!file) return nullptr;
      auto source = std::make_unique<GzipSource>(InputBuffer(std::move(file), from), *state);
      if (source->is_ready()) return source;
      error = "not enough memory to decompress it";
      return nullptr;
    };
    return {0, make};
  }

 private:
  void end(const std::string& failure) {
    ended_ = true;
    if (!failure.empty()) fail(failure);
  }

  // Finds the next member. Zeros behind the last one are padding, as tapes and block devices leave it.
  bool start_member() {
    while (input_.ensure(1) && *input_.at() == 0) input_.advance(1);
    if (!input_.ensure(1)) {
      end(input_.failure());
      return false;
    }
    if (!input_.ensure(2) || !is_gzip({input_.at(), 2})) {
      end("octets at " + hex_offset(input_.offset()) + ", behind the gzip data, are not gzip data");
      return false;
    }
    inflateReset(&stream_);
    in_member_ = true;
    return true;
  }

  void inflate_chunk() {
    if (!input_.ensure(1)) {
      const std::string failure = input_.failure();
      end(failure.empty() ? "gzip data ends early at " + hex_offset(input_.offset()) : failure);
      return;
    }
    const std::size_t given = std::min(input_.available(), max_chunk);
    stream_.next_in = input_.at();
    stream_.avail_in = static_cast<uInt>(given);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    input_.advance(given - stream_.avail_in);
    if (result == Z_STREAM_END) {
      in_member_ = false;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      const char* const why = stream_.msg ? stream_.msg : "not enough memory";
      end("gzip data is damaged at " + hex_offset(input_.offset()) + " (" + why + ")");
    }
  }

  InputBuffer input_;
  z_stream stream_{};
  bool ready_ = false;
  bool in_member_ = true;
  bool ended_ = false;
};

}  // namespace

bool is_gzip(ByteView start) noexcept {
  return start.size() >= 2 && start[0] == 0x1f && start[1] == 0x8b;
}

std::unique_ptr<ByteSource> open_gzip(InputBuffer input) {
  auto source = std::make_unique<GzipSource>(std::move(input));
  if (!source->is_ready()) return nullptr;
  return source;
}

}  // namespace iwarp::capture
