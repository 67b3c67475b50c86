// What every store does. A store of another kind is one more in `store_kinds`.

#include "stores.hpp"

#include <convene/runtime/data/state_store/keys.hpp>

#include <algorithm>
#include <future>

using namespace convene::tests;
using texts = std::vector<std::string>;

namespace {

any_store of_each_kind() {
  return any_store{GENERATE(from_range(store_kinds))};
}

} // namespace

TEST_CASE("a value comes back byte for byte, until it is replaced or removed") {
  const auto store = of_each_kind();
  const auto key = state_key(state_area::contexts, "c-1");
  CHECK(store.get(key) == std::nullopt);
  for (const std::string value :
       {"{ \"b\" : 1.50, \"a\":\n[1e2,\t\"\\u00e9\"] }", "null", "\"\"",
        "-0.0"}) {
    CHECK(store.set(key, value).empty());
    CHECK(store.get(key) == value);
  }
  CHECK(store.remove(key).empty());
  CHECK(store.get(key) == std::nullopt);
  CHECK(store.remove(key).empty());
}

TEST_CASE("documents of every module come back unchanged from every store") {
  const auto store = of_each_kind();
  std::size_t modules = 0;
  for (const auto& file : std::filesystem::directory_iterator{
         CONVENE_SOURCE_DIR "/tests/corpus/valid"}) {
    const auto text = read_bytes(file.path());
    const auto key = state_key(state_area::extensions,
                               file.path().stem().string());
    CHECK(store.set(key, text).empty());
    CHECK(store.get(key) == text);
    ++modules;
  }
  CHECK(modules >= 10);
}

TEST_CASE("a scan shows the keys of a prefix, in order, page by page") {
  const auto store = of_each_kind();
  const texts sorted{"a",        "plans",     "plans/%", "plans/1",
                     "plans/10", "plans/2",   "plans/_", "plans/\xC3\xA9",
                     "plans0",   "plansplans"};
  for (const auto at : {7, 2, 9, 0, 4, 5, 1, 8, 3, 6})
    CHECK(store.set(sorted[static_cast<std::size_t>(at)], "1").empty());
  const auto limit = GENERATE(1U, 2U, 3U, 1'000U);
  CHECK(store.keys("", limit) == sorted);
  CHECK(store.keys("plans/", limit) == texts(&sorted[2], &sorted[8]));
  CHECK(store.keys("plans/%", limit) == texts{"plans/%"});
  CHECK(store.keys("plans/1", limit) == texts{"plans/1", "plans/10"});
  CHECK(store.keys("q", limit).empty());
  const auto page = store.scan({.prefix = "plans/", .after = "a", .limit = 2});
  CHECK(page.entries
        == std::vector<state_entry>{{"plans/%", "1"}, {"plans/1", "1"}});
  CHECK(page.more);
  CHECK_FALSE(store.scan({.prefix = "plans/", .limit = 6}).more);
  CHECK(store.scan({.prefix = "a", .after = "plans"}).entries.empty());
}

TEST_CASE("a place among keys may end inside of a character") {
  const auto store = of_each_kind();
  const texts sorted{"plans/1", "plans/\xC3\xA9", "plans/\xC3\xAA",
                     "plans/\xE2\x82\xAC", "traces/1"};
  for (const auto& key : sorted)
    CHECK(store.set(key, "1").empty());
  const auto limit = GENERATE(1U, 2U, 1'000U);
  CHECK(store.keys("plans/\xC3", limit) == texts(&sorted[1], &sorted[3]));
  CHECK(store.keys("plans/\xE2\x82", limit) == texts{sorted[3]});
  CHECK(store.keys("plans/\xFF", limit).empty());
  CHECK(store.keys("\x80", limit).empty());
  const auto after = [&](const std::string& place) {
    const auto page = store.scan({.after = place, .limit = 1});
    return page.entries.empty() ? "" : page.entries.front().key;
  };
  CHECK(after("plans/\xC3") == sorted[1]);
  CHECK(after("plans/\xC3\xA9") == sorted[2]);
  CHECK(after("plans/\xD0") == sorted[3]);
  CHECK(after("plans/\xFF") == sorted[4]);
  CHECK(after("\xFF").empty());
}

TEST_CASE("a transaction takes place whole, or not at all") {
  const auto store = of_each_kind();
  CHECK(store.set("plans/1", "1").empty());
  CHECK(store.append({"e-1", "t-1", "", "{}"}).empty());
  const auto before = store.exported();
  state_transaction change;
  change.set("plans/1", "2");
  change.set("plans/2", "2");
  change.remove("plans/2");
  change.set("plans/3", "3");
  change.append({"e-2", "t-1", "", "{}"});

  SECTION("whole") {
    change.expect("plans/1", "1");
    change.expect("plans/3", std::nullopt);
    CHECK(store.commit(change).empty());
    CHECK(store.keys()
          == texts{"events/global/e-1", "events/global/e-2",
                   "events/trace/t-1/e-1", "events/trace/t-1/e-2", "plans/1",
                   "plans/3"});
    CHECK(store.get("plans/1") == "2");
    CHECK(store.commit(change) == "transaction_conflict");
  }
  SECTION("not if a value is another one") {
    change.expect("plans/1", "3");
    CHECK(store.commit(change) == "transaction_conflict");
    CHECK(store.exported() == before);
  }
  SECTION("not if there is a value where none was expected, or none") {
    change.expect("plans/1", std::nullopt);
    CHECK(store.commit(change) == "transaction_conflict");
    change.expected = {{"plans/9", "1"}};
    CHECK(store.commit(change) == "transaction_conflict");
    CHECK(store.exported() == before);
  }
  SECTION("not if one of its events is there, or is twice in it") {
    change.append({"e-1", "", "", "{}"});
    CHECK(store.commit(change) == "event_exists");
    change.events.back().event_id = "e-2";
    CHECK(store.commit(change) == "event_exists");
    CHECK(store.exported() == before);
  }
  SECTION("not if one of its values is no value") {
    change.set("plans/4", "{");
    CHECK(store.commit(change) == "value");
    CHECK(store.exported() == before);
  }
}

TEST_CASE("an event has two keys, is stored once, and never changes") {
  const auto store = of_each_kind();
  CHECK(store.append({"e-1", "t-1", "c-1", "{\"n\": 1}"}).empty());
  CHECK(store.append({"e-2", "", "", "{\"n\": 2}"}).empty());
  CHECK(store.get("events/global/e-1") == "{\"n\": 1}");
  CHECK(store.get("events/trace/t-1/e-1") == "{\"n\": 1}");
  CHECK(
    store.keys("events/")
    == texts{"events/global/e-1", "events/global/e-2", "events/trace/t-1/e-1"});
  const auto before = store.exported();
  CHECK(store.append({"e-1", "t-1", "c-1", "{\"n\": 1}"}) == "event_exists");
  CHECK(store.append({"e-1", "t-2", "", "{}"}) == "event_exists");
  for (const std::string key : {"events/global/e-1", "events/trace/t-1/e-1",
                                "events/global/e-3", "events/other"}) {
    CHECK(store.set(key, "{}") == "append_only");
    CHECK(store.remove(key) == "append_only");
  }
  CHECK(store.exported() == before);
}

TEST_CASE("events are found by trace and by context, in the order they came") {
  const auto store = of_each_kind();
  texts all;
  for (int n = 9; n > 0; --n) { // against the order of the ids
    all.push_back("e-" + std::to_string(n));
    CHECK(store
            .append({all.back(), n % 2 == 0 ? "even" : "odd",
                     n > 3 ? "late" : "early", "{}"})
            .empty());
  }
  const auto limit = GENERATE(1U, 3U, 1'000U);
  CHECK(store.event_ids({.limit = limit}) == all);
  CHECK(store.event_ids({.trace_id = "even", .limit = limit})
        == texts{"e-8", "e-6", "e-4", "e-2"});
  CHECK(store.event_ids({.trace_id = "odd", .limit = limit})
        == texts{"e-9", "e-7", "e-5", "e-3", "e-1"});
  CHECK(store.event_ids({.context_id = "early", .limit = limit})
        == texts{"e-3", "e-2", "e-1"});
  CHECK(
    store.event_ids({.trace_id = "odd", .context_id = "late", .limit = limit})
    == texts{"e-9", "e-7", "e-5"});
  CHECK(store.event_ids({.trace_id = "eve", .limit = limit}).empty());
  CHECK(store.event_ids({.after = ~0ULL, .limit = limit}).empty());
}

TEST_CASE("a snapshot brings values back, and leaves events") {
  const auto store = of_each_kind();
  CHECK(store.set("plans/1", "1").empty());
  CHECK(store.set("plans/2", "2").empty());
  const auto values = store.exported();
  CHECK(store.take_snapshot("before").empty());
  CHECK(store.exported() == values);
  CHECK(store.set("plans/1", "3").empty());
  CHECK(store.remove("plans/2").empty());
  CHECK(store.set("plans/3", "3").empty());
  const auto changed = store.exported();
  CHECK(store.take_snapshot("after").empty());
  CHECK(store.snapshots() == texts{"before", "after"});

  CHECK(store.restore("before").empty());
  CHECK(store.exported() == values);
  CHECK(store.restore("after").empty());
  CHECK(store.exported() == changed);
  CHECK(store.append({"e-1", "t-1", "", "{}"}).empty());
  CHECK(store.restore("before").empty());
  CHECK(store.get("plans/1") == "1");
  CHECK(store.event_ids({.trace_id = "t-1"}) == texts{"e-1"});
  CHECK(store.keys("events/").size() == 2);

  CHECK(store.take_snapshot("after") == "snapshot_exists");
  CHECK(store.drop_snapshot("before").empty());
  CHECK(store.drop_snapshot("before") == "snapshot_missing");
  CHECK(store.restore("before") == "snapshot_missing");
  CHECK(store.snapshots() == texts{"after"});
  CHECK(store.restore("after").empty());
  CHECK(store.get("plans/1") == "3");
}

TEST_CASE("there are as many snapshots as there may be") {
  const auto store = of_each_kind();
  for (std::size_t n = 0; n < state_snapshots_max; ++n)
    REQUIRE(store.take_snapshot("s" + std::to_string(n)).empty());
  CHECK(store.take_snapshot("one more") == "snapshots_max");
  CHECK(store.drop_snapshot("s0").empty());
  CHECK(store.take_snapshot("one more").empty());
}

TEST_CASE("what a store is given is bounded and has its form") {
  const auto store = of_each_kind();
  CHECK(store.set("plans/1", "1").empty());
  const auto before = store.exported();
  const std::string nul{"a\0b", 3};
  for (const std::string& key :
       {std::string{}, nul, std::string{"a\nb"}, std::string{"a\x7f"},
        std::string{"\xff"}, std::string{"a\xC3"}}) {
    CHECK(store.set(key, "1") == "key");
    CHECK(store.remove(key) == "key");
  }
  CHECK(store.set(std::string(state_key_bytes_max + 1, 'k'), "1")
        == "key_bytes_max");
  for (const std::string& value :
       {std::string{}, std::string{"{"}, std::string{"1 2"}, nul,
        std::string{"{\"a\":1,\"a\":2}"}, std::string{"\"\xff\""},
        std::string{"\xEF\xBB\xBF"
                    "1"},
        std::string(10'000, '[')})
    CHECK(store.set("plans/1", value) == "value");
  CHECK(store.set("plans/1", std::string(state_value_bytes_max + 1, ' '))
        == "value_bytes_max");
  CHECK(store.append({"", "", "", "{}"}) == "id");
  CHECK(store.append({"a/b", "", "", "{}"}) == "id");
  CHECK(store.append({"e", "..\n", "", "{}"}) == "id");
  CHECK(store.append({"e", std::string(state_id_bytes_max + 1, 't'), "", "{}"})
        == "id_bytes_max");
  CHECK(store.append({"e", "", "c/d", "{}"}) == "id");
  CHECK(store.append({"e", "", "", "{"}) == "value");
  CHECK(store.take_snapshot("") == "id");
  state_transaction many;
  many.changes.resize(state_transaction_items_max + 1, {"k", "1"});
  CHECK(store.commit(many) == "transaction_items_max");
  const auto rule = [&](const state_scan& which) {
    return any_store::rule_of<state_page>(
      [&](auto then) { (*store).scan(which, std::move(then)); });
  };
  CHECK(rule({.limit = 0}) == "page_items_max");
  CHECK(rule({.limit = state_page_items_max + 1}) == "page_items_max");
  CHECK(rule({.prefix = "a\nb"}) == "key");
  CHECK(store.exported() == before);
}

TEST_CASE("a key is only a name, whatever is in it") {
  const auto store = of_each_kind();
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
    CHECK(store.set(key, '"' + std::to_string(key.size()) + '"').empty());
  CHECK(store.keys() == keys);
  for (const auto& key : keys)
    CHECK(store.get(key) == '"' + std::to_string(key.size()) + '"');
  CHECK(store.get("PLANS/1") == std::nullopt);
}

TEST_CASE("an answer may make the next call, and so on") {
  const auto store = of_each_kind();
  std::promise<std::string> last;
  (*store).set("plans/1", "1", [&](const auto& first) {
    REQUIRE(first);
    (*store).get("plans/1", [&](const auto& found) {
      last.set_value(found->value_or("none"));
    });
  });
  CHECK(last.get_future().get() == "1");
}
