#pragma once

#include <convene/server/http/response.hpp>
#include <convene/server/runs/run_host.hpp>

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

} // namespace convene::server
