#pragma once

#include <convene/protocol/base/error.hpp>

#include <string_view>

struct pg_conn;
struct pg_result;

/// Rules of a connection's errors, by what a caller can do about them. The
/// `value` of such an error is the server's SQLSTATE, if it gave one.
namespace convene::host::postgres_rule {

/// No server answers, or it is starting, stopping or full: try again later.
inline constexpr std::string_view unreachable = "postgres_unreachable";
/// The server does not accept this user, password, database or certificate.
inline constexpr std::string_view refused = "postgres_refused";
/// The connection ended during a statement. A transaction whose COMMIT was not
/// sent did not take place; the outcome of a statement outside of a transaction
/// is unknown.
inline constexpr std::string_view lost = "postgres_lost";
/// The connection ended during COMMIT: the outcome is unknown.
inline constexpr std::string_view unknown = "postgres_unknown";
/// Transactions disturbed each other (40001, 40P01): repeat this one.
inline constexpr std::string_view conflict = "postgres_conflict";
/// The server ended the statement, which took too long; nothing was done.
inline constexpr std::string_view timeout = "postgres_timeout";
/// Something of this name is there already (23505, 42P07, 42P06).
inline constexpr std::string_view exists = "postgres_exists";
/// Any other refusal of a statement.
inline constexpr std::string_view failed = "postgres_failed";
/// The result exceeds its bound; the connection was closed.
inline constexpr std::string_view result_max = "postgres_result_max";

} // namespace convene::host::postgres_rule

namespace convene::host {

[[nodiscard]] inline bool is_lost(const protocol::error& what) noexcept {
  return what.rule == postgres_rule::lost;
}

/// The error of a connection that could not be made. `where`: the shown URL.
[[nodiscard]] protocol::error connect_error(std::string_view where,
                                            const pg_conn* made);

/// The error that ended a statement.
[[nodiscard]] protocol::error statement_error(std::string_view where,
                                              const pg_result* of);

/// An error of a connection; `code` follows from its rule.
[[nodiscard]] protocol::error
postgres_error(std::string_view rule, std::string_view where,
               std::string_view why, std::string_view sqlstate = {});

} // namespace convene::host
