#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::host {

/// A value, which is a JSON text, and where it is.
struct state_entry {
  std::string key;
  std::string value;

  bool operator==(const state_entry&) const = default;
};

/// An event to append: a JSON text, and what it can be found by.
struct state_event {
  std::string event_id;
  std::string trace_id;   ///< empty: none
  std::string context_id; ///< empty: none
  std::string value;

  bool operator==(const state_event&) const = default;
};

/// What happens to one key, or is expected of it.
struct state_change {
  std::string key;
  std::optional<std::string> value; ///< unset: there is none
};

/// Changes that take place together or not at all. It begins as an empty one,
/// collects, and is rolled back by never being committed.
struct state_transaction {
  std::vector<state_change> expected;
  std::vector<state_change> changes; ///< in order; the last one of a key counts
  std::vector<state_event> events;

  void set(std::string key, std::string value) {
    changes.push_back({std::move(key), std::move(value)});
  }

  /// Removing what is not there changes nothing.
  void remove(std::string key) {
    changes.push_back({std::move(key), std::nullopt});
  }

  void append(state_event event) {
    events.push_back(std::move(event));
  }

  /// The transaction is refused unless the key has this very value, or none,
  /// when it takes place: for values that were read in order to be changed.
  void expect(std::string key, std::optional<std::string> value) {
    expected.push_back({std::move(key), std::move(value)});
  }
};

} // namespace convene::host
