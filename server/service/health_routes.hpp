#pragma once

#include <convene/server/http/route.hpp>

#include <functional>

namespace convene::server {

/// /healthz, which answers as long as the server does, and /readyz, which is
/// 503 unless `is_ready`. Neither wants a key.
[[nodiscard]] routes health_routes(std::function<bool()> is_ready);

} // namespace convene::server
