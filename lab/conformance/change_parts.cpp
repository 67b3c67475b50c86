// Transactions, events, snapshots, and the whole store.

#include <convene/lab/conformance/tried_store.hpp>

#include <future>
#include <thread>

namespace convene::testing {

using namespace host;

void try_transactions(tried_store& store) {
  store.expect_rule(store.set("plans/1", "1"), "", "set");
  store.expect_rule(store.append({"e-1", "t-1", "", "{}"}), "", "append");
  const auto before = store.records();
  state_transaction change;
  change.set("plans/1", "2");
  change.set("plans/2", "2");
  change.remove("plans/2");
  change.set("plans/3", "3");
  change.append({"e-2", "t-1", "", "{}"});
  const auto refuse = [&](const state_transaction& what,
                          const std::string& rule, const std::string& which) {
    store.expect_rule(store.commit(what), rule, which);
    store.expect(store.records() == before,
                 which + " is refused, and leaves a part of it");
  };
  auto other = change;
  other.expect("plans/1", "3");
  refuse(other, "transaction_conflict", "a transaction about another value");
  other.expected = {{"plans/1", std::nullopt}};
  refuse(other, "transaction_conflict", "a transaction about no value");
  other.expected = {{"plans/9", "1"}};
  refuse(other, "transaction_conflict", "a transaction about an absent value");
  other = change;
  other.append({"e-1", "", "", "{}"});
  refuse(other, "event_exists", "a transaction with an event that is there");
  other.events.back().event_id = "e-2";
  refuse(other, "event_exists", "a transaction with an event twice");
  other = change;
  other.set("plans/4", "{");
  refuse(other, "value", "a transaction with an invalid value");
  change.expect("plans/1", "1");
  change.expect("plans/3", std::nullopt);
  store.expect_rule(store.commit(change), "", "a transaction");
  store.expect(store.keys()
                 == texts{"events/global/e-1", "events/global/e-2",
                          "events/trace/t-1/e-1", "events/trace/t-1/e-2",
                          "plans/1", "plans/3"},
               "a transaction leaves other keys");
  store.expect(store.get("plans/1") == "2", "a transaction sets no value");
  store.expect_rule(store.commit(change), "transaction_conflict",
                    "the same transaction again");
}

void try_events(tried_store& store) {
  store.expect_rule(store.append({"e-1", "t-1", "c-1", "{\"n\": 1}"}), "",
                    "append");
  store.expect_rule(store.append({"e-2", "", "", "{\"n\": 2}"}), "", "append");
  store.expect(store.get("events/global/e-1") == "{\"n\": 1}"
                 && store.get("events/trace/t-1/e-1") == "{\"n\": 1}",
               "an event is not under both of its keys");
  store.expect(store.keys("events/")
                 == texts{"events/global/e-1", "events/global/e-2",
                          "events/trace/t-1/e-1"},
               "a scan does not show the keys of events");
  const auto before = store.records();
  store.expect_rule(store.append({"e-1", "t-1", "c-1", "{\"n\": 1}"}),
                    "event_exists", "the same event again");
  store.expect_rule(store.append({"e-1", "t-2", "", "{}"}), "event_exists",
                    "another event of the same id");
  for (const std::string key : {"events/global/e-1", "events/trace/t-1/e-1",
                                "events/global/e-3", "events/other"}) {
    store.expect_rule(store.set(key, "{}"), "append_only", "set of an event");
    store.expect_rule(store.remove(key), "append_only", "remove of an event");
  }
  store.expect(store.records() == before, "an event was changed");
}

void try_event_queries(tried_store& store) {
  texts all;
  for (int n = 9; n > 0; --n) { // against the order of the ids
    all.push_back("e-" + std::to_string(n));
    store.expect_rule(store.append({all.back(), n % 2 == 0 ? "even" : "odd",
                                    n > 3 ? "late" : "early", "{}"}),
                      "", "append");
  }
  for (const std::size_t limit : {1U, 3U, 1'000U}) {
    const auto shows = [&](state_event_query which, const texts& wanted) {
      which.limit = limit;
      store.expect(store.event_ids(which) == wanted,
                   "the query trace_id=" + which.trace_id + " context_id="
                     + which.context_id + " shows other events in pages of "
                     + std::to_string(limit));
    };
    shows({}, all);
    shows({.trace_id = "even"}, {"e-8", "e-6", "e-4", "e-2"});
    shows({.context_id = "early"}, {"e-3", "e-2", "e-1"});
    shows({.trace_id = "odd", .context_id = "late"}, {"e-9", "e-7", "e-5"});
    shows({.trace_id = "eve"}, {});
    shows({.after = ~0ULL}, {});
  }
}

void try_snapshots(tried_store& store) {
  store.expect_rule(store.set("plans/1", "1"), "", "set");
  store.expect_rule(store.set("plans/2", "2"), "", "set");
  const auto values = store.records();
  store.expect_rule(store.take_snapshot("before"), "", "take_snapshot");
  store.expect(store.records() == values, "a snapshot is shown as a value");
  store.expect_rule(store.set("plans/1", "3"), "", "set");
  store.expect_rule(store.remove("plans/2"), "", "remove");
  store.expect_rule(store.take_snapshot("after"), "", "take_snapshot");
  store.expect(store.snapshots() == texts{"before", "after"},
               "snapshots are not listed in their order");
  store.expect_rule(store.restore("before"), "", "restore");
  store.expect(store.records() == values, "restore brings other values back");
  store.expect_rule(store.append({"e-1", "t-1", "", "{}"}), "", "append");
  store.expect_rule(store.restore("after"), "", "restore");
  store.expect(store.get("plans/1") == "3" && !store.get("plans/2"),
               "restore brings other values back");
  store.expect(store.event_ids({.trace_id = "t-1"}) == texts{"e-1"},
               "restore removed an event");
  store.expect_rule(store.take_snapshot("after"), "snapshot_exists",
                    "a snapshot of the same name");
  store.expect_rule(store.drop_snapshot("before"), "", "drop_snapshot");
  store.expect_rule(store.drop_snapshot("before"), "snapshot_missing",
                    "dropping a dropped snapshot");
  store.expect_rule(store.restore("before"), "snapshot_missing",
                    "restoring a dropped snapshot");
}

void try_snapshot_limit(tried_store& store) {
  for (std::size_t n = 0; n < state_snapshots_max; ++n)
    store.expect_rule(store.take_snapshot("s" + std::to_string(n)), "",
                      "take_snapshot");
  store.expect_rule(store.take_snapshot("one more"), "snapshots_max",
                    "one snapshot too many");
  store.expect_rule(store.drop_snapshot("s0"), "", "drop_snapshot");
  store.expect_rule(store.take_snapshot("one more"), "", "take_snapshot");
}

void try_whole(tried_store& store) {
  const std::vector<state_record> all{state_entry{"plans/1", "1"},
                                      state_entry{"plans/2", "{ }"},
                                      state_event{"e-2", "t", "", "{}"},
                                      state_event{"e-1", "", "c", "{}"}};
  const auto fill = [&store](std::vector<state_record> from) {
    return tried_store::rule_of<void>([&](auto then) {
      (*store).fill(
        [from = std::move(from), at = std::size_t{0}]() mutable
        -> protocol::result<std::optional<state_record>> {
          return at < from.size() ? std::optional{from[at++]} : std::nullopt;
        },
        std::move(then));
    });
  };
  auto wrong = all;
  wrong.emplace_back(state_event{"e-1", "", "", "{}"});
  store.expect_rule(fill(wrong), "event_exists", "fill with an event twice");
  store.expect(store.records().empty(), "a refused fill leaves a part of it");
  store.expect_rule(fill(all), "", "fill");
  store.expect(store.records() == all,
               "visit does not show what fill was given, in its order");
  store.expect_rule(fill(all), "store_not_empty",
                    "fill of a store with values");
  const auto stopped = tried_store::rule_of<void>([&](auto then) {
    (*store).visit(
      [](const state_record&) -> protocol::result<void> {
        return protocol::fail(protocol::errc::not_allowed, "enough", "enough");
      },
      std::move(then));
  });
  store.expect_rule(stopped, "enough", "a visit that ends itself");
}

void try_threads(tried_store& store) {
  std::promise<bool> chained;
  (*store).set("plans/0", "1", [&](const auto& first) {
    if (!first)
      return chained.set_value(false);
    (*store).get("plans/0", [&](const auto& found) {
      chained.set_value(found && *found == "1");
    });
  });
  store.expect(chained.get_future().get(),
               "a call out of an answer does not see what was set");
  // Each adds to the same number, and tries again if another one was faster.
  constexpr int threads = 4;
  constexpr int steps = 25;
  store.expect_rule(store.set("plans/n", "0"), "", "set");
  std::vector<std::jthread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&store] {
      for (int done = 0; done < steps;) {
        const auto found = awaited<std::optional<std::string>>(
          [&](auto then) { (*store).get("plans/n", std::move(then)); });
        if (!found || !*found)
          return;
        state_transaction one;
        one.expect("plans/n", **found);
        one.set("plans/n", std::to_string(std::stoi(**found) + 1));
        const auto rule = store.commit(one);
        if (!rule.empty() && rule != "transaction_conflict")
          return;
        done += rule.empty() ? 1 : 0;
      }
    });
  all.clear();
  store.expect(store.get("plans/n") == std::to_string(threads * steps),
               "transactions of several threads overwrite each other");
}

} // namespace convene::testing
