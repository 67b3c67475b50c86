#pragma once

#include <convene/runtime/data/state_store/state_store.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace convene::testing {

/// Makes an empty store.
using state_store_maker = std::function<std::unique_ptr<host::state_store>()>;

/// Runs the conformance suite of state stores (docs/state.md) and returns what
/// is wrong, a sentence each; empty: the store conforms. Makes about ten
/// stores, one after another. A store that never calls back is waited for
/// forever.
[[nodiscard]] std::vector<std::string>
check_state_store(const state_store_maker& make_empty);

} // namespace convene::testing
