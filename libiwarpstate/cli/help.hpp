// What --help prints.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iwarp::cli {

inline constexpr const char* help_text =
    R"(Usage: iwarp-analyze [options] CAPTURE...
       iwarp-analyze [options] --interface IF

Follows the protocol state of captured iWARP connections (RDMAP and DDP, over TCP with MPA or over
SCTP) and says which operations were under way, how long they took, and which rules of the RFCs were
broken.
CAPTURE is pcap or pcapng, also in gzip or zstd; - is standard input.

What is read live, instead of a CAPTURE
  --interface IF        the packets of a network interface as they pass; any: of all of them.
                        Records come as they are decided; Ctrl-C ends it, with the report
  --capture-filter BPF  only packets that pass, as of tcpdump: "tcp port 4420"; see pcap-filter(7)
  --write FILE          also keeps the packets, in a pcap file that grows with the capture

What is printed
  --format FORMAT       text (default): a report for a person; jsonl: one JSON record a line; csv
  --records LIST        of streams,fpdus,messages,operations,deliveries,stags,stalls,findings,
                        states,summary; default for jsonl: streams,operations,findings,summary;
                        for csv exactly one kind, default streams; with text: lines of key=value
  --why                 where the time went, in operation records: parts that add up to
                        delivered_ns, the greatest and the frames that show it
  --payload-hash        payload_sha256 in message records: of all octets behind the DDP headers
  --state-at FRAME      the full state of every stream immediately after that frame; what only the
                        end of the capture decides is not in it
  --color WHEN          auto (default), always, never

Narrowing what is printed, never what is analysed
  --stream N            only this stream; numbered as Wireshark's tcp.stream, which does not tell
                        equal addresses in different VLANs or tunnels apart, as is done here
  --filter EXPR         only records for which the expression holds
  --min-severity LEVEL  only findings of at least info (default), note, warning, error

Verdicts
  --fail-on LEVEL       exit status 1 when there are findings of at least error or warning;
                        never (default)
  --strict              known deviations of products at their full severity
  --host NAME=ADDR,...  addresses of one host, whose STags are the same; may be given again
                        (default: each address is a host)

Running
  --max-memory N        MiB that the program may hold, 12 at least (default: half of what there
                        is); beyond that connections that ended are forgotten and those idle
                        longest let go, as CAP-LIMIT says
  --jobs N              captures analysed side by side (default 1; 0: one for each processor;
                        one for each 256 MiB of --max-memory at most); the output comes in the
                        order of the arguments
  --threads N           threads on each capture, which share its streams out (default: as many as
                        processors, where it is worth it; 0: that many; one for each 256 MiB of
                        --max-memory at most); the output is the same, but that where
                        --max-memory is reached each lets go what is idle longest of its own
  --progress WHEN       a bar on standard error: auto (default), always, never

Lists
  --list-checks [FORMAT]  all checks, as text, markdown or json
  --list-fields           all fields of records, as --filter names them
  -h, --help              this text
  --version               the version

Filter expressions
  Fields of records, compared by == != < <= > >= =~ !~ with a value and joined by and, or, not, ( ).
  =~ searches for an extended regular expression. Numbers are decimal or 0x…, durations may have ns,
  us, ms or s. A comparison with null is false; a field alone asks whether it is known and not
  false. A type of record that has none of the fields named is not narrowed.

Examples
  iwarp-analyze storage.pcapng                     what happened, what is wrong and where
  iwarp-analyze --format jsonl --records operations a.pcap.gz
                                                   every operation with its latency
  iwarp-analyze --records fpdus --filter 'from == initiator and opcode =~ send' a.pcap
  iwarp-analyze --records operations --filter 'op == read and latency_ns > 1ms' a.pcap
  iwarp-analyze --records stags --filter 'stag == 0x00112200' a.pcap
  iwarp-analyze --state-at 1234 a.pcap             both ends' state behind frame 1234
  iwarp-analyze --fail-on error --jobs 4 captures/*.pcap
                                                   a check in a test run
  iwarp-analyze --interface eth0 --capture-filter 'tcp port 4420' --write kept.pcap
                                                   watch a connection, keep what was seen
  ssh host tcpdump -i eth0 -w - tcp | iwarp-analyze --format jsonl -

Exit status
  0  done
  1  done, and there are findings at or above --fail-on
  2  could not: bad arguments, a stream that no capture has, an unreadable or damaged capture,
     interrupted; what could be read is printed before. A closed pipe behind standard output
     (| head) is no failure.
)";

}  // namespace iwarp::cli
