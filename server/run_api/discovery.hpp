#pragma once

#include <convene/server/http/route.hpp>
#include <convene/server/run_api/run_routes.hpp>

namespace convene::server {

/// GET /.well-known/openwop: what this host speaks and can do. Its flags are at
/// the root, and again under `capabilities`, where RFC 0005 has them.
[[nodiscard]] handler discovery(const run_host& host,
                                const implementation_info& about);

} // namespace convene::server
