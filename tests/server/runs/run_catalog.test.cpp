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
