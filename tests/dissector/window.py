"""The real Wireshark window on a screen of its own, which nobody sees: Xvfb.

Keys and mouse come from xdotool, what stands in the window is read back through the clipboard (xclip), the picture is
taken by ImageMagick's import.

SPDX-License-Identifier: GPL-2.0-or-later
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import time

from tshark import NOBODY

PROGRAMS = ["Xvfb", "xdotool", "xclip", "import", "convert", "identify"]
SECONDS = 60
# Not about the plugin: Wireshark looks for wireless interfaces.
HARMLESS = {"nl80211 not found."}


def missing():
    """Programs that are needed and not there."""
    return [program for program in PROGRAMS if not shutil.which(program)]


def until(question, what):
    """What the question answers as soon as it answers something."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if answer := question():
            return answer
        time.sleep(0.3)
    raise AssertionError(f"{SECONDS} s are over: {what}")


class Screen:
    """An X server without a screen. Use as a context manager."""

    def __init__(self, width, height):
        reader, writer = os.pipe()
        self._server = subprocess.Popen(  # pylint: disable=consider-using-with
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"],
            pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as told:
            self.display = ":" + told.readline().strip()
        if self.display == ":":
            raise AssertionError("Xvfb did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.terminate()
        self._server.wait(SECONDS)

    def run(self, *command):
        """The output of an X client, "" where it had nothing to say."""
        environment = {"PATH": os.environ["PATH"], "DISPLAY": self.display, "LC_ALL": "C.UTF-8"}
        with contextlib.suppress(subprocess.TimeoutExpired):
            return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=10, check=False).stdout
        return ""

    def picture(self, path):
        self.run("import", "-window", "root", str(path))


class Wireshark:
    """A window with a capture in it. `home` is a Tshark: it has the plugin."""

    def __init__(self, screen, home, capture, *arguments):
        self.screen = screen
        self.name = pathlib.Path(capture).name
        self.errors = home.home / "stderr"
        run_time = home.home / "run"
        run_time.mkdir(mode=0o700)
        if os.geteuid() == 0:
            os.chown(run_time, NOBODY, NOBODY)
        environment = {"HOME": str(home.home), "PATH": os.environ["PATH"], "DISPLAY": screen.display, "TZ": "UTC",
                       "LC_ALL": "C.UTF-8", "XDG_RUNTIME_DIR": str(run_time), "NO_AT_BRIDGE": "1"}
        other_user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                ["wireshark", "-r", home.readable(capture), *arguments], cwd="/", env=environment, stdout=errors,
                stderr=errors, **other_user)
        until(self._window, f"no window shows {self.name}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def lives(self):
        return self.process.poll() is None

    def complaints(self):
        """What it wrote to stderr."""
        return [line for line in self.errors.read_text(errors="replace").splitlines() if line not in HARMLESS]

    def key(self, *keys, window=None):
        """Keys for a window, the main one unless told, one after the other."""
        self.screen.run("xdotool", "windowfocus", window or self._window(), "key", "--delay", "80", *keys)

    def write(self, text, window):
        self.screen.run("xdotool", "windowfocus", window, "type", "--delay", "80", text)

    def window(self, title):
        """The window whose title has these words, as soon as it is there."""
        search = ["xdotool", "search", "--onlyvisible", "--name", title]
        return until(lambda: self.screen.run(*search).split(), f"no window {title}")[-1]

    def click(self, x, y):
        self.screen.run("xdotool", "mousemove", str(x), str(y), "click", "1")

    def copied(self, *keys, window=None):
        """The lines that the keys put into the clipboard."""
        self.screen.run("sh", "-c", "printf '' | xclip -selection clipboard -i >/dev/null 2>&1")
        self.key(*keys, window=window)
        return self.screen.run("xclip", "-selection", "clipboard", "-o").splitlines()

    def visible(self):
        """The lines of the tree as far as it is open (Copy, All Visible Items)."""
        return self.copied("ctrl+alt+shift+a")

    def quit(self):
        """Its exit status after Quit."""
        self.key("ctrl+q")
        return self.process.wait(SECONDS)

    def _window(self):
        found = self.screen.run("xdotool", "search", "--onlyvisible", "--name", "^" + self.name).split()
        return found[-1] if found else ""


def settings(home, size, options):
    """Writes the profile that Wireshark starts with. `options` are lines of its file "recent"."""
    folder = home.home / ".config/wireshark"
    folder.mkdir(parents=True, exist_ok=True)
    width, height = size
    (folder / "recent_common").write_text(f"gui.geometry_main_x: 0\ngui.geometry_main_y: 0\n"
                                          f"gui.geometry_main_width: {width}\ngui.geometry_main_height: {height}\n")
    (folder / "recent").write_text("\n".join(options) + "\n")
    (folder / "preferences").write_text("gui.update.enabled: FALSE\ngui.packet_list_show_minimap: FALSE\n")
    for path in [home.home / ".config", *(home.home / ".config").rglob("*")]:
        path.chmod(0o755)
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
