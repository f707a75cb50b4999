// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/plan_proto.hpp"

namespace iwarp::replay {
namespace {

void put(const Content& content, google::protobuf::RepeatedPtrField<proto::Piece>& out) {
  for (const Piece& piece : content) {
    proto::Piece& made = *out.Add();
    if (piece.seeded) {
      made.set_seeded(piece.source);
    } else {
      made.set_payload(static_cast<std::uint32_t>(piece.source));
    }
    made.set_offset(piece.offset);
    made.set_length(piece.length);
  }
}

void put(const WorkRef& ref, proto::WorkRef& out) {
  out.set_stream(ref.stream);
  out.set_work(ref.work);
}

void put(const std::vector<Mention>& mentions, google::protobuf::RepeatedPtrField<proto::Mention>& out) {
  for (const Mention& mention : mentions) {
    proto::Mention& made = *out.Add();
    made.set_at(mention.offset);
    made.set_stag(mention.stag);
    made.set_form(static_cast<proto::Form>(mention.form));
    made.set_layout(static_cast<proto::Layout>(mention.layout));
    made.set_by_owner(mention.by_owner);
    if (mention.to_offset) made.set_to_at(*mention.to_offset);
    made.set_to(mention.to);
    if (mention.length_offset) made.set_length_at(*mention.length_offset);
    made.set_length_size(mention.length_size);
    made.set_length(mention.length.value_or(0));
  }
}

void put(ByteView octets, proto::Octets& out) {
  out.set_raw(octets.data(), octets.size());
}

proto::Role role_of(Role role) {
  return static_cast<proto::Role>(role);
}

void put(const PlannedHost& host, proto::Host& out) {
  out.set_address(to_string(host.address));
  for (const PlannedRegion& region : host.regions) {
    proto::Region& made = *out.add_region();
    made.set_stag(region.stag);
    made.set_generation(region.generation);
    made.set_base(region.base);
    made.set_length(region.length);
    made.set_remote_read((region.rights & remote_read) != 0);
    made.set_remote_write((region.rights & remote_write) != 0);
    made.set_read_sink((region.rights & read_sink) != 0);
    made.set_atomic((region.rights & atomic_target) != 0);
    made.set_bounds_known(region.bounds_known);
    made.set_foreign(region.foreign);
    if (region.advertised) put(*region.advertised, *made.mutable_advertised());
    if (region.advertised_in_startup) made.set_advertised_in_startup(*region.advertised_in_startup);
    if (region.first_use) put(*region.first_use, *made.mutable_first_use());
    if (region.invalidated) put(*region.invalidated, *made.mutable_invalidated());
    for (const InitialOctets& initial : region.initial) {
      proto::Initial& part = *made.add_initial();
      part.set_to(initial.to);
      put(initial.content, *part.mutable_octets());
    }
  }
  for (const PlannedStore& store : host.stores) {
    proto::Store& made = *out.add_store();
    made.set_region(store.region);
    made.set_to(store.to);
    put(store.before, *made.mutable_before());
    put(store.content, *made.mutable_octets());
  }
}

void put(const PlannedStartup& startup, proto::Startup& out) {
  out.set_revision(startup.revision);
  out.set_markers(startup.markers);
  out.set_crc(startup.crc);
  out.set_rejected(startup.rejected);
  out.set_reserved_flags(startup.reserved_flags);
  if (startup.word) {
    proto::Word& word = *out.mutable_word();
    word.set_peer_to_peer(startup.word->peer_to_peer);
    word.set_rtr_send(startup.word->rtr_send);
    word.set_rtr_write(startup.word->rtr_write);
    word.set_rtr_read(startup.word->rtr_read);
    word.set_ird(startup.word->ird);
    word.set_ord(startup.word->ord);
  }
  if (startup.smbd) {
    out.mutable_smbd()->set_ird((*startup.smbd)[0]);
    out.mutable_smbd()->set_ord((*startup.smbd)[1]);
  }
  if (!startup.private_data.empty()) put(startup.private_data, *out.mutable_private_data());
  out.set_private_data_unknown(!startup.private_data_known);
  put(startup.mentions, *out.mutable_mention());
  out.set_frame(startup.frame);
  out.set_time_ns(startup.time_ns);
}

void put(const Wait& wait, std::uint32_t own_stream, proto::Wait& out) {
  switch (wait.what) {
    case WaitFor::received: out.set_received(wait.work.work); break;
    case WaitFor::placed: out.set_placed(wait.work.work); break;
    case WaitFor::completed: out.set_completed(wait.work.work); break;
    case WaitFor::closed: out.set_closed(wait.work.work); break;
  }
  if (wait.work.stream != own_stream) out.set_stream(wait.work.stream);
}

void put(const PlannedWork& work, std::uint32_t stream, std::uint32_t id, proto::Work& out) {
  out.set_id(id);
  out.set_by(role_of(work.role));
  out.set_kind(static_cast<proto::Kind>(work.kind));
  out.set_outcome(static_cast<proto::Outcome>(work.outcome));
  out.set_rtr(work.rtr);
  out.set_deduced(work.deduced);
  out.set_length(work.length);
  out.set_stag(work.stag);
  out.set_to(work.to);
  out.set_source_stag(work.source_stag);
  out.set_source_to(work.source_to);
  if (work.atomic) {
    proto::Atomic& atomic = *out.mutable_atomic();
    atomic.set_operation(work.atomic->operation);
    atomic.set_request_id(work.atomic->request_id);
    atomic.set_add_swap_data(work.atomic->add_swap_data);
    atomic.set_add_swap_mask(work.atomic->add_swap_mask);
    atomic.set_compare_data(work.atomic->compare_data);
    atomic.set_compare_mask(work.atomic->compare_mask);
    atomic.set_reserved(work.atomic->reserved);
  }
  if (work.original) out.set_original(*work.original);
  out.set_immediate(work.immediate);
  if (!work.terminate.empty()) put(work.terminate, *out.mutable_terminate());
  out.set_terminate_code(work.terminate_code);
  if (work.quoted) out.set_quoted(*work.quoted);
  if (work.quoted_to) out.set_quoted_to(*work.quoted_to);
  out.set_msn(work.msn);
  for (const std::uint32_t segment : work.segments) out.add_segment(segment);
  for (const Wait& wait : work.waits) put(wait, stream, *out.add_after());
  put(work.content, *out.mutable_octets());
  put(work.mentions, *out.mutable_mention());
  out.set_first_frame(work.first_frame);
  out.set_frame(work.frame);
  out.set_time_ns(work.time_ns);
}

void put(const PlannedStream& stream, std::uint32_t id, proto::Stream& out) {
  out.set_id(id);
  out.set_number(stream.number);
  out.set_attempt(stream.attempt);
  for (const std::size_t role : {0U, 1U}) {
    proto::End& end = role == 0 ? *out.mutable_initiator() : *out.mutable_responder();
    end.set_address(to_string(stream.endpoints[role].address));
    end.set_port(stream.endpoints[role].port);
    end.set_host(stream.hosts[role]);
    end.set_markers(stream.markers[role]);
    end.set_mss(stream.mss[role]);
    end.set_mulpdu(stream.mulpdu[role]);
    if (stream.startup[role]) put(*stream.startup[role], *end.mutable_startup());
  }
  out.set_role_basis(static_cast<proto::RoleBasis>(stream.role_basis));
  out.set_opened_by(role_of(stream.opened_by));
  out.set_accepted(stream.accepted);
  out.set_midstream(stream.midstream);
  out.set_left_open(stream.left_open);
  out.set_rtr(static_cast<proto::Rtr>(stream.rtr));
  out.set_crc(stream.crc);
  for (std::uint32_t i = 0; i < stream.work.size(); ++i) put(stream.work[i], id, i, *out.add_work());
  for (const Missing& missing : stream.missing) {
    proto::Missing& made = *out.add_missing();
    made.set_lack(static_cast<proto::Lack>(missing.lack));
    made.set_reason(reason_name(missing.reason));
    made.set_role(role_of(missing.role));
    made.set_frame(missing.frame);
    if (missing.work) made.set_work(*missing.work);
    made.set_offset(missing.offset);
    made.set_length(missing.length);
  }
  for (const PlannedViolation& violation : stream.violations) {
    proto::Violation& made = *out.add_violation();
    made.set_check(violation.check);
    made.set_severity(severity_name(violation.severity));
    made.set_role(role_of(violation.role));
    made.set_frame(violation.frame);
    made.set_text(violation.text);
  }
}

}  // namespace

void to_proto(const Plan& plan, proto::Plan& out) {
  static_assert(static_cast<int>(WorkKind::rst) == proto::RST &&
                static_cast<int>(Lack::memory) == proto::MEMORY);
  static_assert(static_cast<int>(StagLayout::perftest) == proto::PERFTEST);
  static_assert(static_cast<int>(OperationStatus::unknown) == proto::UNKNOWN);
  static_assert(static_cast<int>(RtrKind::send) == proto::RTR_SEND &&
                static_cast<int>(RoleBasis::mpa) == proto::MPA);
  out.set_format(plan_format);
  out.set_version(plan_version);
  out.set_source(plan.source);
  out.set_start_ns(plan.start_ns);
  out.set_seed(plan.seed);
  out.set_anonymised(plan.anonymised);
  for (const PlannedHost& host : plan.hosts) put(host, *out.add_host());
  for (std::uint32_t i = 0; i < plan.streams.size(); ++i) put(plan.streams[i], i, *out.add_stream());
}

}  // namespace iwarp::replay
