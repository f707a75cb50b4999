#!/usr/bin/env python3
"""The peer of this folder against itself, and its octets against ones from the RFCs.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import itertools
import socket
import threading
import unittest

import iwarp_peer
import rping_peer


class Octets(unittest.TestCase):
    def test_crc32c_of_rfc_3720_appendix_b_4(self):
        self.assertEqual(iwarp_peer.crc32c(bytes(32)).to_bytes(4, "little").hex(), "aa36918a")
        self.assertEqual(iwarp_peer.crc32c(b"\xff" * 32).to_bytes(4, "little").hex(), "43aba862")

    def test_an_fpdu_is_padded_to_four_octets(self):
        self.assertEqual(iwarp_peer.fpdu(b"\x41\x43abc", use_crc=False).hex(), "0005" "4143616263" "00" "00000000")

    def test_startup_frame(self):
        request = iwarp_peer.Startup(iwarp_peer.CRC | iwarp_peer.ENHANCED, 2, b"x", ird=0x8001, ord=2)
        self.assertEqual(request.encode(iwarp_peer.REQUEST_KEY),
                         b"MPA ID Req Frame" + bytes.fromhex("50020005" "80010002" "78"))


class RpingWithItself(unittest.TestCase):
    def test_revisions_crc_and_ready_to_receive(self):
        for revision, crc, ready in itertools.product((1, 2), (False, True), (None, "write", "read")):
            if revision == 1 and ready:
                continue
            with self.subTest(revision=revision, crc=crc, ready=ready):
                here, there = socket.socketpair()
                for end in (here, there):
                    end.settimeout(10)
                result = []
                server = threading.Thread(target=lambda: result.append(rping_peer.respond(there, use_crc=False)[2]))
                server.start()
                with here:
                    rping_peer.initiate(here, 3, 3000, revision, crc, ready)
                server.join(10)
                there.close()
                self.assertEqual(result, [3])

    def test_a_wrong_crc_is_told(self):
        here, there = socket.socketpair()
        with here, there:
            peer = iwarp_peer.Peer(there)
            peer.use_crc = True
            octets = bytearray(iwarp_peer.fpdu(iwarp_peer.untagged(iwarp_peer.SEND, 0, 1, 0, b"abc")))
            octets[-1] ^= 1
            here.sendall(octets)
            with self.assertRaisesRegex(iwarp_peer.ProtocolError, "CRC"):
                peer.receive()


unittest.main()
