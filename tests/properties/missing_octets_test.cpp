// What was not captured is null: every value of every record of a damaged capture is the one
// of the whole capture, or null. Never left out, never 0, never a guess. Captures are cut at every
// snapshot length, lack every single frame, one direction, or their beginning.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <iwarp/export/record.hpp>
#include <iwarp/export/writers.hpp>
#include <nlohmann/json.hpp>

#include "support/capture_damage.hpp"
#include "support/conversation.hpp"
#include "support/pcap_file.hpp"

namespace iwarp::test {
namespace {

using nlohmann::json;

// --- the traffic -----------------------------------------------------------------------------------------

constexpr std::size_t segment_size = 1000;

struct Traffic {
  const char* name;
  Startup request;
  Startup reply;
  enum End {
    fin,
    terminate,
    silence
  } end;
  bool alike = false;  // all Reads ask for the same, and only their order tells whose response is whose
};

Packets all(Conversation& c, Side side, const std::vector<Bytes>& ulpdus) {
  const Packets sent = c.fpdus(side, ulpdus);
  c.ack(other(side));
  return sent;
}

// Reads that wait for each other, one of them answered in one segment; Writes, Sends, Atomics, Immediates, of
// one segment and of several, both ways.
Conversation conversation_of(const Traffic& traffic) {
  const Side a = Side::a;
  const Side b = Side::b;
  Conversation c;
  c.handshake();
  c.startup(traffic.request, traffic.reply);
  std::uint32_t queue_1 = 1;
  if (traffic.request.word && traffic.request.word->peer_to_peer) {
    all(c, a, {read_request(queue_1++, {})});
    all(c, b, {read_response(0, 0)});
  }
  all(c, a, {send(1, text("hello"))});
  all(c, b, {send(1, pattern(300))});
  const Read first = {0x1101, 0x10000, 3000, 0x2201, 0x7f0000000000};
  const Read second = traffic.alike ? first : Read{0x1101, 0x20000, 500, 0x2202, 0x100};
  const Read third = traffic.alike ? first : Read{0x1103, 0x5000, 2000, 0x2203, 0x7f0000001000};
  const auto answer = [&](const Read& read, std::uint32_t seed) {
    return all(c, b,
               read_response_segments(read.sink_stag, read.sink_to, pattern(read.size, seed), segment_size));
  };
  all(c, a, {read_request(queue_1++, first)});
  const auto crossing = [&c](Packets request, Packets answered) {  // it was on its way when the request came
    const auto octets = static_cast<std::uint32_t>(c.packet(request).octets.size());
    for (std::size_t i = 0; i < answered.count; ++i) c.packet(answered[i]).meta.acknowledgement -= octets;
  };
  const Packets second_request = all(c, a, {read_request(queue_1++, second)});
  crossing(second_request, answer(first, 1));
  const Packets third_request = all(c, a, {read_request(queue_1++, third)});
  crossing(third_request, answer(second, 2));
  all(c, a, write_segments(0x3301, 0x4000, pattern(2500, 3), segment_size));
  answer(third, 4);
  all(c, a, send_segments(2, pattern(2200, 5), segment_size));
  all(c, b, {write(0x4401, 0x10, pattern(64, 6))});
  all(c, a, {fetch_add(queue_1++, {0x71, 0x5501, 0x1000, 5})});
  all(c, a, {cmp_swap(queue_1++, {0x72, 0x5501, 0x1008, 6, ~0ULL, 7})});
  all(c, b, {atomic_response(1, 0x71, 0x1234)});
  all(c, b, {atomic_response(2, 0x72, 0x5678)});
  all(c, b, {send_se_inv(2, 0x2202, pattern(40, 7))});
  all(c, a, {immediate(3, 0x1122334455667788)});
  all(c, b, send_segments(3, pattern(1500, 8), segment_size));
  const Read last = {0x1104, 0x9000, 400, 0x2204, 0x7f0000002000};
  const Bytes refused = read_request(queue_1++, last);
  if (traffic.end == Traffic::terminate) {
    all(c, a, {refused});
    all(c, b, {terminate(0x0101, about(refused, true))});
  } else if (traffic.end == Traffic::silence) {
    all(c, a, {refused});
  }
  if (traffic.end != Traffic::silence) c.close();
  return c;
}

constexpr Depths depths(unsigned ird, unsigned ord, bool peer_to_peer = false) {
  return {.peer_to_peer = peer_to_peer, .rtr_read = peer_to_peer, .ird = ird, .ord = ord};
}

std::vector<Traffic> traffics() {
  return {
      {"crc", {.word = depths(8, 4)}, {.word = depths(4, 8)}, Traffic::fin},
      {"markers",
       {.markers = true, .word = depths(8, 4)},
       {.markers = true, .word = depths(4, 8)},
       Traffic::fin},
      {"revision 1, no crc", {.crc = false}, {.crc = false}, Traffic::fin},
      {"ready to receive", {.word = depths(8, 4, true)}, {.word = depths(4, 8, true)}, Traffic::fin},
      {"terminate", {.word = depths(8, 4)}, {.word = depths(4, 8)}, Traffic::terminate},
      {"alike", {.word = depths(8, 4)}, {.word = depths(4, 8)}, Traffic::fin, true},
      {"silence", {.word = depths(8, 4)}, {.word = depths(4, 8)}, Traffic::silence},
  };
}

// --- the records of it ------------------------------------------------------------------------------------

// What a record is about, whatever was captured of it.
using Subject = std::string;

struct Told {
  json record;
  Event event;
  std::string sender;
};

std::string sender_of(const ConnectionState& connection, Side side) {
  return to_string(connection.endpoints[index(side)]);
}

json json_of(const Record& record) {
  TextBuffer out;
  write_json(out, record);
  return json::parse(out.view());
}

struct Account {
  std::vector<Told> told;
  json stream;
  json state;                          // at the end
  std::map<FrameNumber, json> states;  // after each frame
};

Account account_of(const Segments& segments) {
  Account account;
  Analyzer analyzer;
  const auto take = [&](Events events) {
    for (const Event& event : events) {
      const auto record = record_of(analyzer.analysis(), event);
      if (!record) continue;
      if (record->kind == RecordKind::stream) {
        account.stream = json_of(*record);
        account.state = json_of(state_record(*record->connection, record->connection->last_frame));
      } else {
        account.told.push_back({json_of(*record), event, sender_of(*record->connection, event.side)});
      }
    }
  };
  for (const OwnedSegment& each : segments) {
    take(analyzer.add(each.segment()));
    if (const ConnectionState* connection = analyzer.analysis().connection(0)) {
      account.states[each.meta.frame] = json_of(state_record(*connection, each.meta.frame));
    }
  }
  take(analyzer.finish());
  return account;
}

bool is_same(const Told& damaged, const Told& whole) {
  if (damaged.event.kind != whole.event.kind || damaged.sender != whole.sender) return false;
  if (damaged.event.kind == EventKind::fpdu) {
    const auto& [of, in] = std::tie(damaged.record["slices"], whole.record["slices"]);
    if (of.empty() || of[0][0] != in[0][0]) return false;
    const auto behind = of[0][1].get<std::uint64_t>() - in[0][1].get<std::uint64_t>();
    return behind == 0 || behind == wire::marker_size;  // a leading one, where none is known of
  }
  if (damaged.event.kind == EventKind::message) {
    const MessageConclusion& of = damaged.event.message;
    const MessageConclusion& in = whole.event.message;
    return of.opcode == in.opcode && of.first_frame >= in.first_frame && of.first_frame <= whole.event.frame;
  }
  const OperationConclusion& of = damaged.event.operation;
  const OperationConclusion& in = whole.event.operation;
  return of.kind == in.kind && of.request.time_ns == in.request.time_ns;
}

// --- what may differ -------------------------------------------------------------------------------------

struct Exception {
  const char* path;  // of a value, or of an object with all that is in it
  const char* why;
};

// Of any damage.
constexpr Exception counts_what_was_captured[] = {
    {"fpdu.slices", "tells of the capture"},
    {"fpdu.fpdu", "counts what was captured"},
    {"fpdu.message", "counts what was captured"},
    {"message.message", "counts what was captured"},
    {"operation.message", "counts what was captured"},
    {"operation.response_message", "counts what was captured"},
    {"message.segments", "segments that were seen"},
    {"message.reason", "why it is not known"},
    {"operation.request_retransmitted", "tells of the capture"},
    {"state.frame", "tells of the capture"},
    {"stream.first_frame", "tells of the capture"},
    {"stream.last_frame", "tells of the capture"},
    {"stream.first_time_ns", "tells of the capture"},
    {"stream.last_time_ns", "tells of the capture"},
    {"stream.start", "what the capture has of the start"},
    {"stream.role_basis", "what the capture has of the start"},
    {"stream.fpdus", "a count of what was captured"},
    {"stream.crc", "a count of what was captured"},
    {"stream.messages", "a count of what was captured"},
    {"stream.payload_octets", "a count of what was captured"},
    {"stream.max_outstanding", "a lower bound"},
    {"stream.gaps", "tells of the capture"},
    {"stream.retransmitted_octets", "tells of the capture"},
    {"stream.close", "open: no end was captured"},
    {"stream.qp_state", "a conclusion that says how sure it is, and from what"},
    {"state.*.qp_state", "a conclusion that says how sure it is, and from what"},
    {"state.*.phase", "where the analysis stands in what was captured"},
    {"state.*.counters", "a count of what was captured"},
    {"state.*.open_messages", "what was captured and has not ended"},
    {"state.*.outstanding", "requests without a response that was captured"},
};
// Of frames that are missing: what waits for octets that never come stands in order where that showed.
constexpr Exception place_in_stream_order[] = {
    {"fpdu.delivered_frame", "where it stood in stream order"},
    {"message.delivered_frame", "where it stood in stream order"},
    {"operation.delivered_ns", "when it stood in stream order"},
};
// Of a message whose end was not seen.
constexpr Exception place_of_captured[] = {
    {"message.frame", "of what was captured"},
    {"message.time_ns", "of what was captured"},
};
// Where the beginning is missing: counted from the first octet that was captured.
constexpr Exception origin_of_offsets[] = {
    {"fpdu.stream_offset", "counts from the first captured octet"},
};
// Without a start-up frame roles are assumed, as role_basis says.
constexpr Exception roles[] = {
    {"fpdu.from", "assumed"},           {"message.from", "assumed"},
    {"operation.requester", "assumed"}, {"stream.initiator", "assumed"},
    {"stream.responder", "assumed"},    {"state.initiator", "assumed"},
    {"state.responder", "assumed"},     {"stream.terminates.from", "assumed"},
};

class Comparison {
 public:
  template <std::size_t Count>
  void except(const Exception (&exceptions)[Count]) {
    for (const Exception& each : exceptions) excepted_.insert(each.path);
  }

  void expect_null_or_equal(const json& damaged, const json& whole, const std::string& path) const {
    if (damaged.is_null() || excepted_.contains(path)) return;
    if (path == "operation.status") return expect_same_or(damaged, whole, {"unknown", "incomplete"});
    if (path == "fpdu.crc") return expect_same_or(damaged, whole, {"undecidable"});
    if (damaged.is_object() && whole.is_object()) {
      for (const auto& [key, value] : damaged.items()) {
        ASSERT_TRUE(whole.contains(key)) << path << '.' << key;
        const bool role = path == "state" && (key == "initiator" || key == "responder");
        if (role && excepted_.contains(path + '.' + key)) continue;
        expect_null_or_equal(value, whole[key], path + '.' + (role ? "*" : key));
      }
      return;
    }
    EXPECT_EQ(damaged, whole) << path;
  }

 private:
  // Words for what is not known.
  static void expect_same_or(const json& damaged, const json& whole, const std::set<std::string>& unknown) {
    if (!unknown.contains(damaged.get<std::string>())) {
      EXPECT_EQ(damaged, whole);
    }
  }

  std::set<std::string> excepted_;
};

struct Damage {
  bool framing_lost = false;       // octets behind holes wait until framing is found, or the hole is given up
  bool beginning_missing = false;  // a start-up frame
  bool end_missing = false;
};

void expect_nothing_guessed(const Account& damaged, const Account& whole, Damage damage) {
  Comparison comparison;
  comparison.except(counts_what_was_captured);
  if (damage.framing_lost) comparison.except(place_in_stream_order);
  if (damage.beginning_missing) {
    comparison.except(origin_of_offsets);
    comparison.except(roles);
  }
  const Told* message = nullptr;  // of the whole capture, that the operation behind it is
  for (const Told& each : damaged.told) {
    SCOPED_TRACE(each.record.dump());
    if (each.event.kind == EventKind::finding) {
      const std::string id = each.record["id"];
      EXPECT_TRUE(id.starts_with("CAP-") || each.record["severity"] == "info" || id == "MPA-TMO") << id;
      continue;
    }
    const auto found = std::ranges::find_if(whole.told, [&](const Told& other) {
      const bool transfer = each.event.kind == EventKind::operation &&
                            each.event.operation.kind != OperationKind::read &&
                            each.event.operation.kind != OperationKind::atomic;
      return transfer ? message == &other - 1 : is_same(each, other);
    });
    ASSERT_NE(found, whole.told.end());
    message = each.event.kind == EventKind::message ? &*found : nullptr;
    const std::string type = each.record["type"];
    Comparison of_this = comparison;
    if (type == "message" && each.record["complete"].is_null()) of_this.except(place_of_captured);
    of_this.expect_null_or_equal(each.record, found->record, type);
    // A finished message, or one that never will be, is all there.
    if (type == "message" && !each.record["complete"].is_null()) {
      EXPECT_FALSE(each.record["length"].is_null());
    }
  }
  if (damaged.stream.is_null()) return;
  SCOPED_TRACE(damaged.stream.dump());
  json stream = damaged.stream;
  json terminates = stream["terminates"];
  stream.erase("terminates");
  comparison.expect_null_or_equal(stream, whole.stream, "stream");
  ASSERT_LE(terminates.size(), whole.stream["terminates"].size());
  for (const json& each : terminates) {
    comparison.expect_null_or_equal(each, whole.stream["terminates"][0], "stream.terminates");
  }
  if (!damage.beginning_missing && !damage.end_missing)
    comparison.expect_null_or_equal(damaged.state, whole.state, "state");
  if (damage.framing_lost) return;
  for (const auto& [frame, state] : damaged.states) {
    comparison.expect_null_or_equal(state, whole.states.at(frame), "state");
  }
}

// --- the damage ------------------------------------------------------------------------------------------

class MissingOctets : public testing::TestWithParam<Traffic> {
 protected:
  MissingOctets() : segments_(conversation_of(GetParam()).segments()), whole_(account_of(segments_)) {}

  Segments segments_;
  Account whole_;
};

TEST_P(MissingOctets, TheWholeCaptureTellsAll) {
  std::map<std::string, std::size_t> counts;
  for (const Told& each : whole_.told) {
    ++counts[each.record["type"]];
    if (each.event.kind == EventKind::message) {
      EXPECT_EQ(each.record["complete"], true) << each.record.dump();
    }
    if (each.event.kind == EventKind::operation && each.record["status"] == "complete") {
      EXPECT_TRUE(each.record["length"].is_number()) << each.record.dump();
    }
  }
  EXPECT_GE(counts["fpdu"], 25U);
  EXPECT_GE(counts["operation"], 13U);
}

// What is null does not depend on sanitizers, which take ten times as long: under them each kind of traffic
// is damaged at a part of the places.
#ifdef IWARP_SANITIZED
constexpr std::size_t every = 4;
#else
constexpr std::size_t every = 1;
#endif

TEST_P(MissingOctets, OfASnapshotLengthAreNull) {
  constexpr std::size_t stride = 4 * every;  // each kind of traffic has its own: all lengths come up
  const std::size_t first = 40 + std::string_view(GetParam().name).size() % stride;
  for (std::size_t snaplen = first; snaplen <= 200; snaplen += stride) {
    SCOPED_TRACE("snapshot length " + std::to_string(snaplen));
    Segments cut = segments_;
    for (OwnedSegment& each : cut) each.captured = snaplen - std::min(snaplen, headers_size(each.meta));
    // Of the start-up frames, and of ULPDU_Length behind a marker.
    const bool lost = cut.back().captured < wire::startup_header_size + 4;
    expect_nothing_guessed(account_of(cut), whole_, {.framing_lost = lost, .beginning_missing = lost});
    if (HasFailure()) return;
  }
}

TEST_P(MissingOctets, OfAFrameAreNull) {
  for (std::size_t gone = 0; gone < segments_.size(); gone += every) {
    SCOPED_TRACE("without frame " + std::to_string(segments_[gone].meta.frame));
    Segments rest = segments_;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(gone));
    expect_nothing_guessed(
        account_of(rest), whole_,
        {.framing_lost = true, .beginning_missing = gone < 5, .end_missing = gone + 1 == segments_.size()});
    if (HasFailure()) return;
  }
}

TEST_P(MissingOctets, OfTwoFramesInARowAreNull) {
  for (std::size_t gone = 0; gone + 1 < segments_.size(); gone += every) {
    SCOPED_TRACE("without frame " + std::to_string(segments_[gone].meta.frame) + " and the next");
    Segments rest = segments_;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(gone),
               rest.begin() + static_cast<std::ptrdiff_t>(gone) + 2);
    expect_nothing_guessed(
        account_of(rest), whole_,
        {.framing_lost = true, .beginning_missing = gone < 5, .end_missing = gone + 2 == segments_.size()});
    if (HasFailure()) return;
  }
}

TEST_P(MissingOctets, OfADirectionAreNull) {
  for (const Endpoint& kept : {segments_[0].meta.source, segments_[0].meta.destination}) {
    Segments rest = segments_;
    std::erase_if(rest, [&](const OwnedSegment& each) { return each.meta.source != kept; });
    expect_nothing_guessed(account_of(rest), whole_, {.framing_lost = true, .beginning_missing = true});
  }
}

TEST_P(MissingOctets, OfTheBeginningAreNull) {
  for (std::size_t begin = 1; begin < segments_.size(); begin += every) {
    SCOPED_TRACE("from frame " + std::to_string(segments_[begin].meta.frame) + " on");
    const Segments rest(segments_.begin() + static_cast<std::ptrdiff_t>(begin), segments_.end());
    expect_nothing_guessed(account_of(rest), whole_, {.framing_lost = true, .beginning_missing = true});
    if (HasFailure()) return;
  }
}

TEST_P(MissingOctets, OfTheEndAreNull) {
  for (std::size_t end = 1; end < segments_.size(); end += every) {
    SCOPED_TRACE("before frame " + std::to_string(segments_[end].meta.frame));
    const Segments rest(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(end));
    expect_nothing_guessed(account_of(rest), whole_, {.end_missing = true});
    if (HasFailure()) return;
  }
}

std::string name_of(const testing::TestParamInfo<Traffic>& info) {
  std::string name = info.param.name;
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Exchange, MissingOctets, testing::ValuesIn(traffics()), name_of);

}  // namespace
}  // namespace iwarp::test
