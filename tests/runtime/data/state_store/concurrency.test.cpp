// Many threads, and random histories, on every store.

#include "stores.hpp"

#include <support/dice.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>

using namespace convene::tests;

namespace {

/// What a store is expected to have.
struct state_model {
  std::map<std::string, std::string> values;
  std::vector<state_event> events;
  std::vector<std::pair<std::string, std::map<std::string, std::string>>>
    snapshots;

  [[nodiscard]] bool knows(const std::string& event_id) const {
    return std::ranges::find(events, event_id, &state_event::event_id)
           != events.end();
  }
};

/// All that a store has, in its order.
std::vector<state_record> records_of(const any_store& store) {
  std::vector<state_record> all;
  REQUIRE(awaited<void>([&](auto then) {
    (*store).visit(
      [&all](const state_record& each) -> convene::protocol::result<void> {
        all.push_back(each);
        return {};
      },
      std::move(then));
  }));
  return all;
}

std::vector<state_record> records_of(const state_model& model) {
  std::vector<state_record> all;
  for (const auto& [key, value] : model.values)
    all.emplace_back(state_entry{key, value});
  all.insert(all.end(), model.events.begin(), model.events.end());
  return all;
}

/// Changes the model, too, unless the transaction will be refused.
std::pair<state_transaction, bool> random_change(convene::test::dice& dice,
                                                 state_model& model) {
  state_transaction change;
  auto after = model;
  bool fits = true;
  for (auto left = dice.below(4) + 1; left > 0; --left) {
    const auto key = "plans/" + std::to_string(dice.below(8));
    const auto id = "e-" + std::to_string(dice.below(400));
    switch (dice.below(5)) {
      case 0: {
        change.remove(key);
        after.values.erase(key);
        break;
      }
      case 1: {
        const auto trace = dice.chance(50) ? "t" : "";
        fits = fits && !after.knows(id);
        change.append({id, trace, "", "{}"});
        after.events.push_back(change.events.back());
        break;
      }
      case 2: {
        const auto found = model.values.find(key);
        const auto value = found == model.values.end()
                             ? std::nullopt
                             : std::optional{found->second};
        const bool lies = dice.chance(20);
        fits = fits && !lies;
        change.expect(key, lies ? std::optional<std::string>{"-1"} : value);
        break;
      }
      default: {
        const auto value = std::to_string(dice.below(1'000));
        change.set(key, value);
        after.values[key] = value;
      }
    }
  }
  if (fits)
    model = after;
  return {change, fits};
}

} // namespace

TEST_CASE("a random history leaves what a plain map has") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  const any_store store{GENERATE(from_range(store_kinds))};
  convene::test::dice dice{seed};
  state_model model;
  for (int step = 0; step < 80; ++step) {
    const auto name = "s" + std::to_string(dice.below(3));
    const auto known = std::ranges::find(
      model.snapshots, name, [](const auto& each) { return each.first; });
    const bool is_known = known != model.snapshots.end();
    switch (dice.below(12)) {
      case 0: {
        CHECK(store.take_snapshot(name) == (is_known ? "snapshot_exists" : ""));
        if (!is_known)
          model.snapshots.emplace_back(name, model.values);
        break;
      }
      case 1: {
        CHECK(store.restore(name) == (is_known ? "" : "snapshot_missing"));
        if (is_known)
          model.values = known->second;
        break;
      }
      case 2: {
        CHECK(store.drop_snapshot(name)
              == (is_known ? "" : "snapshot_missing"));
        if (is_known)
          model.snapshots.erase(known);
        break;
      }
      default: {
        const auto [change, fits] = random_change(dice, model);
        CHECK(store.commit(change).empty() == fits);
      }
    }
    if (step % 10 == 0)
      REQUIRE(records_of(store) == records_of(model));
  }
  REQUIRE(records_of(store) == records_of(model));
}

TEST_CASE("writers at the same time lose no change") {
  const any_store store{GENERATE(from_range(store_kinds))};
  constexpr int writers = 4;
  constexpr int each = 8;
  std::vector<std::thread> threads;
  for (int n = 0; n < writers; ++n)
    threads.emplace_back([&, n] {
      for (int done = 0; done < each;) {
        const auto before = store.get("plans/sum");
        state_transaction change;
        change.expect("plans/sum", before);
        change.set("plans/sum",
                   std::to_string(std::stoi(before.value_or("0")) + 1));
        change.append({std::to_string(n) + '-' + std::to_string(done),
                       std::to_string(n), "", "{}"});
        const auto refused = store.commit(change);
        if (refused.empty())
          ++done;
        else if (refused != "transaction_conflict")
          std::abort();
      }
    });
  for (auto& thread : threads)
    thread.join();
  CHECK(store.get("plans/sum") == std::to_string(writers * each));
  CHECK(store.event_ids({}).size() == std::size_t{writers} * each);
  CHECK(store.event_ids({.trace_id = "2"}).front() == "2-0");
  CHECK(store.event_ids({.trace_id = "2"}).size() == each);
}

TEST_CASE("no reader sees half of a transaction") {
  const any_store store{GENERATE(from_range(store_kinds))};
  std::atomic<bool> is_over = false;
  std::thread writer{[&] {
    for (int n = 1; n <= 20; ++n) {
      state_transaction both;
      both.set("plans/a", std::to_string(n));
      both.set("plans/b", std::to_string(n));
      if (!store.commit(both).empty())
        std::abort();
    }
    is_over = true;
  }};
  std::size_t halves = 0;
  for (bool last = false; !last;) {
    last = is_over;
    const auto page = store.scan({.prefix = "plans/"});
    const auto& seen = page.entries;
    halves += !seen.empty()
                  && (seen.size() != 2 || seen[0].value != seen[1].value)
                ? 1
                : 0;
  }
  writer.join();
  CHECK(halves == 0);
  CHECK(store.get("plans/b") == "20");
}

TEST_CASE("calls that were made are answered, though the store goes") {
  const store_place place{GENERATE(from_range(store_kinds))};
  auto store = place.open();
  std::atomic<int> answered = 0;
  for (int n = 0; n < 20; ++n)
    store->set("plans/" + std::to_string(n), "1",
               [&](const auto& done) { answered += done ? 1 : 0; });
  store.reset();
  CHECK(answered == 20);
}
