#include <catch2/catch.hpp>
#include <convene/server/runs/run_catalog.hpp>

#include <string>
#include <vector>

using namespace convene;
using namespace convene::server;
using session::run_status;

namespace {

run_row row(std::uint64_t id, run_status status, std::size_t events) {
  return {.id = {.high = 1, .low = id}, .status = status, .events = events};
}

std::vector<std::uint64_t> ids(const run_catalog::page& of) {
  std::vector<std::uint64_t> all;
  for (const auto& each : of.rows)
    all.push_back(each.id.low);
  return all;
}

} // namespace

TEST_CASE("runs are listed from the latest one on, in pages without a gap") {
  run_catalog all;
  for (std::uint64_t id = 1; id <= 7; ++id)
    all.put(row(id, id == 4 ? run_status::failed : run_status::running, 1));
  auto page = all.list(0, 3, {run_status::running});
  CHECK(ids(page) == std::vector<std::uint64_t>{7, 6, 5});
  all.put(row(8, run_status::running, 1)); // does not move what follows
  page = all.list(page.next, 3, {run_status::running});
  CHECK(ids(page) == std::vector<std::uint64_t>{3, 2, 1});
  CHECK(page.next == 0);
  CHECK(ids(all.list(1'000, 1, {run_status::failed}))
        == std::vector<std::uint64_t>{4});
}

TEST_CASE("runs that wait are listed from the latest one on, and no others") {
  run_catalog all;
  const auto waits = [](std::uint64_t id, std::size_t events) {
    auto made = row(id, run_status::waiting_approval, events);
    made.waiting.push_back({.node_id = "gate"});
    return made;
  };
  CHECK(all.list_waiting(0, 3).rows.empty());
  for (std::uint64_t id = 1; id <= 7; ++id)
    all.put(id % 2 == 0 ? row(id, run_status::running, 1) : waits(id, 1));
  auto page = all.list_waiting(0, 2);
  CHECK(ids(page) == std::vector<std::uint64_t>{7, 5});
  all.put(waits(8, 1)); // does not move what follows
  all.put(row(3, run_status::completed, 2));
  all.put(waits(3, 1)); // told late
  page = all.list_waiting(page.next, 2);
  CHECK(ids(page) == std::vector<std::uint64_t>{1});
  CHECK(page.next == 0);
  CHECK(all.find({.high = 1, .low = 3})->status == run_status::completed);
  CHECK_FALSE(all.find({.high = 1, .low = 9}));
}

TEST_CASE("runs that go on are told from those that have ended") {
  run_catalog all;
  const auto uuid = [](std::uint64_t id) {
    return protocol::uuid{.high = 1, .low = id};
  };
  for (std::uint64_t id = 1; id <= 4; ++id)
    all.read(uuid(id), R"({"type": "run.started", "payload": {}})");
  all.read(uuid(2), R"({"type": "run.completed", "payload": {}})");
  all.put(row(3, run_status::cancelled, 2));
  all.put(row(3, run_status::cancelled, 2)); // told twice
  all.put(row(4, run_status::paused, 2));
  const std::vector going_on{run_status::running, run_status::paused};
  auto page = all.list(0, 1, going_on);
  CHECK(ids(page) == std::vector<std::uint64_t>{4});
  CHECK(ids(all.list(page.next, 9, going_on)) == std::vector<std::uint64_t>{1});
  CHECK(ids(all.list(0, 9, {run_status::paused, run_status::completed}))
        == std::vector<std::uint64_t>{4, 2});
  CHECK(ids(all.list(0, 9, {})) == std::vector<std::uint64_t>{4, 3, 2, 1});
  CHECK(all.ended() == 2);
}

TEST_CASE("what is told late does not undo what a run did since") {
  run_catalog all;
  all.put(row(1, run_status::completed, 5));
  all.put(row(1, run_status::running, 3));
  CHECK(all.has_ended({.high = 1, .low = 1}));
  CHECK(all.ended() == 1);
}

TEST_CASE("a log that is read says which workflow a run is of, and its end") {
  run_catalog all;
  const protocol::uuid id{.high = 1, .low = 1};
  const auto event = [](const std::string& type, const std::string& payload) {
    return R"({"type": ")" + type
           + R"(", "timestamp": "2026-01-01T00:00:00.001Z", "payload": )"
           + payload + "}";
  };
  all.read(id, event("run.started", R"({"workflowId": "w"})"));
  all.read(id, event("node.completed", R"({"outputs": "run.failed"})"));
  CHECK_FALSE(all.has_ended(id));
  all.read(id, event("run.failed", "{}"));
  const auto rows = all.list(0, 1, {run_status::failed}).rows;
  REQUIRE(rows.size() == 1);
  CHECK(rows.front().workflow_id == "w");
  CHECK(rows.front().started_at == 1'767'225'600'001);
  CHECK(rows.front().ended_at == 1'767'225'600'001);
  CHECK(rows.front().events == 3);
}

TEST_CASE("a run that stopped is told as that whatever else is told of it") {
  run_catalog all;
  all.put(row(1, run_status::running, 1));
  all.mark_broken({.high = 1, .low = 1});
  all.mark_broken({.high = 1, .low = 2}); // not there
  all.put(row(1, run_status::running, 2));
  const auto found = all.find({.high = 1, .low = 1});
  REQUIRE(found);
  CHECK(found->is_broken);
  CHECK(found->events == 2);
  CHECK_FALSE(all.find({.high = 1, .low = 2}));
}
