#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/runtime/data/state_store/state_store.hpp>

#include <cstddef>
#include <memory>

namespace convene::host {

/// What exceeds these is refused as `store_full`.
struct memory_store_limits {
  std::size_t keys = 1'000'000; ///< an event has one, or two with a trace_id
  std::size_t bytes = 1U << 30; ///< of keys and values, snapshots apart
};

/// A store that lasts as long as its object. Calls take place, and `then` is
/// called, before they return.
[[nodiscard]] CONVENE_API std::unique_ptr<state_store>
make_memory_store(const memory_store_limits& limits = {});

} // namespace convene::host
