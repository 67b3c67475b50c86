#pragma once

#include <convene/server/http/route.hpp>
#include <convene/server/integrations/outside_log.hpp>
#include <convene/server/sessions/event_feed.hpp>

#include <memory>

namespace convene::server {

/// The endpoint by which CI, tools and Git tell what happened
/// (docs/integrations.md). `threads` has those on which the log is written.
[[nodiscard]] routes integration_routes(std::shared_ptr<outside_log> log,
                                        std::shared_ptr<event_feed> threads);

} // namespace convene::server
