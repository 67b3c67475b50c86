#pragma once

#include <convene/server/http/route.hpp>

namespace convene::server {

/// /v1/caller, which tells a program or page what its key allows. Wants no key:
/// without one that is known, it says that nothing is allowed.
[[nodiscard]] route caller_route();

} // namespace convene::server
