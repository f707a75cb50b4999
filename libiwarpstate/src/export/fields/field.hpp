// What the descriptions of records in this folder are made of.
//
// describe(visitor, record) calls the visitor for every field of a record, always the same fields in the same
// order for one RecordKind. A visitor has
//
//   field(Key, value)      value: bool, std::uint64_t, std::int64_t, Hex, Word, Null
//   text(Key, make)        make() gives a std::string or std::string_view; called only where it is wanted
//   object(Key, fill)      fill(visitor) describes an object with fixed keys
//   list(Key, fill)        fill(items): items.item(std::uint64_t), items.object(fill), items.list(fill)
//   map(Key, fill)         fill(entries): entries.entry(text, std::uint64_t), entries.entry_map(text, fill)
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace iwarp::fields {

// FNV-1a, to compare names of fields by one number.
constexpr std::uint32_t hash_name(std::string_view name) noexcept {
  std::uint32_t hash = 2166136261U;
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  return hash;
}

// Hash of a field inside the object whose own path has the hash `object` (0: a record's own field).
constexpr std::uint32_t hash_path(std::uint32_t object, std::uint32_t name) noexcept {
  return object == 0 ? name : (object * 16777619U) ^ name;
}

// A field's name: a literal without characters that JSON or CSV would have to escape.
struct Key {
  std::string_view name;
  std::uint32_t hash;

  template <std::size_t N>
  consteval Key(const char (&literal)[N]) : name(literal, N - 1), hash(hash_name({literal, N - 1})) {}
};

// A number that people read in hex, written as text "0x…" of that many digits.
struct Hex {
  std::uint64_t value;
  unsigned digits;
};
constexpr Hex hex16(std::uint64_t value) noexcept {
  return {value, 4};
}
constexpr Hex hex32(std::uint64_t value) noexcept {
  return {value, 8};
}
constexpr Hex hex64(std::uint64_t value) noexcept {
  return {value, 16};
}

// A word of ours: nothing in it needs escaping.
struct Word {
  std::string_view text;
};

struct Null {};

// Inlined, as the writers' field() is: a literal name is then copied as a constant.
template <typename Visitor, typename T>
[[gnu::always_inline]] inline void put(Visitor& visitor, Key key, const std::optional<T>& value) {
  if (value) {
    visitor.field(key, *value);
  } else {
    visitor.field(key, Null{});
  }
}

// The value when `known`, else null.
template <typename Visitor, typename T>
[[gnu::always_inline]] inline void put_if(Visitor& visitor, Key key, bool known, const T& value) {
  if (known) {
    visitor.field(key, value);
  } else {
    visitor.field(key, Null{});
  }
}

// nullptr is null.
template <typename Visitor>
[[gnu::always_inline]] inline void put_word(Visitor& visitor, Key key, const char* word) {
  put_if(visitor, key, word != nullptr, Word{word == nullptr ? std::string_view() : std::string_view(word)});
}

// An object, or null where the visitor writes that; others describe it with null fields.
template <typename Visitor, typename Fill>
void put_object(Visitor& visitor, Key key, bool known, Fill fill) {
  if constexpr (requires { visitor.null_object(key); }) {
    if (!known) return visitor.null_object(key);
  }
  visitor.object(key, fill);
}

// Frame 0 is null.
template <typename Visitor>
[[gnu::always_inline]] inline void put_frame(Visitor& visitor, Key key, std::uint64_t frame) {
  put_if(visitor, key, frame != 0, frame);
}

}  // namespace iwarp::fields
