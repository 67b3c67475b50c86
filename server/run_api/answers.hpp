#pragma once

#include <convene/server/http/request.hpp>
#include <convene/server/http/response.hpp>
#include <convene/server/http/route.hpp>
#include <convene/server/runs/run_host.hpp>
#include <convene/server/runs/turn_view.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace convene::server {

/// An error in OpenWOP's form.
[[nodiscard]] response openwop_error(unsigned status, std::string_view code,
                                     std::string_view message,
                                     boost::json::object details = {});

[[nodiscard]] response no_run();

/// A request that is wrong: 400, with the place in it and the rule.
[[nodiscard]] response invalid(const protocol::error& why);

/// Why an input was not taken by a run that stands like this, or what of the
/// host failed.
[[nodiscard]] response refusal(const session::run_refusal& why,
                               session::run_status now);
[[nodiscard]] response failure(const protocol::error& why);

/// `{runId, status}`.
[[nodiscard]] boost::json::object status_of(const run_outcome& made);

/// Tells an outcome; `make` is the answer of one that was taken.
void tell(const responder& to, const run_outcome& made,
          const std::function<response()>& make);

/// What is done with a run that was asked for.
using run_use = std::function<void(const std::shared_ptr<hosted_run>&,
                                   const request&, const responder&)>;

/// Has the run of an id used, if there is one: now, or on another thread, if it
/// has to be read from disk. So `use` has what it needs, but for the host.
void with_run(run_host& host, std::string_view run_id, const request& asked,
              const responder& to, const run_use& use);

/// An endpoint whose path has the run's `id`.
[[nodiscard]] handler on_run(run_host& host, run_use use);

/// Whose key a request has shown.
[[nodiscard]] std::optional<std::string> who(const request& asked);

/// Which turns the caller sees.
[[nodiscard]] turn_view view_of(const request& asked);

} // namespace convene::server
