// The command line: CLI11 splits it, what follows decides what it means.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <thread>

#include "help.hpp"
#include "program/exit_status.hpp"
#include "program/host_names.hpp"
#include "program/memory.hpp"
#include "program/printable.hpp"
#include "program/standard_output.hpp"

namespace iwarp::cli {

namespace {

// What stands on the command line, before it is understood.
struct Words {
  std::string format = "text";
  std::vector<std::string> records;
  std::vector<std::string> hosts;
  std::string filter;
  std::string min_severity = "info";
  std::string fail_on = "never";
  std::string color = "auto";
  std::string progress = "auto";
  std::string list_checks;
  std::string sqlite;
  bool list_fields = false;
  bool help = false;
  bool version = false;
  std::string state_at;
  std::string stream;
  std::string jobs = "1";
  std::string threads;
  std::string max_memory;
  std::optional<std::string> interface;
  std::optional<std::string> capture_filter;
  std::optional<std::string> write;
};

// Names of the values that an option takes.
template <typename T>
using Choices = std::map<std::string, T>;

template <typename T>
std::string names_of(const Choices<T>& choices) {
  std::string names;
  for (const auto& [name, value] : choices) names += (names.empty() ? "" : ", ") + name;
  return names;
}

const Choices<Format> formats = {{"text", Format::text}, {"jsonl", Format::jsonl}, {"csv", Format::csv}};
const Choices<Severity> severities = {{"info", Severity::information},
                                      {"note", Severity::note},
                                      {"warning", Severity::warning},
                                      {"error", Severity::error}};
const Choices<std::optional<Severity>> failures = {
    {"never", std::nullopt}, {"warning", Severity::warning}, {"error", Severity::error}};
const Choices<When> times = {{"auto", When::automatic}, {"always", When::always}, {"never", When::never}};
const Choices<Catalogue> catalogues = {{"text", Catalogue::checks_text},
                                       {"markdown", Catalogue::checks_markdown},
                                       {"json", Catalogue::checks_json}};

// Understands the words. Every member returns false once `error` is set.
class Reader {
 public:
  Reader(const Words& words, Options& options, std::string& error)
      : words_(words), options_(options), error_(error) {}

  bool run() {
    options_.processors = std::clamp(std::thread::hardware_concurrency(), 1U, 256U);
    return later_versions() && numbers() && choose("--format", words_.format, formats, options_.format) &&
           choose("--min-severity", words_.min_severity, severities, options_.min_severity) &&
           choose("--fail-on", words_.fail_on, failures, options_.fail_on) &&
           choose("--color", words_.color, times, options_.color) &&
           choose("--progress", words_.progress, times, options_.progress) && catalogue() && records() &&
           filter() && hosts() && live() && captures();
  }

 private:
  bool fail(std::string sentence) {
    error_ = std::move(sentence);
    return false;
  }

  template <typename T>
  bool choose(const char* option, const std::string& word, const Choices<T>& choices, T& value) {
    const auto found = choices.find(word);
    if (found == choices.end()) {
      return fail(std::string(option) + ": \"" + word + "\" is none of " + names_of(choices));
    }
    value = found->second;
    return true;
  }

  // A whole number; `what` says what it is and from where on it counts.
  template <typename T>
  bool number(const char* option, const std::string& word, std::uint64_t least, const char* what, T& value) {
    const char* const end = word.data() + word.size();
    T read = 0;
    const auto result = std::from_chars(word.data(), end, read);
    if (result.ec != std::errc() || result.ptr != end || read < least) {
      return fail(std::string(option) + ": \"" + word + "\" is " + what);
    }
    value = read;
    return true;
  }

  bool numbers() {
    if (!words_.stream.empty() &&
        !number("--stream", words_.stream, 0, "no stream number: these go from 0 to 4294967295",
                options_.stream.emplace())) {
      return false;
    }
    if (!words_.state_at.empty() &&
        !number("--state-at", words_.state_at, 1, "no frame number: frames are counted from 1",
                options_.state_at.emplace())) {
      return false;
    }
    if (!words_.max_memory.empty() && !memory()) return false;
    if (!words_.threads.empty() && !threads()) return false;
    return number("--jobs", words_.jobs, 0,
                  "not allowed: 1 or more captures side by side, or 0 for one on each processor",
                  options_.jobs);
  }

  bool threads() {
    constexpr unsigned most = 256;
    unsigned& threads = options_.threads.emplace();
    const char* const what = "not allowed: 1 to 256 threads on each capture, or 0 for one on each processor";
    if (!number("--threads", words_.threads, 0, what, threads)) return false;
    if (threads > most) return fail("--threads: \"" + words_.threads + "\" is " + what);
    if (threads == 0) threads = options_.processors;
    return true;
  }

  // "512", "512M" or "2G".
  bool memory() {
    std::string word = words_.max_memory;
    unsigned shift = 20;
    if (word.ends_with('G') || word.ends_with('M')) {
      if (word.back() == 'G') shift = 30;
      word.pop_back();
    }
    std::uint32_t size = 0;
    const char* const what = "no amount of memory: these are 12 or more MiB, or end in M or G";
    if (!number("--max-memory", word, 1, what, size)) return false;
    options_.max_memory = std::size_t{size} << shift;
    if (*options_.max_memory < program::least_memory_limit) {
      return fail("--max-memory: \"" + words_.max_memory +
                  "\" is too little: the program itself takes most of " +
                  std::to_string(program::least_memory_limit >> 20U) + " MiB, the least that is allowed");
    }
    return true;
  }

  bool later_versions() {
    const std::string sorry = " is not in this version (" IWARP_VERSION "); it is planned for a later one";
    if (words_.format == "proto") return fail("--format proto" + sorry + "; jsonl has the same records");
    if (!words_.sqlite.empty()) return fail("--sqlite" + sorry);
    return true;
  }

  bool catalogue() {
    if (words_.list_fields) options_.catalogue = Catalogue::fields;
    if (words_.list_checks.empty()) return true;
    return choose("--list-checks", words_.list_checks, catalogues, options_.catalogue);
  }

  bool records() {
    const bool given = !words_.records.empty();
    for (const std::string& name : words_.records) {
      const auto kind = find_record_kind(name);
      if (!kind) {
        return fail("--records: \"" + name +
                    "\" is no kind of record; there are streams, fpdus, messages, operations, "
                    "deliveries, stags, stalls, findings, states, summary");
      }
      set(*kind);
    }
    if (options_.state_at) {
      set(RecordKind::state);
      options_.only_states = !given || (words_.records.size() == 1 && words_.records[0] == "states");
    } else if (!given && options_.format == Format::csv) {
      set(RecordKind::stream);
    } else if (!given && options_.format == Format::jsonl) {
      for (const RecordKind kind :
           {RecordKind::stream, RecordKind::operation, RecordKind::finding, RecordKind::summary}) {
        set(kind);
      }
    }
    options_.report = options_.format == Format::text && !given && !options_.state_at;
    unsigned kinds = 0;
    for (const bool wanted : options_.records) kinds += wanted ? 1U : 0U;
    if (options_.format == Format::csv && kinds > 1) {
      return fail(
          "--format csv writes one kind of record at a time, as their columns differ: "
          "name one with --records, or use --format jsonl");
    }
    return true;
  }

  void set(RecordKind kind) { options_.records[static_cast<unsigned>(kind)] = true; }

  // "NAME=ADDRESS,ADDRESS…"
  bool hosts() {
    for (const std::string& word : words_.hosts) {
      const std::string wrong = program::add_host(word, options_.hosts);
      if (!wrong.empty()) return fail(wrong);
    }
    return true;
  }

  bool filter() {
    if (words_.filter.empty()) return true;
    std::string what;
    options_.filter = Filter::parse(words_.filter, what);
    if (!options_.filter) return fail("--filter: " + what);
    if (options_.report) {
      return fail("--filter chooses among records, and the report has none: add --records or --format jsonl");
    }
    return true;
  }

  bool live() {
    if (!words_.interface) {
      const char* const alone = words_.capture_filter ? "--capture-filter"
                                : words_.write        ? "--write"
                                                      : nullptr;
      return alone == nullptr || fail(std::string(alone) + " is for a live capture: name its --interface");
    }
    if (words_.interface->empty()) return fail("--interface: no interface is named");
    if (!options_.captures.empty()) {
      return fail("--interface captures live, and \"" + options_.captures.front() +
                  "\" is a capture: name one of the two");
    }
    if (words_.write && (words_.write->empty() || *words_.write == "-")) {
      return fail("--write needs a file: standard output has the results");
    }
    options_.captures = {*words_.interface};
    options_.live.emplace().interface = *words_.interface;
    options_.live->filter = words_.capture_filter.value_or("");
    options_.keep_in = words_.write.value_or("");
    return true;
  }

  bool captures() {
    if (options_.captures.empty() && options_.catalogue == Catalogue::none) {
      return fail("no capture is named; \"-\" is standard input");
    }
    unsigned inputs = 0;
    for (const std::string& name : options_.captures) inputs += name == "-" && !options_.live ? 1U : 0U;
    if (inputs > 1) return fail("standard input (-) is named more than once");
    if (options_.jobs == 0) options_.jobs = options_.processors;
    return true;
  }

  const Words& words_;
  Options& options_;
  std::string& error_;
};

bool is_flag(const CLI::Option& option) {
  return option.get_items_expected_max() == 0;
}

bool takes_one_value(const CLI::Option& option) {
  return option.get_items_expected_max() == 1;
}

void declare(CLI::App& app, Words& words, Options& options) {
  app.set_help_flag();
  app.add_flag("-h,--help", words.help);
  app.add_flag("--version", words.version);
  app.add_option("CAPTURE", options.captures);
  app.add_option("--format", words.format);
  app.add_option("--records", words.records)->delimiter(',')->allow_extra_args(false);
  app.add_option("--state-at", words.state_at);
  app.add_option("--color", words.color);
  app.add_option("--stream", words.stream);
  app.add_option("--filter", words.filter);
  app.add_option("--min-severity", words.min_severity);
  app.add_option("--fail-on", words.fail_on);
  app.add_flag("--strict", options.strict);
  app.add_option("--host", words.hosts)->allow_extra_args(false);
  app.add_option("--jobs", words.jobs);
  app.add_option("--threads", words.threads);
  app.add_option("--max-memory", words.max_memory);
  app.add_option("--progress", words.progress);
  app.add_option("--interface", words.interface);
  app.add_option("--capture-filter", words.capture_filter);
  app.add_option("--write", words.write);
  app.add_option("--list-checks", words.list_checks)->expected(0, 1);
  app.add_flag("--list-fields", words.list_fields);
  app.add_option("--sqlite", words.sqlite);
  app.add_flag("--payload-hash", options.payload_hash);
  app.add_flag("--why", options.why);
  for (CLI::Option* const option : app.get_options()) {
    if (is_flag(*option)) {
      option->disable_flag_override();
    } else if (takes_one_value(*option)) {
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // repeated() finds the others
    }
  }
}

// The name of an option that was given more than once although it takes one value; empty: there is none.
std::string repeated(const CLI::App& app) {
  for (const CLI::Option* const option : app.get_options()) {
    if (takes_one_value(*option) && option->count() > 1) return option->get_name();
  }
  return "";
}

// What CLI11 found wrong, in words of ours.
std::string sentence_of(const CLI::App& app, const CLI::ParseError& wrong) {
  const std::string what = wrong.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&wrong) != nullptr) {
    return "no such option: " + what.substr(what.rfind(": ") + 2);
  }
  std::string name = what.substr(0, what.find_first_of(" :"));
  if (!name.starts_with('-')) name.insert(0, "--");
  const CLI::Option* const option = app.get_option_no_throw(name);
  if (option != nullptr && dynamic_cast<const CLI::ArgumentMismatch*>(&wrong) != nullptr) {
    return name + (is_flag(*option) ? " takes no value" : " needs a value");
  }
  return what;
}

int complain(const std::string& sentence) {
  std::fprintf(stderr, "iwarp-analyze: %s (see --help)\n", program::printable(sentence).c_str());
  return program::exit_failed;
}

// What was asked for was nothing but this text.
std::optional<Options> printed(const char* text, int& status) {
  const std::string failure = program::print(text);
  if (failure.empty()) return std::nullopt;
  std::fprintf(stderr, "iwarp-analyze: %s\n", failure.c_str());
  status = program::exit_failed;
  return std::nullopt;
}

}  // namespace

std::size_t Options::memory_limit() const noexcept {
  return max_memory.value_or(program::default_memory_limit());
}

namespace {

// Threads, or captures side by side, that memory has room for: what each has said and nobody has written yet
// is beside what it holds, and no other can let it go. Of addresses each takes 64 MiB.
std::size_t affordable_threads(std::size_t limit) noexcept {
  constexpr std::size_t of_thread = 256U << 20U;
  constexpr std::size_t addresses = 64U << 20U;
  return std::max<std::size_t>(1, std::min(limit / of_thread, program::default_memory_limit() / addresses));
}

}  // namespace

unsigned Options::jobs_wanted() const noexcept {
  return static_cast<unsigned>(std::min<std::size_t>(jobs, affordable_threads(memory_limit())));
}

unsigned Options::threads_wanted(bool worth_sharing) const noexcept {
  const std::size_t affordable = affordable_threads(memory_limit());
  const unsigned by_default = worth_sharing ? std::max(1U, processors / std::max(1U, jobs)) : 1;
  return static_cast<unsigned>(std::min<std::size_t>(threads.value_or(by_default), affordable));
}

std::optional<Options> parse_options(int argc, const char* const* argv, int& status) {
  CLI::App app;
  Words words;
  Options options;
  declare(app, words, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    status = complain(sentence_of(app, wrong));
    return std::nullopt;
  }
  if (const std::string name = repeated(app); !name.empty()) {
    status = complain(name + " is given more than once; it takes one value");
    return std::nullopt;
  }
  status = program::exit_done;
  if (words.help) {
    return printed(help_text, status);
  }
  if (words.version) {
    return printed("iwarp-analyze " IWARP_VERSION "\n", status);
  }
  if (app.count("--list-checks") != 0 && words.list_checks.empty()) words.list_checks = "text";
  std::string error;
  if (!Reader(words, options, error).run()) {
    status = complain(error);
    return std::nullopt;
  }
  return options;
}

}  // namespace iwarp::cli
