// What is there of the back end where its libraries were not.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "verbs/backend.hpp"

namespace iwarp::replay::verbs {

bool built() noexcept {
  return false;
}

Result run(const Plan& /*plan*/, const std::vector<std::uint32_t>& /*streams*/, const Setup& /*setup*/) {
  Result result;
  result.error =
      "--rnic verbs: this program was built without libibverbs and librdmacm (libibverbs-dev, "
      "librdmacm-dev)";
  return result;
}

}  // namespace iwarp::replay::verbs
