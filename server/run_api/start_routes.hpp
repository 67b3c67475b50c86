#pragma once

#include <convene/server/http/route.hpp>
#include <convene/server/run_callbacks/run_callbacks.hpp>
#include <convene/server/runs/run_host.hpp>

namespace convene::server {

// What begins a run. `host` and `callbacks` must outlive them.

/// POST /v1/runs.
[[nodiscard]] handler create_run(run_host& host, run_callbacks& callbacks);

/// POST /v1/runs/{id}:fork.
[[nodiscard]] handler fork_run(run_host& host);

} // namespace convene::server
