#pragma once

#include <convene/server/http/route.hpp>

namespace convene::server {

/// The page for people: `GET /`, and `GET /page/NAME` for the files that it is
/// made of. They need no key, since they tell nothing; what the page shows, it
/// gets from the API, with the person's key.
[[nodiscard]] routes page_routes();

} // namespace convene::server
