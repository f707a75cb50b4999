#!/usr/bin/env python3
"""What a shared library exports, and what its public headers declare: the same.

usage: check_exports.py NM LIBRARY INCLUDE  prints exported names that no header below INCLUDE declares, and headers
                                            that do not export what they declare; exit status 1 if there are any
       check_exports.py --self-test         plants such names and headers and expects to see each of them

Objects are compiled with hidden visibility; a public header makes visible what stands between its two pragmas, but for
classes that it hides itself. So a name is the public interface's if, and only if, a header has it.

SPDX-License-Identifier: GPL-2.0-or-later
"""

import pathlib
import re
import subprocess
import sys

PUSH = "#pragma GCC visibility push(default)\n"
POP = "#pragma GCC visibility pop\n"
# Of what belongs to a class or a function the compiler says so first: "vtable for iwarp::Event".
MADE_FOR = re.compile(r"^(?:(?:typeinfo name|typeinfo|vtable|VTT|guard variable) for |(?:non-virtual |virtual )?thunk to )")


def declared(header):
    """What a header's text makes visible, without comments; None where it does not have the two pragmas."""
    if header.count(PUSH) != 1 or header.count(POP) != 1:
        return None
    return re.sub(r"//.*", "", header[header.index(PUSH) + len(PUSH) : header.index(POP)])


def names_of(symbol):
    """("Analysis", "payload") of "iwarp::Analysis::payload(iwarp::Event const&) const"; () outside namespace iwarp."""
    name = MADE_FOR.sub("", symbol)
    name = re.sub(r"\[abi:\w+\]", "", name).split("(")[0]
    name = re.sub(r"<.*", "", name)
    if not re.match(r"iwarp::\w", name):
        return ()
    parts = name.split("::")[1:]
    return tuple(parts[1:] if parts[0] in ("wire", "capture", "link_type", "tcp") and len(parts) > 1 else parts)


def is_declared(symbol, text):
    if not names_of(symbol):
        return False
    *classes, name = names_of(symbol)
    if not all(re.search(rf"\b(?:class|struct) {each}\b", text) for each in classes):
        return False
    if name.startswith("~"):
        return bool(classes)
    return re.search(rf"(?:\b(?:class|struct) |(?<![\w:])){re.escape(name)}(?: final)?\s*[({{=;\[:]", text) is not None


def complaints(symbols, headers):
    texts = {path: declared(text) for path, text in headers.items()}
    for path, text in texts.items():
        if text is None:
            yield f"{path}: what it declares is not between one {PUSH.strip()} and one {POP.strip()}"
    text = "\n".join(text for text in texts.values() if text)
    if not symbols:
        yield "nothing is exported"
    for symbol in symbols:
        if not is_declared(symbol, text):
            yield f"exported, and declared by no public header: {symbol}"


def exported(nm, library):
    command = [nm, "--dynamic", "--defined-only", "--demangle", "--format=posix", library]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted({re.sub(r" \w( [0-9a-f]+){0,2} *$", "", line) for line in lines})


def self_test():
    header = PUSH + """namespace iwarp {
struct Event { int size() const; };
class Analyzer {
 public:
  ~Analyzer();
  struct [[gnu::visibility("hidden")]] Impl;
};
void apply(Event& event);  // and not infer(Event&)
}
""" + POP
    right = ["iwarp::Event::size() const", "iwarp::Analyzer::~Analyzer()", "iwarp::apply(iwarp::Event&)",
             "iwarp::Event::size[abi:cxx11]() const", "typeinfo for iwarp::Event"]
    wrong = ["iwarp::infer(iwarp::Event&)", "iwarp::Analyzer::Impl::add()", "iwarp::Direction::Direction()",
             "iwarp::Direction::apply(iwarp::Event&)", "vtable for iwarp::Direction", "std::vector<iwarp::Event>::size()"]
    seen = list(complaints(right + wrong, {"right.hpp": header, "bare.hpp": "namespace iwarp {}\n"}))
    expected = ["bare.hpp:", *wrong]
    if len(seen) == len(expected) and all(text in line for text, line in zip(expected, seen)):
        return 0
    print("\n".join(["reported:", *seen]))
    return 1


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    nm, library, include = sys.argv[1:]
    headers = {path: path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(include).rglob("*.hpp"))}
    symbols = exported(nm, library)
    found = list(complaints(symbols, headers))
    print("\n".join(found) if found else f"{len(symbols)} names are exported")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
