// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include <iwarp/export/filter.hpp>

#include "app/help.hpp"
#include "models/live_source.hpp"
#include "program/exit_status.hpp"
#include "program/host_names.hpp"
#include "program/printable.hpp"
#include "program/standard_output.hpp"
#include "views/registry.hpp"

namespace iwarp::gui {
namespace {

// What stands on the command line, before it is understood.
struct Words {
  std::string view, stream, frame, filter, range, size = "1280x800", scale = "1", theme, max_memory;
  std::vector<std::string> hosts;
  std::optional<std::string> interface;
  bool help = false;
  bool version = false;
};

template <typename T>
bool read_number(std::string_view word, T& value) {
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  return result.ec == std::errc() && result.ptr == word.data() + word.size();
}

// "1.5", "200ms": seconds where no unit is given.
std::optional<TimeNs> read_duration(std::string_view word) {
  double value = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  if (result.ec != std::errc() || value < 0) return std::nullopt;
  const std::string_view unit = word.substr(static_cast<std::size_t>(result.ptr - word.data()));
  const double factor = unit == "ns"                   ? 1
                        : unit == "us" || unit == "µs" ? 1e3
                        : unit == "ms"                 ? 1e6
                        : unit.empty() || unit == "s"  ? 1e9
                        : unit == "min"                ? 60e9
                                                       : 0;
  if (factor == 0 || value * factor > 9e18) return std::nullopt;
  return std::llround(value * factor);
}

std::string names_of_views() {
  std::string names;
  for (const ViewKind& kind : view_kinds()) names += (names.empty() ? "" : ", ") + std::string(kind.name);
  return names;
}

// Understands the words. Every member returns false once `error` is set.
class Reader {
 public:
  Reader(const Words& words, Options& options, std::string& error)
      : words_(words), options_(options), error_(error) {}

  bool run() { return places() && range() && picture() && theme() && hosts() && memory() && captures(); }

 private:
  bool fail(std::string sentence) {
    error_ = std::move(sentence);
    return false;
  }

  bool places() {
    options_.view = words_.view;
    if (!words_.view.empty() && find_view(words_.view) == nullptr) {
      return fail("--view: there is no view \"" + words_.view + "\"; there are " + names_of_views());
    }
    if (!words_.stream.empty() && !read_number(words_.stream, options_.stream.emplace())) {
      return fail("--stream: \"" + words_.stream + "\" is no stream number: these go from 0 to 4294967295");
    }
    if (!words_.frame.empty() &&
        (!read_number(words_.frame, options_.frame.emplace()) || *options_.frame == 0)) {
      return fail("--frame: \"" + words_.frame + "\" is no frame number: frames are counted from 1");
    }
    std::string what;
    options_.filter = words_.filter;
    if (!words_.filter.empty() && !Filter::parse(words_.filter, what)) return fail("--filter: " + what);
    return true;
  }

  bool range() {
    if (words_.range.empty()) return true;
    const std::string_view word = words_.range;
    const auto dots = word.find("..");
    const auto from = dots == 0 ? std::optional<TimeNs>(0) : read_duration(word.substr(0, dots));
    const auto rest = dots == std::string_view::npos ? std::string_view() : word.substr(dots + 2);
    const auto upto = read_duration(rest);
    if (dots == std::string_view::npos || !from || (!rest.empty() && !upto) || (upto && *upto <= *from)) {
      return fail("--range: \"" + words_.range +
                  "\" is no range of time: name its begin and its end, from the first frame, as in 1.5s..2s "
                  "or 200ms..350ms");
    }
    options_.range = RangeChoice{*from, upto};
    return true;
  }

  bool picture() {
    const std::string& file = options_.screenshot;
    if (!file.empty() && !file.ends_with(".png") && !file.ends_with(".svg")) {
      return fail("--screenshot: \"" + file + "\" ends neither in .png nor in .svg");
    }
    constexpr int most = 16'384;
    const auto cross = words_.size.find('x');
    int width = 0;
    int height = 0;
    const std::string_view size = words_.size;
    if (cross == std::string::npos || !read_number(size.substr(0, cross), width) ||
        !read_number(size.substr(cross + 1), height) || width < 320 || height < 200 || width > most ||
        height > most) {
      return fail("--size: \"" + words_.size + "\" is no size of a picture: from 320x200 to 16384x16384");
    }
    options_.size = QSize(width, height);
    if (!read_number(words_.scale, options_.scale) || !(options_.scale >= 1) || !(options_.scale <= 4)) {
      return fail("--scale: \"" + words_.scale + "\" is no scale: from 1 to 4");
    }
    return true;
  }

  bool theme() {
    if (words_.theme == "light") options_.theme = ThemeChoice::light;
    if (words_.theme == "dark") options_.theme = ThemeChoice::dark;
    if (!words_.theme.empty() && options_.theme == ThemeChoice::desktop) {
      return fail("--theme: \"" + words_.theme + "\" is none of light, dark");
    }
    return true;
  }

  bool hosts() {
    for (const std::string& word : words_.hosts) {
      const std::string wrong = program::add_host(word, options_.load.hosts);
      if (!wrong.empty()) return fail(wrong);
    }
    return true;
  }

  bool memory() {
    std::uint32_t mebioctets = 0;
    if (words_.max_memory.empty()) return true;
    if (!read_number(words_.max_memory, mebioctets) || mebioctets == 0) {
      return fail("--max-memory: \"" + words_.max_memory +
                  "\" is no amount of memory: these are 1 or more MiB");
    }
    options_.load.max_memory = std::size_t{mebioctets} << 20U;
    return true;
  }

  bool captures() {
    if (!interface()) return false;
    if (!options_.compare.empty() && (options_.captures.size() != 1 || options_.bench)) {
      return fail("--compare needs one capture to compare with that one, and no --bench");
    }
    if (!options_.screenshot.empty() && options_.bench) {
      return fail("--screenshot and --bench are two tasks: name one of them");
    }
    if (options_.follow && (options_.bench || !options_.screenshot.empty())) {
      return fail("--follow is for windows: a picture is taken when the capture has ended");
    }
    if (options_.follow && options_.captures.empty()) return fail("--follow needs a capture that grows");
    for (const std::string& capture : options_.captures) {
      if (options_.follow && capture == "-") return fail("--follow: standard input is followed by itself");
    }
    if (options_.screenshot.empty() && !options_.bench) return true;
    if (options_.captures.size() == 1) return true;
    return fail(std::string(options_.bench ? "--bench" : "--screenshot") + " needs one capture, and " +
                std::to_string(options_.captures.size()) + " are named");
  }

  bool interface() {
    if (!words_.interface) {
      return options_.capture_filter.empty() ||
             fail("--capture-filter is for a live capture: name its --interface");
    }
    options_.interface = *words_.interface;
    if (options_.interface.empty()) return fail("--interface: no interface is named");
    if (!options_.captures.empty()) return fail("--interface and captures are two things: name one of them");
    if (options_.bench || !options_.screenshot.empty()) {
      return fail("--interface is for windows: a picture is taken when the capture has ended");
    }
    if (options_.follow) return fail("--follow is for files: an interface is followed by itself");
    const std::vector<std::string> names = live_interfaces();
    if (std::find(names.begin(), names.end(), options_.interface) != names.end()) return true;
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return fail(options_.interface + ": there is no such interface; there are " + list);
  }

  const Words& words_;
  Options& options_;
  std::string& error_;
};

void declare(CLI::App& app, Words& words, Options& options) {
  app.set_help_flag();
  app.add_flag("-h,--help", words.help);
  app.add_flag("--version", words.version);
  app.add_option("CAPTURE", options.captures);
  app.add_option("--interface", words.interface);
  app.add_option("--capture-filter", options.capture_filter);
  app.add_option("--view", words.view);
  app.add_option("--stream", words.stream);
  app.add_option("--frame", words.frame);
  app.add_option("--filter", words.filter);
  app.add_option("--range", words.range);
  app.add_option("--compare", options.compare);
  app.add_option("--screenshot", options.screenshot);
  app.add_flag("--bench", options.bench);
  app.add_flag("--follow", options.follow);
  app.add_option("--size", words.size);
  app.add_option("--scale", words.scale);
  app.add_option("--theme", words.theme);
  app.add_flag("--strict", options.load.strict);
  app.add_option("--host", words.hosts)->allow_extra_args(false);
  app.add_option("--max-memory", words.max_memory);
}

// What CLI11 found wrong, in words of ours.
std::string sentence_of(const CLI::ParseError& wrong) {
  const std::string what = wrong.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&wrong) != nullptr) {
    return "no such option: " + what.substr(what.rfind(": ") + 2);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&wrong) != nullptr) {
    return what.substr(0, what.find_first_of(" :")) + " needs one value";
  }
  return what;
}

int complain(const std::string& sentence) {
  std::fprintf(stderr, "iwarp-view: %s (see --help)\n", program::printable(sentence).c_str());
  return program::exit_failed;
}

// What was asked for was nothing but this text.
std::optional<Options> printed(const char* text, int& status) {
  const std::string failure = program::print(text);
  status = failure.empty() ? program::exit_done : program::exit_failed;
  if (!failure.empty()) std::fprintf(stderr, "iwarp-view: %s\n", failure.c_str());
  return std::nullopt;
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv, int& status) {
  CLI::App app;
  Words words;
  Options options;
  declare(app, words, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    status = complain(sentence_of(wrong));
    return std::nullopt;
  }
  if (words.help) return printed(help_text, status);
  if (words.version) return printed("iwarp-view " IWARP_VERSION "\n", status);
  std::string error;
  if (!Reader(words, options, error).run()) {
    status = complain(error);
    return std::nullopt;
  }
  return options;
}

}  // namespace iwarp::gui
