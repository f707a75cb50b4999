// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/stream_model.hpp"

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

Record record_of_stream(const Log& log, std::uint32_t row, Event&) {
  const ConnectionState* const connection = log.analysis.connection(log.metrics.streams().connection(row));
  if (connection != nullptr) return stream_record(log.analysis, *connection);
  Record let_go;
  let_go.kind = RecordKind::stream;
  return let_go;
}

// Endpoints in the order of their octets, as far as 64 bits tell them apart: of IPv6 the last octets count.
std::uint64_t order_of(const Endpoint& endpoint) {
  const auto& octets = endpoint.address.octets;
  const std::size_t begin = endpoint.address.version == 4 ? 0 : 11;
  const std::size_t end = endpoint.address.version == 4 ? 4 : 16;
  std::uint64_t key = endpoint.address.version == 4 ? 0 : 1;
  for (std::size_t at = begin; at < end; ++at) key = key << 8U | octets[at];
  return key << 16U | endpoint.port;
}

// The worst first, then the most.
std::uint64_t badness(const StreamCounts& counts) {
  std::uint64_t key = 0;
  for (std::size_t severity = 4; severity-- > 0;) {
    key = key << 16U | std::min<std::uint64_t>(counts.findings[severity], 0x7fff);
  }
  return key;
}

const Endpoint& end_of(const StreamTable& table, std::uint32_t row, Role role) noexcept {
  const bool swapped = table.totals(row).initiator_is_b.load(std::memory_order_relaxed);
  return table.endpoints(row)[(role == Role::responder) != swapped ? 1 : 0];
}

std::uint64_t key_of(const Metrics& metrics, const Levels& levels, std::uint32_t row, int column) {
  const StreamTable& table = metrics.streams();
  const StreamCounts& of = levels.streams[row];
  switch (column) {
    case StreamModel::initiator: return order_of(end_of(table, row, Role::initiator));
    case StreamModel::responder: return order_of(end_of(table, row, Role::responder));
    case StreamModel::begun: return static_cast<std::uint64_t>(table.begun_ns(row)) ^ std::uint64_t{1} << 63U;
    case StreamModel::operations: return of.operations;
    case StreamModel::messages: return of.messages;
    case StreamModel::payload:
    case StreamModel::throughput_spark: return of.octets;
    case StreamModel::longest:
    case StreamModel::latency_spark:
      return of.longest_ns < 0 ? unknown_key : static_cast<std::uint64_t>(of.longest_ns);
    case StreamModel::findings: return badness(of);
    case StreamModel::end:
      return static_cast<std::uint64_t>(table.totals(row).end.load(std::memory_order_relaxed));
    default: return table.connection(row);
  }
}

}  // namespace

StreamModel::StreamModel(Workspace& workspace, QObject* parent)
    : TableModel(
          workspace,
          {{"stream", "Stream", "Number of the TCP connection, as Wireshark's tcp.stream counts", 6, true},
           {"initiator", "Initiator", "Who sent the MPA Request; where none was captured, the SYN", 16,
            false},
           {"responder", "Responder", "Who answered it", 16, false},
           {"", "Longest", "The longest latency, from the request to its response's last octet", 8, true},
           {"", "Findings", "Broken rules, by severity", 11, false},
           {"", "Operations", "Operations that count: Reads, Writes, Sends, atomic operations and Immediates",
            9, true},
           {"", "Messages", "DDP messages that count", 8, true},
           {"", "Payload", "Octets of these messages", 8, true},
           {"", "Begun", "Seconds from the first frame of the capture to the first one of the stream", 9,
            true},
           {"", "Throughput", "Octets of messages over the time of the capture", 13, false},
           {"", "Latency", "The longest latency over the time of the capture, by powers of ten", 13, false},
           {"close", "End", "How it ended: a Terminate, a rejection, RST, FIN; open: not within the capture",
            10, false}},
          parent) {
  begin();
}

TableModel::RecordOf StreamModel::record_of() const noexcept {
  return record_of_stream;
}

SortKey StreamModel::sort_key() const noexcept {
  return key_of;
}

Selection StreamModel::selection_of(std::uint32_t row) const {
  return select_stream(workspace().document().metrics(), row);
}

const Endpoint& StreamModel::endpoint(std::uint32_t row, Role role) const noexcept {
  return end_of(workspace().document().metrics().streams(), row, role);
}

std::optional<std::uint32_t> StreamModel::selected(const Selection& selection) const {
  if (!selection.stream || !workspace().document().opened()) return std::nullopt;
  const std::vector<std::uint32_t>& rows = levels().rows_of_streams;
  if (*selection.stream >= rows.size() || rows[*selection.stream] == 0) return std::nullopt;
  return rows[*selection.stream] - 1;
}

QString StreamModel::text(std::uint32_t row, int column) const {
  const StreamTable& table = workspace().document().metrics().streams();
  const StreamCounts& of = counts(row);
  switch (column) {
    case stream: return QString::number(table.connection(row));
    case initiator: return QString::fromStdString(to_string(end_of(table, row, Role::initiator)));
    case responder: return QString::fromStdString(to_string(end_of(table, row, Role::responder)));
    case begun: return time_text(table.begun_ns(row));
    case operations: return QString::fromStdString(count_text(of.operations));
    case messages: return QString::fromStdString(count_text(of.messages));
    case payload: return QString::fromStdString(octets_text(of.octets));
    case longest:
      return of.longest_ns < 0 ? QStringLiteral("–") : QString::fromStdString(duration_text(of.longest_ns));
    case findings: {
      QStringList parts;
      for (std::size_t severity = 4; severity-- > 0;) {
        const std::uint64_t count = of.findings[severity];
        if (count == 0) continue;
        parts << QString::number(count) + QLatin1Char(' ') +
                     QString::fromLatin1(severity_name(static_cast<Severity>(severity)));
      }
      return parts.isEmpty() ? QStringLiteral("none") : parts.join(QStringLiteral(", "));
    }
    case end:
      switch (table.totals(row).end.load(std::memory_order_relaxed)) {
        case StreamEnd::open: return QStringLiteral("open");
        case StreamEnd::fin: return QStringLiteral("closed");
        case StreamEnd::rst: return QStringLiteral("reset");
        case StreamEnd::rejected: return QStringLiteral("rejected");
        case StreamEnd::terminated: return QStringLiteral("terminated");
      }
      return {};
    default: return {};
  }
}

QVariant StreamModel::more(std::uint32_t row, int column, int role) const {
  if (role == Qt::ToolTipRole && column == longest && counts(row).slowest) {
    return QStringLiteral("Its slowest operation: Enter, or a double click, goes there");
  }
  return {};
}

}  // namespace iwarp::gui
