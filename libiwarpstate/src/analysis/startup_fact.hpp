// The fact that octets become when they are an MPA start-up frame (RFC 5044 §7.1, RFC 6581 §9).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analysis/connection_log.hpp"
#include "analysis/private_data_store.hpp"
#include "analysis/span_map.hpp"
#include "mpa/startup_scanner.hpp"

namespace iwarp {

// The frame that `scanner` holds, as far as it came. `early_octets`: see StartupFact.
void record_startup(ConnectionLog& log, Side side, const mpa::StartupScanner& scanner, const SpanMap& spans,
                    std::uint32_t early_octets, PrivateDataStore& private_data);

}  // namespace iwarp
