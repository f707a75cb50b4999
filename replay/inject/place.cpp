// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/place.hpp"

#include <algorithm>
#include <charconv>

#include <iwarp/export/names.hpp>

#include "engine/startup_parameters.hpp"

namespace iwarp::replay {
namespace {

constexpr std::uint64_t surely_one_segment = 400;  // whatever the MSS

bool is_number(std::string_view word, std::uint32_t& out) {
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), out);
  return parsed.ec == std::errc() && parsed.ptr == word.data() + word.size();
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char each : text) {
    if (each == ',') {
      parts.emplace_back();
    } else {
      parts.back() += each;
    }
  }
  return parts;
}

bool parse_place(const std::string& text, Place& place) {
  const std::vector<std::string> parts = parts_of(text);
  if (parts.size() > 4) return false;
  std::uint32_t number = 0;
  if (!parts[0].empty()) {
    if (!is_number(parts[0], number)) return false;
    place.stream = number;
  }
  if (parts.size() > 1 && !parts[1].empty()) {
    if (parts[1] == "initiator" || parts[1] == "i") {
      place.role = Role::initiator;
    } else if (parts[1] == "responder" || parts[1] == "r") {
      place.role = Role::responder;
    } else {
      return false;
    }
  }
  if (parts.size() > 2 && !parts[2].empty() && (!is_number(parts[2], place.message) || place.message == 0))
    return false;
  return parts.size() < 4 || parts[3].empty() || (is_number(parts[3], place.fpdu) && place.fpdu != 0);
}

// Who ends the stream, or terminates it, first.
std::optional<Role> first_by(const PlannedStream& stream, bool terminates) {
  for (const PlannedWork& work : stream.work) {
    if (terminates ? work.kind == WorkKind::terminate : is_close(work.kind)) return work.role;
  }
  return std::nullopt;
}

// Why the stream's start-up does not do; with what to do about it.
std::string lacking(const Breach& breach, const PlannedStream& stream, Role role,
                    const ReplayOptions& options) {
  const Needs& needs = breach.needs;
  const rnic::StreamParameters own = stream_parameters(stream, role, options, 1460);
  const rnic::StreamParameters peer = stream_parameters(stream, other(role), options, 1460);
  const bool initiates = role == Role::initiator;
  const rnic::MpaParameters& asking = initiates ? own.mpa : peer.mpa;
  const bool enhanced = asking.revision >= 2 && asking.enhanced;
  const bool peer_to_peer = rtr_kind(stream, options) != RtrKind::none;
  if (stream.startup[0] && !stream.accepted) return "a stream whose Request was accepted";
  if (needs.markers && !peer.mpa.markers) return "markers in what it sends: --markers on";
  if (needs.no_markers && peer.mpa.markers) return "no markers: --markers off";
  if (needs.crc && !own.mpa.crc && !peer.mpa.crc) return "CRC: --crc on";
  if (needs.enhanced && !enhanced) return "IRD and ORD to be negotiated: --mpa-rev 2";
  if (needs.peer_to_peer && !peer_to_peer) return "a ready-to-receive message: --rtr write";
  if (needs.not_peer_to_peer && peer_to_peer) return "no ready-to-receive message: --mpa-rev 1";
  if (needs.initiator && !initiates) return "the role of the initiator";
  if (needs.peer_closes && first_by(stream, false) != other(role)) return "a peer that closes first";
  if (needs.peer_closes && first_by(stream, true)) return "a stream that no Terminate ends";
  if (needs.peer_terminates && first_by(stream, true) != other(role)) return "a peer that terminates";
  if (!needs.peer_terminates && first_by(stream, true)) return "a stream that no Terminate ends";
  return {};
}

bool fits(const PlannedMessage& message, const Breach& breach) {
  const Needs& needs = breach.needs;
  if ((message.subject & breach.subjects) == 0) return false;
  const bool counted = message.subject == send_message || message.subject == write_message ||
                       message.subject == read_response || message.subject == read_message;
  if (needs.payload != 0 && (!counted || message.length < needs.payload)) return false;
  if (needs.empty && message.length != 0) return false;
  if (needs.single && message.length > surely_one_segment) return false;
  if (needs.several && message.length < 2920) return false;
  if (needs.messages > 1 && !message.parallel) return false;
  if (needs.first && !message.first_of_queue) return false;
  if (needs.later && message.first_of_queue) return false;
  if (needs.idle && !message.idle) return false;
  if (needs.pad) {
    const bool tagged = message.subject == write_message || message.subject == read_response;
    if (message.subject != send_message && !tagged) return false;
    const std::uint64_t header = tagged ? wire::tagged_header_size : wire::untagged_header_size;
    if (message.length > surely_one_segment ||
        wire::pad_size(static_cast<std::uint32_t>(header + message.length)) == 0)
      return false;
  }
  return true;
}

// The message, in words: "a Send of at least 4 octets, not the first of its queue".
std::string wish(const Breach& breach) {
  const Needs& needs = breach.needs;
  std::string text = subjects_of(breach);
  if (needs.payload > 0)
    text += " of at least " + std::to_string(needs.payload) + (needs.payload == 1 ? " octet" : " octets");
  if (needs.empty) text += " without octets";
  if (needs.single) text += ", in one segment";
  if (needs.several) text += ", in several segments";
  if (needs.messages > 1) text += ", followed by another one that does not wait for it";
  if (needs.first) text += ", the first of its queue";
  if (needs.later) text += ", not the first of its queue";
  if (needs.idle) text += ", while no RDMA Read or Atomic is open";
  if (needs.pad) text += ", with PAD";
  return text;
}

constexpr std::size_t most_in_a_stream = 4;

// Nothing: `lack` says why.
std::vector<Injection> places_in(const Wanted& wanted, const Plan& plan, std::uint32_t number, Role role,
                                 const ReplayOptions& options, std::string& lack) {
  const Breach& breach = *wanted.breach;
  const PlannedStream& stream = plan.streams[number];
  const bool frame = breach.frame != nullptr;
  const bool rtr = (breach.subjects & rtr_message) != 0;
  const Subject own_frame = role == Role::initiator ? request_frame : reply_frame;
  if (frame && (breach.subjects & own_frame) == 0) {
    lack = std::string("the role of the ") + role_name(other(role));
    return {};
  }
  lack =
      rtr && role != Role::initiator ? "the role of the initiator" : lacking(breach, stream, role, options);
  if (!lack.empty()) return {};
  Injection injection{wanted.breach, number, role, send_message, 0, wanted.place.fpdu};
  const std::vector<PlannedMessage> messages = messages_of(stream, role, options);
  if (frame && breach.needs.messages > 1) {
    const bool any = std::ranges::any_of(
        messages, [](const PlannedMessage& each) { return each.subject == read_message && each.parallel; });
    if (!any) lack = "two RDMA Reads at once";
    if (!any) return {};
  }
  const bool numbered = !frame && !rtr && breach.last == nullptr && !breach.needs.opening;
  if (!numbered && wanted.place.message != 0) {
    lack = "no number of a message: it is about " +
           std::string(breach.needs.opening ? "the first FPDU" : subjects_of(breach));
    return {};
  }
  if (frame) injection.subject = own_frame;
  if (rtr) injection.subject = rtr_message;
  if (breach.last != nullptr) injection.subject = end_of_stream;
  if (frame || rtr || breach.last != nullptr) return {injection};
  if (breach.needs.opening) {
    if (!messages.empty()) return {injection};
    lack = "anything to send";
    return {};
  }
  std::vector<Injection> all;
  for (const PlannedMessage& each : messages) {
    if (wanted.place.message != 0 && each.number != wanted.place.message) continue;
    if (!fits(each, breach)) continue;
    injection.subject = each.subject;
    injection.message = each.number;
    all.push_back(injection);
    if (all.size() == most_in_a_stream) break;
  }
  if (all.empty()) lack = wish(breach);
  return all;
}

}  // namespace

std::optional<Wanted> parse_wanted(const std::string& text, std::string& error) {
  const std::size_t at = text.find('@');
  const std::string name = text.substr(0, at);
  Wanted wanted;
  wanted.breach = find_breach(name);
  if (wanted.breach == nullptr) {
    for (const NoBreach& each : no_breaches()) {
      if (name != check_info(each.check).id) continue;
      error = name + " cannot be injected: " + each.why;
      return std::nullopt;
    }
    error = "there is no fault '" + name + "'; --inject list shows all";
    return std::nullopt;
  }
  if (at != std::string::npos && !parse_place(text.substr(at + 1), wanted.place)) {
    error = "'" + text.substr(at + 1) +
            "' is no place: stream,initiator|responder,message[,fpdu], such as 0,initiator,3";
    return std::nullopt;
  }
  return wanted;
}

std::string describe(const Injection& injection, const Plan& plan) {
  std::string text = injection.breach->name();
  if (injection.message != 0) {
    text += std::string(" in ") + subject_name(injection.subject);
    text += " (message " + std::to_string(injection.message) + ")";
    if (injection.fpdu > 1) text += ", FPDU " + std::to_string(injection.fpdu) + ",";
  }
  return text + " of the " + role_name(injection.role) + " of stream " +
         std::to_string(plan.streams[injection.stream].number);
}

std::vector<Injection> places(const Wanted& wanted, const Plan& plan,
                              const std::vector<std::uint32_t>& streams, const std::array<bool, 2>& plays,
                              const ReplayOptions& options, std::size_t most, std::string& error) {
  std::vector<Injection> all;
  std::string first_lack;
  bool there = false;
  for (const std::uint32_t number : streams) {
    if (wanted.place.stream && plan.streams[number].number != *wanted.place.stream) continue;
    there = true;
    for (const Role role : {Role::initiator, Role::responder}) {
      if (wanted.place.role && role != *wanted.place.role) continue;
      if (!plays[static_cast<std::size_t>(role)]) continue;
      std::string lack;
      for (const Injection& each : places_in(wanted, plan, number, role, options, lack)) {
        all.push_back(each);
        if (all.size() == most) return all;
      }
      // What is missing says more than who.
      if (first_lack.empty() || first_lack.starts_with("the role")) first_lack = lack;
    }
  }
  if (!all.empty()) return all;
  if (!there) {
    error = "no stream is run that " + wanted.breach->name() + " could be injected into";
  } else if (first_lack.empty()) {
    error = wanted.breach->name() + " needs a role that is not played here";
  } else {
    error = wanted.breach->name() + " needs " + first_lack +
            (wanted.place.message != 0 && !first_lack.starts_with("no number")
                 ? "; message " + std::to_string(wanted.place.message) + " is no such message"
                 : "");
  }
  return {};
}

void provide(const Breach& breach, ReplayOptions& options) {
  StartupOverrides& overrides = options.startup;
  const Needs& needs = breach.needs;
  const auto set = [](auto& option, auto value) {
    if (!option) option = value;
  };
  for (std::optional<bool>& each : overrides.markers) {
    if (needs.markers) set(each, true);
    if (needs.no_markers) set(each, false);
  }
  if (needs.crc) set(overrides.crc, true);
  if (needs.enhanced || needs.peer_to_peer) set(overrides.revision, std::uint8_t{2});
  if (needs.peer_to_peer) set(overrides.rtr, RtrKind::write);
}

}  // namespace iwarp::replay
