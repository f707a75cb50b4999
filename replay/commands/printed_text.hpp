// What stdio prints, as a string.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace iwarp::replay {

// `print` takes a std::FILE*.
template <typename Print>
[[nodiscard]] std::string printed_text(const Print& print) {
  char* octets = nullptr;
  std::size_t size = 0;
  std::FILE* const out = ::open_memstream(&octets, &size);
  if (out == nullptr) return {};
  print(out);
  std::fclose(out);
  std::string text(octets, size);
  std::free(octets);
  return text;
}

}  // namespace iwarp::replay
