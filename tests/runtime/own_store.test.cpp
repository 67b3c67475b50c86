#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/runtime/data/state_store/awaited.hpp>
#include <convene/runtime/data/state_store/keys.hpp>
#include <convene/runtime/data/state_store/memory_store.hpp>
#include <runtime/log/event_log/files.hpp>

#include <memory>
#include <string>

using namespace convene;
using namespace convene::tests;

namespace {

using store_pointer = std::shared_ptr<host::state_store>;

bool has(host::state_store& in, std::string_view area, const std::string& id) {
  const auto found = host::awaited<std::optional<std::string>>(
    [&](auto then) { in.get(host::state_key(area, id), std::move(then)); });
  return found.value().has_value();
}

std::size_t events_in(host::state_store& in, const std::string& session) {
  const auto page = host::awaited<host::state_event_page>([&](auto then) {
    in.events({.trace_id = to_string(protocol::trace_ids{session}.trace())},
              std::move(then));
  });
  return page.value().events.size();
}

/// A store whose disk is full.
store_pointer full_store() {
  class full final : public host::state_store {
  public:
    void get(std::string,
             host::when_state<std::optional<std::string>> then) override {
      then(std::optional<std::string>{});
    }
    void scan(host::state_scan, host::when_state<host::state_page>) override {}
    void events(host::state_event_query,
                host::when_state<host::state_event_page>) override {}
    void commit(host::state_transaction, host::when_state<void> then) override {
      then(protocol::fail(protocol::errc::io_failed, "no space is left",
                          "disk_full"));
    }
    void take_snapshot(std::string, host::when_state<void>) override {}
    void snapshots(host::when_state<std::vector<std::string>>) override {}
    void restore(std::string, host::when_state<void>) override {}
    void drop_snapshot(std::string, host::when_state<void>) override {}
    void visit(host::state_visitor, host::when_state<void>) override {}
    void fill(host::state_source, host::when_state<void>) override {}
  };
  return std::make_shared<full>();
}

} // namespace

TEST_CASE("the application's store gets the documents of sessions that ended, "
          "and their events when the runtime is closed") {
  const scratch_folder folder;
  const store_pointer store = host::make_memory_store();
  const bool is_virtual = GENERATE(false, true);
  runtime_options how{.log = folder / "events.jsonl", .store = store};
  if (is_virtual)
    how.seed = 3;
  auto rt = runtime::open(how).value();
  std::vector<std::string> ids;
  for (const auto mode : all_modes) {
    const auto session = rt->start(two_in(mode));
    REQUIRE(session.await());
    ids.push_back(session.id());
  }
  REQUIRE(rt->flush());
  for (const auto& id : ids)
    CHECK(has(*store, host::state_area::collabs, id));
  CHECK(events_in(*store, ids.front()) == 0);
  REQUIRE(rt->close());
  REQUIRE(rt->close());
  for (const auto& id : ids)
    CHECK(events_in(*store, id) > 2);
}

TEST_CASE("a runtime that opens the log again stores what is missing") {
  const scratch_folder folder;
  const auto log = folder / "events.jsonl";
  std::string id;
  {
    auto rt = runtime::open({.log = log}).value();
    const auto session = rt->start(two_in(mode::pair));
    REQUIRE(session.await());
    id = session.id();
    REQUIRE(rt->close());
  }
  const store_pointer store = host::make_memory_store();
  for (int again = 0; again < 2; ++again) {
    auto rt = runtime::open({.log = log, .store = store}).value();
    CHECK(rt->recovered().sessions.empty());
    REQUIRE(rt->close());
    CHECK(has(*store, host::state_area::collabs, id));
    CHECK(events_in(*store, id) > 2);
  }
}

TEST_CASE("a session continues if its store fails, and close returns why") {
  auto rt = runtime::open({.store = full_store()}).value();
  CHECK(rt->start(two_in(mode::pair)).await());
  CHECK(rt->start(two_in(mode::swarm)).await());
  for (const auto& done : {rt->flush(), rt->close()}) {
    REQUIRE_FALSE(done);
    CHECK(done.error().rule == "disk_full");
    CHECK(done.error().message == "the state store: no space is left");
  }
}

TEST_CASE("a store is refused where the log removes events") {
  const scratch_folder folder;
  const auto made = runtime::open({.log = folder / "events.jsonl",
                                   .log_keep_bytes = 1,
                                   .store = host::make_memory_store()});
  REQUIRE_FALSE(made);
  CHECK(made.error().rule == "store");
}
