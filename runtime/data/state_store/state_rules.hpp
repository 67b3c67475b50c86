#pragma once

#include <convene/runtime/data/state_store/state_store.hpp>

#include <cstdint>
#include <string_view>

// What is the same in every store: the form of what it is given, and errors.

namespace convene::host {

[[nodiscard]] protocol::result<void> check_key(std::string_view key);
[[nodiscard]] protocol::result<void> check_id(std::string_view id);
[[nodiscard]] protocol::result<void> check_scan(const state_scan& which);
[[nodiscard]] protocol::result<void>
check_query(const state_event_query& which);
[[nodiscard]] protocol::result<void> check_event(const state_event& event);
[[nodiscard]] protocol::result<void>
check_transaction(const state_transaction& what);
/// An entry or event that is to be taken in.
[[nodiscard]] protocol::result<void> check_record(const state_record& what);

[[nodiscard]] std::size_t bytes_of(const state_event& event) noexcept;
[[nodiscard]] std::size_t bytes_of(const state_transaction& what) noexcept;

/// An event's number as a database stores it, or the largest one.
[[nodiscard]] std::int64_t place_of(std::uint64_t number) noexcept;

[[nodiscard]] protocol::error not_as_expected(std::string_view key);
[[nodiscard]] protocol::error event_exists(std::string_view event_id);
[[nodiscard]] protocol::error snapshot_exists(std::string_view name);
[[nodiscard]] protocol::error snapshot_missing(std::string_view name);
[[nodiscard]] protocol::error snapshots_full();
[[nodiscard]] protocol::error not_empty();

} // namespace convene::host
