// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/registry.hpp"

#include "views/findings_view.hpp"
#include "views/flows_view.hpp"
#include "views/ladder_view.hpp"
#include "views/latency_view.hpp"
#include "views/list_views.hpp"
#include "views/message_view.hpp"
#include "views/operation_view.hpp"
#include "views/outstanding_view.hpp"
#include "views/stags_view.hpp"
#include "views/state_view.hpp"
#include "views/tcp_view.hpp"
#include "views/throughput_view.hpp"
#include "views/waits_view.hpp"

namespace iwarp::gui {
namespace {

template <typename Kind>
View* make(Workspace& workspace, const Theme& theme, QWidget* parent) {
  return new Kind(workspace, theme, parent);
}

constexpr ViewKind kinds[] = {
    {"flows", "Flows", "The streams of the capture, and what they carried", ViewPlace::main, make<FlowsView>},
    {"ladder", "Ladder", "Messages between the two ends of a stream, and what caused them", ViewPlace::main,
     make<LadderView>},
    {"outstanding", "Outstanding", "Outstanding Reads and atomics against ORD", ViewPlace::main,
     make<OutstandingView>},
    {"latency", "Latency", "Latency of operations over time", ViewPlace::main, make<LatencyView>},
    {"throughput", "Throughput", "Octets and messages a second", ViewPlace::main, make<ThroughputView>},
    {"time", "Time", "Where the time went, by stream", ViewPlace::main, make<WaitsView>},
    {"tcp", "TCP", "Octets of a stream over time: FPDUs, what was sent again, holes", ViewPlace::main,
     make<TcpView>},
    {"stags", "STags", "Registered memory of each host over time, and its use", ViewPlace::main,
     make<StagsView>},
    {"operations", "Operations",
     "Reads, Writes, Sends, atomic operations and Immediates, to sort and to walk through", ViewPlace::main,
     make<OperationsView>},
    {"messages", "Messages", "RDMAP messages, to sort and to walk through", ViewPlace::main,
     make<MessagesView>},
    {"operation", "Operation", "One operation, taken apart: request, segments, holes, delivery",
     ViewPlace::inspector, make<OperationView>},
    {"state", "State", "All that is known of both ends behind a frame", ViewPlace::inspector,
     make<StateView>},
    {"message", "Message", "The octets of a message, field by field", ViewPlace::inspector,
     make<MessageView>},
    {"findings", "Findings", "Rules that were broken", ViewPlace::inspector, make<FindingsView>},
};

}  // namespace

std::span<const ViewKind> view_kinds() {
  return kinds;
}

const ViewKind* find_view(std::string_view name) {
  for (const ViewKind& kind : kinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace iwarp::gui
