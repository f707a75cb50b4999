// What messages carry: the dissectors of upper layer protocols.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iwarp::dissector {

// Looks the dissectors up. To be called when all protocols are registered.
void find_ulps();

}  // namespace iwarp::dissector
