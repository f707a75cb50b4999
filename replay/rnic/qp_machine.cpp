// The table of the QP state machine. Figures are those of Verbs 1.0: 7 Idle, 8 RTS, 9 Terminate, 10 Error,
// 11 Closing. Where one allows a choice the row says which was taken.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/qp_machine.hpp"

#include <array>

namespace iwarp::rnic {
namespace {

using namespace action;
using S = QpState;
using E = QpEvent;
using R = QpReport;

struct Row {
  S state;
  E event;
  S next;
  QpActions actions;
  R report = R::none;
};

constexpr QpActions flush = flush_sq | flush_rq;
// Figure 9, on entry. Flushing MAY begin here (§6.2.3), and does.
constexpr QpActions terminated = stop | close_llp | flush;
constexpr QpActions terminates = terminated | send_terminate;
constexpr QpActions resets = stop | reset_llp | unbind | flush;
constexpr QpActions gone = stop | unbind | flush;  // the LLP Stream is no more

constexpr std::array table = {
    Row{S::idle, E::modify_idle, S::idle, attributes},
    Row{S::idle, E::modify_rts, S::rts, attributes | bind},
    Row{S::idle, E::modify_closing, S::idle, refuse},
    Row{S::idle, E::modify_terminate, S::idle, refuse},
    Row{S::idle, E::modify_error, S::error, flush},
    Row{S::idle, E::post_sq, S::idle, enqueue},
    Row{S::idle, E::post_rq, S::idle, enqueue},

    Row{S::rts, E::modify_idle, S::rts, refuse},
    Row{S::rts, E::modify_rts, S::rts, attributes},
    Row{S::rts, E::modify_closing, S::closing, stop | close_llp | flush_rq},
    // §6.2.3 forbids an event "Error State Entered" here and figure 37 lists none; §6.6.2.2 has the Consumer
    // wait for it. None is made: Query QP tells.
    Row{S::rts, E::modify_terminate, S::terminate, terminates},
    Row{S::rts, E::modify_error, S::error, resets},
    Row{S::rts, E::post_sq, S::rts, enqueue},
    Row{S::rts, E::post_rq, S::rts, enqueue},
    Row{S::rts, E::sq_wqe, S::rts, process},
    Row{S::rts, E::sq_error, S::terminate, terminates},
    Row{S::rts, E::rq_error, S::terminate, terminates},
    Row{S::rts, E::local_error, S::terminate, terminates, R::cause},
    Row{S::rts, E::segment, S::rts, process},
    Row{S::rts, E::terminate, S::terminate, terminated | keep_terminate, R::cause},
    Row{S::rts, E::segment_error, S::terminate, terminates, R::cause},
    // The LLP Stream has ended without a trace of it in TCP, so that there is nothing to reset (§6.2.2.4).
    Row{S::rts, E::startup_rejected, S::error, gone, R::cause},
    Row{S::rts, E::llp_error, S::terminate, terminates, R::cause},
    Row{S::rts, E::llp_reset, S::error, gone, R::cause},
    Row{S::rts, E::llp_lost, S::error, resets, R::cause},
    Row{S::rts, E::llp_close_busy, S::terminate, terminates, R::cause},
    // The event is LLP Close Complete, when that is so.
    Row{S::rts, E::llp_close, S::closing, stop | close_llp | flush_rq},

    Row{S::terminate, E::modify_idle, S::terminate, refuse},
    Row{S::terminate, E::modify_rts, S::terminate, refuse},
    Row{S::terminate, E::modify_closing, S::terminate, refuse},
    Row{S::terminate, E::modify_terminate, S::terminate, refuse},
    Row{S::terminate, E::modify_error, S::terminate, refuse},
    // "At some point … an Immediate Error": from the beginning.
    Row{S::terminate, E::post_sq, S::terminate, refuse},
    Row{S::terminate, E::post_rq, S::terminate, refuse},
    Row{S::terminate, E::llp_reset, S::error, gone, R::bad_close_if_silent},
    Row{S::terminate, E::llp_lost, S::error, resets, R::bad_close_if_silent},
    Row{S::terminate, E::llp_timeout, S::error, resets, R::bad_close_if_silent},
    Row{S::terminate, E::llp_close_done, S::error, gone},

    Row{S::closing, E::modify_idle, S::closing, refuse},
    Row{S::closing, E::modify_rts, S::closing, refuse},
    Row{S::closing, E::modify_closing, S::closing, refuse},
    Row{S::closing, E::modify_terminate, S::closing, refuse},
    Row{S::closing, E::modify_error, S::closing, refuse},
    // PostSQ: the Immediate Error of two choices. PostRQ: enqueued and flushed.
    Row{S::closing, E::post_sq, S::closing, refuse},
    Row{S::closing, E::post_rq, S::closing, flush_rq},
    Row{S::closing, E::segment, S::error, resets, R::bad_close},
    Row{S::closing, E::segment_error, S::error, resets, R::bad_close},
    Row{S::closing, E::llp_error, S::error, resets, R::bad_close},
    // Both MAYs of the row: the event is made, the message kept.
    Row{S::closing, E::terminate, S::error, resets | keep_terminate, R::bad_close},
    Row{S::closing, E::closing_with_work, S::error, resets, R::bad_close},
    Row{S::closing, E::llp_reset, S::error, gone, R::connection_lost},
    Row{S::closing, E::llp_lost, S::error, resets, R::connection_lost},
    Row{S::closing, E::llp_timeout, S::error, resets, R::connection_lost},
    Row{S::closing, E::llp_close_done, S::idle, unbind, R::close_complete},

    // … unless WQEs are still being flushed: then it is refused (figure 10).
    Row{S::error, E::modify_idle, S::idle, attributes},
    Row{S::error, E::modify_rts, S::error, refuse},
    Row{S::error, E::modify_closing, S::error, refuse},
    Row{S::error, E::modify_terminate, S::error, refuse},
    Row{S::error, E::modify_error, S::error, refuse},
    Row{S::error, E::post_sq, S::error, refuse},
    Row{S::error, E::post_rq, S::error, refuse},
};

constexpr std::array state_names = {"Idle", "RTS", "Closing", "Terminate", "Error"};
constexpr std::array event_names = {
    "Modify QP to Idle",
    "Modify QP to RTS",
    "Modify QP to Closing",
    "Modify QP to Terminate",
    "Modify QP to Error",
    "PostSQ",
    "PostRQ",
    "SQ WQE ready",
    "SQ WQE fails",
    "RQ WQE fails",
    "local error",
    "segment arrives",
    "Terminate arrives",
    "bad segment",
    "start-up is rejected",
    "MPA error",
    "LLP Reset arrives",
    "LLP lost",
    "LLP close times out",
    "LLP Close arrives, work left",
    "LLP Close arrives",
    "LLP Close done",
    "work left in Closing",
};
static_assert(state_names.size() == qp_state_count && event_names.size() == qp_event_count);

constexpr std::array<const char*, action::count> action_words = {
    "Immediate Error",    "ignored",        "attributes", "bind LLP",  "enqueue",    "process",  "stop",
    "keep the Terminate", "send Terminate", "LLP Close",  "LLP Reset", "unbind LLP", "flush SQ", "flush RQ"};

constexpr std::array report_words = {"",
                                     "event: the cause's",
                                     "event: LLP Close Complete",
                                     "event: Bad Close",
                                     "event: Bad Close, unless an earlier event reported the error",
                                     "event: LLP Connection Lost"};

std::string words_of(const QpTransition& transition) {
  std::string words;
  const auto add = [&words](const char* word) {
    if (!words.empty()) words += ", ";
    words += word;
  };
  for (unsigned bit = 0; bit < action::count; ++bit) {
    if ((transition.actions & 1U << bit) != 0) add(action_words[bit]);
  }
  if (transition.report != QpReport::none) add(report_words[static_cast<std::size_t>(transition.report)]);
  return words;
}

}  // namespace

QpTransition transition(QpState state, QpEvent event) noexcept {
  for (const Row& row : table) {
    if (row.state == state && row.event == event) return {row.next, row.actions, row.report};
  }
  return {state, ignore, QpReport::none};
}

const char* name_of(QpState state) noexcept {
  return state_names[static_cast<std::size_t>(state)];
}
const char* name_of(QpEvent event) noexcept {
  return event_names[static_cast<std::size_t>(event)];
}

std::string draw_qp_machine() {
  std::string out = "```mermaid\nstateDiagram-v2\n    [*] --> Idle: Create QP\n";
  for (const Row& row : table) {
    if (row.state == row.next) continue;
    out += std::string("    ") + name_of(row.state) + " --> " + name_of(row.next) + ": " +
           name_of(row.event) + "\n";
  }
  out += "```\n\n| state | event | what is done | next state |\n|---|---|---|---|\n";
  for (unsigned state = 0; state < qp_state_count; ++state) {
    for (unsigned event = 0; event < qp_event_count; ++event) {
      const QpTransition to = transition(static_cast<QpState>(state), static_cast<QpEvent>(event));
      if (to.actions == ignore) continue;
      out += std::string("| ") + name_of(static_cast<QpState>(state)) + " | " +
             name_of(static_cast<QpEvent>(event)) + " | " + words_of(to) + " | " + name_of(to.next) + " |\n";
    }
  }
  return out;
}

}  // namespace iwarp::rnic
