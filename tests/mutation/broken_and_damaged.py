#!/usr/bin/env python3
"""Captures with one broken rule, then damaged: is the rule still found, at the frame that broke it, and nothing else?

usage: broken_and_damaged.py [--seed N] [--beside ANALYZE] IWARP_REPLAY IWARP_ANALYZE CAPTURE...

Each rule that iwarp-replay injects is broken in a replay of the first stream of each capture, in memory. Of what it records
the packets around the broken one are taken away, cut, repeated or swapped; that one stays. Printed for each kind of damage:
captures, those in which the rule is found, those in which a finding of it names the frame that broke it, and those with an
error or a warning of another rule that the undamaged recording does not break. --beside prints the same of another analyzer.

SPDX-License-Identifier: GPL-2.0-or-later
"""

import argparse
import collections
import json
import pathlib
import random
import struct
import subprocess
import tempfile

FILE_HEADER = 24
RECORD_HEADER = struct.Struct("<IIII")  # seconds, nanoseconds, captured octets, octets on the wire
GRAVE = ("error", "warning")


def packets_of(path):
    """The header of a pcap file with the same packets, and these with their record headers."""
    plain = path.with_suffix(".plain")
    subprocess.run(["editcap", "-F", "nsecpcap", path, plain], check=True, capture_output=True)
    octets = plain.read_bytes()
    packets = []
    at = FILE_HEADER
    while at < len(octets):
        end = at + RECORD_HEADER.size + RECORD_HEADER.unpack_from(octets, at)[2]
        packets.append(octets[at:end])
        at = end
    return octets[:FILE_HEADER], packets


def snapped(packet, length):
    seconds, fraction, captured, wire = RECORD_HEADER.unpack_from(packet)
    captured = min(captured, length)
    return RECORD_HEADER.pack(seconds, fraction, captured, wire) + packet[RECORD_HEADER.size:][:captured]


def damages(count, kept, choice):
    """(kind, frames in their order, snapshot length or None); frames are counted from 1, `kept` stays."""
    frames = range(1, count + 1)
    others = [frame for frame in frames if frame != kept]
    for _ in range(6):
        lost = choice.choice(others)
        yield "one packet removed", [frame for frame in frames if frame != lost], None
    for share in (0.03, 0.1):
        yield f"{share:.0%} removed", [frame for frame in frames if frame == kept or choice.random() > share], None
    first = choice.choice(frames)
    yield "six in a row removed", [frame for frame in frames if frame == kept or not first <= frame < first + 6], None
    begun = choice.randrange(max(1, kept // 2) + 1)
    yield "begun late", list(frames[begun:]), None
    yield "without the TCP handshake", list(frames[3:]), None
    swapped = list(frames)
    for _ in range(3):
        place = choice.randrange(count - 1)
        swapped[place:place + 2] = reversed(swapped[place:place + 2])
    yield "three pairs swapped", swapped, None
    repeated = choice.choice(frames)
    yield "one captured twice", [*frames[:repeated + 2], repeated, *frames[repeated + 2:]], None
    yield "cut to 128 octets", list(frames), 128


def findings(analyze, path):
    said = subprocess.run([analyze, "--format", "jsonl", "--records", "findings", path], capture_output=True, text=True,
                          check=False).stdout
    return [record for record in map(json.loads, said.splitlines()) if record["type"] == "finding"]


def recordings(replay, captures, folder):
    """(rule, path) of every injection that can be recorded from the captures."""
    listed = subprocess.run([replay, "--list-injections"], capture_output=True, text=True, check=True).stdout
    for injection in (line.split()[0] for line in listed.splitlines() if line and not line.startswith(" ")):
        for capture in captures:
            path = folder / "broken.pcap"
            path.unlink(missing_ok=True)
            subprocess.run([replay, "run", capture, "--in-memory", "--stream", "0", "--inject", injection, "--record", path],
                           capture_output=True, check=False)
            if path.exists():
                yield injection.partition(":")[0], path


def main():
    arguments = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    arguments.add_argument("--seed", type=int, default=7)
    arguments.add_argument("--beside")
    arguments.add_argument("replay")
    arguments.add_argument("analyze")
    arguments.add_argument("captures", nargs="+", type=pathlib.Path)
    asked = arguments.parse_args()
    programs = [asked.analyze] + ([asked.beside] if asked.beside else [])
    choice = random.Random(asked.seed)
    counts = collections.defaultdict(collections.Counter)  # by kind of damage
    recorded = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        damaged = folder / "damaged.pcap"
        for rule, path in recordings(asked.replay, asked.captures, folder):
            intact = findings(asked.analyze, path)
            culprit = next((finding["frame"] for finding in intact if finding["id"] == rule), None)
            if culprit is None:
                continue
            recorded += 1
            grave = {finding["id"] for finding in intact if finding["severity"] in GRAVE} | {rule}
            header, packets = packets_of(path)
            for kind, frames, length in damages(len(packets), culprit, choice):
                if culprit not in frames:
                    continue
                kept = (packets[frame - 1] for frame in frames)
                damaged.write_bytes(header + b"".join(snapped(each, length) if length else each for each in kept))
                counts[kind]["captures"] += 1
                place = frames.index(culprit) + 1
                for number, program in enumerate(programs):
                    found = findings(program, damaged)
                    of_rule = [finding for finding in found if finding["id"] == rule]
                    others = {finding["id"] for finding in found if finding["severity"] in GRAVE} - grave
                    counts[kind][f"found {number}"] += bool(of_rule)
                    counts[kind][f"there {number}"] += any(finding["frame"] == place for finding in of_rule)
                    counts[kind][f"others {number}"] += bool(others)
    columns = ["captures"] + [f"{word} {number}" for number in range(len(programs)) for word in ("found", "there", "others")]
    print(f"{recorded} recordings with one broken rule")
    print("| " + " | ".join(["damage", *columns]) + " |")
    for kind, count in [*counts.items(), ("all", sum(counts.values(), collections.Counter()))]:
        print("| " + " | ".join([kind, *(str(count[column]) for column in columns)]) + " |")


if __name__ == "__main__":
    main()
