#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/runtime/data/state_store/state_store.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace convene::host {

struct postgres_store_options {
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds statement_timeout{60'000};
  /// How long a call tries to connect again after the connection was lost.
  std::chrono::milliseconds reconnect_longest{20'000};
};

/// A store in a PostgreSQL database (13 or newer, in UTF-8), in its schema
/// `convene`, which is created if it is missing. `url` is
/// `postgres://USER@HOST:PORT/DATABASE`, as libpq reads it. What is
/// acknowledged is as durable as the server's `synchronous_commit`.
///
/// Any number of stores and processes may share a database: their transactions
/// take place one after another, and what one has acknowledged is seen by every
/// later call of all. Calls take place on a thread of the store, and its
/// destructor waits for those that were made.
///
/// A lost connection is made again. A transaction takes place once: the server
/// is asked for its outcome. Rules of errors, none of which has the password:
/// - `library_missing`: libpq is not installed;
/// - `postgres_url`, `postgres_refused`: the URL, or what the server says to
/// it;
/// - `postgres_unreachable`: no server answers; later calls try again;
/// - `postgres_unknown`: whether the transaction took place is not known;
/// - `store_version`: another version of convene has created the tables;
/// - `postgres_lost`, `postgres_timeout`, `postgres_conflict`,
///   `postgres_failed`: nothing was done.
[[nodiscard]] CONVENE_API protocol::result<std::unique_ptr<state_store>>
open_postgres_store(const std::string& url,
                    const postgres_store_options& options = {});

/// Whether the database has the tables of a store. Creates nothing.
[[nodiscard]] CONVENE_API protocol::result<bool>
has_postgres_store(const std::string& url);

} // namespace convene::host
