#!/usr/bin/env python3
"""iwarp-replay campaign against siw in the lab's virtual machine, and what docs/conformance-siw.md says of it.

    campaign_interop.py LAB REPLAY CAPTURES DOCUMENT ROLE          the verdicts must be those of the document
    campaign_interop.py LAB REPLAY CAPTURES DOCUMENT write-ROLE    writes its table anew

Exit status 77: skipped, no machine runs.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import dataclasses
import json
import pathlib
import subprocess
import sys

from lab import lab_or_skip

RPING = "01g-rping-v4-mtu1500-notso-crc-S5000.pcap"
SIZES = "03c-sizes-crc.pcap.gz"
LISTEN = 7199
MORE_TRIES = 3
PATIENCE = "5s"  # a hanging peer's answer is awaited so long


@dataclasses.dataclass
class Traffic:
    """A capture of one end's, and the command line of the live other end."""
    name: str
    plays: str
    capture: str
    guest: str
    port: int = 7174


# A rule is put into the first one that has what it needs.
TRAFFIC = [
    Traffic("rping", "initiator", RPING, "rping -s -P -a 10.0.2.15 -p 7174 -C 5 -S 5000"),
    Traffic("verbs", "initiator", SIZES, "while :; do /lab/verbs_scenarios respond 10.0.2.15 7175; sleep 0.1; done", 7175),
    Traffic("rping", "responder", RPING,
            f"while :; do timeout 12 rping -c -a 10.0.2.2 -p {LISTEN} -C 5 -S 5000; sleep 0.2; done"),
]
STOPS = "the kernel stops (see below)"


class Campaigns:
    def __init__(self, lab, replay, captures):
        self.lab, self.replay, self.captures = lab, replay, pathlib.Path(captures)

    def campaign(self, traffic, *options):
        done = subprocess.run([self.replay, "campaign", self.captures / traffic.capture, "--json", "--patience", PATIENCE,
                               *options],
                              capture_output=True, text=True, timeout=400)
        if not done.stdout:
            raise RuntimeError(f"{traffic.name} {options}: {done.stderr}")
        return json.loads(done.stdout)["rules"]

    def fitting(self, traffic):
        """Rules that this traffic has what they need for, told by a rehearsal in memory."""
        names = [row["name"] for row in self.campaign(traffic)]
        place = f"@,{traffic.plays}"
        rows = self.campaign(traffic, *(word for name in names for word in ("--inject", name + place)))
        return [row for row in rows if row["verdict"] != "not tried"], rows

    def attempt(self, traffic, rules):
        guest = traffic.guest.replace("'", "'\\''")
        lines = ["siw mpa_crc_required=1", "[[ ! -s /tmp/served.pid ]] || kill -9 -- -$(</tmp/served.pid) 2>/dev/null",
                 f"setsid timeout 250 bash -c '{guest}' >/tmp/served.log 2>&1 & echo $! >/tmp/served.pid"]
        how = ["--listen", f"127.0.0.1:{LISTEN}"]
        if traffic.plays == "initiator":
            how = ["--connect", f"127.0.0.1:{self.lab.port(traffic.port)}"]
            lines.append(f"until ss -Hltn 'sport = :{traffic.port}' | grep -q .; do sleep 0.05; done")
        self.lab.script(*lines)
        rows = self.campaign(traffic, *how, *(word for rule in rules for word in ("--inject", rule)))
        for row in rows:
            print(f"{traffic.plays:9} {traffic.name:5} {row['name']:22} {row['verdict']:9} {row['seen'] or row['why_not']}",
                  flush=True)
        return {row["name"]: {**row, "traffic": traffic.name} for row in rows}

    def stopped(self):
        """Whether the machine's kernel met with a fault of its own. Its siw serves nobody from then on."""
        return "BUG" in self.lab.script("dmesg | grep -m 1 -E 'kernel BUG at|BUG: ' || true")

    def restart(self):
        self.lab.call("stop")
        self.lab.call("boot")

    def role(self, plays, stopping=()):
        """Rows of the table, each with the traffic's name. What no traffic here has the needs of is left out.

        stopping: rules known to stop the machine's kernel. They are not put to it."""
        rows = {}
        for traffic in TRAFFIC:
            if traffic.plays != plays:
                continue
            rest = []
            for row in self.fitting(traffic)[0]:
                name = row["name"]
                if name in rows and rows[name]["verdict"] != "not tried":
                    continue
                rows[name] = {**row, "traffic": traffic.name}
                if name.startswith("MPA-MK") and name != "MPA-MKUSE":
                    rows[name].update(verdict="not tried", seen=None, why_not="the peer asks for no markers")
                elif name in stopping:
                    rows[name].update(verdict="deviates", seen=STOPS)
                else:
                    rest.append(name)
            while rest:
                rows.update(self.attempt(traffic, rest))
                tried = [name for name in rest if rows[name]["verdict"] != "not tried"]
                rest = [name for name in rest if name not in tried]
                if self.stopped():
                    last = tried[-1] if tried else rest.pop(0)
                    rows[last].update(verdict="deviates", seen=STOPS)
                    self.restart()
                elif not tried:
                    rest.pop(0)  # the program hung, and those behind it may still be answered
        self.lab.script("kill -9 -- -$(</tmp/served.pid) 2>/dev/null; true")
        return list(rows.values())

    def again(self, plays, rule):
        """The row of one rule, put to a program that was started for it."""
        rows = []
        for traffic in TRAFFIC:
            if traffic.plays == plays and not rows and any(row["name"] == rule for row in self.fitting(traffic)[0]):
                rows = list(self.attempt(traffic, [rule]).values())
        return rows


def table(rows):
    lines = ["| Rule | What is done | Expected | Seen | Verdict | Traffic |", "|--|--|--|--|--|--|"]
    for row in rows:
        seen = row["seen"] or row["why_not"]
        lines.append(f"| {row['name']} | {row['what']} | {row['expected']} | {seen} | {row['verdict']} | {row['traffic']} |")
    return "\n".join(lines) + "\n"


def with_table(document, plays, rows):
    """The document with another table of this role, between its two marks."""
    begin, end = f"<!-- {plays} -->\n", f"<!-- end of {plays} -->\n"
    before, rest = document.split(begin)
    return before + begin + table(rows) + end + rest.split(end)[1]


def documented(document, plays):
    """Rule → what was seen and the verdict, of the document."""
    text = document.split(f"<!-- {plays} -->\n")[1].split(f"<!-- end of {plays} -->")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:]]
    return {cells[0]: (cells[3], cells[4]) for cells in rows}


def verdicts(rows):
    return {row["name"]: (row["seen"] or row["why_not"], row["verdict"]) for row in rows}


def main():
    program, replay, captures, path, role = sys.argv[1:]
    lab = lab_or_skip(program)
    document = pathlib.Path(path)
    campaigns = Campaigns(lab, replay, captures)
    text = document.read_text()
    if role.startswith("write-"):
        document.write_text(with_table(text, role.removeprefix("write-"), campaigns.role(role.removeprefix("write-"))))
        return
    wanted = documented(text, role)
    stopping = [rule for rule, (what, _) in wanted.items() if what == STOPS]
    seen = verdicts(campaigns.role(role, stopping))
    # siw's answer to some rules depends on how far its program is: it may close before its Terminate went out.
    for _ in range(MORE_TRIES):
        for rule in [rule for rule in seen if seen[rule] != wanted.get(rule)]:
            seen.update(verdicts(campaigns.again(role, rule)))
    different = [f"{rule}: documented {wanted.get(rule)}, seen {seen.get(rule)}" for rule in {**wanted, **seen}
                 if wanted.get(rule) != seen.get(rule)]
    if different:
        raise RuntimeError("\n".join(different))


main()
