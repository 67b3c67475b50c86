#pragma once

#include <convene/protocol/base/uuid.hpp>
#include <convene/server/http/request.hpp>
#include <convene/server/run_api/bodies.hpp>
#include <convene/server/runs/run_host.hpp>

#include <optional>
#include <string>

namespace convene::server {

/// What a request to start a run with an Idempotency-Key comes to: a new run of
/// an id that follows from caller and key, or the run that the same request
/// began within 24 hours, a restart of the server or not.
struct run_repetition {
  std::optional<protocol::uuid> id; ///< of the new run; unset: without a key
  std::shared_ptr<hosted_run> run;  ///< that it began before
  bool is_other = false;            ///< the key began another run than this
};

/// What the log keeps of the `callbackUrl` of a start with an Idempotency-Key,
/// so that a repeated one with another URL is known: a hash of it and the key,
/// so that nobody who reads the log finds the URL by trying. Nothing without
/// either. To be set in `how` before `find_repetition` looks at it.
[[nodiscard]] std::optional<std::string>
callback_digest(const request& from, const run_order& order);

[[nodiscard]] run_repetition
find_repetition(run_host& host, const request& from, const run_order& order);

} // namespace convene::server
