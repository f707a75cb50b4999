// Columns as fields: _ws.col.protocol, _ws.col.info …
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "compat/epan.hpp"

namespace iwarp::dissector {

// Makes those in `tree`, the frame's own, what the columns say now. From Wireshark 4.4 on epan puts them
// there before it calls post-dissectors, and would show what the columns said until then.
void renew_column_fields(packet_info* pinfo, proto_tree* tree);

}  // namespace iwarp::dissector
