#!/usr/bin/env python3
"""docs/fields.md, made from dissector/render/fields.def, dissector/compat/old_names.def and the library's findings.def.

usage: fields_doc.py SOURCE_FOLDER [--write]

Without --write (or IWARP_UPDATE_GOLDEN=1) it only tells whether the file is as it would be made: 0 it is, 1 it is not.

SPDX-License-Identifier: GPL-2.0-or-later
"""

import os
import pathlib
import re
import sys

TYPES = {"FT_NONE": "label", "FT_STRING": "string", "FT_BYTES": "octets", "FT_BOOLEAN": "boolean", "FT_FRAMENUM": "frame number",
         "FT_RELATIVE_TIME": "duration", "FT_UINT8": "unsigned, 8 bits", "FT_UINT16": "unsigned, 16 bits",
         "FT_UINT32": "unsigned, 32 bits", "FT_UINT64": "unsigned, 64 bits"}
STRING = r'"((?:[^"\\]|\\.)*)"'
FIELD = re.compile(rf"IWARP_(?:FIELD|BITS)\((\w+), {STRING}, {STRING}, (\w+), (\w+), (.*), {STRING}\)")
HEADING = re.compile(r"// --- (.*?) -+")
LEFT_OUT = re.compile(rf"(?m)^IWARP_OLD_NAME_LEFT_OUT\({STRING}, {STRING}\)")
OLD = re.compile(rf"(?m)^IWARP_OLD_NAME\((\w+), {STRING}\)")
CHECK = re.compile(rf"(?m)^IWARP_CHECK\((\w+), {STRING}, (\w+), ")
BEGIN = """# Fields

Made from `dissector/render/fields.def` and `dissector/compat/old_names.def` by `tests/dissector/fields_doc.py`; a test keeps them equal.

Names for display filters, columns and `tshark -T fields -e`. Fields of an FPDU come once for each FPDU of the frame, in
the stream's order.

Findings are expert items, too: each row of [findings.md](findings.md) has its `iwarp.check.NAME`, where NAME is the ID in
small letters with `_` for `-`: `iwarp.check.mpa_crc` is MPA-CRC. An ID with several rows has as many of them, so that
`iwarp.finding == "MPA-REV"` matches more than `iwarp.check.mpa_rev` does. These are named otherwise:

| Field | ID | Severity |
|--|--|--|
"""
FRAME = "\n## The frame's stream\n"
OLD_BEGIN = """
## Names of Wireshark's own dissectors

These are set as well, as hidden items, so that filters written for the built-in dissectors match.
"""
LEFT_OUT_BEGIN = """
These are never set:

| Field | Why |
|--|--|
"""
TABLE = "\n| Field | Type | Title | What it tells |\n|--|--|--|--|\n"


def checks_named_otherwise(source):
    """Rows for the checks whose name does not follow from their ID."""
    text = (source / "libiwarpstate/include/iwarp/findings.def").read_text(encoding="utf-8")
    checks = CHECK.findall(text)
    if len(checks) != text.count("\nIWARP_CHECK("):
        raise SystemExit("findings.def has lines that are not understood")
    return [f"| `iwarp.check.{name}` | {check_id} | {severity.replace('information', 'info')} |\n"
            for name, check_id, severity in checks if name != check_id.lower().replace("-", "_")]


def made(source):
    out = [BEGIN, *checks_named_otherwise(source), FRAME, TABLE]
    count = 0
    text = (source / "dissector/render/fields.def").read_text(encoding="utf-8")
    for line in text.splitlines():
        if heading := HEADING.match(line):
            out += [f"\n## {heading[1]}\n", TABLE]
        elif field := FIELD.match(line):
            _, name, title, kind, _, _, description = field.groups()
            out.append(f"| `{name}` | {TYPES[kind]} | {title} | {description} |\n")
            count += 1
    if count != len(re.findall(r"(?m)^IWARP_(?:FIELD|BITS)\(", text)):
        raise SystemExit("fields.def has lines that are not understood")
    old = (source / "dissector/compat/old_names.def").read_text(encoding="utf-8")
    out += [OLD_BEGIN, "\n"] + [f"- `{name}`\n" for _, name in OLD.findall(old)]
    out += [LEFT_OUT_BEGIN] + [f"| `{name}` | {reason} |\n" for name, reason in LEFT_OUT.findall(old)]
    return "".join(out)


def main():
    source = pathlib.Path(sys.argv[1])
    path = source / "docs/fields.md"
    text = made(source)
    if "--write" in sys.argv[2:] or os.environ.get("IWARP_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != text:
        print("docs/fields.md is not what the fields are; make it anew: tests/dissector/fields_doc.py . --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
