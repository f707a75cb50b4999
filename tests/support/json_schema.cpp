// A small JSON Schema validator.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/json_schema.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

namespace iwarp::test {

namespace {

using nlohmann::json;

bool has_type(const json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

bool matches(const std::string& text, const std::string& pattern) {
  static std::map<std::string, std::regex> compiled;
  const auto found = compiled.try_emplace(pattern, pattern).first;
  return std::regex_search(text, found->second);
}

std::string check_type(const json& value, const json& types) {
  if (types.is_string()) return has_type(value, types) ? "" : "is not of type " + types.dump();
  const bool any =
      std::any_of(types.begin(), types.end(), [&](const json& type) { return has_type(value, type); });
  return any ? "" : "is of none of the types " + types.dump();
}

std::string check_object(const json& value, const json& schema, const json& root, const std::string& where) {
  const json properties = schema.value("properties", json::object());
  for (const json& key : schema.value("required", json::array())) {
    if (!value.contains(key.get<std::string>())) return where + ": lacks " + key.dump();
  }
  for (const auto& [key, member] : value.items()) {
    const json further = schema.value("additionalProperties", json(true));
    if (properties.contains(key)) {
      const std::string wrong = violation(member, properties[key], root, where + "/" + key);
      if (!wrong.empty()) return wrong;
    } else if (further == json(false)) {
      return where + ": has \"" + key + "\", which the schema does not know";
    } else if (further.is_object()) {
      const std::string wrong = violation(member, further, root, where + "/" + key);
      if (!wrong.empty()) return wrong;
    }
  }
  return "";
}

std::string check_array(const json& value, const json& schema, const json& root, const std::string& where) {
  if (value.size() < schema.value("minItems", std::size_t{0})) return where + ": has too few items";
  if (value.size() > schema.value("maxItems", value.size())) return where + ": has too many items";
  for (std::size_t at = 0; at < value.size() && schema.contains("items"); ++at) {
    const std::string wrong = violation(value[at], schema["items"], root, where + "/" + std::to_string(at));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string check_scalar(const json& value, const json& schema) {
  if (schema.contains("type")) {
    const std::string wrong = check_type(value, schema["type"]);
    if (!wrong.empty()) return wrong;
  }
  if (schema.contains("const") && value != schema["const"]) return "is not " + schema["const"].dump();
  if (schema.contains("enum")) {
    const json& allowed = schema["enum"];
    if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
      return "is none of " + allowed.dump();
  }
  if (value.is_number() && schema.contains("minimum") && value < schema["minimum"]) return "is too small";
  if (value.is_number() && schema.contains("maximum") && value > schema["maximum"]) return "is too large";
  if (value.is_string() && schema.contains("pattern") && !matches(value, schema["pattern"])) {
    return "does not match " + schema["pattern"].dump();
  }
  return "";
}

}  // namespace

std::string violation(const json& value, const json& schema, const json& root, const std::string& where) {
  static const std::set<std::string> understood = {
      "description", "type",     "const",      "enum",     "minimum",
      "maximum",     "pattern",  "properties", "required", "items",
      "minItems",    "maxItems", "anyOf",      "$ref",     "additionalProperties"};
  for (const auto& [keyword, unused] : schema.items()) {
    if (!understood.contains(keyword)) return where + ": schema keyword " + keyword + " is not understood";
  }
  if (schema.contains("$ref")) {
    const std::string pointer = schema["$ref"].get<std::string>().substr(1);
    return violation(value, root.at(json::json_pointer(pointer)), root, where);
  }
  if (schema.contains("anyOf")) {
    std::string wrong;
    for (const json& alternative : schema["anyOf"]) {
      wrong = violation(value, alternative, root, where);
      if (wrong.empty()) return "";
    }
    return wrong;
  }
  const std::string wrong = check_scalar(value, schema);
  if (!wrong.empty()) return where + ": " + value.dump() + " " + wrong;
  if (value.is_object()) return check_object(value, schema, root, where);
  if (value.is_array()) return check_array(value, schema, root, where);
  return "";
}

}  // namespace iwarp::test
