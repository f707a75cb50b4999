// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/simulated_network.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include <iwarp/fifo.hpp>

namespace iwarp::replay {
namespace {

constexpr std::uint16_t first_ephemeral_port = 49152;   // RFC 6335 §6
constexpr std::size_t link_overhead = 14 + 4 + 8 + 12;  // of a frame: Ethernet, FCS, preamble, gap
constexpr std::size_t headers = 40 + 20;

[[noreturn]] void fail(std::errc why, const std::string& what) {
  throw std::system_error(std::make_error_code(why), what);
}

bool is_any(const IpAddress& address) noexcept {
  return std::all_of(address.octets.begin(), address.octets.end(), [](Byte octet) { return octet == 0; });
}

}  // namespace

class SimulatedNetwork::Core {
 public:
  explicit Core(const SimulatedOptions& options)
      : options_(options),
        now_(options.start),
        random_(options.seed),
        injector_(options.faults, random_.next(), pool_) {}

  class Host;
  class Transport;
  class Listener;

  // One end of a connection. Owned by connections_ until it is over, and by its transport.
  struct End {
    End(TcpConnection connection, Host& on) : tcp(std::move(connection)), host(on) {}
    TcpConnection tcp;
    Host& host;
    Listener* pending_at = nullptr;  // until somebody accepts it
    Transport* transport = nullptr;
    bool listed = false;      // in host.ready_
    bool queued = false;      // in pending_at->established_
    TimeNs timer_at = never;  // of the earliest timer event in the queue
  };
  using EndHandle = std::shared_ptr<End>;

  [[nodiscard]] Host& host(const IpAddress& address);
  [[nodiscard]] bool wait(TimeNs deadline);
  void pump(const EndHandle& end);
  [[nodiscard]] EndHandle new_end(Host& on, const TcpOptions& options, const Endpoint& local,
                                  const Endpoint& peer);
  [[nodiscard]] bool taken(const Endpoint& local, const Endpoint& peer) const {
    return connections_.contains({local, peer});
  }
  void abandon_pending(const Listener& listener);

  SimulatedOptions options_;
  TimeNs now_;
  std::vector<CapturePoint*> middle_ = {};
  std::uint64_t dropped_ = 0;

  std::map<std::size_t, Host*> ready_hosts_ = {};  // by number: those whose ready() has something

  using Key = std::pair<Endpoint, Endpoint>;  // local, peer
  std::map<Key, EndHandle> connections_ = {};

 private:
  struct Event {
    enum class Kind : std::uint8_t {
      arrival,
      middle,
      timer,
      injector
    };
    TimeNs at = 0;
    std::uint64_t serial = 0;  // events of the same time happen in the order in which they were made
    Kind kind = Kind::timer;
    TimeNs arrival_at = 0;
    PacketPool::Handle packet = {};
    std::weak_ptr<End> end = {};
    [[nodiscard]] bool operator<(const Event& other) const noexcept {  // for a heap with the earliest first
      return at != other.at ? at > other.at : serial > other.serial;
    }
  };

  void push(Event event);
  void handle(Event& event);
  void dispatch(Host& from, PacketPool::Handle packet);
  void enter(TimeNs departure, std::vector<FaultInjector::Passed>& passed);
  void arrive(PacketPool::Handle packet);
  void answer_stranger(Host& host, const Packet& packet);
  void open_passively(Listener& listener, const Packet& syn);
  void settle(const EndHandle& end);

  Random random_;
  PacketPool pool_ = {};
  FaultInjector injector_;
  TimeNs injector_at_ = never;
  std::vector<Event> events_ = {};  // a heap
  std::uint64_t next_serial_ = 0;
  std::vector<FaultInjector::Passed> passed_ = {};
  std::map<IpAddress, std::unique_ptr<Host>> hosts_ = {};
  bool happened_ = false;

 public:
  [[nodiscard]] const FaultInjector& injector() const noexcept { return injector_; }
};

class SimulatedNetwork::Core::Host final : public Network {
 public:
  Host(Core& core, std::size_t number, const IpAddress& address, const TcpOptions& options,
       std::uint64_t seed)
      : core_(core), number_(number), address_(address), options_(options), random_(seed) {
    identification_ = static_cast<std::uint16_t>(random_.next());
    next_port_ =
        static_cast<std::uint16_t>(first_ephemeral_port + random_.below(65536 - first_ephemeral_port));
  }

  [[nodiscard]] TimeNs now() const override { return core_.now_; }
  bool wait(TimeNs deadline) override { return core_.wait(deadline); }
  [[nodiscard]] replay::Transport* ready() override;
  void ready_networks(std::vector<Network*>& out) override {
    for (const auto& [number, host] : core_.ready_hosts_) out.push_back(host);
  }
  [[nodiscard]] std::unique_ptr<replay::Transport> connect(const Endpoint& peer) override;
  [[nodiscard]] std::unique_ptr<replay::Listener> listen(const Endpoint& local) override;

  [[nodiscard]] std::uint16_t free_port(const Endpoint* peer);
  [[nodiscard]] std::uint16_t next_identification() noexcept {
    if (++identification_ == 0) ++identification_;  // 0 tells nothing of a packet (RFC 6864)
    return identification_;
  }
  void list(End& end);
  void unlist(End& end);

  Core& core_;
  std::size_t number_;
  IpAddress address_;
  TcpOptions options_;
  Random random_;
  std::map<std::uint16_t, Listener*> listeners_ = {};
  std::vector<CapturePoint*> points_ = {};
  Fifo<Transport*> ready_ = {};
  TimeNs link_free_at_ = 0;
  TimeNs last_arrival_ = 0;
  std::uint16_t identification_ = 0;
  std::uint16_t next_port_ = 0;
};

class SimulatedNetwork::Core::Listener final : public replay::Listener {
 public:
  Listener(Host& host, const Endpoint& local) : host_(host), local_(local) {
    host_.listeners_[local.port] = this;
  }
  ~Listener() override {
    host_.listeners_.erase(local_.port);
    host_.core_.abandon_pending(*this);
  }
  [[nodiscard]] std::unique_ptr<replay::Transport> accept() override;
  [[nodiscard]] Endpoint local() const override { return local_; }

  Host& host_;
  Endpoint local_;
  Fifo<EndHandle> established_ = {};
  std::size_t pending_ = 0;  // established or half-open, not accepted
};

class SimulatedNetwork::Core::Transport final : public replay::Transport {
 public:
  explicit Transport(EndHandle end) : end_(std::move(end)) {
    end_->transport = this;
    local_ = end_->tcp.local();
    peer_ = end_->tcp.peer();
  }
  ~Transport() override {
    end_->host.unlist(*end_);
    end_->transport = nullptr;
    end_->tcp.detach(core().now_);
    core().pump(end_);
  }
  std::size_t send(ByteView octets) override {
    const std::size_t taken = end_->tcp.send(octets);
    core().pump(end_);
    return taken;
  }
  [[nodiscard]] Received receive() override {
    const Received received = end_->tcp.receive();
    core().pump(end_);
    return received;
  }
  void close(Close how) override {
    end_->tcp.close(how);
    core().pump(end_);
  }
  [[nodiscard]] End& end() noexcept { return *end_; }

 private:
  [[nodiscard]] Core& core() const noexcept { return end_->host.core_; }
  EndHandle end_;
};

// --- host ----------------------------------------------------------------------------------------------

replay::Transport* SimulatedNetwork::Core::Host::ready() {
  if (ready_.empty()) return nullptr;
  Transport* const transport = ready_.front();
  ready_.pop_front();
  if (ready_.empty()) core_.ready_hosts_.erase(number_);
  transport->end().listed = false;
  return transport;
}

void SimulatedNetwork::Core::Host::list(End& end) {
  if (end.listed || end.transport == nullptr) return;
  end.listed = true;
  if (ready_.empty()) core_.ready_hosts_.emplace(number_, this);
  ready_.push_back(end.transport);
}

void SimulatedNetwork::Core::Host::unlist(End& end) {
  if (!std::exchange(end.listed, false)) return;
  const auto at = std::find(ready_.begin(), ready_.end(), end.transport);
  ready_.erase(static_cast<std::size_t>(at - ready_.begin()));
  if (ready_.empty()) core_.ready_hosts_.erase(number_);
}

std::uint16_t SimulatedNetwork::Core::Host::free_port(const Endpoint* peer) {
  constexpr std::size_t ports = 65536 - first_ephemeral_port;
  for (std::size_t tried = 0; tried < ports; ++tried) {
    const std::uint16_t port = next_port_;
    next_port_ = next_port_ == 65535 ? first_ephemeral_port : static_cast<std::uint16_t>(next_port_ + 1);
    if (listeners_.contains(port)) continue;
    if (peer == nullptr || !core_.taken({address_, port}, *peer)) return port;
  }
  fail(std::errc::address_not_available, "no free port at " + to_string(address_));
}

std::unique_ptr<replay::Transport> SimulatedNetwork::Core::Host::connect(const Endpoint& peer) {
  if (peer.address.version != address_.version || peer.port == 0) {
    fail(std::errc::address_not_available, "connect from " + to_string(address_) + " to " + to_string(peer));
  }
  const EndHandle end = core_.new_end(*this, options_, {address_, free_port(&peer)}, peer);
  auto transport = std::make_unique<Transport>(end);
  end->tcp.open(core_.now_);
  core_.pump(end);
  return transport;
}

std::unique_ptr<replay::Listener> SimulatedNetwork::Core::Host::listen(const Endpoint& local) {
  if (local.address != address_ && !is_any(local.address)) {
    fail(std::errc::address_not_available, "listen on " + to_string(local));
  }
  const std::uint16_t port = local.port == 0 ? free_port(nullptr) : local.port;
  if (listeners_.contains(port)) fail(std::errc::address_in_use, "listen on " + to_string(local));
  return std::make_unique<Listener>(*this, Endpoint{address_, port});
}

std::unique_ptr<replay::Transport> SimulatedNetwork::Core::Listener::accept() {
  if (established_.empty()) return nullptr;
  EndHandle end = std::move(established_.front());
  established_.pop_front();
  --pending_;
  end->pending_at = nullptr;
  return std::make_unique<Transport>(std::move(end));
}

// --- core ----------------------------------------------------------------------------------------------

SimulatedNetwork::Core::Host& SimulatedNetwork::Core::host(const IpAddress& address) {
  std::unique_ptr<Host>& host = hosts_[address];
  if (!host) host = std::make_unique<Host>(*this, hosts_.size(), address, options_.tcp, random_.next());
  return *host;
}

SimulatedNetwork::Core::EndHandle SimulatedNetwork::Core::new_end(Host& on, const TcpOptions& options,
                                                                  const Endpoint& local,
                                                                  const Endpoint& peer) {
  if (connections_.size() >= options_.max_connections) {
    fail(std::errc::no_buffer_space, "connection from " + to_string(local) + " to " + to_string(peer));
  }
  const auto sequence = static_cast<std::uint32_t>(on.random_.next());
  auto end = std::make_shared<End>(TcpConnection(options, local, peer, sequence), on);
  connections_[{local, peer}] = end;
  return end;
}

void SimulatedNetwork::Core::abandon_pending(const Listener& listener) {
  if (listener.pending_ == 0) return;
  std::vector<EndHandle> abandoned;
  for (const auto& [key, end] : connections_) {
    if (end->pending_at == &listener) abandoned.push_back(end);
  }
  for (const EndHandle& end : abandoned) {
    end->pending_at = nullptr;
    end->tcp.detach(now_);
    pump(end);
  }
}

void SimulatedNetwork::Core::push(Event event) {
  event.serial = next_serial_++;
  events_.push_back(std::move(event));
  std::push_heap(events_.begin(), events_.end());
}

bool SimulatedNetwork::Core::wait(TimeNs deadline) {
  happened_ = false;
  while (!happened_) {
    if (events_.empty() || events_.front().at > deadline) {
      if (deadline != never) now_ = std::max(now_, deadline);
      return false;
    }
    std::pop_heap(events_.begin(), events_.end());
    Event event = std::move(events_.back());
    events_.pop_back();
    now_ = std::max(now_, event.at);
    handle(event);
  }
  return true;
}

void SimulatedNetwork::Core::handle(Event& event) {
  switch (event.kind) {
    case Event::Kind::arrival: return arrive(std::move(event.packet));
    case Event::Kind::middle:
      for (CapturePoint* const point : middle_) point->captured(*event.packet, now_);
      return push({.at = event.arrival_at, .kind = Event::Kind::arrival, .packet = std::move(event.packet)});
    case Event::Kind::injector:
      if (injector_at_ != event.at) return;
      injector_at_ = never;
      injector_.release(now_, passed_);
      return enter(now_, passed_);
    case Event::Kind::timer: {
      const EndHandle end = event.end.lock();
      if (!end || end->timer_at != event.at) return;
      end->timer_at = never;
      if (end->tcp.deadline() <= now_) end->tcp.handle_timeout(now_);
      return pump(end);
    }
  }
}

// Sends what there is to send, and settles what came of it.
void SimulatedNetwork::Core::pump(const EndHandle& end) {
  for (;;) {
    PacketPool::Handle packet = pool_.take();
    if (!end->tcp.poll_output(*packet, now_)) break;
    dispatch(end->host, std::move(packet));
  }
  settle(end);
}

void SimulatedNetwork::Core::settle(const EndHandle& end) {
  if (end->tcp.take_news()) {
    if (end->transport != nullptr) {
      end->host.list(*end);
      happened_ = true;
    } else if (end->pending_at != nullptr && end->tcp.established()) {
      if (!std::exchange(end->queued, true)) end->pending_at->established_.push_back(end);
      happened_ = true;
    }
  }
  if (end->tcp.over()) {
    if (end->pending_at != nullptr && !end->queued) {  // it never got that far
      --end->pending_at->pending_;
      end->pending_at = nullptr;
    }
    const auto found = connections_.find({end->tcp.local(), end->tcp.peer()});
    if (found != connections_.end() && found->second == end) connections_.erase(found);
    return;
  }
  const TimeNs due = end->tcp.deadline();
  if (due >= end->timer_at) return;
  end->timer_at = due;
  push({.at = due, .kind = Event::Kind::timer, .end = end});
}

void SimulatedNetwork::Core::dispatch(Host& from, PacketPool::Handle packet) {
  if (packet->source.address.version == 4) packet->identification = from.next_identification();
  for (CapturePoint* const point : from.points_) point->captured(*packet, now_);
  if (pool_.in_use() > options_.max_packets) {
    ++dropped_;
    return;
  }
  TimeNs departure = now_;
  if (options_.bits_per_second > 0) {
    const std::uint64_t bits = 8 * (packet->payload.size() + headers + link_overhead);
    departure = std::max(now_, from.link_free_at_) +
                static_cast<TimeNs>(bits * 1'000'000'000U / options_.bits_per_second);
    from.link_free_at_ = departure;
  }
  injector_.pass(std::move(packet), departure, passed_);
  enter(departure, passed_);
  const TimeNs due = injector_.deadline();
  if (due < injector_at_) {
    injector_at_ = due;
    push({.at = due, .kind = Event::Kind::injector});
  }
}

void SimulatedNetwork::Core::enter(TimeNs departure, std::vector<FaultInjector::Passed>& passed) {
  for (FaultInjector::Passed& each : passed) {
    const auto found = hosts_.find(each.packet->destination.address);
    if (found == hosts_.end()) {
      ++dropped_;
      continue;
    }
    TimeNs arrival = departure + each.delay;
    if (each.keeps_order) {
      arrival = std::max(arrival, found->second->last_arrival_);
      found->second->last_arrival_ = arrival;
    }
    if (middle_.empty()) {
      push({.at = arrival, .kind = Event::Kind::arrival, .packet = std::move(each.packet)});
    } else {
      push({.at = departure + (arrival - departure) / 2,
            .kind = Event::Kind::middle,
            .arrival_at = arrival,
            .packet = std::move(each.packet)});
    }
  }
  passed.clear();
}

void SimulatedNetwork::Core::arrive(PacketPool::Handle packet) {
  Host& host = *hosts_.at(packet->destination.address);
  const bool own = packet->source.address == packet->destination.address;  // was seen when it left
  if (!own) {
    for (CapturePoint* const point : host.points_) point->captured(*packet, now_);
  }
  if (packet->checksum_wrong) return;
  const auto found = connections_.find({packet->destination, packet->source});
  if (found == connections_.end()) return answer_stranger(host, *packet);
  const EndHandle end = found->second;
  if (!end->tcp.handle_segment(*packet, now_)) return answer_stranger(host, *packet);
  pump(end);
}

void SimulatedNetwork::Core::answer_stranger(Host& host, const Packet& packet) {
  if (packet.has(tcp::rst)) return;
  const auto listener = host.listeners_.find(packet.destination.port);
  if (packet.has(tcp::syn) && !packet.has(tcp::ack) && listener != host.listeners_.end()) {
    return open_passively(*listener->second, packet);
  }
  // RFC 9293 §3.10.7.1
  PacketPool::Handle reset = pool_.take();
  reset->source = packet.destination;
  reset->destination = packet.source;
  reset->flags = tcp::rst;
  if (packet.has(tcp::ack)) {
    reset->sequence = packet.acknowledgement;
  } else {
    reset->flags |= tcp::ack;
    reset->acknowledgement = packet.sequence + packet.sequence_length();
  }
  dispatch(host, std::move(reset));
}

void SimulatedNetwork::Core::open_passively(Listener& listener, const Packet& syn) {
  if (listener.pending_ >= options_.backlog || connections_.size() >= options_.max_connections) {
    ++dropped_;
    return;
  }
  const EndHandle end = new_end(listener.host_, listener.host_.options_, syn.destination, syn.source);
  end->pending_at = &listener;
  ++listener.pending_;
  end->tcp.accept(syn, now_);
  pump(end);
}

// --- outside -------------------------------------------------------------------------------------------

SimulatedNetwork::SimulatedNetwork(const SimulatedOptions& options)
    : core_(std::make_unique<Core>(options)) {}
SimulatedNetwork::~SimulatedNetwork() = default;

Network& SimulatedNetwork::host(const IpAddress& address) {
  return core_->host(address);
}

Network& SimulatedNetwork::host(const IpAddress& address, const TcpOptions& options) {
  Core::Host& host = core_->host(address);
  host.options_ = options;
  return host;
}

void SimulatedNetwork::capture_at(const IpAddress& host, CapturePoint& point) {
  core_->host(host).points_.push_back(&point);
}

void SimulatedNetwork::capture_in_the_middle(CapturePoint& point) {
  core_->middle_.push_back(&point);
}

const FaultInjector& SimulatedNetwork::faults() const noexcept {
  return core_->injector();
}
std::uint64_t SimulatedNetwork::packets_dropped() const noexcept {
  return core_->dropped_;
}
std::size_t SimulatedNetwork::connections() const noexcept {
  return core_->connections_.size();
}

}  // namespace iwarp::replay
