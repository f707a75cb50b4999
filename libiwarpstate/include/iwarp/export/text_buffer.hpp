// TextBuffer: text that grows at its end, the target of every writer of iwarp/export.
//
// Numbers are written the same in every locale. Once it has grown to what its user needs between two calls of
// clear(), it allocates no more.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#pragma GCC visibility push(default)
namespace iwarp {

// As TextBuffer::append_hex(); returns where the digits end.
inline char* write_hex(char* begin, std::uint64_t value, unsigned digits) noexcept {
  *begin++ = '0';
  *begin++ = 'x';
  for (unsigned at = digits; at > 0; --at, value >>= 4U) begin[at - 1] = "0123456789abcdef"[value & 0xfU];
  return begin + digits;
}

class TextBuffer {
 public:
  [[nodiscard]] std::string_view view() const noexcept { return {octets_.get(), size_}; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  // The last octet, 0 when there is none.
  [[nodiscard]] char back() const noexcept { return size_ == 0 ? '\0' : octets_[size_ - 1]; }
  // Keeps the memory.
  void clear() noexcept { size_ = 0; }
  // Forgets what stands behind the first `size` octets. REQUIRES: there are as many.
  void truncate(std::size_t size) noexcept { size_ = size; }

  [[gnu::always_inline]] void append(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }

  [[gnu::always_inline]] void append(char octet) {
    *room(1) = octet;
    ++size_;
  }

  void append(std::size_t count, char octet) {
    if (count == 0) return;
    std::memset(room(count), octet, count);
    size_ += count;
  }

  template <std::integral T>
  requires(!std::same_as<T, bool> && !std::same_as<T, char>) void append_decimal(T value) {
    char* const begin = room(24);
    size_ += static_cast<std::size_t>(std::to_chars(begin, begin + 24, value).ptr - begin);
  }

  // "0x" and exactly `digits` lower-case hex digits. REQUIRES: 1 <= digits <= 16.
  void append_hex(std::uint64_t value, unsigned digits) {
    end_at(write_hex(room(2U + digits), value, digits));
  }

  // Where the next `count` octets go, or fewer; they are there to be written …
  [[nodiscard, gnu::always_inline]] char* room(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return octets_.get() + size_;
  }
  // … and were, up to `end`.
  [[gnu::always_inline]] void end_at(const char* end) noexcept {
    size_ = static_cast<std::size_t>(end - octets_.get());
  }

 private:
  [[gnu::cold]] void grow(std::size_t count);

  std::unique_ptr<char[]> octets_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace iwarp
#pragma GCC visibility pop
