// SPDX-License-Identifier: GPL-2.0-or-later
#include <zstd.h>

#include <string>
#include <utility>

#include "compressed_source.hpp"

namespace iwarp::capture {
namespace {

class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(InputBuffer input) noexcept : input_(std::move(input)), stream_(ZSTD_createDStream()) {}
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  [[nodiscard]] bool is_ready() const noexcept { return stream_ != nullptr; }

  std::size_t read(Byte* to, std::size_t room) override {
    ZSTD_outBuffer output{to, room, 0};
    // Octets may wait inside the decoder, so it is asked once more before new input is.
    while (!ended_ && output.pos == 0) {
      if (!decoder_may_hold_more_ && !input_.ensure(1)) {
        finish();
        break;
      }
      decompress(output);
    }
    return output.pos;
  }

  std::uint64_t consumed() const noexcept override { return input_.consumed(); }
  std::optional<std::uint64_t> size() const noexcept override { return input_.size(); }
  bool is_compressed() const noexcept override { return true; }

  // Where the latest frame begins: what is inside needs that.
  Resume resume() const override {
    if (frame_ == 0) return {};
    const auto make = [from = frame_](const std::string& path,
                                      std::string& error) -> std::unique_ptr<ByteSource> {
      auto file = open_file(path, error, {}, from);
      if (!file) return nullptr;
      auto source = open_zstd(InputBuffer(std::move(file), from));
      if (!source) error = "not enough memory to decompress it";
      return source;
    };
    return {of_frame_, make};
  }

 private:
  void decompress(ZSTD_outBuffer& output) {
    ZSTD_inBuffer chunk{input_.at(), input_.available(), 0};
    const std::size_t before = output.pos;
    const std::size_t result = ZSTD_decompressStream(stream_, &output, &chunk);
    input_.advance(chunk.pos);
    if (ZSTD_isError(result)) {
      ended_ = true;
      fail("zstd data is damaged at " + hex_offset(input_.offset()) + " (" + ZSTD_getErrorName(result) + ")");
      return;
    }
    between_frames_ = result == 0;
    of_frame_ += output.pos - before;
    if (between_frames_) {
      frame_ = input_.offset();
      of_frame_ = 0;
    }
    decoder_may_hold_more_ = output.pos == output.size && !between_frames_;
  }

  void finish() {
    ended_ = true;
    if (!input_.failure().empty()) {
      fail(input_.failure());
    } else if (!between_frames_) {
      fail("zstd data ends early at " + hex_offset(input_.offset()));
    }
  }

  InputBuffer input_;
  ZSTD_DStream* stream_;
  std::uint64_t frame_ = 0;     // where the latest frame begins in the file
  std::uint64_t of_frame_ = 0;  // octets that it gave so far
  bool between_frames_ = false;
  bool decoder_may_hold_more_ = false;
  bool ended_ = false;
};

}  // namespace

bool is_zstd(ByteView start) noexcept {
  if (start.size() < 4) return false;
  const std::uint32_t magic = load_le32(start.data());
  return magic == ZSTD_MAGICNUMBER || (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

std::unique_ptr<ByteSource> open_zstd(InputBuffer input) {
  auto source = std::make_unique<ZstdSource>(std::move(input));
  if (!source->is_ready()) return nullptr;
  return source;
}

}  // namespace iwarp::capture
