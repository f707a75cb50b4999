// Any octets as a replay plan, in either form: what is read is written and read again, the same.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "compare/comparison.hpp"
#include "plan/anonymise.hpp"
#include "plan/plan_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace iwarp::replay;
  const std::string_view octets(reinterpret_cast<const char*>(data), size);
  PlanLimits limits;
  limits.payload_octets = std::uint64_t{1} << 20U;
  std::string error;
  auto plan = plan_from_octets(octets, error, limits);
  if (!plan) plan = plan_from_text(octets, error, limits);
  if (!plan) return 0;
  const auto again = plan_from_octets(to_octets(*plan), error, limits);
  if (!again || !(*again == *plan)) std::abort();
  const std::vector<StreamLog> logs = expected_logs(*plan);
  (void)compare(logs, logs);
  anonymise(*plan);
  const auto hidden = plan_from_text(to_text(*plan), error, limits);
  if (!hidden || !(*hidden == *plan)) std::abort();
  return 0;
}
