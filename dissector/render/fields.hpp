// The plugin's protocol, fields and subtree kinds as epan knows them. The fields themselves: fields.def.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iwarp::dissector {

// Field numbers, -1 before registration.
struct Fields {
#define IWARP_FIELD(name, abbreviation, title, type, display, strings, description) int name = -1;
#define IWARP_BITS(name, abbreviation, title, type, display, strings, mask, description) int name = -1;
#include "render/fields.def"
#undef IWARP_FIELD
#undef IWARP_BITS
};
extern Fields hf;

// Kinds of subtrees: each remembers by itself whether it is open.
struct Subtrees {
  int iwarp = -1;
  int startup = -1;
  int flags = -1;
  int private_data = -1;
  int fpdu = -1;
  int markers = -1;
  int marker = -1;
  int slices = -1;
  int retransmission = -1;
  int ddp = -1;
  int control = -1;
  int rdmap = -1;
  int terminate = -1;
  int terminated = -1;
  int message = -1;
  int finding = -1;
  int undecidables = -1;
  int at_end = -1;
  int state = -1;
  int negotiated = -1;
  int side = -1;
  int queue = -1;
  int qp_state = -1;
  int requests = -1;
  int request = -1;
  int why = -1;
  int stag = -1;
};
extern Subtrees ett;

// Registers the fields and subtree kinds for the protocol.
void register_fields(int protocol);

}  // namespace iwarp::dissector
