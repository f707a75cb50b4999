// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <deque>
#include <utility>

#include "compare/stream_log.hpp"

namespace iwarp::replay {

using wire::Opcode;

// One connection, until it is closed or started up anew.
class LogBuilder::Stream {
 public:
  Stream(ConnectionId number, const std::array<Endpoint, 2>& endpoints, std::uint64_t& room,
         std::uint64_t& entries)
      : number_(number), endpoints_(endpoints), room_(room), entries_(entries) {}

  void add(const Event& event, const Analysis& analysis, std::vector<StreamLog>& out) {
    if (!since_) since_ = event.time_ns;
    SideLog& own = sides_[index(event.side)];
    switch (event.kind) {
      case EventKind::opened:
        own.captured = true;
        if (event.opened.by == OpenedBy::midstream) midstream_ = true;
        break;
      case EventKind::startup: take_startup(event, analysis, out); break;
      case EventKind::fpdu: take_fpdu(event, analysis); break;
      case EventKind::gap:
        holed_ = true;
        if (!event.gap.framing_kept) {
          if (begun_) lack(event.side, Reason::gap);
          own.holed_before = !begun_;
        }
        break;
      case EventKind::message: take_message(event); break;
      case EventKind::operation: take_operation(event); break;
      case EventKind::finding: take_finding(event); break;
      case EventKind::fin: take_close(event, WorkKind::fin); break;
      case EventKind::rst: take_close(event, WorkKind::rst); break;
      case EventKind::closed:
        finish(out, event.closed.cause != CloseCause::fin && event.closed.cause != CloseCause::rst);
        break;
      default: break;
    }
  }

 private:
  struct Request {  // without an answer
    WorkKind kind = WorkKind::read;
    std::uint32_t message = 0;                        // MessageConclusion::number
    std::optional<std::size_t> entry = std::nullopt;  // of the ready-to-receive message there is none
  };
  struct SideLog {
    std::vector<LogEntry> entries;
    std::deque<Request> requests;
    std::array<std::uint32_t, wire::queue_count> rtr_messages{};
    std::array<bool, 2> open{};    // a Send, a Write is under way
    std::array<Bytes, 2> payload;  // its octets so far
    bool captured = false;
    std::optional<std::uint64_t> original;  // of the Atomic Response that came last
    bool holed_before = false;              // before anything was understood
    std::optional<Reason> lacking;
    std::optional<LogPrivateData> private_data;
    std::vector<PlannedViolation> violations;
  };
  static constexpr std::size_t word_size = 4;  // of IRD and ORD (RFC 6581 §6)
  static constexpr std::uint64_t smbd_size = 8;

  void lack(Side side, Reason reason) {
    if (!sides_[index(side)].lacking) sides_[index(side)].lacking = reason;
  }

  void take_startup(const Event& event, const Analysis& analysis, std::vector<StreamLog>& out) {
    const bool request = event.startup.kind == wire::StartupKind::request;
    const bool used = request_seen_ || !sides_[0].entries.empty() || !sides_[1].entries.empty();
    if (request && begun_ && used) {
      finish(out, true);
      since_ = event.time_ns;
    }
    if (!begun_ || request) initiator_ = request ? event.side : other(event.side);
    begun_ = true;
    started_ = true;
    request_seen_ = request_seen_ || request;
    take_private_data(event, analysis);
    if (request) {
      if (startup_ == StartupEnd::unknown) startup_ = StartupEnd::unanswered;
    } else if (!std::exchange(replied_, true)) {  // a second Reply is a finding
      startup_ = event.startup.rejected ? StartupEnd::rejected : StartupEnd::accepted;
    }
  }

  void take_private_data(const Event& event, const Analysis& analysis) {
    const StartupFact& fact = event.startup;
    std::optional<LogPrivateData>& own = sides_[index(event.side)].private_data;
    ByteView octets = analysis.private_data(number_, fact);
    if (own || octets.size() != fact.private_data_length || fact.word_missing()) return;
    if (fact.has_word) octets = octets.subspan(std::min(word_size, octets.size()));
    own = LogPrivateData{Bytes(octets.begin(), octets.end()), {}};
    if (fact.has_smbd) own->left_out.emplace_back(0, smbd_size);
  }

  void take_fpdu(const Event& event, const Analysis& analysis) {
    const FpduFact& fpdu = event.fpdu;
    if (fpdu.unfinished || fpdu.malformed || fpdu.crc == CrcStatus::bad) return;
    begun_ = true;
    // FPDUs of an initiator whose answer was not captured show that there was one.
    if (!replied_) startup_ = StartupEnd::accepted;
    const Opcode opcode = fpdu.ddp.opcode();
    SideLog& own = sides_[index(event.side)];
    if (room_ != 0) keep_payload(event, analysis.payload(event));
    if (wire::is_send(opcode) && !fpdu.ddp.tagged()) own.open[0] = !fpdu.ddp.last();
    if (opcode == Opcode::rdma_write && fpdu.ddp.tagged()) own.open[1] = !fpdu.ddp.last();
    if (opcode == Opcode::atomic_response) {
      const auto response = wire::parse_atomic_response(ByteView(fpdu.rdmap).first(fpdu.rdmap_octets));
      own.original.reset();
      if (response) own.original = response->original_remote_data;
    }
    if (fpdu.header_octets < fpdu.ddp.size()) lack(event.side, Reason::snaplen);
  }

  // The analysis tells of a message right behind its last FPDU, of an answer as well.
  void keep_payload(const Event& event, ByteView octets) {
    const FpduFact& fpdu = event.fpdu;
    const Opcode opcode = fpdu.ddp.opcode();
    if (fpdu.ddp.tagged() != wire::is_tagged(opcode)) return;
    octets = octets.first(static_cast<std::size_t>(std::min<std::uint64_t>(octets.size(), room_)));
    Bytes* to = nullptr;
    if (wire::is_send(opcode) || opcode == Opcode::rdma_write) {
      const std::size_t slot = opcode == Opcode::rdma_write ? 1 : 0;
      to = &sides_[index(event.side)].payload[slot];
      if (!sides_[index(event.side)].open[slot]) to->clear();
    } else if (opcode == Opcode::read_response) {
      SideLog& requester = sides_[index(other(event.side))];
      const auto oldest = std::ranges::find(requester.requests, WorkKind::read, &Request::kind);
      if (oldest != requester.requests.end() && oldest->entry)
        to = &requester.entries[*oldest->entry].payload;
    }
    if (to == nullptr) return;
    room_ -= octets.size();
    to->insert(to->end(), octets.begin(), octets.end());
  }

  void take_message(const Event& event) {
    const MessageConclusion& message = event.message;
    const auto kind = work_kind_of(message.opcode);
    if (!kind || message.tagged != wire::is_tagged(message.opcode)) return;
    SideLog& own = sides_[index(event.side)];
    const bool asks = *kind == WorkKind::read || *kind == WorkKind::atomic;
    if (asks) {
      own.requests.push_back({*kind, message.number});
      if (!message.rtr) own.requests.back().entry = own.entries.size();
    }
    if (message.rtr) {
      if (!message.tagged && message.queue < wire::queue_count) own.rtr_messages[message.queue] = 1;
      return;
    }
    LogEntry entry;
    entry.kind = *kind;
    entry.length = message.length;
    entry.stag = message.stag;
    entry.outcome =
        message.end == MessageEnd::complete ? OperationStatus::complete : OperationStatus::incomplete;
    entry.frame = event.frame;
    entry.time_ns = message.begun.time_ns;
    if (!message.tagged && message.queue < wire::queue_count) {
      entry.msn = message.msn - own.rtr_messages[message.queue];
    }
    if (message.tagged) entry.to = message.to;
    if (is_send(*kind)) entry.payload = std::exchange(own.payload[0], {});
    if (*kind == WorkKind::write) entry.payload = std::exchange(own.payload[1], {});
    read_header(ByteView(message.rdmap).first(message.rdmap_octets), message.bit_order, entry);
    if (asks) entry.outcome = OperationStatus::unknown;
    own.entries.push_back(std::move(entry));
    ++entries_;
  }

  static void read_header(ByteView header, wire::BitOrder order, LogEntry& entry) {
    if (entry.kind == WorkKind::read) {
      if (const auto request = wire::parse_read_request(header)) {
        entry.length = request->size;
        entry.stag = request->sink_stag;
        entry.to = request->sink_to;
        entry.source_stag = request->source_stag;
        entry.source_to = request->source_to;
      } else {
        entry.length = 0;  // that was the Request's
        entry.cut = true;
      }
    } else if (entry.kind == WorkKind::atomic) {
      entry.length = wire::immediate_size;
      if (const auto request = wire::parse_atomic_request(header)) {
        entry.atomic = *request;
        entry.stag = request->remote_stag;
        entry.to = request->remote_to;
      } else {
        entry.cut = true;
      }
    } else if (entry.kind == WorkKind::immediate || entry.kind == WorkKind::immediate_se) {
      const auto data = wire::parse_immediate(header);
      if (data) entry.immediate = *data;
      entry.cut = !data;
    } else if (entry.kind == WorkKind::terminate) {
      const auto terminate = wire::parse_terminate(header, order);
      if (terminate) entry.code = terminate->meant.value();
      if (terminate) entry.sent_code = load_be16(header.data());
      entry.cut = !terminate;
    }
  }

  void take_operation(const Event& event) {
    const OperationConclusion& operation = event.operation;
    const bool read = operation.kind == OperationKind::read;
    if (!read && operation.kind != OperationKind::atomic) return;
    SideLog& own = sides_[index(event.side)];
    const auto found = std::ranges::find(own.requests, operation.message, &Request::message);
    if (found == own.requests.end()) return;
    const std::optional<std::size_t> place = found->entry;
    own.requests.erase(found);
    if (!place) return;
    LogEntry& entry = own.entries[*place];
    entry.outcome = operation.status;
    entry.latency_ns = operation.latency();
    if (read && entry.cut && operation.answered()) {
      entry.length = operation.length;  // what its response brought
      entry.cut = false;
      entry.deduced = true;
    }
    if (!read && operation.answered()) entry.original = sides_[index(other(event.side))].original;
  }

  void take_finding(const Event& event) {
    const Finding& finding = event.finding;
    if (finding.severity < Severity::error) return;
    const std::string id = check_info(finding.check).id;
    std::vector<PlannedViolation>& own = sides_[index(event.side)].violations;
    if (id.starts_with("CAP-") || std::ranges::find(own, id, &PlannedViolation::check) != own.end()) return;
    own.push_back({id, finding.severity, Role::initiator, event.frame, describe(finding)});
  }

  void take_close(const Event& event, WorkKind kind) {
    if (!begun_) return;
    const auto closed = [](const SideLog& side) {
      return std::ranges::any_of(side.entries,
                                 [](const LogEntry& each) { return each.kind == WorkKind::fin; });
    };
    // Behind both FINs it tells of TCP alone.
    if (kind == WorkKind::rst && closed(sides_[0]) && closed(sides_[1])) return;
    LogEntry entry;
    entry.kind = kind;
    entry.frame = event.frame;
    entry.time_ns = event.time_ns;
    sides_[index(event.side)].entries.push_back(entry);
  }

  // As a plan of the same capture takes it (StreamRecorder::find_unagreed_rtr()).
  static void drop_unagreed_rtr(std::vector<LogEntry>& entries) {
    const auto first =
        std::ranges::find_if(entries, [](const LogEntry& each) { return !is_close(each.kind); });
    if (first == entries.end() || first->length != 0 || first->cut) return;
    if (first->kind == WorkKind::read || first->kind == WorkKind::write) entries.erase(first);
  }

  void finish(std::vector<StreamLog>& out, bool left_open = false) {
    if (!std::exchange(begun_, false)) return;
    StreamLog& log = out.emplace_back();
    log.stream = number_;
    log.begun = since_.value_or(0);
    log.holed = holed_;
    log.left_open = left_open;
    log.startup = std::exchange(startup_, StartupEnd::unknown);
    log.name =
        to_string(endpoints_[index(initiator_)]) + " to " + to_string(endpoints_[index(other(initiator_))]);
    for (const Side side : {Side::a, Side::b}) {
      SideLog& own = sides_[index(side)];
      const auto role = static_cast<std::size_t>(side == initiator_ ? Role::initiator : Role::responder);
      if (!own.captured) lack(side, Reason::one_direction);
      if (own.holed_before) lack(side, Reason::gap);
      if (midstream_ && !started_) own.lacking = Reason::midstream;  // more than a hole leaves in doubt
      own.holed_before = false;
      if (own.open[0] || own.open[1]) lack(side, Reason::capture_end);
      if (side == initiator_ && !(request_seen_ && replied_)) drop_unagreed_rtr(own.entries);
      log.entries[role] = std::exchange(own.entries, {});
      log.lacking[role] = own.lacking;
      for (PlannedViolation& each : own.violations) {
        each.role = static_cast<Role>(role);
        log.violations.push_back(std::move(each));
      }
      own.violations.clear();
      log.private_data[role] = std::exchange(own.private_data, std::nullopt);
      own.requests.clear();
      own.rtr_messages = {};
      own.open = {};
      own.payload = {};
      own.lacking.reset();
    }
    request_seen_ = false;
    replied_ = false;
    started_ = false;
  }

  ConnectionId number_;
  std::array<Endpoint, 2> endpoints_;
  std::uint64_t& room_;  // for payload
  std::uint64_t& entries_;
  std::array<SideLog, 2> sides_;
  std::optional<TimeNs> since_;
  Side initiator_ = Side::a;
  bool midstream_ = false;
  bool holed_ = false;
  bool begun_ = false;
  bool started_ = false;  // by a start-up frame
  bool request_seen_ = false;
  bool replied_ = false;
  StartupEnd startup_ = StartupEnd::unknown;
};

const char* startup_end_name(StartupEnd end) noexcept {
  switch (end) {
    case StartupEnd::unknown: break;
    case StartupEnd::unanswered: return "unanswered";
    case StartupEnd::rejected: return "rejected";
    case StartupEnd::accepted: return "accepted";
  }
  return "unknown";
}

LogBuilder::LogBuilder(std::uint64_t kept_payload) : room_(kept_payload) {}
LogBuilder::~LogBuilder() = default;

void LogBuilder::add(const Analysis& analysis, Events events) {
  for (const Event& event : events) {
    auto found = streams_.find(event.connection);
    if (found == streams_.end()) {
      const ConnectionState* state = analysis.connection(event.connection);
      if (state == nullptr) continue;
      found = streams_
                  .emplace(event.connection,
                           std::make_unique<Stream>(event.connection, state->endpoints, room_, entries_))
                  .first;
    }
    found->second->add(event, analysis, logs_);
    if (event.kind == EventKind::closed) streams_.erase(found);
  }
}

std::vector<StreamLog> LogBuilder::finish() {
  std::ranges::stable_sort(logs_, {}, &StreamLog::stream);
  return std::move(logs_);
}

}  // namespace iwarp::replay
