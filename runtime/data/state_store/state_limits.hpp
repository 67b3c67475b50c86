#pragma once

#include <cstddef>

// The bounds of every state store. What exceeds one is refused as
// `limit_reached`, with the rule named here.

namespace convene::host {

/// Rule `key_bytes_max`.
inline constexpr std::size_t state_key_bytes_max = 512;
/// Of the ids of events, traces and contexts, and of a snapshot's name: rule
/// `id_bytes_max`.
inline constexpr std::size_t state_id_bytes_max = 128;
/// Rule `value_bytes_max`.
inline constexpr std::size_t state_value_bytes_max = 64U << 20;
/// Changes, conditions and events of a transaction: rule
/// `transaction_items_max`.
inline constexpr std::size_t state_transaction_items_max = 10'000;
/// All their bytes: rule `transaction_bytes_max`.
inline constexpr std::size_t state_transaction_bytes_max = 256U << 20;
/// Entries or events that a page has at most. Asking for more is refused: rule
/// `page_items_max`.
inline constexpr std::size_t state_page_items_max = 1'000;
/// A page ends early, after at least one item, when it has so many bytes.
inline constexpr std::size_t state_page_bytes_max = 64U << 20;
/// Rule `snapshots_max`.
inline constexpr std::size_t state_snapshots_max = 64;

} // namespace convene::host
