#!/usr/bin/env python3
"""The plugin and iwarp-analyze tell the same of a capture: FPDU by FPDU and finding by finding, frame by frame.

usage: agreement.py [--preference NAME:VALUE]... TSHARK PLUGIN IWARP_ANALYZE CAPTURE...

Each capture is read in one pass and in two, with Wireshark's default preferences but for those given. What the end of
the capture brings is known in the second pass only: it stands at the last TCP segment there, and is not asked for in
one pass. Of a damaged capture that is compared which comes before the damage.

SPDX-License-Identifier: GPL-2.0-or-later
"""

import argparse
import json
import pathlib
import subprocess
import sys

from tshark import Tshark

OPCODES = ["rdma_write", "read_request", "read_response", "send", "send_inv", "send_se", "send_se_inv", "terminate",
           "immediate", "immediate_se", "atomic_request", "atomic_response"]

# Of every FPDU: the plugin's field, the record's key, and the record's value as tshark prints it.
OF_EACH = [
    ("iwarp.fpdu.stream_offset", "stream_offset", str),
    ("iwarp.fpdu.ulpdu_length", "ulpdu_length", str),
    ("iwarp.fpdu.crc_status", "crc", str.capitalize),
]
# Of those that have it.
OF_SOME = [
    ("iwarp.opcode", "opcode", None),
    ("iwarp.ddp.last", "last", lambda last: str(int(last))),
    ("iwarp.ddp.stag", "stag", str),
    ("iwarp.ddp.to", "to", str),
    ("iwarp.ddp.qn", "qn", str),
    ("iwarp.ddp.msn", "msn", str),
    ("iwarp.ddp.mo", "mo", str),
    ("iwarp.invalidate_stag", "invalidate_stag", str),
    ("iwarp.payload_length", "payload_length", str),
]
STARTUP = "iwarp.mpa.rev"  # one for each start-up frame
SENDER = [("iwarp.stream", "stream", str), ("iwarp.from", "from", str)]


def records(program, capture):
    """Records of iwarp-analyze: {frame: [fpdu records]}, {frame: [finding IDs]}, and the last frame's number."""
    out = subprocess.run([program, "--format", "jsonl", "--records", "fpdus,findings,summary", capture],
                         capture_output=True, text=True, timeout=300, check=False).stdout
    fpdus, findings, frames = {}, {}, 0
    for line in out.splitlines():
        record = json.loads(line)
        if record["type"] == "fpdu":
            fpdus.setdefault(record["frame"], []).append(record)
        elif record["type"] == "finding":
            findings.setdefault(record["frame"], []).append(record["id"])
        else:
            frames = record["frames"]
    return fpdus, findings, frames


def expected_of(fpdus):
    """What tshark is to print of one frame's FPDUs."""
    row = {}
    for field, key, text in OF_EACH + OF_SOME + SENDER:
        values = [fpdu[key] for fpdu in fpdus]
        if field == "iwarp.opcode":
            row[field] = [str(OPCODES.index(value)) if value in OPCODES else None for value in values if value]
        else:
            row[field] = [text(value) for value in values if value is not None]
    return row


def is_within(few, many):
    """Whether all of `few` stand in `many`, in their order."""
    rest = iter(many)
    return all(one in rest for one in few)


def differences(tshark, analyze, capture, passes, preferences=()):
    fpdus, findings, _ = records(analyze, capture)
    names = ["frame.number", "iwarp.finding", STARTUP] + [field for field, _, _ in OF_EACH + OF_SOME + SENDER]
    options = [part for preference in preferences for part in ("-o", preference)] + (["-2"] if passes == 2 else [])
    rows = tshark.fields(capture, names, "-Y", "iwarp", *options)
    seen = {int(row["frame.number"][0]): row for row in rows}
    last = max([*fpdus, *findings, *seen], default=0)
    for frame in sorted({*fpdus, *findings, *seen}):
        at_end = frame == last and passes == 1
        row = seen.get(frame, {name: [] for name in names})
        wanted = expected_of(fpdus.get(frame, []))
        for field, _, _ in OF_EACH + OF_SOME:
            got, due = row[field], wanted[field]
            due = [g if d is None else d for d, g in zip(due, got)] if len(due) == len(got) else due
            if got != due and not (at_end and got == due[:len(got)]):
                yield f"frame {frame}: {field} {got}, iwarp-analyze has {due}"
        for field, _, _ in SENDER:  # start-up frames have them, too, and the last frame before what the end told
            count = len(row["iwarp.fpdu.stream_offset"])
            got, due = row[field], wanted[field][:count]
            others = len(got) - count - len(row[STARTUP])
            if due and (others not in ((0, 1) if frame == last else (0,)) or not is_within(due, got)):
                yield f"frame {frame}: {field} {got}, iwarp-analyze has {due}"
        due = findings.get(frame, [])
        if row["iwarp.finding"] != (due[:len(row["iwarp.finding"])] if at_end else due):
            yield f"frame {frame}: findings {row['iwarp.finding']}, iwarp-analyze has {due}"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--preference", action="append", default=[])
    for name in ("tshark", "plugin", "analyze"):
        arguments.add_argument(name)
    arguments.add_argument("captures", nargs="+")
    asked = arguments.parse_args()
    failed = 0
    with Tshark(asked.tshark, asked.plugin) as tshark:
        for capture in asked.captures:
            for passes in (1, 2):
                found = list(differences(tshark, asked.analyze, capture, passes, asked.preference))
                failed += bool(found)
                name = pathlib.Path(capture).name
                for line in found[:10]:
                    print(f"{name}, passes {passes}: {line}")
                if len(found) > 10:
                    print(f"{name}, passes {passes}: {len(found) - 10} more differences")
    print(f"{len(asked.captures)} captures, {failed} of {2 * len(asked.captures)} readings differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
