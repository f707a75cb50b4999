"""rping's own protocol, both sides, on the peer of iwarp_peer.py; by the description in rping.c of rdma-core:

    initiator: Send (address, key, size of the data)      responder: RDMA Read of it, Send
    initiator: Send (the same of an empty buffer)         responder: RDMA Write of the data into it, Send

SPDX-License-Identifier: GPL-2.0-or-later
"""
import struct

from iwarp_peer import (CRC, DEPTH, ENHANCED, PEER_TO_PEER, READ_REQUEST, READ_RESPONSE, RTR_READ, RTR_SEND, RTR_WRITE,
                        SEND, SEND_INVALIDATE, WRITE, Peer, ProtocolError, Startup)

SOURCE_STAG, SOURCE_ADDRESS = 0xABCD00, 0x7F0000001000
SINK_STAG, SINK_ADDRESS = 0x123400, 0x7F0000200000
OWN_STAG, OWN_ADDRESS = 0x777700, 0x7F0000400000


def data_of_round(number, size):
    """Text without a zero octet but the last: rping's responder writes back the string, with its end."""
    text = b"rping-%d: " % number + bytes(65 + (number + i) % 58 for i in range(size))
    return text[:size - 1] + b"\0"


def initiate(socket, rounds, size, revision=2, use_crc=True, ready=None, pause=0):
    """Plays `rping -c -C rounds -S size`; ready: None, "write" or "read", the ready-to-receive message to offer; pause:
    seconds between the Reply and the first FPDU."""
    peer = Peer(socket)
    request = Startup(CRC if use_crc else 0, revision)
    if revision == 2:
        request.flags |= ENHANCED
        request.ird = 1 | (PEER_TO_PEER if ready else 0)
        request.ord = 1 | {None: 0, "write": RTR_WRITE, "read": RTR_READ}[ready]
    reply = peer.connect(request, pause)
    for number in range(rounds):
        data = data_of_round(number, size)
        peer.send(struct.pack("!QII", SOURCE_ADDRESS, SOURCE_STAG, size))
        peer.respond(peer.message(READ_REQUEST), lambda stag, offset, count: _part(data, stag, offset, count))
        peer.message(SEND)
        peer.send(struct.pack("!QII", SINK_ADDRESS, SINK_STAG, size))
        written = peer.message(WRITE)
        if (written.stag, written.offset) != (SINK_STAG, SINK_ADDRESS) or written.payload != data:
            raise ProtocolError(f"round {number}: {len(written.payload)} octets came back, other than they went")
        peer.message(SEND, SEND_INVALIDATE)
    return request, reply


def respond(socket, use_crc=True):
    """Plays `rping -s`; returns the Request, the Reply and the number of rounds when the peer has closed."""
    peer = Peer(socket)
    replies = []
    request = peer.accept(lambda request: replies.append(_reply(request, use_crc)) or replies[0])
    if request.ird & PEER_TO_PEER:
        _ready_to_receive(peer)
    rounds = 0
    while (advert := peer.receive()) is not None:
        address, stag, size = _advert(advert)
        peer.read(OWN_STAG, OWN_ADDRESS, size, stag, address)
        response = peer.message(READ_RESPONSE)
        if (response.stag, response.offset, len(response.payload)) != (OWN_STAG, OWN_ADDRESS, size):
            raise ProtocolError(f"Read Response of {len(response.payload)} octets, {size} were asked for")
        peer.send(bytes(16))
        address, stag, size = _advert(peer.message(SEND))
        peer.write(stag, address, response.payload[:size])
        peer.send(bytes(16))
        rounds += 1
    return request, replies[0], rounds


def _part(data, stag, offset, count):
    begin = offset - SOURCE_ADDRESS
    if stag != SOURCE_STAG or begin < 0 or begin + count > len(data):
        raise ProtocolError(f"Read Request for STag {stag:#x}, TO {offset:#x}, {count} octets")
    return data[begin:begin + count]


def _advert(segment):
    if segment.opcode != SEND or not segment.last or len(segment.payload) != 16:
        raise ProtocolError(f"no advertisement: {segment}")
    address, stag, size = struct.unpack("!QII", segment.payload)
    return address, stag, size


def _reply(request, use_crc):
    """The Reply to a Request (RFC 6581 section 9): as much IRD as it has ORD, no more ORD than it has IRD, its RTRs."""
    reply = Startup(request.flags & ENHANCED | (CRC if use_crc else 0), request.revision)
    if request.flags & ENHANCED:
        reply.ird, reply.ord = max(1, request.ord & DEPTH), min(1, request.ird & DEPTH)
        if request.ird & PEER_TO_PEER:
            reply.ird |= PEER_TO_PEER | request.ird & RTR_SEND
            reply.ord |= request.ord & (RTR_WRITE | RTR_READ)
    return reply


def _ready_to_receive(peer):
    first = peer.receive()
    if first is None or first.opcode not in (WRITE, READ_REQUEST, SEND):
        raise ProtocolError("no ready-to-receive message came")
    if first.opcode == READ_REQUEST:
        peer.respond(first, lambda stag, offset, count: b"")
