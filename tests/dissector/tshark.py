"""tshark with the plugin just built, as Wireshark would find it: a user's own folder below a private HOME.

Run as root, Wireshark ignores the plugins of users, so tests that run as root become another user for it.

SPDX-License-Identifier: GPL-2.0-or-later
"""

import collections
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

NOBODY = 65534
SECONDS = 300
DAMAGED = re.compile(r"^tshark: The file .* (appears to (have been cut short|be damaged)|isn't a capture file)", re.MULTILINE)

# What versions of Wireshark print or do in ways of their own is told here and in the functions below, so that tests
# need not know the version.

# How fields of two values are printed: by words since 4.4.
TRUTH = {"True": "1", "False": "0"}
# Blocks of pcapng that older versions pass over: (kind, version that makes a frame of it first).
LATE_FRAMES = {0x208: (4, 6)}  # events of Sysdig with flags

# Pools of memory are taken apart, so that tools that watch it see each block.
SEPARATE_BLOCKS = {"WIRESHARK_DEBUG_WMEM_OVERRIDE": "simple", "G_SLICE": "always-malloc"}


def sanitized(libraries):
    """The environment in which a plugin built with sanitizers can be loaded into a program built without.

    Leaks are mostly tshark's own.
    """
    return {"LD_PRELOAD": ":".join(libraries), "ASAN_OPTIONS": "detect_leaks=0:exitcode=66",
            "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=66", **SEPARATE_BLOCKS}


class Tshark:
    """A HOME with the plugin in it. Use as a context manager: it goes away with the last line."""

    def __init__(self, program, plugin, environment=(), wrapper=(), seconds=SECONDS):
        self.program = program
        self.seconds = seconds
        self._environment = dict(environment)
        self._wrapper = list(wrapper)  # a program that runs tshark, with its options
        self._folder = tempfile.TemporaryDirectory(prefix="iwarp-tshark-")
        self.home = pathlib.Path(self._folder.name)
        self.version = self._version()
        self.plugins = self.home / ".local/lib/wireshark/plugins" / ".".join(map(str, self.version)) / "epan"
        self.plugins.mkdir(parents=True)
        shutil.copy(plugin, self.plugins)
        for path in [self.home, *self.home.rglob("*")]:
            path.chmod(0o755)
            if os.geteuid() == 0:
                os.chown(path, NOBODY, NOBODY)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def run(self, *arguments, check=True):
        """The result of a run: stdout and stderr as text. A damaged capture is no failure: what stands before the damage is
        read."""
        result = self._run(*arguments)
        if check and result.returncode != 0 and not DAMAGED.search(result.stderr):
            raise AssertionError(f"tshark {' '.join(map(str, arguments))}: {result.returncode}\n{result.stderr}")
        return result

    def fields(self, capture, names, *arguments):
        """One list of values a field for each frame shown: [{name: [values]}]; 1 and 0 for what is true and false."""
        wanted = [part for name in names for part in ("-e", name)]
        out = self.run("-r", self.readable(capture), "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a",
                       "-E", "aggregator=|", *wanted, *arguments).stdout
        rows = [line.split("\t") for line in out.splitlines()]
        return [{name: [TRUTH.get(value, value) for value in cell.split("|")] if cell else [] for name, cell in zip(names, row)}
                for row in rows]

    def hierarchy(self, capture, *arguments):
        """Protocol Hierarchy Statistics: {path of protocols: frames}. The frame itself, 4.6's first row, is none of them."""
        out = self.run("-r", self.readable(capture), "-q", "-z", "io,phs", *arguments).stdout
        path, found = [], collections.Counter()
        for indent, name, frames in re.findall(r"(?m)^( *)(\S+) +frames:(\d+) ", out):
            path[len(indent) // 2:] = [name]
            found[":".join(path).removeprefix("frame:")] += int(frames)
        del found["frame"]
        return found

    def saved(self, capture, text, *arguments):
        """Numbers of the frames that are saved where the display filter shows some."""
        names = ["frame.time_epoch", "tcp.srcport", "tcp.seq_raw", "tcp.len"]
        out = self.home / "saved.pcap"
        out.unlink(missing_ok=True)
        self.run("-r", self.readable(capture), "-Y", text, "-w", out, *arguments)
        rows = self.fields(capture, names)
        number = {json.dumps(row): at for at, row in enumerate(rows, 1)}
        assert len(number) == len(rows), "frames that look alike"
        return [number[json.dumps(row)] for row in self.fields(out, names)]

    @functools.cache
    def saves_depended_frames(self, capture, frame):
        """Whether those are saved, too, that a frame depends on, by what the built-in dissectors name for this one.

        4.0 does with -2. 4.4 and 4.6 do not: to mark a frame they ask whether it is shown already, and tshark takes
        all for shown then.
        """
        return self.saved(capture, f"frame.number == {frame}", "-2", "--disable-protocol", "iwarp") != [frame]

    def makes_frame_of(self, kind, usually):
        """Whether a block of pcapng is a frame to this version; `usually`: whether it is to all but those of LATE_FRAMES."""
        return usually or (kind in LATE_FRAMES and self.version >= LATE_FRAMES[kind])

    def data_sources(self, capture, frame, *arguments):
        """What one frame shows octets of: [(title, octets)]."""
        out = self.run("-r", self.readable(capture), "-x", "-Y", f"frame.number == {frame}", *arguments).stdout
        parts = re.split(r"(?m)^(\S.*) \(\d+ bytes\):$", out)
        titles = parts[1::2] or ["Frame"]  # alone it has no title
        dumps = parts[2::2] or parts
        dump = re.compile(r"(?m)^[0-9a-f]{4,}  ((?:[0-9a-f]{2} ?)+)")
        return [(title, bytes.fromhex("".join(dump.findall(text)))) for title, text in zip(titles, dumps)]

    def visit(self, capture, frames):
        """The trees of frames in the order asked for, as Wireshark makes them when one clicks on them: [(frame, tree)].

        sharkd reads the file once, as Wireshark does, and answers then.
        """
        out = self.run_sharkd(capture, frames).stdout
        answers = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        return [(frame, answer["result"]) for frame, answer in zip(frames, answers[1:])]

    def run_sharkd(self, capture, frames):
        """The same as it comes: a line of JSON for loading the file, and one for each frame."""
        calls = [("load", {"file": self.readable(capture)})]
        calls += [("frame", {"frame": frame, "proto": True, "columns": True}) for frame in frames]
        text = "".join(json.dumps({"jsonrpc": "2.0", "id": at, "method": method, "params": parameters}) + "\n"
                       for at, (method, parameters) in enumerate(calls, 1))
        return self._run("-", program=shutil.which("sharkd"), given=text)

    def readable(self, capture):
        """The capture where that other user may read it."""
        if os.geteuid() != 0:
            return str(capture)
        copy = self.home / pathlib.Path(capture).name
        if not copy.exists():
            shutil.copyfile(capture, copy)
            copy.chmod(0o644)
        return str(copy)

    def _version(self):
        first = self._run("--version").stdout.splitlines()[0]
        return tuple(map(int, re.search(r"(\d+)\.(\d+)\.\d+", first).groups()))

    def _run(self, *arguments, program=None, given=None):
        other_user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        # Wireshark's window resolves all symbols of a plugin when it loads it: what it lacks shows here, too.
        environment = {"HOME": str(self.home), "TZ": "UTC", "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"],
                       "LD_BIND_NOW": "1", **self._environment}
        command = [*self._wrapper, program or self.program, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, errors="replace", input=given, env=environment,
                              cwd="/", timeout=self.seconds, check=False, **other_user)
