#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/state_store/state_limits.hpp>
#include <convene/runtime/data/state_store/transaction.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace convene::host {

/// Which entries to show: those whose key begins with `prefix` and comes after
/// `after`, byte by byte.
struct state_scan {
  std::string prefix = {};
  std::string after = {};
  std::size_t limit = state_page_items_max;
};

struct state_page {
  std::vector<state_entry> entries; ///< in order of their keys
  bool more = false;                ///< others follow the last of them
};

/// Which events to show: those of a trace and of a context, where these are
/// named, that were appended after number `after`.
struct state_event_query {
  std::string trace_id = {};
  std::string context_id = {};
  std::uint64_t after = 0;
  std::size_t limit = state_page_items_max;
};

/// An event that was appended; numbers grow with each one.
struct numbered_event {
  std::uint64_t number = 0;
  state_event event;
};

struct state_event_page {
  std::vector<numbered_event> events; ///< in the order they were appended
  bool more = false;
};

/// What a whole store is made of: its entries in order of their keys, then its
/// events in the order they were appended.
using state_record = std::variant<state_entry, state_event>;
using state_visitor
  = std::function<protocol::result<void>(const state_record&)>;
/// Nothing: there are no more.
using state_source
  = std::function<protocol::result<std::optional<state_record>>()>;

/// Called once, on any thread, possibly before the call that takes it returns.
/// It must not throw or wait, nor destroy the store; it may call the store.
template <class T>
using when_state = std::function<void(protocol::result<T>)>;

/// Values and events under keys (keys.hpp): the protocol's Value State Layer.
/// Values are JSON texts and are kept byte for byte. Keys and ids are UTF-8
/// without control characters, not empty; ids have no slash.
///
/// Calls take place one after another; those of one thread in its order.
/// Whoever reads sees all of a transaction or nothing of it. What is
/// acknowledged is seen by every later call, and is as durable as the store
/// says. A call that fails changes nothing. Thread-safe.
///
/// Rules of errors, besides those of state_limits.hpp: `key`, `id`, `value` for
/// what has not their form; `store_full`, `store_busy`.
class state_store {
public:
  state_store() = default;
  state_store(const state_store&) = delete;
  state_store& operator=(const state_store&) = delete;

  /// Finishes what it was called for first.
  virtual ~state_store() = default;

  /// The value or, if there is none, nothing. Also of an event's keys.
  virtual void get(std::string key, when_state<std::optional<std::string>> then)
    = 0;

  virtual void scan(state_scan which, when_state<state_page> then) = 0;

  virtual void
  events(state_event_query which, when_state<state_event_page> then)
    = 0;

  /// Refused with the rule `transaction_conflict` if something is not as
  /// expected, `event_exists` if an event of that id was appended before, and
  /// `append_only` if it sets or removes the key of an event.
  virtual void commit(state_transaction what, when_state<void> then) = 0;

  void set(std::string key, std::string value, when_state<void> then) {
    state_transaction one;
    one.set(std::move(key), std::move(value));
    commit(std::move(one), std::move(then));
  }

  void remove(std::string key, when_state<void> then) {
    state_transaction one;
    one.remove(std::move(key));
    commit(std::move(one), std::move(then));
  }

  void append(state_event event, when_state<void> then) {
    state_transaction one;
    one.append(std::move(event));
    commit(std::move(one), std::move(then));
  }

  /// Keeps all values as they are now, under a new name; `snapshot_exists` if
  /// it is not new.
  virtual void take_snapshot(std::string name, when_state<void> then) = 0;

  /// The names of all snapshots, in the order they were taken.
  virtual void snapshots(when_state<std::vector<std::string>> then) = 0;

  /// Values become what they were. Events are never undone: those appended
  /// since stay. `snapshot_missing` if there is none of that name.
  virtual void restore(std::string name, when_state<void> then) = 0;

  virtual void drop_snapshot(std::string name, when_state<void> then) = 0;

  /// Shows everything but the snapshots, as it is at one moment. `visit` ends
  /// it by an error, which `then` gets. It must not call the store, which does
  /// nothing else meanwhile.
  virtual void visit(state_visitor visit, when_state<void> then) = 0;

  /// Takes everything that `next` has into a store without entries and events;
  /// else `store_not_empty`. `next` must not call the store, which does nothing
  /// else meanwhile.
  virtual void fill(state_source next, when_state<void> then) = 0;
};

} // namespace convene::host
