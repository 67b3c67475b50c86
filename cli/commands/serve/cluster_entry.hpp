#pragma once

#include <convene/cli/commands/serve/serve_arguments.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/cluster/membership_keeper.hpp>
#include <convene/runtime/data/cluster/shared_sessions.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <thread>

namespace convene::cli {

/// The database of `--cluster`.
[[nodiscard]] host::postgres_options
database_of(const serve_arguments& arguments);

/// Registers the node in the cluster of `--cluster`, if there is one. Waits
/// while a node of that name is a member, for as long as a lease lasts: the
/// last start of this one may have been killed.
[[nodiscard]] protocol::result<std::optional<host::cluster_member>>
join_cluster(const serve_arguments& arguments, const std::stop_token& stop);

/// Renews the lease of a node that does not serve yet, as while it opens a
/// large log. Nobody else may use the member until this has gone.
[[nodiscard]] std::jthread hold_lease(host::cluster_member& member);

/// The sessions of the node among those of its cluster; null: there is none.
[[nodiscard]] protocol::result<std::shared_ptr<host::shared_sessions>>
share_sessions(const serve_arguments& arguments,
               const std::optional<host::cluster_member>& member);

} // namespace convene::cli
