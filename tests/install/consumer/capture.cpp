// Reads the segments of a capture that is empty but for its header.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/capture/segment_reader.hpp>

#include <cstdio>

int main() {
  const iwarp::Byte pcap_header[] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0,
                                     0,    0,    0,    0,    0, 0, 1, 0, 1, 0, 0, 0};
  std::string error;
  const auto records = iwarp::capture::RecordReader::open_memory(pcap_header, "empty.pcap", error);
  if (!records) {
    std::printf("%s\n", error.c_str());
    return 1;
  }
  iwarp::capture::SegmentReader segments(*records);
  iwarp::TcpSegment segment;
  return segments.next(segment) || records->damage() ? 1 : 0;
}
