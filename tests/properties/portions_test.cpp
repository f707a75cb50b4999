// However small the portions in which an analyzer hands over what one segment causes: the same events in the
// same order, with the same slices and payloads, and records made of them.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/export/record.hpp>
#include <iwarp/export/writers.hpp>

#include "support/capture_damage.hpp"

namespace iwarp::test {
namespace {

// A line for each event.
class Lines {
 public:
  Lines(const Segments& segments, std::size_t portion) {
    AnalyzerOptions options;
    options.keep_payload = KeepPayload::all;
    options.portion = portion;
    if (portion > 0) {
      options.take_portion = [this](Events events) {
        EXPECT_FALSE(events.empty());
        // Each end of a connection begins a portion: they are the same however many ends one call brings.
        for (const Event& event : events)
          EXPECT_TRUE(!finishing_ || event.connection == events.front().connection);
        ++portions_;
        take(events);
      };
    }
    Analyzer analyzer(options);
    analysis_ = &analyzer.analysis();
    for (const OwnedSegment& segment : segments) take(analyzer.add(segment.segment()));
    finishing_ = true;
    for (Events events = analyzer.finish_some(); !events.empty(); events = analyzer.finish_some())
      take(events);
    EXPECT_EQ(analysis_->followed(), 0U);
  }

  [[nodiscard]] const std::vector<std::string>& all() const { return lines_; }
  [[nodiscard]] std::size_t portions() const { return portions_; }

 private:
  // How many there are is null until the capture has shown whether there are any: in a portion before that.
  static std::string without_markers(std::string_view line) {
    const std::size_t at = line.find(R"("markers":)");
    const std::size_t end = line.find(',', at);
    return std::string(line.substr(0, at)) + std::string(at == line.npos ? "" : line.substr(end));
  }
  void take(Events events) {
    for (const Event& event : events) {
      TextBuffer line;
      line.append(std::to_string(static_cast<int>(event.kind)) + ' ' + std::to_string(event.frame) + ' ' +
                  std::to_string(event.offset));
      for (const Slice& slice : analysis_->slices(event))
        line.append(' ' + std::to_string(slice.frame) + '+' + std::to_string(slice.payload_offset) + '/' +
                    std::to_string(slice.length));
      const ByteView payload = analysis_->payload(event);
      line.append(' ' + std::string(payload.begin(), payload.end()) + ' ');
      if (const auto record = record_of(*analysis_, event)) write_json(line, *record);
      lines_.push_back(without_markers(line.view()));
    }
  }

  const Analysis* analysis_ = nullptr;
  std::vector<std::string> lines_;
  std::size_t portions_ = 0;
  bool finishing_ = false;
};

class Portions : public testing::TestWithParam<CaptureDamage> {};

TEST_P(Portions, AreTheWhole) {
  std::size_t portions = 0;
  for_each_damaged_capture(GetParam(), [&](const Segments& segments) {
    const Lines whole(segments, 0);
    for (const std::size_t portion : {1U, 3U, 20U}) {
      const Lines parts(segments, portion);
      portions += parts.portions();
      ASSERT_EQ(parts.all(), whole.all()) << portion;
    }
  });
  EXPECT_GT(portions, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Damages, Portions, testing::ValuesIn(capture_damages()), [](const auto& each) {
  std::string name = each.param.name;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace iwarp::test
