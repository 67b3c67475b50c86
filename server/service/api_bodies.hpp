#pragma once

#include <boost/json/object.hpp>
#include <convene/server/http/route.hpp>

namespace convene::server {

/// What schemas/api says of an endpoint's bodies; null: nothing.
[[nodiscard]] const boost::json::object* bodies_of(const route& endpoint);

/// Adds to `to` what `document`, and they themselves, refer to by
/// `#/components/schemas/NAME`: the schemas of schemas/api, and embedded ones
/// by their name, with references that lead to each other there.
void add_schemas(const boost::json::object& document, boost::json::object& to);

} // namespace convene::server
