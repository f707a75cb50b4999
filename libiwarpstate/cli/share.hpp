// Share: follows connections of one capture, all of them or those that one thread of several is given; writes
// the records that were asked for, or collects for the report, and sums up.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/diagnosis.hpp>
#include <iwarp/export/record.hpp>
#include <iwarp/export/report.hpp>
#include <iwarp/export/summary.hpp>
#include <iwarp/export/text_buffer.hpp>
#include <iwarp/latency_parts.hpp>
#include <iwarp/stags.hpp>

#include "host_output.hpp"
#include "message_hasher.hpp"
#include "options.hpp"

namespace iwarp::cli {

// Text that is written when it has grown so long, in octets.
inline constexpr std::size_t much_text = 256U << 10U;
// … and that several threads say of what they let go before it is written.
inline constexpr std::size_t most_said = 4U << 20U;
// What a report collects of a part of a capture is as a rule fewer.
inline constexpr std::size_t many_entries = 4096;

class Share {
 public:
  // What is said of a capture by several shares at once, each in the order of its own events.
  struct Said {
    TextBuffer text;
    std::vector<Report::Entry> entries;
    std::vector<HostFact> host_facts;

    // Keeps memory for what is said as a rule: records of all messages of a batch, too.
    void clear() noexcept {
      constexpr std::size_t text_kept = 2U << 20U;
      if (text.size() > text_kept) text = {};
      if (entries.size() > many_entries) entries = {};
      if (host_facts.size() > many_entries) host_facts = {};
      text.clear();
      entries.clear();
      host_facts.clear();
    }
  };

  // All connections of the capture which is that of options.captures: what is written goes to `write`
  // whenever it is much, and with flush(). REQUIRES: the references outlive this.
  Share(const Options& options, std::size_t capture, bool color, std::function<void(std::string_view)> write);
  // Some of them: what is said goes to set_said(). `number_of` gives a connection its number in the capture.
  Share(const Options& options, std::size_t capture, std::function<ConnectionId(ConnectionId)> number_of);
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  void set_said(Said& said) noexcept {
    said_ = &said;
    whole_ = said.text.size();
  }

  // Of a share of all connections: those that are due are closed one by one before it, since until the events
  // of its end are read a connection has its whole state, and a pause in a capture makes all that ended
  // before due.
  void add(const TcpSegment& segment) { add_any(segment); }
  void add(const SctpPacket& packet) { add_any(packet); }
  void take(Events events);
  // The first of those of a call that is not over: see AnalyzerOptions::take_portion.
  void take_early(Events events);
  // To be called behind each portion.
  void set_behind_portion(std::function<void()> behind) { behind_portion_ = std::move(behind); }
  // Whether so much was taken since this was asked last that memory is worth a look.
  [[nodiscard]] bool has_taken_much() noexcept {
    constexpr std::uint64_t much = std::uint64_t{1} << 16U;  // events
    if (taken_ < much) return false;
    taken_ = 0;
    return true;
  }
  // What is left of hosts, where all connections are over.
  void finish_hosts() {
    hosts_.finish(text(), [this] { flush_much(); });
  }
  [[nodiscard]] HostOutput& hosts() noexcept { return hosts_; }
  // Closes what is left of the connections below `end`, in order of their ids. Of a share that is spent: what
  // is known of them, as they stand.
  void finish(ConnectionId end = ~ConnectionId{0});
  // Keeps the program below --max-memory; false: it cannot.
  [[nodiscard]] bool fits_memory();
  // Calls what analyses or prints. Where memory ends within it what was said keeps its whole records, and the
  // share is spent: its analyzer, in the middle of something, must not go on.
  template <typename Step>
  void attempt(const Step& step) {
    try {
      step();
    } catch (const std::bad_alloc&) {
      spent_ = true;
      text().truncate(whole_);
    }
  }
  [[nodiscard]] bool spent() const noexcept { return spent_; }
  [[nodiscard]] bool memory_is_short() const noexcept;  // --max-memory is nearly reached
  // Where memory is short: lets go of what is idle longest until it is not, of at most so many `connections`
  // and an eighth, and until it has said much that nobody has written. False: nothing is left to let go, and
  // memory is above its limit.
  [[nodiscard]] bool lets_enough_go(std::size_t connections);
  // Lets everything go.
  void let_go_all();
  void flush();

  // --state-at: prints the states of the streams known by now. Later, take() prints those of connections that
  // turn out to be iWARP.
  void print_states();
  [[nodiscard]] bool states_due() const noexcept { return states_due_; }
  [[nodiscard]] bool states_printed() const noexcept { return states_printed_; }
  [[nodiscard]] bool states_undecided() const noexcept { return !undecided_.empty(); }

  [[nodiscard]] Analyzer& analyzer() noexcept { return analyzer_; }
  [[nodiscard]] const Analysis& analysis() const noexcept { return analyzer_.analysis(); }
  [[nodiscard]] Summary& summary() noexcept { return summary_; }
  [[nodiscard]] Report& report() noexcept { return report_; }
  [[nodiscard]] TextBuffer& text() noexcept { return said_->text; }
  // The one of --stream is iWARP.
  [[nodiscard]] bool stream_found() const noexcept { return stream_found_; }
  // Writes the record if it is wanted.
  void print(Record record);

 private:
  template <typename Captured>
  void add_any(const Captured& captured);
  void take_portion(Events events);
  [[nodiscard]] ConnectionId number_of(ConnectionId connection);
  [[nodiscard]] bool is_of_stream(ConnectionId connection) {
    return !options_.stream || number_of(connection) == *options_.stream;
  }
  // Of connections that were let go or have ended: it fills memory until it is written.
  [[nodiscard]] bool has_said_much() noexcept { return text().size() >= most_said; }
  // Connections that may be let go.
  [[nodiscard]] std::size_t kept() const noexcept { return analysis().followed() + analysis().remembered(); }
  void let_go(std::size_t connections);
  void take_as_they_stand(ConnectionId end);
  void take_for_report(const Event& event, const ConnectionState* connection);
  void take_record(const Event& event);
  void diagnose(const Event& event, const ConnectionState* connection);
  void print_deliveries(const Event& event, const ConnectionState* connection);
  void take_stags(const Event& event, const ConnectionState* connection);
  // What the event shows of hosts.
  void take(const HostFact& fact);
  // Of a share of all connections: what one connection, or one call of take(), shows of hosts stands behind
  // everything else of that, as it does where shares are put together.
  void print_hosts();
  void flush_much() {
    if (write_ && text().size() >= much_text) flush();
  }
  void print_state_record(TextBuffer& out, const ConnectionState& connection, FrameNumber frame);
  void print_recognised(const Event& event, const ConnectionState* connection);

  const Options& options_;
  const std::size_t capture_;  // of options_.captures
  const std::string name_;     // as people and scripts read it
  const bool color_;
  const std::size_t max_memory_;
  const std::function<void(std::string_view)> write_;            // empty: whoever set said_ takes it
  const std::function<ConnectionId(ConnectionId)> find_number_;  // empty: ids are numbers
  std::vector<std::optional<ConnectionId>> numbers_;             // found before
  Said own_said_;
  Said* said_ = &own_said_;
  std::size_t whole_ = 0;  // octets of text() that are whole records
  bool spent_ = false;
  ConnectionId taken_as_they_stand_ = 0;
  TimeNs latest_ns_ = std::numeric_limits<TimeNs>::min();  // of the segments added
  Analyzer analyzer_;
  LatencyTracker latencies_;
  Diagnosis diagnosis_;
  DeliveryTracker deliveries_;
  StagReader stag_reader_;
  Summary summary_;
  Report report_;
  HostOutput hosts_;    // of a share of all connections
  const bool hashing_;  // message records show the SHA-256 of their octets
  MessageHasher hasher_;
  bool stream_found_ = false;
  std::function<void()> behind_portion_;
  std::uint64_t taken_ = 0;               // events, since has_taken_much()
  std::optional<ConnectionId> taken_of_;  // whose event was taken last: seldom do those of one call differ
  bool states_due_;                       // --state-at is still to come
  bool states_printed_ = false;
  // What connections were at --state-at that were not known to be iWARP then.
  std::map<ConnectionId, ConnectionState> undecided_;
};

}  // namespace iwarp::cli
