// Checks JSON against the part of JSON Schema (draft 2020-12) that our schemas use. A keyword that
// is not known here is reported, so that none is silently ignored.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace headroom::testing {

class SchemaChecker {
 public:
  using Json = nlohmann::json;
  explicit SchemaChecker(Json schema) : root_(std::move(schema)) {}

  // What is wrong, with the place in the document; empty if the document is valid.
  [[nodiscard]] std::vector<std::string> check(const Json& document) const {
    std::vector<std::string> faults;
    check(document, root_, "$", faults);
    return faults;
  }

 private:
  using Faults = std::vector<std::string>;

  static bool has_type(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "integer") return value.is_number_integer();
    return type == "number" && value.is_number();
  }

  static bool has_any_type(const Json& value, const Json& types) {
    if (types.is_string()) return has_type(value, types.get<std::string>());
    return std::ranges::any_of(
        types, [&](const Json& type) { return has_type(value, type.get<std::string>()); });
  }

  void check(const Json& value, const Json& schema, const std::string& at, Faults& faults) const {
    for (const auto& [keyword, rule] : schema.items())
      check(value, schema, keyword, rule, at, faults);
  }

  void check(const Json& value, const Json& schema, const std::string& keyword, const Json& rule,
             const std::string& at, Faults& faults) const {
    if (keyword == "$ref") {
      check(value, root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), at, faults);
    } else if (keyword == "type") {
      if (!has_any_type(value, rule)) faults.push_back(at + " is not of type " + rule.dump());
    } else if (keyword == "const") {
      if (value != rule) faults.push_back(at + " is not " + rule.dump());
    } else if (keyword == "enum") {
      if (std::ranges::find(rule, value) == rule.end())
        faults.push_back(at + " is none of " + rule.dump());
    } else if (keyword == "minimum") {
      if (value.is_number() && value < rule) faults.push_back(at + " is below " + rule.dump());
    } else if (keyword == "maximum") {
      if (value.is_number() && value > rule) faults.push_back(at + " is above " + rule.dump());
    } else if (keyword == "required") {
      for (const Json& key : rule) {
        if (value.is_object() && !value.contains(key.get<std::string>()))
          faults.push_back(at + " lacks " + key.dump());
      }
    } else if (keyword == "properties") {
      for (const auto& [key, inner] : rule.items()) {
        if (value.is_object() && value.contains(key))
          check(value.at(key), inner, at + "." + key, faults);
      }
    } else if (keyword == "additionalProperties") {
      if (value.is_object()) check_additional(value, schema, rule, at, faults);
    } else if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
        check(value[i], rule, at + "[" + std::to_string(i) + "]", faults);
    } else if (keyword == "anyOf") {
      const bool fits = std::ranges::any_of(rule, [&](const Json& choice) {
        Faults inner;
        check(value, choice, at, inner);
        return inner.empty();
      });
      if (!fits) faults.push_back(at + " fits none of its choices");
    } else if (keyword != "$schema" && keyword != "$id" && keyword != "$defs" &&
               keyword != "title" && keyword != "description") {
      faults.push_back("unknown keyword in the schema: " + keyword);
    }
  }

  void check_additional(const Json& value, const Json& schema, const Json& rule,
                        const std::string& at, Faults& faults) const {
    for (const auto& [key, inner] : value.items()) {
      if (schema.contains("properties") && schema.at("properties").contains(key)) continue;
      if (rule == Json(false))
        faults.push_back(at + " has the unknown key " + key);
      else
        check(inner, rule, at + "." + key, faults);
    }
  }

  Json root_;
};

}  // namespace headroom::testing
