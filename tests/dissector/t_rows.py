#!/usr/bin/env python3
"""What Wireshark's own dissectors get wrong, row by row: the plugin is right with default preferences, in one pass and in two.

The captures are in captures/generated, made field by field (tests/support/generated_*.cpp). What is expected here is
counted from how they are made and from the RFCs. There is no T16: DDP over SCTP is sctp_test.py's.

usage: t_rows.py TSHARK PLUGIN IWARP_ANALYZE CAPTURES [TEST...]

SPDX-License-Identifier: GPL-2.0-or-later
"""

import pathlib
import re
import sys
import unittest

from tshark import Tshark

PROGRAM, PLUGIN, _, CAPTURES = sys.argv[1:5]
GENERATED = pathlib.Path(CAPTURES) / "generated"

WRITE, READ_REQUEST, READ_RESPONSE, SEND = "0123"
OUT_OF_ORDER = ("-o", "tcp.reassemble_out_of_order:TRUE")


def pattern(count, seed=0):
    """The payloads of generated captures."""
    state, octets = (seed * 0x9E3779B9 + 0x2545F491) & 0xFFFFFFFF, bytearray()
    for _ in range(count):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        octets.append(state >> 24)
    return bytes(octets)


def marked_fpdu(offset, ulpdu):
    """(FPDUPTR of each marker, octets) of an FPDU that begins so far behind S, RFC 5044 §4.3: a marker every 512 octets."""
    pointers, at, begin = [], offset, None
    for _ in range((2 + ulpdu + -(2 + ulpdu) % 4 + 4) // 4):
        if at % 512 == 0:
            pointers.append(0 if begin is None else at - begin)
            at += 4
        begin = at if begin is None else begin
        at += 4
    return pointers, at - offset


def marked_stream(ulpdus):
    """(stream offset, FPDUPTRs) of FPDUs that follow each other."""
    at, fpdus = 0, []
    for ulpdu in ulpdus:
        pointers, octets = marked_fpdu(at, ulpdu)
        fpdus.append((at, pointers))
        at += octets
    return fpdus


class TRow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tshark = Tshark(PROGRAM, PLUGIN)
        cls.read_whole = set()

    @classmethod
    def tearDownClass(cls):
        cls.tshark.__exit__()

    def rows(self, capture, *names, wanted="iwarp", options=(), malformed=()):
        """{frame: [values of each field]}, the same in both passes, with nothing of the built-in and nothing malformed in it."""
        path = GENERATED / capture
        fields = ["frame.number", "frame.protocols", *names]
        once, twice = (self.tshark.fields(path, fields, "-Y", wanted, *options, *more) for more in ((), ("-2",)))
        self.assertEqual(once, twice)
        for row in once:
            stack = row["frame.protocols"][0].split(":")
            self.assertFalse({"iwarp_mpa", "iwarp_ddp_rdmap"} & set(stack), stack)
        if (capture, options) not in self.read_whole:
            self.read_whole.add((capture, options))
            for more in ((), ("-2",)):
                text = self.tshark.run("-r", self.tshark.readable(path), "-V", *options, *more).stdout
                self.assertEqual(set(re.findall(r"Malformed Packet: ([^]]*)", text)), set(malformed))
                self.assertNotIn("dissector bug", text.lower())
        return {int(row["frame.number"][0]): [row[name] for name in names] for row in once}

    def fpdus(self, capture, *names, options=()):
        """[values] of each FPDU in turn. REQUIRES: each of them has each field."""
        rows = self.rows(capture, *names, wanted="iwarp.fpdu", options=options)
        return [values for columns in rows.values() for values in zip(*columns, strict=True)]

    def findings(self, capture):
        return {frame: ids for frame, (ids,) in self.rows(capture, "iwarp.finding").items() if ids}

    def payload(self, capture, frame, title):
        """The octets of a data source, the same in both passes."""
        once, twice = (dict(self.tshark.data_sources(GENERATED / capture, frame, *more)) for more in ((), ("-2",)))
        self.assertEqual(once, twice)
        return once[title]

    def test_T1_several_markers_in_one_fpdu(self):
        capture = "t01-several-markers.pcap"
        from_initiator = marked_stream([18 + 1400, 14 + 1410])
        from_responder = marked_stream([18 + 1300])
        self.assertEqual([len(pointers) for _, pointers in from_initiator + from_responder], [3, 3, 3])
        expected = {6: from_initiator[0], 7: from_responder[0], 8: from_initiator[1]}
        rows = self.rows(capture, "iwarp.fpdu.stream_offset", "iwarp.marker.fpduptr", "iwarp.fpdu.crc_status",
                         wanted="iwarp.fpdu")
        self.assertEqual(rows, {frame: [[str(offset)], [str(pointer) for pointer in pointers], ["Good"]]
                                for frame, (offset, pointers) in expected.items()})
        for frame, octets in ((6, pattern(1400, 1)), (7, pattern(1300, 2)), (8, pattern(1410, 3))):
            self.assertEqual(self.payload(capture, frame, "Payload without markers"), octets)

    def test_T2_packed_fpdus_in_a_marked_stream(self):
        capture = "t02-packed-marked.pcap"
        rows = self.rows(capture, "iwarp.from", "iwarp.ddp.msn", "iwarp.fpdu.ulpdu_length", "iwarp.fpdu.crc_status",
                         "iwarp.marker.fpduptr", wanted="iwarp.fpdu")
        pointers = [str(pointer) for _, each in marked_stream([118, 218, 318, 418]) for pointer in each]
        self.assertEqual(rows.pop(6), [["initiator"] * 4, list("1234"), ["118", "218", "318", "418"], ["Good"] * 4, pointers])
        # The responder's three are cut behind 333 and behind 733 octets of the stream.
        self.assertEqual([rows[frame][1] for frame in (7, 8, 9) if frame in rows], [["1"], ["2", "3"]])
        self.assertEqual([length for row in rows.values() for length in row[2]], ["48", "718", "23"])
        self.assertEqual([status for row in rows.values() for status in row[3]], ["Good"] * 3)

    def test_T3_markers_in_one_direction_only(self):
        capture = "t03-one-direction-marked.pcap"
        stream = marked_stream([718] * 4)
        rows = self.rows(capture, "iwarp.from", "iwarp.ddp.msn", "iwarp.marker.fpduptr", "iwarp.fpdu.crc_status",
                         wanted="iwarp.fpdu")
        expected = {}
        for at in range(4):
            pointers = [str(pointer) for pointer in stream[at][1]]
            expected[6 + 2 * at] = [["initiator"], [str(at + 1)], [], ["Good"]]
            expected[7 + 2 * at] = [["responder"], [str(at + 1)], pointers, ["Good"]]
        self.assertEqual(rows, expected)
        self.assertEqual(self.payload(capture, 7, "Payload without markers"), pattern(700, 11))

    def test_T4_a_marker_between_pad_and_crc(self):
        # Behind the marker at 0 an FPDU of 24 octets; ULPDU_Length, ULPDU and PAD of the next one end at 512.
        rows = self.rows("t04-marker-behind-pad.pcap", "iwarp.fpdu.stream_offset", "iwarp.fpdu.ulpdu_length",
                         "iwarp.marker.fpduptr", "iwarp.fpdu.pad", "iwarp.fpdu.crc_status", wanted="iwarp.fpdu")
        self.assertEqual(rows, {6: [["0"], ["18"], ["0"], [], ["Good"]],
                                7: [["28"], ["480"], ["484"], ["0000"], ["Good"]],
                                8: [["520"], ["68"], [], ["0000"], ["Good"]]})

    def test_T5_markers_behind_the_wrap_of_sequence_numbers(self):
        capture = "t05-sequence-wrap-marked.pcap"
        self.assertEqual(self.rows(capture, "tcp.seq_raw", wanted="frame.number == 1"), {1: [[str(0xfffffe00)]]})
        streams = (marked_stream([918] * 4), marked_stream([818] * 4))
        for options in ((), ("-o", "tcp.relative_sequence_numbers:FALSE")):
            rows = self.rows(capture, "iwarp.fpdu.stream_offset", "iwarp.marker.fpduptr", "iwarp.fpdu.crc_status",
                             wanted="iwarp.fpdu", options=options)
            expected = {}
            for number in range(8):
                offset, pointers = streams[number % 2][number // 2]
                expected[6 + number] = [[str(offset)], [str(pointer) for pointer in pointers], ["Good"]]
            self.assertEqual(rows, expected)

    def test_T6_each_wrong_field_is_told(self):
        self.assertEqual(self.findings("t06-wrong-fields.pcap"),
                         {7: ["MPA-MKPTR"], 8: ["MPA-MKRSV"], 9: ["MPA-PAD"], 10: ["DDP-DV"], 11: ["RDMAP-RV"],
                          12: ["DDP-MSNGAP"], 13: ["DDP-MO0"], 14: ["DDP-TOP"]})

    def test_T7_revision_2(self):
        capture = "t07-revision-2.pcap"
        names = ("mpa.rev", "mpa.enhanced", "mpa.reserved", "mpa.peer_to_peer", "mpa.rtr_send", "mpa.rtr_write", "mpa.rtr_read",
                 "mpa.ird", "mpa.ord", "mpa.private_data")
        rows = self.rows(capture, *(f"iwarp.{name}" for name in names), wanted="iwarp.mpa.rev")
        request = ["2", "1", "0x00", "1", "0", "1", "1", "16", "8", b"priv".hex()]
        reply = ["2", "1", "0x00", "1", "0", "0", "1", "8", "16"]
        self.assertEqual(rows, {4: [[value] for value in request], 5: [[value] for value in reply] + [[]]})
        self.assertEqual(self.rows(capture, "iwarp.opcode", wanted="iwarp.message.rtr == 1"), {6: [[READ_REQUEST]]})
        self.assertEqual(self.findings(capture), {})

    def test_T8_immediate_data(self):
        self.assertEqual(self.fpdus("t08-immediates.pcap", "iwarp.opcode", "iwarp.ddp.msn", "iwarp.immediate"),
                         [("8", "1", "0x1122334455667788"), ("9", "2", "0xfedcba9876543210"), ("8", "1", "0x000000000000002a")])
        self.assertEqual(self.findings("t08-immediates.pcap"), {})

    def test_T9_a_terminated_header_by_its_own_t_bit(self):
        names = ("value", "tagged", "opcode", "stag", "to", "qn", "msn", "sink_stag", "size", "source_stag")
        rows = self.rows("t09-terminated-headers.pcap", *(f"iwarp.terminate.{name}" for name in names),
                         wanted="iwarp.terminate.value")
        shown = sorted([",".join(value) for value in row] for row in rows.values())
        self.assertEqual(shown, [
            ["0x0100", "0", READ_REQUEST, "", "", "1", "1", "0x00000007", "64", "0xdeadbe00"],
            ["0x0207", "1", READ_RESPONSE, "0x00000009", "0x0000000000000000", "", "", "", "", ""],
            ["0x1201", "0", SEND, "", "", "5", "2", "", "", ""]])

    def test_T10_terminates_without_headers(self):
        names = ("value", "m", "d", "r", "ddp_segment_length", "name")
        rows = self.rows("t10-bare-terminates.pcap", *(f"iwarp.terminate.{name}" for name in names),
                         wanted="iwarp.terminate.value")
        values = [[",".join(value) for value in row] for row in rows.values()]
        self.assertEqual([row[:5] for row in values],
                         [["0x0205", "1", "0", "0", "48"], ["0x2302", "0", "0", "0", ""], ["0x2306", "0", "0", "0", ""]])
        for row, word in zip(values, ("version", "CRC", "IRD")):
            self.assertIn(word, row[5])

    def test_T11_atomics(self):
        names = ("operation", "request_id", "remote_stag", "remote_to", "add_swap_data", "add_swap_mask", "compare_data",
                 "compare_mask", "original_value")
        rows = self.rows("t11-atomics.pcap", *(f"iwarp.atomic.{name}" for name in names), wanted="iwarp.opcode >= 10")
        self.assertEqual({frame: [",".join(value) for value in row] for frame, row in rows.items()}, {
            7: ["0", "0xa0000001", "0x1234ab01", "0x0000000000001008", "0x0000000000000005", "0x8000000080000000",
                "0x0000000000000000", "0xffffffffffffffff", ""],
            8: ["", "0xa0000001", "", "", "", "", "", "", "0x0000000000000025"],
            9: ["2", "0xa0000002", "0x1234ab01", "0x0000000000001010", "0x0000000000002222", "0x00000000ffffffff",
                "0x0000000000001111", "0xffffffff00000000", ""],
            10: ["", "0xa0000002", "", "", "", "", "", "", "0x0000000000003333"]})
        self.assertEqual(self.findings("t11-atomics.pcap"), {7: ["RDMAP-ATRSV"]})

    def test_T12_an_fpdu_behind_the_reply(self):
        rows = self.rows("t12-fpdu-behind-reply.pcap", "iwarp.mpa.rev", "iwarp.opcode", "iwarp.ddp.msn", "iwarp.finding",
                         wanted="iwarp.mpa.rev or iwarp.fpdu")
        self.assertEqual(rows, {4: [["1"], [], [], []], 5: [["1"], [SEND], ["1"], ["MPA-RESPFIRST"]],
                                6: [[], [SEND], ["1"], []], 7: [[], [SEND], ["2"], []]})

    def test_T12_midstream(self):
        fpdus = self.fpdus("t12-midstream.pcap", "iwarp.from", "iwarp.ddp.msn", "iwarp.payload_length", "iwarp.fpdu.crc_status")
        self.assertEqual(sorted(fpdus), [("initiator", str(msn), "500", "Good") for msn in range(3, 7)] +
                         [("responder", str(msn), "200", "Good") for msn in range(2, 6)])

    def test_T13_equal_ports_and_an_empty_ulpdu(self):
        rows = self.rows("t13-equal-ports.pcap", "iwarp.from", "iwarp.fpdu.ulpdu_length", "iwarp.ddp.msn", "iwarp.finding",
                         wanted="iwarp.fpdu")
        self.assertEqual(rows, {6: [["initiator"], ["118"], ["1"], []], 7: [["responder"], ["118"], ["1"], []],
                                8: [["initiator"], ["0"], [], ["MPA-LEN"]], 9: [["initiator"], ["68"], ["2"], []]})

    def test_T14_messages_that_interleave(self):
        capture = "t14-mixed-messages.pcap"
        rows = self.rows(capture, "iwarp.opcode", "iwarp.message.length", "iwarp.message.first_frame", "iwarp.request_in",
                         wanted="iwarp.message")
        self.assertEqual(rows, {6: [[SEND], ["0"], ["6"], []], 7: [[READ_REQUEST], ["28"], ["7"], []],
                                12: [[READ_RESPONSE], ["3000"], ["9"], ["7"]], 13: [[SEND], ["3000"], ["8"], []],
                                16: [[WRITE], ["2500"], ["14"], []]})
        self.assertEqual(self.payload(capture, 13, "RDMAP message"), pattern(3000, 1))

    def test_T15_sends_too_short_for_a_ulp(self):
        capture = "t15-short-sends.pcap"
        lengths = ["0", "1", "3", "4", "8", "12", "15", "27"]
        rows = self.rows(capture, "iwarp.payload_length", "iwarp.ddp.msn", wanted="iwarp.fpdu")
        expected = {6 + at: [[length], [str(at + 1)]] for at, length in enumerate(lengths)}
        expected[14] = [lengths, [str(msn) for msn in range(1, 9)]]
        expected[15] = [["100"], ["9"]]
        self.assertEqual(rows, expected)
        self.assertEqual(self.findings(capture), {})

    def test_T17_ports_of_other_protocols(self):
        capture = "t17-ports-of-others.pcap"
        rows = self.rows(capture, "tcp.dstport", "frame.protocols", "_ws.col.Protocol", "iwarp.payload_length",
                         wanted="iwarp.fpdu and iwarp.from == initiator")
        ports = ["80", "443", "445", "4420", "5445", "8009"]
        self.assertEqual(list(rows.values()), [[[port], ["eth:ethertype:ip:tcp:iwarp"], ["iWARP"], ["200"]] for port in ports])
        rows = self.rows(capture, "tcp.srcport", "frame.protocols", "iwarp.payload_length",
                         wanted="iwarp.fpdu and iwarp.from == responder")
        self.assertEqual(list(rows.values()), [[[port], ["eth:ethertype:ip:tcp:iwarp"], ["300"]] for port in ports])

    def test_T18_late_segments(self):
        capture = "t18-late-segments.pcap"
        for options in ((), OUT_OF_ORDER):
            fpdus = self.fpdus(capture, "iwarp.ddp.msn", "iwarp.payload_length", "iwarp.fpdu.crc_status", options=options)
            self.assertEqual(sorted(fpdus), [(str(msn), "300" if msn < 4 else "600", "Good") for msn in range(1, 8)])
            # Captured in the order 1, 3, 2: each stands where it lies.
            rows = self.rows(capture, "iwarp.ddp.msn", wanted="iwarp.fpdu", options=options)
            self.assertEqual({frame: rows.get(frame) for frame in (6, 7, 8)}, {6: [["1"]], 7: [["3"]], 8: [["2"]]})

    def test_T19_a_segment_that_was_never_captured(self):
        capture = "t19-uncaptured-segment.pcap"
        for options in ((), OUT_OF_ORDER):
            fpdus = self.fpdus(capture, "iwarp.ddp.msn", "iwarp.payload_length", options=options)
            self.assertEqual(fpdus, [(msn, "500") for msn in "134568"])
        # The gap is given up with frame 11: then frame 7, the first behind it, has been shown already.
        for options, gap in (((), "11"), (("-2",), "7")):
            rows = self.tshark.fields(GENERATED / capture, ["frame.number", "iwarp.finding"], "-Y", "iwarp.finding", *options)
            found = [(row["frame.number"], row["iwarp.finding"]) for row in rows]
            self.assertEqual(found, [([gap], ["CAP-GAP"]), (["15"], ["DDP-MSNGAP"])])

    def test_T20_snapshot_length_96(self):
        fpdus = self.rows("t20-snaplen96.pcap", "iwarp.opcode", "iwarp.payload_length", "iwarp.ddp.stag", "iwarp.ddp.to",
                          "iwarp.fpdu.crc_status", wanted="iwarp.fpdu")
        self.assertEqual([[",".join(value) for value in row] for row in fpdus.values()],
                         [[SEND, "1000", "", "", "Undecidable"],
                          [WRITE, "1200", "0x00a1b2c3", "0x0000000000001000", "Undecidable"],
                          [SEND, "900", "", "", "Undecidable"], [SEND, "3", "", "", "Good"]])

    def test_T20_ipv6_payload_length_zero(self):
        # Wireshark's IPv6 takes the length for what it says by default, and its TCP finds no octets: so it says itself.
        rows = self.rows("t20-ipv6-length-zero.pcap", "iwarp.ddp.msn", "iwarp.payload_length", "iwarp.fpdu.crc_status",
                         wanted="iwarp.fpdu", malformed={"TCP"})
        self.assertEqual(rows, {6: [["1", "2", "3"], ["1400"] * 3, ["Good"] * 3], 7: [["1"], ["100"], ["Good"]]})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=1)
