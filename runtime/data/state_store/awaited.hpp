#pragma once

#include <convene/runtime/data/state_store/state_store.hpp>

#include <future>
#include <memory>
#include <utility>

namespace convene::host {

/// Starts a call of a store and waits for its outcome:
/// `awaited<void>([&](auto then) { store.restore("before", then); })`.
/// Not for callbacks of a store.
template <class T, class Start>
[[nodiscard]] protocol::result<T> awaited(Start&& start) {
  const auto outcome = std::make_shared<std::promise<protocol::result<T>>>();
  auto known = outcome->get_future();
  start(when_state<T>{[outcome](protocol::result<T> what) {
    outcome->set_value(std::move(what));
  }});
  return known.get();
}

} // namespace convene::host
