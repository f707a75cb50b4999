// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/junit.hpp"

#include <cstdio>
#include <string_view>

#include <iwarp/export/names.hpp>

#include "compare/render.hpp"
#include "program/printable.hpp"

namespace iwarp::replay {
namespace {

// XML 1.0 has no character for most of the control octets; what the program prints has none but line feeds.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char each : text) {
    switch (each) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(each) >= 0x20 || each == '\n' || each == '\t') out += each;
    }
  }
  return out;
}

std::string test_case(const std::string& name, const std::string& content) {
  const std::string head = "  <testcase classname=\"iwarp-replay\" name=\"" + escaped(name) + "\"";
  return content.empty() ? head + "/>\n" : head + ">\n" + content + "  </testcase>\n";
}

std::string name_of(std::uint32_t stream, const std::string& name) {
  return "stream " + std::to_string(stream) + ", " + name;
}

// The line that says what came first.
std::string headline(const std::string& text) {
  constexpr std::string_view begin = "first divergence: ";
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return text.substr(0, text.find('\n'));
  return text.substr(at + begin.size(), text.find('\n', at) - at - begin.size());
}

std::string skipped(const std::string& why) {
  return "    <skipped message=\"" + escaped(why) + "\"/>\n";
}

}  // namespace

std::string to_junit(const RunResult& result) {
  std::string cases;
  std::size_t failures = 0;
  std::size_t left_out = 0;
  std::size_t count = 0;
  const RunVerdict verdict = result.verdict_of_run();
  for (const StreamsComparison::Each& each : result.report.comparison.streams) {
    ++count;
    const StreamLog& log = each.recorded ? result.expected[*each.recorded] : result.report.logs[*each.live];
    std::string content;
    StreamsComparison one;
    one.streams.push_back(each);
    if (!one.same()) {
      ++failures;
      const std::string text = to_text(one, result.expected, result.report.logs);
      content = "    <failure message=\"" + escaped(headline(text)) + "\">" + escaped(text) + "</failure>\n";
    } else if (verdict == RunVerdict::unfinished || one.nothing_compared()) {
      ++left_out;
      content = skipped("not everything of it was run, or nothing could be compared");
    }
    cases += test_case(name_of(log.stream, log.name), content);
  }
  for (const BrokenStream& each : result.broken) {
    if (!each.left_out()) continue;
    ++count;
    ++left_out;
    cases += test_case("stream " + std::to_string(each.number),
                       skipped("left out: its " + words_of(each.faults.front())));
  }
  for (const std::string& each : result.report.too_slow) {
    ++count;
    ++failures;
    cases += test_case("latency", "    <failure message=\"" + escaped(each) + "\"/>\n");
  }
  if (result.report.outcome == Outcome::gave_up && failures == 0) {
    ++count;
    ++failures;
    cases += test_case("the run", "    <failure message=\"it did not come to its end\"/>\n");
  }
  char took[32];
  std::snprintf(took, sizeof took, "%.3f", static_cast<double>(result.report.took) / 1e9);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" +
         escaped(program::printable(result.options.input)) + "\" tests=\"" + std::to_string(count) +
         "\" failures=\"" + std::to_string(failures) + "\" errors=\"0\" skipped=\"" +
         std::to_string(left_out) + "\" time=\"" + took + "\">\n" + cases + "</testsuite>\n";
}

}  // namespace iwarp::replay
