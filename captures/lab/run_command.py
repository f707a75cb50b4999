#!/usr/bin/env python3
"""Runs a command line in a virtual machine of the lab: run_command.py PORT TOKEN_FILE SECONDS COMMAND

Sends the token, a newline, the command and a NUL to guest/session; prints what comes back, octet by octet, until the
token and three digits: the exit status. Nothing waits for the connection to close, so a command may leave programs behind.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import socket
import sys
import time


def main():
    port, token_file, seconds, command = sys.argv[1:]
    token = open(token_file, "rb").read().strip()
    deadline = time.monotonic() + float(seconds)
    tail = len(token) + 3
    pending = b""
    with socket.create_connection(("127.0.0.1", int(port)), 10) as connection:
        connection.sendall(token + b"\n" + command.encode() + b"\0")
        while True:
            connection.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                octets = connection.recv(65536)
            except TimeoutError:
                sys.exit(f"lab: no end after {seconds} s")
            pending += octets
            end = pending.find(token)
            if end >= 0 and len(pending) >= end + tail:
                sys.stdout.buffer.write(pending[:end])
                sys.exit(int(pending[end + len(token):end + tail]))
            if not octets:
                sys.exit("lab: the machine closed the connection")
            ready = end if end >= 0 else max(0, len(pending) - tail)
            sys.stdout.buffer.write(pending[:ready])
            sys.stdout.buffer.flush()
            pending = pending[ready:]


main()
