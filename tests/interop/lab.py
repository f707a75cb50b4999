"""The lab's virtual machine as the tests of this folder see it.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import pathlib
import subprocess
import sys


class Lab:
    """program: captures/lab/lab."""

    def __init__(self, program):
        self.program = program
        self.captures = pathlib.Path(program).resolve().parents[2] / "build/lab/captures"

    def call(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, timeout=240)
        if done.returncode:
            raise RuntimeError(f"lab {arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def script(self, *lines):
        """Runs lines of bash in the machine, with the functions of guest/library.sh."""
        return self.call("run", "-t", "200", "\n".join((". /tree/captures/lab/guest/library.sh", *lines)))

    def port(self, number):
        """Of 127.0.0.1, that leads to this port of the machine."""
        return int(self.call("port", str(number)))

    def serve(self, port, parameters, command):
        """Starts a server in the machine and waits until it listens."""
        self.script(f"siw {' '.join(parameters)}",
                    f"setsid timeout 250 stdbuf -oL bash -c {quoted(command)} >/tmp/served.log 2>&1 & echo $! >/tmp/served.pid",
                    f"until ss -Hltn 'sport = :{port}' | grep -q .; do",
                    "  kill -0 $(</tmp/served.pid) || { cat /tmp/served.log; exit 1; }; sleep 0.1; done")

    def end_server(self):
        """Ends it, if it has not ended; returns what it said."""
        return self.script("server=$(</tmp/served.pid)",
                           "for wait in {1..20}; do kill -0 $server 2>/dev/null || break; sleep 0.1; done",
                           "kill -- -$server 2>/dev/null; cut -c 1-300 /tmp/served.log")


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def lab_or_skip(program):
    lab = Lab(program)
    if "lab runs" not in lab.call("status"):
        print("SKIPPED: no virtual machine runs; './dev interop' starts one")
        sys.exit(77)
    return lab
