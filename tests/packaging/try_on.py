#!/usr/bin/env python3
"""What `./dev try-on` does, without making any system: mmdebstrap, unshare, chroot and the like are stand-ins.

usage: try_on.py SOURCE_FOLDER

SPDX-License-Identifier: GPL-2.0-or-later
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
DEFAULT = "http://deb.debian.org/debian"
# The stand-ins for what needs root: no namespaces, a folder for a system, and a run in it only prints that it ran.
PROGRAMS = {
    "unshare": 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
    "mount": "exit 0",
    "chroot": 'shift; echo "ran: $*"; exit ${STATUS:-0}',
    "mmdebstrap": 'echo "$@" >>"$LOG"; if [ -n "$FAILS" ]; then exit 1; fi; '
                  'made=$(mktemp -d); mkdir "$made/etc" "$made/proc" "$made/dev"; tar -C "$made" -cf - .; rm -r "$made"',
    "apt-get": 'echo "$ARCHIVES"',
    "apt-config": "echo 'Acquire::http::Proxy \"http://proxy.example:3128\";'; echo 'Dir \"/\";'",
}


class TryOnTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="iwarp-try-on-")
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name) / "tree"
        self.log = pathlib.Path(folder.name) / "log"
        self.programs = pathlib.Path(folder.name) / "bin"
        (self.tree / "packaging").mkdir(parents=True)
        self.programs.mkdir()
        shutil.copy(SOURCE / "packaging/try-on", self.tree / "packaging")
        for name, content in {"dev": "", "kept": "old", "removed": "", ".gitignore": "/build/\n*.o\n"}.items():
            (self.tree / name).write_text(content)
        for words in (["init", "-q"], ["add", "."]):
            subprocess.run(["git", *words], cwd=self.tree, check=True)
        for name, script in PROGRAMS.items():
            path = self.programs / name
            path.write_text(f"#!/bin/sh\n{script}\n")
            path.chmod(0o755)

    def try_on(self, *words, **variables):
        environment = {**os.environ, "PATH": f"{self.programs}:{os.environ['PATH']}", "LOG": str(self.log), "ARCHIVES": "",
                       "FAILS": "", "TRY_ON_SYSTEMS": str(self.tree / "build/try-on"), "TRY_ON_MIRROR": "", **variables}
        return subprocess.run([self.tree / "packaging/try-on", *words], env=environment, capture_output=True, text=True,
                              timeout=60, check=False)

    def made(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    def there(self, suite="trixie"):
        return {path.name for path in (self.tree / "build/try-on" / suite / "tree").iterdir()}

    def test_runs_the_command_there_and_passes_its_status_on(self):
        self.assertIn(" /tree/dev test\n", self.try_on("trixie").stdout)
        result = self.try_on("trixie", "build", "release", STATUS="3")
        self.assertIn(" /tree/dev build release\n", result.stdout)
        self.assertEqual(result.returncode, 3)

    def test_makes_each_system_once(self):
        for suite in ("trixie", "sid", "trixie"):
            self.assertEqual(self.try_on(suite).returncode, 0)
        self.assertEqual(len(self.made()), 2)

    def test_what_could_not_be_made_is_not_there_the_next_time(self):
        result = self.try_on("trixie", FAILS="yes")
        self.assertEqual(result.returncode, 2)
        self.assertIn("could not be made", result.stderr)
        self.assertEqual(self.try_on("trixie").returncode, 0)
        self.assertEqual(len(self.made()), 2)

    def test_takes_the_archive_that_this_machine_has(self):
        cases = [
            ({}, DEFAULT),
            ({"ARCHIVES": "http://mirror.example/debian-security/\nhttp://mirror.example/debian/"}, "http://mirror.example/debian"),
            ({"ARCHIVES": "http://archive.example/ubuntu/"}, DEFAULT),
            ({"ARCHIVES": "http://mirror.example/debian/", "TRY_ON_MIRROR": "http://chosen.example/d"}, "http://chosen.example/d"),
        ]
        for variables, archive in cases:
            self.try_on("sid", **variables)
            self.assertIn(f" sid - deb {archive} sid main", self.made()[-1])
            self.try_on("--forget", "sid")
        self.assertEqual((self.tree / "build/try-on/apt.conf").read_text(),
                         "Acquire::http::Proxy \"http://proxy.example:3128\";\n")

    def test_the_tree_there_is_what_git_lists_with_the_changes_of_today(self):
        self.assertEqual(self.try_on("trixie").returncode, 0)
        built = self.tree / "build/try-on/trixie/tree/build"
        built.mkdir()
        (self.tree / "removed").unlink()
        (self.tree / "kept").write_text("new")
        (self.tree / "added").write_text("")
        (self.tree / "ignored.o").write_text("")
        self.assertEqual(self.try_on("trixie").returncode, 0)
        self.assertEqual(self.there(), {".gitignore", "added", "build", "dev", "kept", "packaging"})
        self.assertEqual((built.parent / "kept").read_text(), "new")

    def test_says_what_it_does_not_know(self):
        result = self.try_on("buster")
        self.assertEqual(result.returncode, 2)
        self.assertIn("there are: bookworm trixie sid", result.stderr)
        self.assertEqual(self.made(), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
