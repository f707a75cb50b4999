// What --help prints.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iwarp::gui {

inline constexpr const char* help_text =
    R"(Usage: iwarp-view [options] [CAPTURE...]
       iwarp-view [options] --interface IF

Shows the flow of captured iWARP connections (RDMA over TCP: MPA, DDP, RDMAP): what was slow, and why.
CAPTURE is pcap or pcapng, also in gzip or zstd; - is standard input. Each gets a window of its own.

Where to begin
  --view NAME           flows (default), ladder, outstanding, latency, throughput, time, tcp, stags,
                        operations, messages, operation, state, message, findings
  --stream N            this stream is selected; numbered as Wireshark's tcp.stream
  --frame N             this frame is selected
  --filter EXPR         only what the expression holds for counts (iwarp-analyze --help has the language)
  --range A..B          this time is seen, from the first frame of the capture: 1.5..2, 200ms..350ms;
                        A or B may be left out
  --compare FILE        a window that compares what is seen of CAPTURE with that one, or the picture of it
  --follow              the captures are still being written: what comes is shown within a second

Live
  --interface IF        the packets of a network interface as they pass, of all with "any"; needs the
                        right to capture, and says how to get it
  --capture-filter BPF  of these, only what the expression holds for (pcap-filter(7))

Pictures, without a display
  --screenshot FILE     writes what the window would show, or with --view that view alone, and ends; FILE
                        ends in .png or .svg
  --size WxH            of the picture (default 1280x800)
  --scale N             so many pixels for each of these, from 1 to 4 (default 1)
  --theme NAME          light or dark; of windows, too (default: as the desktop; of pictures light)

Measurement, without a display
  --bench               plays 600 steps of zooming, panning and scrubbing in each view, or in the one that
                        --view names, and prints what they cost as JSON; --size and --scale hold here, too

Running
  --host NAME=ADDR,...  addresses of one host, whose STags are the same; may be given again
  --strict              known deviations of products at their full severity
  --max-memory N        MiB that the program may hold (default: half of what there is); reading ends there
  -h, --help            this text
  --version             the version

Exit status
  0  done
  2  could not: bad arguments, an unreadable or damaged capture; the picture of what could be read of a
     damaged one is written before
)";

}  // namespace iwarp::gui
