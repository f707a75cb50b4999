#!/usr/bin/env python3
"""The soft-RNIC's throughput beside iperf3's, and iwarp-replay's packet rate beside tcpreplay's, in one run.

usage: replay.py DIRECTORY_OF_PROGRAMS IWARP_REPLAY CAPTURE [SECONDS]

What is not installed, or may not be used, is left out visibly: tcpreplay needs the right to send on lo.
SPDX-License-Identifier: GPL-2.0-or-later
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time


def output(command, timeout=300):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=timeout).stdout


def iperf3(seconds, length):
    """Gbit/s over 127.0.0.1 of writes of so many octets; None where there is no iperf3."""
    if not shutil.which("iperf3"):
        return None
    port = "5999"
    server = subprocess.Popen(["iperf3", "-s", "-1", "-p", port], stdout=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        client = ["iperf3", "-c", "127.0.0.1", "-p", port, "-t", str(seconds), "-l", str(length), "-N", "-J"]
        result = json.loads(output(client))
        server.wait(timeout=10)
    finally:
        server.kill()
    return result["end"]["sum_received"]["bits_per_second"] / 1e9


def throughput(programs, seconds):
    lengths = {"write 64 KiB": 65536, "read 64 KiB": 65536, "send 64": 64}
    beside = {length: iperf3(max(1, round(seconds)), length) for length in set(lengths.values())}
    if None in beside.values():
        print("iperf3 is not installed: no ratios")
    print(f"{'':14} {'CRC':>4} {'Gbit/s':>8} {'messages/s':>11} {'CPU s/GiB':>10} {'iperf3 Gbit/s':>14} {'ratio':>6}")
    command = [os.path.join(programs, "replay_throughput"), str(seconds)]
    for line in output(command).splitlines():
        case = json.loads(line)
        other = beside[lengths[case["case"]]]
        compared = f"{other:14.2f} {case['gbit_per_second'] / other:6.2f}" if other else ""
        print(f"{case['case']:14} {'on' if case['crc'] else 'off':>4} {case['gbit_per_second']:8.2f} "
              f"{case['messages_per_second']:11.0f} {case['processor_seconds_per_gib']:10.2f} {compared}")


def packets_in(path):
    """Of a pcapng file: enhanced packet blocks."""
    count = 0
    with open(path, "rb") as file:
        while len(head := file.read(8)) == 8:
            count += int.from_bytes(head[:4], "little") == 6
            file.seek(int.from_bytes(head[4:], "little") - 8, os.SEEK_CUR)
    return count


def packet_rate(program, capture, loops=100):
    with tempfile.TemporaryDirectory() as scratch:
        record = os.path.join(scratch, "again.pcapng")
        begun = time.monotonic()
        output([program, "run", capture, "--loopback", "--timing", "topspeed", "--loop", str(loops), "--record", record])
        took = time.monotonic() - begun
        own = packets_in(record) / took
    print(f"iwarp-replay --timing topspeed --record: {own:.0f} packets/s ({os.path.basename(capture)}, {loops} loops)")
    if not shutil.which("tcpreplay"):
        print("tcpreplay is not installed")
        return
    try:
        text = output(["tcpreplay", "-i", "lo", "--topspeed", f"--loop={loops}", capture])
    except subprocess.CalledProcessError as failure:
        print("tcpreplay may not send on lo:", failure.stderr.strip().splitlines()[-1])
        return
    other = float(re.search(r"([0-9.]+) pps", text).group(1))
    print(f"tcpreplay --topspeed: {other:.0f} packets/s; ratio {own / other:.2f}")
    # The soft-RNIC's FPDUs are as long as its own segments may be: the same traffic in fewer packets.
    captured = int(re.search(r"Actual: (\d+) packets", text).group(1)) / took
    print(f"frames of the capture: {captured:.0f}/s; ratio {captured / other:.2f}")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    throughput(sys.argv[1], float(sys.argv[4]) if len(sys.argv) > 4 else 2)
    packet_rate(sys.argv[2], sys.argv[3])


if __name__ == "__main__":
    main()
