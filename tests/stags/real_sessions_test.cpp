// Real sessions of each ULP: whose memory the operations go to was told by a Send in nearly all of them, and
// is read with certainty.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "stags/stag_scene.hpp"
#include "support/capture_read.hpp"
#include "support/places.hpp"

namespace iwarp::test {
namespace {

struct Session {
  const char* capture;
  Ulp ulp;
};

void PrintTo(const Session& session, std::ostream* out) {
  *out << session.capture;
}

class RealSession : public testing::TestWithParam<Session> {};

TEST_P(RealSession, ToldOfTheMemoryThatIsUsed) {
  const std::string path = places::captures() + "/real/" + GetParam().capture;
  const Found found = follow(read_capture(path).segments);
  std::uint64_t used = 0;
  std::uint64_t told = 0;
  for (const StagRecord& each : found.records) {
    const auto count = [&](wire::Opcode opcode) { return each.operations[static_cast<std::size_t>(opcode)]; };
    const std::uint64_t operations = count(wire::Opcode::rdma_write) + count(wire::Opcode::read_request);
    used += operations;
    if (!each.advertised) continue;
    EXPECT_EQ(each.advertised->ulp, GetParam().ulp);
    if (each.advertised->confidence == Confidence::high) told += operations;
  }
  EXPECT_GT(used, 5U);
  EXPECT_GT(told * 100, used * 95) << told << " of " << used;
  EXPECT_EQ(found.texts, Texts());
}

INSTANTIATE_TEST_SUITE_P(Ulps, RealSession,
                         testing::Values(Session{"04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz", Ulp::rpc_rdma},
                                         Session{"05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst", Ulp::nvme},
                                         Session{"06a-iser-mtu9000-tso-nocrc.pcap.zst", Ulp::iser},
                                         Session{"06c-smb-direct-mtu1500-tso-crc.pcap.zst", Ulp::smb_direct},
                                         Session{"07b-rstream-lat64K.pcap.gz", Ulp::rsockets},
                                         Session{"07c-riostream.pcap.gz", Ulp::rsockets},
                                         Session{"07d-rcopy.pcap.gz", Ulp::rsockets}),
                         [](const auto& session) { return std::string(session.param.capture, 3); });

}  // namespace
}  // namespace iwarp::test
