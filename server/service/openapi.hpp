#pragma once

#include <boost/json/object.hpp>
#include <convene/server/http/route.hpp>

#include <string_view>

namespace convene::server {

/// An OpenAPI 3.1 document of these endpoints, except files of the page: paths,
/// parameters, scopes, the form of errors, and the bodies that schemas/api
/// describes.
[[nodiscard]] boost::json::object openapi_of(const routes& endpoints,
                                             std::string_view version);

/// /openapi.json and /v1/openapi.json, which describe `endpoints` and
/// themselves. Neither wants a key.
[[nodiscard]] routes openapi_routes(routes endpoints, std::string_view version);

} // namespace convene::server
