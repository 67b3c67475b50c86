#pragma once

#include <convene/integrations/event_stream/stream_source.hpp>
#include <convene/runtime/data/cluster/cluster_database.hpp>

#include <functional>
#include <memory>

namespace convene::host {

/// The sessions of a node of a cluster, from its database: those that the node
/// owns, and, at one of the nodes, those that ended at nodes that are gone.
/// Cursors are in `convene.published_events`. `boot_id` is the one under which
/// the node is a member; called on the source's thread.
[[nodiscard]] protocol::result<std::unique_ptr<stream_source>>
open_cluster_events(const postgres_options& how,
                    std::function<std::string()> boot_id);

} // namespace convene::host
