#pragma once

#include <convene/integrations/webhooks/outside_log.hpp>
#include <convene/integrations/webhooks/webhook_secrets.hpp>
#include <convene/server/http/route.hpp>

#include <memory>
#include <optional>

namespace convene::server {

/// The endpoints by which CI, tools and Git tell what happened
/// (docs/integrations.md): with a key, and by what they have signed, if there
/// are secrets. The log is written on a thread of their own.
[[nodiscard]] routes
integration_routes(std::shared_ptr<outside_log> log,
                   std::optional<webhook_secrets> secrets = {});

} // namespace convene::server
