#!/usr/bin/env python3
"""iwarp-analyze beside tshark on the same generated captures, in one run.

usage: compare.py DIRECTORY_OF_PROGRAMS IWARP_ANALYZE [SCRATCH]

Prints processor time (user and system) of the best of three runs each, the ratio, and peak memory. Wall time is
shown too; on a shared machine processor time is the steadier figure.
SPDX-License-Identifier: GPL-2.0-or-later
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time


def run(command):
    """Returns (processor seconds, wall seconds, peak MiB) of one run."""
    before = time.monotonic()
    with open(os.devnull, "wb") as null:
        process = subprocess.Popen(command, stdout=null, stderr=null)
        _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{command[0]} failed on {command[-1]}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - before, usage.ru_maxrss / 1024


def best(command, times=3):
    return min(run(command) for _ in range(times))


def row(name, figures):
    print(f"  {name:<34}{figures[0]:9.3f} s{figures[1]:9.3f} s{figures[2]:10.1f} MiB", flush=True)


def compare(title, capture, analyze):
    print(f"\n{title} ({os.path.getsize(capture) / 1e6:.0f} MB)")
    print(f"  {'':<34}{'processor':>11}{'wall':>11}{'peak memory':>14}")
    with open(capture, "rb") as file:  # both read from the page cache
        while file.read(1 << 22):
            pass
    ours = best([analyze, capture])
    row("iwarp-analyze", ours)
    if shutil.which("tshark"):
        theirs = best(["tshark", "-q", "-z", "io,phs", "-r", capture], 2)
        row("tshark -q -z io,phs", theirs)
        print(f"  ratio {theirs[0] / ours[0]:.1f} (processor), {theirs[1] / ours[1]:.1f} (wall)")
    return ours


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    make = os.path.join(sys.argv[1], "make_capture")
    analyze = sys.argv[2]
    with tempfile.TemporaryDirectory(dir=sys.argv[3] if len(sys.argv) == 4 else None) as scratch:
        def made(*words):
            path = os.path.join(scratch, "-".join(words) + ".pcap")
            subprocess.run([make, *words, path], check=True)
            return path

        bulk = made("bulk", "500", "4")
        half = compare("Writes at MSS 1448, 4 streams", bulk, analyze)
        os.remove(bulk)
        small = made("small", "500", "256")
        compare("Small messages, 256 streams", small, analyze)
        os.remove(small)

        large = made("bulk", "2000", "4")
        print("\nThe same Writes in a capture four times as long")
        whole = best([analyze, large], 1)
        row("iwarp-analyze, 2 GB", whole)
        print(f"  peak memory {whole[2] / half[2]:.2f} times that of 500 MB")
        os.remove(large)

        many = made("open", "10000")
        print("\n10 000 connections open at once")
        row("iwarp-analyze", best([analyze, many], 1))


main()
