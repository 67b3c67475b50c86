#pragma once

#include <catch2/catch.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/data/cluster/cluster_error.hpp>
#include <convene/runtime/data/cluster/cluster_member.hpp>
#include <convene/runtime/data/cluster/fenced_log.hpp>
#include <convene/runtime/data/cluster/session_owners.hpp>
#include <support/postgres/postgres_server.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

// Nodes that share a database of their own.

namespace convene::tests {

inline std::string session_number(unsigned which) {
  return to_string(protocol::derive_uuid({1, 2}, 3, which));
}

/// The URL of a database without a cluster; empty: PostgreSQL is not installed.
std::string fresh_cluster();

template <class T>
T value_of(protocol::result<T> what) {
  if (!what)
    FAIL(to_string(what.error()));
  if constexpr (!std::is_void_v<T>)
    return *std::move(what);
}

template <class T>
std::string rule_of_failure(const protocol::result<T>& what) {
  return what ? "" : what.error().rule;
}

inline host::postgres_connection connect(const std::string& url) {
  return value_of(host::postgres_connection::open({.url = url}));
}

inline host::cluster_member join(const std::string& url, std::string name,
                                 std::string version = "1") {
  return value_of(
    host::cluster_member::join({.url = url}, {.name = std::move(name),
                                              .version = std::move(version),
                                              .address = "http://127.0.0.1:1",
                                              .labels = {}}));
}

inline host::fenced_log log_of(const std::string& url) {
  return host::fenced_log{
    value_of(host::cluster_database::open({.url = url}, true))};
}

/// As if the node had not renewed its lease in time.
inline void lapse(host::postgres_connection& in, const std::string& boot_id) {
  value_of(in.query("UPDATE convene_cluster.nodes SET lease_until = "
                    "clock_timestamp() - interval '1 s' "
                    "WHERE boot_id = $1::uuid",
                    {boot_id}));
}

inline const auto much_later = std::chrono::minutes{5};

inline std::vector<host::append_end>
append(host::fenced_log& to, const std::vector<host::fenced_events>& groups) {
  return value_of(
    to.append(groups, std::chrono::steady_clock::now() + much_later));
}

/// The session's lines, with a lower-case epoch before each.
inline std::vector<std::string> lines_of(host::fenced_log& log,
                                         const std::string& session) {
  std::vector<std::string> all;
  for (const auto& one : value_of(log.read(session, 1, 10'000)))
    all.push_back(std::to_string(one.epoch) + ":" + one.line);
  return all;
}

/// Waits until so many statements wait for a lock, or until `is_done`.
inline void wait_for_waiters(host::postgres_connection& in, std::int64_t count,
                             const std::atomic<bool>& is_done) {
  for (;;) {
    const auto found
      = value_of(in.query("SELECT count(*) FROM pg_stat_activity "
                          "WHERE wait_event_type = 'Lock' "
                          "AND datname = current_database()"));
    if (found.number(0, 0) >= count || is_done)
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
}

} // namespace convene::tests
