// The contents of gzip and zstd files as ByteSources.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>

#include <iwarp/bytes.hpp>

#include "input_buffer.hpp"

namespace iwarp::capture {

// Whether data that begins so is gzip (RFC 1952 §2.3.1) or zstd (RFC 8878 §3.1, skippable frames included).
[[nodiscard]] bool is_gzip(ByteView start) noexcept;
[[nodiscard]] bool is_zstd(ByteView start) noexcept;

// Decompress `input` from where it stands to its end. All gzip members or zstd frames follow one another in
// the output. Memory: the format's window, at most 32 KiB for gzip and 128 MiB for zstd.
// Nothing when there is no memory for that.
[[nodiscard]] std::unique_ptr<ByteSource> open_gzip(InputBuffer input);
[[nodiscard]] std::unique_ptr<ByteSource> open_zstd(InputBuffer input);

}  // namespace iwarp::capture
