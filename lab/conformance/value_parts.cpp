// Values, scans and names.

#include <convene/lab/conformance/tried_store.hpp>

#include <algorithm>

namespace convene::testing {

using namespace host;

void try_values(tried_store& store) {
  const std::string key = "contexts/c-1";
  store.expect(!store.get(key), "an empty store has a value");
  for (const std::string value :
       {"{ \"b\" : 1.50, \"a\":\n[1e2,\t\"\\u00e9\"] }", "null", "\"\"",
        "-0.0"}) {
    store.expect_rule(store.set(key, value), "", "set");
    store.expect(store.get(key) == value,
                 "the value " + value + " does not come back byte for byte");
  }
  store.expect_rule(store.remove(key), "", "remove");
  store.expect(!store.get(key), "a removed value is still there");
  store.expect_rule(store.remove(key), "", "removing an absent key");
}

void try_scans(tried_store& store) {
  const texts sorted{"a",        "plans",     "plans/%", "plans/1",
                     "plans/10", "plans/2",   "plans/_", "plans/\xC3\xA9",
                     "plans0",   "plansplans"};
  for (const std::size_t at : {7, 2, 9, 0, 4, 5, 1, 8, 3, 6})
    store.expect_rule(store.set(sorted[at], "1"), "", "set");
  for (const std::size_t limit : {1U, 2U, 3U, 1'000U}) {
    const auto with = " in pages of " + std::to_string(limit);
    store.expect(store.keys("", limit) == sorted,
                 "a scan does not show all keys in order" + with);
    store.expect(store.keys("plans/", limit) == texts(&sorted[2], &sorted[8]),
                 "a scan does not show the keys of a prefix" + with);
    store.expect(store.keys("plans/%", limit) == texts{"plans/%"},
                 "% in a prefix is not itself" + with);
    store.expect(store.keys("plans/_", limit) == texts{"plans/_"},
                 "_ in a prefix is not itself" + with);
    store.expect(store.keys("q", limit).empty(),
                 "a scan shows keys that the prefix does not begin" + with);
    store.expect(store.keys("plans/\xC3", limit) == texts{"plans/\xC3\xA9"},
                 "a prefix cannot end inside of a character" + with);
  }
  const auto page = store.scan({.prefix = "plans/", .after = "a", .limit = 2});
  store.expect(page.entries
                 == std::vector<state_entry>{{"plans/%", "1"},
                                             {"plans/1", "1"}},
               "a scan after a key shows something else");
  store.expect(page.more, "a scan does not say that more follows");
  store.expect(!store.scan({.prefix = "plans/", .limit = 6}).more,
               "a full last page says that more follows");
  store.expect(store.scan({.after = "\xFF"}).entries.empty(),
               "a scan shows keys before its place");
}

void try_names(tried_store& store) {
  texts keys{"'; DROP TABLE entry; --",
             "..",
             "../../etc/passwd",
             "/",
             "\"quoted\"",
             "%s%n",
             std::string(state_key_bytes_max, 'k'),
             "\xF0\x9F\x90\x98/\xC3\xA9",
             "events",
             "Plans/1",
             "plans/1"};
  std::ranges::sort(keys);
  for (const auto& key : keys)
    store.expect_rule(store.set(key, '"' + std::to_string(key.size()) + '"'),
                      "", "set of the key " + key);
  store.expect(store.keys() == keys, "odd keys are not those that were set");
  for (const auto& key : keys)
    store.expect(store.get(key) == '"' + std::to_string(key.size()) + '"',
                 "the value of the odd key " + key + " is another one");
  store.expect(!store.get("PLANS/1"), "upper and lower case are the same");
}

void try_bounds(tried_store& store) {
  store.expect_rule(store.set("plans/1", "1"), "", "set");
  const auto before = store.records();
  const std::string nul{"a\0b", 3};
  for (const std::string& key :
       {std::string{}, nul, std::string{"a\nb"}, std::string{"a\x7f"},
        std::string{"\xff"}, std::string{"a\xC3"}}) {
    store.expect_rule(store.set(key, "1"), "key", "set of an invalid key");
    store.expect_rule(store.remove(key), "key", "remove of an invalid key");
  }
  store.expect_rule(store.set(std::string(state_key_bytes_max + 1, 'k'), "1"),
                    "key_bytes_max", "set of a long key");
  for (const std::string& value :
       {std::string{}, std::string{"{"}, std::string{"1 2"}, nul,
        std::string{"{\"a\":1,\"a\":2}"}, std::string{"\"\xff\""},
        std::string(10'000, '[')})
    store.expect_rule(store.set("plans/1", value), "value",
                      "set of a value that is not JSON");
  store.expect_rule(store.set("plans/1",
                              std::string(state_value_bytes_max + 1, ' ')),
                    "value_bytes_max", "set of a large value");
  for (const state_event& event :
       {state_event{"", "", "", "{}"}, state_event{"a/b", "", "", "{}"},
        state_event{"e", "..\n", "", "{}"}, state_event{"e", "", "c/d", "{}"}})
    store.expect_rule(store.append(event), "id", "an event with an invalid id");
  store.expect_rule(store.append({"e", std::string(state_id_bytes_max + 1, 't'),
                                  "", "{}"}),
                    "id_bytes_max", "an event with a long id");
  store.expect_rule(store.append({"e", "", "", "{"}), "value",
                    "an event that is not JSON");
  store.expect_rule(store.take_snapshot(""), "id", "a snapshot without a name");
  state_transaction many;
  many.changes.resize(state_transaction_items_max + 1, {"k", "1"});
  store.expect_rule(store.commit(many), "transaction_items_max",
                    "a large transaction");
  const auto scan_rule = [&](const state_scan& which) {
    return tried_store::rule_of<state_page>(
      [&](auto then) { (*store).scan(which, std::move(then)); });
  };
  store.expect_rule(scan_rule({.limit = 0}), "page_items_max",
                    "a page of nothing");
  store.expect_rule(scan_rule({.limit = state_page_items_max + 1}),
                    "page_items_max", "a large page");
  store.expect(store.records() == before, "a refused call changed the store");
}

} // namespace convene::testing
