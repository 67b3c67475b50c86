#pragma once

#include <convene/protocol/base/error.hpp>

#include <string_view>

/// Rules of a cluster's errors, besides those of its connection
/// (postgres_error.hpp).
namespace convene::host::cluster_rule {

/// The database has the tables of another version of convene.
inline constexpr std::string_view tables = "cluster_tables";
/// A node of another version, or with other schemas, is a member.
inline constexpr std::string_view unlike = "cluster_unlike";
/// A member has this name.
inline constexpr std::string_view name_taken = "node_name_taken";
/// A name, an address or a label is not of the form that is allowed.
inline constexpr std::string_view description = "node_description";
/// The node's lease has lapsed: its sessions may have other owners.
inline constexpr std::string_view lapsed = "lease_lapsed";
/// No more nodes can be members.
inline constexpr std::string_view nodes_max = "cluster_nodes_max";

} // namespace convene::host::cluster_rule

namespace convene::host {

/// Whether what failed may succeed later: no server answered, or transactions
/// disturbed each other.
[[nodiscard]] bool is_passing(const protocol::error& what) noexcept;

/// Whether what is to be stored waits until the database takes it: after all
/// errors but those of what is stored itself. A full disk, a database that can
/// only be read, or one that refuses the user, is mended by its operators.
[[nodiscard]] bool is_waited_for(const protocol::error& what) noexcept;

/// Whether it is unknown what became of the statement.
[[nodiscard]] bool has_unknown_outcome(const protocol::error& what) noexcept;

} // namespace convene::host
