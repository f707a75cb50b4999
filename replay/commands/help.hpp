// What --help prints.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iwarp::replay {

inline constexpr const char* help_text =
    R"(Usage: iwarp-replay plan CAPTURE|PLAN -o PLAN [--text] [--anonymise]
       iwarp-replay run CAPTURE|PLAN --loopback | --in-memory [options]
       iwarp-replay run CAPTURE|PLAN --as initiator --connect HOST:PORT | --map RECORDED=LIVE... [options]
       iwarp-replay run CAPTURE|PLAN --as responder --listen ADDRESS:PORT [options]
       iwarp-replay compare RECORDED LIVE [--json] [--ignore RULE]...
       iwarp-replay campaign [CAPTURE|PLAN] [--connect HOST:PORT | --listen ADDRESS:PORT] [--json]
                    [options of run marked c]
       iwarp-replay shrink CAPTURE|PLAN -o SMALLER [--text] [--command COMMAND | options of run marked s]
       iwarp-replay --list-injections [text|markdown]

A CAPTURE may be -, standard input. plan and run take several: one behind the other, their streams numbered on.

Makes captured iWARP traffic (RDMA over TCP) again: not its packets, but the work requests behind
them, posted to a soft-RNIC over TCP; then says where the new run differs from the recorded one.

  plan      captures' work requests, memory and start-ups, as a file (docs/replay-plan.md); of a
            plan the same again, as text or not
  run       runs them: both ends on this machine, or one end against a live peer
  compare   what happened in two captures or plans, and the first difference; payload is compared
            where both have it
  campaign  breaks every rule that a sender can break, one a connection, and tells whether the peer
            answers as the RFCs want it: both ends in memory, or one end against a live peer
  shrink    the smallest part of a plan whose run, in memory, fails in the same way

Making a plan
  -o, --output FILE     where to write it; - is standard output
  --text                as text, which can be read and edited
  --anonymise           seeded payload, other addresses, no names; it still replays

Options of run. A c in front of what they do: campaign knows them, too; an s: shrink does

Who plays
  --loopback            both ends, over TCP on 127.0.0.1
  --in-memory           both ends, without any network and in virtual time: the same every time; --record
                        has the recorded addresses
  --fault KIND:HOW      what the network in memory does to packets: loss, duplication, reordering,
                        corruption, hidden-corruption (TCP's checksum fits), splitting, coalescing; to
                        how many (loss:2%) or to which with octets (loss:7); may be repeated; --seed
  --as ROLE             one end: initiator or responder; the other one is a live peer
  --connect HOST:PORT   where the peer of --as initiator is
  --map RECORDED=LIVE   which live HOST:PORT stands for which recorded responder, ADDRESS[:PORT]; may be
                        repeated; --connect is for those that no --map names
  --bind ADDRESS     c  with --connect or --map: connections come from this address of the machine
  --listen ADDRESS:PORT where --as responder waits for its peer
  --accept-only ADDRESS with --listen: peers at this address alone; may be repeated
  --rnic WHICH          soft (default), or verbs[:DEVICE]: an RDMA device, the kernel's siw or hardware,
                        plays the role of --as; compared is what such a device shows

Which streams, how often, how fast
  --stream N         c  this stream alone, as numbered in the capture
  --all              c  all streams (default)
  --keep-broken         also streams in which an end broke a rule, without that fault; where a live
                        peer takes the place of that end, they are run anyway. --keep-broken=exact: what
                        an end that is played here broke is sent again octet for octet, as far as
                        messages go; what cannot be is named
  --timing HOW        s causal (default): each request when what it waited for has happened, after
                        the recorded pause; topspeed: without pauses; original: at recorded times;
                        step: asks before each one (Enter: one, N: so many, l: which are ready,
                        c: go on, q: end with the report; not of shrink)
  --step                the same as --timing step
  --speed X           s recorded times divided by X, with causal or original
  --max-gap D         s no recorded pause longer than D, such as 500ms, 2s; with causal or original
  --ops-per-second N  s at most N work requests in each second, of all streams
  --mbps N            s at most N megabits of their payload in each second
  --copies N            N of each stream at once, with RNICs of their own; --as responder: so many come
  --ramp D              the copies start evenly over D
  --loop N              N times; 0: until Ctrl-C
  --loop-delay D        pause between loops
  --limit N           s at most N work requests in each loop
  --duration D        s at most so long in each loop
  --patience D       cs gives up when nothing has happened for D (default 10s); pauses that were
                        recorded do not count, but for --timing topspeed against a live peer
  --start-delay D    cs between the Reply and the initiator's first message (default 500ms against a
                        live peer, else 0): Linux's siw misses what comes at once

What is negotiated (default: as recorded): all marked cs, but for --mss
  --crc on|off|as-captured
  --markers on|off|as-captured
  --mpa-rev 1|2
  --rtr read|write|send|none|as-captured
                        the ready-to-receive message that the initiator offers, the responder takes
  --ird N, --ord N      of both ends
  --mss N            c  largest TCP segment; in a campaign, of a live peer's connections
  --payload WHAT        captured (default) or seeded:N

Breaking rules
  --inject ID[@PLACE]   break exactly this rule in what is sent (docs/injections.md); may be repeated (cs).
                        PLACE: stream,initiator|responder,message[,fpdu], each part may be empty;
                        without it the first that fits. With campaign: these alone. list: show all
  --list-injections [HOW]
                        the table of them, nothing else: text (default) or markdown
  --command COMMAND     shrink: a plan fails if this program says so by its exit status, 1 to 125; {} in
                        it, or else its last argument, is the plan's file; without options of run

Results
  --record FILE         the regenerated traffic as a capture (pcapng)
  --report FILE         every message, recorded and live, as JSON (docs/schema). Of one of these - is
                        standard output, the text goes to standard error then
  --junit FILE          the streams as test cases, for CI
  --latency-limit OP:PERCENTILE:LIMIT  slower is a divergence: read or atomic; p50 or p99; LIMIT times what
                        was recorded (2, 1.5), or a time (1ms); may be repeated
  --quiet               nothing on standard output where all is the same
  --stop-on-divergence  no further loop behind the first that diverges
  --ignore RULE       s leave out of the comparison, also compare's; may be repeated:
                          field:NAME   kind, size, msn, stag, to, source_stag, source_to, outcome, code,
                                       immediate, atomic, payload, startup, private_data; NAME@ROLE,
                                       such as size@initiator: of that role's requests alone
                          kind:NAME    of request: send, write, read, terminate, fin, rst, ...
                          class:NAME   missing, extra, different, reordered, terminate, rst, timeout
                          role:NAME    initiator, responder
                          close        how it ended: FIN and RST
  --json                compare, campaign: the result as JSON (docs/schema)
  --stats D             a line on standard error every D; a terminal shows progress by itself
  --max-memory N     cs MiB of memory regions and buffers at most (default 1024), and of what a peer sends
                        beyond the plan, which ends the run
  --seed N           cs of the soft-RNICs' own choices (default 1)
  --own-stags WHICH  cs recorded (default), or other: STags and TOs of own memory are new ones

  --help, --version     --help behind a command: its own options alone

Exit status: 0 as recorded, or all conform; 1 it diverged, or a peer deviates; 2 it could not be run,
was interrupted before there was a result, or a capture is damaged: then what could be read was used.
A closed pipe behind standard output is no failure.
Ctrl-C, q, a limit: 0 where all that was run is as recorded, 2 where nothing was compared.

Examples
  A plan to be read and edited, one to be given away, one as text on the screen:
    iwarp-replay plan rping.pcap -o rping.plan --text
    iwarp-replay plan nvme.pcap -o bug.plan --anonymise
    iwarp-replay plan bug.plan -o - --text
  Again on this machine, with a capture and a report; are they the same, payload apart?
    iwarp-replay run rping.pcap --loopback --record again.pcapng --report diff.json
    iwarp-replay compare rping.pcap again.pcapng --ignore field:payload
  One end against a live peer; the other end; by the kernel's RDMA device:
    iwarp-replay run nvme.pcap --as initiator --connect 192.0.2.7:4420 --stream 0
    iwarp-replay run rping.pcap --as responder --listen 0.0.0.0:7174 --all
    iwarp-replay run nfs.pcap --as initiator --map 10.1.1.1=192.0.2.7:20049 --map 10.1.1.2=192.0.2.8:20049
    iwarp-replay run rping.pcap --as initiator --connect 192.0.2.7:7174 --rnic verbs:siw0
  At recorded times, twice as fast, no pause over a second; at most 100 requests and 50 Mbit/s:
    iwarp-replay run rping.pcap --loopback --timing original --speed 2 --max-gap 1s
    iwarp-replay run rping.pcap --loopback --timing topspeed --ops-per-second 100 --mbps 50
  For ever, a second apart, 1000 requests or a minute each, figures every 5 s:
    iwarp-replay run rping.pcap --loopback --loop 0 --loop-delay 1s --limit 1000 --duration 1m --stats 5s
  A thousand at once, started over a minute; three captures, one behind the other:
    iwarp-replay run rping.pcap --loopback --copies 1000 --ramp 1m --stats 5s
    iwarp-replay run monday.pcap tuesday.pcap wednesday.pcap --loopback
  Negotiated otherwise; other octets:
    iwarp-replay run rping.pcap --loopback --crc off --markers on --mss 1400 --payload seeded:7
    iwarp-replay run rping.pcap --loopback --mpa-rev 2 --rtr read --ird 4 --ord 1
  Without a network: a capture that is the same every time; a bad one:
    iwarp-replay run rping.pcap --in-memory --timing original --record again.pcapng
    iwarp-replay run rping.pcap --in-memory --fault loss:2% --seed 7 --record lossy.pcapng
    iwarp-replay run rping.pcap --in-memory --fault hidden-corruption:9 --record broken.pcapng
  One rule broken in a message; all of them, against a peer:
    iwarp-replay run rping.pcap --loopback --inject DDP-MSNGAP@0,initiator --record broken.pcapng
    iwarp-replay campaign rping.pcap --connect 192.0.2.7:7174
  The smallest part of a plan that fails:
    iwarp-replay shrink failing.plan -o small.plan --text
)";

}  // namespace iwarp::replay
