#!/usr/bin/env python3
"""The manual page and the shell completion know exactly the options that the program's help lists.

usage: check_options.py PROGRAM MANUAL COMPLETION
SPDX-License-Identifier: GPL-2.0-or-later
"""

import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def main():
    program, manual, completion = sys.argv[1:]
    text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    helped = set(OPTION.findall(text))
    described = set(OPTION.findall(pathlib.Path(manual).read_text(encoding="utf-8").replace("\\-", "-")))
    completed = set(OPTION.findall(pathlib.Path(completion).read_text(encoding="utf-8")))
    failed = False
    for name, options in ((manual, described), (completion, completed)):
        for option in sorted(helped ^ options):
            print(f"{name}: {option} is {'missing' if option in helped else 'no option of the program'}")
            failed = True
    return 1 if failed or not helped else 0


if __name__ == "__main__":
    sys.exit(main())
