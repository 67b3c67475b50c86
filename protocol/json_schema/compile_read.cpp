#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/compiler.hpp>
#include <convene/protocol/json_schema/cursor.hpp>

#include <algorithm>
#include <limits>
#include <set>

namespace convene::protocol::validation {

const json::value* compiler::find(const json::object& schema,
                                  std::string_view keyword) {
  return schema.if_contains(keyword);
}

const json::array* compiler::find_array(const json::object& schema,
                                        std::string_view keyword) {
  const auto* value = find(schema, keyword);
  if (value != nullptr && !value->is_array())
    reject(keyword, "an array");
  return value == nullptr ? nullptr : value->if_array();
}

const json::object* compiler::find_object(const json::object& schema,
                                          std::string_view keyword) {
  const auto* value = find(schema, keyword);
  if (value != nullptr && !value->is_object())
    reject(keyword, "an object");
  return value == nullptr ? nullptr : value->if_object();
}

std::optional<number> compiler::find_number(const json::object& schema,
                                            std::string_view keyword) {
  const auto* value = find(schema, keyword);
  if (value == nullptr)
    return std::nullopt;
  if (value->is_number())
    return boost_cursor{*value}.value();
  reject(keyword, "a number");
  return std::nullopt;
}

/// Counts over four thousand million are that many: no document has more.
std::optional<std::uint32_t> compiler::find_count(const json::object& schema,
                                                  std::string_view keyword) {
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  const auto value = find_number(schema, keyword);
  if (!value)
    return std::nullopt;
  const bool whole = value->is != number::form::real || is_whole(value->d);
  if (!whole || compare(*value, number::of(std::int64_t{0})) < 0) {
    reject(keyword, "an integer, 0 or more");
    return std::nullopt;
  }
  return to_double(*value) >= double{most}
           ? most
           : static_cast<std::uint32_t>(to_double(*value));
}

std::optional<std::string_view>
compiler::find_string(const json::object& schema, std::string_view keyword) {
  const auto* value = find(schema, keyword);
  if (value == nullptr)
    return std::nullopt;
  if (value->is_string())
    return std::string_view{value->get_string()};
  reject(keyword, "a string");
  return std::nullopt;
}

node_index compiler::find_node(const json::object& schema,
                               std::string_view keyword) {
  const auto* value = find(schema, keyword);
  return value == nullptr ? no_node : node_within(*value, pointer_to(keyword));
}

std::optional<compiler::list> compiler::find_nodes(const json::object& schema,
                                                   std::string_view keyword) {
  const auto* array = find_array(schema, keyword);
  if (array == nullptr)
    return std::nullopt;
  std::vector<std::uint32_t> nodes;
  for (const auto& item : *array)
    nodes.push_back(node_within(item, pointer_to(keyword) + '/'
                                        + std::to_string(nodes.size())));
  return add_list(nodes);
}

std::vector<std::string> compiler::strings_of(const json::value& value,
                                              std::string_view keyword) {
  std::vector<std::string> out;
  std::set<std::string_view> seen;
  const auto* array = value.if_array();
  if (array == nullptr
      || !std::ranges::all_of(*array, &json::value::is_string)) {
    reject(keyword, "an array of strings");
    return out;
  }
  for (const auto& item : *array)
    if (seen.insert(item.get_string()).second)
      out.emplace_back(item.get_string());
  return out;
}

std::uint32_t compiler::pattern_of(std::string_view source,
                                   std::string_view keyword) {
  if (const auto known = patterns_.find(source); known != patterns_.end())
    return known->second;
  const bool too_many = patterns_.size() >= options_.patterns_max;
  if (too_many || source.size() > options_.pattern_bytes_max) {
    fail_with({.code = errc::limit_reached,
               .message = too_many ? "the schema has too many patterns"
                                   : "a pattern is too long",
               .rule = too_many ? "schema_patterns" : "pattern_size",
               .value = shorten(source)},
              keyword);
    return 0;
  }
  auto made = make_pattern(source);
  if (!made) {
    fail_with(made.error(), keyword);
    return 0;
  }
  const auto index = static_cast<std::uint32_t>(out_.patterns.size());
  out_.patterns.push_back(std::move(*made));
  patterns_.emplace(source, index);
  return index;
}

std::optional<name_table>
compiler::table_of(const std::vector<std::string>& texts,
                   std::vector<name_entry> entries, std::string_view keyword) {
  auto table = out_.table_names.add(texts, std::move(entries));
  if (!table)
    fail_with({.code = errc::limit_reached,
               .message = "names are too much alike to be told apart fast",
               .rule = "schema_names"},
              keyword);
  return table;
}

void compiler::emit_count(group in, op code, const json::object& schema,
                          std::string_view keyword) {
  if (const auto count = find_count(schema, keyword))
    emit(in, {.code = code, .a = *count});
}

} // namespace convene::protocol::validation
