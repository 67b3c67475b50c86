#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/state_store/transaction.hpp>

#include <string>

// For sources in this folder only: what changes the tables of a store in
// PostgreSQL, inside of a transaction that has locked them.

namespace convene::host {

class postgres_connection;
struct postgres_part;

/// The tables of a state store.
[[nodiscard]] const postgres_part& state_part();

/// Carries out a transaction. Error: as `state_store::commit`.
[[nodiscard]] protocol::result<void> apply(postgres_connection& in,
                                           const state_transaction& what);

[[nodiscard]] protocol::result<void> take_snapshot(postgres_connection& in,
                                                   const std::string& name);
[[nodiscard]] protocol::result<void> restore_snapshot(postgres_connection& in,
                                                      const std::string& name);
[[nodiscard]] protocol::result<void> drop_snapshot(postgres_connection& in,
                                                   const std::string& name);

} // namespace convene::host
