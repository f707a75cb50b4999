#!/usr/bin/env python3
"""iwarp-replay against siw in the lab's virtual machine: recorded sessions, one end of each live.

    replay_interop.py LAB REPLAY ANALYZER CAPTURES CASE      list: the names of all cases
                                                             LAB: captures/lab/lab; CAPTURES: captures/real

The report must say that the live run is as recorded, where the case does not expect otherwise, and the recording of the live
run must show what the case is about: revision, CRC, ready-to-receive message. Exit status 77: skipped, no machine runs.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from lab import lab_or_skip

PATIENCE = "30s"         # qemu emulates the processor, and may not be alone
KNOWN = {"MPA-PAD"}      # siw 6.1 pads with whatever its buffer holds
VERBS_PORT, RPING_PORT, PERFTEST_PORT = 7175, 7174, 18515


@dataclasses.dataclass
class Case:
    """Sessions with the same live peer: captures of one end's, played by iwarp-replay."""
    plays: str                                     # the role that iwarp-replay has
    guest: str                                     # command line of the live peer; a responder's serves all sessions
    captures: list
    port: int = RPING_PORT                         # of a live responder
    siw: list = dataclasses.field(default_factory=list)
    options: list = dataclasses.field(default_factory=list)
    mpa: dict = dataclasses.field(default_factory=dict)
    said: str = ""                                 # by the live peer, somewhere
    fresh: bool = False                            # the live peer's program makes up new octets each time
    different: str = ""                            # class of the first divergence; else it must be as recorded


CASES = {}
CRC = ["mpa_crc_required=1"]


def rping(name, capture, rounds, size, siw=(), options=(), mpa=None, verify=True):
    """A session of rping in both roles. `verify`: rping finds its octets again."""
    mpa = {"rev": 2, "rtr": None, **(mpa or {})}
    common = {"captures": [capture], "siw": list(siw), "options": list(options), "mpa": mpa}
    CASES[f"initiator_{name}"] = Case("initiator", f"rping -s -v -a 10.0.2.15 -p {RPING_PORT} -C {rounds} -S {size}",
                                      said="server ping data: rdma-ping-0" if verify else "", **common)
    CASES[f"responder_{name}"] = Case("responder", f"rping -c -v -V -a 10.0.2.2 -p {{port}} -C {rounds} -S {size}; echo status $?",
                                      said="status 0\n" if verify else "", **common)


rping("rping_no_crc", "01a-rping-v4-mtu1500-tso.pcap", 5, 64, mpa={"crc": False})
rping("rping_crc", "01g-rping-v4-mtu1500-notso-crc-S5000.pcap", 5, 5000, CRC, mpa={"crc": True})
# The one that wants CRC gets it (RFC 5044 section 7.1.1).
rping("rping_only_we_want_crc", "01a-rping-v4-mtu1500-tso.pcap", 5, 64, options=["--crc", "on"], mpa={"crc": True})
rping("rping_only_siw_wants_crc", "01a-rping-v4-mtu1500-tso.pcap", 5, 64, CRC, mpa={"crc": True})
# siw 6.1 does not insist as responder: siw_proc_mpareq() looks at mpa_crc_required only where the Request has C.
CASES["initiator_rping_only_siw_wants_crc"].mpa = {"crc": False}
rping("rping_ready_recorded", "01i-rping-v4-p2p-crc.pcap", 2, 100, CRC + ["peer_to_peer=1"], mpa={"crc": True, "rtr": "write"})
rping("rping_ready_read", "01a-rping-v4-mtu1500-tso.pcap", 5, 64, ["peer_to_peer=1"], ["--rtr", "read"], {"rtr": "read"})
rping("rping_ready_write", "01g-rping-v4-mtu1500-notso-crc-S5000.pcap", 5, 5000, CRC + ["peer_to_peer=1"], ["--rtr", "write"],
      {"crc": True, "rtr": "write"})
rping("rping_long_fpdus", "01o-rping-v4-mtu1500-trygso-crc-S60000.pcap.gz", 3, 60000, CRC + ["try_gso=1"], mpa={"crc": True})
# Without IRD and ORD rping's server cannot read; it closes.
rping("rping_rev1", "01k-rping-v4-mpav1.pcap", 2, 100, ["mpa_version=1"], mpa={"rev": 1, "crc": False}, verify=False)
rping("rping_rev1_crc", "01k-rping-v4-mpav1.pcap", 2, 100, CRC + ["mpa_version=1"], ["--crc", "on"],
      {"rev": 1, "crc": True}, verify=False)
# Its first Send names memory that nobody comes to use: so nothing in the recording says that these octets are a name.
for name in ("rping_rev1", "rping_rev1_crc"):
    CASES[f"responder_{name}"].fresh = True


def top_speed_misses_nothing():
    case = dataclasses.replace(CASES["initiator_rping_no_crc"], options=["--timing", "topspeed"])
    CASES["initiator_rping_top_speed"] = case


top_speed_misses_nothing()


def perftest(name, capture, tool, siw=()):
    """Both ends tell each other random packet sequence numbers and what they have measured; what is read is random, too."""
    common = {"captures": [capture], "siw": list(siw), "mpa": {"rev": 2, "crc": bool(siw)}, "fresh": True}
    CASES[f"initiator_{name}"] = Case("initiator", f"{tool} -R -d siw-outside -p {PERFTEST_PORT}", port=PERFTEST_PORT,
                                      said="#iterations", **common)
    CASES[f"responder_{name}"] = Case("responder", f"{tool} -R -d siw-outside -p {{port}} 10.0.2.2", said="#iterations",
                                      **common)


perftest("send_lat", "02a-send_lat-2B.pcap", "ib_send_lat -s 2 -n 20")
perftest("write_bw", "02h-write_bw-4K-q8-crc-notso.pcap.gz", "ib_write_bw -s 4096 -n 20 -q 8", CRC)
perftest("read_bw", "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst", "ib_read_bw -s 65536 -n 16 -o 8", CRC)
perftest("send_bw", "08g-send_bw-200B-n500-loss3-tso.pcap", "ib_send_bw -s 200 -n 500", CRC)
# Its server begins to listen for the second connection after it has answered on the first one, and the recorded client was only
# 5 ms later: not always enough for an emulated processor.
for name in ("send_lat", "read_bw", "send_bw"):
    CASES[f"initiator_{name}"].options = ["--speed", "0.1"]



def rsockets(name, capture, responder, initiator, said):
    """RDMA Writes carry the octets, and the STags and addresses of the buffers that the next ones go to."""
    common = {"captures": [capture], "siw": CRC, "mpa": {"rev": 2, "crc": True}, "said": said}
    CASES[f"initiator_{name}"] = Case("initiator", f"{responder} -p {RPING_PORT}", **common)
    CASES[f"responder_{name}"] = Case("responder", f"{initiator} -p {{port}}", **common)


rsockets("rstream", "07b-rstream-lat64K.pcap.gz", "rstream -b 10.0.2.15 -C 5 -S 65536", "rstream -s 10.0.2.2 -C 5 -S 65536", "64k")
rsockets("riostream", "07c-riostream.pcap.gz", "riostream -b 10.0.2.15 -C 5 -S 10000", "riostream -s 10.0.2.2 -C 5 -S 10000",
         "9.7k")
# By hand alone: the live client waits for octets that the recording lacks at its end, and riostream's may close first.
BY_HAND = ("responder_rstream", "responder_riostream")
CASES["responder_riostream"].options = ["--timing", "topspeed"]
CASES["responder_rstream"].said = ""
rsockets("rcopy", "07d-rcopy.pcap.gz", "rcopy", "seq 2000 >/tmp/numbers; rcopy /tmp/numbers 10.0.2.2:/tmp/copied", "closing...done")

VERBS_SERVER = f"while :; do /lab/verbs_scenarios respond 10.0.2.15 {VERBS_PORT}; sleep 0.1; done"


def verbs(name, sessions, siw=CRC, options=(), mpa=None):
    """sessions: capture → the scenarios of captures/lab/guest/verbs_scenarios.c in it."""
    common = {"captures": list(sessions), "siw": list(siw), "options": list(options), "mpa": mpa or {}}
    CASES[f"initiator_{name}"] = Case("initiator", VERBS_SERVER, port=VERBS_PORT, **common)
    CASES[f"responder_{name}"] = Case("responder", "", **common)
    CASES[f"responder_{name}"].guest = {
        capture: f"for scenario in {scenarios}; do timeout 60 /lab/verbs_scenarios play 10.0.2.2 {{port}} $scenario; done"
        for capture, scenarios in sessions.items()}


verbs("every_send", {"03a-send-variants.pcap": "send send_se send_inline send_sge send_inv send_inv_se send_inv_big send0 write0 read0"},
      siw=[], mpa={"rev": 2, "crc": False})
verbs("all_sizes", {"03c-sizes-crc.pcap.gz": "sizes"}, mpa={"rev": 2, "crc": True})
verbs("all_sizes_no_crc", {"03c-sizes-crc.pcap.gz": "sizes"}, siw=[], options=["--crc", "off"], mpa={"rev": 2, "crc": False})
verbs("many_at_once", {"03d-burst-readmany.pcap": "burst read_many ord1 ord0 pd_max"}, mpa={"crc": True})
verbs("rejected", {"03g-reject.pcap": "reject reject_nopd reject"}, mpa={"rejected": True})
# What the responder refuses with a Terminate.
verbs("refused", {f"03e-term-{scenario}.pcap": scenario for scenario in (
    "norecv", "recv_short", "read_badrkey", "read_oob", "write_badkey8", "write_dereg", "write_oob", "write_otherpd", "write_ro")})
# The initiator's own RNIC refuses its work, and says so with a Terminate.
verbs("own_refusal", {"03e-term-bad_lkey.pcap": "bad_lkey"})

# siw does no markers: it rejects.
CASES["initiator_markers_rejected"] = dataclasses.replace(
    CASES["initiator_rping_no_crc"], options=["--markers", "on"], mpa={"rejected": True}, said="", different="missing")
# A live peer that does less than the recorded one.
CASES["responder_rping_ends_early"] = dataclasses.replace(
    CASES["responder_rping_no_crc"], guest="rping -c -a 10.0.2.2 -p {port} -C 3 -S 64; echo status $?", different="missing")


class Player:
    def __init__(self, replay, analyzer, captures, case):
        self.replay, self.analyzer, self.captures, self.case = replay, analyzer, pathlib.Path(captures), case
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="iwarp-interop-"))

    def start(self, capture, *how):
        command = [self.replay, "run", str(self.captures / capture), "--as", self.case.plays, *how, "--patience", PATIENCE,
                   "--record", str(self.folder / "live.pcapng"), "--report", str(self.folder / "report.json"), *self.case.options]
        if self.case.fresh:
            peer = {"initiator": "responder", "responder": "initiator"}[self.case.plays]
            command += ["--ignore", f"field:payload@{peer}"]
        print("+", *command, flush=True)
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def judge(self, status, said):
        print(said)
        report = json.loads((self.folder / "report.json").read_text())
        different = self.case.different
        if status != (1 if different else 0) or report["same"] == bool(different):
            raise RuntimeError(f"exit status {status}, same: {report['same']}")
        if different:
            text = json.dumps(report["comparison"])
            if f'"{different}"' not in text:
                raise RuntimeError(f"no divergence of class {different}: {text[:2000]}")
        found = {each["id"] for each in report["findings"]} - KNOWN
        if found:
            raise RuntimeError(f"the analyzer finds {found} in the live run")
        records = subprocess.run([self.analyzer, "--format", "jsonl", "--records", "streams", str(self.folder / "live.pcapng")],
                                 capture_output=True, text=True, timeout=60).stdout
        streams = [json.loads(line) for line in records.splitlines()]
        if not streams:
            raise RuntimeError("no stream in the recording of the live run")
        for stream in streams:
            shown = {key: stream["mpa"][key] for key in self.case.mpa}
            if shown != self.case.mpa:
                raise RuntimeError(f"stream {stream['stream']} has {shown}, not {self.case.mpa}")


def initiator(lab, player, case):
    lab.serve(case.port, case.siw, case.guest)
    try:
        for capture in case.captures:
            run = player.start(capture, "--connect", f"127.0.0.1:{lab.port(case.port)}")
            out, err = run.communicate(timeout=200)
            player.judge(run.returncode, out + err)
    finally:
        said = lab.end_server()
        print(said)
    return said


def responder(lab, player, case):
    told = ""
    for capture in case.captures:
        run = player.start(capture, "--listen", "127.0.0.1:0")
        first = ""
        while "listening at" not in first:
            first = run.stderr.readline()
            if not first:
                raise RuntimeError(f"it ended: {run.communicate()}")
        port = re.search(r"listening at 127\.0\.0\.1:(\d+)", first)[1]
        guest = case.guest if isinstance(case.guest, str) else case.guest[capture]
        try:
            said = lab.script(f"siw {' '.join(case.siw)}",
                              f"timeout 150 bash -c \"$(cat <<'END'\n{guest.format(port=port)}\nEND\n)\" 2>&1 | cut -c 1-300")
            print(said)
            out, err = run.communicate(timeout=100)
        finally:
            run.kill()
        player.judge(run.returncode, out + err)
        told += said
    return told


def main():
    if sys.argv[1:] == ["list"]:
        print(*(case for case in CASES if case not in BY_HAND), sep="\n")
        return
    program, replay, analyzer, captures, name = sys.argv[1:]
    lab = lab_or_skip(program)
    case = CASES[name]
    player = Player(replay, analyzer, captures, case)
    said = {"initiator": initiator, "responder": responder}[case.plays](lab, player, case)
    if case.said not in said:
        raise RuntimeError(f"the live peer did not say {case.said!r}")


if __name__ == "__main__":
    main()
