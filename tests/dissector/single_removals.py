#!/usr/bin/env python3
"""With one packet of a capture removed at a time: does each FPDU whose octets are all there stand in its own frame?

usage: single_removals.py [--every N] [--passes 1|2] TSHARK PLUGIN IWARP_ANALYZE CAPTURE...

Only for captures without retransmissions. What the intact capture holds is iwarp-analyze's; removed is every Nth packet that
has octets of an FPDU. Printed are FPDUs that do not stand in their frame, and frames that hold a whole FPDU and say "Part of
an FPDU".

SPDX-License-Identifier: GPL-2.0-or-later
"""

import argparse
import collections
import json
import pathlib
import subprocess
import tempfile

from tshark import Tshark

FIELDS = ["frame.number", "iwarp.fpdu.ulpdu_length", "_ws.col.Info"]


def fpdus(program, capture):
    """[(frame, ULPDU_Length, frames that hold its octets)]."""
    out = subprocess.run([program, "--format", "jsonl", "--records", "fpdus", capture], capture_output=True, text=True,
                         check=True).stdout
    records = map(json.loads, out.splitlines())
    return [(each["frame"], str(each["ulpdu_length"]), {part[0] for part in each["slices"]})
            for each in records if each["type"] == "fpdu"]


def expected(known, removed):
    """Of the capture without that frame: FPDUs by (frame, length)."""
    return collections.Counter((frame - (frame > removed), length)
                               for frame, length, frames in known if removed not in frames)


def main():
    arguments = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    arguments.add_argument("--every", type=int, default=1)
    arguments.add_argument("--passes", type=int, choices=(1, 2), default=2)
    for name in ("tshark", "plugin", "analyze"):
        arguments.add_argument(name)
    arguments.add_argument("captures", nargs="+", type=pathlib.Path)
    asked = arguments.parse_args()
    for capture in asked.captures:
        known = fpdus(asked.analyze, capture)
        frames = sorted(set().union(*(each[2] for each in known)))[::asked.every]
        asked_for = missing = partial = 0
        for removed in frames:
            with tempfile.TemporaryDirectory() as folder, Tshark(asked.tshark, asked.plugin) as tshark:
                copy = pathlib.Path(folder) / "without.pcap"
                subprocess.run(["editcap", capture, copy, str(removed)], check=True, capture_output=True)
                rows = tshark.fields(copy, FIELDS, *(["-2"] if asked.passes == 2 else []))
            shown = collections.Counter((int(row["frame.number"][0]), length)
                                        for row in rows for length in row["iwarp.fpdu.ulpdu_length"])
            wanted = expected(known, removed)
            whole = {frame for frame, _ in wanted}
            lacking = wanted - shown
            says_part = [int(row["frame.number"][0]) for row in rows if int(row["frame.number"][0]) in whole
                         and "|".join(row["_ws.col.Info"]).startswith("Part of an FPDU")]
            asked_for += sum(wanted.values())
            missing += sum(lacking.values())
            partial += len(says_part)
            if lacking or says_part:
                print(f"{capture.name} without {removed}: not in their frames: {sorted(lacking)[:8]}; part: {says_part[:8]}",
                      flush=True)
        print(f"{capture.name}: {len(frames)} removals, {asked_for} FPDUs expected, {missing} not in their frames, "
              f"{partial} frames with a whole one say 'Part of an FPDU'", flush=True)


if __name__ == "__main__":
    main()
