// SPDX-License-Identifier: GPL-2.0-or-later
#include "stags/atomic_words.hpp"

namespace iwarp {
namespace {

constexpr std::uint64_t word_size = 8;

}  // namespace

void AtomicWords::note_request(std::uint32_t host, const StagUse& use) {
  if (words_.size() >= max_words) words_.clear();
  Word& word = words_[{host, use.stag, use.to}];
  if (word.unanswered != 0 && word.stream != use.stream) word.contended = true;
  word.stream = use.stream;
  ++word.unanswered;
}

std::optional<AtomicWords::Left> AtomicWords::note_response(std::uint32_t host, const StagUse& use) {
  const auto found = words_.find({host, use.stag, use.to});
  if (found == words_.end()) return std::nullopt;  // forgotten meanwhile
  Word& word = found->second;
  if (word.stream != use.stream) word.contended = true;  // its request is one of those forgotten
  if (word.unanswered != 0) --word.unanswered;
  const std::optional<Left> before = word.left;
  word.left = word.contended ? std::nullopt : std::optional(Left{use.word->after, use.where.frame});
  if (word.unanswered == 0) word.contended = false;
  return word.left && before && before->value != use.word->before ? before : std::nullopt;
}

void AtomicWords::note_written(std::uint32_t host, const StagUse& use) {
  const std::uint64_t length = use.length.value_or(0);
  if (words_.empty() || length == 0) return;
  const std::uint64_t first = use.to < word_size ? 0 : use.to - word_size + 1;
  const std::uint64_t last = use.to + length - 1;
  if (last < use.to) return forget();  // it wraps
  for (auto each = words_.lower_bound({host, use.stag, first}); each != words_.end(); ++each) {
    const Name& name = each->first;
    if (name.host != host || name.stag != use.stag || name.to > last) return;
    each->second.left.reset();
    // An Atomic that is unanswered may come before it or behind it.
    each->second.contended = each->second.unanswered != 0;
  }
}

void AtomicWords::forget(std::uint32_t host, std::uint32_t stag) {
  if (words_.empty()) return;
  words_.erase(words_.lower_bound({host, stag, 0}), words_.upper_bound({host, stag, ~std::uint64_t{0}}));
}

}  // namespace iwarp
