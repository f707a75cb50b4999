// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>

#include <algorithm>
#include <unordered_map>

#include "plan/plan_proto.hpp"

namespace iwarp::replay {
namespace {

using google::protobuf::RepeatedPtrField;

// Reads a plan, and remembers where it is for errors. Each take() is false where something is wrong.
class Reader {
 public:
  Reader(const proto::Plan& in, const PlanLimits& limits, Plan& plan)
      : in_(in), limits_(limits), plan_(plan) {}

  bool read() {
    if (in_.format() != plan_format) return fail("this is no replay plan");
    if (in_.version() != plan_version) {
      return fail("the plan's version is " + std::to_string(in_.version()) + ", and only " +
                  std::to_string(plan_version) + " is known");
    }
    plan_.source = in_.source();
    plan_.start_ns = in_.start_ns();
    plan_.seed = in_.seed();
    plan_.anonymised = in_.anonymised();
    if (!index_ids()) return false;
    for (int i = 0; i < in_.stream_size(); ++i) {
      if (!take(in_.stream(i), plan_.streams.emplace_back(), static_cast<std::uint32_t>(i))) return false;
    }
    for (int i = 0; i < in_.host_size(); ++i) {
      place_ = "host " + std::to_string(i);
      if (!take(in_.host(i), plan_.hosts.emplace_back())) return false;
    }
    return true;
  }

  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  bool fail(const std::string& what) {
    error_ = place_.empty() ? what : place_ + ": " + what;
    return false;
  }

  template <typename To, typename From>
  bool take_enum(From value, To last, To& out, const char* what) {
    if (static_cast<int>(value) < 0 || static_cast<int>(value) > static_cast<int>(last)) {
      return fail(std::string("its ") + what + " is " + std::to_string(static_cast<int>(value)) +
                  ", which has no meaning");
    }
    out = static_cast<To>(value);
    return true;
  }

  // Ids are what people wrote; the plan counts from 0.
  bool index_ids() {
    for (int s = 0; s < in_.stream_size(); ++s) {
      const proto::Stream& stream = in_.stream(s);
      place_ = "stream " + std::to_string(stream.id());
      if (!streams_.emplace(stream.id(), static_cast<std::uint32_t>(s)).second)
        return fail("there are two of that id");
      auto& works = works_.emplace_back();
      for (int w = 0; w < stream.work_size(); ++w) {
        if (!works.emplace(stream.work(w).id(), static_cast<std::uint32_t>(w)).second) {
          return fail("there are two works of the id " + std::to_string(stream.work(w).id()));
        }
      }
    }
    place_.clear();
    return true;
  }

  bool find_work(std::uint32_t stream, std::uint32_t id, std::uint32_t& out, const char* what) {
    const auto found = works_[stream].find(id);
    if (found == works_[stream].end()) {
      return fail(std::string(what) + " work " + std::to_string(id) + ", which is not there");
    }
    out = found->second;
    return true;
  }
  bool find_stream(std::uint32_t id, std::uint32_t& out) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) return fail("names stream " + std::to_string(id) + ", which is not there");
    out = found->second;
    return true;
  }
  bool take(const proto::WorkRef& in, WorkRef& out) {
    return find_stream(in.stream(), out.stream) && find_work(out.stream, in.work(), out.work, "names");
  }

  bool take(const RepeatedPtrField<proto::Piece>& in, std::uint64_t limit, Content& out) {
    std::uint64_t length = 0;
    for (const proto::Piece& piece : in) {
      Piece made;
      made.length = piece.length();
      made.offset = piece.offset();
      made.seeded = piece.source_case() == proto::Piece::kSeeded;
      if (made.length > limit - length) return fail("it has more than " + std::to_string(limit) + " octets");
      length += made.length;
      if (made.seeded) {
        made.source = piece.seeded();
        if (made.offset + made.length < made.offset) return fail("a seeded piece goes beyond 2^64");
      } else {
        if (piece.source_case() != proto::Piece::kPayload)
          return fail("a piece names neither payload nor seed");
        made.source = piece.payload();
        if (made.source >= plan_.payloads.size()) {
          return fail("names payload " + std::to_string(made.source) + ", which is not there");
        }
        const std::uint64_t size = plan_.payloads[piece.payload()].size();
        if (made.offset > size || made.length > size - made.offset) {
          return fail("a piece goes beyond the end of payload " + std::to_string(made.source));
        }
      }
      if (made.length > 0) out.push_back(made);
    }
    return true;
  }

  bool take(const proto::Octets& in, std::size_t limit, Bytes& out) {
    if (in.form_case() == proto::Octets::kHex) {
      if (!octets_of_hex(in.hex(), out)) return fail("what should be hexadecimal digits is not");
    } else {
      out.assign(in.raw().begin(), in.raw().end());
    }
    return out.size() <= limit || fail("it has more than " + std::to_string(limit) + " octets");
  }

  bool take(const std::string& text, IpAddress& out) {
    out = IpAddress();
    if (inet_pton(AF_INET, text.c_str(), out.octets.data()) == 1) {
      out.version = 4;
      return true;
    }
    if (inet_pton(AF_INET6, text.c_str(), out.octets.data()) == 1) {
      out.version = 6;
      return true;
    }
    return fail("'" + text + "' is no address");
  }

  bool take(const RepeatedPtrField<proto::Mention>& in, std::uint64_t length, std::vector<Mention>& out) {
    for (const proto::Mention& mention : in) {
      Mention made;
      made.offset = mention.at();
      made.stag = mention.stag();
      if (!take_enum(mention.form(), StagForm::digits, made.form, "mention's form")) return false;
      if (!take_enum(mention.layout(), StagLayout::perftest, made.layout, "mention's layout")) return false;
      made.by_owner = mention.by_owner();
      if (mention.has_to_at()) made.to_offset = mention.to_at();
      if (mention.has_length_at()) {
        made.length_offset = mention.length_at();
        made.length = mention.length();
      }
      made.to = mention.to();
      if (mention.length_size() > 8) return fail("a mention's length has more than 8 octets");
      made.length_size = static_cast<std::uint8_t>(mention.length_size());
      const bool text = made.form == StagForm::digits;
      const auto fits = [length](std::uint64_t at, std::uint64_t size) { return at + size <= length; };
      if (!fits(made.offset, text ? 8 : 4) || (made.to_offset && !fits(*made.to_offset, text ? 16 : 8)) ||
          (made.length_offset && !fits(*made.length_offset, made.length_size))) {
        return fail("a mention lies beyond the payload's end");
      }
      out.push_back(made);
    }
    return true;
  }

  bool take(const proto::Startup& in, PlannedStartup& out) {
    if (in.revision() > 255 || in.reserved_flags() > 15) return fail("a start-up field is out of range");
    out.revision = static_cast<std::uint8_t>(in.revision());
    out.markers = in.markers();
    out.crc = in.crc();
    out.rejected = in.rejected();
    out.reserved_flags = static_cast<std::uint8_t>(in.reserved_flags());
    if (in.has_word()) {
      const proto::Word& word = in.word();
      if (word.ird() > wire::depth_not_negotiated || word.ord() > wire::depth_not_negotiated) {
        return fail("IRD and ORD have 14 bits");
      }
      out.word = wire::EnhancedWord{word.peer_to_peer(),
                                    word.rtr_send(),
                                    word.rtr_write(),
                                    word.rtr_read(),
                                    static_cast<std::uint16_t>(word.ird()),
                                    static_cast<std::uint16_t>(word.ord())};
    }
    if (in.has_smbd()) out.smbd = std::array<std::uint32_t, 2>{in.smbd().ird(), in.smbd().ord()};
    if (!take(in.private_data(), SIZE_MAX, out.private_data)) return false;
    const std::size_t room = wire::private_data_room(in.has_word());
    if (out.private_data.size() > room)
      return fail("private data has more than " + std::to_string(room) + " octets");
    out.private_data_known = !in.private_data_unknown();
    out.frame = in.frame();
    out.time_ns = in.time_ns();
    return take(in.mention(), out.private_data.size(), out.mentions);
  }

  bool take(const proto::End& in, std::size_t role, PlannedStream& out) {
    if (!take(in.address(), out.endpoints[role].address)) return false;
    if (in.port() > 65535 || in.mss() > 65535) return fail("a port or MSS is out of range");
    if (in.mulpdu() != 0 && !can_be_mulpdu(in.mulpdu())) {
      return fail("its MULPDU is " + std::to_string(in.mulpdu()) + ", and none is below " +
                  std::to_string(wire::min_mulpdu) + " or above " + std::to_string(wire::max_ulpdu_length));
    }
    if (in.host() >= static_cast<std::uint32_t>(in_.host_size())) {
      return fail("names host " + std::to_string(in.host()) + ", which is not there");
    }
    out.endpoints[role].port = static_cast<std::uint16_t>(in.port());
    out.hosts[role] = in.host();
    out.markers[role] = in.markers();
    out.mss[role] = static_cast<std::uint16_t>(in.mss());
    out.mulpdu[role] = in.mulpdu();
    return !in.has_startup() || take(in.startup(), out.startup[role].emplace());
  }

  bool take(const proto::Stream& in, PlannedStream& out, std::uint32_t index) {
    const std::string name = "stream " + std::to_string(in.id());
    place_ = name;
    out.number = in.number();
    out.attempt = in.attempt();
    if (!take(in.initiator(), 0, out) || !take(in.responder(), 1, out)) return false;
    if (!take_enum(in.role_basis(), RoleBasis::mpa, out.role_basis, "role basis")) return false;
    if (!take_enum(in.opened_by(), Role::responder, out.opened_by, "opener")) return false;
    if (!take_enum(in.rtr(), RtrKind::send, out.rtr, "RTR")) return false;
    out.accepted = in.accepted();
    out.midstream = in.midstream();
    out.left_open = in.left_open();
    out.crc = in.crc();
    out.work.reserve(static_cast<std::size_t>(in.work_size()));
    for (const proto::Work& work : in.work()) {
      place_ = name + ", work " + std::to_string(work.id());
      if (!take(work, out.work.emplace_back(), index)) return false;
    }
    place_ = name;
    for (const proto::Missing& missing : in.missing()) {
      if (!take(missing, out.missing.emplace_back(), index)) return false;
    }
    for (const proto::Violation& violation : in.violation()) {
      if (!take(violation, out.violations.emplace_back())) return false;
    }
    return true;
  }

  bool take(const proto::Wait& in, std::uint32_t stream, Wait& out) {
    out.work.stream = stream;
    if (in.has_stream() && !find_stream(in.stream(), out.work.stream)) return false;
    std::uint32_t id = 0;
    switch (in.what_case()) {
      case proto::Wait::kReceived: out.what = WaitFor::received, id = in.received(); break;
      case proto::Wait::kPlaced: out.what = WaitFor::placed, id = in.placed(); break;
      case proto::Wait::kCompleted: out.what = WaitFor::completed, id = in.completed(); break;
      case proto::Wait::kClosed: out.what = WaitFor::closed, id = in.closed(); break;
      case proto::Wait::WHAT_NOT_SET: return fail("waits for nothing");
    }
    return find_work(out.work.stream, id, out.work.work, "waits for");
  }

  bool take(const proto::Work& in, PlannedWork& out, std::uint32_t stream) {
    if (!take_enum(in.by(), Role::responder, out.role, "role")) return false;
    if (!take_enum(in.kind(), WorkKind::rst, out.kind, "kind")) return false;
    if (!take_enum(in.outcome(), OperationStatus::unknown, out.outcome, "outcome")) return false;
    out.rtr = in.rtr();
    out.deduced = in.deduced();
    out.length = in.length();
    if (out.length > limits_.work_octets)
      return fail("it is longer than " + std::to_string(limits_.work_octets));
    if (!take(in.octets(), limits_.work_octets, out.content)) return false;
    const bool sends = is_send(out.kind) || out.kind == WorkKind::write;
    const std::uint64_t octets = length_of(out.content);
    if ((sends && octets != out.length) || (!sends && octets > out.length)) {
      return fail("its length is " + std::to_string(out.length) + ", but it has " + std::to_string(octets) +
                  " octets");
    }
    out.stag = in.stag();
    out.to = in.to();
    out.source_stag = in.source_stag();
    out.source_to = in.source_to();
    if (in.has_atomic()) {
      if (in.atomic().operation() > 15) return fail("an atomic operation has four bits");
      wire::AtomicRequest& atomic = out.atomic.emplace();
      atomic.operation = static_cast<std::uint8_t>(in.atomic().operation());
      atomic.request_id = in.atomic().request_id();
      atomic.remote_stag = out.stag;
      atomic.remote_to = out.to;
      atomic.add_swap_data = in.atomic().add_swap_data();
      atomic.add_swap_mask = in.atomic().add_swap_mask();
      atomic.compare_data = in.atomic().compare_data();
      atomic.compare_mask = in.atomic().compare_mask();
      atomic.reserved = in.atomic().reserved();
    } else if (out.kind == WorkKind::atomic) {
      return fail("it is an atomic and does not say which");
    }
    if (in.has_original()) out.original = in.original();
    out.immediate = in.immediate();
    if (!take(in.terminate(), max_rdmap_header, out.terminate)) return false;
    if (in.terminate_code() > 0xffff) return fail("a Terminate's code has 16 bits");
    out.terminate_code = static_cast<std::uint16_t>(in.terminate_code());
    if (in.has_quoted() && !find_work(stream, in.quoted(), out.quoted.emplace(), "quotes")) return false;
    if (in.has_quoted_to()) out.quoted_to = in.quoted_to();
    out.msn = in.msn();
    out.segments.assign(in.segment().begin(), in.segment().end());
    std::uint64_t cut = 0;
    for (const std::uint32_t segment : out.segments) cut += segment;
    if (!out.segments.empty() && (!sends || cut > out.length))
      return fail("its segments are longer than it is");
    for (const proto::Wait& wait : in.after()) {
      if (!take(wait, stream, out.waits.emplace_back())) return false;
    }
    out.first_frame = in.first_frame();
    out.frame = in.frame();
    out.time_ns = in.time_ns();
    return take(in.mention(), octets, out.mentions);
  }

  bool take(const proto::Missing& in, Missing& out, std::uint32_t stream) {
    if (!take_enum(in.lack(), Lack::memory, out.lack, "lack")) return false;
    if (!take_enum(in.role(), Role::responder, out.role, "role")) return false;
    int reason = 0;
    while (reason < static_cast<int>(Reason::count) &&
           in.reason() != reason_name(static_cast<Reason>(reason)))
      ++reason;
    if (reason == static_cast<int>(Reason::count)) return fail("'" + in.reason() + "' is no reason");
    out.reason = static_cast<Reason>(reason);
    out.frame = in.frame();
    if (in.has_work() && !find_work(stream, in.work(), out.work.emplace(), "misses octets of")) return false;
    out.offset = in.offset();
    out.length = in.length();
    return true;
  }

  bool take(const proto::Violation& in, PlannedViolation& out) {
    out.check = in.check();
    int severity = 0;
    while (severity <= static_cast<int>(Severity::error) &&
           in.severity() != severity_name(static_cast<Severity>(severity))) {
      ++severity;
    }
    if (severity > static_cast<int>(Severity::error)) return fail("'" + in.severity() + "' is no severity");
    out.severity = static_cast<Severity>(severity);
    if (!take_enum(in.role(), Role::responder, out.role, "role")) return false;
    out.frame = in.frame();
    out.text = in.text();
    return true;
  }

  bool take(const proto::Host& in, PlannedHost& out) {
    const std::string name = place_;
    if (!take(in.address(), out.address)) return false;
    for (int i = 0; i < in.region_size(); ++i) {
      place_ = name + ", region " + std::to_string(i);
      if (!take(in.region(i), out.regions.emplace_back())) return false;
    }
    for (int i = 0; i < in.store_size(); ++i) {
      place_ = name + ", store " + std::to_string(i);
      const proto::Store& store = in.store(i);
      PlannedStore& made = out.stores.emplace_back();
      if (store.region() >= out.regions.size()) return fail("names a region that is not there");
      made.region = store.region();
      made.to = store.to();
      if (!take(store.before(), made.before)) return false;
      if (!take_memory(store.octets(), out.regions[made.region], made.to, made.content)) return false;
    }
    return true;
  }

  // Octets that must lie in the region.
  bool take_memory(const RepeatedPtrField<proto::Piece>& in, const PlannedRegion& region, std::uint64_t to,
                   Content& out) {
    if (!take(in, limits_.region_octets, out)) return false;
    const std::uint64_t length = length_of(out);
    if (to < region.base || to - region.base > region.length || length > region.length - (to - region.base)) {
      return fail("its octets do not lie in the region");
    }
    return true;
  }

  bool take(const proto::Region& in, PlannedRegion& out) {
    out.stag = in.stag();
    out.generation = in.generation();
    out.base = in.base();
    out.length = in.length();
    if (out.length > limits_.region_octets)
      return fail("it is longer than " + std::to_string(limits_.region_octets));
    if (out.length > 0 && out.base + (out.length - 1) < out.base) return fail("it goes beyond 2^64");
    out.rights = static_cast<std::uint8_t>(
        (in.remote_read() ? remote_read : 0) | (in.remote_write() ? remote_write : 0) |
        (in.read_sink() ? read_sink : 0) | (in.atomic() ? atomic_target : 0));
    out.bounds_known = in.bounds_known();
    out.foreign = in.foreign();
    if (in.has_advertised() && !take(in.advertised(), out.advertised.emplace())) return false;
    if (in.has_advertised_in_startup() &&
        !find_stream(in.advertised_in_startup(), out.advertised_in_startup.emplace())) {
      return false;
    }
    if (in.has_first_use() && !take(in.first_use(), out.first_use.emplace())) return false;
    if (in.has_invalidated() && !take(in.invalidated(), out.invalidated.emplace())) return false;
    for (const proto::Initial& initial : in.initial()) {
      InitialOctets& made = out.initial.emplace_back();
      made.to = initial.to();
      if (!take_memory(initial.octets(), out, made.to, made.content)) return false;
    }
    return true;
  }

  const proto::Plan& in_;
  const PlanLimits& limits_;
  Plan& plan_;
  std::unordered_map<std::uint32_t, std::uint32_t> streams_;
  std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> works_;
  std::string place_;
  std::string error_;
};

}  // namespace

bool from_proto(const proto::Plan& in, const PlanLimits& limits, Plan& plan, std::string& error) {
  Reader reader(in, limits, plan);
  if (reader.read()) return true;
  error = reader.error();
  return false;
}

}  // namespace iwarp::replay
