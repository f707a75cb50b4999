// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/built_in_plan.hpp"

#include <string>

#include "plan/plan_file.hpp"

namespace iwarp::replay {
namespace {

constexpr const char* text =
    R"(# Something for every fault: messages of each kind, both ways, each side's first an untagged one; and an end by Terminate.
format: "iwarp-replay plan"
version: 1
source: "built in"
seed: 1
host {
  address: "198.18.0.1"
  region { stag: 0x00001101 base: 0x0000000000010000 length: 16384 remote_read: true remote_write: true read_sink: true atomic: true bounds_known: true }
}
host {
  address: "198.18.0.2"
  region { stag: 0x00002202 base: 0x0000000000020000 length: 16384 remote_read: true remote_write: true read_sink: true atomic: true bounds_known: true }
}
stream {
  id: 0
  number: 0
  initiator {
    address: "198.18.0.1"
    port: 50000
    host: 0
    mss: 1460
    startup { revision: 2 crc: true word { ird: 8 ord: 8 } }
  }
  responder {
    address: "198.18.0.2"
    port: 4420
    host: 1
    mss: 1460
    startup { revision: 2 crc: true word { ird: 8 ord: 8 } }
  }
  role_basis: MPA
  accepted: true
  crc: true
  work { id: 0 by: INITIATOR kind: SEND length: 100 octets { seeded: 1 length: 100 } }
  work { id: 1 by: INITIATOR kind: SEND length: 21 octets { seeded: 2 length: 21 } after { received: 11 } }
  work { id: 2 by: INITIATOR kind: SEND length: 5000 octets { seeded: 3 length: 5000 } }
  work { id: 3 by: INITIATOR kind: WRITE length: 40 octets { seeded: 4 length: 40 } stag: 0x00002202 to: 0x0000000000020000 }
  work { id: 4 by: INITIATOR kind: WRITE length: 5001 octets { seeded: 5 length: 5001 } stag: 0x00002202 to: 0x0000000000020400 }
  work { id: 5 by: INITIATOR kind: READ length: 64 stag: 0x00001101 to: 0x0000000000012000 source_stag: 0x00002202 source_to: 0x0000000000022800 }
  work { id: 6 by: INITIATOR kind: READ length: 64 stag: 0x00001101 to: 0x0000000000012100 source_stag: 0x00002202 source_to: 0x0000000000022900 }
  work { id: 7 by: INITIATOR kind: READ length: 0 stag: 0x00001101 to: 0x0000000000012200 source_stag: 0x00002202 source_to: 0x0000000000022a00 }
  work { id: 8 by: INITIATOR kind: ATOMIC length: 8 stag: 0x00002202 to: 0x0000000000023000 atomic { operation: 0 request_id: 1 add_swap_data: 0x0000000000000005 add_swap_mask: 0x0000000000000000 compare_mask: 0xffffffffffffffff } }
  work { id: 9 by: INITIATOR kind: IMMEDIATE length: 8 immediate: 0x1122334455667788 }
  work { id: 10 by: INITIATOR kind: SEND length: 300 octets { seeded: 6 length: 300 } after { completed: 8 } }
  work { id: 11 by: RESPONDER kind: SEND length: 100 octets { seeded: 7 length: 100 } after { received: 0 } }
  work { id: 12 by: RESPONDER kind: SEND length: 21 octets { seeded: 8 length: 21 } after { received: 10 } }
  work { id: 13 by: RESPONDER kind: SEND length: 5000 octets { seeded: 9 length: 5000 } }
  work { id: 14 by: RESPONDER kind: WRITE length: 40 octets { seeded: 10 length: 40 } stag: 0x00001101 to: 0x0000000000010000 }
  work { id: 15 by: RESPONDER kind: WRITE length: 5001 octets { seeded: 11 length: 5001 } stag: 0x00001101 to: 0x0000000000010400 }
  work { id: 16 by: RESPONDER kind: READ length: 64 stag: 0x00002202 to: 0x0000000000022000 source_stag: 0x00001101 source_to: 0x0000000000012800 }
  work { id: 17 by: RESPONDER kind: READ length: 64 stag: 0x00002202 to: 0x0000000000022100 source_stag: 0x00001101 source_to: 0x0000000000012900 }
  work { id: 18 by: RESPONDER kind: READ length: 0 stag: 0x00002202 to: 0x0000000000022200 source_stag: 0x00001101 source_to: 0x0000000000012a00 }
  work { id: 19 by: RESPONDER kind: ATOMIC length: 8 stag: 0x00001101 to: 0x0000000000013000 atomic { operation: 0 request_id: 1 add_swap_data: 0x0000000000000005 add_swap_mask: 0x0000000000000000 compare_mask: 0xffffffffffffffff } }
  work { id: 20 by: RESPONDER kind: IMMEDIATE length: 8 immediate: 0x1122334455667788 }
  work { id: 21 by: RESPONDER kind: SEND length: 300 octets { seeded: 12 length: 300 } }
  work { id: 22 by: INITIATOR kind: FIN after { received: 21 } after { completed: 8 } }
  work { id: 23 by: RESPONDER kind: FIN after { closed: 22 } }
}
stream {
  id: 1
  number: 1
  initiator {
    address: "198.18.0.1"
    port: 50001
    host: 0
    mss: 1460
    startup { revision: 2 crc: true word { ird: 8 ord: 8 } }
  }
  responder {
    address: "198.18.0.2"
    port: 4420
    host: 1
    mss: 1460
    startup { revision: 2 crc: true word { ird: 8 ord: 8 } }
  }
  role_basis: MPA
  accepted: true
  crc: true
  work { id: 0 by: INITIATOR kind: SEND length: 100 octets { seeded: 13 length: 100 } }
  work { id: 1 by: RESPONDER kind: SEND length: 100 octets { seeded: 14 length: 100 } after { received: 0 } }
  work { id: 2 by: INITIATOR kind: TERMINATE length: 4 terminate { hex: "00000000" } after { received: 1 } }
  work { id: 3 by: INITIATOR kind: FIN }
  work { id: 4 by: RESPONDER kind: FIN after { closed: 3 } }
}
)";

}  // namespace

const char* built_in_plan_text() noexcept {
  return text;
}

Plan built_in_plan() {
  std::string error;
  auto plan = plan_from_text(text, error);
  return plan ? std::move(*plan) : Plan();  // a test sees to it that there is one
}

}  // namespace iwarp::replay
