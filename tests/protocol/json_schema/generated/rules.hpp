#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/json_schema/schema_set.hpp>
#include <support/dice.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What a value has to meet, read off JSON schemas in the plainest way: no
// compiled program is involved, so that the two can be compared.

namespace convene::tests {

namespace json = boost::json;
using protocol::schema_place;
using protocol::schema_set;
using test::dice;

/// A schema object that applies to a value.
struct rule {
  const json::object* schema = nullptr;
  std::string base;
  bool chosen = false; ///< others would do: a branch of `anyOf` or `oneOf`
};

/// All schemas that one value has to meet.
using rules = std::vector<rule>;

/// `of`, and what it leads to by `$ref`, `allOf` and a branch of each `anyOf`
/// and `oneOf`, drawn with `d`. Throws for `false` and for keywords that the
/// generator does not know.
rules flattened(const schema_set& set, schema_place of, bool chosen, dice& d);

/// The place of a subschema of `in`.
schema_place place_in(const rule& in, const json::value& subschema);

/// The first value of a keyword among `all`, or null.
const json::value* find(const rules& all, std::string_view keyword);

/// The largest or smallest value of a numeric keyword.
std::optional<double> largest(const rules& all, std::string_view keyword);
std::optional<double> smallest(const rules& all, std::string_view keyword);

/// The names of types that all of `all` admit: the seven if none says.
/// `number` stands for the fractions alone.
std::vector<std::string> types_of(const rules& all);

/// Whether a member of this name may be there.
bool admits(const rules& all, const std::string& name);

/// Whether a schema of the kind that stands in `if` and `not` holds for the
/// members of `object`: `required`, and `properties` of `const` or `enum`.
bool holds(const json::object& condition, const json::object& object);

} // namespace convene::tests
