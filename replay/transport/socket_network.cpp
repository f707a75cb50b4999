// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/socket_network.hpp"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <deque>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <iwarp/fifo.hpp>

#include "transport/file_descriptor.hpp"
#include "transport/random.hpp"
#include "transport/socket_address.hpp"
#include "transport/socket_poller.hpp"
#include "transport/socket_recorder.hpp"

namespace iwarp::replay {
namespace {

constexpr std::size_t read_size = std::size_t{256} << 10U;  // several of the longest FPDUs

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

void set(const FileDescriptor& socket, int level, int option, int value, const char* name) {
  if (setsockopt(socket.get(), level, option, &value, sizeof value) != 0) fail(errno, name);
}

std::size_t max_segment_of(int socket) noexcept {
  int value = 0;
  socklen_t size = sizeof value;
  if (getsockopt(socket, IPPROTO_TCP, TCP_MAXSEG, &value, &size) != 0 || value <= 0) return 536;
  return static_cast<std::size_t>(value);
}

// What the MSS option of its own SYN said.
std::size_t advertised_segment_of(int socket) noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || info.tcpi_advmss == 0) return 536;
  return info.tcpi_advmss;
}

int take_error(int socket) noexcept {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

// The peer's FIN or RST came.
bool is_left(int socket) noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || info.tcpi_state != TCP_ESTABLISHED;
}

void reset(FileDescriptor& socket) noexcept {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket.close();
}

// Each connection is a descriptor; the usual soft limit is 1 024.
void raise_file_limit(std::size_t connections) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, connections + 256);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
}

Arrival arrival_of(int error) noexcept {
  return error == ETIMEDOUT ? Arrival::lost : Arrival::reset;
}

}  // namespace

class SocketNetwork::Core {
 public:
  class Connection;
  class Orphan;
  class Acceptor;
  class Borrowed;
  struct Kept;

  explicit Core(const SocketOptions& options);
  ~Core();

  [[nodiscard]] bool wait(TimeNs deadline);
  void check_address(const Endpoint& endpoint, const char* verb) const;
  [[nodiscard]] FileDescriptor new_socket(const Endpoint& endpoint, const std::string& what) const;
  void prepare(const FileDescriptor& socket) const;
  [[nodiscard]] std::unique_ptr<SocketRecorder> recorder(CapturePoint* point);
  void list(Connection& connection);
  void unlist(Connection& connection);
  void adopt(FileDescriptor socket, Bytes unsent);

  [[nodiscard]] int send_flags() const noexcept {
    return options_.aligned ? MSG_NOSIGNAL | MSG_EOR : MSG_NOSIGNAL;
  }

  SocketOptions options_;
  SocketPoller poller_ = {};
  Random random_;  // sequence numbers of recordings
  Fifo<Connection*> ready_ = {};
  std::vector<std::unique_ptr<Orphan>> orphans_ = {};
  std::vector<Kept> kept_;
  std::size_t connections_ = 0;
  bool happened_ = false;
};

// --- a connection --------------------------------------------------------------------------------------

class SocketNetwork::Core::Connection final : public Transport, public Pollable {
 public:
  // `error` of connect(), 0 while it goes on.
  Connection(Core& core, FileDescriptor socket, const Endpoint& peer, bool opened_here, int error = 0)
      : core_(core), socket_(std::move(socket)), opened_here_(opened_here), error_(error) {
    peer_ = peer;
    read_local_address();
    recorder_ = core.recorder(opened_here ? core.options_.record_opened : core.options_.record_accepted);
    core_.poller_.add(socket_.get(), *this);
    ++core_.connections_;
    if (!opened_here) establish();
  }
  ~Connection() override;

  std::size_t send(ByteView octets) override;
  [[nodiscard]] Received receive() override;
  void close(Close how) override;
  void handle_events(std::uint32_t events) override;

  bool listed = false;  // in core_.ready_

 private:
  enum class Phase : std::uint8_t {
    connecting,
    established,
    over
  };

  void read_local_address() {
    SocketAddress address;
    if (getsockname(socket_.get(), address.get(), &address.size) == 0) local_ = address.endpoint();
  }
  void establish();
  void end(int error);
  void abort();
  [[nodiscard]] bool flush();
  // Of sending: receive() tells it behind what came before it.
  void note_error(int error) noexcept {
    if (error == EAGAIN || error == EWOULDBLOCK) return;
    error_ = error;
    readable_ = true;
  }
  void note_acknowledged();
  [[nodiscard]] static TimeNs now() noexcept { return SocketPoller::now(); }

  Core& core_;
  FileDescriptor socket_;
  std::unique_ptr<SocketRecorder> recorder_ = nullptr;
  std::unique_ptr<Byte[]> buffer_ = nullptr;  // of what was read last
  Bytes unsent_ = {};                         // what a full socket did not take of the last call
  std::size_t unsent_from_ = 0;
  Phase phase_ = Phase::connecting;
  bool opened_here_;
  int error_ = 0;  // told by another call than recv(): the socket tells it once only
  bool readable_ = true;
  bool hung_up_ = false;   // FIN or an error is behind what can be read
  bool refused_ = false;   // send() did not take all
  bool finished_ = false;  // closed gracefully
  bool peer_finished_ = false;
  bool tell_established_ = false;
  Arrival tell_end_ = Arrival::nothing;
};

SocketNetwork::Core::Connection::~Connection() {
  core_.unlist(*this);
  --core_.connections_;
  if (phase_ == Phase::over) return;
  if (phase_ == Phase::connecting || !finished_) {
    abort();
    return;
  }
  if (recorder_) recorder_->ended(now());
  if (unsent_from_ == unsent_.size()) return;
  unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(unsent_from_));
  core_.adopt(std::move(socket_), std::move(unsent_));
}

void SocketNetwork::Core::Connection::establish() {
  phase_ = Phase::established;
  tell_established_ = true;
  read_local_address();
  if (!recorder_) return;
  const SegmentSizes sizes{max_segment_of(socket_.get()), advertised_segment_of(socket_.get())};
  recorder_->established(local_, peer_, opened_here_, sizes, now());
}

void SocketNetwork::Core::Connection::end(int error) {
  if (recorder_) {
    if (phase_ == Phase::connecting) {
      if (arrival_of(error) == Arrival::reset) recorder_->refused(local_, peer_, now());
    } else if (arrival_of(error) == Arrival::reset) {
      recorder_->peer_reset(now());
    }
  }
  phase_ = Phase::over;
  tell_end_ = arrival_of(error);
  socket_.close();
}

void SocketNetwork::Core::Connection::abort() {
  if (phase_ == Phase::over) return;
  if (recorder_) recorder_->reset(now());
  replay::reset(socket_);
  phase_ = Phase::over;
}

void SocketNetwork::Core::Connection::handle_events(std::uint32_t events) {
  if (phase_ == Phase::over) return;
  bool news = false;
  if (phase_ == Phase::connecting) {
    if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) == 0) return;
    if (error_ == 0) error_ = take_error(socket_.get());
    // Who refuses makes it ECONNREFUSED: who resets had accepted, or his backlog had.
    const bool was_there = error_ == ECONNRESET || error_ == EPIPE;
    if (error_ == 0 || was_there) establish();
    if (error_ != 0) end(error_);
    news = true;
  }
  if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) hung_up_ = true;
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
    readable_ = true;
    news = true;
  }
  if ((events & EPOLLOUT) != 0 && phase_ == Phase::established && flush() && std::exchange(refused_, false)) {
    news = true;
  }
  if (news) core_.list(*this);
}

// True when nothing is unsent any more.
bool SocketNetwork::Core::Connection::flush() {
  while (unsent_from_ < unsent_.size()) {
    const ssize_t count = ::send(socket_.get(), unsent_.data() + unsent_from_, unsent_.size() - unsent_from_,
                                 core_.send_flags());
    if (count < 0) {
      if (errno == EINTR) continue;
      note_error(errno);
      return false;
    }
    unsent_from_ += static_cast<std::size_t>(count);
  }
  if (!unsent_.empty()) {
    unsent_.clear();
    unsent_from_ = 0;
    if (finished_) shutdown(socket_.get(), SHUT_WR);
  }
  return true;
}

std::size_t SocketNetwork::Core::Connection::send(ByteView octets) {
  if (phase_ != Phase::established || finished_ || octets.empty()) return 0;
  if (!flush()) {
    refused_ = true;
    return 0;
  }
  octets = octets.first(std::min(octets.size(), core_.options_.max_unsent));
  ssize_t count = 0;
  do {
    count = ::send(socket_.get(), octets.data(), octets.size(), core_.send_flags());
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    note_error(errno);
    refused_ = true;
    return 0;
  }
  const ByteView rest = octets.subspan(static_cast<std::size_t>(count));
  unsent_.assign(rest.begin(), rest.end());
  if (recorder_) recorder_->sent(octets, now());
  return octets.size();
}

Received SocketNetwork::Core::Connection::receive() {
  if (std::exchange(tell_established_, false)) {
    return {.arrival = Arrival::established, .max_segment = max_segment_of(socket_.get())};
  }
  if (phase_ == Phase::over) return {.arrival = std::exchange(tell_end_, Arrival::nothing)};
  if (phase_ == Phase::connecting || !readable_) return {};
  if (peer_finished_) {  // an RST may still come
    readable_ = false;
    if (error_ == 0) error_ = take_error(socket_.get());
    if (error_ == 0) return {};
    end(error_);
    return {.arrival = std::exchange(tell_end_, Arrival::nothing)};
  }
  note_acknowledged();
  if (!buffer_) buffer_ = std::make_unique_for_overwrite<Byte[]>(read_size);
  ssize_t count = 0;
  do {
    count = recv(socket_.get(), buffer_.get(), read_size, 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    readable_ = false;
    return {};
  }
  if (count < 0 || (count == 0 && error_ != 0)) {
    end(error_ != 0 ? error_ : errno);
    return {.arrival = std::exchange(tell_end_, Arrival::nothing)};
  }
  if (count == 0) {
    peer_finished_ = true;
    if (recorder_) recorder_->peer_finished(now());
    return {.arrival = Arrival::closed};
  }
  const ByteView octets(buffer_.get(), static_cast<std::size_t>(count));
  if (recorder_) {
    recorder_->received(octets, now());
  } else if (octets.size() < read_size && !hung_up_) {
    readable_ = false;  // epoll(7): a short read emptied it
  }
  return {.arrival = Arrival::octets, .octets = octets};
}

// For the recording: what the peer's octets that are about to be read, or what comes later, acknowledge.
void SocketNetwork::Core::Connection::note_acknowledged() {
  if (!recorder_ || !recorder_->awaits_acknowledgement()) return;
  int outstanding = 0;
  if (ioctl(socket_.get(), SIOCOUTQ, &outstanding) != 0 || outstanding < 0) return;
  std::uint64_t all = static_cast<std::uint64_t>(outstanding) + (unsent_.size() - unsent_from_);
  if (finished_ && !unsent_.empty()) ++all;  // the FIN waits as well
  recorder_->peer_acknowledged(all, now());
}

void SocketNetwork::Core::Connection::close(Close how) {
  if (how == Close::reset) {
    abort();
    tell_established_ = false;
    tell_end_ = Arrival::nothing;
    return;
  }
  if (phase_ == Phase::over || finished_) return;
  if (phase_ == Phase::connecting) return abort();
  finished_ = true;
  if (unsent_.empty() && shutdown(socket_.get(), SHUT_WR) != 0) return;  // a RST came before: there is no FIN
  if (recorder_) recorder_->finished(now());
}

// --- octets that outlive their transport ---------------------------------------------------------------

class SocketNetwork::Core::Orphan final : public Pollable {
 public:
  Orphan(Core& core, FileDescriptor socket, Bytes unsent)
      : core_(core), socket_(std::move(socket)), unsent_(std::move(unsent)) {
    core_.poller_.move(socket_.get(), *this);
  }
  void handle_events(std::uint32_t) override {
    while (from_ < unsent_.size()) {
      const ssize_t count =
          ::send(socket_.get(), unsent_.data() + from_, unsent_.size() - from_, core_.send_flags());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      if (count < 0) break;
      from_ += static_cast<std::size_t>(count);
    }
    std::erase_if(core_.orphans_, [this](const std::unique_ptr<Orphan>& each) { return each.get() == this; });
  }

 private:
  Core& core_;
  FileDescriptor socket_;
  Bytes unsent_;
  std::size_t from_ = 0;
};

void SocketNetwork::Core::adopt(FileDescriptor socket, Bytes unsent) {
  orphans_.push_back(std::make_unique<Orphan>(*this, std::move(socket), std::move(unsent)));
}

// --- listening -----------------------------------------------------------------------------------------

class SocketNetwork::Core::Acceptor final : public Listener, public Pollable {
 public:
  Acceptor(Core& core, FileDescriptor socket) : core_(core), socket_(std::move(socket)) {
    SocketAddress address;
    if (getsockname(socket_.get(), address.get(), &address.size) == 0) local_ = address.endpoint();
    core_.poller_.add(socket_.get(), *this);
  }
  void handle_events(std::uint32_t) override { core_.happened_ = came_ = true; }
  ~Acceptor() override {
    for (Waiting& each : waiting_) reset(each.socket);
  }
  [[nodiscard]] Endpoint local() const override { return local_; }
  // Only connections that are still there wait any longer.
  void drop_left() {
    while (waiting_.size() < core_.options_.max_connections) {
      SocketAddress peer;
      FileDescriptor socket(accept4(socket_.get(), peer.get(), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!socket.is_open()) break;  // why not tells accept()
      waiting_.push_back({std::move(socket), peer.endpoint()});
    }
    came_ = true;
    std::erase_if(waiting_, [](Waiting& each) {
      if (!is_left(each.socket.get())) return false;
      reset(each.socket);
      return true;
    });
  }
  [[nodiscard]] std::unique_ptr<Transport> accept() override {
    if (!waiting_.empty()) {
      Waiting first = std::move(waiting_.front());
      waiting_.pop_front();
      return connection(std::move(first.socket), first.peer);
    }
    // Many listeners are asked each time: only those at which something came ask the system.
    while (came_ && core_.connections_ < core_.options_.max_connections) {
      SocketAddress peer;
      FileDescriptor socket(accept4(socket_.get(), peer.get(), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.is_open()) {
        return connection(std::move(socket), peer.endpoint());
      }
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        came_ = false;
        return nullptr;
      }
      // accept(2): errors of the connection itself concern only it.
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        fail(errno, "accept on " + to_string(local_));
      }
    }
    return nullptr;
  }

 private:
  struct Waiting {
    FileDescriptor socket;
    Endpoint peer;
  };

  [[nodiscard]] std::unique_ptr<Transport> connection(FileDescriptor socket, const Endpoint& peer) {
    core_.prepare(socket);
    return std::make_unique<Connection>(core_, std::move(socket), peer, false);
  }

  Core& core_;
  FileDescriptor socket_;
  Endpoint local_ = {};
  std::deque<Waiting> waiting_ = {};  // since before somebody listened again
  bool came_ = false;
};

// An acceptor that stays when this one goes.
class SocketNetwork::Core::Borrowed final : public Listener {
 public:
  explicit Borrowed(Acceptor& acceptor) : acceptor_(acceptor) {}
  [[nodiscard]] std::unique_ptr<Transport> accept() override { return acceptor_.accept(); }
  [[nodiscard]] Endpoint local() const override { return acceptor_.local(); }

 private:
  Acceptor& acceptor_;
};

struct SocketNetwork::Core::Kept {
  Endpoint at;  // as it was asked for
  std::unique_ptr<Acceptor> acceptor;
};

// --- core ----------------------------------------------------------------------------------------------

SocketNetwork::Core::Core(const SocketOptions& options)
    : options_(options), random_(static_cast<std::uint64_t>(poller_.now())) {
  raise_file_limit(options.max_connections);
}
SocketNetwork::Core::~Core() = default;

void SocketNetwork::Core::check_address(const Endpoint& endpoint, const char* verb) const {
  if (options_.any_address || is_loopback(endpoint.address)) return;
  fail(EACCES,
       std::string(verb) + " " + to_string(endpoint) + ": not a loopback address, and no other is allowed");
}

FileDescriptor SocketNetwork::Core::new_socket(const Endpoint& endpoint, const std::string& what) const {
  const int family = endpoint.address.version == 4 ? AF_INET : AF_INET6;
  FileDescriptor socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) fail(errno, what);
  prepare(socket);
  if (options_.max_segment != 0) set(socket, IPPROTO_TCP, TCP_MAXSEG, options_.max_segment, "TCP_MAXSEG");
  return socket;
}

void SocketNetwork::Core::prepare(const FileDescriptor& socket) const {
  if (options_.no_delay) set(socket, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
  if (options_.patience > 0) {
    set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(options_.patience / 1'000'000),
        "TCP_USER_TIMEOUT");
  }
}

std::unique_ptr<SocketRecorder> SocketNetwork::Core::recorder(CapturePoint* point) {
  return point == nullptr ? nullptr : std::make_unique<SocketRecorder>(*point, random_.next());
}

void SocketNetwork::Core::list(Connection& connection) {
  happened_ = true;
  if (!std::exchange(connection.listed, true)) ready_.push_back(&connection);
}

void SocketNetwork::Core::unlist(Connection& connection) {
  if (!std::exchange(connection.listed, false)) return;
  const auto at = std::find(ready_.begin(), ready_.end(), &connection);
  ready_.erase(static_cast<std::size_t>(at - ready_.begin()));
}

bool SocketNetwork::Core::wait(TimeNs deadline) {
  happened_ = false;
  while (!happened_) {
    if (poller_.wait(deadline) != SocketPoller::Woken::events) return false;
  }
  return true;
}

// --- outside -------------------------------------------------------------------------------------------

SocketNetwork::SocketNetwork(const SocketOptions& options) : core_(std::make_unique<Core>(options)) {}
SocketNetwork::~SocketNetwork() = default;

TimeNs SocketNetwork::now() const {
  return SocketPoller::now();
}
bool SocketNetwork::wait(TimeNs deadline) {
  return core_->wait(deadline);
}
std::size_t SocketNetwork::connections() const noexcept {
  return core_->connections_;
}

TimeNs SocketNetwork::epoch() const noexcept {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<TimeNs>(time.tv_sec) * 1'000'000'000 + time.tv_nsec - SocketPoller::now();
}

void SocketNetwork::ready_networks(std::vector<Network*>& out) {
  if (!core_->ready_.empty()) out.push_back(this);
}

Transport* SocketNetwork::ready() {
  if (core_->ready_.empty()) return nullptr;
  Core::Connection* const connection = core_->ready_.front();
  core_->ready_.pop_front();
  connection->listed = false;
  return connection;
}

std::unique_ptr<Transport> SocketNetwork::connect(const Endpoint& peer) {
  core_->check_address(peer, "connect to");
  const std::string what = "connect to " + to_string(peer);
  if (core_->connections_ >= core_->options_.max_connections) fail(ENOBUFS, what);
  FileDescriptor socket = core_->new_socket(peer, what);
  if (const auto& source = core_->options_.source) {
    // The port is chosen when the peer is known: one may serve connections to several.
    set(socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1, "IP_BIND_ADDRESS_NO_PORT");
    SocketAddress from(Endpoint{*source, 0});
    if (bind(socket.get(), from.get(), from.size) != 0)
      fail(errno, "connect from " + to_string(*source) + " to " + to_string(peer));
  }
  SocketAddress address(peer);
  int error = ::connect(socket.get(), address.get(), address.size) == 0 ? 0 : errno;
  if (error == EINPROGRESS) error = 0;
  // A peer on this machine may refuse at once: receive() tells it, as it does of others.
  if (error != 0 && error != ECONNREFUSED) fail(error, what);
  return std::make_unique<Core::Connection>(*core_, std::move(socket), peer, true, error);
}

std::unique_ptr<Listener> SocketNetwork::listen(const Endpoint& local) {
  const auto kept = std::ranges::find(core_->kept_, local, &Core::Kept::at);
  if (kept != core_->kept_.end()) {
    kept->acceptor->drop_left();
    return std::make_unique<Core::Borrowed>(*kept->acceptor);
  }
  core_->check_address(local, "listen on");
  const std::string what = "listen on " + to_string(local);
  FileDescriptor socket = core_->new_socket(local, what);
  set(socket, SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR");
  if (local.address.version == 6) set(socket, IPPROTO_IPV6, IPV6_V6ONLY, 1, "IPV6_V6ONLY");
  SocketAddress address(local);
  if (bind(socket.get(), address.get(), address.size) != 0) fail(errno, what);
  if (::listen(socket.get(), SOMAXCONN) != 0) fail(errno, what);
  auto acceptor = std::make_unique<Core::Acceptor>(*core_, std::move(socket));
  if (!core_->options_.keep_listening) return acceptor;
  core_->kept_.push_back({local, std::move(acceptor)});
  return std::make_unique<Core::Borrowed>(*core_->kept_.back().acceptor);
}

}  // namespace iwarp::replay
