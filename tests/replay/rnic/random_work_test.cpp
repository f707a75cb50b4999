// Two RNICs with random work for each other over a pipe that cuts octets anywhere: memory and completions
// come out right, whatever was negotiated, and the analyzer has nothing to say against the octets.
//
// IWARP_RNIC_SEEDS: how many seeds (1000).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <random>

#include "replay/rnic/two_rnics.hpp"
#include "support/analysed.hpp"

namespace iwarp::rnic::test {
namespace {

// Memory of an end: constants that are read, places that are written once, words for the peer's Atomics.
constexpr std::size_t source_size = 16384;
constexpr std::size_t sink_start = source_size;
constexpr std::size_t sink_size = 3 * 65536;
constexpr std::size_t words_start = sink_start + sink_size;
constexpr std::size_t words = 8;
constexpr std::size_t memory_size = words_start + words * 8;
constexpr std::uint32_t max_message = 6000;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  // 0 … below - 1
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(engine_() % limit); }
  std::uint32_t between(std::uint32_t least, std::uint32_t most) { return least + below(most - least + 1); }
  bool one_in(std::uint32_t count) { return below(count) == 0; }
  std::uint64_t word() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

struct Expected {
  std::uint64_t id = 0;
  Operation operation = Operation::send;
  bool signaled = true;
  std::uint64_t original = 0;
};

struct Received {
  std::uint32_t length = 0;
  bool solicited = false;
  bool has_immediate = false;
  std::uint64_t immediate = 0;
};

// One end with what it still has to post and what must come of it.
struct Worker {
  Worker(const EndOptions& options, std::uint64_t seed) : end(options) {
    const Bytes constants = pattern(source_size, static_cast<std::uint32_t>(seed));
    std::copy(constants.begin(), constants.end(), end.memory.begin());
    model = end.memory;
  }

  // Octets of the sink area that nothing else uses.
  std::size_t place(std::uint32_t size) {
    const std::size_t at = sink_start + used;
    used += size;
    return at;
  }
  [[nodiscard]] bool room() const { return used + 2 * std::size_t{max_message} < sink_size; }

  End end;
  Bytes model;
  std::size_t used = 0;
  std::vector<WorkRequest> work;
  std::size_t posted = 0;
  std::vector<ReceiveRequest> buffers;
  std::vector<Expected> expected;
  std::size_t completed = 0;
  std::vector<Received> messages;
  std::size_t received = 0;
};

std::uint64_t load_word(const Bytes& memory, std::size_t at) {
  std::uint64_t word;
  std::memcpy(&word, memory.data() + at, sizeof word);
  return word;
}
void store_word(Bytes& memory, std::size_t at, std::uint64_t word) {
  std::memcpy(memory.data() + at, &word, sizeof word);
}

// Elements that cover `size` octets of somewhere in the source area; `content` is what they say.
Sgl gather_list(Dice& dice, Worker& worker, std::uint32_t size, Bytes& content) {
  Sgl list;
  const std::uint32_t count = size == 0 ? dice.below(2) : dice.between(1, 4);
  for (std::uint32_t left = size, at = 0; at < count; ++at) {
    const std::uint32_t piece = at + 1 == count ? left : dice.below(left + 1);
    const std::uint32_t offset = dice.below(static_cast<std::uint32_t>(source_size) - piece);
    list.add(worker.end.at(offset, piece));
    content.insert(content.end(), worker.model.begin() + offset, worker.model.begin() + offset + piece);
    left -= piece;
  }
  return list;
}

std::uint32_t random_size(Dice& dice) {
  switch (dice.below(6)) {
    case 0: return 0;
    case 1: return dice.between(1, 16);
    case 2: return dice.between(1, 600);
    default: return dice.between(1, max_message);
  }
}

void copy_into(Bytes& memory, std::size_t at, const Bytes& content) {
  std::copy(content.begin(), content.end(), memory.begin() + static_cast<std::ptrdiff_t>(at));
}

// One Work Request of `own` against `peer`, and what it does to both models.
void add_work(Dice& dice, Worker& own, Worker& peer) {
  WorkRequest request;
  request.id = own.work.size() + 1;
  request.read_fence = dice.one_in(4);
  if (dice.one_in(4)) request.segment_payload = dice.between(1, 2000);
  Expected expected{.id = request.id};
  const std::uint32_t size = random_size(dice);
  Bytes content;
  switch (dice.below(6)) {
    case 0:
    case 1: {
      request.operation = dice.one_in(2) ? Operation::send : Operation::send_se;
      request.sgl = gather_list(dice, own, size, content);
      const std::uint32_t capacity = size + dice.below(100);
      const std::size_t at = peer.place(capacity);
      ReceiveRequest buffer{.id = peer.buffers.size() + 1, .sgl = {}};
      const std::uint32_t first = dice.below(capacity + 1);
      buffer.sgl.add(peer.end.at(at, first));
      buffer.sgl.add(peer.end.at(at + first, capacity - first));
      peer.buffers.push_back(buffer);
      copy_into(peer.model, at, content);
      peer.messages.push_back({.length = size, .solicited = request.operation == Operation::send_se});
      break;
    }
    case 2: {
      request.operation = Operation::rdma_write;
      request.sgl = gather_list(dice, own, size, content);
      const std::size_t at = peer.place(size);
      request.stag = peer.end.stag;
      request.to = peer.end.to(at);
      copy_into(peer.model, at, content);
      break;
    }
    case 3: {
      request.operation = Operation::rdma_read;
      const std::uint32_t offset = dice.below(static_cast<std::uint32_t>(source_size) - size);
      const std::size_t at = own.place(size);
      request.stag = peer.end.stag;
      request.to = peer.end.to(offset);
      request.sgl = {own.end.at(at, size)};
      copy_into(own.model, at, part(peer.model, offset, size));
      break;
    }
    case 4: {
      const std::size_t at = words_start + 8 * dice.below(words);
      const std::uint64_t word = load_word(peer.model, at);
      expected.original = word;
      request.stag = peer.end.stag;
      request.to = peer.end.to(at);
      request.atomic.add_swap = dice.word();
      if (dice.one_in(2)) {
        request.operation = Operation::fetch_add;
        store_word(peer.model, at, word + request.atomic.add_swap);
      } else {
        request.operation = Operation::cmp_swap;
        request.atomic.add_swap_mask = ~std::uint64_t{0};
        request.atomic.compare = dice.one_in(2) ? word : dice.word();
        if (request.atomic.compare == word) store_word(peer.model, at, request.atomic.add_swap);
      }
      break;
    }
    default: {
      request.operation = dice.one_in(2) ? Operation::immediate : Operation::immediate_se;
      request.immediate = dice.word();
      peer.buffers.push_back({.id = peer.buffers.size() + 1, .sgl = {}});
      peer.messages.push_back({8, request.operation == Operation::immediate_se, true, request.immediate});
      break;
    }
  }
  expected.operation = request.operation;
  // Now and then one without a completion, but never so many in a row that the SQ is full of them.
  request.signaled = request.id % 3 == 0 || dice.one_in(2);
  expected.signaled = request.signaled;
  own.expected.push_back(expected);
  own.work.push_back(request);
}

void post_some(Dice& dice, Worker& worker) {
  const std::size_t count = std::min<std::size_t>(worker.work.size() - worker.posted, dice.below(6));
  const PostResult result =
      worker.end.rnic.post_send(worker.end.qp, std::span(worker.work).subspan(worker.posted, count));
  ASSERT_TRUE(result.status == Status::ok || result.status == Status::too_many_posted)
      << name_of(result.status);
  worker.posted += result.posted;
}

void reap(Worker& worker) {
  for (const WorkCompletion& completion : worker.end.sends()) {
    ASSERT_EQ(completion.status, CompletionStatus::success);
    while (worker.completed < worker.expected.size() && !worker.expected[worker.completed].signaled)
      ++worker.completed;
    ASSERT_LT(worker.completed, worker.expected.size());
    const Expected& expected = worker.expected[worker.completed++];
    ASSERT_EQ(completion.id, expected.id);
    ASSERT_EQ(completion.operation, expected.operation);
    ASSERT_EQ(completion.original, expected.original);
  }
  for (const WorkCompletion& completion : worker.end.receives()) {
    ASSERT_EQ(completion.status, CompletionStatus::success);
    ASSERT_LT(worker.received, worker.messages.size());
    const Received& expected = worker.messages[worker.received++];
    ASSERT_EQ(completion.length, expected.length);
    ASSERT_EQ(completion.solicited, expected.solicited);
    ASSERT_EQ(completion.has_immediate, expected.has_immediate);
    ASSERT_EQ(completion.immediate, expected.immediate);
  }
}

EndOptions random_options(Dice& dice, std::uint64_t seed) {
  EndOptions options;
  options.memory = memory_size;
  options.rnic.seed = seed;
  options.qp.max_send_wrs = dice.between(4, 40);
  options.qp.max_receive_wrs = 1000;
  options.qp.ird = dice.between(1, 5);
  options.qp.ord = dice.between(1, 5);
  options.qp.response_payload = dice.one_in(3) ? dice.between(1, 3000) : 0;
  options.stream.emss = dice.between(150, 9000);
  options.stream.mpa.markers = dice.one_in(2);
  options.stream.mpa.crc = dice.one_in(2);
  return options;
}

// `octets`: how many crossed the pipe.
void run_seed(std::uint64_t seed, bool analyse, std::uint64_t& octets) {
  Dice dice(seed);
  std::array<EndOptions, 2> options = {random_options(dice, seed), random_options(dice, seed + 1)};
  MpaParameters& mpa = options[0].stream.mpa;
  const bool enhanced = dice.one_in(2);
  mpa.revision = enhanced ? 2 : 1;
  mpa.peer_to_peer = enhanced && dice.one_in(2);
  mpa.ird = static_cast<std::uint16_t>(options[0].qp.ird);
  mpa.ord = static_cast<std::uint16_t>(options[0].qp.ord);
  const std::uint32_t kind = dice.below(3);
  if (mpa.peer_to_peer) {
    options[1].stream.mpa.rtr_send = kind == 0;
    options[1].stream.mpa.rtr_write = kind == 1;
    options[1].stream.mpa.rtr_read = kind == 2;
  }
  if (!enhanced) {
    // Nobody negotiates: the Consumers agree (Verbs 1.0 §6.5).
    options[0].qp.ord = std::min(options[0].qp.ord, options[1].qp.ird);
    options[1].qp.ord = std::min(options[1].qp.ord, options[0].qp.ird);
  } else {
    // The responder says what it has; the initiator's wish may be more.
    mpa.ord = static_cast<std::uint16_t>(options[0].qp.ord);
  }
  std::array<Worker, 2> workers = {Worker(options[0], seed), Worker(options[1], seed + 1)};
  const bool rtr_send = mpa.peer_to_peer && kind == 0;
  if (rtr_send) {
    workers[1].buffers.push_back({.id = 1, .sgl = {}});
    workers[1].messages.push_back({});
  }
  for (std::uint32_t count = dice.between(5, 40); count != 0; --count) {
    const unsigned from = dice.below(2);
    if (workers[0].room() && workers[1].room()) add_work(dice, workers[from], workers[1 - from]);
  }
  // Only a completion tells that the ones before are complete.
  for (unsigned from : {0U, 1U}) {
    if (workers[from].work.empty()) continue;
    workers[from].work.back().signaled = true;
    workers[from].expected.back().signaled = true;
  }
  if (workers[0].work.empty()) {
    // The responder is silent until the initiator has said something.
    workers[0].work.push_back({.id = 1, .operation = Operation::rdma_write});
    workers[0].expected.push_back({.id = 1, .operation = Operation::rdma_write});
  }

  Wire wire(workers[0].end, workers[1].end);
  wire.cut = [&dice](std::size_t there) {
    return dice.one_in(3) ? there
                          : dice.below(static_cast<std::uint32_t>(std::min<std::size_t>(there, 3000))) + 1;
  };
  Conversation conversation;
  if (analyse) {
    conversation.handshake({.mss_a = 9100, .mss_b = 9100});
    wire.on_octets = [&](unsigned from, const Bytes& piece) {
      conversation.send(from == 0 ? Side::a : Side::b, piece);
    };
    wire.on_close = [&](unsigned from, OutputKind) { conversation.fin(from == 0 ? Side::a : Side::b); };
  }
  for (Worker& worker : workers) {
    if (!worker.buffers.empty()) {
      ASSERT_EQ(worker.end.rnic.post_receive(worker.end.qp, worker.buffers).posted, worker.buffers.size());
    }
    post_some(dice, worker);  // some in Idle
  }
  workers[0].end.options.stream.role = Role::initiator;
  workers[1].end.options.stream.role = Role::responder;
  for (const unsigned side : {1U, 0U}) {
    workers[side].end.open(wire.now);
    ASSERT_EQ(workers[side].end.ready(), Status::ok);
  }
  for (unsigned idle = 0; idle < 200;) {
    const bool moved = wire.step(dice.below(2));
    idle = moved ? 0 : idle + 1;
    for (Worker& worker : workers) {
      if (dice.one_in(4)) reap(worker);
      if (dice.one_in(3)) post_some(dice, worker);
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
  for (Worker& worker : workers) {
    reap(worker);
    ASSERT_EQ(worker.posted, worker.work.size());
    ASSERT_EQ(worker.completed, worker.expected.size());
    ASSERT_EQ(worker.received, worker.messages.size());
    ASSERT_TRUE(worker.end.memory == worker.model);
    ASSERT_EQ(worker.end.state(), QpState::rts);
    ASSERT_TRUE(worker.end.events().empty());
  }
  octets += wire.sent[0].size() + wire.sent[1].size();
  ASSERT_EQ(workers[0].end.move(QpState::closing), Status::ok);
  for (unsigned idle = 0; idle < 20; ++idle) {
    if (wire.step(dice.below(2))) idle = 0;
  }
  for (Worker& worker : workers) {
    ASSERT_EQ(worker.end.state(), QpState::idle);
    ASSERT_EQ(worker.end.events(), std::vector{AsyncEventKind::llp_close_complete});
  }
  if (!analyse) return;
  conversation.ack(Side::a);
  conversation.ack(Side::b);
  const Analysed result(conversation);
  Ids found = result.ids(Severity::note);
  std::erase(found, "MPA-RTRUNNEG");  // the first work may happen to be of zero length
  ASSERT_EQ(found, Ids{}) << result.told();
}

TEST(RandomWork, MemoryAndCompletionsAreRight) {
  const char* const wanted = std::getenv("IWARP_RNIC_SEEDS");
  const std::uint64_t seeds = wanted == nullptr ? 1000 : std::strtoull(wanted, nullptr, 10);
  std::uint64_t octets = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    run_seed(seed, seed % 8 == 0, octets);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(octets, seeds * 10000);
}

}  // namespace
}  // namespace iwarp::rnic::test
