#pragma once

#include <convene/cli/commands/serve/serve_arguments.hpp>
#include <convene/integrations/event_stream/event_publisher.hpp>
#include <convene/integrations/nats/nats_options.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/cluster/shared_sessions.hpp>

#include <memory>
#include <optional>

namespace convene::cli {

/// The stream of `--events-to`; unset: events stay here.
[[nodiscard]] protocol::result<std::optional<host::nats_options>>
events_out_of(const serve_arguments& arguments);

/// Publishes the events of the node's sessions from now on, before the first
/// one is appended. The server may be away. Null: they stay here.
[[nodiscard]] protocol::result<std::shared_ptr<host::event_publisher>>
publish_events(const serve_arguments& arguments,
               std::optional<host::nats_options> to,
               const std::shared_ptr<host::shared_sessions>& from);

} // namespace convene::cli
