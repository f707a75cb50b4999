// The texts and names of all statuses.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/status.hpp"

#include <array>
#include <cstddef>

namespace iwarp::rnic {
namespace {

struct Words {
  const char* name;
  const char* text;
};

#define IWARP_RNIC_WORDS(name, text) Words{#name, text},

constexpr std::array immediate_words = {IWARP_RNIC_IMMEDIATE_STATUS(IWARP_RNIC_WORDS)};
constexpr std::array completion_words = {IWARP_RNIC_COMPLETION_STATUS(IWARP_RNIC_WORDS)};
constexpr std::array event_words = {IWARP_RNIC_ASYNC_EVENT(IWARP_RNIC_WORDS)};

#undef IWARP_RNIC_WORDS

}  // namespace

const char* text_of(Status status) noexcept {
  return immediate_words[static_cast<std::size_t>(status)].text;
}
const char* text_of(CompletionStatus status) noexcept {
  return completion_words[static_cast<std::size_t>(status)].text;
}
const char* text_of(AsyncEventKind kind) noexcept {
  return event_words[static_cast<std::size_t>(kind)].text;
}
const char* name_of(Status status) noexcept {
  return immediate_words[static_cast<std::size_t>(status)].name;
}
const char* name_of(CompletionStatus status) noexcept {
  return completion_words[static_cast<std::size_t>(status)].name;
}
const char* name_of(AsyncEventKind kind) noexcept {
  return event_words[static_cast<std::size_t>(kind)].name;
}

}  // namespace iwarp::rnic
