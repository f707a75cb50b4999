#!/usr/bin/env python3
"""Every source file names its licence on a line of its own, where licence tools look for it.

usage: check_spdx.py ROOT          prints the files below ROOT that do not; exit status 1 if there are any
       check_spdx.py --repair ROOT makes it the last line of the head comment of C++ files that do not
       check_spdx.py --self-test   has wrong heads of its own found and repaired

SPDX-License-Identifier: GPL-2.0-or-later
"""

import pathlib
import re
import sys

SOURCE_ROOTS = (".ci", "captures/lab", "cmake", "dissector", "gui", "libiwarpstate", "packaging", "replay", "tests")
CPP = (".cpp", ".hpp", ".def")
OTHERS = (".c", ".cmake", ".map", ".proto", ".py", ".sh")
LINE = "// SPDX-License-Identifier: " + "GPL-2.0-or-later"
ON_ITS_OWN = re.compile(r"^\W*SPDX-License-Identifier: GPL-2\.0-or-later\W*$", re.MULTILINE)
ANYWHERE = re.compile(r"SPDX-License-Identifier:\s*(?://\s*)?GPL-2\.0-or-later[ \t]*")


def head_length(lines):
    """How many lines the comment takes with which a C++ file begins."""
    return next((at for at, line in enumerate(lines) if not line.startswith("//")), len(lines))


def is_right(name, text):
    if not name.endswith(CPP):
        return ON_ITS_OWN.search(text) is not None
    lines = text.splitlines()
    head = lines[:head_length(lines)]
    return bool(head) and head[-1] == LINE and len(ANYWHERE.findall("\n".join(head))) == 1


def repaired(text):
    """A C++ file's text with the tag as the last line of its head comment."""
    lines = text.splitlines()
    length = head_length(lines)
    head = [line for line in lines[:length] if line != LINE]
    head = [line.rstrip() for line in ANYWHERE.sub("", "\n".join(head)).splitlines()]
    while head and head[-1] == "//":
        head.pop()
    return "\n".join([*head, LINE, *lines[length:]]) + "\n"


def sources(root):
    for source_root in SOURCE_ROOTS:
        for path in sorted((root / source_root).rglob("*")):
            if path.suffix in CPP + OTHERS or path.name == "CMakeLists.txt":
                yield path


def self_test():
    wrong = {
        "glued": "// What it is.\n// It ends here. SPDX-License-Identifier: GPL-2.0-or-later\n#pragma once\n",
        "wrapped": "// What it is.\n// It ends here. SPDX-License-Identifier:\n// GPL-2.0-or-later\n#pragma once\n",
        "first": "// SPDX-License-Identifier: GPL-2.0-or-later\n// What it is.\n// It ends here.\n#pragma once\n",
        "missing": "// What it is.\n// It ends here.\n#pragma once\n",
    }
    right = "// What it is.\n// It ends here.\n" + LINE + "\n#pragma once\n"
    failed = not is_right("right.hpp", right)
    for name, text in wrong.items():
        if is_right(name + ".hpp", text) or repaired(text) != right:
            print(f"{name}: became\n{repaired(text)}")
            failed = True
    return failed


def main():
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        return 1 if self_test() else 0
    root = pathlib.Path(arguments[-1])
    found = False
    for path in sources(root):
        text = path.read_text(encoding="utf-8")
        if is_right(path.name, text):
            continue
        if arguments[0] == "--repair" and path.suffix in CPP:
            path.write_text(repaired(text), encoding="utf-8")
        else:
            print(f"{path.relative_to(root)}: the SPDX line is missing, or not the last of the head comment")
            found = True
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
