// SPDX-License-Identifier: GPL-2.0-or-later
#include "read_ahead_source.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace iwarp::capture {
namespace {

constexpr std::size_t block_octets = std::size_t{256} << 10;
constexpr std::size_t block_count = 4;

class ReadAheadSource final : public ByteSource {
 public:
  explicit ReadAheadSource(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), is_compressed_(source_->is_compressed()), size_(source_->size()) {
    for (Block& block : blocks_) block.octets.reset(new Byte[block_octets]);  // NOLINT: not to be zeroed
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      // The system has no room for more threads: read() does it.
    }
  }
  ~ReadAheadSource() override {
    {
      const std::lock_guard lock(mutex_);
      abandoned_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  ReadAheadSource(const ReadAheadSource&) = delete;
  ReadAheadSource& operator=(const ReadAheadSource&) = delete;

  std::size_t read(Byte* to, std::size_t room) override {
    if (!thread_.joinable()) return read_now(to, room);
    Block& block = blocks_[taken_ % block_count];
    if (used_ == 0) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return taken_ < filled_ || ended_; });
      if (taken_ == filled_) {
        fail(source_->failure());
        return 0;
      }
    }
    const std::size_t count = std::min(room, block.size - used_);
    std::memcpy(to, block.octets.get() + used_, count);
    used_ += count;
    consumed_ = block.consumed;
    if (used_ == block.size) {
      used_ = 0;
      {
        const std::lock_guard lock(mutex_);
        ++taken_;
      }
      changed_.notify_all();
    }
    return count;
  }

  // As far as what was read was made of.
  std::uint64_t consumed() const noexcept override { return consumed_; }
  std::optional<std::uint64_t> size() const noexcept override { return size_; }
  bool is_compressed() const noexcept override { return is_compressed_; }

 private:
  struct Block {
    std::unique_ptr<Byte[]> octets;
    std::size_t size = 0;
    std::uint64_t consumed = 0;  // by the source, when it was full
  };

  std::size_t read_now(Byte* to, std::size_t room) {
    const std::size_t count = source_->read(to, room);
    consumed_ = source_->consumed();
    if (count == 0) fail(source_->failure());
    return count;
  }

  void run() {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return filled_ - taken_ < block_count || abandoned_; });
        if (abandoned_) return;
      }
      Block& block = blocks_[filled_ % block_count];
      block.size = source_->read(block.octets.get(), block_octets);
      block.consumed = source_->consumed();
      {
        const std::lock_guard lock(mutex_);
        if (block.size == 0) {
          ended_ = true;
        } else {
          ++filled_;
        }
      }
      changed_.notify_all();
      if (block.size == 0) return;
    }
  }

  const std::unique_ptr<ByteSource> source_;  // the thread's, until ended_
  const bool is_compressed_;
  const std::optional<std::uint64_t> size_;
  // A block belongs to the thread from taken_ + block_count on, to the reader up to filled_.
  std::array<Block, block_count> blocks_;
  std::mutex mutex_;  // of the next five
  std::condition_variable changed_;
  std::uint64_t filled_ = 0;
  std::uint64_t taken_ = 0;
  bool ended_ = false;
  bool abandoned_ = false;
  // The reader's.
  std::size_t used_ = 0;  // of block taken_
  std::uint64_t consumed_ = 0;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> source) {
  return std::make_unique<ReadAheadSource>(std::move(source));
}

}  // namespace iwarp::capture
