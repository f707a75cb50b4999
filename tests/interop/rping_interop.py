#!/usr/bin/env python3
"""One rping session between the peer of this folder and rping on siw in the lab's virtual machine.

    rping_interop.py LAB ANALYZER CASE      LAB: captures/lab/lab; ANALYZER: iwarp-analyze

The lab's virtual machine records what rping did; the analyzer must find nothing in it. Exit status 77: skipped, the lab
is not booted.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import json
import socket
import subprocess
import sys
import threading

import rping_peer
from lab import lab_or_skip

ROUNDS, SIZE = 3, 3000
# siw sends its Reply before it moves the socket to the queue pair (Linux 6.1, siw_accept). An FPDU that comes in between
# stays in the socket until further octets come: rping then waits for ever.
PAUSE = 0.5
# name: (role of this side, siw's parameters, how this side plays)
CASES = {
    "initiator_crc": ("initiator", [], {"use_crc": True}),
    "initiator_no_crc": ("initiator", [], {"use_crc": False}),
    "initiator_ready_write": ("initiator", [], {"ready": "write"}),
    "initiator_ready_read": ("initiator", [], {"ready": "read"}),
    "responder_crc": ("responder", ["mpa_crc_required=1"], {"use_crc": True}),
    "responder_no_crc": ("responder", [], {"use_crc": False}),
    "responder_only_we_want_crc": ("responder", [], {"use_crc": True}),
    "responder_peer_to_peer": ("responder", ["peer_to_peer=1"], {"use_crc": False}),
    "responder_revision_1": ("responder", ["mpa_version=1"], {"use_crc": True}),
}


def record(name, port):
    return f"record {name} tcpdump -i outside -s 0 tcp port {port}"


def initiator(lab, name, parameters, how):
    lab.script(f"siw {' '.join(parameters)}", f"({record(name, 7174)}; echo $recorder >/tmp/recorder) 2>&1",
               "timeout 60 rping -s -a 10.0.2.15 -p 7174 -v -S %d >/tmp/rping.log 2>&1 &" % SIZE,
               "until ss -Hltn 'sport = :7174' | grep -q .; do sleep 0.1; done")
    with socket.create_connection(("127.0.0.1", lab.port(7174)), 30) as connection:
        rping_peer.initiate(connection, ROUNDS, SIZE, pause=PAUSE, **how)
    said = lab.script("for wait in {1..50}; do pidof rping >/dev/null || break; sleep 0.1; done",
                      f"recorded={name} recorder=$(</tmp/recorder); finish; cat /tmp/rping.log")
    if said.count("server ping data: ") != ROUNDS:
        raise RuntimeError(f"rping said:\n{said}")


def responder(lab, name, parameters, how):
    result = []

    def serve(listener):
        connection = listener.accept()[0]
        with connection:
            connection.settimeout(30)
            try:
                result.append(rping_peer.respond(connection, **how)[2])
            except Exception as error:  # told by the main thread, after rping's own words
                result.append(error)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        port = listener.getsockname()[1]
        server = threading.Thread(target=serve, args=[listener], daemon=True)
        server.start()
        said = lab.script(f"siw {' '.join(parameters)}", record(name, port),
                          f"timeout 60 rping -c -a 10.0.2.2 -p {port} -C {ROUNDS} -S {SIZE} -V -v 2>&1",
                          "echo status $?", "finish")
        server.join(60)
    if result != [ROUNDS] or "status 0\n" not in said or said.count("ping data: ") != ROUNDS:
        raise RuntimeError(f"this side: {result!r}; rping said:\n{said}")


def main():
    program, analyzer, name = sys.argv[1:]
    lab = lab_or_skip(program)
    role, parameters, how = CASES[name]
    {"initiator": initiator, "responder": responder}[role](lab, f"interop-{name}", parameters, how)
    capture = lab.captures / f"interop-{name}.pcap"
    records = subprocess.run([analyzer, "--format", "jsonl", "--records", "streams,findings,summary", str(capture)],
                             capture_output=True, text=True, timeout=60).stdout
    print(records)
    records = [json.loads(line) for line in records.splitlines()]
    streams = [record for record in records if record["type"] == "stream"]
    # Time is the machine's own: where it is slow, acknowledgements are delayed, and PERF-DELACK says so rightly.
    broken = [record for record in records if record["type"] == "finding" and not record["id"].startswith("PERF-")]
    if len(streams) != 1 or broken:
        raise RuntimeError(f"the analyzer does not call this one healthy stream: {broken}")


if __name__ == "__main__":
    main()
