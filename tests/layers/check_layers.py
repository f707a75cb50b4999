#!/usr/bin/env python3
"""Include violations: who may include whom, as a table and one regular expression.

usage: check_layers.py ROOT        prints violations of the tree below ROOT; exit status 1 if there are any
       check_layers.py --self-test plants violations in a tree of its own and expects to see each of them

A file belongs to the layer whose pattern matches its path first. An include of the project's own files is
resolved to such a path; anything else counts as external and must be the standard library's or be named in
the row. The rows follow docs/architecture.md.

SPDX-License-Identifier: GPL-2.0-or-later
"""

import pathlib
import re
import sys
import tempfile
from typing import NamedTuple

PUBLIC = "libiwarpstate/include/iwarp"

# layer: patterns of the paths that belong to it, relative to the root. First match counts.
LAYERS = [
    ("finding", rf"{PUBLIC}/(finding\.hpp|findings\.def)|libiwarpstate/src/base/finding"),
    ("base", rf"{PUBLIC}/(by_connection|bytes|fifo|ids|on_demand|packed_(group|numbers)|result|sctp_packet|segment)\.hpp|libiwarpstate/src/base/"),
    ("wire", rf"{PUBLIC}/wire/|libiwarpstate/src/wire/"),
    ("event", rf"{PUBLIC}/event\.hpp"),
    ("state", rf"{PUBLIC}/(request_list|stack|state)\.hpp|libiwarpstate/src/state/"),
    ("metrics", rf"{PUBLIC}/metrics(\.hpp|/)|libiwarpstate/src/metrics/"),
    ("stags", rf"{PUBLIC}/stags\.hpp|libiwarpstate/src/stags/"),
    ("advertisements", rf"{PUBLIC}/ulp\.hpp|libiwarpstate/src/ulp/"),
    ("latency", rf"{PUBLIC}/(latency_parts|deliveries)\.hpp|libiwarpstate/src/latency/"),
    ("diagnosis", rf"{PUBLIC}/diagnosis\.hpp|libiwarpstate/src/diagnosis/"),
    ("export", rf"{PUBLIC}/export/|libiwarpstate/src/export/"),
    ("analysis", rf"{PUBLIC}/|libiwarpstate/src/analysis/"),
    ("stream", r"libiwarpstate/src/stream/"),
    ("mpa", r"libiwarpstate/src/mpa/"),
    ("sctp", r"libiwarpstate/src/sctp/"),
    ("check", r"libiwarpstate/src/check/"),
    ("capture", r"libiwarpstate/capture/"),
    ("program", r"libiwarpstate/program/"),
    ("cli", r"libiwarpstate/cli/"),
    ("epan", r"dissector/compat/epan\.hpp"),
    ("bridge", r"dissector/bridge/"),
    ("host", r"dissector/host/"),
    ("compat", r"dissector/compat/"),
    ("render", r"dissector/render/"),
    ("ulp", r"dissector/ulp/"),
    ("statistics", r"dissector/statistics/"),
    ("plugin", r"dissector/[^/]+$"),
    ("plan", r"replay/plan/"),
    ("compare", r"replay/compare/"),
    ("shrink", r"replay/shrink/"),
    ("rnic", r"replay/rnic/"),
    ("transport", r"replay/transport/"),
    ("engine", r"replay/engine/"),
    ("verbs", r"replay/verbs/"),
    ("inject", r"replay/inject/"),
    ("commands", r"replay/(commands/|main\.cpp)"),
    ("scale", r"gui/scale/"),
    ("models", r"gui/models/"),
    ("views", r"gui/views/"),
    ("app", r"gui/app/"),
]


class Row(NamedTuple):
    layers: str  # what files of the layer may include besides files of their own layer
    external: str = r"(?!)"  # and which headers that are neither the project's nor standard C++
    words: str = r"(?!)"  # and what they must not even mention


WIDGETS = "Application|Dialog|Menu|Layout|Label|TableView|HeaderView"  # what models have nothing to do with
FACTS = "base wire event finding state"  # what is known of a connection, and the words for it
REPLAY = "plan compare shrink rnic transport engine verbs inject"  # iwarp-replay's library
SYSTEM = r"(\w+/)?\w+\.h"  # of the C library and the kernel
TABLE = {
    "base": Row("", r"sys/mman\.h"),  # madvise() alone
    "wire": Row("base", r"immintrin\.h|nmmintrin\.h|arm_acle\.h", r"\b(FrameNumber|TimeNs)\b"),
    "event": Row("base wire finding"),
    "finding": Row("base wire"),
    "stream": Row("base"),
    "mpa": Row("base wire event", words=r"\bFrameNumber\b"),
    "sctp": Row("base wire"),  # of DDP it knows sequence numbers alone
    "state": Row("base wire event finding"),
    "check": Row(FACTS),
    "analysis": Row(f"{FACTS} stream mpa sctp check"),
    "metrics": Row(FACTS),
    "latency": Row(FACTS),
    "advertisements": Row("base"),  # octets of ULPs, of which nothing else here knows
    "stags": Row(f"{FACTS} analysis advertisements"),
    "diagnosis": Row(f"{FACTS} analysis latency advertisements"),
    "export": Row(f"{FACTS} analysis metrics latency stags diagnosis", r"(regex|sqlite3)\.h"),
    "capture": Row("base", r"zlib\.h|zstd\.h|pcap/.*|(sys/\w+|net/if|linux/if_packet|unistd|fcntl|poll)\.h"),
    "program": Row("base", r"(sys/\w+|unistd|fcntl|malloc|poll|arpa/inet)\.h"),
    "cli": Row(f"{FACTS} analysis latency stags diagnosis export capture program",
               r"(CLI|nlohmann|nettle)/.*|(sys/\w+|arpa/inet|sqlite3|unistd|fcntl)\.h"),
    "epan": Row("", r"(epan|wsutil|wiretap)/.*|(wireshark|ws_version)\.h"),  # the one file that includes it
    "bridge": Row(f"{FACTS} analysis latency stags diagnosis capture"),  # frames in, events and octets out, without Wireshark
    "host": Row(f"{FACTS} analysis capture bridge epan"),
    "compat": Row(f"{FACTS} bridge host epan"),
    "render": Row(f"{FACTS} analysis latency stags export bridge host compat epan"),
    "ulp": Row(f"{FACTS} advertisements bridge host epan"),
    "statistics": Row(f"{FACTS} export bridge host epan"),
    "plugin": Row(f"{FACTS} capture bridge host compat render ulp statistics epan"),
    "plan": Row(f"{FACTS} analysis advertisements capture", r"google/protobuf/.*|plan/plan\.pb\.h|zstd\.h|arpa/inet\.h"),
    "compare": Row(f"{FACTS} analysis export capture plan", r"nlohmann/.*"),
    "shrink": Row(f"{FACTS} plan"),
    "rnic": Row("base wire"),  # an RNIC knows neither who drives it nor what carries its octets
    "transport": Row("base capture", SYSTEM),
    "engine": Row(f"{FACTS} analysis export plan compare rnic transport"),
    "verbs": Row(f"{FACTS} plan compare rnic transport engine", SYSTEM),
    "inject": Row(f"{FACTS} analysis export plan rnic transport engine"),
    "commands": Row(f"{FACTS} analysis export capture program {REPLAY}", rf"(CLI|nlohmann)/.*|{SYSTEM}"),
    "scale": Row("base"),  # arithmetic: no painting, no Qt
    "models": Row(f"{FACTS} analysis metrics latency stags diagnosis export capture program scale",
                  rf"Q(?!Widget|{WIDGETS})[A-Z]\w*|(sys/\w+|unistd|fcntl|poll)\.h"),
    # No widget holds protocol state: they see tables, and what models make of the log.
    "views": Row(f"{FACTS} analysis metrics export scale models", r"Q[A-Z]\w*",
                 r"\b(Analyzer|apply|RecordReader|PacketDecoder|FrameReader)\b"),
    "app": Row(f"{FACTS} analysis metrics export program scale models views", r"Q[A-Z]\w*|CLI/CLI\.hpp",
               r"\b(Analyzer|apply|RecordReader|PacketDecoder|FrameReader)\b"),
}

SOURCE_ROOTS = ("libiwarpstate", "dissector", "replay", "gui")
# Where the compiler looks for the project's own files, beside the including file's folder.
INCLUDE_ROOTS = ("libiwarpstate", "libiwarpstate/include", "libiwarpstate/capture/include", "libiwarpstate/src",
                 "libiwarpstate/capture", "libiwarpstate/cli", "dissector", "replay", "gui")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
STANDARD = re.compile(r"[a-z_]+")  # <vector>, <cstdint>: no dot, no folder


def layer_of(path):
    return next((name for name, pattern in LAYERS if re.match(pattern, path)), None)


def resolve(root, including, name):
    """The project's file that `name` stands for, relative to root; None when it is not the project's."""
    for folder in (including.parent, *(root / include_root for include_root in INCLUDE_ROOTS)):
        candidate = folder / name
        if candidate.is_file():
            return candidate.resolve().relative_to(root).as_posix()
    return None


def violations(root):
    root = root.resolve()
    for source_root in SOURCE_ROOTS:
        for path in sorted((root / source_root).rglob("*")):
            if path.suffix not in (".hpp", ".cpp", ".def"):
                continue
            relative = path.relative_to(root).as_posix()
            layer = layer_of(relative)
            if layer is None:
                yield f"{relative}: belongs to no layer"
                continue
            row = TABLE[layer]
            text = path.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                name = match[1] or match[2]
                line = text.count("\n", 0, match.start()) + 1
                target = resolve(root, path, name)
                if target is None:
                    if name.startswith("iwarp/"):
                        yield f"{relative}:{line}: <{name}> does not exist"
                    elif not STANDARD.fullmatch(name) and not re.fullmatch(row.external, name):
                        yield f"{relative}:{line}: {layer} includes {name}"
                elif layer_of(target) not in (layer, *row.layers.split()):
                    yield f"{relative}:{line}: {layer} includes {target} of {layer_of(target)}"
            for match in re.finditer(row.words, re.sub(r"//.*", "", text)):
                yield f"{relative}: {layer} must not know {match[0]}"


def self_test():
    """Each planted file breaks exactly the rule named beside it; the last ones break none."""
    planted = {
        f"{PUBLIC}/bytes.hpp": ("#include <cstdint>\n", None),
        f"{PUBLIC}/event.hpp": ("#include <iwarp/bytes.hpp>\n", None),
        f"{PUBLIC}/ids.hpp": ("#include <sys/types.h>\n", "base includes sys/types.h"),
        "libiwarpstate/src/wire/mpa.cpp": ("#include <iwarp/event.hpp>\n", "wire includes"),
        "libiwarpstate/src/wire/ddp.cpp": ("// FrameNumber in a comment is fine\nTimeNs time;\n", "must not know TimeNs"),
        "libiwarpstate/src/stream/gap.hpp": ('# include "mpa/framer.hpp"\n', "stream includes"),
        "libiwarpstate/src/mpa/framer.hpp": ("#include <vector>\n#include <iwarp/bytes.hpp>\n", None),
        "libiwarpstate/src/check/rules.hpp": ("#include <iwarp/bytes.hpp>\n", None),
        "libiwarpstate/src/mpa/lookup.cpp": ('#include "../check/rules.hpp"\n', "mpa includes"),
        "libiwarpstate/src/state/apply.cpp": ('#include "mpa/framer.hpp"\n', "state includes"),
        "libiwarpstate/src/analysis/pipeline.cpp": ('#include "export/json.hpp"\n', "analysis includes"),
        "libiwarpstate/src/export/json.hpp": ("#include <iwarp/event.hpp>\n#include <regex.h>\n", None),
        "libiwarpstate/cli/main.cpp": ('#include <iwarp/missing.hpp>\n', "does not exist"),
        "libiwarpstate/odd/file.cpp": ("", "belongs to no layer"),
        "replay/rnic/queue.hpp": ("#include <iwarp/bytes.hpp>\n", None),
        "replay/plan/plan.cpp": ('#include "rnic/queue.hpp"\n', "plan includes replay/rnic/queue.hpp of rnic"),
        "replay/transport/socket.cpp": ("#include <netinet/tcp.h>\n", None),
        "replay/compare/log.cpp": ("#include <netinet/tcp.h>\n", "compare includes netinet/tcp.h"),
        "dissector/plugin.cpp": ("#include <epan/packet.h>\n", "plugin includes epan/packet.h"),
        "dissector/bridge/octets.hpp": ("#include <cstdint>\n", None),
        "dissector/bridge/frames.cpp": ('#include "bridge/octets.hpp"\n#include "compat/epan.hpp"\n', "bridge includes"),
        "dissector/render/tree.cpp": ('#include "bridge/octets.hpp"\n#include "compat/epan.hpp"\n', None),
        "dissector/ulp/rpc.cpp": ('#include "render/tree.hpp"\n', "ulp includes"),
        "dissector/render/tree.hpp": ('#include "compat/epan.hpp"\n', None),
        "dissector/compat/epan.hpp": ("#include <epan/packet.h>\n#include <QWidget>\n", "epan includes QWidget"),
        "gui/scale/ticks.hpp": ("#include <QString>\n", "scale includes QString"),
        "gui/models/session.hpp": ("#include <QObject>\n#include <QWidget>\n", "models includes QWidget"),
        "gui/views/view.hpp": ("#include <QWidget>\niwarp::Analyzer analyzer;\n", "must not know Analyzer"),
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, (text, _) in planted.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        found = list(violations(root))
    failed = False
    for name, (_, expected) in planted.items():
        reports = [text for text in found if text.startswith(name)]
        if (expected is None and reports) or (expected and (len(reports) != 1 or expected not in reports[0])):
            print(f"{name}: expected {expected}, reported {reports}")
            failed = True
    return failed


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    found = list(violations(pathlib.Path(sys.argv[1])))
    for text in found:
        print(text)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
