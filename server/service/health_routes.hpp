#pragma once

#include <convene/server/http/route.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace convene::server {

/// Calls the function with the reason why the server takes no work, or with
/// nothing if it does; now or on another thread. Must not wait.
using readiness
  = std::function<void(const std::function<void(const std::string&)>&)>;

/// /healthz, which answers as long as the server does, and /readyz, which is
/// 503 if there is a reason, or none within 90 ms. `refused_workflows` calls
/// for a look at them, and does not keep the server from work; above 0 it is a
/// member of /readyz. Neither requires a key.
[[nodiscard]] routes health_routes(readiness is_ready,
                                   std::size_t refused_workflows = 0);

} // namespace convene::server
