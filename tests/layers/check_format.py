#!/usr/bin/env python3
"""Every C++ file is as `./dev format` makes it.

usage: check_format.py ROOT  prints the files below ROOT that are not; exit status 1 if there are any,
                             77 (skipped) where clang-format is not there in the version that decides

SPDX-License-Identifier: GPL-2.0-or-later
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

VERSION = 14  # Debian 12's; others break lines in other places
SOURCE_ROOTS = ("captures", "dissector", "gui", "libiwarpstate", "replay", "tests")


def program():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path is None:
            continue
        told = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
        if re.search(rf"version {VERSION}\.", told):
            return path
    return None


def main():
    root = pathlib.Path(sys.argv[1])
    clang_format = program()
    if clang_format is None:
        print(f"SKIPPED: no clang-format {VERSION} is installed")
        return 77
    files = sorted(path for source_root in SOURCE_ROOTS for path in (root / source_root).rglob("*.[ch]pp"))

    def wrong_ones(some):
        command = [clang_format, "--dry-run", "-Werror", *map(str, some)]
        told = subprocess.run(command, capture_output=True, text=True, check=False).stderr
        return {match[1] for match in re.finditer(r"^(\S.*?):\d+:\d+: error:", told, re.MULTILINE)}

    batches = [files[at : at + 50] for at in range(0, len(files), 50)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = sorted(set().union(*pool.map(wrong_ones, batches)))
    for path in wrong:
        print(f"{pathlib.Path(path).relative_to(root)}: not as ./dev format makes it")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
