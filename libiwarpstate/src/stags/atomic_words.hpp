// AtomicWords: what words of memory hold by the Atomics that were answered, as far as nothing else can have
// changed them: no Write or Read Response went there, no octets are missing that may have held one, and no
// Atomics of two streams were under way at once, whose order nothing tells (RFC 5040 §5.5).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include <iwarp/stags.hpp>

namespace iwarp {

class AtomicWords {
 public:
  // What an Atomic left in a word, and in which frame its response said so.
  struct Left {
    std::uint64_t value = 0;
    FrameNumber frame = 0;
  };

  // An Atomic Request, use.kind atomic, came for a word of the host.
  void note_request(std::uint32_t host, const StagUse& use);
  // It was answered, use.kind granted. What the word should have held, if that is another value than it was.
  // REQUIRES: use.word.
  [[nodiscard]] std::optional<Left> note_response(std::uint32_t host, const StagUse& use);
  // Something else was written there.
  void note_written(std::uint32_t host, const StagUse& use);
  // The STag names other memory from now on.
  void forget(std::uint32_t host, std::uint32_t stag);
  // Octets are missing that may have held anything.
  void forget() noexcept { words_.clear(); }

 private:
  // Beyond so many all of them are forgotten.
  static constexpr std::size_t max_words = std::size_t{1} << 14U;

  struct Name {
    std::uint32_t host = 0;
    std::uint32_t stag = 0;
    std::uint64_t to = 0;
    auto operator<=>(const Name&) const = default;
  };
  struct Word {
    std::optional<Left> left;
    ConnectionId stream = 0;       // of the latest request
    std::uint32_t unanswered = 0;  // requests
    bool contended = false;        // by two streams, while any was unanswered
  };

  std::map<Name, Word> words_;
};

}  // namespace iwarp
