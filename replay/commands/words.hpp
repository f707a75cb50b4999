// What stands on the command line, before it is understood, and how its values are read.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "commands/options.hpp"

namespace iwarp::replay {

struct Words {
  bool help = false;
  bool version = false;
  bool all = false;
  std::string as;
  std::vector<std::string> faults;
  std::vector<std::string> accept_only;
  std::vector<std::string> latency_limits;
  std::string rnic = "soft";
  std::string connect;
  std::vector<std::string> mapped;
  std::string bind;
  std::string copies;
  std::string ramp;
  std::string listen;
  std::string stream;
  std::string keep_broken;
  std::string timing = "causal";
  std::string speed;
  std::string max_gap;
  std::string requests_per_second;
  std::string mbps;
  std::string loop;
  std::string loop_delay;
  std::string limit;
  std::string duration;
  std::string patience;
  std::string start_delay;
  std::string crc = "as-captured";
  std::string markers = "as-captured";
  std::string revision;
  std::string rtr = "as-captured";
  std::string ird;
  std::string ord;
  std::string mss;
  std::string payload = "captured";
  std::string stats;
  std::string max_memory;
  std::string seed;
  std::string own_stags = "recorded";
  std::string list_injections;
};

// Understands the words. Every member returns false once `error` is set.
class Reader {
 public:
  explicit Reader(std::string& error) : error_(error) {}

  template <typename T>
  void number(const char* option, const std::string& word, std::uint64_t least, std::uint64_t most, T& out) {
    if (word.empty() || !error_.empty()) return;
    std::uint64_t value = 0;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size() || value < least ||
        value > most) {
      error_ = std::string(option) + " takes a number from " + std::to_string(least) + " to " +
               std::to_string(most) + ", not '" + word + "'";
      return;
    }
    out = static_cast<typename Inner<T>::type>(value);
  }
  void duration(const char* option, const std::string& word, TimeNs& out) {
    if (word.empty() || !error_.empty()) return;
    if (const auto value = parse_duration(word)) {
      out = *value;
    } else {
      error_ = std::string(option) + " takes a duration such as 500ms or 2s, not '" + word + "'";
    }
  }
  void positive_duration(const char* option, const std::string& word, TimeNs& out) {
    duration(option, word, out);
    if (!word.empty() && error_.empty() && out == 0)
      error_ = std::string(option) + " takes a duration longer than 0, not '" + word + "'";
  }
  void positive(const char* option, const std::string& word, double& out) {
    if (word.empty() || !error_.empty()) return;
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (*end != '\0' || !std::isfinite(value) || value <= 0) {
      error_ = std::string(option) + " takes a number greater than 0, not '" + word + "'";
    } else {
      out = value;
    }
  }
  void on_off(const char* option, const std::string& word, std::optional<bool>& out) {
    if (word == "on") {
      out = true;
    } else if (word == "off") {
      out = false;
    } else if (word != "as-captured" && error_.empty()) {
      error_ = std::string(option) + " takes on, off or as-captured, not '" + word + "'";
    }
  }

 private:
  template <typename T>
  struct Inner {
    using type = T;
  };
  template <typename T>
  struct Inner<std::optional<T>> {
    using type = T;
  };
  std::string& error_;
};

}  // namespace iwarp::replay
