"""A minimal iWARP peer on a TCP socket: MPA start-up of revisions 1 and 2, FPDUs with and without CRC, DDP segments.

Written from RFC 5044, 5041, 5040 and 6581 alone, on purpose: it shares no line with the library, so that the two can
disagree. It trusts nobody's octets, but complains by exception instead of by Terminate. No markers.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import dataclasses
import struct
import time

WRITE, READ_REQUEST, READ_RESPONSE, SEND, SEND_INVALIDATE, SEND_SE, SEND_SE_INVALIDATE, TERMINATE = range(8)
REQUEST_KEY, REPLY_KEY = b"MPA ID Req Frame", b"MPA ID Rep Frame"
MARKERS, CRC, REJECT, ENHANCED = 0x80, 0x40, 0x20, 0x10   # start-up flags; the last one: RFC 6581 section 6
PEER_TO_PEER, RTR_SEND = 0x8000, 0x4000                   # in the word with the IRD (RFC 6581 section 9)
RTR_WRITE, RTR_READ = 0x8000, 0x4000                      # in the word with the ORD
DEPTH = 0x3FFF


class ProtocolError(Exception):
    """The peer broke a rule, or closed in the middle of something."""


def _crc_table():
    for octet in range(256):
        for _ in range(8):
            octet = octet >> 1 ^ (0x82F63B78 if octet & 1 else 0)
        yield octet


_TABLE = tuple(_crc_table())


def crc32c(octets):
    value = 0xFFFFFFFF
    for octet in octets:
        value = _TABLE[(value ^ octet) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def fpdu(ulpdu, use_crc=True):
    """RFC 5044 section 4.4: length, ULPDU, PAD to four octets; the CRC, its octets in the order of RFC 3720."""
    framed = struct.pack("!H", len(ulpdu)) + ulpdu
    framed += bytes(-len(framed) % 4)
    return framed + struct.pack("<I", crc32c(framed) if use_crc else 0)


def untagged(opcode, queue, msn, offset, payload, last=True, invalidate=0, ddp_version=1, rdmap_version=1):
    """RFC 5041 section 4.3; RFC 5040 section 4.1 for the two octets behind its control field."""
    control = (0x40 if last else 0) | ddp_version
    return struct.pack("!BBIIII", control, rdmap_version << 6 | opcode, invalidate, queue, msn, offset) + payload


def tagged(opcode, stag, offset, payload, last=True):
    """RFC 5041 section 4.2."""
    return struct.pack("!BBIQ", 0x80 | (0x40 if last else 0) | 1, 0x40 | opcode, stag, offset) + payload


def read_request_payload(sink_stag, sink_offset, size, source_stag, source_offset):
    """RFC 5040 section 4.4."""
    return struct.pack("!IQIIQ", sink_stag, sink_offset, size, source_stag, source_offset)


@dataclasses.dataclass
class Startup:
    """A Request or Reply (RFC 5044 section 7.1.1); the IRD and ORD words of RFC 6581 apart from the private data."""
    flags: int
    revision: int
    private_data: bytes = b""
    ird: int = 0
    ord: int = 0

    def encode(self, key):
        data = self.private_data
        if self.flags & ENHANCED:
            data = struct.pack("!HH", self.ird, self.ord) + data
        return key + struct.pack("!BBH", self.flags, self.revision, len(data)) + data


@dataclasses.dataclass
class Segment:
    """A DDP segment that came: tagged ones have an STag and a TO, the others a queue, an MSN and an MO."""
    opcode: int
    last: bool
    payload: bytes
    tagged: bool
    stag: int = 0      # untagged: the STag to invalidate
    offset: int = 0
    queue: int = 0
    msn: int = 0


class Peer:
    """One end of a connection. Every receiving call raises TimeoutError after the socket's time-out."""

    def __init__(self, socket, longest_ulpdu=1440):
        self.socket = socket
        self.longest_ulpdu = longest_ulpdu  # fits a segment of 1448 octets (RFC 5044 section 4.1)
        self.use_crc = False
        self.next_msn = [1, 1, 1]           # of what we send, for each queue (RFC 5041 section 5.1)
        self.due_msn = [1, 1, 1]            # of what we receive
        self.received = bytearray()

    # --- start-up -------------------------------------------------------------------------------------------

    def connect(self, request, pause=0):
        """The initiator's half: sends the Request, returns the Reply. pause: seconds before anything else is sent."""
        self.socket.sendall(request.encode(REQUEST_KEY))
        reply = self.receive_startup(REPLY_KEY)
        if reply.flags & MARKERS:
            raise ProtocolError("Reply asks for markers")
        time.sleep(pause)
        self.use_crc = bool((request.flags | reply.flags) & CRC)
        if not reply.flags & REJECT and reply.ird & PEER_TO_PEER:
            self._ready_to_receive(reply)
        return reply

    def accept(self, make_reply):
        """The responder's half: make_reply(Request) tells what to answer. Returns the Request."""
        request = self.receive_startup(REQUEST_KEY)
        if request.flags & MARKERS:
            raise ProtocolError("Request asks for markers")
        reply = make_reply(request)
        self.socket.sendall(reply.encode(REPLY_KEY))
        self.use_crc = bool((request.flags | reply.flags) & CRC)
        return request

    def receive_startup(self, key):
        head = self._take(20)
        if head[:16] != key:
            raise ProtocolError(f"start-up frame begins with {bytes(head[:16])}")
        flags, revision, length = struct.unpack("!BBH", head[16:])
        startup = Startup(flags, revision, bytes(self._take(length)))
        if flags & ENHANCED:
            if length < 4:
                raise ProtocolError("no room for IRD and ORD")
            startup.ird, startup.ord = struct.unpack("!HH", startup.private_data[:4])
            startup.private_data = startup.private_data[4:]
        return startup

    def _ready_to_receive(self, reply):
        """RFC 6581 section 9.2: the initiator's first message, of a kind that the responder takes; it has no octets."""
        if reply.ord & RTR_WRITE:
            self.send_segment(tagged(WRITE, 0, 0, b""))
        elif reply.ord & RTR_READ:
            self.read(0, 0, 0, 0, 0)
            if self.receive().opcode != READ_RESPONSE:
                raise ProtocolError("no answer to the ready-to-receive Read")
        else:
            self.send(b"")

    # --- sending --------------------------------------------------------------------------------------------

    def send_segment(self, ulpdu):
        self.socket.sendall(fpdu(ulpdu, self.use_crc))

    def send(self, payload, opcode=SEND, invalidate=0):
        room = self.longest_ulpdu - 18
        msn = self._number(0)
        for at in range(0, max(1, len(payload)), room):
            piece = payload[at:at + room]
            self.send_segment(untagged(opcode, 0, msn, at, piece, at + room >= len(payload), invalidate))

    def read(self, sink_stag, sink_offset, size, source_stag, source_offset):
        self.send_segment(untagged(READ_REQUEST, 1, self._number(1), 0,
                                   read_request_payload(sink_stag, sink_offset, size, source_stag, source_offset)))

    def write(self, stag, offset, payload, opcode=WRITE):
        room = self.longest_ulpdu - 14
        for at in range(0, max(1, len(payload)), room):
            piece = payload[at:at + room]
            self.send_segment(tagged(opcode, stag, offset + at, piece, at + room >= len(payload)))

    def respond(self, read_request, memory):
        """Answers a Read Request; memory(stag, offset, size) has the octets."""
        sink_stag, sink_offset, size, source_stag, source_offset = struct.unpack("!IQIIQ", read_request.payload)
        self.write(sink_stag, sink_offset, memory(source_stag, source_offset, size) if size else b"", READ_RESPONSE)

    def _number(self, queue):
        msn = self.next_msn[queue]
        self.next_msn[queue] = msn + 1 & 0xFFFFFFFF
        return msn

    # --- receiving ------------------------------------------------------------------------------------------

    def receive(self):
        """The next segment; None at the end of the connection."""
        if not self.received and not self._more():
            return None
        length = struct.unpack("!H", self._take(2))[0]
        rest = self._take(length + -(length + 2) % 4 + 4)
        if self.use_crc and crc32c(struct.pack("!H", length) + rest[:-4]) != struct.unpack("<I", rest[-4:])[0]:
            raise ProtocolError("CRC")
        return self._segment(bytes(rest[:length]))

    def _segment(self, ulpdu):
        if len(ulpdu) < 14 or ulpdu[0] & 3 != 1 or ulpdu[1] >> 6 != 1:
            raise ProtocolError(f"ULPDU {ulpdu[:18].hex()}")
        opcode, last = ulpdu[1] & 15, bool(ulpdu[0] & 0x40)
        if ulpdu[0] & 0x80:
            stag, offset = struct.unpack("!IQ", ulpdu[2:14])
            return Segment(opcode, last, ulpdu[14:], True, stag=stag, offset=offset)
        if len(ulpdu) < 18:
            raise ProtocolError(f"ULPDU {ulpdu.hex()}")
        invalidate, queue, msn, offset = struct.unpack("!IIII", ulpdu[2:18])
        if queue > 2 or msn != self.due_msn[queue]:
            raise ProtocolError(f"queue {queue}, MSN {msn}")
        self.due_msn[queue] = msn + last & 0xFFFFFFFF
        return Segment(opcode, last, ulpdu[18:], False, stag=invalidate, offset=offset, queue=queue, msn=msn)

    def message(self, *opcodes):
        """The next message, put together; it is of one of the opcodes. A Terminate is an error."""
        first = None
        while True:
            segment = self.receive()
            if segment is None:
                raise ProtocolError("connection closed, a message was due")
            if segment.opcode == TERMINATE:
                raise ProtocolError(f"Terminate {segment.payload.hex()}")
            if segment.opcode not in opcodes:
                raise ProtocolError(f"opcode {segment.opcode}, one of {opcodes} was due")
            if first is None:
                first = segment
            elif segment.offset != first.offset + len(first.payload):
                raise ProtocolError(f"segment at {segment.offset}")
            else:
                first.payload += segment.payload
            if segment.last:
                return first

    def _more(self):
        octets = self.socket.recv(65536)
        self.received += octets
        return bool(octets)

    def _take(self, count):
        while len(self.received) < count:
            if not self._more():
                raise ProtocolError("connection closed in the middle of a frame")
        octets = self.received[:count]
        del self.received[:count]
        return octets
