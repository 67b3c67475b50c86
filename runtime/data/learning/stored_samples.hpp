#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/runtime/data/learning/session_samples.hpp>
#include <convene/runtime/data/state_store/state_store.hpp>

#include <vector>

namespace convene::host {

/// Puts samples under `learning_samples/<sample_id>`. Those that are there
/// stay; another one of the same id is refused: `document_exists`. Waits for
/// the store; not for its callbacks.
[[nodiscard]] CONVENE_API protocol::result<void>
store_samples(state_store& into, const std::vector<kept_sample>& samples);

} // namespace convene::host
