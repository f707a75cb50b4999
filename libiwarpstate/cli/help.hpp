// The texts around the list of options in --help.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iwarp::cli {

inline constexpr const char* help_intro =
    "Follows the protocol state of captured iWARP connections (RDMA over TCP: MPA, DDP, RDMAP)\n"
    "and says which operations were under way, how long they took, and which rules were broken.";

inline constexpr const char* help_footer =
    R"(Filter expressions
  Fields of records (--list-fields) compared by == != < <= > >= =~ !~ and joined by and, or, not, ( ).
  =~ searches for an extended regular expression. Numbers are decimal or 0x…, durations may have ns, us,
  ms, s. A comparison with a null is false; a field alone asks whether it is known and not false. Records
  that have none of the fields named pass.

Examples
  iwarp-analyze storage.pcapng                                     what happened, what is wrong and where
  iwarp-analyze --format jsonl --records operations a.pcap.gz      every operation with its latency
  iwarp-analyze --records fpdus --filter 'from == initiator and opcode =~ send' a.pcap
  iwarp-analyze --records findings --filter 'id =~ ^DDP- or severity == error' a.pcap
  iwarp-analyze --state-at 1234 a.pcap                             both ends' state behind frame 1234
  iwarp-analyze --fail-on error --jobs 4 captures/*.pcap           a check in a test run
  tcpdump -i eth0 -w - tcp | iwarp-analyze --format jsonl -        as the frames come

Exit status
  0  done    1  done, and there are findings at or above --fail-on
  2  could not: bad arguments, unreadable or damaged captures; what could be read is printed before
  When the reader of standard output goes away (| head) it ends quietly with 0 or 1.)";

}  // namespace iwarp::cli
