// Packer, Unpacker: an object's members in as few octets as they need, and back into a new object.
//
// A class says once what its members are, for both:
//
//   template <typename Codec>
//   void pack(Codec& codec) {
//     auto& [options, count, names, waiting] = *this;  // all of them, or it does not compile
//     codec(count, names);                             // these differ from object to object
//     codec.absent(waiting);                           // an object that has this cannot be packed
//   }
//
// or a function members(codec, object) does for an aggregate. What neither names is for the constructor.
//
// The numbers of one call lie together: a bit or two for each tell how many octets of it follow, none of a
// zero. Most are zero, and no branch asks which. A number of more than 32 bits is a time, most often, and
// those of one object lie close together: its difference from the one before is written.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/fifo.hpp>
#include <iwarp/on_demand.hpp>

#include "base/octet_packer.hpp"

namespace iwarp::base {

template <typename T>
concept Number = std::is_integral_v<T> || std::is_enum_v<T>;

// What Packer and Unpacker do alike: members are taken apart down to numbers and octets.
template <typename Codec>
class PackingCodec {
 public:
  // The numbers among the members first.
  template <typename... Members>
  void operator()(Members&... members) {
    if constexpr ((Number<Members> || ...)) self().numbers(members...);
    (each(members), ...);
  }

 protected:
  // A bool is one bit. A number of one or two octets is there or not: one bit. Larger ones take 0, 1 or 3
  // octets, or are wide: two bits.
  template <typename T>
  static constexpr unsigned bits_of = Number<T> ? (std::is_same_v<T, bool> || sizeof(T) <= 2 ? 1 : 2) : 0;
  template <typename T>
  static constexpr std::size_t most_octets = Number<T> ? sizeof(T) + (sizeof(T) > 2 ? 1 : 0) : 0;
  // At the start of the numbers of one call.
  template <typename... Members>
  static constexpr std::size_t bit_octets = ((bits_of<Members> + ...) + 7) / 8;

  // One octet says how many follow, and whether they are a difference.
  static constexpr unsigned wide = 3;
  static constexpr Byte is_difference = 0x80;
  static constexpr std::array<std::uint8_t, 3> sizes = {0, 1, 3};
  static constexpr std::array<std::uint64_t, 3> masks = {0, 0xff, 0xff'ffff};

  std::uint64_t last_ = 0;  // number of more than 32 bits

 private:
  static constexpr std::size_t max_count = 32;  // of numbers in one call, of whatever size

  [[nodiscard]] Codec& self() noexcept { return static_cast<Codec&>(*this); }

  template <Number T>
  void each(T& /*number*/) noexcept {}
  template <typename T>
  void each(T& object) {
    if constexpr (requires { object.pack(self()); }) {
      object.pack(self());
    } else {
      members(self(), object);
    }
  }

  template <typename T>
  void each(std::optional<T>& object) {
    bool there = object.has_value();
    (*this)(there);
    if (there && !object) object = T();
    if (there) (*this)(*object);
  }
  template <typename T>
  void each(OnDemand<T>& object) {
    bool there = object.has_value();
    (*this)(there);
    if (there) (*this)(object.edit());
  }
  template <typename T, std::size_t N>
  void each(std::array<T, N>& objects) {
    if constexpr (Number<T> && N <= max_count) {
      std::apply([this](auto&... numbers) { (*this)(numbers...); }, objects);
    } else if constexpr (Number<T>) {
      each_of_few(objects);
    } else {
      for (T& object : objects) (*this)(object);
    }
  }
  // Nearly all are zero: the others with their places.
  template <Number T, std::size_t N>
  void each_of_few(std::array<T, N>& numbers) {
    const auto is_other = [](T number) { return number != T{}; };
    auto others = static_cast<std::size_t>(std::count_if(numbers.begin(), numbers.end(), is_other));
    (*this)(others);
    for (std::size_t at = 0; others > 0; --others, ++at) {
      while (at < N && !is_other(numbers[at])) ++at;
      (*this)(at);
      (*this)(numbers[at]);
    }
  }
  template <std::size_t N>
  void each(std::bitset<N>& bits) {
    bool any = bits.any();
    (*this)(any);
    for (std::size_t from = 0; any && from < N; from += 32) {
      std::uint64_t word = ((bits >> from) & std::bitset<N>(0xffff'ffffU)).to_ullong();
      (*this)(word);
      bits |= std::bitset<N>(word) << from;
    }
  }
  template <typename T>
  void each(std::unique_ptr<T>& object) {
    bool there = object != nullptr;
    (*this)(there);
    if (there && !object) object = std::make_unique<T>();
    if (there) (*this)(*object);
  }
  template <typename T>
  void each(std::vector<T>& objects) {
    std::size_t size = objects.size();
    (*this)(size);
    if (!self().has_room_for(size)) return;
    objects.resize(size);
    if constexpr (std::is_same_v<T, Byte>) {
      self().octets(objects);
    } else {
      for (T& object : objects) (*this)(object);
    }
  }
  template <typename T>
  void each(Fifo<T>& objects) {
    std::size_t size = objects.size();
    (*this)(size);
    if (!self().has_room_for(size)) return;
    while (objects.size() < size) objects.push_back(T());
    for (T& object : objects) (*this)(object);
  }
  template <typename Key, typename T>
  void each(std::map<Key, T>& objects) {
    std::size_t size = objects.size();
    (*this)(size);
    if (!self().has_room_for(size)) return;
    for (auto at = objects.begin(); size > 0; --size, ++at) {
      Key key = at == objects.end() ? Key() : at->first;
      (*this)(key);
      if (at == objects.end()) at = objects.emplace_hint(at, key, T());
      (*this)(at->second);
    }
  }
};

// Into a fixed number of octets: what needs more, or has an absent part, does not fit.
class Packer : public PackingCodec<Packer> {
 public:
  static constexpr std::size_t max_size = 48U << 10U;

  [[nodiscard]] bool fits() const noexcept { return fits_; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - buffer_.data()); }
  // The octets, and behind them the slack that an Unpacker needs. REQUIRES: fits().
  [[nodiscard]] std::unique_ptr<Byte[]> octets() const {
    auto copy = std::make_unique_for_overwrite<Byte[]>(size() + slack);
    std::fill_n(std::copy(buffer_.data(), static_cast<const Byte*>(at_), copy.get()), slack, Byte{0});
    return copy;
  }

  template <typename... Members>
  void absent(const Members&... members) noexcept {
    fits_ = fits_ && (is_pristine(members) && ...);
  }

 private:
  friend class PackingCodec<Packer>;

  template <typename... Members>
  void numbers(const Members&... members) noexcept {
    static_assert((bits_of<Members> + ...) <= 64);
    if (!reserve(bit_octets<Members...> + (most_octets<Members> + ...))) return;
    std::uint64_t bits = 0;
    unsigned at_bit = 0;
    Byte* at = at_ + bit_octets<Members...>;  // a copy: what is stored may be anything but this
    const auto put = [&](const auto& member) {
      using T = std::remove_cvref_t<decltype(member)>;
      if constexpr (Number<T>) {
        const auto number = static_cast<std::uint64_t>(member) & (~std::uint64_t{0} >> (64 - 8 * sizeof(T)));
        if constexpr (bits_of<T> == 1) {
          const bool there = number != 0;
          bits |= std::uint64_t{there} << at_bit;
          if constexpr (!std::is_same_v<T, bool>) {
            store_le64(at, number);
            at += there ? sizeof(T) : 0;
          }
        } else {
          const unsigned size =
              unsigned{number > masks[0]} + unsigned{number > masks[1]} + unsigned{number > masks[2]};
          bits |= std::uint64_t{size} << at_bit;
          if (size == wide) {
            at = put_wide(at, number);
          } else {
            store_le64(at, number);
            at += sizes[size];
          }
        }
        at_bit += bits_of<T>;
      }
    };
    (put(members), ...);
    for (std::size_t i = 0; i < bit_octets<Members...>; ++i) at_[i] = static_cast<Byte>(bits >> 8 * i);
    at_ = at;
  }
  // Returns what is behind it.
  [[nodiscard]] Byte* put_wide(Byte* at, std::uint64_t number) noexcept {
    const bool differs = number > 0xffff'ffff;
    if (differs) {
      const std::uint64_t difference = number - std::exchange(last_, number);
      number = difference << 1U ^ (0 - (difference >> 63U));  // its sign last: both ways few octets
    }
    const auto size = (static_cast<unsigned>(std::bit_width(number)) + 7) / 8;
    *at = static_cast<Byte>(size | (differs ? is_difference : 0U));
    store_le64(at + 1, number);
    return at + 1 + size;
  }
  void octets(const Bytes& octets) noexcept {
    if (reserve(octets.size())) at_ = std::copy(octets.begin(), octets.end(), at_);
  }
  // Each of them takes one octet at least.
  [[nodiscard]] bool has_room_for(std::size_t objects) noexcept { return reserve(objects); }
  [[nodiscard]] bool reserve(std::size_t more) noexcept {
    fits_ = fits_ && more <= max_size - size();
    return fits_;
  }
  template <typename T>
  [[nodiscard]] static bool is_pristine(const T& member) noexcept {
    if constexpr (requires { member.has_value(); }) {
      return !member.has_value();
    } else if constexpr (requires { member.empty(); }) {
      return member.empty();
    } else {
      return member == T{};
    }
  }
  template <typename T, std::size_t N>
  [[nodiscard]] static bool is_pristine(const std::array<T, N>& members) noexcept {
    return std::all_of(members.begin(), members.end(), [](const T& each) { return is_pristine(each); });
  }

  static constexpr std::size_t slack = packer_slack;

  std::array<Byte, max_size + slack> buffer_;  // not initialised: written before it is read
  Byte* at_ = buffer_.data();
  bool fits_ = true;
};

// REQUIRES: the objects unpacked are new, of the types packed, in the same order.
class Unpacker : public PackingCodec<Unpacker> {
 public:
  explicit Unpacker(const Byte* octets) noexcept : at_(octets) {}

  template <typename... Members>
  void absent(const Members&...) noexcept {}

 private:
  friend class PackingCodec<Unpacker>;

  template <typename... Members>
  void numbers(Members&... members) noexcept {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < bit_octets<Members...>; ++i) bits |= std::uint64_t{at_[i]} << 8 * i;
    const Byte* at = at_ + bit_octets<Members...>;  // a copy, as in Packer
    const auto take = [&](auto& member) {
      using T = std::remove_cvref_t<decltype(member)>;
      if constexpr (std::is_same_v<T, bool>) {
        member = (bits & 1U) != 0;
      } else if constexpr (Number<T> && bits_of<T> == 1) {
        const bool there = (bits & 1U) != 0;
        member = static_cast<T>(load_le64(at) & (there ? ~std::uint64_t{0} : 0));
        at += there ? sizeof(T) : 0;
      } else if constexpr (Number<T>) {
        const auto size = bits & 3U;
        if (size == wide) {
          member = static_cast<T>(take_wide(at));
        } else {
          member = static_cast<T>(load_le64(at) & masks[size]);
          at += sizes[size];
        }
      }
      bits >>= bits_of<T>;
    };
    (take(members), ...);
    at_ = at;
  }
  // Moves `at` behind it.
  [[nodiscard]] std::uint64_t take_wide(const Byte*& at) noexcept {
    const bool differs = (*at & is_difference) != 0;
    const unsigned size = *at & 0x0fU;
    const std::uint64_t number = size == 0 ? 0 : load_le64(at + 1) & ~std::uint64_t{0} >> (64U - 8U * size);
    at += 1 + size;
    return differs ? last_ += number >> 1U ^ (0 - (number & 1U)) : number;
  }
  [[nodiscard]] static bool has_room_for(std::size_t /*objects*/) noexcept { return true; }
  void octets(Bytes& octets) noexcept {
    std::copy_n(at_, octets.size(), octets.begin());
    at_ += octets.size();
  }

  const Byte* at_;
};

}  // namespace iwarp::base
