#!/usr/bin/env python3
"""What users of Wireshark's own dissectors take for granted: names and masks of fields, expert items at the field that is wrong,
preferences, and the profile with columns and colours.

usage: conventions_test.py TSHARK PLUGIN SOURCE_FOLDER

SPDX-License-Identifier: GPL-2.0-or-later
"""

import collections
import os
import pathlib
import re
import shutil
import sys
import unittest
import xml.etree.ElementTree

from tshark import NOBODY, Tshark

PROGRAM, PLUGIN, SOURCE = sys.argv[1:4]
SOURCE = pathlib.Path(SOURCE)
CASES = SOURCE / "captures/real/10b-evilpeer-cases.pcap"
FIELDS = SOURCE / "captures/generated/t06-wrong-fields.pcap"
READS = SOURCE / "captures/real/02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst"
EXPERT = re.compile(r"iwarp\.(check\.|undecidable\.note$)")  # expert items are fields, too
PROFILE = SOURCE / "dissector/profile/iWARP"

# A finding of these two captures and the field that its expert item stands at.
PLACES = {
    "MPA-REV": "iwarp.mpa.rev", "MPA-RES": "iwarp.mpa.reserved", "MPA-REQR": "iwarp.mpa.rejected",
    "MPA-PDLEN": "iwarp.mpa.private_data_length", "MPA-IRDORD": "iwarp.mpa.ord", "MPA-CRC": "iwarp.fpdu.crc",
    "MPA-MKPTR": "iwarp.marker.fpduptr", "MPA-MKRSV": "iwarp.marker.reserved", "MPA-PAD": "iwarp.fpdu.pad",
    "DDP-DV": "iwarp.ddp.version", "DDP-QN": "iwarp.ddp.qn", "DDP-MSNGAP": "iwarp.ddp.msn", "DDP-MO0": "iwarp.ddp.mo",
    "DDP-TOP": "iwarp.ddp.tagged", "RDMAP-RV": "iwarp.rdmap.version", "RDMAP-TERMCODE": "iwarp.terminate.control",
}


class Field:
    """A line of `tshark -G fields`: its type, base and mask as people read them."""

    def __init__(self, line):
        _, self.title, self.name, self.type, _, self.base, self.mask, self.words = line.split("\t")[:8]
        self.bits = int(self.mask, 16)


class ConventionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tshark = cls.enterClassContext(Tshark(PROGRAM, PLUGIN))
        lines = cls.tshark.run("-G", "fields").stdout.splitlines()
        fields = [Field(line) for line in lines if line.startswith("F\t") and line.split("\t")[4] == "iwarp"]
        cls.fields = [field for field in fields if not EXPERT.match(field.name)]
        profiles = cls.tshark.home / ".config/wireshark/profiles"
        profiles.mkdir(parents=True)
        shutil.copytree(PROFILE, profiles / "iWARP")
        for path in [cls.tshark.home / ".config", *(cls.tshark.home / ".config").rglob("*")]:
            path.chmod(0o755)
            if os.geteuid() == 0:
                os.chown(path, NOBODY, NOBODY)

    def info(self, *arguments):
        return self.tshark.run("-r", self.tshark.readable(CASES), *arguments).stdout

    # --- fields -----------------------------------------------------------------------------------------------------------

    def test_no_two_fields_have_one_title_or_one_name(self):
        self.assertGreater(len(self.fields), 150)
        for what in ("title", "name"):
            often = collections.Counter(getattr(field, what).lower() for field in self.fields)
            self.assertEqual([text for text, count in often.items() if count > 1], [])

    def test_names_are_lower_case_below_the_protocols(self):
        for field in self.fields:
            self.assertRegex(field.name, r"^iwarp(\.[a-z0-9_]+)+$")

    def test_titles_begin_with_a_capital_and_end_with_no_stop(self):
        for field in self.fields:
            self.assertEqual(field.title, field.title.strip(), field.name)
            self.assertRegex(field.title, r"^([A-Z]|iWARP )", field.name)
            self.assertNotIn(field.title[-1], ".:", field.name)

    def test_a_description_says_more_than_the_title(self):
        for field in self.fields:
            self.assertNotIn(field.words.strip().lower(), ("", field.title.lower()), field.name)

    def test_bits_of_one_octet_or_word_do_not_overlap(self):
        for parent, octets in (("iwarp.ddp.", 1), ("iwarp.rdmap.", 1), ("iwarp.mpa.", 1)):
            masks = [field.bits for field in self.fields
                     if field.name.startswith(parent) and field.bits and field.base in ("8", "BASE_DEC", "BASE_HEX")]
            self.assertGreater(len(masks), 2, parent)
            self.assertEqual(sum(masks), 256**octets - 1, parent)

    def test_a_flag_has_the_width_of_its_mask(self):
        flags = [field for field in self.fields if field.type == "FT_BOOLEAN" and field.bits]
        self.assertGreater(len(flags), 8)
        for field in flags:
            self.assertLess(field.bits, 1 << int(field.base), field.name)
            self.assertEqual(field.bits & (field.bits - 1), 0, field.name)

    # --- expert items -----------------------------------------------------------------------------------------------------

    def experts(self, capture):
        """(abbreviation of the field above, summary) of each expert item."""
        document = self.tshark.run("-r", self.tshark.readable(capture), "-T", "pdml", "-J", "iwarp").stdout
        above = []
        for protocol in xml.etree.ElementTree.fromstring(document).iter("proto"):
            if protocol.get("name") != "iwarp":
                continue
            for parent in protocol.iter():
                above += [(parent.get("name"), child.get("showname")) for child in parent if child.get("name") == "_ws.expert"]
        return above

    def test_a_finding_stands_at_the_field_that_is_wrong(self):
        found = collections.defaultdict(set)
        for above, summary in self.experts(CASES) + self.experts(FIELDS):
            if check := re.match(r"Expert Info \(\S+\): ([A-Z0-9]+-[A-Z0-9]+): ", summary):
                found[check[1]].add(above)
        seen = set(PLACES) & set(found)
        self.assertEqual(seen, set(PLACES))
        for check in seen:
            self.assertEqual(found[check], {PLACES[check]}, check)

    def test_a_summary_says_what_was_found(self):
        summaries = [summary for _, summary in self.experts(CASES)]
        self.assertIn("Expert Info (Error/Protocol): DDP-DV: DDP version 2, 1 expected (RFC 5041 §4.1)", summaries)

    # --- Info, preferences ------------------------------------------------------------------------------------------------

    def test_info_has_findings_in_words(self):
        self.assertIn("Send 20 octets, MSN 1 [DDP version 2, 1 expected]\n", self.info())

    def test_ids_in_info_are_a_preference(self):
        self.assertIn("Send 20 octets, MSN 1 [DDP-DV: DDP version 2, 1 expected]\n", self.info("-o", "iwarp.ids_in_info:TRUE"))

    def test_the_state_can_be_left_out(self):
        self.assertIn("iWARP state after this frame", self.info("-V"))
        self.assertNotIn("iWARP state after this frame", self.info("-V", "-o", "iwarp.state:FALSE"))

    def test_strict_counts_deviations_of_products_in_full(self):
        rows = [["-Y", 'iwarp.finding == "MPA-RES" and iwarp.finding.severity == "warning"', *more]
                for more in ([], ["-o", "iwarp.strict:TRUE"])]
        self.assertEqual([bool(self.info(*row)) for row in rows], [False, True])

    def test_ports_to_try(self):
        self.assertEqual(self.info("-Y", "iwarp", "-o", "iwarp.ports:1-1000"), "")
        self.assertEqual(self.info("-Y", "iwarp", "-o", "iwarp.ports:7175"), self.info("-Y", "iwarp"))

    # --- the profile ------------------------------------------------------------------------------------------------------

    def test_the_profile_has_columns(self):
        lines = self.tshark.run("-C", "iWARP", "-r", self.tshark.readable(READS), "-Y", "frame.number == 331").stdout
        self.assertRegex(lines, r"^ +331 .* 10\.1\.1\.2 +1 .* iWARP .*RDMA Read Response")

    def test_the_profile_has_colours(self):
        names = collections.Counter(self.tshark.run(
            "--color", "-C", "iWARP", "-r", self.tshark.readable(CASES), "-T", "fields", "-e",
            "frame.coloring_rule.name").stdout.split("\n"))
        rules = re.findall(r"(?m)^@([^@]+)@", (PROFILE / "colorfilters").read_text(encoding="utf-8"))
        self.assertLessEqual(set(names) - {""}, set(rules))
        for rule in ("iWARP error", "iWARP warning", "iWARP Terminate", "iWARP start-up", "iWARP"):
            self.assertGreater(names[rule], 0, rule)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
