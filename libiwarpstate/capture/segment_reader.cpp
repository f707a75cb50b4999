// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/capture/segment_reader.hpp>

namespace iwarp::capture {

SegmentReader::Step SegmentReader::step(TcpSegment& segment) {
  Record record;
  if (!records_.next(record)) return Step::end;
  ++frames_;
  octets_ += record.octets.size();
  if (!decoder_.decode(record, segment)) return Step::skipped;
  ++segments_;
  return Step::segment;
}

bool SegmentReader::next(TcpSegment& segment) {
  while (true) {
    const Step done = step(segment);
    if (done != Step::skipped) return done == Step::segment;
  }
}

}  // namespace iwarp::capture
