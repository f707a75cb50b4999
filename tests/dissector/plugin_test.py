#!/usr/bin/env python3
"""What the plugin shows, asked of tshark as its users do.

usage: plugin_test.py TSHARK PLUGIN IWARP_ANALYZE CAPTURES [TEST...]

SPDX-License-Identifier: GPL-2.0-or-later
"""

import collections
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import unittest

import agreement
from tshark import Tshark

PROGRAM, PLUGIN, ANALYZE, CAPTURES = sys.argv[1:5]
REAL = pathlib.Path(CAPTURES) / "real"
GENERATED = pathlib.Path(CAPTURES) / "generated"
OLD_NAMES = pathlib.Path(__file__).resolve().parents[2] / "dissector/compat/old_names.def"
FIELDS_DOC = pathlib.Path(__file__).resolve().parents[2] / "docs/fields.md"
PING = REAL / "01g-rping-v4-mtu1500-notso-crc-S5000.pcap"
TERMINATED = ["iwarp_rdma.term_ddp_seg_len", "iwarp_rdma.term_ddp_h", "iwarp_rdma.term_rdma_h"]
SYMBOLS = {"plugin_version", "plugin_want_major", "plugin_want_minor", "plugin_register", "plugin_describe"}


def with_port(capture, old, new):
    """A pcap of Ethernet and IPv4 with one TCP port replaced."""
    octets = bytearray(capture.read_bytes())
    link = {1: 14, 113: 16}[struct.unpack_from("<I", octets, 20)[0]]
    at = 24
    while at < len(octets):
        ip = at + 16 + link
        tcp = ip + (octets[ip] & 15) * 4
        for port in (tcp, tcp + 2):
            if struct.unpack_from(">H", octets, port)[0] == old:
                struct.pack_into(">H", octets, port, new)
        at += 16 + struct.unpack_from("<I", octets, at + 8)[0]
    return bytes(octets)


def without_frames(capture, frames):
    """A pcap without some of its frames, counted from 1."""
    octets, kept, at, number = capture.read_bytes(), [], 24, 1
    while at < len(octets):
        end = at + 16 + struct.unpack_from("<I", octets, at + 8)[0]
        if number not in frames:
            kept.append(octets[at:end])
        at, number = end, number + 1
    return octets[:24] + b"".join(kept)


def in_vlans(capture, identifiers):
    """A pcap of Ethernet with each frame in each of the VLANs (IEEE 802.1Q)."""
    octets, at = capture.read_bytes(), 24
    out = octets[:24]
    while at < len(octets):
        seconds, part, size = struct.unpack_from("<III", octets, at)
        begin, end = at + 16, at + 16 + size
        for identifier in identifiers:
            frame = octets[begin:begin + 12] + struct.pack(">HH", 0x8100, identifier) + octets[begin + 12:end]
            out += struct.pack("<IIII", seconds, part + identifier, len(frame), len(frame)) + frame
        at = end
    return out


def tcp_checksum(ip, segment):
    """Of IPv4 (RFC 9293 §3.1)."""
    octets = ip[12:20] + struct.pack(">HH", 6, len(segment)) + segment + b"\0" * (len(segment) % 2)
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def with_payloads_joined(octets, first, second):
    """A pcap of IPv4 in which the second frame brings the first one's TCP payload, too, and the first is gone."""
    link = {1: 14, 113: 16}[struct.unpack_from("<I", octets, 20)[0]]
    out, at, number, begun = octets[:24], 24, 1, b""
    while at < len(octets):
        end = at + 16 + struct.unpack_from("<I", octets, at + 8)[0]
        record = bytearray(octets[at:end])
        tcp = 16 + link + (record[16 + link] & 15) * 4
        payload = tcp + (record[tcp + 12] >> 4) * 4
        if number == first:
            begun, sequence = record[payload:], record[tcp + 4:tcp + 8]
        else:
            if number == second:
                record[tcp + 4:tcp + 8] = sequence
                record[payload:payload] = begun
                struct.pack_into("<II", record, 8, len(record) - 16, len(record) - 16)
                struct.pack_into(">H", record, 16 + link + 2, len(record) - 16 - link)
                struct.pack_into(">H", record, tcp + 16, 0)
                struct.pack_into(">H", record, tcp + 16, tcp_checksum(record[16 + link:tcp], record[tcp:]))
            out += record
        at, number = end, number + 1
    return out


def with_payloads_instead(capture, frame, payloads):
    """The frames of a pcap of Ethernet and IPv4 before `frame`, and then that one with each of the TCP payloads in turn."""
    octets, at = capture.read_bytes(), 24
    for _ in range(frame - 1):
        at += 16 + struct.unpack_from("<I", octets, at + 8)[0]
    out, record = octets[:at], octets[at:at + 16 + struct.unpack_from("<I", octets, at + 8)[0]]
    ip = 16 + 14
    tcp = ip + (record[ip] & 15) * 4
    begin = tcp + (record[tcp + 12] >> 4) * 4
    sequence = struct.unpack_from(">I", record, tcp + 4)[0]
    for payload in payloads:
        made = bytearray(record[:begin] + payload)
        struct.pack_into("<II", made, 8, len(made) - 16, len(made) - 16)
        struct.pack_into(">H", made, ip + 2, len(made) - ip)
        struct.pack_into(">I", made, tcp + 4, sequence)
        struct.pack_into(">H", made, tcp + 16, 0)
        struct.pack_into(">H", made, tcp + 16, tcp_checksum(made[ip:tcp], made[tcp:]))
        out += made
        sequence = (sequence + len(payload)) % 2**32
    return out


def with_payloads_cut(capture, cuts):
    """A pcap of Ethernet and IPv4 in which the TCP payloads of some frames come in pieces: {frame: [where it is cut]}."""
    octets, at, number = capture.read_bytes(), 24, 1
    out = octets[:24]
    while at < len(octets):
        record = octets[at:at + 16 + struct.unpack_from("<I", octets, at + 8)[0]]
        ip = 16 + 14
        tcp = ip + (record[ip] & 15) * 4
        begin, end = tcp + (record[tcp + 12] >> 4) * 4, ip + struct.unpack_from(">H", record, ip + 2)[0]
        places = [begin, *(begin + cut for cut in cuts.get(number, [])), end]
        for first, last in zip(places, places[1:]):
            if number not in cuts:
                out += record
                break
            made = bytearray(record[:begin] + record[first:last])
            struct.pack_into("<II", made, 8, len(made) - 16, len(made) - 16)
            struct.pack_into(">H", made, ip + 2, len(made) - ip)
            struct.pack_into(">I", made, tcp + 4, (struct.unpack_from(">I", record, tcp + 4)[0] + first - begin) % 2**32)
            struct.pack_into(">H", made, tcp + 16, 0)
            struct.pack_into(">H", made, tcp + 16, tcp_checksum(made[ip:tcp], made[tcp:]))
            out += made
        at, number = at + len(record), number + 1
    return out


def with_octets_overwritten(capture, frames, count):
    """A pcap of Ethernet and IPv4 in which the TCP payloads of some frames begin with octets that are no FPDU."""
    octets, at, number = bytearray(capture.read_bytes()), 24, 1
    while at < len(octets):
        tcp = at + 16 + 14 + (octets[at + 16 + 14] & 15) * 4
        begin = tcp + (octets[tcp + 12] >> 4) * 4
        if number in frames:
            octets[begin:begin + count] = bytes((at * 37 + 11) % 256 for at in range(count))
        at, number = at + 16 + struct.unpack_from("<I", octets, at + 8)[0], number + 1
    return bytes(octets)


def write_segment(offset, octets, last):
    """An FPDU without markers and CRC that brings a segment of an RDMA Write (RFC 5041 §4.2, RFC 5040 §4.1)."""
    ulpdu = struct.pack(">BBIQ", 0xc1 if last else 0x81, 0x40, 0x1234, offset) + octets
    fpdu = struct.pack(">H", len(ulpdu)) + ulpdu
    return fpdu + bytes(-len(fpdu) % 4 + 4)


def send_segment(offset, octets, last):
    """The same of a Send (RFC 5041 §4.3)."""
    ulpdu = struct.pack(">BBIIII", 0x41 if last else 0x01, 0x43, 0, 0, 1, offset) + octets
    fpdu = struct.pack(">H", len(ulpdu)) + ulpdu
    return fpdu + bytes(-len(fpdu) % 4 + 4)


def pcapng_block(kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))


def as_pcapng(capture, before, blocks):
    """A pcap of Ethernet as pcapng, with blocks before one of its frames."""
    octets, at, number = capture.read_bytes(), 24, 1
    out = pcapng_block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)) + pcapng_block(1, struct.pack("<HHI", 1, 0, 0))
    while at < len(octets):
        seconds, part, size, wire = struct.unpack_from("<IIII", octets, at)
        time = seconds * 10**6 + part
        if number == before:
            out += b"".join(blocks)
        packet = octets[at + 16:at + 16 + size]
        out += pcapng_block(6, struct.pack("<IIIII", 0, time >> 32, time % 2**32, size, wire) + packet)
        at, number = at + 16 + size, number + 1
    return out


class PluginTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tshark = Tshark(PROGRAM, PLUGIN)

    @classmethod
    def tearDownClass(cls):
        cls.tshark.__exit__()

    def file(self, name, octets):
        path = self.tshark.home / name
        path.write_bytes(octets)
        path.chmod(0o644)
        return path

    def values(self, capture, name, *arguments):
        return [value for row in self.tshark.fields(capture, [name], *arguments) for value in row[name]]

    def test_exports_what_wireshark_wants_and_nothing_else(self):
        out = subprocess.run(["nm", "-D", "--defined-only", PLUGIN], capture_output=True, text=True, check=True).stdout
        self.assertEqual({line.split()[-1] for line in out.splitlines()}, SYMBOLS)

    def test_is_listed(self):
        listed = self.tshark.run("-G", "plugins").stdout
        self.assertRegex(listed, r"(?m)^iwarp\.so\s+\S+\s+dissector")

    def test_says_nothing_of_its_own(self):
        self.assertEqual(self.tshark.run("-r", self.tshark.readable(PING)).stderr, "")

    def test_every_promised_field_is_registered(self):
        listed = self.tshark.run("-G", "fields").stdout
        known = {line.split("\t")[2] for line in listed.splitlines() if line.startswith("F\t")}
        promised = """iwarp.stream iwarp.from iwarp.mpa.rev iwarp.mpa.ird iwarp.mpa.ord iwarp.mpa.private_data
            iwarp.fpdu.ulpdu_length iwarp.fpdu.crc iwarp.fpdu.crc_status iwarp.marker.fpduptr iwarp.ddp.last
            iwarp.ddp.stag iwarp.ddp.to iwarp.ddp.qn iwarp.ddp.msn iwarp.ddp.mo iwarp.opcode iwarp.invalidate_stag
            iwarp.read.sink_stag iwarp.read.sink_to iwarp.read.size iwarp.read.source_stag iwarp.read.source_to
            iwarp.immediate iwarp.terminate.value iwarp.request_in iwarp.response_in iwarp.response_time
            iwarp.message.length iwarp.message.first_frame iwarp.reassembled_in iwarp.outstanding
            iwarp.qp_state.initiator iwarp.qp_state.responder iwarp.finding""".split()
        self.assertEqual([name for name in promised if name not in known], [])

    def test_no_field_is_reported_as_malformed(self):
        for capture in [PING, *sorted(GENERATED.glob("*.pcap"))]:
            with self.subTest(capture=capture.name):
                out = self.tshark.run("-r", self.tshark.readable(capture), "-V", "-2").stdout
                self.assertFalse("Malformed Packet: iWARP" in out or "Dissector bug" in out)

    def test_columns(self):
        out = self.tshark.run("-r", self.tshark.readable(PING)).stdout
        self.assertRegex(out, r"iWARP \d+ MPA Request revision 2, CRC, IRD \d+ ORD \d+")
        self.assertRegex(out, r"iWARP \d+ RDMA Read Request 5000 octets, source 0x\w{8}:0x\w{16}, outstanding 1/\d+")

    def test_columns_as_fields_say_what_the_columns_say(self):
        # TCP keeps some frames to itself: those sent again, those behind holes, those on ports of others.
        names = ["_ws.col.Protocol", "_ws.col.Info"]
        for capture in (PING, REAL / "08g-send_bw-200B-n500-loss3-tso.pcap", GENERATED / "ports-used-again.pcap",
                        REAL / "08e-send_bw-5000B-loss-dup-reorder-notso.pcap.gz"):
            for arguments in ((), ("-2",)):
                with self.subTest(capture=capture.name, arguments=arguments):
                    out = self.tshark.run("-r", self.tshark.readable(capture), "-T", "tabs", "-o",
                                          'gui.column.format:"Protocol","%p","Info","%i"', *arguments).stdout
                    rows = self.tshark.fields(capture, names, *arguments)
                    self.assertEqual([line.split("\t") for line in out.splitlines()],
                                     [["|".join(row[name]) for name in names] for row in rows])

    def test_columns_of_atomics_and_immediates(self):
        for capture, expected in (
                ("t11-atomics.pcap", ["Atomic Request FetchAdd, 0x1234ab01:0x0000000000001008, outstanding 1 "
                                      "[not at their defaults: reserved bits 0x00abcdef, Compare Data 0x0000000000000000, "
                                      "Compare Mask 0xffffffffffffffff]",
                                      "Atomic Response, value was 0x25, answers 7 in 0.010 ms"]),
                ("t08-immediates.pcap", ["Immediate Data 0x1122334455667788, MSN 1",
                                         "Immediate Data with Solicited Event 0xfedcba9876543210, MSN 2"])):
            shown = self.values(GENERATED / capture, "_ws.col.Info", "-Y", "iwarp.opcode >= 8")
            self.assertEqual(shown[:2], expected)

    def test_columns_tell_how_many_things_they_leave_out(self):
        short = GENERATED / "t15-short-sends.pcap"  # frame 14 has eight Sends
        self.assertEqual(self.values(short, "_ws.col.Info", "-Y", "frame.number == 14")[0].split("; ")[-2:],
                         ["Send 4 octets, MSN 4", "and 4 more"])

    def test_midstream_on_ports_of_other_protocols(self):
        begun = gzip.decompress((REAL / "08j-midstream-rping-crc-S3000.pcap.gz").read_bytes())
        plain = self.file("midstream.pcap", begun)
        expected = self.values(plain, "iwarp.opcode")
        self.assertGreater(len(expected), 300)
        for port in (80, 443, 445, 2049, 3260, 4420, 5445, 8009, 20049):
            with self.subTest(port=port):
                moved = self.file(f"midstream{port}.pcap", with_port(plain, 7174, port))
                self.assertEqual(self.values(moved, "iwarp.opcode"), expected)
                protocols = {row["_ws.col.Protocol"][0] for row in self.tshark.fields(moved, ["_ws.col.Protocol"])}
                self.assertEqual(protocols, {"TCP", "iWARP"})
        # The first frame is TLS's, too, which keeps what it wrote.
        first = self.values(self.tshark.home / "midstream443.pcap", "_ws.col.Info", "-Y", "frame.number == 1")
        self.assertTrue("|".join(first).startswith("Continuation Data | RDMA Write"))

    # Of one or more whole octets, which say what is shown in network byte order; names of another shape are bit fields.
    WHOLE = """iwarp.fpdu.ulpdu_length iwarp.fpdu.pad iwarp.marker.reserved iwarp.marker.fpduptr iwarp.ddp.control iwarp.ddp.stag
        iwarp.ddp.to iwarp.ddp.qn iwarp.ddp.msn iwarp.ddp.mo iwarp.rdmap.control iwarp.invalidate_stag iwarp.read.sink_stag
        iwarp.read.sink_to iwarp.read.size iwarp.read.source_stag iwarp.read.source_to iwarp.atomic.request_id
        iwarp.atomic.remote_stag iwarp.atomic.remote_to iwarp.atomic.add_swap_data iwarp.atomic.add_swap_mask
        iwarp.atomic.compare_data iwarp.atomic.compare_mask iwarp.atomic.original_value iwarp.immediate iwarp.mpa.flags
        iwarp.mpa.rev iwarp.mpa.private_data_length iwarp.mpa.private_data iwarp.terminate.control iwarp.terminate.code
        iwarp.terminate.ddp_segment_length iwarp.terminate.stag iwarp.terminate.to iwarp.terminate.qn iwarp.terminate.msn
        iwarp.terminate.mo iwarp.terminate.sink_stag iwarp.terminate.sink_to iwarp.terminate.size iwarp.terminate.source_stag
        iwarp.terminate.source_to iwarp.sctp.ssn iwarp.sctp.function""".split()

    def test_highlighted_octets_are_those_of_the_value(self):
        seen = set()
        for capture in (*sorted(GENERATED.glob("*.pcap")), PING, REAL / "03a-send-variants.pcap", REAL / "03e-term-read_oob.pcap",
                        REAL / "08l-snap96-rping-crc-S5000.pcap", REAL / "10b-evilpeer-cases.pcap"):
            for frame, tree in enumerate(self.pdml(capture), 1):
                for name, attributes in re.findall(r'<field name="(iwarp\.[^"]*)"([^>]*)>', tree):
                    field = dict(re.findall(r'(\w+)="([^"]*)"', attributes))
                    if name != "iwarp.fpdu.crc" and name not in self.WHOLE:
                        continue
                    octets, shown = bytes.fromhex(field.get("value", "")), field["show"].replace(":", "")
                    if name == "iwarp.fpdu.crc":
                        octets = octets[::-1]  # least significant octet first (RFC 5044 §4.4)
                    if field["size"] == "0" or len(octets) != int(field["size"]):
                        continue  # the octets are in another frame; or a marker stands between them
                    seen.add(name)
                    whole = int.from_bytes(octets, "big")
                    values = {f"{whole}", f"0x{whole:0{2 * len(octets)}x}", octets.hex()}
                    self.assertIn(shown, values, f"{capture.name} frame {frame} {name} {field}")
        self.assertEqual(set(self.WHOLE) - seen, set())

    def test_what_is_told_twice_is_one_line(self):
        tree = self.tshark.run("-r", self.tshark.readable(PING), "-O", "iwarp", "-Y", "frame.number == 8").stdout
        self.assertIn("[Good]", tree)
        for line in ("CRC status", "[Payload length", "[Segments: 1]", "[Complete", "[Evidence: ", "on queue 3"):
            self.assertNotIn(line, tree)
        row = self.tshark.fields(PING, ["iwarp.fpdu.crc_status", "iwarp.payload_length", "iwarp.message.segments",
                                        "iwarp.state.next_msn"], "-Y", "frame.number == 8")[0]
        self.assertEqual([len(values) for values in row.values()], [1, 1, 1, 1])
        # Stream and sender stand once in a frame; all FPDUs have them.
        packed = GENERATED / "t02-packed-marked.pcap"
        frame = next(row["frame.number"][0] for row in self.tshark.fields(packed, ["frame.number", "iwarp.fpdu"])
                     if len(row["iwarp.fpdu"]) > 1)
        asked = ("-Y", f"frame.number == {frame}")
        tree = self.tshark.run("-r", self.tshark.readable(packed), "-O", "iwarp", *asked).stdout
        self.assertEqual((tree.count("[Stream: "), tree.count("[From: ")), (1, 1))
        self.assertGreater(len(self.values(packed, "iwarp.from", *asked)), 1)

    def test_what_the_capture_lacks_has_no_reference(self):
        cut = REAL / "08l-snap96-rping-crc-S5000.pcap"
        frame = ("-Y", 'iwarp.finding == "CAP-SNAP"')
        shown = self.tshark.run("-r", self.tshark.readable(cut), "-O", "iwarp", *frame).stdout
        self.assertIn("CAP-SNAP: frames of this direction", shown)
        self.assertFalse("()" in shown or "Reference: ]" in shown)

    def test_a_read_request_that_was_cut_has_no_payload(self):
        cut = REAL / "08l-snap96-rping-crc-S5000.pcap"  # 30 of frame 9's 52 octets were captured: 10 of its RDMAP header
        row = self.tshark.fields(cut, ["_ws.col.Info", "iwarp.read.sink_stag", "iwarp.read.sink_to"],
                                 "-Y", "frame.number == 9")[0]
        self.assertTrue(row["_ws.col.Info"][0].startswith("RDMA Read Request, header cut, MSN 1"))
        self.assertEqual((row["iwarp.read.sink_stag"], row["iwarp.read.sink_to"]), (["0x1a5da900"], []))
        tree = self.tshark.run("-r", self.tshark.readable(cut), "-O", "iwarp", "-Y", "frame.number == 9").stdout
        self.assertIn("FPDU from responder: RDMA Read Request, header cut, QN 1, MSN 1, MO 0\n", tree)

    def test_ports_of_other_protocols(self):
        expected = self.values(PING, "iwarp.opcode")
        self.assertGreater(len(expected), 40)
        for port in (80, 443, 445, 2049, 3260, 4420, 5445, 8009, 20049):
            with self.subTest(port=port):
                moved = self.file(f"port{port}.pcap", with_port(PING, 7174, port))
                self.assertEqual(self.values(moved, "iwarp.opcode"), expected)
                protocols = {row["_ws.col.Protocol"][0] for row in self.tshark.fields(moved, ["_ws.col.Protocol"])}
                self.assertEqual(protocols, {"TCP", "iWARP"})
                stacks = set(self.values(moved, "frame.protocols", "-Y", "iwarp.fpdu and tcp.len > 0"))
                self.assertEqual(stacks, {"eth:ethertype:ip:tcp:iwarp"})

    def test_frames_that_tcp_keeps_to_itself(self):
        lossy = REAL / "08e-send_bw-5000B-loss-dup-reorder-notso.pcap.gz"
        expected = self.values(lossy, "iwarp.ddp.msn")
        self.assertGreater(len(expected), 100)
        for option in ("tcp.reassemble_out_of_order:TRUE", "tcp.analyze_sequence_numbers:FALSE",
                       "tcp.no_subdissector_on_error:FALSE", "tcp.desegment_tcp_streams:FALSE",
                       "tcp.relative_sequence_numbers:FALSE", "tcp.try_heuristic_first:TRUE", "ip.defragment:FALSE"):
            with self.subTest(option=option):
                self.assertEqual(self.values(lossy, "iwarp.ddp.msn", "-o", option), expected)

    def test_a_damaged_capture_agrees_up_to_the_damage(self):
        whole = PING.read_bytes()
        for name, octets in (("cut.pcap", whole[:20000]), ("no-header.pcap", whole[:10]), ("empty.pcap", b""),
                             ("wrong-length.pcap", whole[:20000] + b"\xff" * 3000)):
            with self.subTest(name=name):
                path = self.file(name, octets)
                for passes in (1, 2):
                    self.assertEqual(list(agreement.differences(self.tshark, ANALYZE, path, passes)), [])
        fpdus = agreement.records(ANALYZE, self.tshark.home / "cut.pcap")["fpdu"]
        self.assertEqual((len(fpdus) > 20, max(fpdus) <= 46), (True, True))

    def test_the_built_in_takes_over_when_disabled(self):
        out = self.tshark.run("-r", self.tshark.readable(PING), "--disable-protocol", "iwarp").stdout
        self.assertIn("DDP/RDMA", out)
        self.assertNotIn("iWARP", out)

    def test_decode_as(self):
        plain = REAL / "07a-negative-plain-tcp-rstream.pcap"
        self.assertNotIn("iWARP", self.tshark.run("-r", self.tshark.readable(plain)).stdout)
        port = self.values(plain, "tcp.dstport")[0]
        out = self.tshark.run("-r", self.tshark.readable(plain), "-d", f"tcp.port=={port},iwarp", "-O", "iwarp").stdout
        self.assertIn("neither start-up frame nor FPDUs found so far", out)

    def test_a_start_up_frame_cut_in_two_is_not_left_to_the_built_in(self):
        cases = REAL / "10b-evilpeer-cases.pcap"  # in frame 143 a Request begins that never ends
        self.assertEqual(self.values(cases, "frame.protocols", "-Y", "frame.number == 143"), ["eth:ethertype:ip:tcp:iwarp"])
        self.assertNotIn("IWARP_MPA", self.tshark.run("-r", self.tshark.readable(cases), "-q", "-z", "expert").stdout)

    def test_one_tree_a_frame(self):
        out = self.tshark.run("-r", self.tshark.readable(PING), "-T", "json").stdout
        for packet in json.loads(out, object_pairs_hook=lambda pairs: pairs):
            layers = dict(dict(packet)["_source"])["layers"]
            names = [name for name, _ in layers]
            self.assertLessEqual(names.count("iwarp"), 1)
            self.assertFalse({"iwarp_mpa", "data"} & set(names))

    def test_markers_are_shown_where_they_are(self):
        pointers = self.values(GENERATED / "t01-several-markers.pcap", "iwarp.marker.fpduptr")
        self.assertGreater(len(pointers), 2)
        self.assertEqual({int(pointer) % 4 for pointer in pointers}, {0})

    def test_an_fpdu_of_several_frames_has_a_data_source(self):
        capture = PING
        frame = self.values(capture, "iwarp.reassembled_in", "-2")[0]
        out = self.tshark.run("-r", self.tshark.readable(capture), "-x", "-Y", f"frame.number == {frame}").stdout
        self.assertRegex(out, r"Reassembled FPDU \(\d+ bytes\):")

    def test_parts_link_to_the_frame_that_completes_them(self):
        capture = PING
        rows = self.tshark.fields(capture, ["frame.number", "iwarp.reassembled_in", "iwarp.fpdu"], "-2")
        has_fpdu = {row["frame.number"][0] for row in rows if row["iwarp.fpdu"]}
        linked = [(row["frame.number"][0], row["iwarp.reassembled_in"][0]) for row in rows if row["iwarp.reassembled_in"]]
        self.assertTrue(linked)
        for frame, later in linked:
            self.assertGreater(int(later), int(frame))
            self.assertIn(later, has_fpdu)

    def test_segments_link_to_the_frame_that_completes_their_message(self):
        sends = REAL / "03a-send-variants.pcap"  # frames 44 to 54: a Send of 8 segments
        reads = REAL / "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst"  # frames 36 to 109: a Read Response of 46
        of_send = ["-Y", "iwarp.ddp.last == 0 and frame.number >= 44 and frame.number <= 54"]
        of_read = ["-Y", "iwarp.opcode == 2 and iwarp.ddp.last == 0 and frame.number >= 36 and frame.number < 109"]
        self.assertEqual(self.values(sends, "iwarp.reassembled_in", *of_send), [])  # not known yet
        self.assertEqual(self.values(sends, "iwarp.reassembled_in", "-2", *of_send), ["54"] * 7)
        self.assertEqual(self.values(reads, "iwarp.reassembled_in", *of_read), [])
        self.assertEqual(self.values(reads, "iwarp.reassembled_in", "-2", *of_read), ["109"] * 45)
        for arguments in ((), ("-2",)):
            self.assertEqual(self.values(reads, "iwarp.request_in", *of_read, *arguments), ["33"] * 45)
            last = self.values(reads, "iwarp.request_in", "-Y", "frame.number == 109", *arguments)
            self.assertEqual(last, ["33"])

    def test_frames_of_segments_are_listed(self):
        sends = REAL / "03a-send-variants.pcap"
        reads = REAL / "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst"
        for arguments in ((), ("-2",)):
            of_send = self.values(sends, "iwarp.message.segment_frame", "-Y", "frame.number == 54", *arguments)
            self.assertEqual(of_send, ["44", "45", "47", "48", "50", "51", "53", "54"])
            of_read = self.values(reads, "iwarp.message.segment_frame", "-Y", "frame.number == 109", *arguments)
            self.assertEqual((len(of_read), of_read[0], of_read[-1]), (46, "36", "109"))

    def test_a_list_of_frames_has_an_end(self):
        sends = REAL / "03a-send-variants.pcap"  # frame 8 is the first one with an FPDU; no CRC
        segments = [write_segment(100 * at, bytes(100), at == 79) for at in range(80)]
        capture = self.file("long-write.pcap", with_payloads_instead(sends, 8, segments))
        for arguments in ((), ("-2",)):
            row = self.tshark.fields(capture, ["iwarp.message.segment_frame", "iwarp.message.more_segments"],
                                     "-Y", "iwarp.message", *arguments)[0]
            self.assertEqual(list(row.values()), [[str(frame) for frame in range(8, 72)], ["16"]])
        linked = self.values(capture, "iwarp.reassembled_in", "-2")
        self.assertEqual(linked, ["87"] * 79)

    def test_messages_that_interleave_are_not_mixed_up(self):
        # A Send in frames 8 to 13, a Read Response in 9 to 12, an RDMA Write in 14 to 16.
        mixed = GENERATED / "t14-mixed-messages.pcap"
        rows = self.tshark.fields(mixed, ["frame.number", "iwarp.opcode", "iwarp.reassembled_in"], "-2",
                                  "-Y", "iwarp.ddp.last == 0")
        self.assertGreater(len(rows), 5)
        ends = {"3": "13", "2": "12", "0": "16"}
        for row in rows:
            self.assertEqual(row["iwarp.reassembled_in"], [ends[opcode] for opcode in row["iwarp.opcode"]], row)

    def test_writes_that_interleave_are_not_mixed_up(self):
        order = [(0, False), (5000, False), (100, False), (5100, True), (200, True)]  # in frames 8 to 12
        segments = [write_segment(offset, bytes(100), last) for offset, last in order]
        capture = self.file("two-writes.pcap", with_payloads_instead(REAL / "03a-send-variants.pcap", 8, segments))
        rows = self.tshark.fields(capture, ["iwarp.reassembled_in", "iwarp.message.segment_frame"], "-2", "-Y", "iwarp.fpdu")
        self.assertEqual([list(row.values()) for row in rows], [[["12"], []], [["11"], []], [["12"], []],
                                                                [[], ["9", "11"]], [[], ["8", "10", "12"]]])

    def test_segments_of_two_answers_in_one_frame(self):
        # Frame 37 ends the answer to the request of frame 8; 39 and 40 bring the first segment of the answer to that of 15.
        octets = (REAL / "03d-burst-readmany.pcap").read_bytes()
        octets = with_payloads_joined(with_payloads_joined(octets, 37, 39), 38, 39)
        joined = self.file("two-answers.pcap", octets)
        names = ["iwarp.ddp.last", "iwarp.request_in", "iwarp.reassembled_in"]
        for arguments, later in (((), []), (("-2",), ["47"])):
            row = self.tshark.fields(joined, names, "-Y", "frame.number == 38", *arguments)[0]
            self.assertEqual(list(row.values()), [["1", "0"], ["8", "15"], later])

    def test_request_and_response_are_linked_both_ways(self):
        names = ["frame.number", "iwarp.request_in", "iwarp.response_in", "iwarp.response_time"]
        rows = {row["frame.number"][0]: row for row in self.tshark.fields(PING, names, "-2")}
        requests = {frame: row["iwarp.response_in"][0] for frame, row in rows.items() if row["iwarp.response_in"]}
        self.assertTrue(requests)
        for request, response in requests.items():
            self.assertEqual(rows[response]["iwarp.request_in"], [request])
            self.assertGreater(float(rows[response]["iwarp.response_time"][0]), 0)

    def test_a_response_that_never_ended_is_linked_to_its_request(self):
        # Ends inside the Read Response that frame 302 began; 316 is a segment of it, and brings its end.
        lossy = REAL / "08a-rping-loss2-notso-S20000.pcap.gz"
        row = self.tshark.fields(lossy, ["iwarp.request_in", "iwarp.response_time"], "-2", "-Y", "frame.number == 316")[0]
        self.assertEqual(list(row.values()), [["300", "300"], []])
        shown = self.tshark.run("-r", self.tshark.readable(lossy), "-2", "-O", "iwarp", "-Y", "frame.number == 316").stdout
        self.assertIn("[Request in: 300 (answered in part, unknown)]", shown)

    def test_findings_are_expert_items(self):
        cases = REAL / "10b-evilpeer-cases.pcap"
        ids = self.values(cases, "iwarp.finding")
        self.assertIn("MPA-CRC", ids)
        frames = self.values(cases, "frame.number", "-Y", 'iwarp.finding == "MPA-CRC"')
        self.assertTrue(frames)
        self.assertEqual(self.values(cases, "frame.number", "-Y", 'iwarp.check.mpa_crc'), frames)
        self.assertIn("MPA-CRC", self.tshark.run("-r", self.tshark.readable(cases), "-q", "-z", "expert").stdout)

    def test_filters_of_expert_items_need_no_field_of_ours(self):
        cases = REAL / "10b-evilpeer-cases.pcap"
        for text in ("_ws.expert.severity == error", '_ws.expert.message contains "RDMAP"', "_ws.expert.group == Checksum",
                     "_ws.expert"):
            for arguments in ((), ("-2",)):
                with self.subTest(text=text, arguments=arguments):
                    found = self.values(cases, "frame.number", "-Y", text, *arguments)
                    self.assertGreater(len(found), 0)
                    self.assertEqual(found, self.values(cases, "frame.number", "-Y", f"({text}) and (iwarp or not iwarp)", *arguments))
        counted = self.tshark.run("-r", self.tshark.readable(cases), "-q", "-z", "io,stat,0,_ws.expert.severity==error").stdout
        errors = len(self.values(cases, "frame.number", "-Y", "_ws.expert.severity == error and iwarp.finding"))
        self.assertRegex(counted, rf"\|\s+{errors} \|")

    def test_checks_are_named_as_documented(self):
        # By their ID, or in the table of those that are not.
        text = FIELDS_DOC.read_text(encoding="utf-8")
        otherwise = dict(re.findall(r"\| `(iwarp\.check\.\w+)` \| (\S+) \|", text))
        listed = self.tshark.run("-G", "fields").stdout.splitlines()
        rows = [line.split("\t") for line in listed if line.startswith("F\t")]
        checks = {row[2]: row[1].split(":")[0] for row in rows if row[2].startswith("iwarp.check.")}
        self.assertGreater(len(checks), 80)
        for name, check in checks.items():
            self.assertEqual(otherwise.get(name, name.removeprefix("iwarp.check.").upper().replace("_", "-")), check)
        self.assertLessEqual(set(otherwise), set(checks))
        cases = REAL / "10b-evilpeer-cases.pcap"
        by_check = [self.values(cases, "frame.number", "-Y", f"iwarp.check.{name}") for name in ("mpa_rev", "mpa_revknown")]
        self.assertTrue(all(by_check))
        self.assertEqual(sorted(sum(by_check, []), key=int), self.values(cases, "frame.number", "-Y", 'iwarp.finding == "MPA-REV"'))

    def test_state_is_that_of_iwarp_analyze(self):
        numbers = random.Random(5)
        for capture in (PING, REAL / "03f-close-variants.pcap", REAL / "10b-evilpeer-cases.pcap"):
            names = ["frame.number", "iwarp.stream", "iwarp.qp_state.initiator", "iwarp.qp_state.responder",
                     "iwarp.state.fpdus", "iwarp.state.outstanding"]
            for arguments in ((), ("-2",)):
                rows = self.tshark.fields(capture, names, "-Y", "iwarp.state", *arguments)
                for row in numbers.sample(rows, 6):
                    frame, stream = row["frame.number"][0], row["iwarp.stream"][-1]
                    with self.subTest(capture=capture.name, frame=frame, arguments=arguments):
                        self.compare_state(capture, frame, stream, row)

    def test_the_next_msn_is_told_of_queues_that_were_used(self):
        names = ["iwarp.state.queue", "iwarp.state.next_msn"]
        row = self.tshark.fields(GENERATED / "t11-atomics.pcap", names, "-Y", "frame.number == 10")[0]
        self.assertEqual(list(row.values()), [["0", "3", "1"], ["2", "3", "3"]])
        before = self.tshark.fields(PING, names, "-Y", "iwarp.mpa.startup")
        self.assertEqual([list(row.values()) for row in before], [[[], []]] * 2)

    def compare_state(self, capture, frame, stream, row):
        out = subprocess.run([ANALYZE, "--format", "jsonl", "--records", "states", "--state-at", frame, "--stream", stream,
                              capture], capture_output=True, text=True, check=True).stdout
        states = [json.loads(line) for line in out.splitlines()]
        state = next(one for one in states if one["type"] == "state")
        sides = [state["initiator"], state["responder"]]
        shown = row["iwarp.qp_state.initiator"] + row["iwarp.qp_state.responder"]
        self.assertEqual(shown, [side["qp_state"]["value"] for side in sides])
        self.assertEqual(row["iwarp.state.fpdus"], [str(side["counters"]["fpdus"]) for side in sides])
        self.assertEqual(row["iwarp.state.outstanding"], [str(len(side["outstanding"])) for side in sides])

    def protocols(self, capture, *arguments):
        """In how many frames each protocol was found."""
        stacks = self.values(capture, "frame.protocols", *arguments)
        return collections.Counter(name for stack in stacks for name in set(stack.split(":")))

    def test_rpc_over_rdma_is_dissected_as_by_the_built_in(self):
        capture = REAL / "04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz"
        for arguments in ((), ("-2",)):
            ours = self.protocols(capture, *arguments)
            theirs = self.protocols(capture, *arguments, "--disable-protocol", "iwarp")
            for name in ("rpcordma", "rpc", "nfs"):
                self.assertGreater(theirs[name], 50)
                self.assertGreaterEqual(ours[name], theirs[name], f"{name} {arguments}")

    def test_of_several_fpdus_in_a_frame_one_completes_the_fragments(self):
        # Frame 57 is the Send that ends what the RDMA Writes of 55 and 56 brought.
        octets = gzip.decompress((REAL / "04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz").read_bytes())
        joined = self.file("joined.pcap", with_payloads_joined(octets, 56, 57))
        names = ["iwarp.opcode", "rpcordma.fragment", "rpcordma.fragment.count"]
        for arguments in ((), ("-2",)):
            row = self.tshark.fields(joined, names, "-Y", "frame.number == 56", *arguments)[0]
            self.assertEqual(list(row.values()), [["0", "3"], ["55", "56"], ["2"]], arguments)

    def test_iser_and_nvme_reach_their_dissectors(self):
        for capture, names in ((REAL / "06a-iser-mtu9000-tso-nocrc.pcap.zst", ("iser", "iscsi")),
                               (REAL / "05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst", ("nvme-rdma",))):
            for arguments in ((), ("-2",)):
                found = self.protocols(capture, *arguments)
                for name in names:
                    self.assertGreater(found[name], 50, f"{capture.name} {name} {arguments}")
                self.assertEqual(found["rpcordma"], 0)

    def test_a_mounted_smb_share_is_read_command_by_command(self):
        capture = REAL / "06c-smb-direct-mtu1500-tso-crc.pcap.zst"
        for arguments in ((), ("-2",)):
            found = self.protocols(capture, *arguments)
            self.assertEqual((found["smb_direct"], found["smb2"], found["_ws.malformed"]), (126, 102, 0), arguments)
            rows = self.tshark.fields(capture, ["frame.number", "smb2.cmd"], "-Y", "smb2.read_length", *arguments)
            self.assertGreater(len(rows), 5)

    def test_smb_direct_reaches_its_dissector(self):
        capture = GENERATED / "smb-direct.pcap"  # two connections, on ports 5445 and 445
        names = ["frame.number", "_ws.col.Protocol", "smb2.cmd", "smb2.dialect", "smb_direct.credits.requested"]
        for arguments in ((), ("-2",)):
            rows = self.tshark.fields(capture, names, "-Y", "smb_direct", *arguments)
            shown = {int(row["frame.number"][0]): [row[name] for name in names[1:]] for row in rows}
            expected = {}
            for own in (11, 12):  # the second connection's frames follow the first one's
                expected |= {own: [["SMBDirect"], [], [], ["10"]], own + 2: [["SMBDirect"], [], [], ["10"]],
                             own + 4: [["SMB2"], ["0"], ["0x0300"], ["10"]],  # a Send with Solicited Event
                             own + 6: [["SMBDirect"], [], [], ["10"]],        # the first fragment of the answer
                             own + 8: [["SMB2"], ["0"], ["0x0300"], ["10"]]}
            self.assertEqual(shown, expected)
            self.assertEqual(self.protocols(capture, *arguments, "--disable-protocol", "iwarp")["smb_direct"], 0)

    def test_a_send_of_several_fpdus_is_a_data_source(self):
        sends = REAL / "08e-send_bw-5000B-loss-dup-reorder-notso.pcap.gz"
        frame = self.values(sends, "frame.number", "-Y", "iwarp.message.length == 5000")[0]
        out = self.tshark.run("-r", self.tshark.readable(sends), "-x", "-Y", f"frame.number == {frame}").stdout
        self.assertIn("RDMAP message (5000 bytes):", out)

    def test_old_names_match(self):
        for capture in (PING, GENERATED / "t01-several-markers.pcap"):
            for old, new in (("iwarp_ddp.stag", "iwarp.ddp.stag"), ("iwarp_ddp.msn", "iwarp.ddp.msn"),
                             ("iwarp_ddp.mo", "iwarp.ddp.mo"), ("iwarp_ddp.last_flag", "iwarp.ddp.last"),
                             ("iwarp_mpa.ulpdulength", "iwarp.fpdu.ulpdu_length"), ("iwarp_mpa.rev", "iwarp.mpa.rev"),
                             ("iwarp_rdma.srcstag", "iwarp.read.source_stag"),
                             ("iwarp_mpa.marker_fpduptr", "iwarp.marker.fpduptr")):
                with self.subTest(capture=capture.name, field=old):
                    self.assertEqual(self.values(capture, old), self.values(capture, new))
        opcodes = [int(value, 16) for value in self.values(PING, "iwarp_rdma.opcode")]
        self.assertEqual(opcodes, [int(value) for value in self.values(PING, "iwarp.opcode")])
        self.assertEqual(self.values(PING, "frame.number", "-Y", "iwarp_ddp_rdmap"),
                         self.values(PING, "frame.number", "-Y", "iwarp.fpdu"))

    def test_old_names_have_the_values_of_the_built_in(self):
        known = re.findall(r'IWARP_OLD_NAME\(\w+, "([^"]+)"\)', OLD_NAMES.read_text())
        # Of siw's Terminates, whose bits are in another order, the built-in finds no headers.
        names = ["frame.number"] + [name for name in known if name.startswith(("iwarp_rdma.", "iwarp_ddp."))
                                    and name not in TERMINATED]
        self.assertGreater(len(names), 40)
        for capture in (REAL / "03a-send-variants.pcap", REAL / "03e-term-read_oob.pcap"):
            with self.subTest(capture=capture.name):
                own = self.tshark.fields(capture, names, "-Y", "iwarp_rdma")
                built_in = self.tshark.fields(capture, names, "--disable-protocol", "iwarp", "-Y", "iwarp_rdma")
                self.assertEqual(len(own), len(built_in))
                for ours, theirs in zip(own, built_in):
                    self.assertEqual(ours, theirs)

    def test_old_names_of_start_up_frames_have_the_values_of_the_built_in(self):
        registered = {line.split("\t")[2] for line in self.tshark.run("-G", "fields").stdout.splitlines() if line[0] == "F"}
        known = re.findall(r'IWARP_OLD_NAME\(\w+, "(iwarp_mpa\.[^"]+)"\)', OLD_NAMES.read_text())
        names = ["frame.number"] + [name for name in known if name in registered]
        self.assertGreater(len(names), 15)
        for capture in (GENERATED / "t07-revision-2.pcap", REAL / "01i-rping-v4-p2p-crc.pcap", REAL / "03d-burst-readmany.pcap"):
            with self.subTest(capture=capture.name):
                frames = "iwarp_mpa.req or iwarp_mpa.rep"
                own = self.tshark.fields(capture, names, "-Y", frames)
                built_in = self.tshark.fields(capture, names, "--disable-protocol", "iwarp", "-Y", frames)
                self.assertGreaterEqual(len(own), 2)
                self.assertEqual(own, built_in)

    def test_every_name_of_the_built_in_is_set_or_said_not_to_be(self):
        text = OLD_NAMES.read_text()
        ours = set(re.findall(r'(?m)^IWARP_OLD_NAME(?:\(\w+, |_LEFT_OUT\()"([^"]+)"', text))
        rows = [line.split("\t") for line in self.tshark.run("-G", "fields").stdout.splitlines()]
        theirs = {row[2] for row in rows if row[0] == "F" and row[2].startswith(("iwarp_mpa.", "iwarp_ddp.", "iwarp_rdma."))}
        self.assertGreater(len(theirs), 80)
        self.assertEqual(theirs - ours, set())

    def test_old_names_of_what_is_wrong_or_reassembled(self):
        cases = REAL / "10b-evilpeer-cases.pcap"
        # The built-in warns of revision 2, too, but in no tree: its filter matches nothing.
        for built_in in ((), ("--disable-protocol", "iwarp")):
            self.assertEqual(self.values(cases, "frame.number", "-Y", "iwarp_mpa.rev.not_set1", *built_in), [])
        for old, new in (("iwarp_mpa.res.not_set0", "iwarp.mpa.reserved != 0"),
                         ("iwarp_mpa.reject_bit_responder", 'iwarp.mpa.rejected == 1 and iwarp.mpa.kind == "reply"'),
                         ("iwarp_mpa.bad_length", "iwarp.check.mpa_len or iwarp.check.mpa_pdlen"),
                         ("iwarp_rdma.term_ddp_seg_len", "iwarp.terminate.ddp_segment_length"),
                         ("iwarp_rdma.term_ddp_h", "iwarp.terminate.ddp"),
                         ("iwarp_rdma.term_rdma_h", "iwarp.terminate.read_request")):
            with self.subTest(old=old):
                frames = self.values(cases, "frame.number", "-Y", new)
                self.assertTrue(frames)
                self.assertEqual(self.values(cases, "frame.number", "-Y", old), frames)
        marked = GENERATED / "t01-several-markers.pcap"
        self.assertEqual(self.values(marked, "frame.number", "-Y", "iwarp_mpa.markers"),
                         self.values(marked, "frame.number", "-Y", "iwarp.marker"))
        sends = REAL / "08e-send_bw-5000B-loss-dup-reorder-notso.pcap.gz"
        names = ["iwarp_rdma.send.fragment.count", "iwarp_rdma.send.reassembled.length", "iwarp_rdma.send.reassembled.data"]
        rows = self.tshark.fields(sends, names, "-Y", "iwarp_rdma.send.fragments")
        self.assertGreater(len(rows), 50)
        for row in rows:
            for count, length, data in zip(*(row[name] for name in names), strict=True):
                self.assertEqual((count, length, len(data) // 2), ("4", "5000", 5000))

    def test_frames_that_a_read_filter_drops_leave_nothing_on_others(self):
        names = ["iwarp.opcode", "iwarp.fpdu.slice", "iwarp.state.fpdus", "iwarp.state.outstanding",
                 "iwarp.ddp.msn", "iwarp.response_time", "iwarp.fpdu.crc", "tcp.payload", "iwarp.qp_state.initiator"]
        for capture in (REAL / "01a-rping-v4-mtu1500-tso.pcap", PING,
                        REAL / "08e-send_bw-5000B-loss-dup-reorder-notso.pcap.gz"):
            for text in ("iwarp.opcode == 2", "iwarp.opcode == 3", "tcp.srcport == 7174"):
                # -R looks at the first pass, in which an FPDU may stand behind the hole before it.
                if capture.name.startswith("08e") and text == "iwarp.opcode == 3":
                    continue
                with self.subTest(capture=capture.name, filter=text):
                    whole = self.tshark.fields(capture, [*names, "frame.number"], "-2", "-Y", text)
                    kept = self.tshark.fields(capture, [*names, "frame.number"], "-2", "-R", text)
                    self.assertEqual([row["frame.number"][0] for row in kept], [str(at + 1) for at in range(len(kept))])
                    self.assertEqual(len(kept), len(whole))
                    new = {row["frame.number"][0]: str(at + 1) for at, row in enumerate(whole)}
                    for ours, theirs in zip(kept, whole):
                        slices = [new.get(number, "0") for number in theirs["iwarp.fpdu.slice"]]
                        self.assertEqual(ours["iwarp.fpdu.slice"], slices)
                        for name in set(names) - {"iwarp.fpdu.slice"}:
                            self.assertEqual(ours[name], theirs[name], f"{name}, frame {theirs['frame.number']}")

    def test_links_to_frames_that_a_read_filter_dropped(self):
        names = ["frame.number", "iwarp.request_in", "iwarp.response_in", "_ws.col.Info"]
        whole = {row["frame.number"][0]: row for row in self.tshark.fields(PING, names, "-2")}
        for text, dropped in (("iwarp.opcode == 2", True), ("iwarp.opcode == 1 or iwarp.opcode == 2", False)):
            old = self.values(PING, "frame.number", "-2", "-Y", text)
            new = {number: str(at + 1) for at, number in enumerate(old)}
            rows = self.tshark.fields(PING, names, "-2", "-R", text)
            answers = 0
            for number, row in zip(old, rows, strict=True):
                for link in ("iwarp.request_in", "iwarp.response_in"):
                    self.assertEqual(row[link], [new.get(to, "0") for to in whole[number][link]])
                if row["iwarp.request_in"] and "more follows" not in row["_ws.col.Info"][0]:
                    answers += 1
                    told = "answers a frame not read" if dropped else f"answers {row['iwarp.request_in'][-1]} in"
                    self.assertIn(told, row["_ws.col.Info"][0])
            self.assertEqual(answers, 5)

    def assert_saved(self, capture, text, shown, needed):
        """That with the frames that the display filter shows those are saved that they need."""
        sends = REAL / "03a-send-variants.pcap"  # the built-in dissectors put together the Send that ends in frame 54
        also = needed if self.tshark.saves_depended_frames(sends, 54) else []
        self.assertEqual(self.tshark.saved(capture, text, "-2"), sorted({*shown, *also}))

    def test_frames_that_an_fpdu_needs_are_saved_with_it(self):
        long = REAL / "01m-rping-v4-mtu9000-tso-crc-S60000.pcap.gz"
        rows = self.tshark.fields(long, ["frame.number", "iwarp.fpdu.slice"], "-2", "-Y", "iwarp.fpdu")
        shown = {int(row["frame.number"][0]) for row in rows}
        brought = {int(frame) for row in rows for frame in row["iwarp.fpdu.slice"]}
        self.assertGreater(len(brought - shown), 2)
        self.assert_saved(long, "iwarp.fpdu", shown, brought)
        # One pass has written the others before it knows.
        self.assertEqual(self.tshark.saved(long, "iwarp.fpdu"), sorted(shown))

    def split_startup(self):
        """The Request in frames 4, 5 and 6, the Reply in 8, 9 and 10."""
        return self.file("split-startup.pcap", with_payloads_cut(REAL / "03e-term-read_oob.pcap", {4: [10, 30], 6: [25, 40]}))

    def test_frames_that_a_start_up_frame_needs_are_saved_with_it(self):
        capture = self.split_startup()
        self.assertEqual(self.values(capture, "frame.number", "-Y", "iwarp.mpa.startup"), ["6", "10"])
        self.assert_saved(capture, "iwarp.mpa.startup", [6, 10], [4, 5, 8, 9])
        self.assert_saved(capture, "frame.number == 10", [10], [8, 9])

    def test_frames_that_a_send_needs_are_saved_with_it(self):
        sends = REAL / "03a-send-variants.pcap"
        self.assert_saved(sends, "frame.number == 54", [54], [44, 45, 47, 48, 50, 51, 53])
        self.assert_saved(sends, "frame.number == 45", [45], [])
        # Three FPDUs in frames that do not end where they do: the first one begins in frame 8, the last one ends in 12.
        whole = b"".join(send_segment(300 * at, bytes(300), at == 2) for at in range(3))
        cuts = [0, 100, 200, 400, 600, len(whole)]
        capture = self.file("cut-send.pcap", with_payloads_instead(sends, 8, [whole[a:b] for a, b in zip(cuts, cuts[1:])]))
        self.assertEqual(self.values(capture, "iwarp.message.segment_frame"), ["10", "12"])
        self.assert_saved(capture, "iwarp.message", [12], [8, 9, 10, 11])

    def test_a_tagged_message_is_not_saved_whole(self):
        reads = REAL / "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst"  # a Read Response of 46 segments ends with frame 109
        self.assertEqual(self.tshark.saved(reads, "frame.number == 109", "-2")[-1], 109)
        self.assertLess(len(self.tshark.saved(reads, "frame.number == 109", "-2")), 4)

    def test_parts_of_a_start_up_frame_link_to_the_frame_that_completes_it(self):
        capture = self.split_startup()
        names = ["frame.number", "_ws.col.Protocol", "iwarp.mpa.part", "iwarp.reassembled_in", "iwarp.stream", "iwarp.from",
                 "_ws.col.Info", "iwarp.fpdu.part"]
        rows = {row["frame.number"][0]: list(row.values()) for row in self.tshark.fields(capture, names, "-2")}
        payload = {row["frame.number"][0]: row["tcp.payload"] for row in self.tshark.fields(capture, ["frame.number", "tcp.payload"])}
        for frame, kind, role, octets, whole in (("4", "Request", "initiator", 10, "6"), ("5", "Request", "initiator", 20, "6"),
                                                 ("8", "Reply", "responder", 25, "10"), ("9", "Reply", "responder", 15, "10")):
            with self.subTest(frame=frame):
                self.assertEqual(len(payload[frame][0]), 2 * octets)
                self.assertEqual(rows[frame], [[frame], ["iWARP"], payload[frame], [whole], ["0"], [role],
                                               [f"Part of an MPA {kind}, {octets} octets"], []])
        for arguments in ((), ("-2",)):
            listed = self.tshark.fields(capture, ["iwarp.mpa.slice"], "-Y", "iwarp.mpa.startup", *arguments)
            self.assertEqual([row["iwarp.mpa.slice"] for row in listed], [["4", "5", "6"], ["8", "9", "10"]])
        octets, at, records = capture.read_bytes(), 24, []
        while at < len(octets):
            records.append(octets[at:at + 16 + struct.unpack_from("<I", octets, at + 8)[0]])
            at += len(records[-1])
        records[3:6] = [records[4], records[3], records[5]]  # the second piece of the Request comes first
        late = self.file("late-startup.pcap", octets[:24] + b"".join(records))
        self.assertEqual(self.values(late, "iwarp.mpa.slice", "-Y", "iwarp.mpa.kind == request"), ["5", "4", "6"])
        tree = self.pdml(capture, "-2", "-Y", "frame.number == 10")[0]
        self.assertRegex(tree, r'<field name="iwarp.mpa.startup"[^>]* size="24" pos="66"')  # what frame 10 brought of it
        self.assertEqual(self.values(REAL / "03e-term-read_oob.pcap", "iwarp.mpa.part", "-2"), [])

    def test_octets_that_are_no_fpdu_are_no_part_of_one(self):
        capture = self.file("desync.pcap", with_octets_overwritten(PING, {16}, 200))
        told = self.values(capture, "frame.number", "-Y", "iwarp.skipped")
        names = ["frame.number", "iwarp.skipped.decided_in", "iwarp.fpdu.part", "iwarp.reassembled_in", "_ws.col.Info"]
        rows = {row["frame.number"][0]: list(row.values())[1:] for row in self.tshark.fields(capture, names, "-2")}
        once = {row["frame.number"][0]: list(row.values())[1:] for row in self.tshark.fields(capture, names)}
        self.assertEqual(told, ["20"])
        for frame, octets, found in (("16", 1444, " [framing lost at stream offset 2936: no FPDU in 1448 octets from there on]"), ("17", 4, "")):  # where the first of them lies
            self.assertEqual(rows[frame], [["20"], [], [], [f"No FPDU, {octets} octets{found}"]])
            self.assertEqual(once[frame][3], [f"Part of an FPDU, {octets} octets"])  # nothing else is known then
        self.assertEqual(rows["19"][2], ["20"])

    def test_flags_of_a_start_up_frame_stand_together(self):
        tree = self.tshark.run("-r", self.tshark.readable(PING), "-O", "iwarp", "-Y", "iwarp.mpa.kind == request").stdout
        at = tree.index("Peer-to-peer (A)")
        titles = [line.split(" = ")[-1].split(":")[0].strip() for line in tree[at:].splitlines()[:6]]
        self.assertEqual(titles, ["Peer-to-peer (A)", "Ready-to-receive by zero-length Send (B)",
                                  "Ready-to-receive by zero-length RDMA Write (C)",
                                  "Ready-to-receive by zero-length RDMA Read (D)", "IRD", "ORD"])

    def test_flags_are_shown_as_bits_of_their_octet(self):
        tree = self.tshark.run("-r", self.tshark.readable(PING), "-O", "iwarp").stdout
        for bits in ("1... .... = Tagged (T): True", ".1.. .... = Last segment of its message (L): True",
                     "..00 00.. = Reserved (DDP): 0x0", ".... ..01 = DV: 1", "01.. .... = RV: 1", "..00 .... = Reserved (RDMAP): 0x0",
                     ".... 0011 = Opcode: Send (3)", "0... .... = Peer is to send markers (M): False",
                     "...1 .... = IRD/ORD word present (S): True", ".... 0000 = Reserved flags: 0x0",
                     ".0.. .... .... .... = Ready-to-receive by zero-length Send (B): False"):
            self.assertIn(bits, tree)
        self.assertEqual(self.values(PING, "frame.number", "-Y", "iwarp.rdmap.opcode != iwarp.opcode"), [])

    def test_info_begins_with_a_capital_letter(self):
        cases = REAL / "10b-evilpeer-cases.pcap"
        shown = self.values(cases, "_ws.col.Info", "-Y", "iwarp.fpdu and tcp.len > 0")
        self.assertEqual([info for info in shown if info[0].islower()], [])
        self.assertTrue(any(info.startswith("Unknown opcode 28 octets") for info in shown))

    def test_headings_are_fields(self):
        cut = REAL / "08l-snap96-rping-crc-S5000.pcap"
        out = self.tshark.run("-r", self.tshark.readable(cut), "-T", "json", "-J", "iwarp", "-Y", "iwarp.undecidable").stdout
        self.assertIn('"iwarp.undecidables"', out)
        self.assertFalse("Not to be decided from this capture\": {" in out)

    def test_pieces_say_what_their_octets_are_counted_from(self):
        reads = REAL / "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst"  # the FPDU of frame 36 came in two pieces
        tree = self.tshark.run("-r", self.tshark.readable(reads), "-O", "iwarp", "-Y", "frame.number == 36").stdout
        self.assertRegex(tree, r"\[FPDU octets in: 36, \d+ octets from octet 0 of its TCP payload on\]")

    def test_octets_sent_again_are_told(self):
        capture = REAL / "08g-send_bw-200B-n500-loss3-tso.pcap"
        names = ["frame.number", "_ws.col.Info", "iwarp.retransmission", "iwarp.retransmission.first_frame", "iwarp.retransmission.of", "tcp.len",
                 "tcp.srcport"]
        once, twice = (self.tshark.fields(capture, names, *arguments) for arguments in ((), ("-2",)))
        self.assertEqual([list(row.values())[2:] for row in once], [list(row.values())[2:] for row in twice])
        of = {row["frame.number"][0]: row for row in once}
        self.assertIn("MPA Request again (frame 20)", of["21"]["_ws.col.Info"][0])
        self.assertEqual([of["21"][name] for name in names[2:5]], [["24"], ["20"], ["MPA Request"]])
        again = [row for row in once if row["iwarp.retransmission"]]
        self.assertEqual(len(again), 13)
        for row in again:
            self.assertEqual(row["iwarp.retransmission"], row["tcp.len"])
            first = of[row["iwarp.retransmission.first_frame"][0]]
            self.assertEqual((first["iwarp.retransmission"], first["tcp.srcport"]), ([], row["tcp.srcport"]))
        # What each brings again was known when it came, also where it could not be delivered yet.
        self.assertEqual([row["frame.number"][0] for row in again if not row["iwarp.retransmission.of"]], [])

    def test_a_packet_captured_twice_is_told(self):
        capture = REAL / "08e-send_bw-5000B-loss-dup-reorder-notso.pcap.gz"
        row = self.tshark.fields(capture, ["_ws.col.Info", "iwarp.retransmission", "iwarp.retransmission.first_frame"], "-Y", "frame.number == 21")[0]
        self.assertIn("MPA Request again (frame 20) [the same packet was captured more than once (first: frame 21; a mirror's second copy)]", row["_ws.col.Info"][0])
        self.assertEqual((row["iwarp.retransmission"], row["iwarp.retransmission.first_frame"]), (["24"], ["20"]))
        tree = self.tshark.run("-r", self.tshark.readable(capture), "-O", "iwarp", "-Y", "frame.number == 21").stdout
        self.assertIn("[Retransmission: 24, a second copy of a packet]", tree)

    def test_keys_of_json_do_not_depend_on_numbers(self):
        reads = REAL / "02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst"  # the FPDU of frame 36 came in two pieces
        out = self.tshark.run("-r", self.tshark.readable(reads), "-T", "json", "-Y", "frame.number == 36").stdout
        self.assertIn('"iwarp.fpdu.slices": "2"', out)
        for capture in (reads, PING, REAL / "10b-evilpeer-cases.pcap"):
            shown = self.tshark.run("-r", self.tshark.readable(capture), "-T", "json", "-J", "iwarp").stdout
            self.assertEqual({key for key in re.findall(r'"([^"]*)":', shown) if " " in key and re.search(r"\d", key)}, set())

    def test_records_that_are_no_packets_count_as_frames(self):
        terminated = REAL / "03e-term-read_oob.pcap"
        self.assertEqual(self.values(terminated, "frame.number", "-Y", "iwarp.terminate"), ["9"])
        event = struct.pack("<HQQIHI", 0, 1600000000 * 10**9, 77, 30, 1, 0) + bytes(8)  # of Sysdig
        flagged = event[:2] + bytes(4) + event[2:]
        for kind, body, more in ((9, b"__REALTIME_TIMESTAMP=1600000000000000\nMESSAGE=hello\n\0", 1),
                                 (0xbad, struct.pack("<I", 32473) + b"abcd", 1), (0x40000bad, struct.pack("<I", 32473) + b"abcd", 1),
                                 (0x204, event, 1), (0x216, event + bytes(8), 1), (0x221, event + bytes(8), 1),
                                 (0x208, flagged + bytes(8), 0), (5, bytes(12), 0), (0x7777, bytes(8), 0)):
            with self.subTest(kind=hex(kind)):
                capture = self.file("records.pcapng", as_pcapng(terminated, 4, [pcapng_block(kind, body)]))
                frames = 9 + self.tshark.makes_frame_of(kind, more)
                self.assertEqual(self.values(capture, "frame.number", "-Y", "iwarp.terminate"), [str(frames)])
                self.assertEqual(self.values(capture, "iwarp.terminate.quoted_frame"), [str(frames - 1)])
                for passes in (1, 2) if frames == 9 + more else ():  # iwarp-analyze counts as all versions do
                    self.assertEqual(list(agreement.differences(self.tshark, ANALYZE, capture, passes)), [])

    def test_decode_as_says_that_a_tunnel_is_not_read(self):
        out = {}
        for kind, header in (("vlan", b"\x81\0\0\x07"), ("pppoe", b"\x88\x64\x11\0\0\x01")):
            octets, at = PING.read_bytes(), 24
            made = octets[:24]
            while at < len(octets):
                seconds, part, size = struct.unpack_from("<III", octets, at)
                frame = octets[at + 16:at + 16 + size]
                if kind == "vlan":
                    frame = frame[:12] + header + frame[12:]
                else:  # RFC 2516 §4: then PPP's protocol
                    frame = frame[:12] + header + struct.pack(">HH", size - 12, 0x21) + frame[14:]
                made += struct.pack("<IIII", seconds, part, len(frame), len(frame)) + frame
                at += 16 + size
            capture = self.file(f"{kind}.pcap", made)
            out[kind] = self.tshark.run("-r", self.tshark.readable(capture), "-O", "iwarp", "-d", "tcp.port==7174,iwarp").stdout
        self.assertNotIn("not read", out["vlan"])
        self.assertIn("Protocol, not read: this link layer or tunnel is not known\n", out["pppoe"])
        self.assertNotIn("neither start-up frame", out["pppoe"])

    def test_nothing_is_shown_above_a_protocol_that_is_disabled(self):
        burst, six = REAL / "03d-burst-readmany.pcap", REAL / "01e-rping-v6-mtu1500-notso-S20000.pcap.gz"
        for capture, protocol, shown in ((burst, "tcp", False), (burst, "ip", False), (burst, "eth", False), (burst, "ipv6", True),
                                         (burst, "udp", True), (six, "ipv6", False), (six, "ip", True)):
            for arguments in ((), ("-2",)):
                with self.subTest(capture=capture.name, protocol=protocol, arguments=arguments):
                    frames = self.values(capture, "frame.number", "-Y", "iwarp", "--disable-protocol", protocol, *arguments)
                    self.assertEqual(bool(frames), shown)

    def test_protocol_hierarchy_has_iwarp_where_frames_have_it(self):
        for capture in (REAL / "01a-rping-v4-mtu1500-tso.pcap", REAL / "05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst",
                        REAL / "04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz", REAL / "06a-iser-mtu9000-tso-nocrc.pcap.zst",
                        REAL / "08e-send_bw-5000B-loss-dup-reorder-notso.pcap.gz"):
            for arguments in ((), ("-2",)):
                with self.subTest(capture=capture.name, arguments=arguments):
                    frames = self.values(capture, "frame.number", "-Y", "iwarp", *arguments)
                    found = self.tshark.hierarchy(capture, *arguments)
                    self.assertEqual(found["eth:ip:tcp:iwarp"], len(frames))
                    self.assertEqual({path for path in found if path.count("iwarp") != 1} - {"eth", "eth:ip", "eth:ip:tcp"}, set())
        nvme = self.tshark.hierarchy(REAL / "05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst")
        self.assertGreater(nvme["eth:ip:tcp:iwarp:nvme-rdma"], 50)

    def test_old_names_of_segments(self):
        sends = REAL / "03a-send-variants.pcap"
        names = ["frame.number", "iwarp_rdma.send.fragment", "iwarp_rdma.send.reassembled_in"]
        for arguments in ((), ("-2",)):
            own = self.tshark.fields(sends, names, "-Y", "iwarp_rdma", *arguments)
            built_in = self.tshark.fields(sends, names, "-Y", "iwarp_rdma", *arguments, "--disable-protocol", "iwarp")
            self.assertEqual(own, built_in)
            self.assertEqual(any(row["iwarp_rdma.send.reassembled_in"] for row in own), bool(arguments))
            self.assertTrue(any(row["iwarp_rdma.send.fragment"] for row in own))

    def test_statistics(self):
        cases = REAL / "10b-evilpeer-cases.pcap"
        tables = ("-z", "iwarp,streams", "-z", "iwarp,operations", "-z", "iwarp,findings,iwarp.stream == 3")
        for arguments in ((), ("-2",)):
            out = self.tshark.run("-r", self.tshark.readable(cases), "-q", *arguments, *tables).stdout
            rows = [[cell.strip() for cell in line.split("|")] for line in out.splitlines() if "|" in line]
            first = next(row for row in rows if row[0] == "0")
            self.assertRegex(first[1] + " " + first[2], r"[\d.]+:\d+ [\d.]+:7175")
            reads = next(row for row in rows if row[0] == "RDMA Read")
            self.assertEqual(reads[5], reads[2])
            self.assertLessEqual(float(reads[6]), float(reads[7]))
            self.assertLessEqual(float(reads[7]), float(reads[8]))
            writes = next(row for row in rows if row[0] == "RDMA Write")
            self.assertEqual(len(writes), 5)  # no response, no time: the cells are empty
            told = {row[0]: int(row[2]) for row in rows if row[0].startswith(("MPA-", "DDP-", "RDMAP-"))}
            ids = self.values(cases, "iwarp.finding", "-Y", "iwarp.stream == 3", *arguments)
            self.assertEqual(told, dict(collections.Counter(ids)))

    def test_what_ends_with_a_frame_of_another_connection_is_shown_there(self):
        # Frame 8 is the SYN of a new connection. That the octets of frame 7 are all that comes is known then.
        capture = GENERATED / "ports-used-again.pcap"
        names = ["iwarp.fpdu.stream_offset", "iwarp.ddp.qn", "iwarp.ddp.msn", "iwarp.payload_length", "_ws.col.Protocol"]
        for number, protocol, arguments in (("8", "TCP", ()), ("7", "iWARP", ("-2",))):
            row = self.tshark.fields(capture, names, "-Y", f"frame.number == {number}", *arguments)[0]
            # 12 octets of it came: ULPDU_Length, controls, STag and QN.
            self.assertEqual(list(row.values()), [["44"], ["1"], [], ["28"], [protocol]])

    def test_packets_before_the_first_start_up_frame_are_tcps_alone(self):
        for arguments in ((), ("-2",)):
            rows = self.tshark.fields(PING, ["iwarp.mpa.kind", "iwarp.stream", "iwarp"], *arguments)
            first = next(at for at, row in enumerate(rows) if row["iwarp.mpa.kind"])
            self.assertGreater(first, 2)
            for at, row in enumerate(rows):
                self.assertEqual((bool(row["iwarp"]), bool(row["iwarp.stream"])), (at >= first, at >= first))

    def test_copies_in_another_vlan_are_of_the_same_stream(self):
        capture = self.file("vlans.pcap", in_vlans(GENERATED / "t08-immediates.pcap", (5, 6)))
        alone = self.tshark.fields(GENERATED / "t08-immediates.pcap", ["iwarp.opcode", "iwarp.finding"])
        rows = self.tshark.fields(capture, ["vlan.id", "iwarp.stream", "iwarp.opcode", "iwarp.finding"])
        firsts = [row for row in rows if row["vlan.id"] == ["5"]]
        self.assertEqual([row["iwarp.opcode"] for row in firsts], [row["iwarp.opcode"] for row in alone])
        self.assertEqual({stream for row in rows for stream in row["iwarp.stream"]}, {"0"})
        found = collections.Counter(finding for row in rows for finding in row["iwarp.finding"])
        self.assertGreater(found.pop("CAP-DUPFRAME"), 0)
        self.assertEqual(found, collections.Counter(finding for row in alone for finding in row["iwarp.finding"]))

    def test_who_is_who_may_be_told_by_the_end(self):
        # The client's only start-up frame is a Reply, and the server's is missing: the server is the initiator then, which is
        # known when nothing more can come.
        octets = bytearray(without_frames(GENERATED / "t08-immediates.pcap", {5}))
        key = octets.index(b"MPA ID Req Frame")
        octets[key:key + 16] = b"MPA ID Rep Frame"
        self.assertEqual(octets[key - 8], 0x50)  # a TCP header without options: its checksum grows by what the word lost
        octets[key - 4:key - 2] = ((int.from_bytes(octets[key - 4:key - 2], "big") + 1) % 0xFFFF).to_bytes(2, "big")
        rows = self.tshark.fields(self.file("reply-alone.pcap", octets), ["iwarp.from", "iwarp.opcode"], "-2",
                                  "-Y", "iwarp.opcode")
        self.assertEqual([row["iwarp.opcode"] for row in rows], [["8"], ["9"], ["8"]])
        self.assertEqual([row["iwarp.from"] for row in rows], [["responder"], ["responder"], ["initiator"]])

    # What only later frames tell is the one difference between a first reading and all others.
    LATER = re.compile(r'^\s*<field name="(iwarp\.response_in|iwarp\.reassembled_in|iwarp\.delivered_in|iwarp\.decided_in|iwarp_rdma\.send\.reassembled_in)".*\n',
                       re.MULTILINE)
    # What a stream cost is known when it closes.
    COST = re.compile(r'^( *)<field name="iwarp\.finding" [^>]*PERF-.*\n(?:\1 .*\n)*\1</field>\n', re.MULTILINE)

    def test_both_passes_show_the_same_but_for_what_later_frames_tell(self):
        for capture in (PING, REAL / "08i-rping-corrupt3-S5000.pcap", REAL / "03e-term-read_oob.pcap"):
            with self.subTest(capture=capture.name):
                once, twice = (self.pdml(capture, *arguments) for arguments in ((), ("-2",)))
                self.assertEqual(len(once), len(twice))
                for frame, (first, second) in enumerate(zip(once, twice), 1):
                    if frame < len(once):  # at the last one stands what the end of the capture told
                        first, second = (self.COST.sub("", self.LATER.sub("", each)) for each in (first, second))
                        self.assertEqual(first, second, f"frame {frame}")

    def test_messages_say_where_their_stag_was_advertised(self):
        # 37 Writes, 6 Reads and 36 Sends with Invalidate name STags of the initiator, which command capsules advertise.
        capture = REAL / "05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst"
        told = self.tshark.fields(capture, ["frame.number", "iwarp.stag.advertises", "iwarp.stag.ulp", "iwarp.stag.length"],
                                  "-Y", "iwarp.stag.advertises")
        by_frame = {row["frame.number"][0]: row for row in told}
        self.assertEqual(by_frame["8"]["iwarp.stag.advertises"], ["0x7d4fa601"])
        self.assertEqual(by_frame["8"]["iwarp.stag.ulp"], ["nvme"])
        self.assertEqual(by_frame["8"]["iwarp.stag.length"], ["1024"])
        users = self.tshark.fields(capture, ["frame.number", "iwarp.ddp.stag", "iwarp.read.source_stag", "iwarp.invalidate_stag",
                                             "iwarp.stag.advertised_in", "iwarp.stag.invalidated_in"],
                                   "-Y", "iwarp.stag.advertised_in")
        self.assertEqual(sum(len(row["iwarp.stag.advertised_in"]) for row in users), 37 + 6 + 36)
        for row in users:
            self.assertEqual(row["iwarp.stag.invalidated_in"], [])
            named = {*row["iwarp.ddp.stag"], *row["iwarp.read.source_stag"], *row["iwarp.invalidate_stag"]}
            for frame in row["iwarp.stag.advertised_in"]:
                self.assertTrue(named & {*by_frame[frame]["iwarp.stag.advertises"]}, row)

    def test_a_response_says_where_its_time_went(self):
        # Of the 12.8 ms of the slowest Read 7.8 ms were lost octets: behind frame 13 they are missing, 27 and 30 bring them.
        parts = ["request_loss", "response_loss", "behind_hole", "window", "behind_requests", "network", "responder",
                 "interleaved", "transfer", "unexplained"]
        rows = self.tshark.fields(REAL / "08a-rping-loss2-notso-S20000.pcap.gz",
                                  ["frame.number", "iwarp.why", "iwarp.why.frame", *(f"iwarp.why.{part}" for part in parts)],
                                  "-Y", "iwarp.why")
        self.assertEqual(len(rows), 5)
        slowest = next(row for row in rows if row["frame.number"] == ["37"])
        self.assertEqual(slowest["iwarp.why"], ["1"])
        self.assertEqual(slowest["iwarp.why.frame"][:2], ["14", "30"])
        taken = {part: round(float(slowest[f"iwarp.why.{part}"][0]) * 1e6)
                 for part in parts if slowest[f"iwarp.why.{part}"][:1] not in ([], [""])}
        self.assertEqual(taken, {"response_loss": 7834, "network": 1932, "responder": 1436, "transfer": 1624})

    def test_a_packet_that_was_not_captured_hides_no_other(self):
        # Frame 78 has an NVMe command. Behind the hole, and in the other direction, each FPDU stands in its own frame.
        whole, thin = REAL / "05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst", self.tshark.home / "05a-without-78.pcap"
        subprocess.run(["editcap", self.tshark.readable(whole), thin, "78"], check=True, capture_output=True)
        thin.chmod(0o644)
        names = ["frame.number", "iwarp.opcode", "iwarp.ddp.msn", "iwarp.delivered_in", "_ws.col.Info"]
        expected = [row for row in self.tshark.fields(whole, names, "-2", "-Y", "iwarp.fpdu") if row["frame.number"] != ["78"]]
        for arguments in ((), ("-2",)):
            rows = self.tshark.fields(thin, names, "-Y", "iwarp.fpdu", *arguments)
            self.assertEqual([(row["iwarp.opcode"], row["iwarp.ddp.msn"]) for row in rows],
                             [(row["iwarp.opcode"], row["iwarp.ddp.msn"]) for row in expected])
            self.assertEqual([int(row["frame.number"][0]) for row in rows],
                             [int(row["frame.number"][0]) - (int(row["frame.number"][0]) > 78) for row in expected])
            self.assertEqual([row for row in rows if ";  ;" in row["_ws.col.Info"][0]], [])
            waited = [row["frame.number"][0] for row in rows if row["iwarp.delivered_in"]]
            self.assertEqual(waited, [] if arguments == () else [str(frame) for frame in range(78, 92)])
            kept, there = (self.tshark.fields(capture, ["frame.number"], "-Y", "nvme-rdma", *arguments)
                           for capture in (thin, whole))
            self.assertEqual(len(kept), len(there) - 1)

    def test_packets_that_were_not_captured_cost_rpc_their_own_messages_only(self):
        whole, thin = REAL / "04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz", self.tshark.home / "04a-thin.pcap"
        subprocess.run(["editcap", self.tshark.readable(whole), thin, *map(str, range(60, 290, 33))], check=True, capture_output=True)
        thin.chmod(0o644)
        for arguments in ((), ("-2",)):
            ours = self.tshark.fields(thin, ["rpc.xid"], "-Y", "rpc", *arguments)
            built_in = self.tshark.fields(thin, ["rpc.xid"], "-Y", "rpc", *arguments, "--disable-protocol", "iwarp")
            self.assertGreaterEqual(len(ours), len(built_in))

    def test_both_passes_show_the_same_fpdus(self):
        for capture in (GENERATED / "t18-late-segments.pcap", GENERATED / "t19-uncaptured-segment.pcap",
                        REAL / "08a-rping-loss2-notso-S20000.pcap.gz",
                        REAL / "08e-send_bw-5000B-loss-dup-reorder-notso.pcap.gz"):
            with self.subTest(capture=capture.name):
                names = ["frame.number", "iwarp.fpdu.stream_offset", "iwarp.from"]
                once, twice = ([(row["frame.number"][0], offset) for row in self.tshark.fields(capture, names, "-Y", "iwarp.fpdu", *arguments)
                                for offset in zip(row["iwarp.from"], row["iwarp.fpdu.stream_offset"])] for arguments in ((), ("-2",)))
                self.assertEqual(sorted(offset for _, offset in once), sorted(offset for _, offset in twice))
                moved = set(twice) - set(once)
                self.assertLess(len(moved), len(twice) / 20, moved)

    @unittest.skipUnless(shutil.which("sharkd"), "sharkd is not installed")
    def test_a_frame_does_not_depend_on_what_was_visited_before(self):
        numbers = random.Random(11)
        for capture in (PING, REAL / "08i-rping-corrupt3-S5000.pcap", REAL / "10b-evilpeer-cases.pcap",
                        GENERATED / "t18-late-segments.pcap", REAL / "08e-send_bw-5000B-loss-dup-reorder-notso.pcap.gz"):
            with self.subTest(capture=capture.name):
                frames = [int(number) for number in self.values(capture, "frame.number")]
                shown = sorted(numbers.sample(frames, min(40, len(frames))))
                in_order = dict(self.tshark.visit(capture, shown))
                self.assertEqual(len(in_order), len(shown))
                self.assertTrue(any("iwarp.state" in json.dumps(tree) for tree in in_order.values()))
                for order in (shown[::-1], numbers.sample(shown, len(shown))):
                    for frame, tree in self.tshark.visit(capture, order):
                        self.assertEqual(json.dumps(tree), json.dumps(in_order[frame]), f"frame {frame}")

    def pdml(self, capture, *arguments):
        out = self.tshark.run("-r", self.tshark.readable(capture), "-T", "pdml", *arguments).stdout
        parts = re.findall(r'<proto name="iwarp".*?</proto>|<packet>', out, re.DOTALL)
        frames = []
        for part in parts:
            if part == "<packet>":
                frames.append("")
            else:
                frames[-1] += part
        return frames


def load_tests(loader, tests, pattern):
    """All of them, or with PART=2/4 in the environment every fourth from the second on, so that parts run side by side."""
    part, parts = (int(number) for number in os.environ.get("PART", "1/1").split("/"))
    return unittest.TestSuite([test for suite in tests for test in suite][part - 1::parts])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=1)
