// What a frame brought goes to one tap, "iwarp"; each table counts from it what it shows, so that a display
// filter narrows every table.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/statistics.hpp"

#include <iterator>
#include <string>
#include <vector>

#include <iwarp/export/names.hpp>

namespace iwarp::dissector {
namespace {

int tap = -1;

constexpr double octets_in_mib = 1024.0 * 1024.0;
constexpr guint no_row = 0xffffffff;

// A table while it is filled. Its rows are found by a number: stream, kind of operation, check.
//
// A table that is filled again begins without rows, so that a filter leaves no empty ones. Windows that still
// show it hold pointers to its rows: those stay where they are and are used again.
struct Table {
  const char* title;
  void (*fill_new_row)(stat_tap_table* table, guint row, guint key);
  void (*free_cell)(stat_tap_table* table, guint row, guint column, stat_tap_table_item_type* item);
  std::vector<guint> rows;  // by key
  guint made = 0;           // rows that there is memory for

  guint row_of(stat_tap_table* table, guint key) {
    if (key >= rows.size()) rows.resize(key + 1, no_row);
    if (rows[key] == no_row) {
      rows[key] = table->num_elements;
      if (rows[key] < made) ++table->num_elements;
      fill_new_row(table, rows[key], key);
    }
    return rows[key];
  }
};

stat_tap_table_item_type& cell(const stat_tap_table* table, guint row, guint column) noexcept {
  return *stat_tap_get_field_data(table, row, column);
}

void count(const stat_tap_table* table, guint row, guint column, guint more = 1) noexcept {
  cell(table, row, column).value.uint_value += more;
}

void raise(const stat_tap_table* table, guint row, guint column, guint value) noexcept {
  guint& most = cell(table, row, column).value.uint_value;
  if (value > most) most = value;
}

template <std::size_t columns>
void add_row(stat_tap_table* table, guint row, const stat_tap_table_item (&described)[columns]) {
  stat_tap_table_item_type items[columns] = {};
  for (std::size_t i = 0; i < columns; ++i) items[i].type = described[i].type;
  stat_tap_init_table_row(table, row, columns, items);
}

stat_tap_table* first_table(void* tapdata) noexcept {
  const auto* const data = static_cast<const stat_data_t*>(tapdata);
  return g_array_index(data->stat_tap_data->tables, stat_tap_table*, 0);
}

template <Table& described>
void reset_table(stat_tap_table* table) {
  if (described.made < table->num_elements) described.made = table->num_elements;
  for (guint row = 0; described.free_cell != nullptr && row < table->num_elements; ++row) {
    for (guint column = 0; column < table->num_fields; ++column) {
      described.free_cell(table, row, column, &cell(table, row, column));
    }
  }
  described.rows.clear();
  table->num_elements = 0;
}

template <Table& described, guint columns>
void open_table(stat_tap_table_ui* ui) {
  if (stat_tap_table* const known = stat_tap_find_table(ui, described.title)) {
    reset_table<described>(known);
    return;
  }
  described.rows.clear();
  described.made = 0;
  stat_tap_add_table(ui, stat_tap_init_table(described.title, columns, 0, nullptr));
}

// --- Streams -------------------------------------------------------------------------------------------

enum StreamColumn : guint {
  stream_number,
  stream_initiator,
  stream_responder,
  stream_frames,
  stream_fpdus_initiator,
  stream_fpdus_responder,
  stream_messages,
  stream_payload,
  stream_outstanding,
  stream_findings,
};
stat_tap_table_item stream_columns[] = {
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Stream", "%6u"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Initiator", "%-24s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Responder", "%-24s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Frames", "%8u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "FPDUs →", "%8u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "FPDUs ←", "%8u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Messages", "%8u"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "MiB", "%10.3f"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Most outstanding", "%4u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Findings", "%6u"},
};

void new_stream(stat_tap_table* table, guint row, guint key) {
  add_row(table, row, stream_columns);
  cell(table, row, stream_number).value.uint_value = key;
  cell(table, row, stream_initiator).value.string_value = g_strdup("");
  cell(table, row, stream_responder).value.string_value = g_strdup("");
}

void free_stream(stat_tap_table*, guint, guint column, stat_tap_table_item_type* item) {
  if (column != stream_initiator && column != stream_responder) return;
  g_free(const_cast<char*>(item->value.string_value));
  item->value.string_value = nullptr;
}
Table streams{"iWARP Streams", new_stream, free_stream, {}};

void name_end(stat_tap_table_item_type& item, const Endpoint& end) noexcept {
  g_free(const_cast<char*>(item.value.string_value));
  item.value.string_value = g_strdup(to_string(end).c_str());
}

// As payload_octets of the state counts.
bool carries_payload(const FpduFact& fpdu) noexcept {
  if (fpdu.crc == CrcStatus::bad || fpdu.unfinished || fpdu.malformed) return false;
  const wire::Opcode opcode = fpdu.ddp.opcode();
  return opcode == wire::Opcode::rdma_write || opcode == wire::Opcode::read_response ||
         wire::is_send(opcode) || wire::is_immediate(opcode);
}

guint row_of_stream(stat_tap_table* table, const ConnectionState& connection) {
  const guint row = streams.row_of(table, connection.id);
  stat_tap_table_item_type& initiator = cell(table, row, stream_initiator);
  if (initiator.value.string_value[0] == '\0') {
    name_end(initiator, connection.endpoints[index(connection.initiator)]);
    name_end(cell(table, row, stream_responder), connection.endpoints[index(other(connection.initiator))]);
  }
  return row;
}

bool is_counted(EventKind kind) noexcept {
  return kind == EventKind::fpdu || kind == EventKind::message || kind == EventKind::operation ||
         kind == EventKind::finding;
}

void count_for_stream(const stat_tap_table* table, guint row, const ConnectionState& connection,
                      const Event& event) {
  switch (event.kind) {
    case EventKind::fpdu:
      count(table, row,
            connection.role_of(event.side) == Role::initiator ? stream_fpdus_initiator
                                                              : stream_fpdus_responder);
      if (carries_payload(event.fpdu))
        cell(table, row, stream_payload).value.float_value +=
            static_cast<double>(event.fpdu.payload_length) / octets_in_mib;
      return;
    case EventKind::message:
      if (event.message.end != MessageEnd::complete) return;
      count(table, row, stream_messages);
      return;
    case EventKind::operation: raise(table, row, stream_outstanding, event.operation.outstanding); return;
    case EventKind::finding: count(table, row, stream_findings); return;
    default: return;
  }
}

void count_streams(stat_tap_table* table, const Frame& frame) {
  if (frame.facts != nullptr && frame.facts->iwarp) {  // it may only end others' connections
    const ConnectionState* const own = frame.bridge->analysis().connection(frame.facts->connection);
    if (own != nullptr) count(table, row_of_stream(table, *own), stream_frames);
  }
  for_each_session(frame, [&](const Event& event) {
    const ConnectionState* const own = frame.bridge->analysis().connection(event.connection);
    if (own != nullptr) count(table, row_of_stream(table, *own), stream_frames);
  });
  for (const Events events : {frame.events, frame.events_at_end}) {
    for (const Event& event : events) {
      if (!is_counted(event.kind)) continue;
      const ConnectionState* const connection = frame.bridge->analysis().connection(event.connection);
      if (connection == nullptr || !connection->iwarp) continue;
      count_for_stream(table, row_of_stream(table, *connection), *connection, event);
    }
  }
}

// --- Operations ----------------------------------------------------------------------------------------

enum OperationColumn : guint {
  operation_kind,
  operation_count,
  operation_complete,
  operation_payload,
  operation_outstanding,  // from here on: reads and atomics only
  operation_answered,
  operation_min,
  operation_mean,
  operation_max,
};
stat_tap_table_item operation_columns[] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Operation", "%-12s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Count", "%8u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Complete", "%8u"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "MiB", "%10.3f"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Most outstanding", "%4u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Answered", "%8u"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Min SRT ms", "%10.6f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Mean SRT ms", "%10.6f"},
    {TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Max SRT ms", "%10.6f"},
};
const char* const operation_titles[] = {"RDMA Read", "RDMA Write", "Send", "Atomic", "Immediate"};

bool has_response(OperationKind kind) noexcept {
  return kind == OperationKind::read || kind == OperationKind::atomic;
}

void new_operation(stat_tap_table* table, guint row, guint key) {
  add_row(table, row, operation_columns);
  cell(table, row, operation_kind).value.string_value = operation_titles[key];
  if (has_response(static_cast<OperationKind>(key))) return;
  for (guint column = operation_outstanding; column < std::size(operation_columns); ++column)
    cell(table, row, column).type = TABLE_ITEM_NONE;
}
Table operations{"iWARP Operations", new_operation, nullptr, {}};

void count_response_time(const stat_tap_table* table, guint row, double milliseconds) noexcept {
  guint& answered = cell(table, row, operation_answered).value.uint_value;
  double& least = cell(table, row, operation_min).value.float_value;
  double& most = cell(table, row, operation_max).value.float_value;
  stat_tap_table_item_type& mean = cell(table, row, operation_mean);
  if (answered == 0 || milliseconds < least) least = milliseconds;
  if (milliseconds > most) most = milliseconds;
  ++answered;
  mean.user_data.float_value += milliseconds;
  mean.value.float_value = mean.user_data.float_value / answered;
}

void count_operations(stat_tap_table* table, const Frame& frame) {
  for (const Events events : {frame.events, frame.events_at_end}) {
    for (const Event& event : events) {
      if (event.kind != EventKind::operation) continue;
      const OperationConclusion& operation = event.operation;
      const guint row = operations.row_of(table, static_cast<guint>(operation.kind));
      count(table, row, operation_count);
      if (operation.status == OperationStatus::complete) count(table, row, operation_complete);
      cell(table, row, operation_payload).value.float_value +=
          static_cast<double>(operation.length) / octets_in_mib;
      if (!has_response(operation.kind)) continue;
      raise(table, row, operation_outstanding, operation.outstanding);
      if (const auto latency = operation.latency()) count_response_time(table, row, in_ms(*latency));
    }
  }
}

// --- Findings ------------------------------------------------------------------------------------------

enum FindingColumn : guint {
  finding_id,
  finding_severity,
  finding_count,
  finding_first,
  finding_title
};
stat_tap_table_item finding_columns[] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Finding", "%-14s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Severity", "%-11s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Count", "%6u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "First frame", "%8u"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "What is wrong", "%s"},
};

void new_finding(stat_tap_table* table, guint row, guint key) {
  const CheckInfo& check = check_info(static_cast<CheckId>(key));
  add_row(table, row, finding_columns);
  cell(table, row, finding_id).value.string_value = check.id;
  cell(table, row, finding_severity).value.string_value = "";
  cell(table, row, finding_title).value.string_value = check.title;
}
Table findings{"iWARP Findings", new_finding, nullptr, {}};

void count_findings(stat_tap_table* table, const Frame& frame) {
  for (const Events events : {frame.events, frame.events_at_end}) {
    for (const Event& event : events) {
      if (event.kind != EventKind::finding) continue;
      const guint row = findings.row_of(table, static_cast<guint>(event.finding.check));
      if (cell(table, row, finding_count).value.uint_value == 0) {
        cell(table, row, finding_severity).value.string_value = severity_name(event.finding.severity);
        cell(table, row, finding_first).value.uint_value = frame.pinfo->num;
      }
      count(table, row, finding_count);
    }
  }
}

// --- Registration --------------------------------------------------------------------------------------

template <void (*count_frame)(stat_tap_table*, const Frame&)>
tap_packet_status take_frame(void* tapdata, packet_info*, epan_dissect_t*, const void* frame, tap_flags_t) {
  count_frame(first_table(tapdata), *static_cast<const Frame*>(frame));
  return TAP_PACKET_REDRAW;
}

tap_param filter_parameter[] = {{PARAM_FILTER, "filter", "Filter", nullptr, TRUE}};

template <Table& described, std::size_t columns>
stat_tap_table_ui describe(const char* command, tap_packet_cb take, stat_tap_table_item (&items)[columns]) {
  stat_tap_table_ui ui = {};
  ui.group = REGISTER_PACKET_STAT_GROUP_UNSORTED;
  ui.title = described.title;
  ui.tap_name = "iwarp";
  ui.cli_string = command;
  ui.stat_tap_init_cb = open_table<described, columns>;
  ui.packet_func = take;
  ui.stat_tap_reset_table_cb = reset_table<described>;
  ui.stat_tap_free_table_item_cb = described.free_cell;
  ui.nfields = columns;
  ui.fields = items;
  ui.nparams = std::size(filter_parameter);
  ui.params = filter_parameter;
  return ui;
}

}  // namespace

void register_statistics() {
  tap = register_tap("iwarp");
  static stat_tap_table_ui stream_table =
      describe<streams>("iwarp,streams", take_frame<count_streams>, stream_columns);
  static stat_tap_table_ui operation_table =
      describe<operations>("iwarp,operations", take_frame<count_operations>, operation_columns);
  static stat_tap_table_ui finding_table =
      describe<findings>("iwarp,findings", take_frame<count_findings>, finding_columns);
  register_stat_tap_table_ui(&stream_table);
  register_stat_tap_table_ui(&operation_table);
  register_stat_tap_table_ui(&finding_table);
}

void tap_frame(const Frame& frame) {
  if (tap <= 0 || !have_tap_listener(tap)) return;
  auto* const kept = static_cast<Frame*>(wmem_alloc(frame.pinfo->pool, sizeof(Frame)));
  *kept = frame;
  if (!frame.later_pass) kept->events_at_end = {};
  tap_queue_packet(tap, frame.pinfo, kept);
}

}  // namespace iwarp::dissector
