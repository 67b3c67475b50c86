#include <convene/protocol/json_schema/compiler.hpp>

#include <algorithm>

namespace convene::protocol::validation {
namespace {

constexpr std::array<std::pair<std::string_view, std::uint8_t>, 7> type_words{
  {{"null", types::null},
   {"boolean", types::boolean},
   {"integer", types::integer},
   {"number", types::integer | types::number},
   {"string", types::string},
   {"array", types::array},
   {"object", types::object}}};

/// The bits of a type's name, or 0.
std::uint8_t type_named(const json::value& name) {
  const auto* text = name.if_string();
  if (text == nullptr)
    return 0;
  const auto* const at
    = std::ranges::find(type_words, std::string_view{*text},
                        &decltype(type_words)::value_type::first);
  return at == type_words.end() ? std::uint8_t{0} : at->second;
}

} // namespace

void compiler::add_type(node_index index, const json::object& schema) {
  const auto* value = find(schema, "type");
  if (value == nullptr)
    return;
  unsigned mask = 0;
  const auto add = [&](const json::value& name) {
    const auto bits = type_named(name);
    mask |= bits;
    return bits != 0;
  };
  const auto* array = value->if_array();
  if (array != nullptr ? !std::ranges::all_of(*array, add) || array->empty()
                       : !add(*value))
    return reject("type", "the name of a type, or an array of such");
  out_.nodes[index].types = static_cast<std::uint8_t>(mask);
}

void compiler::add_values(const json::object& schema) {
  const auto keep = [&](const json::value& value) {
    out_.constants.emplace_back(value);
    return static_cast<std::uint32_t>(out_.constants.size() - 1);
  };
  if (const auto* value = find(schema, "const"))
    emit_to_all({.code = op::constant, .a = keep(*value)});
  const auto* values = find_array(schema, "enum");
  if (values == nullptr)
    return;
  if (!values->empty()
      && std::ranges::all_of(*values, &json::value::is_string)) {
    const auto texts = strings_of(schema.at("enum"), "enum");
    if (const auto table
        = table_of(texts, std::vector<name_entry>(texts.size()), "enum")) {
      out_.tables.push_back(*table);
      emit_to_all({.code = op::enum_strings,
                   .a = static_cast<std::uint32_t>(out_.tables.size() - 1)});
    }
    return;
  }
  const auto first = static_cast<std::uint32_t>(out_.constants.size());
  for (const auto& value : *values)
    keep(value);
  emit_to_all({.code = op::enum_values,
               .a = first,
               .b = static_cast<std::uint32_t>(out_.constants.size())});
}

void compiler::add_numbers(const json::object& schema) {
  static constexpr std::array<std::pair<std::string_view, op>, 5> keywords{
    {{"minimum", op::minimum},
     {"maximum", op::maximum},
     {"exclusiveMinimum", op::exclusive_minimum},
     {"exclusiveMaximum", op::exclusive_maximum},
     {"multipleOf", op::multiple_of}}};
  for (const auto& [keyword, code] : keywords) {
    const auto value = find_number(schema, keyword);
    if (!value)
      continue;
    if (code == op::multiple_of
        && !(compare(*value, number::of(std::int64_t{0})) > 0))
      return reject(keyword, "more than 0");
    emit(numbers,
         {.code = code, .a = static_cast<std::uint32_t>(out_.numbers.size())});
    out_.numbers.push_back(*value);
  }
}

void compiler::add_strings(const json::object& schema) {
  emit_count(strings, op::max_length, schema, "maxLength");
  emit_count(strings, op::min_length, schema, "minLength");
  const auto format = find_string(schema, "format");
  const auto check = format ? find_format(*format) : nullptr;
  if (check != nullptr && options_.assert_formats) {
    emit(strings, {.code = op::format,
                   .a = static_cast<std::uint32_t>(out_.formats.size())});
    out_.formats.push_back({std::string{*format}, check});
  }
  if (const auto source = find_string(schema, "pattern"))
    emit(strings, {.code = op::pattern, .a = pattern_of(*source, "pattern")});
}

} // namespace convene::protocol::validation
