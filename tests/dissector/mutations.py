#!/usr/bin/env python3
"""Captures with octets changed at random, as Wireshark's own tools/fuzz-test.sh makes them: the plugin must neither
stop tshark nor be called a "Dissector bug" nor hang, and must tell the same as iwarp-analyze still.

usage: mutations.py [--runs N] [--first N] [--seconds N] [--no-agreement] [--keep FOLDER] [--sanitizers LIBRARY...]
                    -- TSHARK PLUGIN IWARP_ANALYZE CAPTURE...

Run number N is the same each time: its capture, editcap's seed, its share of changed octets (0.5 to 5 %) and how many
octets at the beginning of each frame stay follow from N. Each is read in one pass and in two, with every detail. What fails
is told with the command that makes it again.

SPDX-License-Identifier: GPL-2.0-or-later
"""

import argparse
import pathlib
import random
import shutil
import subprocess
import sys

import agreement
from tshark import Tshark, sanitized

RATES = (0.005, 0.05)
# Octets left alone: none, the network layer, all headers of Ethernet, IPv4 and TCP, those with options or of Linux cooked.
UNTOUCHED = (0, 34, 54, 68)
# Memory that dissectors free is overwritten and checked; GLib's warnings are fatal.
STRICT = {"WIRESHARK_DEBUG_WMEM_OVERRIDE": "strict", "G_DEBUG": "fatal_warnings"}


class Mutation:
    """One capture, changed."""

    def __init__(self, number, captures):
        choice = random.Random(number)
        self.capture = choice.choice(captures)
        self.seed = choice.randrange(1, 1 << 31)
        self.rate = round(choice.uniform(*RATES), 4)
        self.untouched = choice.choice(UNTOUCHED)
        self.name = f"mutation-{number}.pcapng"

    def command(self, output):
        return ["editcap", "--seed", str(self.seed), "-E", str(self.rate), "-o", str(self.untouched), str(self.capture),
                str(output)]

    def make(self, folder):
        path = folder / self.name
        subprocess.run(self.command(path), check=True, capture_output=True)
        path.chmod(0o644)
        return path


def complaints(result, passes):
    """What is wrong with a run of tshark."""
    if result.returncode != 0:
        yield f"passes {passes}: ended with {result.returncode}: {result.stderr[-2000:]}"
    elif result.stderr:
        yield f"passes {passes}: said {result.stderr[:2000]}"
    for line in result.stdout.splitlines():
        if "dissector bug" in line.lower() or "Malformed Packet: iWARP" in line:
            yield f"passes {passes}: {line.strip()}"


def try_out(tshark, analyze, path, with_agreement):
    for passes in (1, 2):
        second = ["-2"] if passes == 2 else []
        try:
            yield from complaints(tshark.run("-n", "-V", "-x", "-r", path, *second, check=False), passes)
            if with_agreement:
                for line in agreement.differences(tshark, analyze, path, passes):
                    yield f"passes {passes}: {line}"
        except subprocess.TimeoutExpired:
            yield f"passes {passes}: not done after {tshark.seconds} s"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--runs", type=int, default=6)
    arguments.add_argument("--first", type=int, default=0)
    arguments.add_argument("--seconds", type=int, default=120)
    arguments.add_argument("--no-agreement", action="store_true")
    arguments.add_argument("--keep", type=pathlib.Path)
    arguments.add_argument("--sanitizers", nargs="*", default=[])  # see corpus.py
    arguments.add_argument("tshark")
    arguments.add_argument("plugin")
    arguments.add_argument("analyze")
    arguments.add_argument("captures", nargs="+")
    asked = arguments.parse_args()
    if shutil.which("editcap") is None:
        print("skipped: editcap is not installed")
        return 0
    failed = 0
    environment = {**STRICT, **(sanitized(asked.sanitizers) if asked.sanitizers else {})}
    with Tshark(asked.tshark, asked.plugin, environment, seconds=asked.seconds) as tshark:
        for number in range(asked.first, asked.first + asked.runs):
            mutation = Mutation(number, asked.captures)
            path = mutation.make(tshark.home)
            found = list(try_out(tshark, asked.analyze, path, not asked.no_agreement))
            if found:
                failed += 1
                print(f"{number}: {' '.join(mutation.command(mutation.name))}")
                print("".join(f"    {line}\n" for line in found[:10]), end="", flush=True)
                if asked.keep:
                    shutil.copy(path, asked.keep)
            path.unlink()
    print(f"{asked.runs} changed captures, {failed} with complaints")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
