#pragma once

#include <convene/lab/conformance/state_store_conformance.hpp>
#include <convene/runtime/data/state_store/awaited.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::testing {

using texts = std::vector<std::string>;

/// A store that is tried, whose calls are waited for. Names what is wrong.
class tried_store {
public:
  tried_store(const state_store_maker& make, std::string what, texts& wrong)
    : what_{std::move(what)}, wrong_{wrong}, store_{make()} {
    expect(store_ != nullptr, "there is no store");
  }

  [[nodiscard]] bool is_there() const noexcept {
    return store_ != nullptr;
  }

  /// Adds the sentence unless `holds`.
  void expect(bool holds, const std::string& otherwise) {
    if (!holds)
      wrong_.push_back(what_ + ": " + otherwise);
  }
  /// The rule of an error; empty: the call succeeds.
  void expect_rule(const std::string& found, const std::string& wanted,
                   const std::string& call) {
    const auto said = [](const std::string& rule) {
      return rule.empty() ? std::string{"no error"} : "the error " + rule;
    };
    expect(found == wanted,
           call + " results in " + said(found) + ", not in " + said(wanted));
  }

  /// Of the error; empty: none. An error without a rule counts as "failed".
  template <class T, class Start>
  static std::string rule_of(Start&& start) {
    const auto done = host::awaited<T>(std::forward<Start>(start));
    return done ? "" : done.error().rule.empty() ? "failed" : done.error().rule;
  }

  std::string set(const std::string& key, const std::string& value) {
    return rule_of<void>(
      [&](auto then) { store_->set(key, value, std::move(then)); });
  }
  std::string remove(const std::string& key) {
    return rule_of<void>(
      [&](auto then) { store_->remove(key, std::move(then)); });
  }
  std::string append(const host::state_event& event) {
    return rule_of<void>(
      [&](auto then) { store_->append(event, std::move(then)); });
  }
  std::string commit(const host::state_transaction& what) {
    return rule_of<void>(
      [&](auto then) { store_->commit(what, std::move(then)); });
  }
  std::string take_snapshot(const std::string& name) {
    return rule_of<void>(
      [&](auto then) { store_->take_snapshot(name, std::move(then)); });
  }
  std::string restore(const std::string& name) {
    return rule_of<void>(
      [&](auto then) { store_->restore(name, std::move(then)); });
  }
  std::string drop_snapshot(const std::string& name) {
    return rule_of<void>(
      [&](auto then) { store_->drop_snapshot(name, std::move(then)); });
  }

  /// A failure counts as no value.
  std::optional<std::string> get(const std::string& key);
  texts snapshots();
  host::state_page scan(const host::state_scan& which);
  /// The keys of all pages.
  texts keys(const std::string& prefix = {}, std::size_t limit = 1'000);
  /// The ids of all pages.
  texts event_ids(host::state_event_query which);
  /// Everything, in the order of `visit`.
  std::vector<host::state_record> records();

  [[nodiscard]] host::state_store& operator*() const noexcept {
    return *store_;
  }

private:
  template <class T, class Start>
  T value_of(const std::string& call, Start&& start) {
    auto done = host::awaited<T>(std::forward<Start>(start));
    expect(done.has_value(),
           call + " fails: " + (done ? "" : to_string(done.error())));
    return done ? *std::move(done) : T{};
  }

  const std::string what_;
  texts& wrong_;
  const std::unique_ptr<host::state_store> store_;
};

// The parts of the suite. Each gets an empty store.
void try_values(tried_store& store);
void try_scans(tried_store& store);
void try_transactions(tried_store& store);
void try_events(tried_store& store);
void try_event_queries(tried_store& store);
void try_snapshots(tried_store& store);
void try_snapshot_limit(tried_store& store);
void try_bounds(tried_store& store);
void try_names(tried_store& store);
void try_whole(tried_store& store);
void try_threads(tried_store& store);

} // namespace convene::testing
