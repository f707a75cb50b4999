#!/usr/bin/env python3
"""iwarp-replay campaign against siw in the lab's virtual machine, and what docs/conformance-siw.md says of it.

    campaign_interop.py LAB REPLAY CAPTURES DOCUMENT ROLE     the verdicts must be those of the document
    campaign_interop.py LAB REPLAY CAPTURES DOCUMENT write    writes the document anew

Each rule has a live peer of its own: some breaches leave a program that hangs behind them. Exit status 77: skipped, no machine
runs.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import dataclasses
import json
import pathlib
import re
import subprocess
import sys

from lab import lab_or_skip

RPING = "01g-rping-v4-mtu1500-notso-crc-S5000.pcap"
SIZES = "03c-sizes-crc.pcap.gz"
LISTEN = 7199


@dataclasses.dataclass
class Session:
    """A capture of one end's, and the command line of the live other end."""
    name: str
    plays: str
    capture: str
    guest: str
    port: int = 7174


# A rule is put into the first one that has what it needs.
SESSIONS = [
    Session("rping", "initiator", RPING, "rping -s -P -a 10.0.2.15 -p 7174 -C 5 -S 5000"),
    Session("verbs", "initiator", SIZES, "while :; do /lab/verbs_scenarios respond 10.0.2.15 7175; sleep 0.1; done", 7175),
    Session("rping", "responder", RPING,
            f"while :; do timeout 20 rping -c -a 10.0.2.2 -p {LISTEN} -C 5 -S 5000; sleep 0.05; done"),
]
# What stops the machine's kernel, and so can be put to it only by itself: see the document.
STOPS_IT = {("initiator", "MPA-RTR")}


class Campaigns:
    def __init__(self, lab, replay, captures):
        self.lab, self.replay, self.captures = lab, replay, pathlib.Path(captures)

    def rules(self, session):
        """Those of the table that this session has what they need for; of a rehearsal in memory."""
        done = subprocess.run([self.replay, "campaign", self.captures / session.capture, "--json"], capture_output=True,
                              text=True, timeout=60)
        return [row["name"] for row in json.loads(done.stdout)["rules"]]

    def attempt(self, session, rule):
        how = ["--connect", f"127.0.0.1:{self.lab.port(session.port)}"]
        if session.plays == "responder":
            how = ["--listen", f"127.0.0.1:{LISTEN}"]
            self.lab.script("siw mpa_crc_required=1", "pkill -9 rping", self.start(session))
        else:
            self.lab.script("siw mpa_crc_required=1", "pkill -9 rping; pkill -9 verbs_scenario", self.start(session),
                            f"until ss -Hltn 'sport = :{session.port}' | grep -q .; do sleep 0.05; done")
        try:
            done = subprocess.run([self.replay, "campaign", self.captures / session.capture, *how, "--json", "--inject", rule],
                                  capture_output=True, text=True, timeout=100)
        finally:
            self.lab.script("server=$(</tmp/served.pid); kill -9 -- -$server 2>/dev/null; true")
        if not done.stdout:
            raise RuntimeError(f"{rule}: {done.stderr}")
        row = json.loads(done.stdout)["rules"][0]
        print(f"{session.plays:9} {session.name:5} {rule:22} {row['verdict']:9} {row['seen'] or row['why_not']}", flush=True)
        return row

    @staticmethod
    def start(session):
        command = session.guest.replace("'", "'\\''")
        return f"setsid timeout 250 bash -c '{command}' >/tmp/served.log 2>&1 & echo $! >/tmp/served.pid"
