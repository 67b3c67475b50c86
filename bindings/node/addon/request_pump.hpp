#pragma once

#include "runtime_handle.hpp"

#include <node_api.h>

#include <memory>

namespace convene::node {

/// Takes requests on the runtime's lane until the runtime is closed, and has
/// `on_requests` called with arrays of them: [request, its JSON, request, ...].
void pump_requests(napi_env env, const std::shared_ptr<runtime_handle>& from,
                   napi_value on_requests);

} // namespace convene::node
