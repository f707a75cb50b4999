// SPDX-License-Identifier: GPL-2.0-or-later
#include "shares.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <system_error>
#include <utility>

#include "program/memory.hpp"

namespace iwarp::cli {

namespace {

// What is said of the end of so many connections is kept until it can be written in order.
constexpr ConnectionId finished_at_once = 64;
// Connections that end in so many frames are closed together, where many are due.
constexpr FrameNumber frames_of_a_mark = 256;

// The same for both directions.
std::size_t hash_of(const Endpoint& endpoint) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  std::uint64_t words[2];
  static_assert(sizeof words == sizeof endpoint.address.octets);
  std::memcpy(words, endpoint.address.octets.data(), sizeof words);
  const std::uint64_t hash = ((words[0] ^ endpoint.port) * odd ^ words[1]) * odd;
  return hash ^ hash >> 32U;
}

bool is_inside(ByteView part, ByteView whole) noexcept {
  const std::less_equal<> before;
  return part.empty() || (before(whole.data(), part.data()) &&
                          before(part.data() + part.size(), whole.data() + whole.size()));
}

}  // namespace

void Shares::Batch::clear() {
  ticks.clear();
  for (Part& part : parts) {
    part.items.clear();
    part.said.clear();
    part.pieces.clear();
  }
  blocks.clear();
  copies.clear();
  packets.clear();
  finish_below.reset();
  close_below.reset();
  alone = false;
  octets = 0;
}

class Shares::Lane {
 public:
  Lane(Shares& shares, const Options& options, std::size_t capture, std::size_t which)
      : shares_(shares), which_(which), share_(options, capture, [this](ConnectionId own) {
          note_begun();
          return shares_.numbers_.number_of(which_, own);
        }) {
    share_.set_behind_portion([this] {
      if (!alone_) return;
      shares_.put_out(part_->said);
      share_.set_said(part_->said);
    });
  }

  [[nodiscard]] Share& share() noexcept { return share_; }
  // Takes its part of a batch.
  void take(Batch& batch) {
    part_ = &batch.parts[which_];
    alone_ = batch.alone;
    share_.set_said(part_->said);
    share_.attempt([&] {
      if (batch.finish_below) {
        finish(*batch.finish_below);
      } else if (batch.close_below && !share_.spent()) {
        close_due(batch.ticks, 0, batch.ticks.size(), *batch.close_below);
        look_at_memory(batch.ticks.back());
      } else if (!share_.spent()) {
        take_segments(batch);
        if (!batch.alone || is_time_to_look()) look_at_memory(batch.ticks.back());
      }
    });
    if (share_.spent()) keep_what_is_whole();
    note_held();
    // Others wait for what it has come to.
    if (share_.spent() && !batch.ticks.empty()) shares_.numbers_.pass(which_, batch.ticks.back().frame);
  }

 private:
  void keep_what_is_whole() {
    shares_.out_of_memory_ = true;
    share_.attempt([&] { end_piece({end_of_capture, std::numeric_limits<std::uint64_t>::max()}); });
  }

  void take_segments(const Batch& batch) {
    const std::vector<Tick>& ticks = batch.ticks;
    const std::vector<Item>& items = part_->items;
    const auto pass_to = [&](std::size_t item) {
      const FrameNumber next = item < items.size() ? ticks[items[item].tick].frame : ticks.back().frame + 1;
      shares_.numbers_.pass(which_, next - 1);
    };
    std::size_t closed_to = 0;  // tick
    pass_to(0);
    // Where memory has run out what is left of it is for what is known.
    for (std::size_t at = 0; at < items.size() && !program::memory_ran_out(); ++at) {
      const Item& item = items[at];
      const Tick& tick = ticks[item.tick];
      close_due(ticks, closed_to, item.tick + 1);
      closed_to = item.tick;
      Analyzer& analyzer = share_.analyzer();
      analyzer.go_on_to(tick.frame, tick.time_ns, tick.latest_ns);
      frame_ = tick.frame;
      const Events events = item.packet == nullptr ? analyzer.add(item.segment) : analyzer.add(*item.packet);
      note_begun();
      pass_to(at + 1);
      share_.take(events);
      end_piece({tick.frame, tick.frame});
      note_holding();
    }
    pass_to(items.size());
    if (program::memory_ran_out()) return;
    close_due(ticks, closed_to, ticks.size());
    share_.analyzer().go_on_to(ticks.back().frame, ticks.back().time_ns, ticks.back().latest_ns);
  }

  // Much of the connection waits behind holes, which may be set free at once.
  void note_holding() {
    constexpr std::size_t much = std::size_t{256} << 10U;
    const ConnectionState* const connection = share_.analysis().connection_of_last_segment();
    if (connection == nullptr) return;
    if (share_.analysis().waiting_octets() >= much) {
      holding_.insert(connection->id);
    } else if (!holding_.empty()) {
      holding_.erase(connection->id);
    }
  }
  // Without those that are closed by now.
  void note_held() {
    std::erase_if(holding_, [this](ConnectionId id) {
      const ConnectionState* const connection = share_.analysis().connection(id);
      return connection == nullptr || connection->closed;
    });
    const bool holds_much = !holding_.empty();
    if (holds_much == counted_) return;
    counted_ = holds_much;
    counted_ ? ++shares_.holding_ : --shares_.holding_;
  }

  // A segment begins one connection at most, an SCTP packet may begin several.
  void note_begun() {
    for (; begun_ < share_.analysis().connection_count(); ++begun_) shares_.numbers_.begin(which_, frame_);
  }

  // Closes what is due at the ticks from `begin` to `end`, each at the first that is late enough, and ended
  // before the frame `below`.
  void close_due(const std::vector<Tick>& ticks, std::size_t begin, std::size_t end,
                 FrameNumber below = std::numeric_limits<FrameNumber>::max()) {
    while (const auto due = share_.analyzer().next_due()) {
      if (due->ended >= below) return;
      const auto last = ticks.begin() + static_cast<std::ptrdiff_t>(end);
      if (end == 0 || std::prev(last)->latest_ns <= due->behind_ns) return;
      const auto at =
          std::partition_point(ticks.begin() + static_cast<std::ptrdiff_t>(begin), last,
                               [&](const Tick& tick) { return tick.latest_ns <= due->behind_ns; });
      share_.analyzer().go_on_to(at->frame, at->time_ns, at->latest_ns);
      share_.take(share_.analyzer().close_due());
      end_piece({at->frame, due->ended});
    }
  }

  // With all of the capture added, connections are in order of their numbers.
  void finish(ConnectionId below) {
    const ConnectionId count = share_.analysis().connection_count();
    for (; finished_ < count && shares_.numbers_.number_of(which_, finished_) < below; ++finished_) {
      share_.finish(finished_ + 1);
      end_piece({end_of_capture, shares_.numbers_.number_of(which_, finished_)});
    }
  }

  // A batch of one segment brings little: the system is asked now and then.
  [[nodiscard]] bool is_time_to_look() noexcept {
    constexpr unsigned between_looks = 256;
    if (++unlooked_ < between_looks && !share_.has_taken_much()) return false;
    unlooked_ = 0;
    return true;
  }

  void look_at_memory(const Tick& last) {
    if (!shares_.usable() || !fits_memory()) {
      shares_.out_of_memory_ = true;
      share_.let_go_all();
    }
    end_piece({last.frame, std::numeric_limits<std::uint64_t>::max()});
  }

  // What other shares hold is theirs to let go: each lets as much go as a batch can bring, and none waits for
  // another, which may need the number of a stream that this one has still to come to. Memory has run out
  // when none has anything left.
  [[nodiscard]] bool fits_memory() {
    if (program::memory_ran_out()) return false;
    if (!share_.memory_is_short()) {
      exhausted_ = false;
      return true;
    }
    shares_.memory_is_short_ = true;
    exhausted_ = !share_.lets_enough_go(max_segments);
    return !std::all_of(shares_.lanes_.begin(), shares_.lanes_.end(),
                        [](const auto& lane) { return lane->exhausted_.load(); });
  }

  // Everything said since the last piece was said there.
  void end_piece(const Place& place) {
    const std::size_t text = part_->said.text.size();
    const std::size_t entries = part_->said.entries.size();
    const std::size_t host_facts = part_->said.host_facts.size();
    const Piece before = part_->pieces.empty() ? Piece() : part_->pieces.back();
    if (text == before.text_end && entries == before.entries_end && host_facts == before.host_facts_end)
      return;
    part_->pieces.push_back({place, text, entries, host_facts});
  }

  Shares& shares_;
  const std::size_t which_;
  Share share_;
  Part* part_ = nullptr;
  bool alone_ = false;              // of the batch that it takes
  unsigned unlooked_ = 0;           // batches that were alone, since it looked at memory
  std::set<ConnectionId> holding_;  // see note_holding()
  bool counted_ = false;            // in Shares::holding_
  FrameNumber frame_ = 0;           // of the segment added last
  ConnectionId begun_ = 0;          // connections
  ConnectionId finished_ = 0;
  std::atomic<bool> exhausted_ = false;  // has nothing left to let go, and memory is above its limit

  friend class Shares;
  bool busy_ = false;       // under Shares::mutex_: a thread has it
  std::uint64_t done_ = 0;  // under Shares::mutex_: batches
};

Shares::Shares(const Options& options, std::size_t capture, unsigned threads, Report& report,
               HostOutput& hosts, std::function<void(std::string_view)> write)
    : write_(std::move(write)),
      report_(report),
      hosts_(hosts),
      numbers_(threads),
      buckets_(bucket_count),
      latest_ns_(std::numeric_limits<TimeNs>::min()) {
  for (std::size_t which = 0; which < threads; ++which)
    lanes_.push_back(std::make_unique<Lane>(*this, options, capture, which));
  loads_.resize(threads);
  // One that is read into, and few that wait: more than that no longer fits the caches.
  batches_ = std::vector<Batch>(1 + threads);
  for (Batch& batch : batches_) batch.parts = std::vector<Part>(threads);
  alone_.parts = std::vector<Part>(threads);
  // The last that may throw, since threads have to be joined.
  helpers_.reserve(threads);
  try {
    while (helpers_.size() + 1 < threads) helpers_.emplace_back([this] { help(); });
  } catch (const std::system_error&) {
    // The system has no room for more. A share may wait for what another tells: each needs a thread.
    const std::lock_guard lock(mutex_);
    lanes_.resize(helpers_.size() + 1);
    loads_.resize(lanes_.size());
    for (std::size_t missing = lanes_.size(); missing < threads; ++missing)
      numbers_.pass(missing, std::numeric_limits<FrameNumber>::max());
  }
}

Shares::~Shares() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  due_changed_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

Shares::Lane* Shares::due() const noexcept {
  Lane* found = nullptr;
  for (const auto& lane : lanes_) {
    if (lane->busy_ || lane->done_ == submitted_) continue;
    if (found == nullptr || lane->done_ < found->done_) found = lane.get();
  }
  return found;
}

void Shares::run(Lane& lane, std::unique_lock<std::mutex>& lock) {
  Batch& batch = batches_[lane.done_ % batches_.size()];
  lane.busy_ = true;
  lock.unlock();
  lane.take(batch);
  lock.lock();
  lane.busy_ = false;
  ++lane.done_;
  if (--batch.unfinished == 0) finished_changed_.notify_one();
  if (due() != nullptr) due_changed_.notify_one();
}

void Shares::help() {
  std::unique_lock lock(mutex_);
  for (;;) {
    Lane* lane = nullptr;
    due_changed_.wait(lock, [&] { return (lane = due()) != nullptr || ended_; });
    if (lane == nullptr) return;
    run(*lane, lock);
  }
}

std::size_t Shares::share_of(const TcpSegment& segment) {
  return share_of_bucket(hash_of(segment.source) + hash_of(segment.destination));
}

// By ports alone: the packets of one association may have several addresses.
std::size_t Shares::share_of(const SctpPacket& packet) {
  const auto hash_of_port = [](std::uint16_t port) { return hash_of(Endpoint{{}, port}); };
  return share_of_bucket(hash_of_port(packet.source.port) + hash_of_port(packet.destination.port));
}

std::size_t Shares::share_of_bucket(std::size_t hash) {
  std::uint16_t& bucket = buckets_[(hash ^ hash >> 13U) % bucket_count];
  if (bucket == 0) {
    const auto least = std::min_element(loads_.begin(), loads_.end());
    bucket = static_cast<std::uint16_t>(least - loads_.begin() + 1);
  }
  return bucket - 1U;
}

Shares::Batch& Shares::filling() {
  if (filling_ != nullptr) return *filling_;
  // What shares say of connections that they let go is much: it is written before they say more.
  const std::size_t most_ahead = memory_is_short_.exchange(false) ? 0 : batches_.size() - 1;
  while (submitted_ - taken_ > most_ahead) take_first();
  filling_ = &batches_[submitted_ % batches_.size()];
  return *filling_;
}

void Shares::add(const TcpSegment& segment, ByteView frame, const RecordSource& records) {
  add_any(segment, segment.payload, frame, records);
}

void Shares::add(const SctpPacket& packet, ByteView frame, const RecordSource& records) {
  add_any(packet, packet.octets, frame, records);
}

void Shares::put(Batch&, Part& part, const TcpSegment& segment, ByteView octets, std::size_t tick) {
  part.items.push_back({segment, tick});
  part.items.back().segment.payload = octets;
}

void Shares::put(Batch& batch, Part& part, const SctpPacket& packet, ByteView octets, std::size_t tick) {
  batch.packets.push_back(packet);
  batch.packets.back().octets = octets;
  part.items.push_back({{}, tick, &batch.packets.back()});
}

template <typename Captured>
void Shares::add_any(const Captured& captured, ByteView octets, ByteView frame, const RecordSource& records) {
  const auto is_in_last_block = [&](const Batch& batch) {
    return !batch.blocks.empty() && batch.blocks.back().get() == records.storage_address();
  };
  if (filling_ != nullptr && (filling_->ticks.size() >= max_segments || filling_->octets >= max_octets ||
                              (filling_->blocks.size() == max_blocks && !is_in_last_block(*filling_)))) {
    submit();
  }
  latest_ns_ = std::max(latest_ns_, captured.time_ns);
  const Tick tick{captured.frame, captured.time_ns, latest_ns_};
  close_due(tick);
  const std::size_t share = share_of(captured);
  constexpr std::uint64_t octets_of_headers = 512;  // what a frame costs beside its payload, about
  loads_[share] += octets_of_headers + octets.size();
  if (holds_much()) return add_alone(captured, octets, tick, share);
  Batch& batch = filling();
  if (!is_in_last_block(batch)) batch.blocks.push_back(records.storage());
  if (!is_inside(octets, frame)) octets = batch.copies.emplace_back(octets.begin(), octets.end());
  put(batch, batch.parts[share], captured, octets, batch.ticks.size());
  batch.ticks.push_back(tick);
  batch.octets += octets.size();
}

template <typename Captured>
void Shares::add_alone(const Captured& captured, ByteView octets, const Tick& tick, std::size_t share) {
  if (filling_ != nullptr) submit();
  take_all();
  const bool closes = std::any_of(lanes_.begin(), lanes_.end(), [&](const auto& lane) {
    const auto due = lane->share().analyzer().next_due();
    return due && due->behind_ns < tick.latest_ns;
  });
  if (closes) {  // before the segment, whose portions are written as they come
    alone_.ticks.push_back(tick);
    take_alone(share);
  }
  alone_.ticks.push_back(tick);
  put(alone_, alone_.parts[share], captured, octets, 0);
  alone_.alone = true;
  take_alone(share);
}

void Shares::take_alone(std::size_t last) {
  for (std::size_t which = 0; which < lanes_.size(); ++which) {
    if (which != last) lanes_[which]->take(alone_);
  }
  lanes_[last]->take(alone_);
  put_together(alone_);
  alone_.clear();
}

// A burst of ends, or a pause behind it, makes many due within a batch: what is said of so many would be
// beside
// --max-memory.
void Shares::close_due(const Tick& tick) {
  constexpr std::size_t as_a_rule = 1 + max_segments / frames_of_a_mark;  // marks: as many as a batch makes
  std::vector<FrameNumber> below;
  while (!marks_.empty() && Analyzer::due_behind(marks_.front().latest_ns) < tick.latest_ns) {
    below.push_back(marks_.front().frame);
    marks_.pop_front();
  }
  if (marks_.empty() || tick.frame - marks_.back().frame >= frames_of_a_mark) marks_.push_back(tick);
  if (below.empty()) return;
  due_in_batch_ += below.size();
  if (due_in_batch_ <= as_a_rule) return;
  if (below.size() == 1) {
    if (filling_ != nullptr) submit();
    due_in_batch_ = 1;
    return;
  }
  for (const FrameNumber frame : below) {
    if (filling_ != nullptr && !filling_->ticks.empty()) submit();
    Batch& batch = filling();
    batch.ticks.push_back(tick);
    batch.close_below = frame;
  }
  submit();
}

void Shares::submit() {
  filling_ = nullptr;
  due_in_batch_ = 0;
  {
    const std::lock_guard lock(mutex_);
    batches_[submitted_ % batches_.size()].unfinished = lanes_.size();
    ++submitted_;
  }
  due_changed_.notify_all();
}

void Shares::take_first() {
  Batch& batch = batches_[taken_ % batches_.size()];
  {
    std::unique_lock lock(mutex_);
    while (batch.unfinished != 0) {
      if (Lane* const lane = due()) {
        run(*lane, lock);
      } else {
        finished_changed_.wait(lock);
      }
    }
  }
  put_together(batch);
  batch.clear();
  ++taken_;
}

// Merges the pieces of the shares: those of each ascend.
void Shares::put_together(Batch& batch) {
  std::vector<std::size_t> next(batch.parts.size());
  const auto place_of = [&](std::size_t share) -> const Place* {
    const Part& part = batch.parts[share];
    return next[share] < part.pieces.size() ? &part.pieces[next[share]].place : nullptr;
  };
  for (;;) {
    std::optional<std::size_t> first;
    for (std::size_t share = 0; share < batch.parts.size(); ++share) {
      if (place_of(share) != nullptr && (!first || *place_of(share) < *place_of(*first))) first = share;
    }
    if (!first) break;
    const Part& part = batch.parts[*first];
    const Piece& piece = part.pieces[next[*first]];
    const Piece before = next[*first] == 0 ? Piece{} : part.pieces[next[*first] - 1];
    text_.append(part.said.text.view().substr(before.text_end, piece.text_end - before.text_end));
    for (std::size_t entry = before.entries_end; entry < piece.entries_end; ++entry)
      report_.take(*part.said.entries[entry]);
    for (std::size_t fact = before.host_facts_end; fact < piece.host_facts_end; ++fact)
      hosts_.take(part.said.host_facts[fact], text_);
    ++next[*first];
    if (text_.size() >= much_text) flush();
  }
}

// But for what belongs to hosts, which stands behind the rest of their frame.
void Shares::put_out(Share::Said& said) {
  text_.append(said.text.view());
  for (const Report::Entry& entry : said.entries) report_.take(*entry);
  said.text.clear();
  said.entries.clear();
  if (text_.size() >= much_text) flush();
}

void Shares::flush() {
  if (text_.empty()) return;
  write_(text_.view());
  text_.clear();
}

void Shares::finish(Summary& summary) {
  if (filling_ != nullptr) submit();
  take_all();
  const ConnectionId count = numbers_.count();
  for (ConnectionId below = 0; below < count;) {
    if (holds_much()) {
      take_all();
      alone_.finish_below = ++below;
      alone_.alone = true;
      take_alone(0);  // it has something to say for one share alone
      continue;
    }
    below += std::min(count - below, finished_at_once);
    filling().finish_below = below;
    submit();
  }
  take_all();
  hosts_.finish(text_, [this] {
    if (text_.size() >= much_text) flush();
  });
  flush();
  for (const auto& lane : lanes_) {
    summary.merge(lane->share().summary());
    summary.add_undecidable(lane->share().analysis());
    report_.merge(lane->share().report());
  }
}

bool Shares::stream_found() const noexcept {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const auto& lane) { return lane->share().stream_found(); });
}

}  // namespace iwarp::cli
