#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/postgres/postgres_connection.hpp>

#include <cstdint>
#include <span>

namespace convene::host {

/// Tables of one part of convene in the schema `convene` of a database. The
/// table `convene.version` has the version of each part.
struct postgres_part {
  const char* name;
  /// Step n brings the tables from version n to n + 1. Released ones never
  /// change.
  std::span<const char* const> steps;

  [[nodiscard]] std::int64_t version() const noexcept {
    return static_cast<std::int64_t>(steps.size());
  }
};

/// The version of the part's tables; 0: there are none.
[[nodiscard]] protocol::result<std::int64_t>
part_version(postgres_connection& in, const postgres_part& part);

/// Creates the part's tables, or brings those of an older version up to date.
/// Programs that do so at the same time wait for each other. Error: rule
/// `store_version` if a newer program has changed them.
[[nodiscard]] protocol::result<void> prepare_schema(postgres_connection& in,
                                                    const postgres_part& part);

/// For transactions: locks the part's row of `convene.version` until the end,
/// so that such transactions take place one after another, and checks that it
/// still has the version of this program.
[[nodiscard]] protocol::result<void> lock_part(postgres_connection& in,
                                               const postgres_part& part);

} // namespace convene::host
