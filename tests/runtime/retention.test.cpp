// A runtime whose log loses what nobody needs.

#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>

using namespace convene;
using namespace convene::tests;

namespace {

runtime_options keeping_little(const std::filesystem::path& log) {
  std::filesystem::create_directories(log);
  return {.log = log, .log_segment_bytes = 4096, .log_keep_bytes = 4096};
}

void run_some(convene::runtime& rt) {
  for (int i = 0; i < 8; ++i)
    CHECK(rt.start(two_in(mode::pair)).await());
}

} // namespace

TEST_CASE("a runtime removes segments of sessions that have ended, and goes on "
          "with such a log") {
  const scratch_folder folder;
  const auto how = keeping_little(folder / "log");
  for (int i = 0; i < 2; ++i) {
    auto rt = convene::runtime::open(how);
    REQUIRE(rt);
    CHECK((*rt)->recovered().sessions.empty());
    run_some(**rt);
    REQUIRE((*rt)->close());
    CHECK_FALSE(std::filesystem::exists(how.log / "000001.jsonl"));
  }
  std::size_t sessions = 0;
  const auto read
    = host::visit_sessions(how.log, [&](const auto&, std::string_view line) {
        sessions += host::is_of_type(line, "MAPSessionStarted") ? 1 : 0;
      });
  REQUIRE(read);
  CHECK(sessions > 0);
  CHECK(sessions < 16);
}

TEST_CASE(
  "a session that has not ended keeps its segments, and is gone on with") {
  const scratch_folder folder;
  const auto how = keeping_little(folder / "log");
  std::string id;
  {
    convene::runtime rt{how};
    run_some(rt);
    // However long after its start it is suspended: nobody ends it before.
    auto setup = two_in(mode::pair);
    for (auto& one : setup.participants)
      one.respond = says("and more");
    setup.options.rounds = 1'000'000;
    setup.options.max_turns = 10'000'000;
    const auto open = rt.start(setup);
    open.suspend("for now");
    id = open.id();
    run_some(rt);
    run_some(rt);
    REQUIRE(rt.close());
  }
  CHECK_FALSE(std::filesystem::exists(how.log / "000001.jsonl"));
  std::string first;
  const auto read
    = host::visit_session(how.log, *protocol::parse_uuid(id),
                          [&](const auto&, std::string_view line) {
                            first = line;
                            return false;
                          });
  REQUIRE(read);
  CHECK(host::is_of_type(first, "MAPSessionStarted"));
}

TEST_CASE("the id of a session can be used again once the log has lost it, and "
          "not before") {
  const scratch_folder folder;
  const auto how = keeping_little(folder / "log");
  convene::runtime rt{how};
  auto one = simulated_in(mode::pair, 1);
  one.behaviours = {{"*", {{"type", "echo"}}}};
  REQUIRE(rt.start(one).await());
  const auto again = rt.start(one).await();
  REQUIRE_FALSE(again);
  CHECK(again.error().rule == "session_id");
  run_some(rt);
  run_some(rt);
  CHECK(rt.start(one).await());
  REQUIRE(rt.close());
}

TEST_CASE("under virtual time no segment can be removed") {
  const scratch_folder folder;
  auto how = keeping_little(folder / "log");
  how.seed = 1;
  const auto rt = convene::runtime::open(how);
  REQUIRE_FALSE(rt);
  CHECK(rt.error().rule == "log_keep_bytes");
}
