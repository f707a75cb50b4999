#!/usr/bin/env python3
"""A hand-made initiator that breaks rules, or bends them, on purpose: hostile.py ADDRESS PORT [CASE...]

The responder is verbs_scenarios. A connection a case, in this order; what each is about: captures/README.md. Needs the
peer of tests/interop (PYTHONPATH).

SPDX-License-Identifier: GPL-2.0-or-later
"""
import socket
import struct
import sys
import time

from iwarp_peer import (CRC, ENHANCED, MARKERS, READ_REQUEST, READ_RESPONSE, REJECT, REPLY_KEY, REQUEST_KEY, SEND,
                        SEND_INVALIDATE, TERMINATE, WRITE, Peer, ProtocolError, Startup, fpdu, read_request_payload,
                        tagged, untagged)

PRIVATE_DATA = b"hostile".ljust(32, b"\0")   # names no scenario: the responder offers its memory and receives
CASES = {}


class Hostile(Peer):
    def offer(self, private_data):
        """The responder's memory: struct offer of verbs_scenarios.c, its first octets."""
        if len(private_data) >= 36:
            self.address, self.key, _, _, _, _, _, self.key_to_invalidate = struct.unpack("<Q7I", private_data[:36])

    def raw(self, octets, wait=0.0):
        self.socket.sendall(octets)
        time.sleep(wait)

    def queue_0(self, payload=b"S" * 20, opcode=SEND, msn=1, offset=0, **fields):
        self.send_segment(untagged(opcode, fields.pop("queue", 0), msn, offset, payload, **fields))

    def ask(self, size, stag=None, msn=1):
        self.send_segment(untagged(READ_REQUEST, 1, msn, 0, read_request_payload(
            0x1234, 0x5678, size, self.key if stag is None else stag, self.address)))

    def drain(self):
        """What the responder answers, until it is silent or closes."""
        try:
            while (segment := self.receive()) is not None:
                print(f"  opcode {segment.opcode}: {segment.payload[:40].hex()}")
            print("  closed")
        except (OSError, ProtocolError) as error:
            print(f"  {error!r}")


def case(request=None, key=REQUEST_KEY, announced=None):
    """Makes a case of a function of a connected Hostile; without one the case is the start-up alone."""
    request = request or Startup(CRC | ENHANCED, 2, PRIVATE_DATA, 16, 16)

    def register(play, name=None):
        def run(hostile):
            octets = bytearray(request.encode(key))
            if announced is not None:
                octets[18:20] = struct.pack("!H", announced)
            hostile.raw(octets)
            reply = hostile.receive_startup(REPLY_KEY)
            print(f"  Reply: flags {reply.flags:#04x}, revision {reply.revision}")
            hostile.use_crc = bool((request.flags | reply.flags) & CRC)
            hostile.offer(reply.private_data)
            if not reply.flags & REJECT:
                play(hostile)
            hostile.drain()
        CASES[name or play.__name__] = run
        return play
    return register


def startup_case(name, request=None, then=lambda peer: peer.queue_0(), **options):
    case(request, **options)(then, name)


def silent(peer):
    pass


def enhanced(flags=CRC | ENHANCED, ird=16, ord=16, private_data=PRIVATE_DATA, revision=2):
    return Startup(flags, revision, private_data, ird, ord)


startup_case("ok_send")
startup_case("ok_send_nocrc", enhanced(ENHANCED))
startup_case("rev1", Startup(CRC, 1, PRIVATE_DATA))
startup_case("rev0", Startup(CRC, 0, PRIVATE_DATA))
startup_case("rev3", Startup(CRC, 3, PRIVATE_DATA))
startup_case("rev2_noenh", Startup(CRC, 2, PRIVATE_DATA))
startup_case("markers", enhanced(MARKERS | CRC | ENHANCED))
startup_case("reserved_flags", enhanced(0x5F))
startup_case("reject_flag_in_req", enhanced(CRC | REJECT | ENHANCED))
CASES["enh_short_pd"] = lambda peer: (peer.raw(REQUEST_KEY + bytes((CRC | ENHANCED, 2, 0, 0))), peer.receive_startup(REPLY_KEY))
startup_case("bad_key", key=REPLY_KEY)
startup_case("garbage_key", key=b"GET / HTTP/1.1\r\n")
startup_case("pd_513", enhanced(private_data=b"x" * 509), silent)
startup_case("pd_512", enhanced(private_data=b"x" * 508))
startup_case("pdlen_lies", then=silent, announced=100)


@case(enhanced(ird=0x8010, ord=0x8010))
def p2p_write_rtr(peer):
    peer.send_segment(tagged(WRITE, 0, 0, b""))
    peer.queue_0()


@case(enhanced(ird=0x8010, ord=0x4010))
def p2p_read_rtr(peer):
    peer.read(0, 0, 0, 0, 0)
    peer.queue_0()


startup_case("ord_huge", enhanced(ird=0x3FFF, ord=0x3FFF))


@case()
def bad_crc(peer):
    octets = bytearray(fpdu(untagged(SEND, 0, 1, 0, b"S" * 20)))
    octets[-4] ^= 1
    peer.raw(octets)


@case()
def bytewise(peer):
    for octet in fpdu(untagged(SEND, 0, 1, 0, b"S" * 20)):
        peer.raw(bytes((octet,)), 0.002)


@case()
def two_in_one(peer):
    peer.raw(fpdu(untagged(SEND, 0, 1, 0, b"S" * 20)) + fpdu(untagged(SEND, 0, 2, 0, b"S" * 33)))


@case()
def ten_in_one_split(peer):
    octets = b"".join(fpdu(untagged(SEND, 0, i + 1, 0, b"S" * 7 * i)) for i in range(10))
    for begin, end in ((0, 101), (101, 300), (300, None)):
        peer.raw(octets[begin:end], 0.05)


for _version in (0, 2):
    case()(lambda peer, v=_version: peer.queue_0(ddp_version=v), f"ddp_v{_version}")
for _version in (0, 2):
    case()(lambda peer, v=_version: peer.queue_0(rdmap_version=v), f"rdmap_v{_version}")
for _opcode in (8, 9, 10, 11, 12, 15):
    case()(lambda peer, o=_opcode: peer.queue_0(b"S" * 28, o), f"opcode_{_opcode}")
startup_case("qn3", then=lambda peer: peer.queue_0(queue=3))
startup_case("send_on_qn1", then=lambda peer: peer.queue_0(queue=1))
startup_case("msn_skip", then=lambda peer: peer.queue_0(msn=5))
startup_case("msn_zero", then=lambda peer: peer.queue_0(msn=0))
startup_case("mo_nonzero", then=lambda peer: peer.queue_0(offset=8))


def two_segments(name, **second):
    def play(peer):
        peer.queue_0(b"S" * 40, last=False)
        peer.queue_0(b"S" * 40, **second)
    case()(play, name)


two_segments("seg_mo_gap", offset=80)
two_segments("seg_ok", offset=40)
two_segments("seg_msn_change", offset=40, msn=2)
startup_case("tagged_send", then=lambda peer: peer.write(peer.key, peer.address, b"S" * 20, SEND))
startup_case("untagged_write", then=lambda peer: peer.queue_0(opcode=WRITE))


@case()
def write_ok_read_back(peer):
    peer.write(peer.key, peer.address, b"written by hand ")
    peer.ask(16)


def six_reads(peer):
    asked = read_request_payload(0x1234, 0x5678, 8, peer.key, peer.address)
    peer.raw(b"".join(fpdu(untagged(READ_REQUEST, 1, i + 1, 0, asked)) for i in range(6)))


startup_case("read_3000", then=lambda peer: peer.ask(3000))
startup_case("read_zero", then=lambda peer: peer.read(0, 0, 0, 0, 0))
startup_case("read_badstag", then=lambda peer: peer.ask(16, 0x999900))
startup_case("read_flood_over_ird", enhanced(ird=1, ord=1), six_reads)
startup_case("unsolicited_readresp", then=lambda peer: peer.write(peer.key, peer.address, b"S" * 20, READ_RESPONSE))
startup_case("write_badstag", then=lambda peer: peer.write(0x777700, peer.address, b"S" * 20))
startup_case("ulpdu_0", then=lambda peer: peer.raw(fpdu(b"")))
startup_case("ulpdu_5", then=lambda peer: peer.raw(fpdu(b"\x41\x43abc")))
startup_case("big_fpdu_30000", then=lambda peer: peer.queue_0(b"S" * 30000))
startup_case("big_fpdu_65000", then=lambda peer: peer.queue_0(b"S" * 65000))
startup_case("term_rfc", then=lambda peer: peer.queue_0(bytes((0x01, 0, 0, 0)), TERMINATE, queue=2))
startup_case("send_inv_bad", then=lambda peer: peer.queue_0(opcode=SEND_INVALIDATE, invalidate=0x424200))
startup_case("send_inv_ok", then=lambda peer: peer.queue_0(opcode=SEND_INVALIDATE, invalidate=peer.key_to_invalidate))


@case()
def fin_mid_fpdu(peer):
    peer.raw(fpdu(untagged(SEND, 0, 1, 0, b"S" * 100))[:60])
    peer.socket.shutdown(socket.SHUT_WR)


@case()
def rst_mid_fpdu(peer):
    peer.raw(fpdu(untagged(SEND, 0, 1, 0, b"S" * 100))[:60], 0.1)
    peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.socket.close()


def fpdu_with_request(peer):
    peer.raw(enhanced().encode(REQUEST_KEY) + fpdu(untagged(SEND, 0, 1, 0, b"S" * 20)))
    peer.receive_startup(REPLY_KEY)
    peer.use_crc = True
    peer.drain()


CASES["fpdu_with_request"] = fpdu_with_request
CASES["connect_close"] = lambda peer: time.sleep(0.3)


def main():
    address, port, *wanted = sys.argv[1:]
    for name in wanted or CASES:
        print(name)
        try:
            with socket.create_connection((address, int(port)), 5) as connection:
                connection.settimeout(2.5)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                CASES[name](Hostile(connection))
        except (OSError, ProtocolError) as error:
            print(f"  {error!r}")
        time.sleep(0.15)


main()
