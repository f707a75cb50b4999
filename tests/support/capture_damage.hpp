// What capturing does to healthy traffic: frames that are missing, cut, in another order or there twice,
// octets that the capture alone damaged. None of it is a fault of those who were captured.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "support/conversation.hpp"
#include "support/random_traffic.hpp"

namespace iwarp::test {

using Segments = std::vector<OwnedSegment>;

// Each leaves frame numbers as they are: number_frames() makes them those of a file.
void lose(Segments& segments, Numbers& numbers, std::uint32_t one_in, std::size_t from = 0);
void lose_one(Segments& segments, Numbers& numbers);
void lose_in_a_row(Segments& segments, Numbers& numbers);
void lose_of_one_direction(Segments& segments, Numbers& numbers, std::uint32_t one_in);
void keep_one_direction(Segments& segments, Numbers& numbers);
void begin_late(Segments& segments, Numbers& numbers);
void end_early(Segments& segments, Numbers& numbers);
// Every frame to the same random length of payload, up to 120 octets.
void cut(Segments& segments, Numbers& numbers);
// Every frame to the same random length from its link header on, 60 to 200 octets. Those with a wrong
// checksum are left out.
void cut_frames(Segments& segments, Numbers& numbers);
void swap_neighbours(Segments& segments, Numbers& numbers);
// Frames up to six places later, with the times of these places: queues of a mirror.
void swap_near(Segments& segments, Numbers& numbers);
// The clock of one direction's mirror is late by 50 µs to 5 ms, and the frames are merged by time.
void skew(Segments& segments, Numbers& numbers);
// Some frames have a second copy a few places later: two mirrors of one packet.
void repeat(Segments& segments, Numbers& numbers);
// Some frames have wrong octets, which their TCP checksum tells.
void corrupt(Segments& segments, Numbers& numbers);

void number_frames(Segments& segments);

// All of them, and what comes together.
struct CaptureDamage {
  const char* name;
  void (*apply)(Segments&, Numbers&);
};
[[nodiscard]] std::span<const CaptureDamage> capture_damages();

// Calls `look` with each bundled real capture of at most 1000 frames, damaged: enough for what looks at each
// event.
void for_each_damaged_capture(const CaptureDamage& damage, const std::function<void(const Segments&)>& look);

// For what fails: the capture as a file in the folder of the environment variable IWARP_KEEP, if there is
// one.
void keep_capture(const Segments& segments, const std::string& name);

}  // namespace iwarp::test
