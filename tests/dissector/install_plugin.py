#!/usr/bin/env python3
"""What `./dev install-plugin` does and says, without building anything: cmake, id, tshark and the like are stand-ins.

usage: install_plugin.py SOURCE_FOLDER

SPDX-License-Identifier: GPL-2.0-or-later
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
TOOLS = ["awk", "bash", "cat", "cp", "dirname", "env", "find", "grep", "mkdir", "mv", "printf", "readlink", "sed", "xargs"]
BUILT = "4.0.17"
LISTED = r"printf 'iwarp.so\t0.1.0\tdissector\t/somewhere\n'"


class InstallPluginTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="iwarp-install-")
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name) / "tree"
        self.programs = pathlib.Path(folder.name) / "bin"
        self.home = pathlib.Path(folder.name) / "home"
        for path in (self.tree / "packaging", self.programs, self.home):
            path.mkdir(parents=True)
        shutil.copy(SOURCE / "dev", self.tree)
        shutil.copy(SOURCE / "packaging/debian-packages.txt", self.tree / "packaging")
        shutil.copytree(SOURCE / "dissector/profile", self.tree / "dissector/profile")
        for tool in TOOLS:
            (self.programs / tool).symlink_to(shutil.which(tool))
        self.program("cmake", "mkdir -p build/release/dissector; printf plugin > build/release/dissector/iwarp.so")
        self.program("pkg-config", f"printf '{BUILT}\\n'")
        self.program("id", "printf '1000\\n'")

    def program(self, name, script):
        path = self.programs / name
        path.write_text(f"#!{shutil.which('bash')}\n{script}\n")
        path.chmod(0o755)

    def tshark(self, version, plugins):
        self.program("tshark", f"if [ \"$1\" = --version ]; then printf 'TShark (Wireshark) {version} (Git v{version})\\n'; "
                               f"else {plugins}; fi")

    def install(self):
        environment = {"PATH": str(self.programs), "HOME": str(self.home)}
        return subprocess.run([self.programs / "bash", self.tree / "dev", "install-plugin"], env=environment,
                              capture_output=True, text=True, timeout=60, check=False)

    def installed(self, version="4.0"):
        return self.home / f".local/lib/wireshark/plugins/{version}/epan/iwarp.so"

    def test_into_the_users_own_folder(self):
        self.tshark(BUILT, LISTED)
        result = self.install()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.installed().read_text(), "plugin")
        self.assertIn(f"Installed {self.installed()} for Wireshark 4.0", result.stderr)

    def test_the_profile_comes_with_it_and_stays_its_owners(self):
        self.tshark(BUILT, LISTED)
        self.assertIn("wireshark -C iWARP", self.install().stderr)
        colours = self.home / ".config/wireshark/profiles/iWARP/colorfilters"
        self.assertIn("iWARP Terminate", colours.read_text())
        colours.write_text("mine")
        self.assertNotIn("profile", self.install().stderr)
        self.assertEqual(colours.read_text(), "mine")

    def test_another_patch_level_is_fine(self):
        self.tshark("4.0.3", LISTED)
        self.assertEqual(self.install().returncode, 0)

    def test_root_is_told_that_wireshark_ignores_it(self):
        self.tshark(BUILT, "true")
        self.program("id", "printf '0\\n'")
        result = self.install()
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, "Wireshark will ignore it here: run as root it loads no plugins of users")
        self.assertIn("./dev install /usr", result.stderr)

    def test_another_minor_version_is_told(self):
        self.tshark("4.2.5", "true")
        result = self.install()
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"Wireshark will ignore it: this is Wireshark 4.2.5, and the plugin was built with the headers of {BUILT}",
                      " ".join(result.stderr.split()))

    def test_no_wireshark_is_told(self):
        result = self.install()
        self.assertEqual(result.returncode, 2)
        self.assertIn("neither wireshark nor tshark is installed", result.stderr)

    def test_a_tshark_that_does_not_load_it_is_told(self):
        self.tshark(BUILT, "printf 'other.so\\t1.0\\tdissector\\t/somewhere\\n'")
        result = self.install()
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"tshark {BUILT} does not load it", result.stderr)

    def test_headers_that_are_missing_are_told(self):
        for script in ("true", "[[ $* != *--target* ]]"):  # Make knows no such target, neither does Ninja
            self.program("cmake", script)
            result = self.install()
            self.assertEqual(result.returncode, 2)
            self.assertIn("libwireshark-dev and libglib2.0-dev are needed", result.stderr)

    def test_only_the_plugin_is_built(self):
        self.tshark(BUILT, LISTED)
        self.program("cmake", "printf '%s\\n' \"$*\" >> calls; "
                              "mkdir -p build/release/dissector; printf plugin > build/release/dissector/iwarp.so")
        self.assertEqual(self.install().returncode, 0)
        configured, built = (self.tree / "calls").read_text().splitlines()
        self.assertEqual(configured, "--preset release")
        self.assertTrue(built.startswith("--build --preset release --target iwarp_plugin "), built)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=1)
