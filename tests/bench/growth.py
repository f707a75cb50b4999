#!/usr/bin/env python3
"""Measures iwarp-analyze on captures in which something that it looks through grows with them.

growth.py FOLDER ANALYZE [NAME...]: FOLDER holds make_hostile. For each kind of capture (or those named) at two
sizes: processor seconds (the least of three runs) and peak memory, octets of the longer capture per second, and the
exponents with which time and memory grow. Peak memory has a floor: this program's own pages before the command starts.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import math
import os
import subprocess
import sys
import tempfile

SIZES = (10_000_000, 40_000_000)  # octets, about


def run(command, times):
    """The least processor seconds of several runs, and the peak memory in MiB."""
    best = (math.inf, 0)
    for _ in range(times):
        with open(os.devnull, "wb") as null:
            process = subprocess.Popen(command, stdout=null, stderr=null)
            _, status, usage = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit(f"{' '.join(command)} failed")
        best = min(best, (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
    return best


def exponent(sizes, values):
    return math.log(max(values[1], 1e-3) / max(values[0], 1e-3)) / math.log(sizes[1] / sizes[0])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    make, analyze, chosen = os.path.join(sys.argv[1], "make_hostile"), sys.argv[2], sys.argv[3:]
    listed = subprocess.run([make], check=True, capture_output=True, text=True).stdout.splitlines()
    names = [line.split()[0] for line in listed]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "capture.pcap")
        print(f"{'':<30}{'MB':>7}{'s':>8}{'MiB':>8}{'MB':>9}{'s':>8}{'MiB':>8}{'MB/s':>8}{'time^':>7}{'memory^':>9}")
        for name in chosen or names:
            sizes, seconds, memory = [], [], []
            for size in SIZES:
                subprocess.run([make, name, str(size), path], check=True)
                sizes.append(os.path.getsize(path))
                used = run([analyze, path], 3)
                seconds.append(used[0])
                memory.append(used[1])
            figures = "".join(f"{size / 1e6:>{width}.1f}{used:>8.3f}{peak:>8.1f}"
                              for size, used, peak, width in zip(sizes, seconds, memory, (7, 9)))
            print(f"{name:<30}{figures}{sizes[1] / 1e6 / seconds[1]:>8.0f}{exponent(sizes, seconds):>7.2f}"
                  f"{exponent(sizes, memory):>9.2f}", flush=True)


main()
