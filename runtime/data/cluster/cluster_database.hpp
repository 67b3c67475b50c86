#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/postgres/postgres_connection.hpp>

#include <optional>
#include <stop_token>
#include <utility>

namespace convene::host {

/// The database of a cluster, with its tables in the schema `convene_cluster`;
/// for one thread at a time.
class cluster_database {
public:
  /// Connects and checks the version of the tables. `creates`: makes those that
  /// are not there; otherwise their absence is an error (`cluster_tables`).
  [[nodiscard]] static protocol::result<cluster_database>
  open(const postgres_options& how, bool creates);

  /// The connection; another one if it was lost.
  [[nodiscard]] protocol::result<postgres_connection*> connection();

  /// The next one is another connection: a server that cannot write any more
  /// may have a successor at its address.
  void renew() noexcept {
    connection_.reset();
  }

  /// See `postgres_options::stop`.
  void interrupt_by(const std::stop_token& stop) {
    how_.stop = stop;
    if (connection_)
      connection_->interrupt_by(stop);
  }

private:
  cluster_database(postgres_options how, postgres_connection made)
    : how_{std::move(how)}, connection_{std::move(made)} {}

  postgres_options how_;
  std::optional<postgres_connection> connection_;
};

} // namespace convene::host
