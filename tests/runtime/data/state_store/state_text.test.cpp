// Exports of stores, and what is taken in.

#include "stores.hpp"

using namespace convene::tests;

namespace {

void fill(const any_store& store) {
  CHECK(
    store.set("plans/\"quoted\"\\", "{ \"a\": [1.50,\n2],\r\n\"b\": \"\\n\"}")
      .empty());
  CHECK(store.set("contexts/\xC3\xA9", "\"</script>\"").empty());
  CHECK(store.append({"e-2", "t-1", "c-1", "{\"n\":1e2}"}).empty());
  CHECK(store.append({"e-1", "", "", "{}"}).empty());
  CHECK(store.take_snapshot("not exported").empty());
}

const std::string whole = R"({"state_store":1}
{"key":"contexts/é","value":"</script>"}
{"key":"plans/\"quoted\"\\","value":{ "a": [1.50, 2],  "b": "\n"}}
{"event_id":"e-2","trace_id":"t-1","context_id":"c-1","value":{"n":1e2}}
{"event_id":"e-1","value":{}}
{"end":4}
)";

} // namespace

TEST_CASE("an export has all values and events, as they are") {
  const any_store from{GENERATE(from_range(store_kinds))};
  fill(from);
  CHECK(from.exported() == whole);
}

TEST_CASE("an export of one store makes an equal one of any other") {
  const any_store from{GENERATE(from_range(store_kinds))};
  fill(from);
  const any_store to{GENERATE(from_range(store_kinds))};
  REQUIRE(to.import(from.exported()));
  CHECK(to.exported() == whole);
  CHECK(to.event_ids({}) == std::vector<std::string>{"e-2", "e-1"});
  CHECK(to.event_ids({.trace_id = "t-1"}) == std::vector<std::string>{"e-2"});
  CHECK(to.append({"e-1", "", "", "{}"}) == "event_exists");
  // It is no longer empty.
  CHECK(to.import(from.exported()).error().rule == "store_not_empty");
}

TEST_CASE("an export of nothing is one, too") {
  const any_store from{GENERATE(from_range(store_kinds))};
  CHECK(from.exported() == "{\"state_store\":1}\n{\"end\":0}\n");
  CHECK(from.import(from.exported()));
}

TEST_CASE("what others wrote in another layout has the same values") {
  const any_store to{GENERATE(from_range(store_kinds))};
  REQUIRE(to.import("{ \"state_store\": 1 }\r\n"
                    "{\"value\": {\"a\": 1.5}, \"key\": \"plans/1\"}\r\n"
                    "{\"end\":1}"));
  CHECK(to.get("plans/1") == "{\"a\":1.5E0}");
}

TEST_CASE("an export that is not whole and valid changes nothing") {
  const any_store to{GENERATE(from_range(store_kinds))};
  const std::string head = "{\"state_store\":1}\n";
  const std::string entry = "{\"key\":\"plans/1\",\"value\":1}\n";
  const std::string event = "{\"event_id\":\"e\",\"value\":1}\n";
  const auto [text, line] = GENERATE_COPY(table<std::string, std::size_t>(
    {{"", 1},
     {"{\"state_store\":2}\n", 1},
     {"[]", 1},
     {head, 2},
     {head + entry, 3},
     {head + entry + "{\"end\":2}\n", 3},
     {head + entry + "{\"end\":1}\n" + entry, 3},
     {head + entry + "{\"key\":\"plans/2\",\"val", 3},
     {head + entry + "{\"key\":\"plans/2\"}\n{\"end\":2}\n", 3},
     {head + entry + "{\"key\":1,\"value\":1}\n{\"end\":2}\n", 3},
     {head + entry + "{\"key\":\"a\",\"value\":1,\"x\":1}\n{\"end\":2}\n", 3},
     {head + entry + "{\"key\":\"events/global/e\",\"value\":1}\n{\"end\":2}\n",
      0},
     {head + entry + "{\"key\":\"\",\"value\":1}\n{\"end\":2}\n", 0},
     {head + entry + event + event + "{\"end\":3}\n", 0}}));
  const auto refused = to.import(text);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().line == line);
  CHECK(to.keys().empty());
  CHECK(to.event_ids({}).empty());
  CHECK(to.set("plans/1", "1").empty()); // it goes on
}

TEST_CASE("an export ends with the error of who takes it") {
  const any_store from{GENERATE(from_range(store_kinds))};
  fill(from);
  int lines = 0;
  const auto done = awaited<void>([&](auto then) {
    export_state(
      *from,
      [&](std::string_view) -> convene::protocol::result<void> {
        if (++lines == 3)
          return convene::protocol::fail(convene::protocol::errc::io_failed,
                                         "full", "disk");
        return {};
      },
      std::move(then));
  });
  REQUIRE_FALSE(done);
  CHECK(done.error().rule == "disk");
  CHECK(lines == 3);
}
