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
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
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
  template <typename... Members>
  void operator()(Members&... members) {
    (each(members), ...);
  }

 private:
  [[nodiscard]] Codec& self() noexcept { return static_cast<Codec&>(*this); }

  template <typename T>
  void each(T& object) {
    if constexpr (Number<T>) {
      self().number(object);
    } else if constexpr (requires { object.pack(self()); }) {
      object.pack(self());
    } else {
      members(self(), object);
    }
  }

  template <typename T>
  void each(std::optional<T>& object) {
    bool there = object.has_value();
    self().number(there);
    if (there && !object) object.emplace();
    if (there) each(*object);
  }
  template <typename T>
  void each(OnDemand<T>& object) {
    bool there = object.has_value();
    self().number(there);
    if (there) each(object.edit());
  }
  template <typename T, std::size_t N>
  void each(std::array<T, N>& objects) {
    for (T& object : objects) each(object);
  }
  template <std::size_t N>
  void each(std::bitset<N>& bits) {
    for (std::size_t from = 0; from < N; from += 32) {
      std::uint64_t word = ((bits >> from) & std::bitset<N>(0xffff'ffffU)).to_ullong();
      self().number(word);
      bits |= std::bitset<N>(word) << from;
    }
  }
  template <typename T>
  void each(std::vector<T>& objects) {
    std::size_t count = objects.size();
    self().number(count);
    objects.resize(count);
    if constexpr (std::is_same_v<T, Byte>) {
      self().octets(objects);
    } else {
      for (T& object : objects) each(object);
    }
  }
  template <typename T>
  void each(Fifo<T>& objects) {
    std::size_t count = objects.size();
    self().number(count);
    while (objects.size() < count) objects.push_back(T());
    for (T& object : objects) each(object);
  }
};

// Into a fixed number of octets: what needs more, or has an absent part, does not fit.
class Packer : public PackingCodec<Packer> {
 public:
  static constexpr std::size_t max_size = 4096;

  [[nodiscard]] bool fits() const noexcept { return fits_; }
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(packer_.end() - buffer_.data());
  }
  // The octets, and behind them the slack that an Unpacker needs. REQUIRES: fits().
  [[nodiscard]] std::unique_ptr<Byte[]> octets() const {
    const std::size_t used = size();
    auto copy = std::make_unique<Byte[]>(used + packer_slack);
    std::memcpy(copy.get(), buffer_.data(), used);
    return copy;
  }

  template <typename... Members>
  void absent(const Members&... members) noexcept {
    fits_ = fits_ && (is_pristine(members) && ...);
  }

 private:
  friend class PackingCodec<Packer>;

  template <Number T>
  void number(T number) noexcept {
    if (reserve(sizeof number + 1)) packer_.put(static_cast<std::uint64_t>(number));
  }
  void octets(const Bytes& octets) noexcept {
    if (reserve(octets.size())) packer_.put(octets.data(), octets.size());
  }
  [[nodiscard]] bool reserve(std::size_t more) noexcept {
    fits_ = fits_ && size() + more <= max_size;
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

  std::array<Byte, max_size + packer_slack> buffer_;  // not initialised: written before it is read
  OctetPacker packer_{buffer_.data()};
  bool fits_ = true;
};

// REQUIRES: the objects unpacked are new, of the types packed, in the same order.
class Unpacker : public PackingCodec<Unpacker> {
 public:
  explicit Unpacker(const Byte* octets) noexcept : unpacker_(octets) {}

  template <typename... Members>
  void absent(const Members&...) noexcept {}

 private:
  friend class PackingCodec<Unpacker>;

  template <Number T>
  void number(T& number) noexcept {
    number = static_cast<T>(unpacker_.take());
  }
  void octets(Bytes& octets) noexcept { unpacker_.take(octets.data(), octets.size()); }

  OctetUnpacker unpacker_;
};

}  // namespace iwarp::base
