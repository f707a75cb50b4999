// SPDX-License-Identifier: GPL-2.0-or-later
#include "verbs/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/script.hpp"
#include "engine/startup_parameters.hpp"
#include "rnic/violation.hpp"
#include "transport/socket_address.hpp"

namespace iwarp::replay::verbs {
namespace {

constexpr std::uint64_t buffer_octets = std::uint64_t{1} << 20U;
constexpr std::uint32_t most_receives = 128;
constexpr std::uint32_t most_sends = 1024;
constexpr int resolve_milliseconds = 5000;
constexpr std::size_t watched_octets = 8;
constexpr std::size_t most_private_data = 255;  // an octet tells its length

bool is_receive(const ibv_wc& done) noexcept {
  return (done.wr_id >> 32U) != 0;
}

}  // namespace

Connection::Connection(Scene& scene, std::uint32_t stream)
    : scene_(scene),
      planned_(scene.plan.streams[stream]),
      number_(stream),
      host_(planned_.hosts[static_cast<std::size_t>(scene.role)]),
      peer_host_(planned_.hosts[static_cast<std::size_t>(other(scene.role))]) {
  for (std::uint32_t i = 0; i < planned_.work.size(); ++i) {
    const PlannedWork& work = planned_.work[i];
    if (is_close(work.kind)) closes_ = true;
    if (work.rtr) continue;
    if (work.role == scene_.role) {
      own_.push_back(i);
      if (work.kind != WorkKind::terminate || !work.quoted) continue;
      closes_ = true;
      if (work.terminate_code == rnic::code::no_buffer) unreceived_ = work.quoted;
      if (work.terminate_code == rnic::code::too_long) too_long_ = work.quoted;
    } else if (uses_receive(work.kind)) {
      peer_receives_.push_back(i);
    }
  }
}

// --- connection ----------------------------------------------------------------------------------------

bool Connection::open(rdma_event_channel* channel, const Endpoint& peer, std::string& error) {
  rdma_cm_id* id = nullptr;
  if (rdma_create_id(channel, &id, this, RDMA_PS_TCP) != 0) {
    error = "no RDMA connection: " + reason();
    return false;
  }
  id_.reset(id);
  SocketAddress address(peer);
  if (rdma_resolve_addr(id, nullptr, address.get(), resolve_milliseconds) == 0) return true;
  error = "no RDMA device leads to " + to_string(peer) + ": " + reason();
  return false;
}

bool Connection::take(rdma_cm_event& request, std::string& error) {
  id_.reset(request.id);
  request.id->context = this;
  learn(request);
  if (!set_up(error)) return false;
  const std::optional<PlannedStartup>& own = planned_.startup[1];
  Bytes octets = private_data();
  octets.resize(std::min(octets.size(), most_private_data));
  if (own && own->rejected) {
    if (rdma_reject(id_.get(), octets.data(), static_cast<std::uint8_t>(octets.size())) != 0)
      scene_.troubles.push_back("the start-up cannot be rejected: " + reason());
    end();
    return true;
  }
  if (!planned_.accepted) return true;  // nobody answered
  rdma_conn_param accepting = parameters(octets);
  // No more than the peer asked for: it may have less to give.
  accepting.initiator_depth = std::min(accepting.initiator_depth, request.param.conn.initiator_depth);
  accepting.responder_resources =
      std::max(accepting.responder_resources, request.param.conn.responder_resources);
  if (rdma_accept(id_.get(), &accepting) == 0) return true;
  scene_.troubles.push_back("the start-up cannot be accepted: " + reason());
  end();
  return true;
}

bool Connection::check_device(std::string& error) const {
  const std::string name = ibv_get_device_name(id_->verbs->device);
  if (scene_.device.empty() || scene_.device == name) return true;
  error = "the address belongs to the RDMA device " + name + ", not to " + scene_.device;
  return false;
}

bool Connection::handle(rdma_cm_event& event, std::string& error) {
  switch (event.event) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
      if (rdma_resolve_route(id_.get(), resolve_milliseconds) == 0) return true;
      error = "no route to the responder: " + reason();
      return false;
    case RDMA_CM_EVENT_ROUTE_RESOLVED: {
      if (!set_up(error)) return false;
      const Bytes octets = private_data();
      rdma_conn_param connecting = parameters(octets);
      if (rdma_connect(id_.get(), &connecting) == 0) return true;
      error = "no connection: " + reason();
      return false;
    }
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR: error = "no RDMA device leads to the responder"; return false;
    case RDMA_CM_EVENT_ESTABLISHED:
      learn(event);
      // A siw at the other end misses what comes at once; see ReplayOptions::start_delay.
      ready_at_ = scene_.now + (scene_.role == Role::initiator ? scene_.options.start_delay : 0);
      return true;
    case RDMA_CM_EVENT_REJECTED:
      learn(event);
      if (planned_.accepted) {
        scene_.troubles.push_back("stream " + std::to_string(planned_.number) +
                                  ": the peer rejects the start-up, which the recorded one accepted");
      }
      end();
      return true;
    case RDMA_CM_EVENT_DISCONNECTED:
      (void)poll();
      if (!disconnecting_) (void)rdma_disconnect(id_.get());
      end();
      return true;
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
      scene_.troubles.push_back("stream " + std::to_string(planned_.number) + ": " +
                                rdma_event_str(event.event) + ", status " + std::to_string(event.status));
      end();
      return true;
    default: return true;
  }
}

void Connection::end() {
  if (over_) return;
  over_ = true;
  scene_.progress.note_closed(number_, other(scene_.role), scene_.now);
  scene_.progress.note_over(number_, scene_.now);
}

bool Connection::set_up(std::string& error) {
  if (!check_device(error)) return false;
  HostMemory& memory = scene_.memory.try_emplace(host_, scene_.plan, host_, scene_.names).first->second;
  if (!memory.made() && !memory.make(id_->verbs, error)) return false;
  if (memory.device() != id_->verbs) {
    error = "the streams' addresses belong to several RDMA devices";
    return false;
  }
  ibv_device_attr limits{};
  if (ibv_query_device(id_->verbs, &limits) != 0) {
    error = "the device does not tell its limits: " + reason();
    return false;
  }
  std::array<std::uint64_t, 2> longest{};  // received, sent
  std::array<std::uint64_t, 2> all{};
  for (const PlannedWork& work : planned_.work) {
    if (!uses_receive(work.kind) && work.kind != WorkKind::write) continue;
    const std::size_t own = work.role == scene_.role ? 1 : 0;
    longest[own] = std::max(longest[own], work.length);
    all[own] += work.length + 1;
  }
  const auto size = [&](std::size_t own) {
    return std::min(all[own], std::max(buffer_octets, 2 * longest[own] + 2));
  };
  if (!sources_.make(memory.pd(), size(1), error) || !buffers_.make(memory.pd(), size(0), error))
    return false;
  const auto limit = [&](std::size_t wanted, std::uint32_t most) {
    const auto device = static_cast<std::size_t>(std::max(limits.max_qp_wr, 1));
    return static_cast<std::uint32_t>(
        std::clamp<std::size_t>(wanted, 1, std::min<std::size_t>(most, device)));
  };
  max_sends_ = limit(own_.size(), most_sends);
  max_receives_ = limit(peer_receives_.size(), most_receives);
  const auto completions = static_cast<int>(max_sends_ + max_receives_ + 2);
  cq_.reset(ibv_create_cq(id_->verbs, completions, nullptr, nullptr, 0));
  ibv_qp_init_attr attributes{};
  attributes.send_cq = attributes.recv_cq = cq_.get();
  attributes.qp_type = IBV_QPT_RC;
  attributes.cap.max_send_wr = max_sends_;
  attributes.cap.max_recv_wr = static_cast<std::uint32_t>(max_receives_);
  attributes.cap.max_send_sge = attributes.cap.max_recv_sge = 1;
  if (!cq_ || rdma_create_qp(id_.get(), memory.pd(), &attributes) != 0) {
    error = "no queue pair: " + reason();
    return false;
  }
  post_receives();
  return true;
}

Bytes Connection::private_data() {
  const std::optional<PlannedStartup>& own = planned_.startup[static_cast<std::size_t>(scene_.role)];
  if (!own) return {};
  Bytes octets = own->private_data;
  scene_.names.rename(octets, own->mentions, host_, peer_host_);
  last_recorded_ = own->time_ns;
  if (octets.size() > most_private_data) {
    octets.resize(most_private_data);
    scene_.notes.push_back("private data is cut to 255 octets: librdmacm takes no more");
  }
  return octets;
}

rdma_conn_param Connection::parameters(const Bytes& octets) {
  ibv_device_attr limits{};
  (void)ibv_query_device(id_->verbs, &limits);
  const auto depth = [](std::uint32_t wanted, int most) {
    return static_cast<std::uint8_t>(
        std::min<std::uint32_t>(wanted, static_cast<std::uint32_t>(std::clamp(most, 0, 255))));
  };
  const rnic::QpAttributes attributes = qp_attributes(planned_, scene_.role, scene_.options);
  rdma_conn_param result{};
  result.private_data = octets.data();
  result.private_data_len = static_cast<std::uint8_t>(octets.size());
  result.responder_resources = depth(attributes.ird, limits.max_qp_rd_atom);
  result.initiator_depth = depth(attributes.ord, limits.max_qp_init_rd_atom);
  return result;
}

void Connection::learn(const rdma_cm_event& event) {
  const std::optional<PlannedStartup>& peer = planned_.startup[static_cast<std::size_t>(other(scene_.role))];
  const rdma_conn_param& told = event.param.conn;
  if (!peer || told.private_data == nullptr) return;
  const ByteView octets(static_cast<const Byte*>(told.private_data), told.private_data_len);
  (void)scene_.names.learn(octets, peer->private_data.size(), peer->mentions, peer_host_);
}

// --- what happens --------------------------------------------------------------------------------------

void Connection::post_receives() {
  while (next_receive_ < peer_receives_.size() && slots_.size() < max_receives_) {
    const std::uint32_t number = peer_receives_[next_receive_];
    if (unreceived_ == number) return;
    std::uint64_t length = planned_.work[number].length;
    if (too_long_ == number && length > 0) --length;
    // An octet for empty messages, too: so that no request is without an SGE.
    const auto place = buffers_.take(static_cast<std::uint32_t>(std::max<std::uint64_t>(length, 1)));
    if (!place) return;
    Slot slot{number, *place};
    ibv_recv_wr request{};
    request.wr_id = std::uint64_t{1} << 32U | number;
    request.sg_list = &slot.place;
    request.num_sge = 1;
    ibv_recv_wr* refused = nullptr;
    if (ibv_post_recv(id_->qp, &request, &refused) != 0) {
      buffers_.give_back_newest();
      next_receive_ = peer_receives_.size();
      return;
    }
    slots_.push_back(slot);
    ++next_receive_;
  }
}

bool Connection::poll() {
  if (!cq_) return false;
  bool any = false;
  ibv_wc done{};
  while (ibv_poll_cq(cq_.get(), 1, &done) > 0) {
    any = true;
    if (done.status != IBV_WC_SUCCESS) in_error_ = true;
    if (is_receive(done)) {
      take_receive(done);
    } else {
      take_send(done);
    }
  }
  if (any && !in_error_ && !over_) post_receives();
  return any;
}

void Connection::take_send(const ibv_wc& done) {
  const auto number = static_cast<std::uint32_t>(done.wr_id);
  if (sent_.empty()) return;
  if (sent_.front().buffered) sources_.give_back_oldest();
  sent_.pop_front();
  const PlannedWork& work = planned_.work[number];
  LogEntry& entry = entries_[static_cast<std::size_t>(scene_.role)][entry_of_.at(number)];
  if (done.status == IBV_WC_SUCCESS) {
    entry.outcome = OperationStatus::complete;
    // A Write that was refused had completed before.
    if (work.kind != WorkKind::read && work.kind != WorkKind::atomic) entry.outcome = work.outcome;
    scene_.progress.note_completed(ref(number), scene_.now);
    return;
  }
  // With which status is the device's own affair.
  entry.outcome = work.outcome == OperationStatus::complete ? OperationStatus::terminated : work.outcome;
  if (work.outcome == OperationStatus::complete) {
    scene_.troubles.push_back("work " + std::to_string(number) + " of stream " +
                              std::to_string(planned_.number) + " fails: " + ibv_wc_status_str(done.status));
  }
}

void Connection::take_receive(const ibv_wc& done) {
  if (slots_.empty()) return;
  const Slot slot = slots_.front();
  slots_.pop_front();
  const PlannedWork& work = planned_.work[slot.work];
  if (done.status == IBV_WC_SUCCESS) {
    const std::size_t length = std::min<std::size_t>(done.byte_len, slot.place.length);
    if (length > 0 && !work.mentions.empty()) {
      (void)scene_.names.learn(Buffer::octets(slot.place).first(length), work.length, work.mentions,
                               peer_host_);
    }
    // What the peer did before is there, too (RFC 5041 §5.3).
    for (std::uint32_t i = 0; i < slot.work; ++i) {
      const PlannedWork& before = planned_.work[i];
      if (before.role != scene_.role && before.outcome == OperationStatus::complete && !is_close(before.kind))
        scene_.progress.note_arrived(ref(i), scene_.now);
    }
    scene_.progress.note_arrived(ref(slot.work), scene_.now);
    ++received_;
    auto& entries = entries_[static_cast<std::size_t>(other(scene_.role))];
    LogEntry entry;
    entry.kind = work.kind;
    // Not every device tells of an invalidation: siw's provider of rdma-core 44 does not.
    const bool told = (done.wc_flags & IBV_WC_WITH_INV) != 0;
    if (told && !invalidates(work.kind)) entry.kind = WorkKind::send_inv;
    if (invalidates(entry.kind)) {
      entry.stag = told ? done.invalidated_rkey : scene_.names.of(host_, work.stag).stag;
      entry.to = work.to;
    }
    entry.length = done.byte_len;
    entry.msn = static_cast<std::uint32_t>(entries.size() + 1);
    entry.time_ns = scene_.now;
    entries.push_back(entry);
  }
  buffers_.give_back_oldest();
}

// --- posting -------------------------------------------------------------------------------------------

bool Connection::advance() {
  if (!id_ || over_) return false;
  bool any = poll();
  if (!ready_ && ready_at_ && scene_.now >= *ready_at_) {
    ready_ = any = true;
    last_posted_ = scene_.now;
    if (scene_.order) scene_.order->note_established(number_, scene_.now);
  }
  while (next_ < own_.size() && !over_) {
    const std::uint32_t number = own_[next_];
    const std::size_t in_flight = sent_.size();
    if (!try_post(number)) break;
    if (scene_.order) scene_.order->note_tried(ref(number), sent_.size() > in_flight, scene_.now);
    last_posted_ = scene_.now;
    last_recorded_ = std::max(last_recorded_, planned_.work[number].time_ns);
    ++next_;
    any = true;
  }
  return any;
}

// The end of a Write's target is as recorded, or at least another one than before.
bool Connection::placed(std::uint32_t number) {
  const PlannedWork& work = planned_.work[number];
  if (work.kind != WorkKind::write || work.length == 0) return false;
  const std::size_t size = std::min<std::size_t>(work.length, watched_octets);
  const std::span<const Byte> there = memory().octets(work.stag, work.to + work.length - size, size);
  if (there.empty()) return true;
  // The device writes it behind the compiler's back.
  const volatile Byte* const seen = there.data();
  Bytes now(size);
  for (std::size_t i = 0; i < size; ++i) now[i] = seen[i];
  const auto [watched, first] = watched_.try_emplace(number, now);
  if (!first && watched->second != now) return true;
  Bytes recorded(static_cast<std::size_t>(work.length));
  copy_octets(scene_.plan.payloads, scene_.plan.seed, work.content, 0, recorded);
  return std::equal(now.begin(), now.end(), recorded.end() - static_cast<std::ptrdiff_t>(size));
}

bool Connection::happened(const Wait& wait) {
  if (scene_.progress.when(wait) != never) return true;
  if (wait.what != WaitFor::placed || wait.work.stream != number_ || !placed(wait.work.work)) return false;
  scene_.progress.note_arrived(wait.work, scene_.now);
  return true;
}

bool Connection::due(std::uint32_t number) {
  const PlannedWork& work = planned_.work[number];
  TimeNs ready = last_posted_;
  TimeNs recorded = last_recorded_;
  for (const Wait& wait : work.waits) {
    const PlannedWork& waited = work_of(scene_.plan, wait.work);
    if (!scene_.played[wait.work.stream] || waited.rtr) continue;
    if (!happened(wait)) return false;
    ready = std::max(ready, scene_.progress.when(wait));
    recorded = std::max(recorded, waited.time_ns);
  }
  if (scene_.order) {
    const auto turn = scene_.order->turn_of(ref(number));
    if (!turn) return false;
    ready = std::max(ready, turn->since);
    recorded = std::max(recorded, turn->recorded);
  }
  switch (scene_.options.timing) {
    case Timing::causal: return ready + scene_.due_times.pause(work.time_ns - recorded) <= scene_.now;
    case Timing::original: return scene_.due_times.at(work.time_ns) <= scene_.now;
    default: return true;
  }
}

void Connection::leave_out(std::uint32_t number, const std::string& why) {
  scene_.troubles.push_back("work " + std::to_string(number) + " of stream " +
                            std::to_string(planned_.number) + " is left out: " + why);
  scene_.progress.note_completed(ref(number), scene_.now);
}

// False: not yet.
bool Connection::try_post(std::uint32_t number) {
  const PlannedWork& work = planned_.work[number];
  if (is_close(work.kind)) return try_close(number);
  if (!ready_) return false;
  if (work.kind == WorkKind::terminate) {  // the device does it by itself, and closes
    closed_by_device_ = true;
    return true;
  }
  if (in_error_) return true;
  if (sent_.size() >= max_sends_ || !due(number)) return false;
  if (scene_.posted >= scene_.options.limit) return false;
  memory().before_post(ref(number));
  ibv_send_wr send{};
  ibv_sge sge{};
  Sent sent{number};
  bool left = false;
  if (!fill(number, send, sge, sent, left)) return left;
  ibv_send_wr* refused = nullptr;
  const int status = ibv_post_send(id_->qp, &send, &refused);
  if (status != 0) {
    if (sent.buffered) sources_.give_back_newest();
    if (status == ENOMEM && !sent_.empty()) return false;
    leave_out(number, std::strerror(status));
    return true;
  }
  sent_.push_back(sent);
  ++scene_.posted;
  scene_.octets += work.length;
  LogEntry entry;
  entry.kind = work.kind;
  entry.length = work.length;
  entry.outcome = OperationStatus::unanswered;
  entry.time_ns = scene_.now;
  entry.immediate = work.immediate;
  entry.atomic = work.atomic;
  if (work.kind == WorkKind::read) {
    const LiveName own = scene_.names.of(host_, work.stag);
    entry.stag = own.stag;
    entry.to = work.to + own.distance;
    entry.source_stag = send.wr.rdma.rkey;
    entry.source_to = send.wr.rdma.remote_addr;
  } else if (work.kind == WorkKind::write || work.kind == WorkKind::atomic || invalidates(work.kind)) {
    const LiveName name = scene_.names.of(peer_host_, work.stag);
    entry.stag = name.stag;
    entry.to = invalidates(work.kind) ? work.to : work.to + name.distance;
  }
  auto& entries = entries_[static_cast<std::size_t>(scene_.role)];
  const auto queue = [](WorkKind kind) { return kind == WorkKind::read || kind == WorkKind::atomic; };
  if (work.kind != WorkKind::write) {
    entry.msn = 1 + static_cast<std::uint32_t>(std::ranges::count_if(entries, [&](const LogEntry& each) {
                  return each.kind != WorkKind::write && queue(each.kind) == queue(work.kind);
                }));
  }
  entry_of_[number] = entries.size();
  entries.push_back(entry);
  return true;
}

bool Connection::fill(std::uint32_t number, ibv_send_wr& send, ibv_sge& sge, Sent& sent, bool& left) {
  const PlannedWork& work = planned_.work[number];
  send.wr_id = number;
  send.send_flags = IBV_SEND_SIGNALED;
  send.sg_list = &sge;
  const LiveName remote =
      scene_.names.of(peer_host_, work.kind == WorkKind::read ? work.source_stag : work.stag);
  const auto refuse = [&](const char* why) {
    leave_out(number, why);
    left = true;
    return false;
  };
  switch (work.kind) {
    case WorkKind::send_se: send.send_flags |= IBV_SEND_SOLICITED; [[fallthrough]];
    case WorkKind::send: send.opcode = IBV_WR_SEND; break;
    case WorkKind::send_se_inv: send.send_flags |= IBV_SEND_SOLICITED; [[fallthrough]];
    case WorkKind::send_inv:
      send.opcode = IBV_WR_SEND_WITH_INV;
      send.invalidate_rkey = remote.stag;
      send.wr.rdma.rkey = remote.stag;  // where siw's provider of rdma-core 44 takes it from
      break;
    case WorkKind::write:
      send.opcode = IBV_WR_RDMA_WRITE;
      send.wr.rdma.rkey = remote.stag;
      send.wr.rdma.remote_addr = work.to + remote.distance;
      break;
    case WorkKind::read:
      if (work.deduced && work.source_stag == 0) return refuse("where the recorded Read read is not known");
      send.opcode = IBV_WR_RDMA_READ;
      send.wr.rdma.rkey = remote.stag;
      send.wr.rdma.remote_addr = work.source_to + remote.distance;
      sge = memory().place(work.stag, work.to, work.length);
      send.num_sge = 1;
      return true;
    case WorkKind::atomic: return refuse("atomic operations are not made through Verbs yet");
    default: return refuse("this kind of request is not made through Verbs");
  }
  if (work.length == 0) return true;
  const auto place = sources_.take(static_cast<std::uint32_t>(work.length));
  if (!place) return false;
  sent.buffered = true;
  sge = *place;
  send.num_sge = 1;
  const std::span<Byte> octets = Buffer::octets(sge);
  copy_octets(scene_.plan.payloads, scene_.plan.seed, work.content, 0, octets);
  scene_.names.rename(octets, work.mentions, host_, peer_host_);
  return true;
}

bool Connection::try_close(std::uint32_t number) {
  if (!ready_) return false;
  if (closed_by_device_) return true;
  if (!in_error_) {
    if (!sent_.empty() || !due(number)) return false;
    // Where the peer closed first it does so here: its Reads, which nobody sees, are answered then.
    for (std::uint32_t i = 0; i < number; ++i) {
      const PlannedWork& work = planned_.work[i];
      if (work.role != scene_.role && is_close(work.kind)) return over_;
    }
    // Everything that the peer has to say before it hears of this close has come.
    for (const std::uint32_t each : peer_receives_) {
      const PlannedWork& work = planned_.work[each];
      if (each > number || work.outcome != OperationStatus::complete) continue;
      if (scene_.progress.arrived(ref(each)) == never) return false;
    }
  }
  if (!disconnecting_) (void)rdma_disconnect(id_.get());
  disconnecting_ = true;
  return true;
}

bool Connection::settled() const {
  if (over_) return true;
  if (!ready_) return false;
  if (scene_.posted >= scene_.options.limit) return sent_.empty();
  if (next_ < own_.size() || !sent_.empty() || closes_) return false;
  return received_ >= peer_receives_.size();
}

std::string Connection::describe_wait() const {
  const std::string text = "stream " + std::to_string(planned_.number) + ": ";
  if (!opened()) return text + "no connection";
  if (!ready_) return text + "the start-up is not over";
  if (next_ < own_.size()) {
    return text + "before " + work_kind_name(planned_.work[own_[next_]].kind) + " of work " +
           std::to_string(own_[next_]);
  }
  return text + "all is posted; " + std::to_string(sent_.size()) + " not complete, " +
         std::to_string(received_) + " of " + std::to_string(peer_receives_.size()) + " messages received" +
         (closes_ ? ", the connection is open" : "");
}

StreamLog Connection::log() const {
  StreamLog log;
  log.stream = planned_.number;
  log.name = "no connection";
  if (id_) {
    const auto name_of = [](sockaddr* address) {
      SocketAddress found;
      found.size = address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
      std::memcpy(&found.storage, address, found.size);
      return to_string(found.endpoint());
    };
    const std::string local = name_of(rdma_get_local_addr(id_.get()));
    const std::string peer = name_of(rdma_get_peer_addr(id_.get()));
    log.name = scene_.role == Role::initiator ? local + " to " + peer : peer + " to " + local;
  }
  log.entries = entries_;
  return log;
}

}  // namespace iwarp::replay::verbs
