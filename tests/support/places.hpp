// Where the tests find things. Only places.cpp is compiled with these paths, so that no other object depends
// on where the tree lies.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

namespace iwarp::test::places {

[[nodiscard]] std::string source();    // the project's root
[[nodiscard]] std::string captures();  // its captures/
[[nodiscard]] std::string tests();     // its tests/
[[nodiscard]] std::string analyze();   // the program iwarp-analyze
[[nodiscard]] std::string replay();    // the program iwarp-replay; empty where it is not built

}  // namespace iwarp::test::places
