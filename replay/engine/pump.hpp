// Pump: moves octets between transports and the soft-RNICs' LLP Streams: what arrives goes in, what the RNIC
// says goes out, closes both ways, timeouts. It never blocks; who waits on the network calls run() behind it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "rnic/soft_rnic.hpp"
#include "transport/network.hpp"

namespace iwarp::replay {

class Link;

// Who the stream belongs to: told when something may have changed.
class LinkUser {
 public:
  // TCP is there: to be answered with Link::start().
  virtual void on_established(Link& link, std::size_t max_segment) = 0;
  // Octets or a close went in, an FPDU went out, or time passed: completions and events may be there.
  virtual void on_activity(Link& link) = 0;
  virtual void on_peer_closed(Link& link) = 0;  // its FIN, RST, or nothing to hear of it any more
  virtual void on_over(Link& link) = 0;         // nothing will come or go any more

 protected:
  ~LinkUser() = default;
};

class Link {
 public:
  Link(std::unique_ptr<Transport> transport, LinkUser& user, rnic::TimerHeap<Link*>& timers)
      : transport_(std::move(transport)), user_(user), timer_(timers, this) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // Everything that comes is this stream's from now on.
  void start(rnic::SoftRnic& rnic, rnic::StreamId stream) noexcept {
    rnic_ = &rnic;
    stream_ = stream;
  }
  // Where its FIN would go, it sends RST: what a recorded stack did that closed with octets unread.
  void reset_instead_of_fin() noexcept { reset_instead_ = true; }
  // What comes stays in TCP, its end, too.
  void hold(bool on) noexcept { held_ = on; }
  // What comes is taken from TCP and kept from the RNIC until this is off again, its end, too. REQUIRES:
  // Pump::touch() behind it.
  void put_by(bool on) noexcept {
    puts_by_ = on;
    unread_ = unread_ || !on;
  }
  [[nodiscard]] bool puts_by() const noexcept { return puts_by_; }
  // Octets that the RNIC said, and that came, put by or not.
  [[nodiscard]] std::uint64_t octets_said() const noexcept { return octets_said_; }
  [[nodiscard]] std::uint64_t octets_heard() const noexcept { return octets_heard_; }
  // The RNIC may have something to say that nobody has asked for yet.
  [[nodiscard]] bool busy() const noexcept { return due_ || is_served_ || !unsent_.empty(); }
  // The user is told when that is over, if only by on_activity().
  void tell_when_said() noexcept { tells_ = true; }
  [[nodiscard]] rnic::StreamId stream() const noexcept { return stream_; }
  [[nodiscard]] const Transport& transport() const noexcept { return *transport_; }
  [[nodiscard]] bool over() const noexcept { return over_; }
  [[nodiscard]] bool peer_done() const noexcept { return peer_done_; }
  // The transport has taken everything that was said.
  [[nodiscard]] bool flushed() const noexcept { return unsent_.empty(); }
  [[nodiscard]] bool fin_sent() const noexcept { return fin_sent_; }
  [[nodiscard]] bool reset_sent() const noexcept { return reset_sent_; }

 private:
  friend class Pump;

  std::unique_ptr<Transport> transport_;
  LinkUser& user_;
  rnic::SoftRnic* rnic_ = nullptr;
  rnic::StreamId stream_ = rnic::StreamId::none;
  rnic::Timer<Link*> timer_;
  Bytes unsent_ = {};  // what the transport did not take
  std::size_t max_segment_ = 0;
  bool due_ = false;        // in the pump's list
  bool unread_ = false;     // the transport may have more
  bool peer_done_ = false;  // its FIN came, or the end
  bool is_served_ = false;  // octets go in and out
  bool tells_ = false;
  bool held_ = false;
  bool puts_by_ = false;
  Bytes put_by_ = {};
  std::optional<Arrival> end_put_by_ = std::nullopt;  // behind these octets
  std::uint64_t octets_said_ = 0;
  std::uint64_t octets_heard_ = 0;
  bool reset_instead_ = false;
  bool fin_due_ = false;  // behind unsent_
  bool fin_sent_ = false;
  bool reset_sent_ = false;
  bool over_ = false;
};

class Pump {
 public:
  Pump() = default;
  Pump(const Pump&) = delete;
  Pump& operator=(const Pump&) = delete;
  // Connections that are open are closed gracefully: what the transports have taken still goes.
  ~Pump();
  Link& add(std::unique_ptr<Transport> transport, LinkUser& user);
  // The stream may have something to say.
  void touch(Link& link);
  // Takes what the network has ready. `others` gets the transports that are none of the links'.
  template <typename Others>
  void collect(Network& network, const Others& others) {
    while (const Transport* const transport = network.ready()) {
      const auto found = by_transport_.find(transport);
      if (found == by_transport_.end()) {
        others(*transport);
        continue;
      }
      note_unread(*found->second);
    }
  }
  // Moves what can be moved at the moment; of a link that brings more and more one MiB, and then it pauses:
  // whoever runs it has other things to look at.
  void run(TimeNs now);
  [[nodiscard]] bool paused() const noexcept { return paused_; }
  // When an RNIC's timer is due, by the pump's links.
  [[nodiscard]] TimeNs next_timeout();
  [[nodiscard]] bool idle() const noexcept { return due_.empty(); }
  [[nodiscard]] std::uint64_t octets_moved() const noexcept { return octets_moved_; }

 private:
  void note_unread(Link& link);
  void service(Link& link, TimeNs now);
  // False: there was nothing, or nobody to take it.
  bool receive(Link& link, TimeNs now);
  void exchange(Link& link, TimeNs now);
  void take(Link& link, const Received& received, TimeNs now);
  void put_by(Link& link, const Received& received);
  [[nodiscard]] bool take_what_was_put_by(Link& link, TimeNs now);
  void send(Link& link, TimeNs now);
  void add_octets(Link& link, ByteView octets);
  void flush(Link& link);
  static void finish(Link& link, TimeNs now);
  [[nodiscard]] static bool reset_pending(const Link& link);
  void end_peer(Link& link, rnic::StreamClose how, TimeNs now);
  static void note_timeout(Link& link);
  [[nodiscard]] Link* first_timer();
  void settle(Link& link);

  rnic::TimerHeap<Link*> timers_;
  std::vector<std::unique_ptr<Link>> links_;
  std::unordered_map<const Transport*, Link*> by_transport_;
  std::vector<Link*> due_;
  std::vector<Link*> round_;
  std::uint64_t octets_moved_ = 0;
  bool paused_ = false;
  Bytes packed_;  // FPDUs of the link being served that go in one segment
};

}  // namespace iwarp::replay
