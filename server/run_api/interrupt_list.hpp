#pragma once

#include <convene/server/http/route.hpp>
#include <convene/server/runs/run_host.hpp>

namespace convene::server {

/// Answers GET /v1/interrupts: what nodes of runs ask that can be answered, of
/// the latest run first.
void list_interrupts(run_host& host, const request& asked, const responder& to);

} // namespace convene::server
