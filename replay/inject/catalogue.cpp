// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/catalogue.hpp"

#include <set>

#include "inject/witness.hpp"

namespace iwarp::replay {
namespace {

constexpr const char* introduction =
    R"(# Fault injection

Made from the table in `replay/inject` by `iwarp-replay --list-injections markdown`; a test keeps them equal.

`iwarp-replay run … --inject ID[@stream,direction,message[,fpdu]]` breaks exactly this rule ([findings.md](findings.md)) in what
the soft-RNIC sends; `iwarp-replay campaign` breaks them all, one a connection, and tells what the peer made of each.
The analyzer finds the injected ID and nothing else at warning or above, and the other soft-RNIC answers as the
table says: tests run every row.

Where no message is named, the place is the first one of which a run in memory shows just that. A message of one's own choosing
is taken as it is: what it leaves undone is found, too (a FIN in the middle of a Read Response leaves the Read unanswered).

The place has four parts, each of which may be left empty: the stream as numbered in the capture, `initiator` or
`responder` (who breaks the rule), the message and the FPDU in it. Messages are counted from 1 among the work of that side, in the
plan's order, the ready-to-receive message and closes left out; Read and Atomic Responses by themselves. Without a place
the first one that fits and shows it is taken, of the streams whose Request was accepted. Some rows have a second name behind a
colon, for another way to break the same rule.

Behind a fault after which no octet of its side could be right any more, nothing else is sent, and FIN only behind the
peer's. A *conforming peer* may answer by any of the codes named: which of them follows from the order in which it checks, and from the
buffers that it has posted. Codes are those of RFC 6580; a peer that sends others deviates, though products are known to
(Verbs 1.0's own codes, `23xx`).

## What can be injected

| Injection | What is done | Where | Needs | A conforming peer | Reference |
|--|--|--|--|--|--|
)";

constexpr const char* of_memory = R"(
What a peer's RNIC must refuse of accesses to memory the tests of the soft-RNIC show (`tests/replay/rnic`).
)";

void add_words(std::string& text, bool given, const char* words) {
  if (given) text += (text.empty() ? "" : "; ") + std::string(words);
}

}  // namespace

std::string needs_in_words(const Needs& needs) {
  std::string text;
  if (needs.payload > 1) text = "at least " + std::to_string(needs.payload) + " octets";
  add_words(text, needs.payload == 1, "an octet");
  add_words(text, needs.empty, "no octets");
  add_words(text, needs.messages > 1, "two at once");
  add_words(text, needs.single, "one segment");
  add_words(text, needs.several, "several segments");
  add_words(text, needs.opening, "its side's first FPDU");
  add_words(text, needs.initiator, "the initiator's");
  add_words(text, needs.first, "first of its queue");
  add_words(text, needs.later, "not first of its queue");
  add_words(text, needs.idle, "no RDMA Read or Atomic open");
  add_words(text, needs.pad, "PAD");
  add_words(text, needs.markers, "markers");
  add_words(text, needs.no_markers, "no markers");
  add_words(text, needs.crc, "CRC");
  add_words(text, needs.enhanced, "revision 2");
  add_words(text, needs.peer_to_peer, "a ready-to-receive message");
  add_words(text, needs.not_peer_to_peer, "no ready-to-receive message");
  add_words(text, needs.peer_closes, "the peer closes first");
  add_words(text, needs.peer_terminates, "the peer terminates");
  return text;
}

std::string breaches_as_text() {
  std::string text;
  for (const Breach* each : all_breaches()) {
    std::string name = each->name();
    if (name.size() < 22) name.resize(22, ' ');
    text += name + " " + each->what + "\n";
    const std::string needs = needs_in_words(each->needs);
    text += std::string(23, ' ') + "in: " + (each->needs.opening ? "any message" : subjects_of(*each));
    if (!needs.empty()) text += " (" + needs + ")";
    text += "; a conforming peer: " + expectation(each->oracle) + ", " + each->oracle.reference + "\n";
  }
  text += "\nNot to be injected:\n";
  for (const NoBreach& each : no_breaches()) {
    std::string name = check_info(each.check).id;
    if (name.size() < 22) name.resize(22, ' ');
    text += name + " " + each.why + "\n";
  }
  text += of_memory;
  return text;
}

std::string breaches_as_markdown() {
  std::string text = introduction;
  for (const Breach* each : all_breaches()) {
    text += "| " + each->name() + " | " + each->what + " | " + subjects_of(*each) + " | " +
            needs_in_words(each->needs) + " | " + expectation(each->oracle) + " | " + each->oracle.reference +
            " |\n";
  }
  text += "\n## What cannot\n\n| Check | Why |\n|--|--|\n";
  for (const NoBreach& each : no_breaches()) {
    const CheckInfo& info = check_info(each.check);
    text +=
        std::string("| ") + info.id + " (" + severity_name(info.strict_severity) + ") | " + each.why + " |\n";
  }
  text += of_memory;
  return text;
}

}  // namespace iwarp::replay
