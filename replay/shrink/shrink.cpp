// SPDX-License-Identifier: GPL-2.0-or-later
#include "shrink/shrink.hpp"

#include <numeric>

#include "plan/reduce.hpp"
#include "shrink/ddmin.hpp"

namespace iwarp::replay {
namespace {

class Shrinker {
 public:
  Shrinker(const Plan& plan, const ShrinkTests& tests) : plan_(plan), tests_(tests) {}

  Shrunk run() {
    Shrunk result;
    result.failure = tests_.failure(plan_);
    result.trials = 1;
    result.plan = plan_;
    if (result.failure.empty()) return result;
    failure_ = result.failure;
    streams_.resize(plan_.streams.size());
    std::iota(streams_.begin(), streams_.end(), 0U);
    streams_ = ddmin<std::uint32_t>(
        streams_,
        [&](const auto& some) { return !some.empty() && fails(part_of(plan_, some, works_of(some))); },
        tests_.cancelled);
    std::vector<WorkRef> works = works_of(streams_);
    std::vector<WorkRef> fixed;
    // The ready-to-receive message belongs to the start-up.
    std::erase_if(works, [&](const WorkRef& each) {
      if (!work_of(plan_, each).rtr) return false;
      fixed.push_back(each);
      return true;
    });
    const auto whole = [&](const std::vector<WorkRef>& some) {
      std::vector<WorkRef> all = fixed;
      all.insert(all.end(), some.begin(), some.end());
      std::ranges::sort(all);
      return part_of(plan_, streams_, all);
    };
    works = ddmin<WorkRef>(
        works, [&](const auto& some) { return fails(whole(some)); }, tests_.cancelled);
    result.plan = whole(works);
    const Plan less = without_idle_memory(result.plan);
    if (!tests_.cancelled() && fails(less)) result.plan = less;
    result.trials = trials_ + 1;
    return result;
  }

 private:
  [[nodiscard]] std::vector<WorkRef> works_of(const std::vector<std::uint32_t>& streams) const {
    std::vector<WorkRef> works;
    for (const std::uint32_t stream : streams) {
      for (std::uint32_t i = 0; i < plan_.streams[stream].work.size(); ++i) works.push_back({stream, i});
    }
    return works;
  }

  bool fails(const Plan& plan) {
    ++trials_;
    std::size_t works = 0;
    for (const PlannedStream& each : plan.streams) works += each.work.size();
    tests_.progress(trials_, plan.streams.size(), works);
    return tests_.failure(plan) == failure_;
  }

  const Plan& plan_;
  const ShrinkTests& tests_;
  std::string failure_;
  std::vector<std::uint32_t> streams_;
  std::uint64_t trials_ = 0;
};

}  // namespace

Shrunk shrink(const Plan& plan, const ShrinkTests& tests) {
  return Shrinker(plan, tests).run();
}

}  // namespace iwarp::replay
