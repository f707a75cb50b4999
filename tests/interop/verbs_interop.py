#!/usr/bin/env python3
"""iwarp-replay --rnic verbs inside the lab's virtual machine, on one of its siw; rping is on the other.

    verbs_interop.py LAB REPLAY ROLE

The program and its libraries are copied to where the machine sees them. Exit status 77: skipped, no machine runs, or the
program was built without the back end.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import pathlib
import re
import shutil
import subprocess
import sys

from lab import lab_or_skip

CAPTURE = "01g-rping-v4-mtu1500-notso-crc-S5000.pcap"
# Those of the machine's own system.
OWN = re.compile(r"/(ld-|libc\.|libm\.|libpthread|libibverbs|librdmacm|libnl-)")


def install(replay, folder):
    libraries = re.findall(r"=> (/\S+)", subprocess.run(["ldd", replay], capture_output=True, text=True, check=True).stdout)
    folder.mkdir(exist_ok=True)
    for each in [replay, *(library for library in libraries if not OWN.search(library))]:
        shutil.copy(each, folder / pathlib.Path(each).name)
    return any("libibverbs" in library for library in libraries)


def main():
    program, replay, role = sys.argv[1:]
    lab = lab_or_skip(program)
    if not install(replay, lab.captures.parent / "programs"):
        print("SKIPPED: iwarp-replay was built without libibverbs")
        sys.exit(77)
    said = lab.script(f"bash /tree/captures/lab/guest/verbs_interop.sh {role} {CAPTURE} mpa_crc_required=1 2>&1 | cut -c 1-200",
                      "exit ${PIPESTATUS[0]}")
    print(said)
    if "same: 1 of 1 streams are as recorded" not in said:
        raise RuntimeError("it was not as recorded")


main()
