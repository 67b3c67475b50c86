#include <convene/protocol/json/json_text.hpp>
#include <protocol/json_schema/generated/faults.hpp>
#include <protocol/json_schema/generated/samples.hpp>

#include <algorithm>

namespace convene::tests {
namespace {

const json::value* at(const json::value& document, std::string_view pointer) {
  boost::system::error_code missing;
  return document.find_pointer(pointer, missing);
}

json::value of_type(std::string_view type, dice& d) {
  if (type == "null")
    return nullptr;
  if (type == "boolean")
    return d.chance(50);
  if (type == "integer")
    return d.chance(50) ? json::value(7) : json::value(7.0);
  if (type == "number")
    return 0.5;
  if (type == "string")
    return "";
  return type == "array" ? json::value(json::array{})
                         : json::value(json::object{});
}

class collector {
public:
  collector(const ruled_place& place, const json::value& value, dice& d,
            std::vector<fault>& out)
    : place_(place), value_(value), d_(d), out_(out) {}

  void collect() {
    wrong_type();
    for (const auto& one : place_.meets)
      if (!one.chosen)
        collect(*one.schema);
  }

private:
  void collect(const json::object& schema) {
    for (auto keyword : {"enum", "const"})
      if (schema.contains(keyword))
        replace(keyword, "no such word");
    if (const auto* text = value_.if_string())
      collect_text(schema, *text);
    if (value_.is_number())
      collect_number(schema);
    if (const auto* items = value_.if_array())
      collect_items(schema, *items);
    if (const auto* members = value_.if_object())
      collect_members(schema, *members);
  }

  void replace(std::string_view keyword, json::value by) {
    out_.push_back({.at = place_.pointer,
                    .without = {},
                    .with = {},
                    .value = std::move(by),
                    .keyword = std::string{keyword},
                    .pointer = place_.pointer});
  }

  void wrong_type() {
    const bool says = std::ranges::any_of(place_.meets, [](const rule& one) {
      return one.schema->contains("type");
    });
    const bool chosen = std::ranges::any_of(place_.meets, &rule::chosen);
    if (!says || chosen)
      return;
    const auto admitted = types_of(place_.meets);
    std::vector<std::string> wrong{"null",   "boolean", "integer", "number",
                                   "string", "array",   "object"};
    std::erase_if(wrong, [&](const auto& type) {
      return std::ranges::find(admitted, type) != admitted.end();
    });
    if (!wrong.empty())
      replace("type", of_type(d_.one_of(wrong), d_));
  }

  void collect_text(const json::object& schema, std::string_view) {
    if (const auto* pattern = schema.if_contains("pattern"))
      replace("pattern",
              json::value(text_of_pattern(pattern->as_string(), false, d_)));
    if (const auto* format = schema.if_contains("format"))
      replace("format",
              json::value(text_of_format(format->as_string(), false, d_)));
    if (const auto* least = schema.if_contains("minLength"))
      if (const auto count = least->to_number<std::size_t>(); count > 0)
        replace("minLength", json::value(any_text(count - 1, d_)));
    if (const auto* most = schema.if_contains("maxLength"))
      replace("maxLength",
              json::value(any_text(most->to_number<std::size_t>() + 1, d_)));
  }

  void collect_number(const json::object& schema) {
    if (const auto* least = schema.if_contains("minimum"))
      replace("minimum", least->to_number<std::int64_t>() - 1);
    if (const auto* most = schema.if_contains("maximum"))
      replace("maximum", most->is_uint64()
                           ? json::value(most->to_number<double>() * 2)
                           : most->to_number<std::int64_t>() + 1);
    if (const auto* above = schema.if_contains("exclusiveMinimum"))
      replace("exclusiveMinimum", *above);
  }

  void collect_items(const json::object& schema, const json::array& items) {
    if (const auto* least = schema.if_contains("minItems"))
      replace("minItems",
              json::array(items.begin(), items.begin()
                                           + least->to_number<std::int64_t>()
                                           - 1));
    if (const auto* most = schema.if_contains("maxItems"); most != nullptr)
      if (const auto count = most->to_number<std::size_t>();
          !items.empty() && count < 100)
        replace("maxItems", json::array(count + 1, items.front()));
    if (schema.contains("uniqueItems") && !items.empty()) {
      auto twice = items;
      twice.push_back(items[d_.below(items.size())]);
      replace("uniqueItems", std::move(twice));
    }
  }

  void collect_members(const json::object& schema,
                       const json::object& members) {
    if (const auto* names = schema.if_contains("required"))
      for (const auto& name : names->as_array())
        if (members.contains(name.as_string()))
          out_.push_back({.at = place_.pointer,
                          .without = std::string{name.as_string()},
                          .with = {},
                          .value = {},
                          .keyword = "required",
                          .pointer = place_.pointer});
    const auto* others = schema.if_contains("additionalProperties");
    if (others == nullptr || *others != false)
      return;
    fault more{.at = place_.pointer,
               .without = {},
               .with = "no_such_member",
               .value = any_value(1, d_),
               .keyword = "additionalProperties",
               .pointer = place_.pointer};
    protocol::append_to_pointer(more.pointer, more.with);
    out_.push_back(std::move(more));
  }

  const ruled_place& place_;
  const json::value& value_;
  dice& d_;
  std::vector<fault>& out_;
};

} // namespace

std::vector<fault> faults_of(const generated& from, dice& d) {
  std::vector<fault> out;
  for (const auto& place : from.places)
    if (const auto* value = at(from.document, place.pointer))
      collector{place, *value, d, out}.collect();
  return out;
}

json::value with_fault(const json::value& document, const fault& what) {
  auto out = document;
  boost::system::error_code missing;
  auto* place = out.find_pointer(what.at, missing);
  if (!what.without.empty())
    place->as_object().erase(what.without);
  else if (!what.with.empty())
    place->as_object()[what.with] = what.value;
  else
    *place = what.value;
  return out;
}

} // namespace convene::tests
