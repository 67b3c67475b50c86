#pragma once

#include <convene/server/http/route.hpp>
#include <convene/server/runs/run_host.hpp>

namespace convene::server {

/// Answers GET /v1/runs: all runs in short, the latest first.
void list_runs(run_host& host, const request& asked, const responder& to);

} // namespace convene::server
