#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <string_view>

// Parts of JSON Schemas; for sources in this folder only. Pure.

namespace convene::host {

/// What is nested deeper is left as it is, or as any object.
inline constexpr int schema_depth_max = 24;

/// Whether the schema's type is, or may be, `type`.
[[nodiscard]] bool has_type(const boost::json::object& schema,
                            std::string_view type);

/// The `type` of the values in `enum` or `const`; null: it has neither.
[[nodiscard]] boost::json::value
type_of_values(const boost::json::object& schema);

/// What a `$ref` inside of the same document points to; null: nothing.
[[nodiscard]] const boost::json::object*
find_schema(const boost::json::object& root, std::string_view reference);

/// `schema` with the properties of all its alternatives. Required is what each
/// of them requires.
[[nodiscard]] boost::json::object
merged_schema(const boost::json::object& root,
              const boost::json::object& schema);

} // namespace convene::host
