#!/usr/bin/env python3
"""What the plugin shows of captures beside Wireshark's own dissectors, intact and with packets removed at random: a table.

usage: beside_builtin.py [--removed PERCENT,...] [--seed N] [--each] TSHARK PLUGIN CAPTURE...

Counted are FPDUs (fields iwarp.fpdu.ulpdu_length and iwarp_mpa.ulpdulength) and messages of the upper layers, in one pass
and in two. The same seed removes the same packets each time.

SPDX-License-Identifier: GPL-2.0-or-later
"""

import argparse
import pathlib
import random
import subprocess
import tempfile

from tshark import Tshark

# Fields that stand once in each message of RPC, NVMe over Fabrics and iSCSI.
MESSAGES = ["rpc.msgtyp", "nvme.cmd.cid", "nvme.fabrics.cmd.cid", "nvme.cqe.cid", "iscsi.opcode"]
PLUGIN = ("iwarp.fpdu.ulpdu_length", [])
BUILT_IN = ("iwarp_mpa.ulpdulength", ["--disable-protocol", "iwarp"])
# editcap takes no more selections than this in one call.
AT_ONCE = 500


def without(capture, percent, seed, folder):
    """A copy of the capture that lacks this share of its packets."""
    count = subprocess.run(["capinfos", "-rcTm", capture], capture_output=True, text=True, check=True).stdout
    choice = random.Random(f"{seed} {percent} {capture.name}")
    removed = [number for number in range(1, int(count.split(",")[1]) + 1) if choice.random() < percent / 100]
    copy = folder / f"{capture.name}-{percent}"
    subprocess.run(["editcap", capture, copy], check=True, capture_output=True)
    while removed:  # from the end, so that the numbers of the others stay
        some, removed = removed[-AT_ONCE:], removed[:-AT_ONCE]
        shorter = folder / f"{copy.name}-shorter"
        subprocess.run(["editcap", copy, shorter, *map(str, some)], check=True, capture_output=True)
        shorter.replace(copy)
    copy.chmod(0o644)
    return copy


def shown(tshark, capture, dissector, passes):
    """How many FPDUs and messages."""
    field, options = dissector
    rows = tshark.fields(capture, [field, *MESSAGES], *options, *(["-2"] if passes == 2 else []))
    return (sum(len(row[field]) for row in rows),
            sum(len(row[name]) for row in rows for name in MESSAGES))


def main():
    arguments = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    arguments.add_argument("--removed", default="0,0.2,1,3")
    arguments.add_argument("--seed", default="1")
    arguments.add_argument("--each", action="store_true")
    arguments.add_argument("tshark")
    arguments.add_argument("plugin")
    arguments.add_argument("captures", nargs="+", type=pathlib.Path)
    asked = arguments.parse_args()
    print(f"{'removed':>8} {'passes':>6} {'FPDUs':>8} {'built-in':>8} {'messages':>8} {'built-in':>8}")
    for percent in map(float, asked.removed.split(",")):
        totals = {1: [0] * 4, 2: [0] * 4}
        for capture in asked.captures:
            with tempfile.TemporaryDirectory() as folder, Tshark(asked.tshark, asked.plugin) as tshark:
                copy = without(capture, percent, asked.seed, pathlib.Path(folder))
                for passes, total in totals.items():
                    ours, theirs = (shown(tshark, copy, dissector, passes) for dissector in (PLUGIN, BUILT_IN))
                    row = [ours[0], theirs[0], ours[1], theirs[1]]
                    for at, value in enumerate(row):
                        total[at] += value
                    fewer = row[0] < row[1] or row[2] < row[3]
                    if asked.each or fewer:
                        print(f"{percent:7g}% {passes:6}", *(f"{value:8}" for value in row), f" {capture.name}",
                              "<" if fewer else "", flush=True)
        for passes, total in totals.items():
            print(f"{percent:7g}% {passes:6}", *(f"{value:8}" for value in total), flush=True)


if __name__ == "__main__":
    main()
