// One role against a live peer whose memory is called otherwise than recorded: another engine, over the
// simulated network and over sockets.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iwarp/export/names.hpp>
#include <map>

#include "compare/comparison.hpp"
#include "compare/render.hpp"
#include "plan/planner.hpp"
#include "replay/engine/closed_loop.hpp"
#include "replay/planned.hpp"
#include "support/capture_damage.hpp"
#include "support/capture_read.hpp"
#include "support/places.hpp"
#include "transport/socket_network.hpp"

namespace iwarp::replay {
namespace {

struct TwoEngines {
  std::array<Outcome, 2> outcomes{};
  std::vector<StreamLog> logs;
  std::vector<std::string> waits;
  std::string error;
};

Placement alone(Role role, Network& network, const Endpoint& at) {
  Placement placement;
  placement.plays = {role == Role::initiator, role == Role::responder};
  placement.network = [&network](std::uint32_t) -> Network& { return network; };
  placement.listen_at = [at](std::uint32_t) { return at; };
  if (role == Role::initiator) placement.peer_of = [at](std::uint32_t) { return at; };
  return placement;
}

// `options`: by Role.
TwoEngines play(const Plan& plan, const std::vector<std::uint32_t>& streams,
                const std::array<ReplayOptions, 2>& options) {
  TwoEngines result;
  LiveLog log;
  SimulatedNetwork network;
  network.capture_in_the_middle(log);
  const Endpoint at{host_address(1), 4420};
  Network& client = network.host(host_address(0));
  Replay initiator(plan, streams, options[0], alone(Role::initiator, client, at));
  Replay responder(plan, streams, options[1], alone(Role::responder, network.host(host_address(1)), at));
  if (!responder.start(result.error) || !initiator.start(result.error)) return result;
  while (!initiator.done() || !responder.done()) {
    initiator.run();
    responder.run();
    const TimeNs due = std::min(initiator.done() ? never : initiator.next_due(),
                                responder.done() ? never : responder.next_due());
    if (!client.wait(due) && client.now() < due) {
      initiator.starve();
      responder.starve();
    }
  }
  result.outcomes = {initiator.outcome(), responder.outcome()};
  for (const std::string& each : initiator.waits()) result.waits.push_back(each);
  for (const std::string& each : responder.waits()) result.waits.push_back(each);
  result.logs = initiator.arrange(log.finish());
  return result;
}

// `other`: the role whose memory has other names.
TwoEngines play(const Plan& plan, const std::vector<std::uint32_t>& streams, Role other_names,
                bool both_other = false, const ReplayOptions& base = {.timing = Timing::topspeed}) {
  std::array<ReplayOptions, 2> options{base, base};
  for (std::size_t i = 0; i < 2; ++i) {
    options[i].rename_own = both_other || i == static_cast<std::size_t>(other_names);
  }
  return play(plan, streams, options);
}

std::string expect_as_recorded(const Plan& plan, const std::vector<std::uint32_t>& streams,
                               const TwoEngines& run) {
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.outcomes[0], Outcome::complete) << testing::PrintToString(run.waits);
  EXPECT_EQ(run.outcomes[1], Outcome::complete);
  std::vector<StreamLog> expected;
  for (const std::uint32_t each : streams) expected.push_back(expected_log(plan, each));
  const StreamsComparison comparison = compare(expected, run.logs);
  return comparison.same() ? "" : to_text(comparison, expected, run.logs);
}

const LogEntry& first_of(const StreamLog& log, Role role, WorkKind kind) {
  const auto& entries = log.entries[static_cast<std::size_t>(role)];
  const auto found = std::ranges::find(entries, kind, &LogEntry::kind);
  EXPECT_NE(found, entries.end());
  return *found;
}

TEST(LivePeer, ThatNeverComesIsToldFromOneThatSaysNothing) {
  const Plan plan = plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
  for (const bool comes : {false, true}) {
    SimulatedNetwork network;
    Network& server = network.host(host_address(1));
    const Endpoint at{host_address(1), 4420};
    Replay responder(plan, {0}, {}, alone(Role::responder, server, at));
    std::string error;
    ASSERT_TRUE(responder.start(error)) << error;
    const auto peer = comes ? network.host(host_address(0)).connect(at) : nullptr;
    for (responder.run(); !responder.done(); responder.run()) (void)server.wait(responder.next_due());
    EXPECT_EQ(responder.outcome(), Outcome::gave_up);
    EXPECT_EQ(responder.unconnected(), 1U);
    const std::vector<std::string> turned_away = responder.turned_away();
    ASSERT_EQ(turned_away.size(), comes ? 1U : 0U);
    if (!comes) continue;
    EXPECT_THAT(
        turned_away[0],
        testing::StartsWith("turned away: 1 connection without a whole MPA Request in time, the first"));
  }
}

// What comes first may be no start-up frame at all: then it is no peer.
TEST(LivePeer, ThatSpeaksAnotherProtocolIsToldSo) {
  const Plan plan = plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
  SimulatedNetwork network;
  const Endpoint at{host_address(1), 4420};
  Network& server = network.host(host_address(1));
  Replay responder(plan, {0}, {}, alone(Role::responder, server, at));
  std::string error;
  ASSERT_TRUE(responder.start(error)) << error;
  const auto peer = network.host(host_address(0)).connect(at);
  bool sent = false;
  for (responder.run(); !responder.done(); responder.run()) {
    if (peer->receive().arrival == Arrival::established)
      sent = peer->send(iwarp::test::text("GET / HTTP/1.0")) > 0;
    if (!server.wait(responder.next_due()) && server.now() < responder.next_due()) responder.starve();
  }
  EXPECT_TRUE(sent);
  EXPECT_THAT(responder.turned_away(),
              testing::ElementsAre(testing::StartsWith(
                  "turned away: 1 connection with something else than an MPA Request, the first from ")));
  EXPECT_EQ(responder.unconnected(), 1U);
}

// The recorded peer said nothing for ten seconds either.
TEST(LivePeer, MayPauseAsTheRecordedOneDid) {
  const Plan plan = plan_of_file("real/03h-refused-noanswer.pcap");
  for (const TimeNs patience : {TimeNs{100'000'000}, TimeNs{1'000'000'000}}) {
    ReplayOptions options;
    options.patience = patience;
    EXPECT_EQ(expect_as_recorded(plan, {0}, play(plan, {0}, Role::initiator, false, options)), "");
  }
}

// What was recorded had none, or a Read; which one comes is agreed on with the peer that is there (RFC 6581
// §9.2): the first message of the plan is the one behind it.
TEST(LivePeer, MayHaveAnotherReadyToReceiveMessage) {
  for (const char* const name :
       {"real/01g-rping-v4-mtu1500-notso-crc-S5000.pcap", "real/02a-send_lat-2B.pcap",
        "real/01i-rping-v4-p2p-crc.pcap", "real/01k-rping-v4-mpav1.pcap",
        "real/05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst"}) {
    const Plan plan = plan_of_file(name);
    for (const RtrKind kind : {RtrKind::none, RtrKind::send, RtrKind::write, RtrKind::read}) {
      for (const Role who : {Role::initiator, Role::responder}) {
        SCOPED_TRACE(std::string(name) + ", " + role_name(who) + " wants " +
                     (kind == RtrKind::none ? "none" : rtr_kind_name(kind)));
        std::array<ReplayOptions, 2> options;
        options[0].timing = options[1].timing = Timing::topspeed;
        options[static_cast<std::size_t>(who)].startup.rtr = kind;
        const auto& word = plan.streams[0].startup[0]->word;
        const bool asked = word && word->peer_to_peer;
        if (who == Role::responder && asked && kind != plan.streams[0].rtr) continue;  // nothing in common
        EXPECT_EQ(expect_as_recorded(plan, conforming(plan), play(plan, conforming(plan), options)), "");
      }
    }
  }
}

// A Read that only its response tells of cannot be made again by who does not know what it read; whether a
// live peer makes it nobody knows, so that it is waited for, but not for ever.
TEST(LivePeer, MayLeaveOutWhatTheCaptureLacks) {
  const iwarp::test::Segments whole =
      iwarp::test::read_capture(iwarp::test::places::captures() + "/real/01a-rping-v4-mtu1500-tso.pcap")
          .segments;
  const auto count = static_cast<std::ptrdiff_t>(whole.size());
  for (std::ptrdiff_t from = 8; from < count - 8; ++from) {
    for (const std::ptrdiff_t lost : {0, 3}) {
      SCOPED_TRACE("from " + std::to_string(from) + ", then " + std::to_string(lost) + " lost");
      iwarp::test::Segments part(whole.begin() + from, whole.end());
      part.erase(part.begin() + 4, part.begin() + 4 + lost);
      const Plan plan = plan_of(part);
      if (!conforming(plan).empty()) {
        ReplayOptions options;
        options.timing = Timing::topspeed;
        EXPECT_EQ(expect_as_recorded(plan, {0}, play(plan, {0}, std::array{options, options})), "");
      }
    }
  }
}

TEST(H13_NewStags, AreLearntFromTheirAdvertisementAndUsed) {
  const Plan plan = plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
  // The client's memory is called otherwise: the server has to read and write where the live advertisements
  // say.
  const TwoEngines run = play(plan, {0}, Role::initiator);
  EXPECT_EQ(expect_as_recorded(plan, {0}, run), "");
  const StreamLog recorded = expected_log(plan, 0);
  const LogEntry& read = first_of(run.logs.at(0), Role::responder, WorkKind::read);
  const LogEntry& was = first_of(recorded, Role::responder, WorkKind::read);
  EXPECT_NE(read.source_stag, was.source_stag);
  EXPECT_NE(read.source_to, was.source_to);
  EXPECT_EQ(read.stag, was.stag) << "the own side keeps its recorded STag";
  EXPECT_EQ(read.to, was.to);
  EXPECT_NE(first_of(run.logs[0], Role::responder, WorkKind::write).stag,
            first_of(recorded, Role::responder, WorkKind::write).stag);
}

TEST(H13_NewStags, PrivateDataTellsOfThem) {
  const Plan plan = plan_of_file("real/03e-term-write_oob.pcap");
  const TwoEngines run = play(plan, {0}, Role::responder);
  EXPECT_EQ(expect_as_recorded(plan, {0}, run), "");
  EXPECT_NE(first_of(run.logs.at(0), Role::initiator, WorkKind::write).stag,
            first_of(expected_log(plan, 0), Role::initiator, WorkKind::write).stag);
}

// Whether everything that `owner`'s memory is used for remotely was advertised with its TO: else its other
// name cannot be known.
bool tells_all(const Plan& plan, const std::vector<std::uint32_t>& streams, Role owner) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, FrameNumber> told;  // the first frame that does
  const auto note = [&](std::uint32_t host, const std::vector<Mention>& mentions, FrameNumber frame) {
    for (const Mention& each : mentions) {
      if (each.by_owner && each.to_offset) told.try_emplace({host, each.stag}, frame);
    }
  };
  const auto place = [](Role role) { return static_cast<std::size_t>(role); };
  for (const PlannedStream& stream : plan.streams) {
    for (const Role role : {Role::initiator, Role::responder}) {
      if (const auto& startup = stream.startup[place(role)]) {
        note(stream.hosts[place(role)], startup->mentions, startup->frame);
      }
    }
    for (const PlannedWork& work : stream.work)
      note(stream.hosts[place(work.role)], work.mentions, work.frame);
  }
  for (const std::uint32_t each : streams) {
    const PlannedStream& stream = plan.streams[each];
    const std::uint32_t host = stream.hosts[place(owner)];
    for (const PlannedWork& work : stream.work) {
      if (work.kind == WorkKind::read && work.deduced) return false;  // nor where it read
      if (work.role == owner || work.rtr) continue;
      const bool uses = work.kind == WorkKind::write || work.kind == WorkKind::read ||
                        work.kind == WorkKind::atomic || invalidates(work.kind);
      if (!uses || (work.length == 0 && !invalidates(work.kind))) continue;
      const auto found = told.find({host, work.kind == WorkKind::read ? work.source_stag : work.stag});
      if (found == told.end() || found->second >= work.first_frame) return false;
    }
  }
  return true;
}

class LivePeer : public testing::TestWithParam<std::string> {};

TEST_P(LivePeer, IsPlayedAgainstWhateverItsMemoryIsCalled) {
  std::string error;
  const auto made = plan_capture(GetParam(), {}, error);
  ASSERT_TRUE(made) << error;
  const std::vector<std::uint32_t> streams = conforming(made->plan);
  ASSERT_FALSE(streams.empty());
  bool played = false;
  for (const Role role : {Role::initiator, Role::responder}) {
    if (!tells_all(made->plan, streams, role)) continue;
    played = true;
    EXPECT_EQ(expect_as_recorded(made->plan, streams, play(made->plan, streams, role)), "");
  }
  ASSERT_TRUE(played) << "memory that nothing tells of";
  if (!tells_all(made->plan, streams, Role::initiator) || !tells_all(made->plan, streams, Role::responder))
    return;
  EXPECT_EQ(expect_as_recorded(made->plan, streams, play(made->plan, streams, Role::initiator, true)), "");
}

// In 08l and t14 no Send tells where the memory is.
INSTANTIATE_TEST_SUITE_P(Captures, LivePeer,
                         testing::ValuesIn(captures_without({"03i-", "07a-", "08l-", "10b-", "t06-", "t14-",
                                                             "t19-"})),
                         capture_test_name);

// As rsockets do it: where the next buffer is stands in an RDMA Write.
TEST(LivePeer, MayTellOfItsStagsInRdmaWrites) {
  const auto told = [](std::uint64_t to, std::uint32_t stag, std::uint32_t length) {
    Bytes octets;
    for (int shift = 56; shift >= 0; shift -= 8) octets.push_back(static_cast<Byte>(to >> shift));
    for (const std::uint32_t word : {stag, length}) {
      for (int shift = 24; shift >= 0; shift -= 8) octets.push_back(static_cast<Byte>(word >> shift));
    }
    return octets;
  };
  test::Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(Side::a, test::send(1, told(0x7f0000001000, 0x5a3c1100, 64)));
  c.fpdu(Side::b, test::write(0x5a3c1100, 0x7f0000001000, told(0x7e0000004000, 0x4b2d2200, 4096)));
  c.fpdu(Side::b, test::send(1, test::text("there it is")));
  c.fpdu(Side::a, test::write(0x4b2d2200, 0x7e0000004010, test::pattern(100)));
  c.fpdu(Side::a, test::send(2, test::text("done")));
  c.close();
  const Plan plan = plan_of(c);
  for (const Role other_names : {Role::initiator, Role::responder}) {
    const TwoEngines run = play(plan, {0}, other_names, true);
    EXPECT_EQ(expect_as_recorded(plan, {0}, run), "");
  }
}

TEST(LivePeerOverSockets, RpingWithOtherStags) {
  const Plan plan = plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
  LiveLog log;
  SocketOptions recorded;
  recorded.record_opened = &log;
  SocketNetwork client(recorded);
  SocketNetwork server;
  ReplayOptions options;
  options.timing = Timing::topspeed;
  ReplayOptions other = options;
  other.rename_own = true;
  IpAddress loopback;
  loopback.octets = {127, 0, 0, 1};
  Replay responder(plan, {0}, options, alone(Role::responder, server, {loopback, 0}));
  std::string error;
  ASSERT_TRUE(responder.start(error)) << error;
  Replay initiator(plan, {0}, other, alone(Role::initiator, client, *responder.listening_at()));
  ASSERT_TRUE(initiator.start(error)) << error;
  while (!initiator.done() || !responder.done()) {
    initiator.run();
    responder.run();
    (void)client.wait(std::min(initiator.next_due(), client.now() + 1'000'000));
    (void)server.wait(std::min(responder.next_due(), server.now() + 1'000'000));
  }
  TwoEngines run;
  run.outcomes = {initiator.outcome(), responder.outcome()};
  run.logs = initiator.arrange(log.finish());
  EXPECT_EQ(expect_as_recorded(plan, {0}, run), "");
}

// Which payload passed when.
class PayloadTimes final : public CapturePoint {
 public:
  struct Seen {
    bool initiators = false;
    std::uint16_t port = 0;  // the initiator's
    TimeNs time = 0;
  };
  void captured(const Packet& packet, TimeNs now) override {
    if (packet.payload.empty()) return;
    const bool initiators = packet.destination.port == 4420;
    seen.push_back({initiators, initiators ? packet.source.port : packet.destination.port, now});
  }
  std::vector<Seen> seen;
};

// The initiator's engine and the responder's, at top speed.
void play_watched(const Plan& plan, const std::vector<std::uint32_t>& streams, TimeNs start_delay,
                  PayloadTimes& times) {
  SimulatedNetwork network;
  network.capture_in_the_middle(times);
  ReplayOptions options;
  options.timing = Timing::topspeed;
  options.start_delay = start_delay;
  const Endpoint at{host_address(1), 4420};
  Network& client = network.host(host_address(0));
  Replay initiator(plan, streams, options, alone(Role::initiator, client, at));
  Replay responder(plan, streams, options, alone(Role::responder, network.host(host_address(1)), at));
  std::string error;
  ASSERT_TRUE(responder.start(error) && initiator.start(error)) << error;
  while (!initiator.done() || !responder.done()) {
    initiator.run();
    responder.run();
    const TimeNs due = std::min(initiator.done() ? never : initiator.next_due(),
                                responder.done() ? never : responder.next_due());
    if (client.wait(due) || client.now() >= due) continue;
    initiator.starve();
    responder.starve();
  }
  EXPECT_EQ(initiator.outcome(), Outcome::complete);
  EXPECT_EQ(responder.outcome(), Outcome::complete);
}

class StartDelay : public testing::TestWithParam<const char*> {};

// siw's responder (Linux 6.1) does not read an FPDU that comes right behind its Reply.
TEST_P(StartDelay, PassesBetweenTheReplyAndTheFirstFpdu) {
  const Plan plan = plan_of_file(GetParam());
  for (const TimeNs delay : {TimeNs{0}, TimeNs{500'000'000}}) {
    PayloadTimes times;
    play_watched(plan, {0}, delay, times);
    ASSERT_GT(times.seen.size(), 2U);
    EXPECT_TRUE(times.seen[0].initiators && !times.seen[1].initiators && times.seen[2].initiators)
        << "Request, Reply, FPDU";
    const TimeNs passed = times.seen[2].time - times.seen[1].time;
    EXPECT_TRUE(delay == 0 ? passed < 10'000'000 : passed >= delay) << passed;
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, StartDelay,
                         testing::Values("real/01a-rping-v4-mtu1500-tso.pcap",
                                         "real/01i-rping-v4-p2p-crc.pcap",  // a ready-to-receive message
                                         "real/03a-send-variants.pcap"),
                         [](const auto& made) { return std::string(made.param).substr(5, 3); });

// perftest agrees over a first connection on what goes over a second one; a peer that is asked for the second
// one before that, or told over the first one before the second is there, breaks off.
TEST(OrderAcrossStreams, IsKeptAgainstALivePeer) {
  const Plan plan = plan_of_file("real/02a-send_lat-2B.pcap");
  PayloadTimes times;
  play_watched(plan, {0, 1}, 0, times);
  ASSERT_FALSE(times.seen.empty());
  const std::uint16_t control = times.seen[0].port;
  std::array<std::size_t, 2> before_data{};  // by Role: start-up frames and FPDUs of the first connection …
  std::array<std::size_t, 2> on_data{};
  std::optional<std::array<std::size_t, 2>> at_opening;
  std::optional<std::size_t> initiators_at_reply;
  for (const PayloadTimes::Seen& each : times.seen) {
    const std::size_t role = each.initiators ? 0 : 1;
    if (each.port == control) {
      ++before_data[role];
      continue;
    }
    if (!at_opening) at_opening = before_data;
    if (++on_data[role] == 1 && role == 1) initiators_at_reply = before_data[0];
  }
  // As recorded: start-up and five messages each, the second connection, the sixth.
  EXPECT_EQ(at_opening, (std::array<std::size_t, 2>{6, 6}));
  EXPECT_EQ(initiators_at_reply, 6U);
}

TEST(OrderAcrossStreams, DoesNotWaitForEver) {
  const Plan plan = plan_of_file("real/02a-send_lat-2B.pcap");
  Schedule schedule(plan.streams.size());
  const Progress progress(plan, schedule);
  Order order(plan, {0, 1}, Role::initiator, progress, schedule);
  EXPECT_TRUE(order.turn_to_open(0));
  EXPECT_FALSE(order.turn_to_open(1));
  EXPECT_TRUE(order.waited_for());
  EXPECT_EQ(order.release(2), "the other streams do not wait any longer for stream 0's start-up");
  EXPECT_FALSE(order.waited_for());
  for (int i = 0; i < 100 && !order.turn_to_open(1); ++i) (void)order.release(3);
  EXPECT_TRUE(order.turn_to_open(1));
  Order alone(plan, {1}, Role::initiator, progress, schedule);
  EXPECT_TRUE(alone.turn_to_open(1)) << "nothing else is played";
}

TEST(OrderAcrossStreams, WakesWhoWaitsWhenTheTurnComesOrIsReleased) {
  const Plan plan = plan_of_file("real/02a-send_lat-2B.pcap");
  Schedule schedule(plan.streams.size());
  Progress progress(plan, schedule);
  Order order(plan, {0, 1}, Role::initiator, progress, schedule);
  const std::vector<PlayerNumber> second = {player_number(1, Role::initiator)};
  std::vector<PlayerNumber> woken;
  const auto waits_until = [&](const auto& happen) {
    EXPECT_FALSE(order.turn_to_open(1));
    EXPECT_FALSE(schedule.take(1, woken)) << "nothing happened";
    happen();
    EXPECT_TRUE(schedule.take(1, woken));
    EXPECT_EQ(woken, second);
  };
  waits_until([&] { order.note_established(0, 1); });
  waits_until([&] { order.note_tried({0, 0}, false, 2); });
  waits_until([&] { progress.note_arrived({0, 1}, 3); });
  waits_until([&] { (void)order.release(4); });
  progress.note_over(0, 5);
  const auto turn = order.turn_to_open(1);
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->since, 5) << "when it happened, not when somebody asked";
  EXPECT_FALSE(order.waited_for());
}

TEST(ReadyToReceive, OfAnotherKindThanRecordedOrNone) {
  for (const char* const name : {"real/01i-rping-v4-p2p-crc.pcap", "real/01a-rping-v4-mtu1500-tso.pcap"}) {
    const Plan plan = plan_of_file(name);
    for (const RtrKind kind : {RtrKind::read, RtrKind::write, RtrKind::none}) {
      SCOPED_TRACE(std::string(name) + " kind " + std::to_string(static_cast<int>(kind)));
      LoopOptions options;
      options.replay.timing = Timing::topspeed;
      options.replay.startup.rtr = kind;
      const LoopResult result = closed_loop(plan, options);
      EXPECT_EQ(result.outcome, Outcome::complete) << testing::PrintToString(result.waits);
      const std::vector<StreamLog> expected = expected_logs(plan);
      const StreamsComparison comparison = compare(expected, result.logs);
      EXPECT_TRUE(comparison.same()) << to_text(comparison, expected, result.logs);
      EXPECT_THAT(result.found, testing::IsEmpty());
    }
  }
}

TEST(Rejection, OfARecordedAcceptedStreamEndsTheRunAtOnce) {
  const Plan plan = plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
  Plan rejecting = plan;
  rejecting.streams[0].accepted = false;
  rejecting.streams[0].startup[1]->rejected = true;
  std::erase_if(rejecting.streams[0].work, [](const PlannedWork& work) { return !is_close(work.kind); });
  for (PlannedWork& work : rejecting.streams[0].work) work.waits.clear();
  for (PlannedHost& host : rejecting.hosts) host = {host.address, {}, {}};
  SimulatedNetwork network;
  ReplayOptions options;
  options.timing = Timing::topspeed;
  const Endpoint at{host_address(1), 4420};
  Network& client = network.host(host_address(0));
  Replay initiator(plan, {0}, options, alone(Role::initiator, client, at));
  Replay responder(rejecting, {0}, options, alone(Role::responder, network.host(host_address(1)), at));
  std::string error;
  ASSERT_TRUE(responder.start(error) && initiator.start(error)) << error;
  while (!initiator.done()) {
    initiator.run();
    responder.run();
    (void)client.wait(std::min(initiator.next_due(), responder.done() ? never : responder.next_due()));
  }
  EXPECT_EQ(initiator.outcome(), Outcome::complete) << testing::PrintToString(initiator.waits());
  EXPECT_LT(client.now(), options.patience);
  EXPECT_THAT(
      initiator.stage().troubles,
      testing::ElementsAre("stream 0: the peer rejects the start-up, which the recorded one accepted"));
}

// … and so does one that leaves no room for the recorded Private Data, by asking for IRD and ORD (RFC 6581
// §9).
TEST(Rejection, OfARequestWhoseReplyHasNoRoom) {
  test::Conversation c;
  c.handshake();
  c.startup({}, {.private_data = test::pattern(512)});
  c.fpdu(Side::a, test::send(1, test::text("x")));
  c.close();
  const Plan plan = plan_of(c);
  SimulatedNetwork network;
  ReplayOptions options;
  options.timing = Timing::topspeed;
  ReplayOptions asking = options;
  asking.startup.revision = 2;
  const Endpoint at{host_address(1), 4420};
  Network& client = network.host(host_address(0));
  Replay initiator(plan, {0}, asking, alone(Role::initiator, client, at));
  Replay responder(plan, {0}, options, alone(Role::responder, network.host(host_address(1)), at));
  std::string error;
  ASSERT_TRUE(responder.start(error) && initiator.start(error)) << error;
  while (!initiator.done() || !responder.done()) {
    initiator.run();
    responder.run();
    const TimeNs due = std::min(initiator.done() ? never : initiator.next_due(),
                                responder.done() ? never : responder.next_due());
    if (due == never || client.now() > options.patience) break;
    (void)client.wait(due);
  }
  EXPECT_LT(client.now(), options.patience);
  EXPECT_THAT(
      responder.stage().troubles,
      testing::ElementsAre("stream 0: its Reply has 512 octets of private data, of which 508 have room "
                           "beside IRD and ORD (RFC 6581 §9); the peer asks for these"));
  EXPECT_THAT(
      initiator.stage().troubles,
      testing::ElementsAre("stream 0: the peer rejects the start-up, which the recorded one accepted"));
}

// --- the other scenarios of replaying ------------------------------------------------------------------

TEST(H14_OtherTransport, SmallerOrdOtherMssMarkersOnOneSide) {
  const Plan plan = plan_of_file("real/02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst");
  for (const bool initiators : {true, false}) {
    LoopOptions options;
    options.replay.timing = Timing::topspeed;
    options.replay.startup.ord = 2;
    options.replay.startup.markers = {initiators, !initiators};
    options.network.tcp.max_segment = 700;
    const LoopResult result = closed_loop(plan, options);
    EXPECT_EQ(result.outcome, Outcome::complete);
    const std::vector<StreamLog> expected = expected_logs(plan);
    const StreamsComparison comparison = compare(expected, result.logs);
    EXPECT_TRUE(comparison.same()) << to_text(comparison, expected, result.logs);
  }
}

TEST(H15_Violations, AreRefusedByTheirName) {
  const Plan plan = plan_of_file("generated/t19-uncaptured-segment.pcap");
  const PlannedViolation* const broken = refusal(plan.streams.at(0));
  ASSERT_NE(broken, nullptr);
  EXPECT_EQ(broken->check, "DDP-MSNGAP");
  EXPECT_THAT(conforming(plan), testing::IsEmpty());
}

// siw answered the FPDU with the wrong CRC by a Terminate, which nothing that is sent again would bring.
TEST(H15_Violations, OfFramingAreRefusedWhereThePeerEndedTheStreamForThem) {
  Plan plan = plan_of_file("real/10b-evilpeer-cases.pcap");
  const auto broken = std::ranges::find(plan.streams, 18U, &PlannedStream::number);
  ASSERT_NE(broken, plan.streams.end());
  ASSERT_NE(refusal(*broken), nullptr);
  EXPECT_EQ(refusal(*broken)->check, "MPA-CRC");
  std::erase_if(broken->work, [](const PlannedWork& work) { return work.kind == WorkKind::terminate; });
  EXPECT_EQ(refusal(*broken), nullptr);
}

// A responder of which nothing but its Terminate was captured: what it answers is not known.
TEST(H16_WhatACaptureLacks, ATerminateAloneIsSentBehindWhatTheInitiatorSaysFirst) {
  for (const char* const name : {"write_oob", "write_big_oob"}) {  // FIN behind it; RST
    const std::string whole = iwarp::test::places::captures() + "/real/03e-term-" + name + ".pcap";
    std::vector<iwarp::test::OwnedSegment> segments = iwarp::test::read_capture(whole).segments;
    std::erase_if(segments, [](const auto& each) { return each.meta.source.port != 7175; });
    const Plan plan = plan_of(segments);
    ASSERT_EQ(plan.streams.size(), 1U);
    EXPECT_EQ(expect_as_recorded(plan, {0}, play(plan, {0}, Role::responder)), "") << name;
  }
}

TEST(ReplayTest, APlanThatNeedsTooMuchMemoryIsRefused) {
  Plan plan = plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
  PlannedWork& work = plan.streams[0].work[0];
  work.length = std::uint64_t{1} << 32U;
  work.content = {{work.length, 1, 0, true}};
  const LoopResult result = closed_loop(plan);
  EXPECT_THAT(result.error, testing::HasSubstr("more than the 1024 MiB allowed"));
}

TEST(ReplayTest, OriginalTimesAreKeptToTheNanosecondInVirtualTime) {
  const Plan plan = plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
  LoopOptions options;
  options.replay.timing = Timing::original;
  options.network.bits_per_second = 0;  // long packets take no longer
  const LoopResult result = closed_loop(plan, options);
  EXPECT_EQ(result.outcome, Outcome::complete);
  const StreamLog expected = expected_log(plan, 0);
  // Against the first own request: the network's way is a constant.
  const auto& live = result.logs.at(0).entries[0];
  const auto& recorded = expected.entries[0];
  ASSERT_EQ(live.size(), recorded.size());
  for (std::size_t i = 1; i < live.size(); ++i) {
    EXPECT_EQ(live[i].time_ns - live[0].time_ns, recorded[i].time_ns - recorded[0].time_ns) << i;
  }
}

}  // namespace
}  // namespace iwarp::replay
