#!/usr/bin/env python3
"""DDP over SCTP (RFC 5043), which Wireshark's own dissectors do not know: what the plugin shows of it.

The captures are in captures/generated, made chunk by chunk. What is expected here is counted from how they are made.

usage: sctp_test.py TSHARK PLUGIN CAPTURES [TEST...]

SPDX-License-Identifier: GPL-2.0-or-later
"""

import pathlib
import re
import shutil
import struct
import sys
import unittest

from tshark import Tshark

PROGRAM, PLUGIN, CAPTURES = sys.argv[1:4]
SESSIONS = pathlib.Path(CAPTURES) / "generated/sctp-sessions.pcap"
BROKEN = pathlib.Path(CAPTURES) / "generated/sctp-broken-sessions.pcap"
PASSES = ((), ("-2",))

# Session control messages by their frame (RFC 5043 §5.2.3, RFC 6581 §7).
FUNCTIONS = {5: "1", 6: "2", 8: "5", 9: "6", 19: "4", 20: "4", 22: "1", 23: "3", 27: "4", 28: "4"}
# Frames with DDP segments; 15 and 16 have parts of one that ends in 17.
SEGMENTS = [10, 11, 12, 13, 17, 24, 25]
PARTS = [15, 16]

# Of an association each: the rule that it breaks, in the frame where that is seen and in the one that shows it first.
BROKEN_RULES = [("SCTP-ADAPT", "6", "6"), ("SCTP-PPID", "18", "18"), ("SCTP-UFLAG", "30", "30"), ("SCTP-SSN", "45", "45"),
                ("SCTP-SEQ", "51", "52"), ("SCTP-PD", "61", "61")]


class SctpTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tshark = Tshark(PROGRAM, PLUGIN)

    @classmethod
    def tearDownClass(cls):
        cls.tshark.__exit__()

    def frame(self, number, names, *arguments, capture=SESSIONS):
        """Values of the fields in one frame, as with -2."""
        rows = self.tshark.fields(capture, names, "-2", "-Y", f"frame.number == {number}", *arguments)
        return {name: value for name, value in rows[0].items() if value}

    def frames(self, text, *arguments, capture=SESSIONS):
        """Numbers of the frames that a display filter shows."""
        rows = self.tshark.fields(capture, ["frame.number"], "-Y", text, *arguments)
        return [int(row["frame.number"][0]) for row in rows]

    def tree(self, number, *arguments, capture=SESSIONS):
        return self.tshark.run("-r", self.tshark.readable(capture), "-2", "-O", "iwarp", "-Y", f"frame.number == {number}",
                               *arguments).stdout

    def field(self, number, name):
        """Attributes of a field in one frame, of each that is there: where its octets are."""
        out = self.tshark.run("-r", self.tshark.readable(SESSIONS), "-2", "-T", "pdml", "-Y", f"frame.number == {number}").stdout
        return [dict(re.findall(r'(\w+)="([^"]*)"', found)) for found in re.findall(rf'<field name="{name}"([^>]*)>', out)]

    def changed_frame(self, number, changes):
        """SESSIONS with octets of one frame's SCTP packet replaced: {position: octets}."""
        octets, at = bytearray(SESSIONS.read_bytes()), 24
        for _ in range(number - 1):
            at += 16 + struct.unpack_from("<I", octets, at + 8)[0]
        packet = at + 16 + 14 + 40  # Ethernet, IPv6
        for position, new in changes.items():
            octets[packet + position:packet + position + len(new)] = new
        path = self.tshark.home / "changed.pcap"
        path.write_bytes(octets)
        path.chmod(0o644)
        return path

    def test_segments_have_the_headers_of_ddp_and_rdmap(self):
        names = [f"iwarp.{name}" for name in ("ddp.tagged", "ddp.last", "ddp.qn", "ddp.msn", "ddp.mo", "ddp.stag", "ddp.to",
                                              "rdmap.opcode", "read.size", "terminate.value", "payload_length")]
        self.assertEqual(self.frame(10, names), {  # a Read Request, and a Send of another session
            "iwarp.ddp.tagged": ["0", "0"], "iwarp.ddp.last": ["1", "1"], "iwarp.ddp.qn": ["1", "0"], "iwarp.ddp.msn": ["1", "2"],
            "iwarp.ddp.mo": ["0", "0"], "iwarp.rdmap.opcode": ["1", "3"], "iwarp.read.size": ["1500"],
            "iwarp.payload_length": ["28", "100"]})
        self.assertEqual(self.frame(13, names), {  # the first segment of two
            "iwarp.ddp.tagged": ["1"], "iwarp.ddp.last": ["0"], "iwarp.ddp.stag": ["0x00000011"],
            "iwarp.ddp.to": ["0x0000000000001000"], "iwarp.rdmap.opcode": ["2"], "iwarp.payload_length": ["1000"]})
        self.assertEqual(self.frame(25, names)["iwarp.terminate.value"], ["0x1100"])

    def test_messages_tell_stream_session_and_ssn(self):
        names = ["iwarp.stream", "iwarp.from", "iwarp.sctp.stream", "iwarp.sctp.session", "iwarp.sctp.ssn"]
        for number, expected in ((8, [["1"], ["initiator"], ["3"], ["1"], ["0"]]),
                                 (10, [["1", "0"], ["initiator"] * 2, ["3", "0"], ["1", "1"], ["1", "2"]]),
                                 (11, [["0"], ["initiator"], ["0"], ["1"], ["1"]]),
                                 (17, [["0", "0"], ["responder"] * 2, ["0", "0"], ["1", "1"], ["1", "2"]]),
                                 (19, [["0"], ["initiator"], ["0"], ["1"], ["3"]]),
                                 (23, [["2"], ["responder"], ["0"], ["2"], ["0"]])):
            with self.subTest(frame=number):
                self.assertEqual(list(self.frame(number, names).values()), expected)

    def test_a_dropped_ssn_is_told_as_it_was_sent(self):
        self.assertEqual(self.frame(45, ["iwarp.sctp.ssn"], capture=BROKEN), {"iwarp.sctp.ssn": ["4"]})
        self.assertEqual(self.frame(43, ["iwarp.sctp.ssn"], capture=BROKEN), {"iwarp.sctp.ssn": ["3"]})

    def test_session_control_messages(self):
        for passes in PASSES:
            rows = self.tshark.fields(SESSIONS, ["frame.number", "iwarp.sctp.function"], "-Y", "iwarp.sctp.function", *passes)
            self.assertEqual({int(row["frame.number"][0]): row["iwarp.sctp.function"][0] for row in rows}, FUNCTIONS)
        for number, title in ((5, "Initiate"), (6, "Accept"), (8, "Enhanced Initiate"), (23, "Reject"), (27, "Terminate")):
            self.assertRegex(self.tree(number), rf"(?m)^ +DDP stream session control from \w+: {title}$")

    def test_session_control_out_of_sequence(self):
        # An unassigned Function Code, and no checksum, as where a NIC is to put it there.
        changed = self.changed_frame(20, {8: bytes(4), 46: b"\0\x09"})
        names = ["iwarp.finding", "iwarp.sctp.stream", "iwarp.sctp.ssn", "iwarp.sctp.function"]
        self.assertEqual(list(self.frame(20, names, capture=changed).values()), [["SCTP-SEQ"], ["0"], ["3"], ["9"]])

    def test_enhanced_ones_have_the_fields_of_start_up_frames(self):
        names = ["iwarp.mpa.ird", "iwarp.mpa.ord", "iwarp.mpa.peer_to_peer", "iwarp.mpa.private_data"]
        self.assertEqual(self.frame(8, names), {"iwarp.mpa.ird": ["4"], "iwarp.mpa.ord": ["2"], "iwarp.mpa.peer_to_peer": ["0"],
                                                "iwarp.mpa.private_data": [b"reads".hex()]})
        self.assertEqual(list(self.frame(9, names[:2]).values()), [["2"], ["4"]])
        self.assertEqual(self.frame(6, names[:3]), {})
        # The word, and Private Data behind it, stand behind DDP-SSN and Function Code.
        for name, begin, size in (("iwarp.sctp.ssn", 0, "2"), ("iwarp.sctp.function", 2, "2"), ("iwarp.mpa.ird", 4, "2"),
                                  ("iwarp.mpa.ord", 6, "2"), ("iwarp.mpa.private_data", 8, "5")):
            field, = self.field(8, name)
            message, = self.field(8, "iwarp.sctp.control")
            self.assertEqual((int(field["pos"]) - int(message["pos"]), field["size"]), (begin, size), name)

    def test_nothing_of_mpa_is_shown(self):
        framing = ["iwarp.fpdu", "iwarp.fpdu.ulpdu_length", "iwarp.fpdu.markers", "iwarp.fpdu.pad", "iwarp.fpdu.crc",
                   "iwarp.fpdu.crc_status", "iwarp.marker", "iwarp.mpa.startup", "iwarp.mpa.kind", "iwarp.mpa.flags",
                   "iwarp.mpa.rev", "iwarp.mpa.private_data_length", "iwarp.gap", "iwarp.locked", "iwarp.state.rev",
                   "iwarp.state.markers", "iwarp.state.crc", "iwarp_mpa"]
        for capture in (SESSIONS, BROKEN):
            self.assertTrue(self.frames("iwarp", "-2", capture=capture))
            self.assertEqual(self.frames(" || ".join(framing), "-2", capture=capture), [])

    def test_names_of_the_own_dissectors_for_ddp_and_rdmap(self):
        self.assertEqual(self.frames("iwarp_ddp.msn == 2", "-2"), [10])
        self.assertEqual(self.frames("iwarp_rdma.opcode == 1", "-2"), [10])

    def test_a_frame_has_messages_of_several_sessions(self):
        tree = self.tree(10)
        self.assertIn("Internet Wide Area RDMA Protocol, 2 DDP stream sessions", tree)
        self.assertRegex(tree, r"\[iWARP state after this frame, stream 1, SCTP stream 3: initiator rts, 1/2 outstanding; responder")
        self.assertRegex(tree, r"\[iWARP state after this frame, stream 0, SCTP stream 0: initiator startup; responder rts\]")
        self.assertIn("Internet Wide Area RDMA Protocol, stream 2, SCTP stream 0, session 2", self.tree(22))

    def test_the_state_follows_each_session(self):
        names = ["iwarp.qp_state.initiator", "iwarp.qp_state.responder", "iwarp.state.ord", "iwarp.state.outstanding"]
        self.assertEqual(list(self.frame(9, names).values())[:3], [["startup"], ["rts"], ["2", "4"]])
        self.assertEqual(self.frame(25, names)["iwarp.qp_state.responder"], ["terminate"])
        self.assertEqual(self.frames("iwarp.state", "-2", "-o", "iwarp.state:FALSE"), [])

    def test_a_fragmented_segment_stands_where_it_ends(self):
        names = ["iwarp.sctp.fragments", "iwarp.sctp.fragment", "iwarp.ddp.stag", "iwarp.sctp.ssn", "iwarp.message.first_frame"]
        self.assertEqual(list(self.frame(17, names).values()), [["3"], ["16", "15", "17"], ["0x00000033"], ["1", "2"], ["16", "17"]])
        for passes, parts in (((), []), (("-2",), PARTS)):
            self.assertEqual(self.frames("iwarp.reassembled_in == 17", *passes), parts)
            self.assertEqual(self.frames("iwarp.ddp.stag == 0x33", *passes), [17])
        # Its header lies in another frame: there is nothing to highlight. That of the Send bundled with it is here.
        self.assertEqual([field["size"] for field in self.field(17, "iwarp.ddp.control")], ["0", "1"])
        self.assertEqual([field["size"] for field in self.field(17, "iwarp.sctp.ssn")], ["0", "2"])

    def test_fragments_are_saved_with_the_frame_that_ends_them(self):
        # tshark saves what a displayed frame depends on in some versions and passes only (Tshark.saves_depended_frames).
        if self.tshark.version >= (4, 4):
            self.skipTest("this tshark does not save them")
        out = self.tshark.home / "saved.pcap"
        self.tshark.run("-r", self.tshark.readable(SESSIONS), "-2", "-Y", "frame.number == 17", "-w", out)
        self.assertEqual([row["frame.len"] for row in self.tshark.fields(out, ["frame.len"])], [["1082"], ["1082"], ["642"]])

    @unittest.skipUnless(shutil.which("sharkd"), "sharkd is not installed")
    def test_frames_are_the_same_in_any_order(self):
        for capture, last in ((SESSIONS, 32), (BROKEN, 66)):
            frames = list(range(1, last + 1))
            forward, backward = (dict(self.tshark.visit(capture, order)) for order in (frames, frames[::-1]))
            self.assertEqual(forward, backward)
            self.assertEqual(len(forward), last)

    def test_a_segment_stands_in_its_own_frame_though_delivered_later(self):
        # Frame 10 has DDP-SSN 2, frame 11 DDP-SSN 1. In one pass it stands where it was delivered.
        self.assertEqual(self.frames("iwarp.delivered_in == 11", "-2"), [10])
        self.assertEqual(self.frames("iwarp.delivers == 10", "-2"), [11])
        self.assertEqual(self.frames("iwarp.sctp.stream == 0 && iwarp.ddp.msn == 2", "-2"), [10])
        self.assertEqual(self.frames("iwarp.sctp.stream == 0 && iwarp.ddp.msn == 2"), [11])

    def test_requests_and_responses_link_to_each_other(self):
        self.assertEqual(self.frame(10, ["iwarp.response_in"]), {"iwarp.response_in": ["12"]})
        self.assertEqual(self.frame(12, ["iwarp.request_in"]), {"iwarp.request_in": ["10"]})
        self.assertEqual(self.frames("iwarp.response_time"), [13])

    def test_findings_are_expert_items(self):
        for passes, at in ((("-2",), 1), ((), 2)):
            names = ["iwarp.finding", "frame.number", "_ws.expert.message"]
            rows = self.tshark.fields(BROKEN, names, "-Y", 'iwarp.finding contains "SCTP-"', *passes)
            self.assertEqual([(row["iwarp.finding"][0], row["frame.number"][0]) for row in rows],
                             [(rule[0], rule[at]) for rule in BROKEN_RULES])
            for row in rows:
                self.assertIn(row["iwarp.finding"][0] + ": ", "|".join(row["_ws.expert.message"]))

    def test_filters_of_findings(self):
        for passes in PASSES:
            self.assertEqual(self.frames('iwarp.finding == "SCTP-SSN"', *passes, capture=BROKEN), [45])
            self.assertEqual(self.frames("iwarp.check.sctp_ssn", *passes, capture=BROKEN), [45])
            self.assertEqual(self.frames("_ws.expert.severity == error", *passes, capture=BROKEN),
                             [6, 18, 30, 45, 51 if passes else 52, 61])

    def test_filters_of_headers(self):
        for passes in PASSES:
            self.assertEqual(self.frames("iwarp.sctp.segment && iwarp.opcode == 0", *passes), [17, 24])
            self.assertEqual(self.frames("iwarp.sctp.session == 2", *passes), [22, 23])
            self.assertEqual(self.frames("iwarp.stream == 1 && iwarp.ddp.qn == 2", *passes), [25])

    def test_columns(self):
        def column(number):
            return [value[0] for value in self.frame(number, ["_ws.col.Protocol", "_ws.col.Info"]).values()]
        for number, info in ((8, "DDP Session Enhanced Initiate, IRD 4 ORD 2"), (11, "Send 200 octets, MSN 1"),
                             (15, "Part of a DDP message, ends in 17"), (19, "DDP Session Terminate"),
                             (10, "RDMA Read Request 1500 octets, source 0x00000022:0x0000000000002000, outstanding 1/2; "
                                  "Send 100 octets, MSN 2"),
                             (24, "RDMA Write 20 octets, 0x00000077:0x0000000000000000"),
                             (25, "Terminate 0x1100: tagged: invalid STag")):
            protocol, text = column(number)
            self.assertEqual(protocol, "iWARP")
            self.assertTrue(text.endswith(info), text)  # behind SCTP's words
        self.assertEqual(column(18)[0], "SCTP")  # a SACK alone
        shown = self.frame(45, ["_ws.col.Info"], capture=BROKEN)["_ws.col.Info"][0]
        self.assertTrue(shown.endswith("DDP Session Terminate [DDP-SSN 3 where 2 is due]"), shown)

    def test_frames_are_iwarp(self):
        for passes in PASSES:
            protocols = {int(row["frame.number"][0]): row["frame.protocols"][0]
                         for row in self.tshark.fields(SESSIONS, ["frame.number", "frame.protocols"], "-Y", "iwarp.sctp.stream",
                                                       *passes)}
            due = sorted({*FUNCTIONS, *SEGMENTS} - (set() if passes else {12}))  # that waits for frame 13
            self.assertEqual(sorted(protocols), due)
            self.assertEqual(set(protocols.values()), {"eth:ethertype:ipv6:sctp:iwarp"})
        self.assertEqual(self.frames("iwarp", "-2"), sorted({*FUNCTIONS, *SEGMENTS, *PARTS}))

    def test_reassembly_of_sctp_does_not_matter(self):
        shown = [self.frames("iwarp", "-2", "-o", f"sctp.reassembly:{choice}") for choice in ("TRUE", "FALSE")]
        self.assertEqual(shown[0], shown[1])

    def test_statistics(self):
        out = self.tshark.run("-r", self.tshark.readable(SESSIONS), "-2", "-q", "-z", "iwarp,streams").stdout
        rows = [[cell.strip() for cell in line.split("|")] for line in out.splitlines() if re.match(r" +\d", line)]
        # Number, frames, segments of both sides, messages.
        self.assertEqual([[row[0], *row[3:7]] for row in rows],
                         [["0", "7", "2", "2", "4"], ["1", "9", "2", "3", "4"], ["2", "2", "0", "0", "0"]])

    def test_switched_off(self):
        for protocol in ("iwarp", "sctp", "ipv6", "eth"):
            out = self.tshark.run("-r", self.tshark.readable(SESSIONS), "--disable-protocol", protocol).stdout
            self.assertNotIn("iWARP", out, protocol)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=1)
