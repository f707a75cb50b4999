// For each RDMA Read of a capture: the frame of its request, and those of its response's segments.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdio>
#include <iwarp/capture/segment_reader.hpp>
#include <iwarp/connection_events.hpp>
#include <map>
#include <vector>

using iwarp::EventKind;

static void print_reads(const iwarp::Analysis& analysis, iwarp::ConnectionId connection) {
  std::map<std::uint32_t, std::vector<iwarp::FrameNumber>> segments;  // frames, by the message's number
  iwarp::ConnectionEvents events(analysis, connection);
  while (const iwarp::Event* event = events.next()) {
    if (event->kind == EventKind::fpdu) segments[event->fpdu.message].push_back(event->fpdu.placed.frame);
    if (event->kind != EventKind::operation) continue;
    const iwarp::OperationConclusion& read = event->operation;
    if (read.kind != iwarp::OperationKind::read) continue;
    std::printf("stream %u: Read in frame %llu, response in", connection,
                static_cast<unsigned long long>(read.request.frame));
    for (const auto frame : segments[read.response_message])
      std::printf(" %llu", static_cast<unsigned long long>(frame));
    std::printf(read.response_message == 0 ? " no frame\n" : "\n");
  }
}

int main(int argc, char** argv) {
  std::string error = "usage: reads CAPTURE";
  const auto records = argc == 2 ? iwarp::capture::RecordReader::open(argv[1], error) : nullptr;
  if (!records) return std::fprintf(stderr, "%s\n", error.c_str()), 2;
  iwarp::capture::SegmentReader segments(*records);
  iwarp::Analyzer analyzer({.keep_log = true});
  iwarp::TcpSegment segment;
  while (segments.next(segment)) (void)analyzer.add(segment);
  (void)analyzer.finish();
  for (iwarp::ConnectionId id = 0; id < analyzer.analysis().connection_count(); ++id)
    print_reads(analyzer.analysis(), id);
}
