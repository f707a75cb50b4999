#!/usr/bin/env python3
"""Live capture of what two soft-RNICs do over loopback: how late records come, what is lost, what it costs.

usage: live.py IWARP_ANALYZE IWARP_REPLAY CAPTURE_WITH_PAUSES CAPTURE_TO_REPEAT

Traffic passes through the loopback of a network of its own (unshare); where none can be had, it says so.
SPDX-License-Identifier: GPL-2.0-or-later
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time


def packets_on_loopback():
    """Packets and octets received since it is there."""
    with open("/proc/self/net/dev", encoding="ascii") as devices:
        fields = next(line for line in devices if line.strip().startswith("lo:")).split()
    return int(fields[2]), int(fields[1])


class Live:
    """iwarp-analyze --interface, which has begun to capture."""

    def __init__(self, program, options, output):
        self.process = subprocess.Popen([program, "--interface", "lo", "--format", "jsonl", *options], stdout=output,
                                        stderr=subprocess.PIPE, text=True)
        sentence = self.process.stderr.readline()
        if "capturing" not in sentence:
            raise SystemExit(sentence)

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def replay(program, capture, options):
    return subprocess.Popen([program, "run", capture, "--loopback", *options], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def delays(analyze, replayer, capture):
    live = Live(analyze, ["--records", "messages"], subprocess.PIPE)
    late = []

    def read():
        for line in live.process.stdout:
            late.append(time.time_ns() - json.loads(line)["time_ns"])

    reader = threading.Thread(target=read)
    reader.start()
    replay(replayer, capture, ["--timing", "original"]).wait()
    time.sleep(0.5)  # what comes behind the end is no longer waited for
    count = len(late)
    live.end()
    reader.join()
    late = sorted(late[:count])
    at = lambda part: late[min(int(part * len(late)), len(late) - 1)] / 1e6
    print(f"records behind their octets: {count} messages of {os.path.basename(capture)}, "
          f"median {at(0.5):.0f} ms, p99 {at(0.99):.0f} ms, at most {late[-1] / 1e6:.0f} ms")


def rate(analyze, replayer, capture, what, loopback, options, kept):
    subprocess.run(["ip", "link", "set", "lo", *loopback], check=True)
    before = packets_on_loopback()
    with tempfile.TemporaryDirectory() as scratch, open(os.path.join(scratch, "out"), "w+", encoding="utf-8") as out:
        records = ["--records", "operations,findings,summary"]
        live = Live(analyze, records + (["--write", os.path.join(scratch, "kept.pcap")] if kept else []), out)
        begun = time.monotonic()
        replay(replayer, capture, options).wait()
        took = time.monotonic() - begun
        used = live.processor_seconds()
        live.end()
        out.seek(0)
        summary = json.loads(out.read().splitlines()[-1])
        packets, octets = (after - earlier for after, earlier in zip(packets_on_loopback(), before))
        lost = sum(count for reason, count in summary["skipped"].items() if reason.startswith("dropped"))
        if summary["frames"] + lost != packets:
            print(f"{packets} packets passed, but {summary['frames']} frames and {lost} lost were reported")
        findings = summary["findings"]
        print(f"{what:34} {octets * 8 / took / 1e9:8.2f} {packets / took:10.0f} {packets:9} {lost:8} "
              f"{used / took:9.2f} {findings['warning'] + findings['error']:9}")


def main():
    analyze, replayer, pauses, repeated = sys.argv[1:]
    if "IWARP_OWN_NETWORK" not in os.environ:
        how = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--net"]
        if not shutil.which("ip") or subprocess.run([*how, "true"], check=False).returncode != 0:
            print("live capture: left out, no network of its own can be had (unshare, iproute2)")
            return
        os.execvpe(how[0], [*how, sys.executable, *sys.argv], {**os.environ, "IWARP_OWN_NETWORK": "1"})
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    delays(analyze, replayer, pauses)
    print(f"{'':34} {'Gbit/s':>8} {'packets/s':>10} {'packets':>9} {'lost':>8} {'processor':>9} {'findings':>9}")
    super_frames = ["mtu", "65536", "gso_max_size", "65536"]
    small_frames = ["mtu", "1500", "gso_max_size", "1500"]
    top = ["--timing", "topspeed"]
    for what, loopback, options, kept in (
            ("1 Gbit/s, super-frames", super_frames, [*top, "--mbps", "1200", "--loop", "500"], False),
            ("1 Gbit/s, super-frames, kept", super_frames, [*top, "--mbps", "1200", "--loop", "500"], True),
            ("1 Gbit/s, 1500 octets", small_frames, [*top, "--mbps", "1200", "--loop", "500"], False),
            ("1 Gbit/s, 1500 octets, kept", small_frames, [*top, "--mbps", "1200", "--loop", "500"], True),
            ("top speed, super-frames", super_frames, [*top, "--loop", "2000"], False),
            ("top speed, 1500 octets", small_frames, [*top, "--loop", "2000"], False)):
        rate(analyze, replayer, repeated, what, loopback, options, kept)


if __name__ == "__main__":
    main()
