#pragma once

#include <boost/json/object.hpp>
#include <convene/runtime/outside/models/request_shape.hpp>

namespace convene::host {

/// `schema`, of an object, in the subset of JSON Schema that providers accept
/// for the parameters of a tool: an object at the top, without `anyOf` and the
/// like there, a type with each enum, items for each array, no `$schema`. Where
/// it must, it allows more than `schema` does, never less. Pure and bounded.
[[nodiscard]] boost::json::object fit_schema(const boost::json::object& schema,
                                             schema_subset subset);

} // namespace convene::host
