// JSON Schema (draft 7), as much of it as docs/schema uses.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace iwarp::test {

// Empty when `value` is valid against `schema`; otherwise where and why not. `root` resolves "$ref". A
// keyword that is not understood makes every value invalid: a schema cannot promise more than is checked.
[[nodiscard]] std::string violation(const nlohmann::json& value, const nlohmann::json& schema,
                                    const nlohmann::json& root, const std::string& where = "");

}  // namespace iwarp::test
