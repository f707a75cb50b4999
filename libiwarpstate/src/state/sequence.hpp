// A sequence of numbers each of which tells where it stands: MSNs of a queue, MOs or TOs of a message (RFC
// 5041 §4.2, §4.3). One that does not fit is wrong by itself, or the first of several that are shifted, or
// out of its turn: only the next numbers tell, so all that may be due by any of these is followed, and what
// fits one of them is right. So the number is accused that disagrees with what came before and behind it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/state.hpp>

namespace iwarp {

enum class Fit : std::uint8_t {
  agrees,   // with the number before it
  returns,  // to where one that did not fit left off
  breaks,
};

template <typename Number>
[[nodiscard]] constexpr Fit fit_of(Number next, const AlsoDue<Number>& also, Number number) noexcept {
  if (number == next) return Fit::agrees;
  const bool due = number == also.resumed || number == also.counted || number == also.aside;
  return due ? Fit::returns : Fit::breaks;
}

// What is due first of all: behind a number that strayed, what would be if it were right.
template <typename Number>
[[nodiscard]] constexpr Number first_due(Number next, const AlsoDue<Number>& also) noexcept {
  return also.strayed ? also.resumed : next;
}

// A number before did not fit: what is due depends on which of them was wrong.
template <typename Number>
[[nodiscard]] constexpr bool is_disputed(Number next, const AlsoDue<Number>& also) noexcept {
  return also.resumed != next || also.counted != next || also.aside != next;
}

// The sequence goes on at `due`, whatever was before; so many numbers vouch for it.
template <typename Number>
constexpr void begin_at(Number& next, AlsoDue<Number>& also, Number due, std::uint8_t vouched = 2) noexcept {
  next = due;
  also = {due, due, due, false, vouched};
}

// Takes a number that stands for `length` of them. `stray`: one that breaks the sequence lies before the one
// due.
template <typename Number>
constexpr void take_number(Number& next, AlsoDue<Number>& also, Number number, Number length,
                           bool stray) noexcept {
  const Fit fit = fit_of(next, also, number);
  const auto end = static_cast<Number>(number + length);
  const auto go_on = [length](Number& due) { due = static_cast<Number>(due + length); };
  switch (fit) {
    case Fit::agrees:
      if (also.strayed) {  // what strayed was none of the sequence
        begin_at(next, also, end);
        return;
      }
      go_on(also.resumed);
      go_on(also.counted);
      if (!also.sure()) ++also.vouched;
      break;
    case Fit::returns:
      if (number == also.counted || number != also.aside) {
        const bool all = number == also.counted;
        also.resumed = end;
        if (all) {
          also.counted = end;
        } else {
          go_on(also.counted);
        }
      } else if (also.strayed) {  // others stray with it
        go_on(also.resumed);
        go_on(also.counted);
      } else {
        also.resumed = end;
        go_on(also.counted);
      }
      break;
    case Fit::breaks: {
      const Number due = first_due(next, also);
      also.resumed = static_cast<Number>(due + length);
      go_on(also.counted);
      also.strayed = stray;
      also.aside = stray ? end : due;
      if (!stray) next = end;
      return;
    }
  }
  next = end;
  also.aside = end;
  also.strayed = false;
}

// Octets that fit, and are taken without being looked at as a number of the sequence.
template <typename Number>
constexpr void go_on(Number& next, AlsoDue<Number>& also, Number length) noexcept {
  take_number(next, also, next, length, false);
}

}  // namespace iwarp
