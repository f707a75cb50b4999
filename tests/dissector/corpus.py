#!/usr/bin/env python3
"""Everything of every capture asked of tshark, in one pass and in two, under a tool that watches its memory: a sanitizer
that the plugin was built with, or valgrind.

usage: corpus.py [--sanitizers LIBRARY...] [--valgrind FOLDER] [--seconds N] --  TSHARK PLUGIN CAPTURE...

The sanitizers' libraries are loaded in front of Debian's tshark, which was built without. valgrind's complaints count where
the plugin is on the stack, and are written below FOLDER all.

SPDX-License-Identifier: GPL-2.0-or-later
"""

import argparse
import pathlib
import random
import re
import shutil
import sys

from tshark import SEPARATE_BLOCKS, Tshark, sanitized

ALL = ["-V", "-x", "-z", "expert", "-z", "iwarp,streams", "-z", "iwarp,operations", "-z", "iwarp,findings"]
VISITS = 12
TABLE = "stat_tap_add_table"  # tshark gives back none of the tables of -z, whosever they are


def reports(text):
    """Each report of a sanitizer, or each error of valgrind, in a text of one or many."""
    if "Sanitizer" in text or "runtime error:" in text:
        yield text
    for block in re.split(r"(?m)^==\d+== $", text):
        if TABLE not in block and ("iwarp::" in block or "iwarp.so" in block):
            yield block


def complaints(result):
    if result.returncode != 0:
        yield f"ended with {result.returncode}: {result.stderr[-3000:]}"
    yield from reports(result.stderr)
    for line in result.stdout.splitlines():
        if "dissector bug" in line.lower() or "Malformed Packet: iWARP" in line:
            yield line.strip()


def readings(tshark, capture):
    """(how it was read, result) of each way to read the capture."""
    path = tshark.readable(capture)
    yield "one pass", tshark.run("-n", "-r", path, *ALL, check=False)
    yield "two passes", tshark.run("-n", "-2", "-r", path, *ALL, check=False)
    frames = [int(row["frame.number"][0]) for row in tshark.fields(capture, ["frame.number"])]
    if shutil.which("sharkd") and frames:
        chosen = random.Random(3).choices(frames, k=VISITS)
        yield f"frames {chosen}", tshark.run_sharkd(capture, chosen)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--sanitizers", nargs="*", default=[])
    arguments.add_argument("--valgrind", type=pathlib.Path)
    arguments.add_argument("--seconds", type=int, default=600)
    arguments.add_argument("tshark")
    arguments.add_argument("plugin")
    arguments.add_argument("captures", nargs="+")
    asked = arguments.parse_args()
    wrapper = ["valgrind", "--num-callers=40", "--leak-check=full", "--keep-debuginfo=yes"] if asked.valgrind else []
    environment = sanitized(asked.sanitizers) if asked.sanitizers else SEPARATE_BLOCKS
    failed = 0
    with Tshark(asked.tshark, asked.plugin, environment, wrapper, asked.seconds) as tshark:
        for capture in asked.captures:
            for how, result in readings(tshark, capture):
                found = list(complaints(result))
                failed += bool(found)
                for text in found[:3]:
                    print(f"{pathlib.Path(capture).name}, {how}:\n{text}", flush=True)
                if asked.valgrind:
                    name = f"{pathlib.Path(capture).name}-{how.replace(' ', '-')[:10]}.txt"
                    (asked.valgrind / name).write_text(result.stderr)
    print(f"{len(asked.captures)} captures, {failed} readings with complaints")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
