#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/json_schema/name_table.hpp>
#include <convene/protocol/json_schema/number.hpp>
#include <convene/protocol/text/format.hpp>
#include <convene/protocol/text/pattern.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol::validation {

namespace json = boost::json;

/// What a value is, in any representation. Integers are those that a parser
/// hands over as such; 1.0 is a real.
enum class kind : std::uint8_t {
  null,
  boolean,
  integer,
  big_integer, ///< over the largest signed one
  real,
  string,
  array,
  object,
};

/// The types of JSON Schema, a bit each. `number` stands for the reals alone.
namespace types {
inline constexpr std::uint8_t null = 1;
inline constexpr std::uint8_t boolean = 2;
inline constexpr std::uint8_t integer = 4;
inline constexpr std::uint8_t number = 8;
inline constexpr std::uint8_t string = 16;
inline constexpr std::uint8_t array = 32;
inline constexpr std::uint8_t object = 64;
inline constexpr std::uint8_t all = 127;
} // namespace types

inline constexpr std::array<std::uint8_t, 8> type_of_kind{
  types::null,   types::boolean, types::integer, types::integer,
  types::number, types::string,  types::array,   types::object};

/// Instructions of a node stand in groups by the kinds that they apply to.
enum group : std::uint8_t { simple, numbers, strings, arrays, objects };
inline constexpr std::uint32_t group_count = 5;
inline constexpr std::array<std::uint8_t, 8> group_of_kind{
  simple, simple, numbers, numbers, numbers, strings, arrays, objects};

/// What to check. `a`, `b` and `c` of the instruction are named here; lists
/// are ranges of `program::lists`.
enum class op : std::uint8_t {
  enum_strings,      // a: table
  enum_values,       // a, b: range of constants
  constant,          // a: constant
  all_of,            // a, b: range of nodes
  any_of,            // a, b
  one_of,            // a, b
  negation,          // a: node
  condition,         // a: if, b: then, c: else, each a node
  reference,         // a: node
  minimum,           // a: number
  maximum,           // a
  exclusive_minimum, // a
  exclusive_maximum, // a
  multiple_of,       // a
  min_length,        // a: count
  max_length,        // a
  pattern,           // a: pattern
  format,            // a: format
  min_items,         // a: count
  max_items,         // a
  unique_items,      //
  contains,          // a: node
  items,             // a: node
  tuple,             // a, b: range of nodes, c: node of the others
  min_properties,    // a: count
  max_properties,    // a
  members,           // a: member rules
  dependencies,      // a, b: range of dependency rules
};

/// The keyword that a violation of `code` names.
[[nodiscard]] std::string_view keyword_of(op code) noexcept;

struct instruction {
  op code;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};

using node_index = std::uint32_t;
/// The nodes of `false` and of `true`, in every program.
inline constexpr node_index never = 0;
inline constexpr node_index always = 1;
inline constexpr node_index no_node = 0xffffffff;

/// A schema: the types it admits, and for each group its instructions, from
/// `first[group]` up to `first[group + 1]`.
struct node {
  std::array<std::uint32_t, group_count + 1> first{};
  std::uint8_t types = types::all;
};

/// `properties`, `required`, `patternProperties`, `additionalProperties` and
/// `propertyNames` of one schema, done in one pass. An entry's `value` is its
/// node or `no_node`, its `bit` one more than the place among the required,
/// or 0.
struct member_rules {
  name_table table;
  std::uint32_t first_pattern = 0; ///< in `member_patterns`
  std::uint32_t last_pattern = 0;
  node_index additional = always;
  node_index name = always;
  std::uint32_t required = 0; ///< how many
};

inline constexpr std::uint32_t required_max = 1'024;

struct member_pattern {
  std::uint32_t pattern = 0;
  node_index node = 0;
};

/// One member of `dependencies`: names that must be there as well (a range of
/// `lists`, into `texts`), or a node.
struct dependency {
  std::uint32_t name = 0; ///< in `texts`
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  node_index node = always;
};

struct named_check {
  std::string name;
  format_check check = nullptr;
};

/// A compiled schema: flat tables that name each other by index.
struct program {
  node_index root = always;
  std::vector<node> nodes;
  std::vector<instruction> code;
  std::vector<std::uint32_t> lists;
  std::vector<number> numbers;
  std::vector<json::value> constants;
  std::vector<std::string> texts;
  std::vector<pattern> patterns;
  std::vector<named_check> formats;
  std::vector<name_table> tables;
  std::vector<member_rules> members;
  std::vector<member_pattern> member_patterns;
  std::vector<dependency> dependencies;
  names table_names;
};

} // namespace convene::protocol::validation
