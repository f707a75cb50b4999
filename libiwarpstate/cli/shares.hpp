// Shares: one capture analysed by several threads. The one that reads decodes frames and gives each segment
// to a share, all segments between two addresses and ports to the same. Any thread that is free takes the
// next batch of the share that is farthest behind, the one that reads too, once it is far enough ahead: with
// a thread for each share and another to read, one more than there are processors, one always waited with its
// batch. What the shares say is put together in the capture's order: it is, octet for octet, what one share
// of everything would say, as long as no cap is reached.
//
// Segments go to the shares in batches: of the frames that a few blocks of the file hold. The octets of their
// payload stay in these blocks. There are a few batches, used again and again.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/export/report.hpp>
#include <iwarp/export/summary.hpp>
#include <iwarp/export/text_buffer.hpp>
#include <iwarp/fifo.hpp>
#include <iwarp/segment.hpp>

#include "record_source.hpp"
#include "share.hpp"
#include "stream_numbers.hpp"

namespace iwarp::cli {

class Shares {
 public:
  // `threads` shares, or fewer where the system has no room for more threads: see count(). The one that calls
  // add() and finish() is one of these; it hands what is said to `report` and `hosts`, and the text to
  // `write`. REQUIRES: the references outlive this; the capture is a file, as shares wait for each other
  // while it is read.
  Shares(const Options& options, std::size_t capture, unsigned threads, Report& report, HostOutput& hosts,
         std::function<void(std::string_view)> write);
  ~Shares();
  Shares(const Shares&) = delete;
  Shares& operator=(const Shares&) = delete;

  // At least one.
  [[nodiscard]] std::size_t count() const noexcept { return lanes_.size(); }

  // Takes a segment of the frame with these octets, which is the record that `records` gave last. Analyses
  // segments added before while the shares are too far behind. Frame numbers ascend.
  void add(const TcpSegment& segment, ByteView frame, const RecordSource& records);
  void add(const SctpPacket& packet, ByteView frame, const RecordSource& records);
  // False: some share has no memory left; reading on is of no use.
  [[nodiscard]] bool usable() const noexcept { return !out_of_memory_.load(std::memory_order_relaxed); }
  // Everything was added: closes all connections, writes what is left, sums up.
  void finish(Summary& summary);

  // Behind finish().
  [[nodiscard]] bool stream_found() const noexcept;
  [[nodiscard]] ConnectionId connection_count() const { return numbers_.count(); }

 private:
  // Of one segment, whosever it is.
  struct Tick {
    FrameNumber frame = 0;
    TimeNs time_ns = 0;
    TimeNs latest_ns = 0;  // of all up to it
  };
  struct Item {
    TcpSegment segment;
    std::size_t tick = 0;
    const SctpPacket* packet = nullptr;  // of Batch::packets, in the place of the segment
  };
  // What a share says at one place of the capture's order.
  struct Place {
    FrameNumber frame = 0;
    std::uint64_t within = 0;  // the frame: what is said of connections that ended, by the frame that ended
                               // them, then what the frame's own connection does
    auto operator<=>(const Place&) const = default;
  };
  struct Piece {
    Place place;
    std::size_t text_end = 0;
    std::size_t entries_end = 0;
    std::size_t host_facts_end = 0;
  };
  struct Part {
    std::vector<Item> items;
    Share::Said said;
    std::vector<Piece> pieces;
  };
  struct Batch {
    std::vector<Tick> ticks;
    std::vector<Part> parts;                          // one for each share
    std::vector<std::shared_ptr<const void>> blocks;  // the octets of their payload …
    std::deque<Bytes> copies;                         // … and those that are not in it
    std::deque<SctpPacket> packets;
    std::optional<ConnectionId> finish_below;  // instead of segments: connections to be closed …
    std::optional<FrameNumber> close_below;    // … or those that are due and ended before that frame
    // One share has something to do, and nothing stands before it that is not written: portions are written
    // as they come. Only alone_ is.
    bool alone = false;
    std::size_t octets = 0;      // of payload
    std::size_t unfinished = 0;  // shares; under mutex_

    void clear();
  };
  // One share, which a thread at a time takes through the batches, in their order.
  class Lane;

  template <typename Captured>
  void add_any(const Captured& captured, ByteView octets, ByteView frame, const RecordSource& records);
  [[nodiscard]] std::size_t share_of(const TcpSegment& segment);
  [[nodiscard]] std::size_t share_of(const SctpPacket& packet);
  [[nodiscard]] std::size_t share_of_bucket(std::size_t hash);
  static void put(Batch& batch, Part& part, const TcpSegment& segment, ByteView octets, std::size_t tick);
  static void put(Batch& batch, Part& part, const SctpPacket& packet, ByteView octets, std::size_t tick);
  [[nodiscard]] Batch& filling();
  void submit();
  // Closes in parts what the frame makes due, before it is added.
  void close_due(const Tick& tick);
  // The share that is farthest behind, of those that no thread has and that have a batch to take; nullptr:
  // none. REQUIRES: mutex_ is locked.
  [[nodiscard]] Lane* due() const noexcept;
  // Takes it through its next batch, meanwhile without the lock.
  void run(Lane& lane, std::unique_lock<std::mutex>& lock);
  // What each thread does beside the one that reads.
  void help();
  void take_first();
  void take_all() {
    while (taken_ < submitted_) take_first();
  }
  // A share holds much behind holes, which any segment may set free at once.
  [[nodiscard]] bool holds_much() const noexcept { return holding_.load(std::memory_order_relaxed) > 0; }
  // Meanwhile one segment after the other: waking threads for each would cost many times what it takes.
  template <typename Captured>
  void add_alone(const Captured& captured, ByteView octets, const Tick& tick, std::size_t share);
  // Takes all shares through alone_ in this thread, `last` behind the others. REQUIRES: what was submitted is
  // taken, and no batch is being filled.
  void take_alone(std::size_t last);
  // Of a batch that is alone, before it is finished.
  void put_out(Share::Said& said);
  void put_together(Batch& batch);
  void flush();

  // In a batch: so many that threads seldom wake each other, and so few that what is read stays in caches.
  static constexpr std::size_t max_segments = 4096;
  static constexpr std::size_t max_blocks = 4;
  // … and so few that what a hole sets free which comes and goes within them is not much.
  static constexpr std::size_t max_octets = std::size_t{512} << 10U;
  static constexpr std::size_t bucket_count = 4096;

  const std::function<void(std::string_view)> write_;
  Report& report_;
  HostOutput& hosts_;
  StreamNumbers numbers_;
  std::atomic<bool> out_of_memory_ = false;
  std::atomic<bool> memory_is_short_ = false;  // a share has found it so
  std::atomic<unsigned> holding_ = 0;          // shares that hold much behind holes
  std::vector<std::unique_ptr<Lane>> lanes_;

  // Segments are shared out by a hash of addresses and ports: a bucket goes to the share that has the fewest
  // octets so far when its first segment comes.
  std::vector<std::uint16_t> buckets_;  // its share and one; 0: none yet
  std::vector<std::uint64_t> loads_;    // octets given to each share

  std::vector<Batch> batches_;
  Batch alone_;  // of this thread alone
  TimeNs latest_ns_;
  Fifo<Tick> marks_;  // one in every so many frames: those that ended before it and are not due yet
  std::size_t due_in_batch_ = 0;  // marks that became due since the batch that is filled began
  Batch* filling_ = nullptr;      // of batches_; nullptr: the next one is not begun
  TextBuffer text_;

  std::mutex mutex_;                          // of the rest
  std::condition_variable due_changed_;       // a share has a batch to take
  std::condition_variable finished_changed_;  // all have taken one
  std::uint64_t submitted_ = 0;               // batches; batch n is batches_[n % size]
  std::uint64_t taken_ = 0;                   // batches that were put together
  bool ended_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace iwarp::cli
