#!/usr/bin/env python3
"""Wireshark's window with the plugin: a capture opens, the state of a frame unfolds, tables fill, nothing crashes.

usage: window_test.py TSHARK PLUGIN CAPTURES [--pictures FOLDER]

Without Wireshark or what drives it (packaging/debian-packages.txt, [window]) it says so, and tests nothing. With
--pictures, small PNGs: the window with the state of a frame (wireshark.png), a capture whose peer breaks rules
(wireshark-broken.png), and the Expert window beside it (wireshark-expert.png).

SPDX-License-Identifier: GPL-2.0-or-later
"""

import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

import window
from tshark import Tshark
from window import Screen, Wireshark, until

PROGRAM, PLUGIN, CAPTURES = sys.argv[1:4]
PICTURES = pathlib.Path(sys.argv[5]) if sys.argv[4:5] == ["--pictures"] else None
REAL = pathlib.Path(CAPTURES) / "real"
READS = REAL / "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst"
CASES = REAL / "10b-evilpeer-cases.pcap"
FRAME = 331  # a Read Response among eight Reads outstanding
WIDTH, HEIGHT = 1400, 900
MOST_OCTETS = 250_000
SETTINGS = ["gui.byte_view_show: FALSE", "gui.packet_diagram_show: FALSE", "gui.geometry_main_upper_pane: 190",
            "column.width:", "\t%m, 60,", "\t%t, 75,", "\t%s, 75,", "\t%d, 80,", "\t%p, 65,", "\t%L, 55,", "\t%i, 940"]
BROKEN = 458  # a first MSN of 5
EXPERT_BUTTON = (14, 886)  # in the status bar
INSIDE_TREE = (700, 800)  # below its lines as long as it is closed


class WindowTest(unittest.TestCase):
    def setUp(self):
        self.home = self.enterContext(Tshark(PROGRAM, PLUGIN))
        window.settings(self.home, (WIDTH, HEIGHT), SETTINGS)
        self.screen = self.enterContext(Screen(WIDTH, HEIGHT))

    def open(self, capture, *arguments):
        return self.enterContext(Wireshark(self.screen, self.home, capture, *arguments))

    def leave(self, wireshark):
        self.assertTrue(wireshark.lives(), wireshark.complaints())
        self.assertEqual(wireshark.quit(), 0)
        self.assertEqual(wireshark.complaints(), [])

    def unfold(self, wireshark, line):
        """Walks down the tree to the line, opens it, and stands on it."""
        def at():
            lines = [text.strip() for text in wireshark.visible()]
            return next((row for row, text in enumerate(lines) if text.startswith(line)), None), len(lines)
        row, before = at()
        self.assertIsNotNone(row, f"no line {line}")
        wireshark.key("Home", *["Down"] * row, "Right")
        until(lambda: at()[1] > before, f"{line} does not open")

    def focus_tree(self, wireshark):
        until(lambda: any("Internet Wide Area" in line for line in wireshark.visible()), "no iWARP in the tree")
        wireshark.click(*INSIDE_TREE)

    def test_the_state_of_a_frame_unfolds(self):
        wireshark = self.open(READS, "-Y", "iwarp.outstanding", "-g", str(FRAME))
        self.focus_tree(wireshark)
        for line in ("Internet Wide Area RDMA Protocol", "[iWARP state after this frame", "[Initiator's side", "[Outstanding requests"):
            self.unfold(wireshark, line)
        shown = [line.strip() for line in wireshark.visible()]
        self.assertIn("[iWARP state after this frame: initiator rts, 5/8 outstanding; responder rts]", shown)
        self.assertEqual(len([line for line in shown if line.startswith("[Request in frame: 35, Read, MSN")]), 5)
        told = self.home.run("-2", "-r", self.home.readable(READS), "-V", "-Y", f"frame.number == {FRAME}").stdout
        told = {line.strip() for line in told.splitlines()}
        self.assertEqual([line for line in shown if line not in told], [])
        wireshark.key("Home")
        time.sleep(1)
        self.look("wireshark.png")
        self.leave(wireshark)

    def test_what_is_wrong_is_seen(self):
        wireshark = self.open(CASES, "-g", str(BROKEN))
        self.focus_tree(wireshark)
        for line in ("Internet Wide Area RDMA Protocol", "FPDU from initiator", "DDP header", "MSN: 5", "[Finding: DDP-MSN1"):
            self.unfold(wireshark, line)
        shown = [line.strip() for line in wireshark.visible()]
        self.assertIn("[Expert Info (Error/Sequence): DDP-MSN1: first MSN on queue 0 is 5 (RFC 5041 §4.3)]", shown)
        wireshark.key("Home")
        time.sleep(1)
        self.look("wireshark-broken.png")
        wireshark.click(*EXPERT_BUTTON)
        expert = wireshark.window("Expert Information")
        time.sleep(3)  # it fills
        self.look("wireshark-expert.png")
        wireshark.key("Escape", window=expert)
        self.leave(wireshark)

    def look(self, name):
        """The picture is there, of the whole screen, and has something on it."""
        path = self.home.home / name
        self.screen.picture(path)
        what = self.screen.run("identify", "-format", "%w %h %k", str(path)).split()
        self.assertEqual(what[:2], [str(WIDTH), str(HEIGHT)])
        self.assertGreater(int(what[2]), 50)
        small = self.home.home / "small.png"
        subprocess.run(["convert", str(path), "+dither", "-colors", "64", "-strip", "-define", "png:compression-level=9",
                        f"PNG8:{small}"], check=True, timeout=60)
        self.assertLess(small.stat().st_size, MOST_OCTETS)
        if PICTURES:
            shutil.copyfile(small, PICTURES / name)

    def test_reading_again_and_closing_do_no_harm(self):
        wireshark = self.open(CASES, "-g", "850")
        self.focus_tree(wireshark)
        self.unfold(wireshark, "Internet Wide Area RDMA Protocol")
        before = wireshark.visible()
        wireshark.key("ctrl+d")  # ignore the frame: all are dissected anew
        until(lambda: wireshark.visible() != before, "the frame is not ignored")
        wireshark.key("ctrl+d")
        until(lambda: wireshark.visible() == before, "not the same when all was dissected anew")
        wireshark.key("ctrl+r")  # read the file again
        until(lambda: "Frame 1:" in "".join(wireshark.visible()), "not read again")
        wireshark.key("ctrl+g", "8", "5", "0", "Return")
        until(lambda: wireshark.visible() == before, "not the same when read again")
        self.assertTrue(wireshark.lives())
        wireshark.key("ctrl+w")  # close the file
        wireshark.window("Wireshark Network Analyzer")
        wireshark.name = "The Wireshark Network Analyzer"
        self.leave(wireshark)

    def test_tables_fill_and_follow_their_filter(self):
        wireshark = self.open(CASES, "-z", "iwarp,streams")
        table = wireshark.window("iWARP Streams")
        row = re.compile(r"^ *(\d+) +[\d.]+:\d+ +[\d.]+:7175 +[1-9]")  # stream, ends, frames

        def rows(*keys):
            return [int(found[1]) for line in wireshark.copied(*keys, window=table) if (found := row.match(line))]
        # The keyboard goes from the rows to the filter, Apply, Copy.
        every = rows("Tab", "Tab", "Tab", "space")
        self.assertEqual(every[:4], [0, 1, 2, 3])
        self.assertEqual(len(every), len(set(every)))
        wireshark.key("shift+Tab", "shift+Tab", window=table)
        wireshark.write("iwarp.stream > 40", table)
        wireshark.key("Tab", "space", window=table)
        time.sleep(2)  # while it counts, Apply is disabled and hands the keyboard on to Copy
        shown = until(lambda: found if (found := rows("space")) != every else None, "the filter does nothing")
        self.assertEqual(shown, [stream for stream in every if stream > 40])
        wireshark.key("Escape", window=table)
        self.leave(wireshark)


if __name__ == "__main__":
    absent = window.missing() + [name for name in ("wireshark",) if not shutil.which(name)]
    if absent:
        print(f"skipped: not installed: {', '.join(absent)}")
        sys.exit(0)
    unittest.main(argv=sys.argv[:1], verbosity=1)
