// The octets of another ByteSource, read ahead in a thread of its own: for what takes long to make, such as
// the contents of a compressed file.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>

#include "byte_source.hpp"

namespace iwarp::capture {

// At most four blocks of 256 KiB ahead. REQUIRES: `source` never waits for long, as a pipe does: the result's
// destructor waits for it.
[[nodiscard]] std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> source);

}  // namespace iwarp::capture
