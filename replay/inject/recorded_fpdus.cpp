// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/recorded_fpdus.hpp"

#include <algorithm>
#include <optional>

#include "inject/edit.hpp"
#include "inject/passing.hpp"

namespace iwarp::replay {
namespace {

// A message, by the work that makes it, or the request that a response answers.
struct MessageName {
  bool response = false;
  std::uint32_t number = 0;  // work of the plan; of responses: how many came before

  auto operator<=>(const MessageName&) const = default;
};

// What the RNIC has for a message: how it is called in this run, and its octets.
struct LiveMessage {
  std::optional<wire::DdpHeader> first;  // of its first segment
  Bytes octets;
  std::size_t taken = 0;  // of them, by recorded FPDUs
  bool whole = false;
};

// A recorded FPDU, and which message it is of.
struct Line {
  const KeptFpdu* fpdu = nullptr;
  MessageName message;
  std::uint32_t base_stag = 0;  // what the recorded message should have named
  std::uint64_t base_to = 0;
};

// Of these requests and responses the RNIC knows names and identifiers alone.
void put_names(Bytes& live, const KeptFpdu& fpdu, std::uint32_t recorded_request) {
  constexpr std::size_t request_begin = 4;  // Request Identifier, Remote STag, Remote TO (RFC 7306 §5.2.1)
  constexpr std::size_t request_end = 20;
  const Bytes& recorded = fpdu.octets;
  if (recorded.size() != fpdu.length || recorded.size() < 4) return;
  if (fpdu.header.opcode() == wire::Opcode::atomic_request && live.size() >= request_end) {
    Bytes made = recorded;
    for (std::size_t i = request_begin; i < std::min(request_end, made.size()); ++i) made[i] = live[i];
    live = made;
  } else if (fpdu.header.opcode() == wire::Opcode::atomic_response && live.size() >= 4) {
    store_be32(live.data(), load_be32(live.data()) + (load_be32(recorded.data()) - recorded_request));
  }
}

}  // namespace

// One role of one stream. The RNIC's messages come in the order of this run and wait for their turn in the
// recorded one.
class RecordedFpdus::Side final : public rnic::Mutator {
 public:
  Side(const PlannedStream& stream, Role role, const ReplayOptions& options)
      : stream_(stream), tracker_(stream, role, options) {
    for (std::uint32_t i = 0; i < stream.work.size(); ++i) {
      const PlannedWork& work = stream.work[i];
      const bool request = work.kind == WorkKind::read || work.kind == WorkKind::atomic;
      if (work.role != role && request && !work.rtr) requests_.push_back(i);
    }
    for (const PlannedMessage& each : messages_of(stream, role, options)) {
      if (each.subject == read_response || each.subject == atomic_response) continue;
      numbers_.push_back(each.work);
    }
    list_lines(role);
  }

  [[nodiscard]] std::size_t unsent() const noexcept { return lines_.size() - next_; }

  void fpdu(rnic::StreamId /*stream*/, Bytes& ulpdu, rnic::Framing& framing) override {
    const Passing passing = tracker_.take(ulpdu);
    if (passing.subject == rtr_message && rtr_ != nullptr) frame(*rtr_, framing);
    if (passing.subject == rtr_message || (passing.answers != 0 && passing.number == 0)) return;
    if (passing.subject == terminate_message) return pass_terminate(framing);
    const bool response = passing.subject == read_response || passing.subject == atomic_response;
    if (passing.number == 0 || (!response && passing.number > numbers_.size())) return;
    const MessageName name{response, response ? passing.number - 1 : numbers_[passing.number - 1]};
    LiveMessage& message = messages_[name];
    if (!message.first) message.first = passing.header;
    const ByteView octets = ByteView(ulpdu).subspan(passing.header.size());
    message.octets.insert(message.octets.end(), octets.begin(), octets.end());
    message.whole = passing.header.last();
    framing.copies = 0;
    send_what_is_due(ulpdu, framing);
  }

 private:
  void list_lines(Role role) {
    std::uint32_t responses = 0;
    std::map<MessageName, const KeptFpdu*> begun;
    // What answers the ready-to-receive message is the RNIC's affair, as that is.
    bool of_rtr = role == Role::responder && stream_.rtr == RtrKind::read;
    for (const KeptFpdu& each : stream_.kept) {
      if (each.role != role) continue;
      if (!each.work && of_rtr) {
        of_rtr = !each.header.last();
        continue;
      }
      Line line{&each, {!each.work, each.work.value_or(responses)}, each.header.stag, each.header.to};
      if (each.work && stream_.work[*each.work].rtr) {
        rtr_ = &each;
        continue;
      }
      if (!each.work && responses < requests_.size()) {
        line.base_stag = stream_.work[requests_[responses]].stag;
        line.base_to = stream_.work[requests_[responses]].to;
      } else if (each.work) {
        const KeptFpdu* const first = begun.try_emplace(line.message, &each).first->second;
        line.base_stag = first->header.stag;
        line.base_to = first->header.to;
      }
      if (!each.work && each.header.last()) ++responses;
      lines_.push_back(line);
    }
  }

  // What no RNIC sends behind its Terminate goes with it.
  void pass_terminate(rnic::Framing& framing) {
    const auto is_terminate = [](const Line& line) {
      return line.fpdu->header.opcode() == wire::Opcode::terminate;
    };
    const auto found =
        std::find_if(lines_.begin() + static_cast<std::ptrdiff_t>(next_), lines_.end(), is_terminate);
    if (found == lines_.end()) return;
    for (auto line = found + 1; line != lines_.end(); ++line) {
      if (line->fpdu->octets.size() != line->fpdu->length) break;
      framing.behind.push_back({segment(line->fpdu->header, line->fpdu->octets), false});
    }
    next_ = lines_.size();
  }

  // Of several the last one is framed as it was; nothing was wrong with the framing of the others.
  void send_what_is_due(Bytes& ulpdu, rnic::Framing& framing) {
    const KeptFpdu* last = nullptr;
    Bytes last_ulpdu;
    for (; next_ < lines_.size(); ++next_) {
      const Line& line = lines_[next_];
      const auto found = messages_.find(line.message);
      if (found == messages_.end() || !found->second.whole) break;
      if (last != nullptr) framing.before.push_back({std::move(last_ulpdu), false});
      last_ulpdu = ulpdu_of(line, found->second);
      last = line.fpdu;
    }
    if (last == nullptr) return;
    ulpdu = std::move(last_ulpdu);
    framing.copies = 1;
    frame(*last, framing);
  }

  static void frame(const KeptFpdu& fpdu, rnic::Framing& framing) {
    framing.crc_xor = fpdu.crc_xor;
    framing.pad = fpdu.pad;
    framing.pointer_delta = fpdu.pointer_delta;
    framing.marker_reserved = fpdu.marker_reserved;
  }

  [[nodiscard]] Bytes ulpdu_of(const Line& line, LiveMessage& message) const {
    const KeptFpdu& fpdu = *line.fpdu;
    if (fpdu.work && stream_.work[*fpdu.work].stands_in) return segment(fpdu.header, fpdu.octets);
    wire::DdpHeader header = fpdu.header;
    const wire::DdpHeader& live = *message.first;
    if (header.tagged() && live.tagged()) {
      header.stag = live.stag + (header.stag - line.base_stag);
      header.to = live.to + (header.to - line.base_to);
    } else if (!header.tagged() && wire::invalidates(header.opcode())) {
      header.stag = live.stag;
    }
    if (fpdu.verbatim) return segment(header, fpdu.octets);
    // Of a Send MO says where they stand.
    std::size_t begin = message.taken;
    if (wire::is_send(header.opcode())) begin = std::min<std::size_t>(header.mo, message.octets.size());
    const std::size_t own = std::min<std::size_t>(message.octets.size() - begin, fpdu.length);
    const auto from = message.octets.begin() + static_cast<std::ptrdiff_t>(begin);
    Bytes octets(from, from + static_cast<std::ptrdiff_t>(own));
    message.taken = begin + own;
    put_names(octets, fpdu, recorded_request_of(line));
    for (std::size_t i = octets.size(); i < fpdu.length; ++i)
      octets.push_back(i < fpdu.octets.size() ? fpdu.octets[i] : Byte{0});
    return segment(header, octets);
  }

  [[nodiscard]] std::uint32_t recorded_request_of(const Line& line) const {
    if (!line.message.response || line.message.number >= requests_.size()) return 0;
    const PlannedWork& request = stream_.work[requests_[line.message.number]];
    return request.atomic ? request.atomic->request_id : 0;
  }

  const PlannedStream& stream_;
  PassingTracker tracker_;
  std::vector<std::uint32_t> requests_;  // the peer's, which the responses answer
  std::vector<std::uint32_t> numbers_;   // works, by Passing::number - 1
  const KeptFpdu* rtr_ = nullptr;        // the ready-to-receive message
  std::vector<Line> lines_;
  std::size_t next_ = 0;
  std::map<MessageName, LiveMessage> messages_;
};

RecordedFpdus::RecordedFpdus(const Plan& plan, const ReplayOptions& options)
    : plan_(plan), options_(options) {}
RecordedFpdus::~RecordedFpdus() = default;

void RecordedFpdus::add(std::uint32_t stream, Role role) {
  sides_[{stream, role}] = std::make_unique<Side>(plan_.streams[stream], role, options_);
}

std::function<rnic::Mutator*(std::uint32_t, Role)> RecordedFpdus::hook(
    std::function<rnic::Mutator*(std::uint32_t, Role)> next) {
  return [this, next = std::move(next)](std::uint32_t stream, Role role) -> rnic::Mutator* {
    const auto found = sides_.find({stream, role});
    if (found != sides_.end()) return found->second.get();
    return next ? next(stream, role) : nullptr;
  };
}

void RecordedFpdus::begin_again() {
  for (auto& [key, side] : sides_)
    side = std::make_unique<Side>(plan_.streams[key.first], key.second, options_);
}

std::map<std::pair<std::uint32_t, Role>, std::size_t> RecordedFpdus::unsent() const {
  std::map<std::pair<std::uint32_t, Role>, std::size_t> all;
  for (const auto& [key, side] : sides_) {
    if (side->unsent() != 0) all[key] = side->unsent();
  }
  return all;
}

}  // namespace iwarp::replay
