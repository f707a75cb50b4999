// A window that moves over the octets of a ByteSource, or over memory.
//
// Parsers ask for as many octets as they need next and see them in one piece. The window grows only when it
// is full of octets really read, so no claim inside the octets can make it large.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <iwarp/bytes.hpp>

#include "byte_source.hpp"

namespace iwarp::capture {

class InputBuffer {
 public:
  // `from`: the offset that the source stands at.
  explicit InputBuffer(std::unique_ptr<ByteSource> source, std::uint64_t from = 0) noexcept
      : source_(std::move(source)), end_offset_(from) {}
  // The octets are used where they are. REQUIRES: they outlive this object.
  explicit InputBuffer(ByteView octets) noexcept;

  [[nodiscard]] const Byte* at() const noexcept { return at_; }
  [[nodiscard]] std::size_t available() const noexcept { return static_cast<std::size_t>(end_ - at_); }

  // True when at() has `count` octets, reading no more than needed for it. False: the source ends before.
  // May move at().
  [[nodiscard]] bool ensure(std::size_t count) { return available() >= count || refill(count); }

  // REQUIRES: count <= available().
  void advance(std::size_t count) noexcept { at_ += count; }

  // Passes over `count` octets without keeping them. False: the source ends before.
  [[nodiscard]] bool skip(std::uint64_t count);

  // Where at() is, in octets from the start of the source.
  [[nodiscard]] std::uint64_t offset() const noexcept { return end_offset_ - available(); }

  // Where the source stands, at() and what is available behind it being read: offset() or more.
  [[nodiscard]] std::uint64_t source_offset() const noexcept { return end_offset_; }
  [[nodiscard]] ByteSource::Resume resume_source() const {
    return source_ ? source_->resume() : ByteSource::Resume{};
  }

  // Octets from at() to the end of the source, where that is known.
  [[nodiscard]] std::optional<std::uint64_t> remaining() const noexcept;

  [[nodiscard]] bool is_compressed() const noexcept { return source_ && source_->is_compressed(); }
  [[nodiscard]] std::string failure() const { return source_ ? source_->failure() : std::string(); }
  // As long as somebody holds it, the octets passed over lately stay where they are, unchanged: those since
  // it was another one. To be held and given up by the thread that reads. nullptr of octets in memory.
  [[nodiscard]] std::shared_ptr<const void> storage() const noexcept { return storage_; }
  [[nodiscard]] const void* storage_address() const noexcept { return storage_.get(); }

  [[nodiscard]] std::uint64_t consumed() const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept;

 private:
  using Storage = std::shared_ptr<Byte[]>;

  bool refill(std::size_t count);
  void make_room(std::size_t count);
  // One of blocks_ that nobody uses.
  [[nodiscard]] Storage unheld_block();
  void move_to(Storage storage, std::size_t capacity, std::size_t offset);

  std::unique_ptr<ByteSource> source_;  // null: memory
  Storage storage_;
  std::size_t capacity_ = 0;
  std::vector<Storage> blocks_;  // of the usual capacity: storage_ is one of them unless a record is longer
  const Byte* at_ = nullptr;
  const Byte* end_ = nullptr;
  std::uint64_t end_offset_ = 0;  // of end_, from the start of the source
  bool at_end_ = false;
};

}  // namespace iwarp::capture
