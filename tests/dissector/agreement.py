#!/usr/bin/env python3
"""The plugin and iwarp-analyze tell the same of a capture: FPDU by FPDU and finding by finding, frame by frame.

usage: agreement.py [--preference NAME:VALUE]... [--snaplen N]... [--without N]... TSHARK PLUGIN IWARP_ANALYZE CAPTURE...

Each capture is read in one pass and in two, with Wireshark's default preferences but for those given. In two passes
each thing stands in its own frame; in one a frame shows what was known when it came. Of a damaged capture that is compared which comes before the damage. With --snaplen and --without the captures
are read as editcap cuts their frames to so many octets, and as it leaves out every so many-th frame: what is null in a
record is absent in the plugin.

SPDX-License-Identifier: GPL-2.0-or-later
"""

import argparse
import collections
import itertools
import json
import pathlib
import subprocess
import sys

from tshark import Tshark

OPCODES = ["rdma_write", "read_request", "read_response", "send", "send_inv", "send_se", "send_se_inv", "terminate",
           "immediate", "immediate_se", "atomic_request", "atomic_response"]

# Of every FPDU: the plugin's field, the record's key, and the record's value as tshark prints it. The last two are MPA's,
# and null over SCTP.
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
# Of messages; absent where the record has null.
OF_MESSAGES = [
    ("iwarp.message.length", "length", str),
    ("iwarp.message.complete", "complete", lambda complete: str(int(complete))),
    ("iwarp.message.first_frame", "first_frame", str),
]
# Of FPDUs, which need no message to be told: all of the records' values are there, in their order.
OF_HEADERS = [
    ("iwarp.read.size", "read_length", str),
    ("iwarp.read.source_stag", "source_stag", str),
    ("iwarp.read.source_to", "source_to", str),
    ("iwarp.atomic.remote_to", "remote_to", str),
    ("iwarp.immediate", "immediate_data", str),
]
LATENCY = "iwarp.response_time"  # of Reads and atomics, in the response's frame
STARTUP = "iwarp.mpa.rev"  # one for each start-up frame
SESSION = "iwarp.sctp.session"  # one for each message over SCTP that is told by an event
SENDER = [("iwarp.stream", "stream", str), ("iwarp.from", "from", str)]


def records(program, capture):
    """Records of iwarp-analyze by kind and frame: {"fpdu": {frame: [records]}, "message": …}. An operation stands in the
    frame of its response."""
    out = subprocess.run([program, "--format", "jsonl", "--records", "fpdus,messages,operations,findings", capture],
                         capture_output=True, text=True, timeout=300, check=False).stdout
    found = {kind: {} for kind in ("fpdu", "message", "operation", "finding")}
    for line in out.splitlines():
        record = json.loads(line)
        frame = record["response_frame" if record["type"] == "operation" else "frame"]
        found[record["type"]].setdefault(frame, []).append(record)
    return found


def seconds(duration):
    """As tshark prints nanoseconds."""
    return f"{duration // 10**9}.{duration % 10**9:09d}"


def values_of(found, key, text):
    return [text(record[key]) for record in found if record[key] is not None]


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


def read(tshark, capture, names, *options):
    """What tshark prints of the fields, by frame."""
    rows = tshark.fields(capture, ["frame.number", *names], "-Y", "iwarp", *options)
    return {int(row["frame.number"][0]): row for row in rows}


def differences_in_two_passes(tshark, analyze, capture, options):
    """Each thing stands in its own frame."""
    told = records(analyze, capture)
    fpdus, findings = told["fpdu"], told["finding"]
    of_rest = OF_MESSAGES + OF_HEADERS + [(LATENCY, "latency_ns", seconds)]
    names = ["iwarp.finding", STARTUP, SESSION] + [field for field, _, _ in OF_EACH + OF_SOME + SENDER + of_rest]
    seen = read(tshark, capture, names, "-2", *options)
    last = max([*fpdus, *findings, *seen], default=0)
    for frame in sorted({*fpdus, *findings, *seen}):
        row = seen.get(frame, {name: [] for name in names})
        wanted = expected_of(fpdus.get(frame, []))
        for field, _, _ in OF_EACH + OF_SOME:
            got, due = row[field], wanted[field]
            due = [g if d is None else d for d, g in zip(due, got)] if len(due) == len(got) else due
            if got != due:
                yield f"frame {frame}: {field} {got}, iwarp-analyze has {due}"
        for field, _, _ in SENDER:  # start-up frames have them, too, and the last frame before what the end told
            count = len(row["iwarp.fpdu.stream_offset"])
            got, due = row[field], wanted[field][:count]
            others = len(got) - (len(row[SESSION]) or count + len(row[STARTUP]))
            if due and (others not in ((0, 1) if frame == last else (0,)) or not is_within(due, got)):
                yield f"frame {frame}: {field} {got}, iwarp-analyze has {due}"
        for field, key, text in OF_MESSAGES + [(LATENCY, "latency_ns", seconds)]:
            kind = "operation" if field == LATENCY else "message"
            got, due = row[field], values_of(told[kind].get(frame, []), key, text)
            if key == "first_frame" and len(got) == len(due) + 1:
                got = got[1:]  # that of a start-up frame, which is no message
            if got != due:
                yield f"frame {frame}: {field} {got}, iwarp-analyze has {due}"
        for field, key, text in OF_HEADERS:
            got, due = row[field], values_of(told["message"].get(frame, []), key, text)
            if not is_within(due, got):
                yield f"frame {frame}: {field} {got}, iwarp-analyze has {due}"
        due = [finding["id"] for finding in findings.get(frame, [])]
        if row["iwarp.finding"] != due:
            yield f"frame {frame}: findings {row['iwarp.finding']}, iwarp-analyze has {due}"


def differences_in_one_pass(tshark, analyze, capture, options):
    """A frame shows what was known when it came: an FPDU where it lies, or where it was delivered; a finding where it was
    decided. What the end of the capture brings is not there. What was placed may be taken back: without CRC another copy of
    the octets may count."""
    told = records(analyze, capture)
    fields = ["iwarp.fpdu.stream_offset", "iwarp.fpdu.ulpdu_length", "iwarp.fpdu.crc_status"]
    seen = read(tshark, capture, ["iwarp.finding", *fields], *options)
    last = max(seen, default=0)
    due = collections.Counter()
    may_be = collections.Counter()
    for fpdu in (each for found in told["fpdu"].values() for each in found):
        value = (str(fpdu["stream_offset"]), str(fpdu["ulpdu_length"]))
        due[value] += fpdu["delivered_frame"] < last
        for frame in {fpdu["frame"], fpdu["delivered_frame"]}:
            may_be[frame, value] += 1
    for frame, row in sorted(seen.items()):
        # Over SCTP there is a position alone.
        for *value, crc in itertools.zip_longest(*(row[field] for field in fields), fillvalue="None"):
            value = tuple(value)
            if value not in due or (crc != "Good" and not may_be[frame, value]):
                continue
            due[value] -= 1
            may_be[frame, value] -= 1
            if may_be[frame, value] < 0:
                yield f"frame {frame}: FPDU {value}, iwarp-analyze has none like it"
    for value in (+due).elements():
        yield f"FPDU {value} is in no frame"
    decided = {}
    for finding in (each for found in told["finding"].values() for each in found):
        decided.setdefault(finding["decided_frame"], []).append(finding["id"])
    for frame in sorted({*decided, *seen}):
        got, wanted = seen.get(frame, {"iwarp.finding": []})["iwarp.finding"], decided.get(frame, [])
        if sorted(got) != sorted(wanted) and not (frame >= last and is_within(got, wanted)):
            yield f"frame {frame}: findings {got}, iwarp-analyze has {wanted}"


def differences(tshark, analyze, capture, passes, preferences=()):
    options = [part for preference in preferences for part in ("-o", preference)]
    compare = differences_in_two_passes if passes == 2 else differences_in_one_pass
    yield from compare(tshark, analyze, capture, options)


def damaged(capture, folder, snaplens, thinnings):
    """The capture, or its damaged copies in `folder`, each with its name."""
    name = pathlib.Path(capture).name
    if not snaplens and not thinnings:
        yield capture, name
    for snaplen in snaplens:
        path = pathlib.Path(folder) / f"{name}-snaplen-{snaplen}.pcapng"
        subprocess.run(["editcap", "-s", str(snaplen), capture, path], check=True, capture_output=True)
        path.chmod(0o644)
        yield path, path.name
    for every in thinnings:
        path = pathlib.Path(folder) / f"{name}-without-{every}.pcapng"
        gone = [str(frame) for frame in range(every, every * 500, every)]
        subprocess.run(["editcap", capture, path, *gone], check=True, capture_output=True)
        path.chmod(0o644)
        yield path, path.name


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--preference", action="append", default=[])
    arguments.add_argument("--snaplen", action="append", default=[], type=int)
    arguments.add_argument("--without", action="append", default=[], type=int)
    for name in ("tshark", "plugin", "analyze"):
        arguments.add_argument(name)
    arguments.add_argument("captures", nargs="+")
    asked = arguments.parse_args()
    failed = readings = 0
    with Tshark(asked.tshark, asked.plugin) as tshark:
        for capture in asked.captures:
            for path, name in damaged(capture, tshark.home, asked.snaplen, asked.without):
                for passes in (1, 2):
                    found = list(differences(tshark, asked.analyze, path, passes, asked.preference))
                    failed += bool(found)
                    readings += 1
                    for line in found[:10]:
                        print(f"{name}, passes {passes}: {line}")
                    if len(found) > 10:
                        print(f"{name}, passes {passes}: {len(found) - 10} more differences")
    print(f"{len(asked.captures)} captures, {failed} of {readings} readings differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
