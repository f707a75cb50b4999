#!/usr/bin/env python3
"""docs/wireshark.md is true: its commands print what stands behind them, its filters match as many frames as it says.

usage: guide_test.py TSHARK PLUGIN SOURCE_FOLDER

In a block of the language "console" a line "$ …" is a command, run by a shell, and the lines behind it are its output;
"..." stands for any lines.

SPDX-License-Identifier: GPL-2.0-or-later
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from tshark import NOBODY, SECONDS, Tshark

PROGRAM, PLUGIN, SOURCE = sys.argv[1:4]
GUIDE = pathlib.Path(SOURCE) / "docs/wireshark.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILTER = re.compile(r"^\| `([^`]+)` \| .* \| `([^`]+)` \| (\d+) \|$", re.MULTILINE)


def pattern(lines):
    """The expected lines as one expression."""
    parts = [r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in lines]
    return re.compile("".join(parts) + r"\Z")


class GuideTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tshark = Tshark(PROGRAM, PLUGIN)
        cls.text = GUIDE.read_text(encoding="utf-8")
        folder = cls.tshark.home / "captures/real"
        folder.mkdir(parents=True)
        for name in set(re.findall(r"captures/real/([^ ]+)", cls.text)):
            shutil.copyfile(pathlib.Path(SOURCE) / "captures/real" / name, folder / name)
        for path in (folder.parent, folder, *folder.iterdir()):
            path.chmod(0o755)

    @classmethod
    def tearDownClass(cls):
        cls.tshark.__exit__()

    def shell(self, command):
        other_user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        path = f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"
        environment = {"HOME": str(self.tshark.home), "TZ": "UTC", "LC_ALL": "C.UTF-8", "PATH": path}
        return subprocess.run(["bash", "-c", command], cwd=self.tshark.home, env=environment, capture_output=True, text=True,
                              timeout=SECONDS, check=False, **other_user).stdout

    def test_commands_print_what_stands_there(self):
        blocks = BLOCK.findall(self.text)
        self.assertGreater(len(blocks), 5)
        for block in blocks:
            command, *lines = block.splitlines()
            self.assertTrue(command.startswith("$ "), command)
            with self.subTest(command=command):
                printed = self.shell(command[2:])
                self.assertRegex(printed, pattern(lines))

    def test_filters_match_as_many_frames(self):
        rows = FILTER.findall(self.text)
        self.assertGreater(len(rows), 10)
        for text, capture, frames in rows:
            with self.subTest(filter=text):
                path = pathlib.Path(SOURCE) / "captures/real" / capture
                out = self.tshark.run("-r", self.tshark.readable(path), "-Y", text, "-T", "fields", "-e", "frame.number").stdout
                self.assertEqual(len(out.split()), int(frames))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
