// The stream that is shown where none is selected: the one that who opens a capture asks about.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QString>

#include <optional>

#include "models/levels.hpp"

namespace iwarp::gui {

struct Foremost {
  // Why that one, the first that holds.
  enum Reason : std::uint8_t {
    only,     // of which something counts
    error,    // it has findings that are errors
    slowest,  // it has the slowest operation
    busiest   // no latency is known: it carried the most
  };

  ConnectionId stream = 0;
  Reason reason = only;

  bool operator==(const Foremost&) const = default;
};

// Of streams of which something counts: those with errors before all others, among them the one with the
// slowest operation, then the one that carried the most, then the first. Warnings do not decide: products
// that are known to leave a rule warn on every connection. While the capture is read, `shown` stays unless
// another one has an error, or is twice as slow: pictures do not jump. Nothing: there is no stream.
[[nodiscard]] std::optional<Foremost> foremost_stream(const Levels& levels, const StreamTable& streams,
                                                      std::optional<ConnectionId> shown);

// "nothing is selected: the stream with the slowest operation"; empty: there is no other one.
[[nodiscard]] QString reason_words(Foremost::Reason reason);

}  // namespace iwarp::gui
