// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/normalised.hpp"

#include <span>
#include <sstream>

#include "support/octets.hpp"

namespace iwarp::test {
namespace {

class Line {
 public:
  explicit Line(const Event& event) {
    text_ << static_cast<unsigned>(event.connection) << (event.side == Side::a ? " a " : " b ");
  }
  Line& word(const char* text) {
    text_ << text << ' ';
    return *this;
  }
  template <typename T>
  Line& with(const char* name, T value) {
    text_ << name << '=' << +static_cast<std::uint64_t>(value) << ' ';
    return *this;
  }
  Line& octets(ByteView value) {
    text_ << to_hex(value) << ' ';
    return *this;
  }
  [[nodiscard]] std::string str() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

void add_fpdu(Line& line, const Event& event, Positions positions) {
  const FpduFact& fpdu = event.fpdu;
  line.word("fpdu")
      .with("length", fpdu.ulpdu_length)
      .with("crc", fpdu.crc)
      .with("header", fpdu.header_octets);
  line.with("malformed", fpdu.malformed).with("cut", fpdu.cut).with("recovered", fpdu.recovered);
  line.with("faults", fpdu.marker_faults).with("pad", fpdu.pad).with("payload", fpdu.payload_length);
  line.with("ddp", fpdu.ddp.ddp_control).with("rdmap", fpdu.ddp.rdmap_control).with("stag", fpdu.ddp.stag);
  line.with("to", fpdu.ddp.to)
      .with("queue", fpdu.ddp.queue)
      .with("msn", fpdu.ddp.msn)
      .with("mo", fpdu.ddp.mo);
  line.octets(ByteView(fpdu.rdmap).first(fpdu.rdmap_octets));
  if (positions == Positions::dropped) return;
  line.with("at", fpdu.stream_offset).with("offset", event.offset).with("wire", fpdu.wire_size);
  line.with("markers", fpdu.markers).with("field", fpdu.crc_field).with("computed", fpdu.crc_computed);
}

void add_startup(Line& line, const StartupFact& startup) {
  line.word("startup").with("kind", startup.kind).with("rev", startup.revision).with("m", startup.markers);
  line.with("c", startup.crc).with("r", startup.rejected).with("s", startup.enhanced);
  line.with("pd", startup.private_data_length).with("received", startup.private_data_received);
  line.with("early", startup.early_octets).with("delayed", startup.delayed);
}

void add_message(Line& line, const MessageConclusion& message) {
  line.word("message").with("opcode", message.opcode).with("length", message.length);
  line.with("segments", message.segments).with("end", message.end).with("tagged", message.tagged);
  line.with("rtr", message.rtr)
      .with("stag", message.stag)
      .with("queue", message.queue)
      .with("msn", message.msn);
  line.with("to", message.to).octets(ByteView(message.rdmap).first(message.rdmap_octets));
}

void add_operation(Line& line, const OperationConclusion& operation) {
  line.word("operation").with("kind", operation.kind).with("status", operation.status);
  line.with("length", operation.length).with("outstanding", operation.outstanding);
}

bool about_the_capture(CheckId check) {
  const bool by_tcp = check == CheckId::verbs_rqstall || check == CheckId::mpa_align;
  return by_tcp || std::string(check_info(check).id).rfind("CAP-", 0) == 0;
}

}  // namespace

std::vector<std::string> normalised(std::span<const Event> events, Positions positions) {
  std::vector<std::string> lines;
  for (const Event& event : events) {
    Line line(event);
    switch (event.kind) {
      case EventKind::retransmitted:
      case EventKind::acknowledged:
      case EventKind::received:
      case EventKind::window:
      case EventKind::window_full: continue;
      case EventKind::placed:  // told again when it is delivered, or not at all
      case EventKind::revoked: continue;
      case EventKind::opened: line.word("opened").with("by", event.opened.by); break;
      case EventKind::syn: line.word("syn").with("mss", event.syn.mss); break;
      case EventKind::startup:
        // M is what makes the twins differ.
        if (positions == Positions::dropped) continue;
        add_startup(line, event.startup);
        break;
      case EventKind::fpdu: add_fpdu(line, event, positions); break;
      case EventKind::gap:
        if (event.gap.restated) continue;  // told before; where it stands depends on when FPDUs were found
        line.word("gap").with("length", event.gap.length);
        break;
      case EventKind::sync_lost: line.word("sync_lost").with("length", event.sync_lost.length); break;
      case EventKind::locked: line.word("locked").with("skipped", event.locked.skipped); break;
      case EventKind::fin: line.word("fin").with("inside", event.end.inside_fpdu); break;
      case EventKind::rst: line.word("rst").with("inside", event.end.inside_fpdu); break;
      case EventKind::closed: line.word("closed").with("cause", event.closed.cause); break;
      case EventKind::message: add_message(line, event.message); break;
      case EventKind::operation: add_operation(line, event.operation); break;
      case EventKind::finding:
        if (about_the_capture(event.finding.check)) continue;
        line.word("finding")
            .word(check_info(event.finding.check).id)
            .with("severity", event.finding.severity);
        break;
      case EventKind::undecidable:
        line.word("undecidable")
            .word(check_info(event.undecidable.check).id)
            .with("reason", event.undecidable.reason);
        break;
    }
    lines.push_back(line.str());
  }
  return lines;
}

}  // namespace iwarp::test
