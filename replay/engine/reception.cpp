// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/reception.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include <iwarp/wire/mpa.hpp>

namespace iwarp::replay {
namespace {

enum class Said : std::uint8_t {
  too_little,
  request,  // or what is meant for one: its faults are the stream's
  other
};

// RFC 5044 §7.1.1. A frame that begins as MPA's do is one, whatever is wrong with the rest.
Said said(ByteView octets) noexcept {
  constexpr std::size_t name_size = 4;  // "MPA "
  const std::size_t compared = std::min(octets.size(), name_size);
  if (std::memcmp(octets.data(), wire::request_key, compared) != 0) return Said::other;
  if (octets.size() < wire::startup_header_size) return Said::too_little;
  const std::size_t length = load_be16(octets.data() + wire::startup_header_size - 2);
  const bool whole = length > wire::max_private_data || octets.size() >= wire::startup_header_size + length;
  return whole ? Said::request : Said::too_little;
}

// A transport whose first octets were received before.
class Introduced final : public Transport {
 public:
  Introduced(std::unique_ptr<Transport> transport, std::size_t max_segment, Bytes octets)
      : transport_(std::move(transport)), max_segment_(max_segment), octets_(std::move(octets)) {
    local_ = transport_->local();
    peer_ = transport_->peer();
  }

  std::size_t send(ByteView octets) override { return transport_->send(octets); }
  Received receive() override {
    if (const std::size_t segment = std::exchange(max_segment_, 0); segment != 0)
      return {.arrival = Arrival::established, .max_segment = segment};
    if (!std::exchange(told_, true)) return {.arrival = Arrival::octets, .octets = octets_};
    octets_ = {};
    return transport_->receive();
  }
  void close(Close how) override { transport_->close(how); }
  const Transport& original() const noexcept override { return *transport_; }

 private:
  std::unique_ptr<Transport> transport_;
  std::size_t max_segment_;
  Bytes octets_;
  bool told_ = false;
};

}  // namespace

void Reception::note_ready(const Transport& transport) {
  const auto found = places_.find(&transport);
  if (found != places_.end()) found->second->unread = true;
}

void Reception::accept(TimeNs now) {
  while (std::unique_ptr<Transport> transport = listener_.accept()) {
    const Place place = waiting_.insert(waiting_.end(), Waiting{std::move(transport), {}, 0, now});
    places_.emplace(place->transport.get(), place);
    const IpAddress& address = place->transport->peer().address;
    if (!options_.only.empty() && std::ranges::find(options_.only, address) == options_.only.end()) {
      turn_away(place, Why::address);
    } else if (waiting_.size() > options_.most) {
      make_room();
    }
  }
}

// Whoever came before and has asked by now stays, though nobody has listened yet.
void Reception::make_room() {
  const std::size_t before = waiting_.size();
  for (Place place = waiting_.begin(); place != waiting_.end();) {
    const Place here = place++;
    if (!here->asks && here->unread && listen(here)) here->asks = true;
    if (waiting_.size() < before) return;
    if (!here->asks) return turn_away(here, Why::crowd);
  }
  turn_away(std::prev(waiting_.end()), Why::crowd);
}

bool Reception::listen(Place place) {
  for (;;) {
    const Received received = place->transport->receive();
    switch (received.arrival) {
      case Arrival::nothing: place->unread = false; return false;
      case Arrival::established: place->max_segment = received.max_segment; break;
      case Arrival::octets:
        place->octets.insert(place->octets.end(), received.octets.begin(), received.octets.end());
        switch (said(place->octets)) {
          case Said::too_little: break;
          case Said::request: return true;
          case Said::other: turn_away(place, Why::other); return false;
        }
        break;
      case Arrival::closed:
      case Arrival::reset:
      case Arrival::lost: turn_away(place, Why::left); return false;
    }
  }
}

std::unique_ptr<Transport> Reception::next(TimeNs now) {
  accept(now);
  for (Place place = waiting_.begin(); place != waiting_.end();) {
    const Place here = place++;
    if (here->asks || (here->unread && listen(here))) return take(here);
  }
  while (!waiting_.empty() && now - waiting_.front().since >= options_.patience)
    turn_away(waiting_.begin(), Why::slow);
  return nullptr;
}

TimeNs Reception::next_due() const noexcept {
  if (waiting_.empty()) return never;
  const TimeNs since = waiting_.front().since;
  return options_.patience < never - since ? since + options_.patience : never;
}

void Reception::turn_away(Place place, Why why) {
  Count& count = turned_away_[static_cast<std::size_t>(why)];
  if (count.connections++ == 0) count.first = place->transport->peer();
  places_.erase(place->transport.get());
  waiting_.erase(place);
}

std::unique_ptr<Transport> Reception::take(Place place) {
  places_.erase(place->transport.get());
  auto transport =
      std::make_unique<Introduced>(std::move(place->transport), place->max_segment, std::move(place->octets));
  waiting_.erase(place);
  return transport;
}

std::vector<std::string> Reception::turned_away() const {
  constexpr std::array<const char*, static_cast<std::size_t>(Why::count)> reasons = {
      "from an address that --accept-only leaves out", "closed without a whole MPA Request",
      "with something else than an MPA Request", "without a whole MPA Request in time",
      "because too many waited"};
  std::vector<std::string> out;
  for (std::size_t why = 0; why < reasons.size(); ++why) {
    Count count = turned_away_[why];
    if (why == static_cast<std::size_t>(Why::slow) && !waiting_.empty()) {  // by now
      if (count.connections == 0) count.first = waiting_.front().transport->peer();
      count.connections += waiting_.size();
    }
    if (count.connections == 0) continue;
    out.push_back("turned away: " + std::to_string(count.connections) + " connection" +
                  (count.connections == 1 ? "" : "s") + " " + reasons[why] + ", the first from " +
                  to_string(count.first));
  }
  return out;
}

}  // namespace iwarp::replay
