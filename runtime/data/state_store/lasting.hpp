#pragma once

#include <convene/runtime/data/state_store/state_store.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// A value that is put once and then stays.
struct lasting_entry {
  std::string key;
  std::string value;
  std::vector<std::string> replaces = {}; ///< values that it takes the place of
  bool gives_way = false; ///< what stands there already stays, whatever it is
};

/// Puts all of them in one transaction. A value that is there already is left
/// alone. If another value is there, nothing is changed: `document_exists`.
/// Waits for the store; not for its callbacks.
[[nodiscard]] protocol::result<void>
put_lasting(state_store& into, std::vector<lasting_entry> entries);

/// The refusal to replace what a store has under the key.
[[nodiscard]] protocol::error document_exists(std::string_view key);

} // namespace convene::host
