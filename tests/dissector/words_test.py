#!/usr/bin/env python3
"""What people read: Info, the lines of the tree, notes. As tshark prints them.

usage: words_test.py TSHARK PLUGIN IWARP_ANALYZE CAPTURES [TEST...]

SPDX-License-Identifier: GPL-2.0-or-later
"""

import pathlib
import re
import sys
import unittest

from tshark import Tshark

PROGRAM, PLUGIN, _, CAPTURES = sys.argv[1:5]
REAL = pathlib.Path(CAPTURES) / "real"
GENERATED = pathlib.Path(CAPTURES) / "generated"
READS = REAL / "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst"
CASES = REAL / "10b-evilpeer-cases.pcap"
MIDSTREAM = REAL / "08j-midstream-rping-crc-S3000.pcap.gz"


class WordsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tshark = Tshark(PROGRAM, PLUGIN)

    @classmethod
    def tearDownClass(cls):
        cls.tshark.__exit__()

    def lines(self, capture, *arguments):
        out = self.tshark.run("-r", self.tshark.readable(capture), *arguments).stdout
        return [line.strip() for line in out.splitlines()]

    def tree(self, capture, frame):
        return self.lines(capture, "-2", "-V", "-O", "iwarp", "-Y", f"frame.number == {frame}")

    def info(self, capture, frame):
        (line,) = self.lines(capture, "-Y", f"frame.number == {frame}", "-o", 'gui.column.format:"P","%p","I","%i"')
        return line

    def test_a_response_names_what_it_answers(self):
        self.assertRegex(self.info(READS, 109), r"^iWARP RDMA Read Response \(last of 64 KiB\) 1276 octets, .*, answers 33 in 12\.120 ms$")
        self.assertRegex(self.info(READS, 84), r"^iWARP RDMA Read Response \(more follows\) 1428 octets, 0x\w+:0x\w+$")

    def test_in_one_pass_a_header_says_what_begins_there(self):
        self.assertEqual(self.info(READS, 34), "iWARP RDMA Read Response (more follows) 1428 octets, 0x867af900:0x00007fe932e4b000")

    def test_a_frame_with_a_header_says_what_begins_there_and_where_it_ends(self):
        # Frame 34 has all of the FPDU but its CRC, which 36 brings.
        (line,) = self.lines(READS, "-2", "-Y", "frame.number == 34", "-o", 'gui.column.format:"P","%p","I","%i"')
        self.assertRegex(line, r"^iWARP RDMA Read Response \(more follows\) 1428 octets, 0x867af900:0x00007fe932e4b000, ends in 36$")

    def test_a_bare_rst_keeps_what_tcp_says_of_it(self):
        self.assertRegex(self.info(CASES, 850), r"^TCP .*\[RST, ACK\].* \| iWARP: Send 100 octets, MSN 1, unfinished "
                                                       r"\[the connection ends by RST inside an FPDU\]")

    def test_the_closed_state_tells_who_waits_for_how_much(self):
        self.assertIn("[iWARP state after this frame: initiator rts, 8/8 outstanding; responder rts]", self.tree(READS, 35))

    def test_stags_of_the_frame_and_of_what_is_under_way(self):
        lines = self.tree(READS, 35)
        self.assertIn("[STag touched: 0x867af900 of the initiator, sink of 7 Reads, 458752 octets]", lines)
        self.assertIn("[STag touched: 0xe7bac200 of the responder, source of 7 Reads, 458752 octets]", lines)
        sink = lines.index("[STag in use: 0x867af900, sink of 8 Reads, 524288 octets]")
        source = lines.index("[STag in use: 0xe7bac200, source of 8 Reads, 524288 octets]")
        responder = next(at for at, line in enumerate(lines) if line.startswith("[Responder's side:"))
        self.assertLess(sink, responder)
        self.assertGreater(source, responder)
        row = self.tshark.fields(REAL / "03a-send-variants.pcap", ["iwarp.state.stag_touched", "iwarp.invalidate_stag"],
                                 "-Y", "frame.number == 66")[0]
        self.assertEqual(row["iwarp.state.stag_touched"], row["iwarp.invalidate_stag"])

    def test_right_pointers_of_markers_are_not_called_wrong(self):
        for name in ("t01-several-markers", "t02-packed-marked", "t03-one-direction-marked", "t05-sequence-wrap-marked"):
            lines = self.lines(GENERATED / f"{name}.pcap", "-V", "-O", "iwarp")
            self.assertTrue([line for line in lines if line.startswith("Marker: FPDUPTR ")])
            self.assertEqual([line for line in lines if line.endswith("is due")], [])

    def test_a_terminate_is_an_item_of_its_own(self):
        lines = self.lines(REAL / "03e-term-read_oob.pcap", "-V", "-O", "iwarp", "-Y", "iwarp.terminate")
        self.assertIn("Terminate 0x0101: remote protection: base or bounds violation", lines)

    def test_every_field_is_used(self):
        folder = pathlib.Path(CAPTURES).parent / "dissector"
        code = "".join(path.read_text() for path in folder.rglob("*.cpp"))
        names = re.findall(r"IWARP_(?:FIELD|BITS)\((\w+),", (folder / "render/fields.def").read_text())
        self.assertEqual([name for name in names if not re.search(rf"\bhf\.{name}\b", code)], [])

    def test_an_expert_item_hangs_on_its_finding_where_no_field_is_wrong(self):
        lines = self.lines(CASES, "-V", "-O", "iwarp", "-Y", 'iwarp.finding == "MPA-CUT"')
        at = next(at for at, line in enumerate(lines) if line.startswith("[Finding: MPA-CUT: "))
        self.assertRegex("\n".join(lines[at:at + 8]), r"\[Expert Info \(Warning/Protocol\): MPA-CUT: ")

    def test_undecidables_are_notes_and_no_findings(self):
        notes = self.tshark.fields(MIDSTREAM, ["iwarp.undecidable", "iwarp.finding", "_ws.expert.severity"],
                                   "-Y", "iwarp.undecidable.note")
        self.assertEqual(len(notes), 314)
        note = str(0x00400000)  # PI_NOTE
        for row in notes:
            self.assertTrue(row["iwarp.undecidable"])
            self.assertEqual(row["iwarp.finding"], [])
            self.assertIn(note, row["_ws.expert.severity"])
        out = self.tshark.run("-r", self.tshark.readable(MIDSTREAM), "-q", "-z", "expert").stdout
        self.assertIn("Not to be decided from this capture: MPA-MULPDU (mss_unknown)", out)

    def test_experts_do_not_need_a_tree(self):
        """Columns only: as Wireshark reads a file, whose lamp in the status bar must know."""
        columns = 'gui.column.format:"N","%m","E","%a"'
        told = dict(line.split() for line in self.lines(CASES, "-o", columns) if re.match(r"^\d+ \w+$", line))
        severities = {"error": "Error", "warning": "Warning", "note": "Note", "info": "Chat"}
        ranks = list(severities.values())
        rows = self.tshark.fields(CASES, ["frame.number", "iwarp.finding.severity"], "-Y", "iwarp.finding")
        self.assertTrue(rows)
        for row in rows:
            worst = min(ranks.index(severities[severity]) for severity in row["iwarp.finding.severity"])
            self.assertLessEqual(ranks.index(told[row["frame.number"][0]]), worst, row)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=1)
